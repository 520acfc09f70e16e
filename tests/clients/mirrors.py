"""python-gitlab, unmodified, has one project follow another, and projects follow the stock
git, which is served by its own program."""

import base64
import http.server
import os
import pathlib
import subprocess
import tempfile
import threading

import stories
from as_root import ROOT, refused

SETTING = "allow_local_requests_from_web_hooks_and_services"
USER, PASSWORD = "ada", "s3cr3t/x"


def addressed(project):
    """Where git pushes to a project, with what proves who does."""
    scheme, host = os.environ["TENON_URL"].split("://")
    token = os.environ["TENON_TOKEN"]
    return f"{scheme}://root:{token}@{host}/{project.path_with_namespace}.git"


class Backend(http.server.BaseHTTPRequestHandler):
    """`git http-backend`, for who knows the password."""

    root = None

    def do_GET(self):
        self.answer()

    def do_POST(self):
        self.answer()

    def log_message(self, *_):
        pass

    def answer(self):
        known = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if self.headers.get("Authorization") != f"Basic {known}":
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "REMOTE_USER": USER,
        }
        ran = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True, check=True)
        head, _, content = ran.stdout.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = [value for name, value in fields if name == "Status"]
        self.send_response(int(status[0].split()[0]) if status else 200)
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class Upstream:
    """A repository of the stock git with one commit, served as long as this is used."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.git(".", "init", "--quiet", "--initial-branch", "trunk", "work")
        self.commit("One")
        self.git(".", "clone", "--quiet", "--bare", "work", "x.git")
        handler = type("Here", (Backend,), {"root": self.root})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.host = f"127.0.0.1:{self.server.server_port}"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.folder.cleanup()

    def git(self, folder, *arguments):
        who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
        command = ["git", *who, *arguments]
        ran = subprocess.run(command, cwd=self.root / folder, capture_output=True, check=True)
        return ran.stdout.decode().strip()

    def commit(self, text):
        self.git("work", "commit", "--quiet", "--allow-empty", "-m", text)
        return self.tip()

    def tip(self):
        return self.git("work", "rev-parse", "HEAD")


def test_a_mirror_follows():
    stories.api("PUT", "/application/settings", **{SETTING: True})
    project = ROOT.projects.create({"name": "mirrored", "initialize_with_readme": True})
    copy = ROOT.projects.create({"name": "mirrored-copy"})
    mirror = project.remote_mirrors.create({"url": addressed(copy)})
    assert mirror.enabled is False
    assert "*****:*****@" in mirror.url
    mirror.enabled = True
    mirror.save()
    assert [one.id for one in project.remote_mirrors.list(get_all=True)] == [mirror.id]
    action = {"action": "create", "file_path": "a.txt", "content": "a"}
    data = {"branch": "main", "commit_message": "Forge", "actions": [action]}
    made = project.commits.create(data)
    look = lambda: project.remote_mirrors.list(get_all=True)[0]
    seen = stories.until(look, lambda it: it.update_status in ("finished", "failed"))
    assert seen.last_error is None, seen
    assert copy.branches.get("main").commit["id"] == made.id
    mirror.delete()
    assert project.remote_mirrors.list(get_all=True) == []


def test_a_mirror_is_where_it_may_be():
    project = ROOT.projects.create({"name": "mirrored-nowhere"})
    refused(400, lambda: project.remote_mirrors.create({"url": "file:///etc"}))
    plain = "https://git.example/plain.git"
    assert project.remote_mirrors.create({"url": plain}).url == plain


def test_a_project_follows_the_stock_git():
    stories.api("PUT", "/application/settings", **{SETTING: True})
    project = ROOT.projects.create({"name": "following"})
    refused(404, project.pull_mirror.get)
    with Upstream() as upstream:
        data = {"url": f"http://{upstream.host}/x.git", "enabled": True}
        made = project.pull_mirror.create({**data, "auth_user": USER, "auth_password": PASSWORD})
        assert made.enabled is True
        assert made.url == f"http://*****:*****@{upstream.host}/x.git"
        done = lambda it: it.update_status in ("finished", "failed")
        seen = stories.until(project.pull_mirror.get, done)
        assert seen.last_error is None, seen
        assert project.branches.get("trunk").commit["id"] == upstream.tip()
        project.pull_mirror.start()
        assert project.pull_mirror.get().update_status == "scheduled", "at most every five minutes"
        project = ROOT.projects.get(project.id)
        assert project.mirror is True
        project.mirror = False
        project.save()
        assert project.pull_mirror.get().enabled is False


def test_a_project_begins_with_the_stock_git():
    stories.api("PUT", "/application/settings", **{SETTING: True})
    with Upstream() as upstream:
        tip = upstream.commit("Two")
        upstream.git("work", "push", "--quiet", "../x.git", "trunk")
        address = f"http://{USER}:s3cr3t%2Fx@{upstream.host}/x.git"
        made = ROOT.projects.create({"name": "begun", "import_url": address})
        done = lambda it: it.import_status in ("finished", "failed")
        seen = stories.until(lambda: ROOT.projects.get(made.id), done)
        assert (seen.import_status, seen.import_error) == ("finished", None)
        assert seen.default_branch == "trunk"
        assert seen.branches.get("trunk").commit["id"] == tip
        wrong = address.replace("s3cr3t", "other")
        made = ROOT.projects.create({"name": "begun-not", "import_url": wrong})
        seen = stories.until(lambda: ROOT.projects.get(made.id), done)
        assert seen.import_status == "failed" and "s3cr3t" not in seen.import_error


def test_a_project_follows_what_it_may():
    project = ROOT.projects.create({"name": "following-nothing"})
    refused(400, lambda: project.pull_mirror.create({"url": "file:///etc"}))
    plain = "https://git.example/plain.git"
    assert project.pull_mirror.create({"url": plain}).url == plain


stories.run(globals())
