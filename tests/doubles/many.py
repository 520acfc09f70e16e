"""A double of provider A with one large repository, `acme/anvil`, which is made up as it is
asked for: for tests that kill the server, and for measurements.

    python3 tests/doubles/many.py --issues 2000 --pulls 500 --comments 10000

It says where it listens as JSON, serves until its input ends, and tells at `/asked` how often
its interface was asked.
"""

import argparse
import json
import re
import sys
from datetime import datetime, timedelta, timezone

from served import Answer, Repositories, Served

API, NAME = "/api/v3", "/repos/acme/anvil"
BEGUN = datetime(2020, 1, 1, tzinfo=timezone.utc)
PEOPLE = 20


def at(seconds):
    return (BEGUN + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def user(number):
    number = number % PEOPLE + 1
    return {"id": number, "login": f"person-{number}", "type": "User"}


class Many:
    """Issues come first, then pull requests, of which every other one is merged. Comments go
    round all of them, each a second after the one before; each has one event."""

    def __init__(self, issues, pulls, comments):
        self.issues, self.pulls, self.comments = issues, pulls, comments
        self.all = issues + pulls
        self.head = "0" * 40
        self.url = ""
        self.asked = 0

    def answer(self, asked):
        if asked.path == "/asked":
            return Answer({"asked": self.asked})
        if not asked.path.startswith(API):
            return None
        self.asked += 1
        path = asked.path.removeprefix(API).replace("/repositories/1", NAME, 1)
        if path == "/user":
            return Answer({**user(0), "name": "One", "email": None})
        if path == NAME:
            return Answer(self.repository())
        below = path.removeprefix(NAME)
        one = re.fullmatch(r"/(issues|pulls)/(\d+)(/\w+)?", below)
        if one:
            return self.of_one(asked, int(one[2]), one[3])
        lists = {
            "/issues": (1, self.all, self.issue),
            "/pulls": (self.issues + 1, self.all, self.pull),
            "/issues/comments": (1, self.comments, self.comment),
            "/labels": (1, 1, lambda _: {"name": "bug", "color": "f29513", "description": None}),
        }
        return self.page(asked, *lists.get(below, (1, 0, None)))

    def page(self, asked, first, last, make):
        size, number = asked.number("per_page", 30), asked.number("page", 1)
        begin = first + (number - 1) * size
        things = [make(one) for one in range(begin, min(begin + size, last + 1))]
        headers = {}
        if begin + size <= last:
            link = f"{self.url}{asked.path}?per_page={size}&page={number + 1}&state=all"
            headers["Link"] = f'<{link}>; rel="next"'
        return Answer(json.dumps(things).encode(), headers=headers)

    def of_one(self, asked, number, what):
        if what == "/timeline":
            label = {"name": "bug"}
            event = {"id": number, "event": "labeled", "actor": user(number), "created_at": at(number), "label": label}
            return Answer([event])
        if what is None and number > self.issues:
            return Answer({**self.pull(number), "merged_by": self.merger(number)})
        if what == "/comments":
            mine = range(number, self.comments + 1, self.all)
            return Answer([self.comment(one) for one in mine])
        return Answer([])

    def merger(self, number):
        return user(number) if number % 2 == 0 else None

    def repository(self):
        return {
            "id": 1, "name": "anvil", "full_name": "acme/anvil", "owner": {"id": 70, "login": "acme"},
            "private": True, "visibility": "private", "description": None, "has_wiki": False,
            "clone_url": f"{self.url}/acme/anvil.git", "default_branch": "main", "permissions": {"push": True},
        }  # fmt: skip

    def issue(self, number):
        more = {"pull_request": {"url": ""}} if number > self.issues else {}
        return {
            "number": number, "title": f"Thing {number}", "body": f"The text of {number}, as *long* as usual. " * 5,
            "state": "open", "user": user(number), "labels": [{"name": "bug"}], "assignees": [user(number + 1)],
            "milestone": None, "locked": False, "comments": 1, "created_at": at(number), "updated_at": at(number),
            **more,
        }  # fmt: skip

    def pull(self, number):
        merged = at(number + 1) if number % 2 == 0 else None
        here = {"id": 1, "name": "anvil"}
        return {
            "number": number, "title": f"Thing {number}", "body": "As *said*.", "state": "closed" if merged else "open",
            "user": user(number), "assignees": [], "requested_reviewers": [], "labels": [], "milestone": None,
            "draft": False, "locked": False, "merged_at": merged, "closed_at": merged, "merge_commit_sha": None,
            "head": {"ref": f"topic-{number}", "sha": self.head, "user": user(number), "repo": here},
            "base": {"ref": "main", "sha": self.head, "user": user(0), "repo": here},
            "created_at": at(number), "updated_at": at(number),
        }  # fmt: skip

    def comment(self, number):
        of = (number - 1) % self.all + 1
        kind = "pull" if of > self.issues else "issues"
        return {
            "id": number, "user": user(number), "body": f"Comment {number}", "created_at": at(number),
            "updated_at": at(number), "issue_url": f"{self.url}{API}{NAME}/issues/{of}",
            "html_url": f"{self.url}/acme/anvil/{kind}/{of}#issuecomment-{number}",
        }  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    for name in ("issues", "pulls", "comments"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--port", type=int, default=0)
    wanted = parser.parse_args()
    many, git = Many(wanted.issues, wanted.pulls, wanted.comments), Repositories()
    (git.root / "acme").mkdir()
    git.begin("acme/anvil")
    many.head = git.commit("acme/anvil", {"README.md": "# Anvil\n"})
    git.push("acme/anvil", "main")
    with Served([many.answer, git.answer], wanted.port) as served:
        # What was asked is not remembered: there is much.
        served.seen = type("Nothing", (), {"append": lambda self, asked: None})()
        many.url = served.url
        print(json.dumps({"url": served.url}), flush=True)
        sys.stdin.read()
    git.close()


if __name__ == "__main__":
    main()
