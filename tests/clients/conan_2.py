"""Conan 2, unmodified: recipes and packages are uploaded, searched, installed and removed."""

import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

import requests
import stories
from stories import URL, api

SECRET = stories.os.environ["TENON_TOKEN"]
CONAN = pathlib.Path(sys.executable).parent / "conan"

PROFILE = """\
[settings]
os=Linux
arch=x86_64
build_type=Release
compiler=gcc
compiler.version=12
compiler.libcxx=libstdc++11
"""

# Nothing is compiled: a header for everyone, and a library made for a machine.
HEADERS = """\
import os
from conan import ConanFile
from conan.tools.files import copy

class Hammer(ConanFile):
    name = "hammer"
    exports = "notes.txt"
    exports_sources = "*.h"

    def package(self):
        copy(self, "*.h", self.source_folder, os.path.join(self.package_folder, "include"))

    def package_id(self):
        self.info.clear()
"""
LIBRARY = """\
import os
from conan import ConanFile
from conan.tools.files import save

class Anvil(ConanFile):
    name = "anvil"
    version = "2.1"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}
    requires = "hammer/1.0"

    def package(self):
        save(self, os.path.join(self.package_folder, "lib", "anvil.txt"), str(self.options.shared))
"""

FOLDERS = tempfile.TemporaryDirectory(prefix="tenon-conan-")


def folder():
    return pathlib.Path(tempfile.mkdtemp(dir=FOLDERS.name))


