"""A repository of provider A that has something of everything: `acme/anvil`, with its wiki, its
large files, and a fork that is gone."""

from provider_a import API, at, reactions, user
from served import Answer

NUMBER = 4711
LINES = [f"line {number}" for number in range(1, 11)]
PICTURE = bytes.fromhex("47494638396101000100800000000000ffffff2c00000000010001000002024401003b")
ASSET = b"what is built\n" * 100
LARGE = b"a large file\n" * 1000


def text(lines):
    return "\n".join(lines) + "\n"


class Anvil:
    """Fills a double with it."""

    def __init__(self, double, repositories):
        self.double, self.git = double, repositories
        self.name = "acme/anvil"
        self.path = double.repository(NUMBER, self.name)
        self.url = f"{double.url}{API}{self.path}"
        self.web = f"{double.url}/{self.name}"
        self.code()
        self.wiki()
        self.base()
        self.issues()
        self.pulls()
        self.protection()

    def code(self):
        (self.git.root / "acme").mkdir(exist_ok=True)
        self.git.begin(self.name)
        commit, push = self.git.commit, self.git.push
        git = lambda *words: self.git.git(f"{self.name}.work", *words)
        large = self.git.pointer(LARGE)
        attributes = "*.bin filter=lfs diff=lfs merge=lfs -text\n"
        files = {"list.txt": text(LINES), "large.bin": large, ".gitattributes": attributes}
        self.first = commit(self.name, files, "Begin")
        git("tag", "--annotate", "-m", "one", "v1.0")
        git("checkout", "--quiet", "-b", "rivet")
        self.rivet = commit(self.name, {"rivet.txt": "round\n"}, "Rivet", at(3))
        git("checkout", "--quiet", "main")
        git("merge", "--quiet", "--no-ff", "-m", "Merge rivet", "rivet")
        self.merged = git("rev-parse", "HEAD")
        git("checkout", "--quiet", "-b", "horn")
        changed = [*LINES[:2], "line three", *LINES[3:]]
        self.older = commit(self.name, {"list.txt": text(changed)}, "Horn", at(4))
        longer = [*changed[:7], "line 7 and a half", *changed[7:9]]
        self.horn = commit(self.name, {"list.txt": text(longer)}, "A longer horn", at(5))
        git("checkout", "--quiet", "-b", "gone", "main")
        self.gone = commit(self.name, {"gone.txt": "gone\n"}, "Gone", at(6))
        git("checkout", "--quiet", "-b", "patch-1", "main")
        self.patch = commit(self.name, {"patch.txt": "a patch\n"}, "Patch", at(7))
        heads = {3: self.horn, 6: self.rivet, 8: self.gone, 9: self.patch}
        pulls = [f"{commit}:refs/pull/{number}/head" for number, commit in heads.items()]
        push(self.name, "main", "horn", "v1.0", *pulls)

    def wiki(self):
        self.git.begin(f"{self.name}.wiki", "master")
        self.git.commit(f"{self.name}.wiki", {"Home.md": "# Anvils\n"}, "Begin")
        self.git.push(f"{self.name}.wiki", "master")

    def add(self, below, *things):
        self.double.add(f"{self.path}/{below}", *things)

    def base(self):
        label = lambda name, color, text: {"id": len(name), "name": name, "color": color, "description": text,
                                           "url": f"{self.url}/labels/{name}"}  # fmt: skip
        self.add("labels", label("bug", "f29513", "It is bent"), label("help wanted", "008672", None),
                 label("iron", "ABCDEF", "Of iron"))  # fmt: skip
        self.add("milestones", self.milestone(1, "1.0", "closed"), self.milestone(2, "2.0", "open"))
        files = self.url + "/releases/assets/1"
        asset = {"id": 1, "name": "tool.zip", "size": len(ASSET), "url": files, "state": "uploaded",
                 "content_type": "application/zip", "browser_download_url": f"{self.web}/releases/download/v1.0/tool.zip"}
        release = {
            "id": 1, "tag_name": "v1.0", "name": "The first", "body": "With #6, by @ben",
            "target_commitish": "main", "draft": False, "prerelease": False, "author": user("ada"),
            "created_at": at(2), "published_at": at(8), "assets": [asset], "url": f"{self.url}/releases/1",
            "html_url": f"{self.web}/releases/tag/v1.0", "upload_url": "", "assets_url": "",
        }  # fmt: skip
        self.add("releases", release, {**release, "id": 2, "tag_name": "v2.0", "draft": True, "assets": []})
        may = lambda login, role, affiliation="direct": {**user(login), "role_name": role, "affiliation": affiliation}
        self.add("collaborators", may("ada", "admin"), may("ben", "write"), may("cyd", "auditor"),
                 may("eve", "write", "outside"))  # fmt: skip

    def milestone(self, number, title, state):
        return {
            "id": number, "number": number, "title": title, "description": f"To have {title}", "state": state,
            "due_on": at(20 + number, "08:00:00"), "created_at": at(2), "updated_at": at(3), "closed_at": None,
            "creator": user("ada"), "open_issues": 1, "closed_issues": 1,
            "url": f"{self.url}/milestones/{number}",
        }  # fmt: skip

    def issue(self, number, title, **more):
        kind = "pull" if "pull_request" in more else "issues"
        return {
            "id": 1000 + number, "number": number, "title": title, "body": f"As it says: {title}", "state": "open",
            "state_reason": None, "user": user("ada"), "assignee": None, "assignees": [], "labels": [],
            "milestone": None, "locked": False, "comments": 0, "closed_at": None, "closed_by": None,
            "created_at": at(number), "updated_at": at(number + 10), "reactions": reactions(0),
            "url": f"{self.url}/issues/{number}", "html_url": f"{self.web}/{kind}/{number}", **more,
        }  # fmt: skip

    def issues(self):
        named = lambda name: {"id": len(name), "name": name, "color": "f29513", "description": None}
        picture = f"{self.web}/assets/1/pic.gif"
        two = self.milestone(2, "2.0", "open")
        all_of = [
            self.issue(1, "The horn is bent", body="See #3 and #2 of @ben, not `#3`.", comments=3,
                       labels=[named("bug"), named("help wanted")], milestone=two, reactions=reactions(2),
                       assignees=[user("ben"), user("cyd")], assignee=user("ben")),
            self.issue(2, "It rings", state="closed", state_reason="completed", closed_at=at(12), user=None,
                       closed_by=user("ben")),
            self.issue(4, "Too many cooks", locked=True, labels=[named("iron")]),
            self.issue(5, "Update iron to 2", user=user("renovate[bot]"), body=None),
            self.issue(7, "It looks so", body=f"![pic]({picture})\n<script>alert(1)</script>", user=user("cyd")),
        ]  # fmt: skip
        for pull in (3, 6, 8, 9):
            state = "open" if pull in (3, 9) else "closed"
            all_of.append(self.issue(pull, f"Pull request {pull}", state=state, comments=1, pull_request={"url": ""}))
        self.add("issues", *sorted(all_of, key=lambda one: one["number"]))
        for one in all_of:
            self.double.things[f"{self.path}/issues/{one['number']}"] = one
        liked = lambda number, login, content: {"id": number, "user": user(login), "content": content,
                                                "created_at": at(3)}  # fmt: skip
        self.add("issues/1/reactions", liked(1, "ben", "+1"), liked(2, "cyd", "heart"))
        self.comments()
        self.timelines(named)

    def comments(self):
        def comment(number, kind, of, login, body, day, **more):
            return {
                "id": number, "user": user(login), "body": body, "created_at": at(day), "updated_at": at(day + 1),
                "issue_url": f"{self.url}/issues/{of}", "url": f"{self.url}/issues/comments/{number}",
                "html_url": f"{self.web}/{kind}/{of}#issuecomment-{number}", "reactions": reactions(0), **more,
            }  # fmt: skip

        self.add("issues/comments",
                 comment(101, "issues", 1, "ben", "I see it, too", 4, reactions=reactions(1)),
                 comment(102, "issues", 1, None, "I am gone", 5),
                 comment(103, "pull", 3, "cyd", "Will it hold? #1 says no", 6),
                 comment(104, "issues", 1, "ada", "Fixed by #6", 7),
                 comment(105, "pull", 6, "ada", "Thanks, @ben", 8))  # fmt: skip
        self.add("issues/comments/101/reactions",
                 {"id": 3, "user": user("ada"), "content": "rocket", "created_at": at(5)})  # fmt: skip

    def timelines(self, named):
        def event(number, what, login, day, **more):
            return {"id": number, "event": what, "actor": user(login), "created_at": at(day),
                    "url": f"{self.url}/issues/events/{number}", "commit_id": None, **more}  # fmt: skip

        self.add("issues/1/timeline",
                 event(201, "labeled", "ada", 2, label=named("bug")),
                 event(202, "milestoned", "ada", 2, milestone={"title": "2.0"}),
                 event(203, "renamed", "ben", 3, rename={"from": "Bent", "to": "The horn is bent"}),
                 event(204, "assigned", "ben", 4, assignee=user("cyd")),
                 {"event": "cross-referenced", "actor": user("ben"), "created_at": at(6), "source": {
                     "type": "issue", "issue": self.issue(3, "Pull request 3", pull_request={"url": ""},
                                                          repository={"full_name": self.name})}})  # fmt: skip
        self.add("issues/2/timeline", event(205, "closed", "ben", 12))
        self.add("issues/6/timeline", event(206, "merged", "ben", 9), event(207, "closed", "ben", 9))
        self.add("issues/8/timeline", event(208, "closed", "ada", 18))

    def pull(self, number, head, sha, **more):
        here = {"id": NUMBER, "name": "anvil", "full_name": self.name}
        of = more.pop("of", here)
        login = of["full_name"].split("/")[0] if of else None
        return {
            "id": 2000 + number, "number": number, "title": f"Pull request {number}", "state": "open",
            "body": f"Closes #1, as #{number} does", "user": user("ben"), "assignee": None, "assignees": [],
            "requested_reviewers": [], "labels": [], "milestone": None, "draft": False, "locked": False,
            "head": {"ref": head, "sha": sha, "user": user(login if login in ("ada", "cyd") else "ada"), "repo": of,
                     "label": head},
            "base": {"ref": "main", "sha": self.merged, "user": user("ada"), "repo": here, "label": "main"},
            "merge_commit_sha": None, "closed_at": None, "merged_at": None, "created_at": at(number),
            "updated_at": at(number + 10), "merged": False, "merged_by": None,
            "url": f"{self.url}/pulls/{number}", "html_url": f"{self.web}/pull/{number}",
            "issue_url": f"{self.url}/issues/{number}", **more,
        }  # fmt: skip

    def pulls(self):
        named = {"id": 3, "name": "bug", "color": "f29513", "description": None}
        fork = {"id": 99, "name": "anvil", "full_name": "cyd/anvil"}
        all_of = [
            self.pull(3, "horn", self.horn, requested_reviewers=[user("cyd")], assignees=[user("ada")],
                      labels=[named], milestone=self.milestone(2, "2.0", "open"), draft=True),
            self.pull(6, "rivet", self.rivet, state="closed", merged_at=at(9), closed_at=at(9), merged=True,
                      merge_commit_sha=self.merged, merged_by=user("ben")),
            self.pull(8, "gone", self.gone, state="closed", closed_at=at(18), user=None),
            self.pull(9, "patch-1", self.patch, of=fork, user=user("cyd")),
        ]  # fmt: skip
        all_of[1]["base"] = {**all_of[1]["base"], "sha": self.first}
        for one in all_of:
            self.double.things[f"{self.path}/pulls/{one['number']}"] = one
            # Who merged it is told of each alone.
            self.add("pulls", {key: it for key, it in one.items() if key not in ("merged", "merged_by")})
        review = lambda number, login, state, body, day: {
            "id": number, "user": user(login), "state": state, "body": body, "submitted_at": at(day),
            "commit_id": self.horn, "html_url": "", "pull_request_url": f"{self.url}/pulls/3"}  # fmt: skip
        self.add("pulls/3/reviews", review(301, "ben", "APPROVED", "Good", 6),
                 review(302, "cyd", "CHANGES_REQUESTED", "Too cold", 7), review(303, "eve", "COMMENTED", "", 8))
        self.code_comments()

    def code_comments(self):
        hunk = "@@ -1,5 +1,5 @@\n line 1\n line 2\n-line 3\n+line three"

        def comment(number, login, body, day, **more):
            return {
                "id": number, "user": user(login), "body": body, "path": "list.txt", "diff_hunk": hunk,
                "commit_id": self.horn, "original_commit_id": self.horn, "side": "RIGHT", "line": 3,
                "original_line": 3, "start_line": None, "start_side": None, "original_start_line": None,
                "subject_type": "line", "pull_request_review_id": 303, "created_at": at(day),
                "updated_at": at(day), "reactions": reactions(0),
                "url": f"{self.url}/pulls/comments/{number}", "html_url": f"{self.web}/pull/3#discussion_r{number}",
                "pull_request_url": f"{self.url}/pulls/3", **more,
            }  # fmt: skip

        removed = "@@ -1,5 +1,5 @@\n line 1\n line 2\n-line 3"
        self.add("pulls/comments",
                 comment(401, "cyd", "Why words?", 6),
                 comment(402, "ben", "They last", 7, in_reply_to_id=401),
                 comment(403, "cyd", "It was well", 8, side="LEFT", diff_hunk=removed),
                 comment(404, "eve", "What of this?", 9, line=None, original_line=10, commit_id=self.older,
                         original_commit_id=self.older, diff_hunk="@@ -8,3 +8,3 @@\n line 8\n line 9\n line 10"),
                 comment(405, "ada", "The whole file", 10, line=None, original_line=None, subject_type="file"))
        for one in self.double.lists[f"{self.path}/pulls/comments"]:
            self.double.things[f"{self.path}/pulls/comments/{one['id']}"] = one

    def protection(self):
        branch = lambda name, is_on: {"name": name, "protected": is_on, "commit": {"sha": self.merged, "url": ""},
                                      "protection_url": f"{self.url}/branches/{name}/protection"}  # fmt: skip
        self.add("branches", branch("main", True), branch("horn", False))
        self.double.things[f"{self.path}/branches/main"] = branch("main", True)
        self.double.things[f"{self.path}/branches/main/protection"] = {
            "url": f"{self.url}/branches/main/protection",
            "required_conversation_resolution": {"enabled": True},
            "required_signatures": {"enabled": False, "url": ""},
            "allow_force_pushes": {"enabled": False},
            "enforce_admins": {"enabled": False, "url": ""},
            "required_pull_request_reviews": {"url": "", "require_code_owner_reviews": True,
                                              "dismiss_stale_reviews": False,
                                              "required_approving_review_count": 1},
        }  # fmt: skip

    def files(self, asked):
        """Files of texts and of releases, for who has the token."""
        if asked.path == f"/{self.name}/assets/1/pic.gif":
            return self.file(asked, PICTURE, "image/gif")
        if asked.path == f"{API}{self.path}/releases/assets/1":
            return self.file(asked, ASSET, "application/zip")
        return None

    def file(self, asked, content, kind):
        if asked.authorization.split(" ")[-1] != self.double.token:
            return Answer({"message": "Not Found"}, 404)
        return Answer(content, kind=kind)
