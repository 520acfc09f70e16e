"""A double of the cloud of provider B, version 2.0 of its REST interface, with a repository that
has something of everything: `works/tool`."""

from served import Answer

API = "/2.0"
NAME, SECRET = "ada@example.com", "b-cloud-1"
LINES = [f"line {number}" for number in range(1, 11)]


def at(day):
    return f"2020-01-{day:02}T03:04:05.000000+00:00"


def person(name):
    return {"type": "user", "account_id": f"557058:{name}-1", "uuid": f"{{{name}}}", "nickname": name,
            "display_name": name.capitalize(), "links": {}}  # fmt: skip


ADA, BEN, CYD = person("ada"), person("ben"), person("cyd")


class ProviderBCloud:
    """Lists and things by their paths, for who has the password."""

    def __init__(self, url, repositories, credentials=(NAME, SECRET)):
        self.url, self.git, self.credentials = url, repositories, credentials
        self.path = "/repositories/works/tool"
        self.code()
        own = [f"{self.path}/{of}" for of in (
            *(f"pullrequests/{number}/comments" for number in (1, 2, 3, 4)),
            *(f"issues/{number}/comments" for number in (1, 2, 3)))]  # fmt: skip
        self.lists = {one: [] for one in own}
        self.lists["/workspaces/works/members"] = [{"user": who} for who in (ADA, BEN, CYD)]
        self.lists[f"{self.path}/pullrequests"] = self.pulls()
        self.lists[f"{self.path}/issues"] = self.issues()
        self.talk()
        workspace = {"type": "workspace", "slug": "works", "name": "works", "uuid": "{works}",
                     "links": {"self": {"href": f"{url}{API}/workspaces/works"},
                               "repositories": {"href": f"{url}{API}/repositories/works"}}}  # fmt: skip
        self.things = {"/user": ADA, "/workspaces/works": workspace, self.path: self.repository()}
        for kind in ("issues", "pullrequests"):
            for one in self.lists[f"{self.path}/{kind}"]:
                self.things[f"{self.path}/{kind}/{one['id']}"] = one

    def mine(self, asked):
        return asked.password() == self.credentials

    def link(self, below=""):
        return {"self": {"href": f"{self.url}{API}{self.path}{below}"}}

    def repository(self, name="works/tool"):
        return {
            "type": "repository", "uuid": "{tool}", "name": "The tool", "slug": "tool", "full_name": name,
            "description": "It turns", "is_private": False, "has_issues": True, "has_wiki": True, "scm": "git",
            "mainbranch": {"type": "branch", "name": "trunk"}, "created_on": at(1), "updated_on": at(9),
            "links": {**self.link(), "html": {"href": f"{self.url}/{name}"},
                      "clone": [{"name": "https", "href": f"http://ada@{self.url[7:]}/{name}.git"},
                                {"name": "ssh", "href": f"git@example.com:{name}.git"}]},
        }  # fmt: skip

    def code(self):
        name = "works/tool"
        (self.git.root / "works").mkdir(parents=True)
        self.git.begin(name, "trunk")
        git = lambda *words: self.git.git(f"{name}.work", *words)
        self.first = self.git.commit(name, {"list.txt": "\n".join(LINES) + "\n"}, "Begin")
        git("checkout", "--quiet", "-b", "blade")
        changed = [*LINES[:2], "line three", *LINES[3:]]
        self.blade = self.git.commit(name, {"list.txt": "\n".join(changed) + "\n"}, "Blade")
        git("checkout", "--quiet", "trunk")
        git("merge", "--quiet", "--no-ff", "-m", "Merge blade", "blade")
        self.merged = git("rev-parse", "HEAD")
        git("checkout", "--quiet", "-b", "grip", "trunk")
        longer = "\n".join([*changed[:4], "line five is long", *changed[5:]]) + "\n"
        self.grip = self.git.commit(name, {"list.txt": longer}, "Grip")
        self.git.push(name, "trunk", "blade", "grip")
        self.git.begin(f"{name}.wiki", "master")
        self.git.commit(f"{name}.wiki", {"Home.md": "# Tools\n"}, "Begin")
        self.git.push(f"{name}.wiki", "master")

    def pull(self, number, state, branch, commit, **more):
        end = lambda name, commit, of: {"branch": {"name": name}, "commit": {"hash": commit[:12], "type": "commit"},
                                        "repository": {"type": "repository", "full_name": of}}  # fmt: skip
        fork = more.pop("of", "works/tool")
        return {
            "type": "pullrequest", "id": number, "title": f"Change {number}", "state": state,
            "description": f"As @{{557058:ben-1}} said in pull request #{number}", "draft": False,
            "source": end(branch, commit, fork), "destination": end("trunk", self.merged, "works/tool"),
            "merge_commit": None, "author": ADA, "closed_by": None, "close_source_branch": False,
            "reviewers": [BEN], "reason": "", "comment_count": 0, "task_count": 0,
            "participants": [{"type": "participant", "user": BEN, "role": "REVIEWER", "approved": state == "MERGED",
                              "state": "approved" if state == "MERGED" else None, "participated_on": at(8)}],
            "created_on": at(number), "updated_on": at(number + 10),
            "links": {**self.link(f"/pullrequests/{number}"),
                      "comments": self.link(f"/pullrequests/{number}/comments")["self"]}, **more,
        }  # fmt: skip

    def pulls(self):
        merge = {"hash": self.merged[:12], "type": "commit"}
        return [
            self.pull(1, "OPEN", "grip", self.grip),
            self.pull(2, "MERGED", "blade", self.blade, merge_commit=merge, closed_by=BEN),
            self.pull(3, "DECLINED", "lost", "0123456789ab", closed_by=CYD),
            self.pull(4, "OPEN", "fix", "0123456789ac", of="cyd/tool", author=None),
        ]

    def issue(self, number, title, state, kind, **more):
        return {
            "type": "issue", "id": number, "title": title, "state": state, "kind": kind, "priority": "major",
            "content": {"type": "rendered", "raw": f"{title}, see issue #1", "markup": "markdown"},
            "reporter": ADA, "assignee": BEN, "milestone": None, "component": None, "version": None, "votes": 0,
            "watches": 1, "created_on": at(number), "updated_on": at(number + 10),
            "links": self.link(f"/issues/{number}"), **more,
        }  # fmt: skip

    def issues(self):
        milestone = {"name": "1.0", "links": {"self": {"href": f"{self.url}{API}{self.path}/milestones/5"}}}
        return [
            self.issue(1, "It squeaks", "new", "bug", milestone=milestone),
            self.issue(2, "Turn faster", "resolved", "enhancement", reporter=None),
            self.issue(3, "Turn slower", "on hold", "proposal", assignee=None),
        ]

    def talk(self):
        def comment(number, who, text, day, of="pullrequest", **more):
            return {"type": f"{of}_comment", "id": number, "user": who, "created_on": at(day), "updated_on": at(day),
                    "content": {"raw": text, "markup": "markdown"}, "deleted": False,
                    "links": self.link(f"/comments/{number}"), **more}  # fmt: skip

        line = lambda **more: {"inline": {"path": "list.txt", "from": None, "to": None, **more}}
        self.lists[f"{self.path}/pullrequests/1/comments"] = [
            comment(11, BEN, "Why so long?", 2, **line(to=5)),
            comment(12, ADA, "It is warmer", 3, parent={"id": 11}, **line(to=5)),
            comment(13, CYD, "Well done", 4),
            comment(14, CYD, "It was well", 5, **line(**{"from": 5})),
            comment(15, BEN, "", 6, deleted=True),
            comment(16, BEN, "Warmer than steel", 7, parent={"id": 12}, **line(to=5)),
        ]
        self.lists[f"{self.path}/issues/1/comments"] = [
            comment(21, BEN, "I hear it, too", 3, "issue"),
            comment(22, None, "I am gone", 4, "issue"),
            comment(23, CYD, None, 5, "issue"),
        ]

    def answer(self, asked):
        if not asked.path.startswith(API):
            return None
        if not self.mine(asked):
            return refusal(401, "Login required")
        path = asked.path.removeprefix(API).rstrip("/")
        if path in self.lists:
            return self.page(asked, self.lists[path])
        if path in self.things:
            return Answer(self.things[path])
        return refusal(404, f"{path} not found")

    def page(self, asked, things):
        state = asked.parameters.get("state", "OPEN") + asked.parameters.get("q", "")
        wanted = lambda one: one.get("type") != "pullrequest" or state == "ALL" or one["state"] in state
        things = [one for one in things if wanted(one)]
        number, size = asked.number("page", 1), min(asked.number("pagelen", 10), 2)
        answer = {"size": len(things), "page": number, "pagelen": size,
                  "values": things[(number - 1) * size : number * size]}  # fmt: skip
        if number * size < len(things):
            others = [item for item in asked.query.split("&") if item and not item.startswith("page=")]
            answer["next"] = f"{self.url}{asked.path}?{'&'.join([*others, f'page={number + 1}'])}"
        return Answer(answer)


def refusal(status, text):
    return Answer({"type": "error", "error": {"message": text}}, status)
