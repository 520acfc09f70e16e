"""What the doubles of other services share: a small server of HTTP, lists in pages, and git by
its own program."""

import base64
import hashlib
import http.server
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import urllib.parse


class Asked:
    """A request, as the functions of a double read it."""

    def __init__(self, method, target, headers, body):
        self.method = method
        self.path, _, self.query = target.partition("?")
        self.parameters = dict(urllib.parse.parse_qsl(self.query))
        self.headers = headers
        self.body = body

    @property
    def authorization(self):
        return self.headers.get("Authorization", "")

    def password(self):
        """User name and password of HTTP Basic; none otherwise."""
        scheme, _, encoded = self.authorization.partition(" ")
        if scheme.lower() != "basic":
            return None
        return tuple(base64.b64decode(encoded).decode().split(":", 1))

    def number(self, name, usual):
        value = self.parameters.get(name, "")
        return int(value) if value.isdigit() else usual


class Answer:
    """What is answered. A body is bytes, something that is written as JSON, or an iterator of
    bytes that are sent as they come."""

    def __init__(self, body=b"", status=200, headers=(), kind="application/json; charset=utf-8"):
        self.status = status
        self.headers = dict(headers)
        self.body = body
        if not isinstance(body, bytes) and not hasattr(body, "__next__"):
            self.body = json.dumps(body).encode()
        self.headers.setdefault("Content-Type", kind)


class Served:
    """A server of HTTP on this machine, which asks its parts in turn who answers a request: each
    is a function of [`Asked`] that answers none where it is not meant."""

    def __init__(self, parts=(), port=0):
        self.parts = list(parts)
        self.seen = []
        handler = type("Here", (_Handler,), {"served": self})
        self.server = _Server(("127.0.0.1", port), handler)
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.url = f"http://{self.host}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, asked):
        self.seen.append(asked)
        for part in self.parts:
            answer = part(asked)
            if answer is not None:
                return answer
        return Answer({"message": "Not Found"}, 404)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    served = None

    def log_message(self, *_):
        pass

    def answer(self):
        asked = Asked(self.command, self.path, self.headers, self.read())
        answer = self.served.answer(asked)
        try:
            self.send(answer)
        except (BrokenPipeError, ConnectionResetError):
            # Whoever asked had enough.
            self.close_connection = True

    do_GET = do_POST = do_PUT = do_HEAD = answer

    def read(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def send(self, answer):
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if isinstance(answer.body, bytes):
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(b"" if self.command == "HEAD" else answer.body)
            return
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for piece in answer.body:
            self.wfile.write(piece)


def tagged(asked, answer):
    """The answer with its digest as an ETag; 304 for whoever has it."""
    tag = f'"{hashlib.sha256(answer.body).hexdigest()[:24]}"'
    if asked.headers.get("If-None-Match") == tag:
        return Answer(b"", 304, {"ETag": tag, **{k: v for k, v in answer.headers.items() if k == "Link"}})
    answer.headers["ETag"] = tag
    return answer


class Repositories:
    """Repositories of the stock git below a folder, served by its own program, with their large
    files. `mine` says whether somebody may read them."""

    def __init__(self, mine=lambda asked: True):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.mine = mine
        self.large = {}

    def close(self):
        self.folder.cleanup()

    def git(self, folder, *arguments, at="2020-01-02T03:04:05Z"):
        """What git says of a repository that is made here; commits have fixed times, so that
        they are the same in every run."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.root),
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
               for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.com"), ("DATE", at))},
        }  # fmt: skip
        ran = subprocess.run(
            ["git", *arguments], cwd=self.root / folder, env=environment, capture_output=True, check=True
        )
        return ran.stdout.decode().strip()

    def begin(self, name, branch="main"):
        """A repository with a folder to work in, `NAME.work`."""
        self.git(".", "init", "--quiet", "--bare", "--initial-branch", branch, f"{name}.git")
        self.git(".", "init", "--quiet", "--initial-branch", branch, f"{name}.work")
        self.git(f"{name}.work", "remote", "add", "origin", f"{self.root}/{name}.git")
        return self.root / f"{name}.work"

    def commit(self, name, files, text="Forge", at="2020-01-02T03:04:05Z"):
        """Commits files, those that are none go; the commit."""
        work = self.root / f"{name}.work"
        for path, content in files.items():
            if content is None:
                (work / path).unlink()
                continue
            (work / path).parent.mkdir(parents=True, exist_ok=True)
            (work / path).write_text(content)
        self.git(f"{name}.work", "add", "--all")
        self.git(f"{name}.work", "commit", "--quiet", "--allow-empty", "-m", text, at=at)
        return self.git(f"{name}.work", "rev-parse", "HEAD")

    def push(self, name, *refs):
        self.git(f"{name}.work", "push", "--quiet", "--force", "origin", *refs)

    def pointer(self, content):
        """A large file; what stands for it in a commit."""
        oid = hashlib.sha256(content).hexdigest()
        self.large[oid] = content
        return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {len(content)}\n"

    def answer(self, asked):
        """Git's requests, and those of large files."""
        if "/info/lfs/" in asked.path:
            return self.batch(asked) if self.mine(asked) else Answer({}, 403)
        if asked.path.startswith("/large/"):
            return Answer(self.large[asked.path.removeprefix("/large/")], kind="application/octet-stream")
        if not re.search(r"/(info/refs|git-upload-pack|HEAD)$", asked.path):
            return None
        if not self.mine(asked):
            return Answer(b"", 401, {"WWW-Authenticate": 'Basic realm="git"'})
        return self.backend(asked)

    def batch(self, asked):
        def action(wanted):
            content = self.large.get(wanted["oid"])
            if content is None:
                return {**wanted, "error": {"code": 404, "message": "Object does not exist"}}
            host = asked.headers["Host"]
            return {**wanted, "actions": {"download": {"href": f"http://{host}/large/{wanted['oid']}"}}}

        objects = [action(wanted) for wanted in json.loads(asked.body)["objects"]]
        return Answer({"transfer": "basic", "objects": objects}, kind="application/vnd.git-lfs+json")

    def backend(self, asked):
        # A wiki stands beside its code here, also where its address is below that.
        path = asked.path.replace(".git/wiki/", ".wiki.git/", 1)
        if not (self.root / (path.rsplit(".git/", 1)[0].lstrip("/") + ".git")).is_dir():
            return Answer(b"Not Found", 404, kind="text/plain")
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": asked.headers.get("Git-Protocol", ""),
            "HTTP_CONTENT_ENCODING": asked.headers.get("Content-Encoding", ""),
            "REQUEST_METHOD": asked.method,
            "PATH_INFO": path,
            "QUERY_STRING": asked.query,
            "CONTENT_TYPE": asked.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(asked.body)),
        }
        ran = subprocess.run(
            ["git", "http-backend"], input=asked.body, env=environment, capture_output=True, check=True
        )
        head, _, content = ran.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        status = int(fields.pop("Status", "200").split()[0])
        return Answer(content, status, fields)
