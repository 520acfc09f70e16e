"""build, twine, pip and uv, unmodified: a Python package is built, published and installed."""

import hashlib
import pathlib
import subprocess
import sys
import tempfile

import stories
from stories import URL, api

SECRET = stories.os.environ["TENON_TOKEN"]
PYTHON = sys.executable
UV = pathlib.Path(PYTHON).parent / "uv"

PROJECT_FILE = """\
[build-system]
requires = ["flit_core"]
build-backend = "flit_core.buildapi"

[project]
name = "Claw.Hammer"
version = "{version}"
description = "Strikes"
requires-python = ">=3.9"

[tool.flit.module]
name = "claw"
"""


def run(*command, refused=False, **settings):
    """What a program prints; it must succeed, or be refused."""
    environment = {
        **stories.os.environ,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "PIP_CONFIG_FILE": "/dev/null",
        "UV_NO_CONFIG": "1",
        "UV_NO_CACHE": "1",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        **settings,
    }
    for name in ["PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX"]:
        environment.pop(name, None)
    done = subprocess.run(
        [str(part) for part in command],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    printed = done.stdout + done.stderr
    assert (done.returncode != 0) == refused, printed
    return printed


FOLDERS = tempfile.TemporaryDirectory(prefix="tenon-pypi-")


def folder():
    return pathlib.Path(tempfile.mkdtemp(dir=FOLDERS.name))


def built(version):
    """A wheel and a source archive of this version."""
    sources = folder()
    (sources / "pyproject.toml").write_text(PROJECT_FILE.format(version=version))
    (sources / "claw").mkdir()
    (sources / "claw" / "__init__.py").write_text("")
    (sources / "claw" / "hammer.py").write_text(f'VERSION = "{version}"\n')
    run(PYTHON, "-m", "build", "--no-isolation", "--outdir", sources / "dist", sources)
    files = sorted((sources / "dist").iterdir())
    assert [file.suffix for file in files] == [".whl", ".gz"], files
    return files


def twine(project, files, user="__token__", secret=SECRET, refused=False):
    """What twine prints, which wraps the server's words."""
    printed = run(
        PYTHON, "-m", "twine", "upload", "--verbose", "--non-interactive", "--disable-progress-bar",
        "--repository-url", f"{URL}/api/v4/projects/{project}/packages/pypi",
        "--username", user, "--password", secret, *files, refused=refused,
    )  # fmt: skip
    return " ".join(printed.split())


def index(place, user="__token__", secret=SECRET):
    """Address of a simple index, with credentials in it."""
    who = f"{user}:{secret}@" if user else ""
    scheme, rest = URL.split("://")
    return f"{scheme}://{who}{rest}/api/v4/{place}/packages/pypi/simple"


def pip(place, *arguments, refused=False, **who):
    """Installs into an empty directory; the directory and what pip printed."""
    to = folder()
    printed = run(
        PYTHON, "-m", "pip", "install", "--no-cache-dir", "--target", to,
        "--index-url", index(place, **who), *arguments, refused=refused,
    )  # fmt: skip
    return to, printed


def uv(place, *arguments, refused=False, **who):
    to = folder()
    printed = run(
        UV, "pip", "install", "--python", PYTHON, "--target", to,
        "--default-index", index(place, **who), *arguments, refused=refused,
    )  # fmt: skip
    return to, printed


def version_in(directory):
    return (directory / "claw" / "hammer.py").read_text().split('"')[1]


GROUP = api("POST", "/groups", name="Forge", path="forge-of-python")["id"]
BESIDE = f"groups/{GROUP}/-"


def project(name, visibility="private"):
    body = {"name": name, "namespace_id": GROUP, "visibility": visibility}
    return api("POST", "/projects", **body)["id"]


ANVIL = project("anvil")
IN_ANVIL = f"projects/{ANVIL}"
FIRST = built("1.0")
twine(ANVIL, FIRST)
twine(ANVIL, built("1.1"))


def test_twine_is_told_that_a_file_is_there_already():
    printed = twine(ANVIL, FIRST, refused=True)
    assert "400" in printed and "has already been taken (file already exists)" in printed, printed


def test_twine_is_told_that_a_token_is_wrong():
    assert "401" in twine(ANVIL, FIRST, secret="wrong", refused=True)


def test_pip_installs_from_a_project_and_a_group():
    for place in [IN_ANVIL, BESIDE]:
        for name in ["claw-hammer", "Claw_Hammer==1.0"]:
            directory, _ = pip(place, name)
            assert version_in(directory) == ("1.0" if "==" in name else "1.1")


def test_pip_reads_the_metadata_of_a_wheel_alone():
    _, printed = pip(IN_ANVIL, "claw-hammer", "--verbose")
    assert ".whl.metadata" in printed, printed


def test_pip_builds_from_sources():
    directory, _ = pip(IN_ANVIL, "claw-hammer", "--no-binary", ":all:", "--no-build-isolation")
    assert version_in(directory) == "1.1"


def test_pip_refuses_a_file_of_another_digest():
    wheel = hashlib.sha256(FIRST[0].read_bytes()).hexdigest()
    for digest, refused in [(wheel, False), ("0" * 64, True)]:
        wanted = folder() / "requirements.txt"
        wanted.write_text(f"claw-hammer==1.0 --hash=sha256:{digest}\n")
        _, printed = pip(IN_ANVIL, "--require-hashes", "-r", wanted, refused=refused)
        assert ("THESE PACKAGES DO NOT MATCH THE HASHES" in printed) == refused, printed


def test_strangers_install_nothing_private():
    pip(IN_ANVIL, "claw-hammer", user="", refused=True)
    pip(BESIDE, "claw-hammer", user="", refused=True)
    uv(IN_ANVIL, "claw-hammer", user="", refused=True)


def test_strangers_install_what_is_public():
    api("PUT", f"/groups/{GROUP}", visibility="public")
    fountain = project("fountain", "public")
    twine(fountain, FIRST)
    for client in [pip, uv]:
        directory, _ = client(f"projects/{fountain}", "claw-hammer", user="")
        assert version_in(directory) == "1.0"


def test_deploy_tokens_publish_and_install():
    place = f"/projects/{ANVIL}/deploy_tokens"
    write = api("POST", place, name="machine", scopes=["write_package_registry"])
    twine(ANVIL, built("0.9"), write["username"], write["token"])
    read = api("POST", place, name="reader", scopes=["read_package_registry"])
    who = {"user": read["username"], "secret": read["token"]}
    assert "403" in twine(ANVIL, FIRST, who["user"], who["secret"], refused=True)
    for client in [pip, uv]:
        directory, _ = client(IN_ANVIL, "claw-hammer==0.9", **who)
        assert version_in(directory) == "0.9"


def test_uv_installs_from_a_project_and_a_group():
    for place in [IN_ANVIL, BESIDE]:
        directory, _ = uv(place, "claw-hammer")
        assert version_in(directory) == "1.1"


def test_uv_leaves_out_what_is_newer():
    _, printed = uv(IN_ANVIL, "claw-hammer", "--exclude-newer", "2020-01-01", refused=True)
    assert "claw-hammer" in printed, printed
    assert "missing an upload date" not in printed, printed
    directory, printed = uv(IN_ANVIL, "claw-hammer", "--exclude-newer", "2100-01-01")
    assert version_in(directory) == "1.1"
    assert "missing an upload date" not in printed, printed


def test_uv_refuses_a_file_of_another_digest():
    wanted = folder() / "requirements.txt"
    wanted.write_text(f"claw-hammer==1.0 --hash=sha256:{'0' * 64}\n")
    uv(IN_ANVIL, "--require-hashes", "-r", wanted, refused=True)


def test_uv_publishes():
    files = built("2.0a1")
    run(
        UV, "publish", "--publish-url", f"{URL}/api/v4/projects/{ANVIL}/packages/pypi",
        "--username", "__token__", "--password", SECRET, *files,
    )  # fmt: skip
    directory, _ = uv(IN_ANVIL, "claw-hammer==2.0a1")
    assert version_in(directory) == "2.0a1"


stories.run(globals())
