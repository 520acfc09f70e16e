"""Terraform takes modules from the registry, over TLS; where it is not
installed, only the requests that it makes are replayed.

Terraform talks to module registries by TLS only, so a proxy with a certificate
made for this run stands before the server.
"""

import contextlib
import datetime
import io
import ipaddress
import itertools
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import tarfile
import tempfile
import threading
import urllib.parse

import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from stories import URL, api, run

API = f"{URL}/api/v4"
TOKEN = os.environ["TENON_TOKEN"]
numbers = itertools.count(1)


def certificate(directory):
    """A certificate for localhost; the file with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = made.public_bytes(serialization.Encoding.PEM)
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = pathlib.Path(directory) / "localhost.pem"
    path.write_bytes(pem + secret)
    return path


def pump(source, target):
    """Carries bytes one way until one side ends."""
    with contextlib.suppress(OSError):
        while chunk := source.recv(65536):
            target.sendall(chunk)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def carry(context, accepted, server):
    with contextlib.suppress(OSError), context.wrap_socket(accepted, server_side=True) as client:
        with socket.create_connection(server) as behind:
            back = threading.Thread(target=pump, args=(behind, client), daemon=True)
            back.start()
            pump(client, behind)
            back.join()


def listen(file):
    """Starts the proxy; its port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    place = urllib.parse.urlsplit(URL)
    server = (place.hostname, place.port)
    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            accepted, _ = listener.accept()
            threading.Thread(target=carry, args=(context, accepted, server), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def archive(**files):
    """A module as terraform expects it; names have `/` for `__`."""
    bytes_of = io.BytesIO()
    with tarfile.open(fileobj=bytes_of, mode="w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name.replace("__", "/") + ".tf")
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return bytes_of.getvalue()


def says(text):
    return f'output "says" {{ value = "{text}" }}\n'


class Forge:
    """A group with a project that has a module in several versions."""

    def __init__(self, visibility="private"):
        self.namespace = f"forge-{next(numbers)}"
        group = api(
            "POST", "/groups", name=self.namespace, path=self.namespace, visibility=visibility
        )
        body = {"namespace_id": group["id"], "visibility": visibility}
        self.id = api("POST", "/projects", name="anvil", **body)["id"]
        for version in ["1.0.0", "1.2.0", "1.10.0", "2.0.0-rc.1"]:
            module = archive(main=says(version), modules__small__main=says(f"small {version}"))
            self.publish(version, module).raise_for_status()

    def publish(self, version, module, **files):
        path = f"{API}/projects/{self.id}/packages/terraform/modules/anvil/local/{version}/file"
        headers = {"PRIVATE-TOKEN": TOKEN}
        return requests.put(path, data=module, headers=headers, timeout=60, **files)


class Machine:
    """A machine with Terraform and this token for the registry."""

    def __init__(self, directory, token=None):
        self.directory = pathlib.Path(directory)
        settings = ""
        if token:
            settings = f'credentials "{HOST}" {{\n  token = "{token}"\n}}\n'
        (self.directory / "terraformrc").write_text(settings)

    def use(self, source, version=None):
        """What the module says, or None with what terraform said."""
        folder = self.directory / f"root-{next(numbers)}"
        folder.mkdir()
        wanted = f'version = "{version}"' if version else ""
        (folder / "main.tf").write_text(
            f'module "anvil" {{\n  source = "{source}"\n  {wanted}\n}}\n'
            'output "says" { value = module.anvil.says }\n'
        )
        said = ""
        for command in [["init"], ["apply", "-auto-approve"], ["output", "-raw", "says"]]:
            done = self.terraform(folder, *command)
            said += done.stdout + done.stderr
            if done.returncode != 0:
                return None, said
        return done.stdout, said

    def terraform(self, folder, command, *arguments):
        place = {
            "TF_CLI_CONFIG_FILE": str(self.directory / "terraformrc"),
            "SSL_CERT_FILE": str(CERTIFICATE),
            "CHECKPOINT_DISABLE": "1",
            "HOME": str(self.directory),
        }
        return subprocess.run(
            ["terraform", command, "-no-color", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env=os.environ | place,
        )


@contextlib.contextmanager
def machine(token=None):
    with tempfile.TemporaryDirectory() as directory:
        yield Machine(directory, token)


def with_terraform(test):
    """Leaves a test out where there is no terraform."""

    def tried():
        if shutil.which("terraform") is None:
            print("terraform is not installed")
        else:
            test()

    return tried


@with_terraform
def test_terraform_takes_the_latest_and_pinned_versions_of_a_private_module():
    forge = Forge()
    source = f"{HOST}/{forge.namespace}/anvil/local"
    with machine(TOKEN) as mine:
        for version, wanted in [
            (None, "1.10.0"),
            ("1.0.0", "1.0.0"),
            ("~> 1.0, < 1.10.0", "1.2.0"),
            ("2.0.0-rc.1", "2.0.0-rc.1"),
        ]:
            found, said = mine.use(source, version)
            assert found == wanted, said
        found, said = mine.use(f"{source}//modules/small", "1.0.0")
        assert found == "small 1.0.0", said
        found, said = mine.use(source, "3.0.0")
        assert found is None, said
    for token in [None, "wrong"]:
        with machine(token) as other:
            found, said = other.use(source, "1.0.0")
            assert found is None and "401" in said, said


@with_terraform
def test_terraform_works_with_a_deploy_token():
    forge = Forge()
    scopes = ["read_package_registry"]
    made = api("POST", f"/projects/{forge.id}/deploy_tokens", name="ci", scopes=scopes)
    with machine(made["token"]) as mine:
        found, said = mine.use(f"{HOST}/{forge.namespace}/anvil/local", "1.0.0")
        assert found == "1.0.0", said


@with_terraform
def test_terraform_needs_no_token_for_a_public_module():
    forge = Forge("public")
    with machine() as mine:
        found, said = mine.use(f"{HOST}/{forge.namespace}/anvil/local")
        assert found == "1.10.0", said


@with_terraform
def test_terraform_takes_a_module_from_its_project():
    forge = Forge("public")
    module = f"{HOST}/api/v4/projects/{forge.id}/packages/terraform/modules/anvil/local"
    with machine() as mine:
        for path, wanted in [(module, "1.10.0"), (f"{module}/1.0.0", "1.0.0")]:
            found, said = mine.use(f"https://{path}")
            assert found == wanted, said
    private = Forge()
    module = f"{HOST}/api/v4/projects/{private.id}/packages/terraform/modules/anvil/local"
    with machine() as mine:
        # The credential of a plain download comes from here, for the proxy and
        # for the address that the server calls itself.
        netrc = mine.directory / ".netrc"
        places = [HOST, urllib.parse.urlsplit(URL).netloc]
        netrc.write_text(
            "".join(f"machine {place} login root password {TOKEN}\n" for place in places)
        )
        netrc.chmod(0o600)
        found, said = mine.use(f"https://{module}/1.0.0")
        assert found == "1.0.0", said


def test_the_requests_of_terraform_are_answered():
    forge = Forge()
    session = requests.Session()
    session.trust_env = False
    session.verify = str(CERTIFICATE)
    host = f"https://{HOST}"
    services = session.get(f"{host}/.well-known/terraform.json", timeout=60).json()
    module = urllib.parse.urljoin(host, services["modules.v1"]) + f"{forge.namespace}/anvil/local"
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    listed = session.get(f"{module}/versions", headers=bearer, timeout=60).json()
    versions = [one["version"] for one in listed["modules"][0]["versions"]]
    assert versions == ["2.0.0-rc.1", "1.10.0", "1.2.0", "1.0.0"]
    told = session.get(f"{module}/1.0.0/download", headers=bearer, timeout=60)
    assert told.status_code == 204, told.text
    place = urllib.parse.urljoin(told.url, told.headers["X-Terraform-Get"])
    # The client takes `archive` out of the address for itself.
    place = place.replace("&archive=tgz", "")
    assert session.head(place, timeout=60).status_code == 200
    fetched = session.get(place, timeout=60)
    with tarfile.open(fileobj=io.BytesIO(fetched.content)) as tar:
        assert tar.extractfile("main.tf").read().decode() == says("1.0.0")
    for other in [place.replace("1.0.0", "1.2.0"), place.split("?")[0]]:
        assert session.get(other, timeout=60).status_code == 401
    again = forge.publish("1.0.0", archive(main=says("another")))
    assert again.status_code == 403, again.text


with tempfile.TemporaryDirectory() as place:
    CERTIFICATE = certificate(place)
    HOST = f"127.0.0.1:{listen(CERTIFICATE)}"
    run(globals())
