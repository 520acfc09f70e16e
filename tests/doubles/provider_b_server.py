"""A double of the server of provider B, version 1.0 of its REST interface, with a repository that
has something of everything: `PRJ/tool`."""

from served import Answer

API = "/rest/api/1.0"
NAME, SECRET = "ada", "b-secret-1"
BEGUN = 1577934245000
DAY = 86_400_000
LINES = [f"line {number}" for number in range(1, 11)]


def person(name, number):
    return {"name": name, "slug": name, "id": number, "displayName": name.capitalize(), "active": True,
            "emailAddress": f"{name}@example.com", "type": "NORMAL"}  # fmt: skip


ADA, BEN, CYD = person("ada", 1), person("ben", 2), person("cyd", 3)


class ProviderBServer:
    """Lists and things by their paths, for who has the password."""

    def __init__(self, url, repositories, credentials=(NAME, SECRET)):
        self.url, self.git, self.credentials = url, repositories, credentials
        self.path = "/projects/PRJ/repos/tool"
        self.code()
        self.lists = {
            f"{self.path}/pull-requests": self.pulls(),
            "/projects/PRJ/permissions/users": [
                {"user": BEN, "permission": "PROJECT_WRITE"}, {"user": CYD, "permission": "PROJECT_ADMIN"},
            ],
            **{f"{self.path}/pull-requests/{number}/activities": [] for number in (1, 2, 3, 4)},
        }  # fmt: skip
        self.activities()
        self.things = {
            self.path: self.repository(),
            **{f"{self.path}/pull-requests/{one['id']}": one for one in self.lists[f"{self.path}/pull-requests"]},
        }

    def mine(self, asked):
        return asked.password() == self.credentials

    def repository(self, slug="tool", key="PRJ"):
        return {
            "id": 42, "slug": slug, "name": "The tool", "description": "It turns", "scmId": "git",
            "state": "AVAILABLE", "public": False, "forkable": True,
            "project": {"key": key, "id": 7, "name": key, "public": False, "type": "NORMAL"},
            "links": {"clone": [{"href": f"{self.url}/scm/prj/tool.git", "name": "http"},
                                {"href": "ssh://git@example.com/prj/tool.git", "name": "ssh"}]},
        }  # fmt: skip

    def code(self):
        name = "scm/prj/tool"
        (self.git.root / "scm/prj").mkdir(parents=True)
        self.git.begin(name)
        git = lambda *words: self.git.git(f"{name}.work", *words)
        self.first = self.git.commit(name, {"list.txt": "\n".join(LINES) + "\n"}, "Begin")
        git("checkout", "--quiet", "-b", "blade")
        changed = [*LINES[:2], "line three", *LINES[3:]]
        self.blade = self.git.commit(name, {"list.txt": "\n".join(changed) + "\n"}, "Blade")
        git("checkout", "--quiet", "main")
        git("merge", "--quiet", "--no-ff", "-m", "Merge blade", "blade")
        self.merged = git("rev-parse", "HEAD")
        heads = {}
        for number in (1, 3, 4):
            git("checkout", "--quiet", "-b", f"topic-{number}", "main")
            text = "\n".join([*changed[:4], f"line five of {number}", *changed[5:]]) + "\n"
            heads[number] = self.git.commit(name, {"list.txt": text}, f"Topic {number}")
        self.heads = {**heads, 2: self.blade}
        refs = [f"{commit}:refs/pull-requests/{number}/from" for number, commit in self.heads.items()]
        self.git.push(name, "main", "topic-1", *refs)

    def pull(self, number, state, branch, **more):
        end = lambda name, commit, of: {"id": f"refs/heads/{name}", "displayId": name, "latestCommit": commit,
                                        "repository": of}  # fmt: skip
        here = self.repository()
        return {
            "id": number, "version": 1, "title": f"Change {number}", "description": f"As *said* in {number}",
            "state": state, "open": state == "OPEN", "closed": state != "OPEN", "locked": False,
            "createdDate": BEGUN + number * DAY, "updatedDate": BEGUN + (number + 10) * DAY,
            "fromRef": end(branch, self.heads[number], more.pop("of", here)),
            "toRef": end("main", self.first if number == 2 else self.merged, here),
            "author": {"user": ADA, "role": "AUTHOR", "approved": False, "status": "UNAPPROVED"},
            "reviewers": [{"user": BEN, "role": "REVIEWER", "approved": state == "MERGED",
                           "status": "APPROVED" if state == "MERGED" else "NEEDS_WORK"}],
            "participants": [], "links": {"self": [{"href": f"{self.url}{self.path}/pull-requests/{number}"}]},
            **more,
        }  # fmt: skip

    def pulls(self):
        merge = {"mergeCommit": {"id": self.merged, "displayId": self.merged[:11]}}
        return [
            self.pull(1, "OPEN", "topic-1"),
            self.pull(2, "MERGED", "blade", closedDate=BEGUN + 9 * DAY, properties=merge),
            self.pull(3, "DECLINED", "topic-3", closedDate=BEGUN + 8 * DAY),
            self.pull(4, "OPEN", "topic-4", of=self.repository("tool", "~CYD")),
        ]

    def activities(self):
        def activity(number, action, who, day, **more):
            return {"id": number, "createdDate": BEGUN + day * DAY, "user": who, "action": action, **more}

        def comment(number, who, text, day, *answers, **more):
            return {"id": number, "version": 0, "text": text, "author": who, "createdDate": BEGUN + day * DAY,
                    "updatedDate": BEGUN + day * DAY, "comments": list(answers), "tasks": [], **more}  # fmt: skip

        def said(number, who, day, comment, anchor=None):
            more = {"commentAnchor": anchor} if anchor else {}
            return activity(number, "COMMENTED", who, day, commentAction="ADDED", comment=comment, **more)

        anchor = lambda line, kind, side: {"line": line, "lineType": kind, "fileType": side, "path": "list.txt",
                                           "srcPath": "list.txt", "fromHash": self.merged,
                                           "toHash": self.heads[1]}  # fmt: skip
        deep = comment(13, ADA, "Because", 4)
        thread = comment(11, BEN, "Why five?", 2, comment(12, CYD, "Indeed", 3, deep))
        at = f"{self.path}/pull-requests"
        # The newest come first.
        self.lists[f"{at}/1/activities"] = [
            activity(26, "REVIEWED", BEN, 7),
            activity(25, "APPROVED", BEN, 6),
            said(24, CYD, 6, comment(15, CYD, "It was well", 6), anchor(5, "REMOVED", "FROM")),
            said(23, BEN, 5, comment(14, BEN, "Fine otherwise", 5)),
            said(22, BEN, 2, thread, anchor(5, "ADDED", "TO")),
            activity(21, "OPENED", ADA, 1),
        ]
        commit = {"id": self.merged, "committer": {"displayName": "Ben", "emailAddress": "ben@example.com"}}
        self.lists[f"{at}/2/activities"] = [
            activity(32, "MERGED", BEN, 9, commit=commit), activity(31, "APPROVED", BEN, 8),
        ]  # fmt: skip
        self.lists[f"{at}/3/activities"] = [activity(41, "DECLINED", BEN, 8)]

    def answer(self, asked):
        if not asked.path.startswith(API):
            return None
        if not self.mine(asked):
            return refusal(401, "Authentication failed. Please check your credentials and try again.")
        path = asked.path.removeprefix(API)
        if path in self.lists:
            return self.page(asked, self.lists[path])
        if path in self.things:
            return Answer(self.things[path])
        return refusal(404, f"{path} does not exist.")

    def page(self, asked, things):
        state = asked.parameters.get("state", "OPEN")
        things = [one for one in things if "fromRef" not in one or state in ("ALL", one["state"])]
        start, limit = asked.number("start", 0), asked.number("limit", 25)
        # Pages are small, so that there are some.
        limit = min(limit, 2)
        values, end = things[start : start + limit], start + limit
        is_last = end >= len(things)
        return Answer({"size": len(values), "limit": limit, "start": start, "isLastPage": is_last,
                       "values": values, "nextPageStart": None if is_last else end})  # fmt: skip


def refusal(status, text):
    return Answer({"errors": [{"context": None, "message": text, "exceptionName": None}]}, status)
