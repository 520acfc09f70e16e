"""A double of provider A's REST interface: repositories with all that belongs to them, in pages,
with ETags and what is left of the limit."""

import re
import time

from served import Answer, tagged

API = "/api/v3"
TOKEN = "a-token-1"
# What is wrong with the others is told, and must be told nowhere else.
USERS = {"ada": 1, "ben": 2, "cyd": 3, "renovate[bot]": 4, "eve": 5}


def at(day, clock="03:04:05"):
    """A time of January 2020."""
    return f"2020-01-{day:02}T{clock}Z"


def user(login):
    """A user as lists name them, or nobody."""
    return login and {"id": USERS[login], "login": login, "type": "User", "site_admin": False}


def reactions(count):
    return {"total_count": count, "url": ""}


class ProviderA:
    """Lists and things by their paths, for who has the token."""

    def __init__(self, token=TOKEN, api=API):
        self.token, self.api = token, api
        self.lists = {}
        self.things = {"/user": {**user("ada"), "name": "Ada", "email": "ada@example.com"}, "/user/orgs": []}
        self.numbers = {}
        self.left = 4000
        self.url = ""
        # What is done in place of an answer, by path.
        self.faults = {}

    def mine(self, asked):
        """Whether git's request comes from who has the token."""
        return (asked.password() or ("", ""))[1] == self.token

    def repository(self, number, name, **more):
        """Adds a repository; its path."""
        owner = name.split("/")[0]
        path = f"/repos/{name}"
        self.numbers[f"/repositories/{number}"] = path
        self.things[path] = {
            "id": number,
            "name": name.split("/")[1],
            "full_name": name,
            "owner": {"id": 70, "login": owner, "type": "Organization"},
            "private": False,
            "visibility": "public",
            "description": "What is forged on",
            "clone_url": f"{self.url}/{name}.git",
            "html_url": f"{self.url}/{name}",
            "url": f"{self.url}{self.api}{path}",
            "has_wiki": True,
            "default_branch": "main",
            "size": 1,
            "archived": False,
            "permissions": {"admin": True, "push": True, "pull": True},
            **more,
        }
        for one in ("labels", "milestones", "releases", "pulls", "issues", "issues/comments", "pulls/comments",
                    "collaborators", "branches"):  # fmt: skip
            self.lists[f"{path}/{one}"] = []
        return path

    def add(self, path, *things):
        """Adds things to a list."""
        self.lists.setdefault(path, []).extend(things)

    def answer(self, asked):
        if not asked.path.startswith(self.api + "/"):
            return None
        if asked.authorization.split(" ")[-1] != self.token:
            return Answer({"message": "Bad credentials"}, 401)
        path = asked.path.removeprefix(self.api)
        own = re.match(r"/repositories/\d+", path)
        if own and own[0] in self.numbers:
            path = self.numbers[own[0]] + path[own.end():]
        fault = self.faults.get(path)
        answer = (fault and fault(asked)) or self.of(asked, path)
        limit = {"Limit": "5000", "Remaining": str(self.left), "Reset": str(int(time.time()) + 3600)}
        for name, value in limit.items():
            answer.headers.setdefault(f"X-RateLimit-{name}", value)
        return answer

    def of(self, asked, path):
        listed = self.listed(path)
        if listed is not None:
            return tagged(asked, self.page(asked, [one for one in listed if is_wanted(one, asked, path)]))
        thing = self.things.get(path)
        if thing is None:
            return Answer({"message": "Not Found"}, 404)
        return tagged(asked, Answer(thing))

    def listed(self, path):
        """A list, of a repository or of one of its things."""
        if path in self.lists:
            return self.lists[path]
        of_one = re.fullmatch(r"(/repos/[^/]+/[^/]+)/(issues|pulls)/(\d+)/comments", path)
        if of_one:
            repository, kind, number = of_one.groups()
            end = f"/{kind}/{number}"
            of = "issue_url" if kind == "issues" else "pull_request_url"
            return [one for one in self.lists[f"{repository}/{kind}/comments"] if one[of].endswith(end)]
        below = re.fullmatch(
            r"/repos/[^/]+/[^/]+/(issues|pulls)/(\d+/(timeline|reviews|reactions)|comments/\d+/reactions)", path
        )
        return [] if below else None

    def page(self, asked, things):
        size, number = min(asked.number("per_page", 30), 100), asked.number("page", 1)
        last = max(1, -(-len(things) // size))
        others = [item for item in asked.query.split("&") if item and not item.startswith("page=")]
        link = lambda page: f"{self.url}{self.named(asked.path)}?{'&'.join([*others, f'page={page}'])}"
        links = [f'<{link(number + 1)}>; rel="next"', f'<{link(last)}>; rel="last"'] if number < last else []
        headers = {"Link": ", ".join(links)} if links else {}
        return Answer(things[(number - 1) * size : number * size], headers=headers)

    def named(self, path):
        """Pages after the first name the repository by its number, as upstream does."""
        for number, of in self.numbers.items():
            if path.startswith(f"{self.api}{of}/"):
                return self.api + number + path.removeprefix(self.api + of)
        return path


def is_wanted(one, asked, path):
    """Whether a list that is asked for so has this thing."""
    if not isinstance(one, dict):
        return True
    if "state" in one and path.endswith(("/issues", "/pulls", "/milestones")):
        if asked.parameters.get("state", "open") not in ("all", one["state"]):
            return False
    if path.endswith("/collaborators"):
        return asked.parameters.get("affiliation", "all") in ("all", one["affiliation"])
    if path.endswith("/branches") and asked.parameters.get("protected") == "true":
        return one["protected"]
    return (one.get("updated_at") or "9") >= asked.parameters.get("since", "0")