class Home:
    """A cache of its own, with remotes and credentials."""

    def __init__(self):
        self.path = folder()
        (self.path / "profiles").mkdir()
        (self.path / "profiles" / "default").write_text(PROFILE)
        self.run("remote", "remove", "*")

    def run(self, *command, refused=False, **settings):
        """What the client prints; it must succeed, or be refused."""
        environment = {**stories.os.environ, "CONAN_HOME": str(self.path), "NO_COLOR": "1", **settings}
        # Beside this file there are modules that would stand for others.
        environment.pop("PYTHONPATH", None)
        done = subprocess.run(
            [str(CONAN), *(str(part) for part in command), "-cc", "core:non_interactive=True"],
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.told = done.stdout
        printed = done.stdout + done.stderr
        assert (done.returncode != 0) == refused, printed
        return printed

    def json(self, *command):
        self.run(*command, "--format=json")
        return json.loads(self.told)

    def remote(self, place, user="root", secret=SECRET, name="tenon"):
        self.run("remote", "add", name, f"{URL}/api/v4{place}/packages/conan", "--force")
        if user:
            self.run("remote", "login", name, user, "-p", secret)
        return self

    def create(self, version="1.0", text="#define HARD 1\n", *more):
        """Makes the recipe `hammer` and its package."""
        sources = folder()
        (sources / "conanfile.py").write_text(HEADERS)
        (sources / "hammer.h").write_text(text)
        (sources / "notes.txt").write_text("how to strike\n")
        self.run("create", sources, f"--version={version}", *more)

    def create_library(self, *more):
        sources = folder()
        (sources / "conanfile.py").write_text(LIBRARY)
        self.run("create", sources, *more)

    def upload(self, what, *more, **options):
        return self.run("upload", what, "--remote=tenon", "--confirm", *more, **options)

    def install(self, what, *more, **options):
        """Installs and copies out what was packaged; the folder."""
        to = folder()
        self.run(
            "install", f"--requires={what}", "--remote=tenon", "--deployer=full_deploy",
            f"--deployer-folder={to}", f"--output-folder={to}", *more, **options,
        )  # fmt: skip
        return to

    def revisions(self, what):
        """Revisions of recipes in the remote by name, newest first."""
        found = self.json("list", what, "--remote=tenon")["tenon"]
        newest = lambda revisions: sorted(revisions, key=lambda one: -revisions[one]["timestamp"])
        return {name: newest(about["revisions"]) for name, about in found.items()}


def headers_in(folder):
    return [path.read_text() for path in folder.rglob("hammer.h")]


GROUP = api("POST", "/groups", name="Forge", path="forge-of-conan")["id"]


def project(name, visibility="private"):
    body = {"name": name, "path": name, "namespace_id": GROUP, "visibility": visibility}
    return f"/projects/{api('POST', '/projects', **body)['id']}"


ANVIL = project("anvil")
SMITH = Home().remote(ANVIL)
SMITH.create()
SMITH.upload("hammer/1.0")


def test_what_was_uploaded_is_installed_into_a_clean_cache():
    home = Home().remote(ANVIL)
    assert headers_in(home.install("hammer/1.0")) == ["#define HARD 1\n"]
    home.run("cache", "check-integrity", "*")
    home.run("cache", "path", "hammer/1.0")
    notes = pathlib.Path(home.told.strip()) / "notes.txt"
    assert notes.read_text() == "how to strike\n"


def test_sources_are_fetched_to_build_again():
    home = Home().remote(ANVIL)
    home.install("hammer/1.0", "--build=hammer/*")
    assert headers_in(home.path) != []


def test_what_is_there_is_not_sent_again():
    printed = SMITH.upload("hammer/1.0")
    assert "already in server, skipping upload" in printed, printed
    SMITH.upload("hammer/1.0", "--force")
    other = Home().remote(ANVIL)
    other.create()
    # Made elsewhere and later it is the same revision.
    other.upload("hammer/1.0", "--force")
    assert len(SMITH.revisions("hammer/1.0#*")["hammer/1.0"]) == 1


def test_packages_are_listed_with_their_settings():
    SMITH.create_library()
    SMITH.create_library("-o=&:shared=True", "-s=build_type=Debug")
    SMITH.upload("anvil/2.1:*")
    found = SMITH.json("list", "anvil/2.1:*", "--remote=tenon")["tenon"]["anvil/2.1"]["revisions"]
    (recipe,) = found.values()
    infos = [package["info"] for package in recipe["packages"].values()]
    assert {(info["settings"]["build_type"], info["options"]["shared"]) for info in infos} == {
        ("Release", "False"), ("Debug", "True"),
    }, infos  # fmt: skip
    assert all(info["requires"] for info in infos), infos
    debug = SMITH.json("list", "anvil/2.1:*", "--remote=tenon", "-p=build_type=Debug")
    (recipe,) = debug["tenon"]["anvil/2.1"]["revisions"].values()
    assert len(recipe["packages"]) == 1, recipe

    home = Home().remote(ANVIL)
    folder = home.install("anvil/2.1", "-o=anvil/*:shared=True", "-s=build_type=Debug")
    assert [path.read_text() for path in folder.rglob("anvil.txt")] == ["True"]


def test_recipes_are_searched():
    found = SMITH.json("search", "HAM*", "--remote=tenon")["tenon"]
    assert "hammer/1.0" in found and "anvil/2.1" not in found, found
    assert SMITH.revisions("hammer/*#*").keys() >= {"hammer/1.0"}
    assert not SMITH.json("search", "nothing*", "--remote=tenon")["tenon"]


def test_revisions_of_a_version_are_told_apart():
    for text in ["one\n", "two\n"]:
        SMITH.create("1.5", text)
        SMITH.upload("hammer/1.5")
    newest, oldest = SMITH.revisions("hammer/1.5#*")["hammer/1.5"]
    assert headers_in(Home().remote(ANVIL).install("hammer/1.5")) == ["two\n"]
    assert headers_in(Home().remote(ANVIL).install(f"hammer/1.5#{oldest}")) == ["one\n"]

    SMITH.run("remove", f"hammer/1.5#{newest}", "--remote=tenon", "--confirm")
    assert SMITH.revisions("hammer/1.5#*")["hammer/1.5"] == [oldest]
    SMITH.run("remove", f"hammer/1.5#{oldest}:*", "--remote=tenon", "--confirm")
    Home().remote(ANVIL).run("install", "--requires=hammer/1.5", "--remote=tenon", refused=True)
    SMITH.run("remove", "hammer/1.5", "--remote=tenon", "--confirm")
    Home().remote(ANVIL).run("install", "--requires=hammer/1.5", "--remote=tenon", refused=True)
    names = [one["name"] for one in api("GET", f"{ANVIL}/packages")]
    assert not [name for name in names if name.startswith("hammer/1.5")], names


def test_an_upload_that_was_cut_off_is_finished_by_the_next():
    SMITH.create("1.6")
    (revision,) = SMITH.json("list", "hammer/1.6#*")["Local Cache"]["hammer/1.6"]["revisions"]
    place = f"{URL}/api/v4{ANVIL}/packages/conan/v2/conans/hammer/1.6/_/_/revisions/{revision}"
    sent = requests.put(f"{place}/files/conanfile.py", data=b"half", headers={"PRIVATE-TOKEN": SECRET})
    assert sent.ok, sent.text
    Home().remote(ANVIL).run("install", "--requires=hammer/1.6", "--remote=tenon", refused=True)
    SMITH.upload("hammer/1.6")
    assert headers_in(Home().remote(ANVIL).install("hammer/1.6")) == ["#define HARD 1\n"]


def test_two_clients_publish_one_revision():
    homes = [Home().remote(ANVIL) for _ in range(2)]
    for home in homes:
        home.create("1.7")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(lambda home: home.upload("hammer/1.7"), homes))
    assert len(SMITH.revisions("hammer/1.7#*")["hammer/1.7"]) == 1
    assert headers_in(Home().remote(ANVIL).install("hammer/1.7")) == ["#define HARD 1\n"]


