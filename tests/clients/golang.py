"""The go command: modules by the module proxy protocol, public and private."""

import contextlib
import http.client
import http.server
import io
import itertools
import json
import os
import pathlib
import ssl
import subprocess
import tempfile
import threading
import urllib.parse
import zipfile

import requests
import stories

SERVER = urllib.parse.urlsplit(stories.URL)
TOKEN = os.environ["TENON_TOKEN"]
numbers = itertools.count(1)


def project(visibility):
    """A new project: its id and the path of its module."""
    name = f"anvil-{next(numbers)}"
    made = stories.api("POST", "/projects", name=name, visibility=visibility)
    return made["id"], f"{SERVER.hostname}/{made['path_with_namespace']}"


def publish(number, module, version, source="package anvil\n"):
    """Publishes a version; the reply."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        folder = f"{module}@{version}"
        archive.writestr(f"{folder}/go.mod", f"module {module}\n\ngo 1.19\n")
        archive.writestr(f"{folder}/anvil.go", source)
    url = f"{stories.URL}/api/v4/projects/{number}/packages/go/{module}/@v/{version}.zip"
    return requests.put(url, data=packed.getvalue(), headers={"PRIVATE-TOKEN": TOKEN})


@contextlib.contextmanager
def go(proxy, **environment):
    """The go command with nothing in its cache, within a module of its own."""
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        (home / "use").mkdir()
        (home / "use/go.mod").write_text("module example.org/use\n\ngo 1.19\n")
        settings = {
            **os.environ, "HOME": folder, "GOPATH": folder, "GOCACHE": f"{folder}/cache",
            "GOPROXY": proxy, "GOSUMDB": "off", "GOFLAGS": "-modcacherw", **environment,
        }

        def command(*arguments):
            return subprocess.run(
                ["go", *arguments], cwd=home / "use", env=settings, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
            )

        yield command


def proxy_of(number, base=stories.URL):
    return f"{base}/api/v4/projects/{number}/packages/go"


def test_a_public_module_is_listed_and_fetched():
    number, module = project("public")
    for version in ["v1.0.0", "v1.10.0", "v1.2.0"]:
        assert publish(number, module, version).status_code == 201
    with go(proxy_of(number)) as run:
        listed = run("list", "-m", "-versions", module)
        assert listed.stdout.split() == [module, "v1.0.0", "v1.2.0", "v1.10.0"], listed.stdout
        got = run("get", "-d", f"{module}@latest")
        assert got.returncode == 0, got.stdout
        assert f"{module} v1.10.0" in got.stdout, got.stdout
        fetched = json.loads(run("mod", "download", "-json", f"{module}@v1.2.0").stdout)
        source = pathlib.Path(fetched["Dir"], "anvil.go").read_text()
        assert source == "package anvil\n"
        assert fetched["Sum"].startswith("h1:")


def test_a_second_major_version_has_its_own_path():
    number, module = project("public")
    assert publish(number, module, "v1.0.0").status_code == 201
    assert publish(number, f"{module}/v2", "v2.1.0").status_code == 201
    with go(proxy_of(number)) as run:
        got = run("get", "-d", f"{module}/v2@v2.1.0", f"{module}@v1.0.0")
        assert got.returncode == 0, got.stdout


def test_an_unknown_version_is_not_found():
    number, module = project("public")
    assert publish(number, module, "v1.0.0").status_code == 201
    with go(proxy_of(number)) as run:
        got = run("get", "-d", f"{module}@v9.9.9")
        assert got.returncode != 0
        assert "404 Not Found" in got.stdout, got.stdout


def test_a_private_module_needs_credentials_over_tls():
    number, module = project("private")
    assert publish(number, module, "v1.0.0").status_code == 201
    with over_tls() as (base, certificate):
        with go(proxy_of(number, base), SSL_CERT_FILE=certificate) as run:
            refused = run("get", "-d", f"{module}@v1.0.0")
            assert refused.returncode != 0
            assert "401 Unauthorized" in refused.stdout, refused.stdout
        held = base.replace("://", f"://any:{TOKEN}@")
        with go(proxy_of(number, held), SSL_CERT_FILE=certificate) as run:
            # The parents of the module are asked for too, and must not stop it.
            got = run("get", "-d", f"{module}@v1.0.0")
            assert got.returncode == 0, got.stdout
            assert TOKEN not in got.stdout


@contextlib.contextmanager
def over_tls():
    """The server behind TLS, which go wants before it sends credentials."""
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = f"{folder}/key.pem", f"{folder}/certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-keyout", key, "-out", certificate],
            check=True, stderr=subprocess.DEVNULL,
        )
        listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forward)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        listener.socket = context.wrap_socket(listener.socket, server_side=True)
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        try:
            yield f"https://localhost:{listener.server_port}", certificate
        finally:
            listener.shutdown()


class Forward(http.server.BaseHTTPRequestHandler):
    """Passes a GET on as it came."""

    def do_GET(self):
        onward = http.client.HTTPConnection(SERVER.hostname, SERVER.port)
        onward.request("GET", self.path, headers=dict(self.headers))
        answer = onward.getresponse()
        body = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "content-length", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


stories.run(globals())
