"""Doubles that answer what others recorded of real services, or generate from descriptions of
them. Each adds what the material lacks: ends of lists, and lists that nobody recorded."""

import ast
import atexit
import contextlib
import json
import pathlib
import socket
import subprocess
import sys
import tarfile
import tempfile
import time

from urllib.parse import parse_qs

import requests

from served import Answer

# What is fetched once lies beside the packages of the suites.
KEPT = pathlib.Path(sys.prefix).parent / "recorded"
ATLASSIAN = "atlassian-python-api==5.0.5"
DESCRIPTION = "@octokit/openapi@23.0.2"
HEADERS = {
    "Authorization": f"token {1:040}",
    "Accept": "application/vnd.github.v3+json",
}


def kept(name, fetch):
    """A folder of this name, which `fetch` fills the first time."""
    folder = KEPT / name
    if not folder.is_dir():
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=KEPT) as temporary:
            fetch(pathlib.Path(temporary))
            with contextlib.suppress(OSError):
                # Unless somebody else has just done so.
                pathlib.Path(temporary).rename(folder)
                pathlib.Path(temporary).mkdir()
    return folder


def unpack(folder, ending, wanted):
    """Takes what is wanted out of the one archive of a folder."""
    (archive,) = folder.glob(f"*{ending}")
    with tarfile.open(archive) as members:
        for member in members:
            path = member.name.split("/", 1)[-1]
            if member.isfile() and wanted(path):
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(members.extractfile(member).read())
    archive.unlink()