def test_metadata_goes_with_a_recipe():
    SMITH.create("1.8")
    SMITH.run("cache", "path", "hammer/1.8", "--folder=metadata")
    folder = pathlib.Path(SMITH.told.strip())
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    for text in ["built\n", "built again\n"]:
        (folder / "logs" / "build.log").write_text(text)
        SMITH.upload("hammer/1.8", "--metadata=*")
    home = Home().remote(ANVIL)
    home.run("download", "hammer/1.8", "--remote=tenon", "--metadata=*")
    assert [path.read_text() for path in home.path.rglob("build.log")] == ["built again\n"]


def test_archives_are_packed_with_xz_too():
    SMITH.create("1.9")
    SMITH.upload("hammer/1.9", "-cc", "core.upload:compression_format=xz")
    assert headers_in(Home().remote(ANVIL).install("hammer/1.9")) == ["#define HARD 1\n"]


def test_strangers_install_nothing_private():
    home = Home().remote(ANVIL, user=None)
    printed = home.run("install", "--requires=hammer/1.0", "--remote=tenon", refused=True)
    assert "hammer" in printed
    assert "needs authentication" in home.run("search", "*", "--remote=tenon")
    home.create("3.0")
    home.upload("hammer/3.0", refused=True)
    home.run("remote", "login", "tenon", "root", "-p", "wrong", refused=True)


def test_strangers_install_what_is_public():
    api("PUT", f"/groups/{GROUP}", visibility="public")
    fountain = project("fountain", "public")
    smith = Home().remote(fountain)
    smith.create("1.0")
    smith.upload("hammer/1.0")
    stranger = Home().remote(fountain, user=None)
    assert headers_in(stranger.install("hammer/1.0")) == ["#define HARD 1\n"]
    stranger.create("3.0")
    stranger.upload("hammer/3.0", refused=True)


def test_deploy_tokens_publish_and_install():
    place = f"{ANVIL}/deploy_tokens"
    write = api("POST", place, name="machine", scopes=["write_package_registry"])
    home = Home().remote(ANVIL, write["username"], write["token"])
    home.create("4.0")
    home.upload("hammer/4.0")
    read = api("POST", place, name="reader", scopes=["read_package_registry"])
    reader = Home().remote(ANVIL, read["username"], read["token"])
    assert headers_in(reader.install("hammer/4.0")) == ["#define HARD 1\n"]
    reader.create("4.1")
    assert "403" in reader.upload("hammer/4.1", refused=True)


def test_credentials_may_be_told_by_the_environment():
    home = Home().remote(ANVIL, user=None)
    who = {"CONAN_LOGIN_USERNAME_TENON": "root", "CONAN_PASSWORD_TENON": SECRET}
    assert headers_in(home.install("hammer/1.0", **who)) == ["#define HARD 1\n"]


def test_a_group_is_a_remote_to_install_from():
    home = Home().remote(f"/groups/{GROUP}/-")
    assert headers_in(home.install("hammer/1.0")) == ["#define HARD 1\n"]


def test_at_the_instance_recipes_are_named_after_their_project():
    smith = Home().remote("")
    owner = ["--user=forge-of-conan+anvil", "--channel=stable"]
    smith.create("1.0", "#define HARD 2\n", *owner)
    recipe = "hammer/1.0@forge-of-conan+anvil/stable"
    smith.upload(recipe)
    assert headers_in(Home().remote("").install(recipe)) == ["#define HARD 2\n"]
    assert recipe in [one["name"] for one in api("GET", f"{ANVIL}/packages")]
    smith.run("remove", recipe, "--remote=tenon", "--confirm")
    assert recipe not in [one["name"] for one in api("GET", f"{ANVIL}/packages")]


stories.run(globals())