class Atlassian:
    """What atlassian-python-api recorded of provider B, which its source archive has."""

    BELOW = "tests/responses/bitbucket/"

    def __init__(self, url):
        self.url = url
        self.folder = kept("atlassian", self.fetch) / self.BELOW
        self.roots = {"/2.0/": "cloud", "/rest/api/1.0/": "server"}

    def fetch(self, folder):
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
        subprocess.run([*pip, ATLASSIAN, "--dest", str(folder)], check=True)
        unpack(folder, ".tar.gz", lambda path: path.startswith(self.BELOW))

    def answer(self, asked):
        kind = next((kind for root, kind in self.roots.items() if asked.path.startswith(root)), None)
        if kind is None:
            return None
        path = self.folder / kind / asked.path.strip("/") / "GET"
        if path.is_file():
            recorded = answers(path.read_text())
            return Answer(self.here(recorded.get(asked.query or None, recorded.get(None))))
        if asked.path.rstrip("/").endswith(("/comments", "/pull-requests", "/activities", "/members")):
            return Answer({"values": [], "isLastPage": True, "size": 0})
        if asked.path == "/2.0/user":
            return Answer({"account_id": "1", "nickname": "ada", "display_name": "Ada"})
        return Answer({"type": "error", "error": {"message": "Not found"}, "errors": [{"message": "Not found"}]}, 404)

    def here(self, value):
        """The same with addresses of this double."""
        if isinstance(value, dict):
            return {key: self.here(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.here(one) for one in value]
        for kind in self.roots.values():
            if isinstance(value, str) and value.startswith(f"bitbucket/{kind}/"):
                return f"{self.url}/{value.removeprefix(f'bitbucket/{kind}/')}"
        return value


class _Words(ast.NodeTransformer):
    """Words of JSON as those of Python."""

    def visit_Name(self, node):
        words = {"true": True, "false": False, "null": None}
        return ast.Constant(words[node.id]) if node.id in words else node


def answers(text):
    """Answers by what is asked, of a file that names them in Python."""
    found = {}
    for statement in ast.parse(text).body:
        if not isinstance(statement, ast.Assign):
            continue
        (target,) = statement.targets
        try:
            value = ast.literal_eval(_Words().visit(statement.value))
        except ValueError:
            continue
        if isinstance(target, ast.Subscript):
            found[ast.literal_eval(target.slice)] = value
        else:
            found.update(value)
    return found


class Program:
    """A program that listens at a port of this machine as long as this one runs."""

    def __init__(self, command, path, folder=None):
        # Somebody else may take the port before it does.
        for _ in range(3):
            self.begin(command, folder)
            if self.listens(path):
                return
        raise AssertionError(f"{command} does not listen")

    def begin(self, command, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
        self.process = subprocess.Popen([*command, "--port", str(port)], cwd=folder, **quiet)
        atexit.register(self.process.kill)

    def listens(self, path):
        end = time.monotonic() + 60
        while self.process.poll() is None:
            try:
                requests.get(self.url + path, timeout=10)
                return True
            except requests.ConnectionError:
                assert time.monotonic() < end, f"nobody answers at {self.url}"
                time.sleep(0.1)
        return False


class Fixtures:
    """The answers that @octokit/fixtures has, as @octokit/fixtures-server serves them: those of
    several scenarios as one repository."""

    API = "/api/fixtures"
    OWN = "/repos/octokit-fixture-org/hello-world"
    NUMBER = 1000
    # Which scenario has a list or thing, and in which repository.
    SCENARIOS = {
        "": ("get-repository", OWN),
        "/labels": ("labels", "/repos/octokit-fixture-org/labels/labels"),
        "/issues": ("paginate-issues", "/repos/octokit-fixture-org/paginate-issues/issues?per_page=3"),
        "/branches/main/protection": (
            "branch-protection", "/repos/octokit-fixture-org/branch-protection/branches/main/protection"),
    }  # fmt: skip

    def __init__(self, url, node, modules):
        self.url = url
        program = modules / "@octokit/fixtures-server/bin/server.js"
        self.program = Program([node, program, "--log-level", "silent"], "/", modules.parent)
        # The scenario that pages come from which are asked for by number.
        self.paged = ""
        # What was recorded is answered once there, so it is kept.
        self.known = {}

    def scenario(self, name):
        made = requests.post(f"{self.program.url}/fixtures", json={"scenario": name}, timeout=30).json()
        return made["url"].replace("localhost", "127.0.0.1")

    def answer(self, asked):
        if not asked.path.startswith(self.API):
            return None
        path = asked.path.removeprefix(self.API)
        if path in ("/user", "/user/orgs"):
            return Answer({"id": 1, "login": "octocat"} if path == "/user" else [])
        numbered = f"/repositories/{self.NUMBER}"
        below = path.removeprefix(self.OWN).removeprefix(numbered)
        is_page = path == f"{numbered}/issues"
        if is_page or below in self.SCENARIOS:
            # Clients say of a page what else they say in orders of their own.
            key = parse_qs(asked.query).get("page", ["1"])[0] if is_page else below
            if key not in self.known:
                self.known[key] = self.recorded(self.address(below, f"{path}?{asked.query}" if is_page else None))
            body, status, headers = self.known[key]
            return Answer(body, status, headers)
        if below == "/branches":
            return Answer([{"name": "main", "protected": True}])
        return Answer([])

    def address(self, below, page):
        """Where something is recorded: a page of a list lies in the scenario of its first one."""
        if page:
            return self.paged + page
        name, path = self.SCENARIOS[below]
        base = self.scenario(name)
        self.paged = base if below == "/issues" else self.paged
        return base + path

    def recorded(self, address):
        """A recorded answer, whose addresses lead here."""
        answer = requests.get(address, headers=HEADERS, timeout=30)
        base = address.split("/repos", 1)[0].split("/repositories", 1)[0]
        here = lambda text: text.replace(base.replace("127.0.0.1", "localhost"), self.url + self.API)
        passed = [name for name in answer.headers if name.lower().startswith(("link", "x-ratelimit"))]
        headers = {name: here(answer.headers[name]) for name in passed}
        return here(answer.text).encode(), answer.status_code, headers


class Prism:
    """What Prism answers by the description of the interface that @octokit/openapi has, with an
    end to each list. Of the description that part is read which imports ask for."""

    API = "/api/prism"
    OWN = "/repos/octocat/Hello-World"
    NUMBER = 1296269
    PATHS = (
        "/user", "/user/orgs", "/repos/{owner}/{repo}",
        *("/repos/{owner}/{repo}/" + of for of in (
            "labels", "milestones", "releases", "pulls", "pulls/{pull_number}", "pulls/{pull_number}/reviews",
            "pulls/{pull_number}/requested_reviewers", "pulls/comments", "collaborators", "issues",
            "issues/comments", "issues/{issue_number}/timeline", "branches", "branches/{branch}/protection")),
    )  # fmt: skip

    def __init__(self, url, node, modules):
        self.url = url
        description = kept("openapi", self.fetch) / "part.json"
        program = modules / "@stoplight/prism-cli/dist/index.js"
        self.program = Program([node, program, "mock", str(description), "--host", "127.0.0.1"], "/user")

    def fetch(self, folder):
        npm = ["npm", "pack", "--silent", "--ignore-scripts", DESCRIPTION, "--pack-destination", str(folder)]
        subprocess.run(npm, check=True, stdout=subprocess.DEVNULL)
        name = "generated/api.github.com.json"
        unpack(folder, ".tgz", lambda path: path == name)
        whole = json.loads((folder / name).read_text())
        (folder / "part.json").write_text(json.dumps(part(whole, self.PATHS)))
        (folder / name).unlink()

    def answer(self, asked):
        if not asked.path.startswith(self.API):
            return None
        path = asked.path.removeprefix(self.API).replace(f"/repositories/{self.NUMBER}", self.OWN, 1)
        address = f"{self.program.url}{path}?{asked.query}"
        headers = {"Authorization": "token x", "Accept": "application/json"}
        answer = requests.get(address, headers=headers, timeout=60)
        here = answer.text.replace("https://api.github.com", self.url + self.API)
        return Answer(here.encode(), answer.status_code)

    def unending(self, asked):
        """The same with the links as they come: to pages at another host."""
        prefix = self.API + "/unending"
        if not asked.path.startswith(prefix):
            return None
        path = asked.path.removeprefix(prefix).replace(f"/repositories/{self.NUMBER}", self.OWN, 1)
        answer = requests.get(f"{self.program.url}{path}?{asked.query}", headers={"Authorization": "token x"}, timeout=60)
        link = answer.headers.get("Link")
        return Answer(answer.content, answer.status_code, {"Link": link} if link else {})


def part(whole, paths):
    """A description of these paths alone, with what they refer to."""
    small = {key: whole[key] for key in ("openapi", "info")}
    small["paths"] = {path: {"get": whole["paths"][path]["get"]} for path in paths}
    small["components"] = {}
    waiting = [small["paths"]]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list):
            waiting.extend(value)
        if not isinstance(value, dict):
            continue
        waiting.extend(value.values())
        reference = value.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/components/"):
            kind, name = reference.removeprefix("#/components/").split("/", 1)
            known = small["components"].setdefault(kind, {})
            if name not in known:
                known[name] = whole["components"][kind][name]
                waiting.append(known[name])
    return small
