"""Conan 1, unmodified, with revisions and without: upload, search, install, remove."""

import pathlib
import subprocess
import sys
import tempfile

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
[options]
[build_requires]
[env]
SECRET_OF_MINE=1
"""

RECIPE = """\
from conans import ConanFile

class Hammer(ConanFile):
    name = "hammer"
    settings = "os", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}
    exports = "notes.txt"
    exports_sources = "*.h"

    def package(self):
        self.copy("*.h", dst="include")
"""

FOLDERS = tempfile.TemporaryDirectory(prefix="tenon-conan-")


def folder():
    return pathlib.Path(tempfile.mkdtemp(dir=FOLDERS.name))


class Home:
    """A cache of its own, with a remote and credentials."""

    def __init__(self, place, revisions, user="root"):
        self.path = folder()
        self.revisions = revisions
        profiles = self.path / ".conan" / "profiles"
        profiles.mkdir(parents=True)
        (profiles / "default").write_text(PROFILE)
        self.run("remote", "clean")
        self.run("remote", "add", "tenon", f"{URL}/api/v4{place}/packages/conan", "False")
        if user:
            self.run("user", "--password", SECRET, "--remote", "tenon", user)

    def run(self, *command, refused=False):
        """What the client prints; it must succeed, or be refused."""
        environment = {
            **stories.os.environ,
            "CONAN_USER_HOME": str(self.path),
            "CONAN_REVISIONS_ENABLED": "1" if self.revisions else "0",
            "CONAN_NON_INTERACTIVE": "1",
            "CONAN_COLOR_DISPLAY": "0",
        }
        # Beside this file there are modules that would stand for others.
        environment.pop("PYTHONPATH", None)
        done = subprocess.run(
            [str(CONAN), *(str(part) for part in command)],
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        printed = done.stdout + done.stderr
        assert (done.returncode != 0) == refused, printed
        return printed

    def create(self, recipe, text="#define HARD 1\n", *more):
        sources = folder()
        (sources / "conanfile.py").write_text(RECIPE)
        (sources / "hammer.h").write_text(text)
        (sources / "notes.txt").write_text("how to strike\n")
        self.run("create", sources, recipe, *more)

    def upload(self, recipe, **options):
        return self.run("upload", recipe, "--all", "--remote", "tenon", "--confirm", **options)

    def install(self, recipe, *more, **options):
        self.run("install", recipe, "--remote", "tenon", "--install-folder", self.path, *more, **options)
        return [path.read_text() for path in self.path.glob(".conan/data/**/package/**/hammer.h")]


GROUP = api("POST", "/groups", name="Smithy", path="smithy")["id"]


def project(name, visibility="private"):
    body = {"name": name, "path": name, "namespace_id": GROUP, "visibility": visibility}
    return f"/projects/{api('POST', '/projects', **body)['id']}"


def both_ways(test):
    """The same story of clients without revisions and with them."""

    def told():
        for revisions in [False, True]:
            name = f"{test.__name__.removeprefix('test_')[:24]}-{'new' if revisions else 'old'}"
            test(project(name.replace("_", "-")), revisions)

    return told


@both_ways
def test_what_was_uploaded_is_installed_into_a_clean_cache(place, revisions):
    smith = Home(place, revisions)
    smith.create("1.0@acme/stable")
    smith.create("1.0@acme/stable", "#define HARD 1\n", "-s", "build_type=Debug")
    smith.upload("hammer/1.0@acme/stable")
    assert Home(place, revisions).install("hammer/1.0@acme/stable") == ["#define HARD 1\n"]
    home = Home(place, revisions)
    assert home.install("hammer/1.0@acme/stable", "--build") == ["#define HARD 1\n"]


@both_ways
def test_recipes_and_packages_are_searched(place, revisions):
    smith = Home(place, revisions)
    smith.create("1.0@acme/stable")
    smith.create("1.0@acme/stable", "#define HARD 1\n", "-s", "build_type=Debug")
    smith.upload("hammer/1.0@acme/stable")
    assert "hammer/1.0@acme/stable" in smith.run("search", "ham*", "--remote", "tenon")
    assert "hammer/1.0" not in smith.run("search", "nail*", "--remote", "tenon")
    printed = smith.run("search", "hammer/1.0@acme/stable", "--remote", "tenon")
    assert "build_type: Debug" in printed and "build_type: Release" in printed, printed
    assert "SECRET_OF_MINE" not in printed
    query = ["--query", "build_type=Debug"]
    printed = smith.run("search", "hammer/1.0@acme/stable", "--remote", "tenon", *query)
    assert "build_type: Release" not in printed, printed


@both_ways
def test_what_is_changed_is_uploaded_again(place, revisions):
    smith = Home(place, revisions)
    for text in ["one\n", "two\n"]:
        smith.create("2.0@acme/stable", text)
        smith.run(
            "upload", "hammer/2.0@acme/stable", "--all", "--remote", "tenon", "--confirm", "--force"
        )
    assert Home(place, revisions).install("hammer/2.0@acme/stable") == ["two\n"]


@both_ways
def test_packages_and_recipes_are_removed(place, revisions):
    smith = Home(place, revisions)
    smith.create("1.0@acme/stable")
    smith.create("1.1@")
    smith.upload("hammer/1.0@acme/stable")
    smith.upload("hammer/1.1@")
    smith.run("remove", "hammer/1.0@acme/stable", "--remote", "tenon", "--force", "--packages")
    printed = smith.run("search", "hammer/1.0@acme/stable", "--remote", "tenon")
    assert "There are no packages" in printed, printed
    smith.run("remove", "hammer/1.0@acme/stable", "--remote", "tenon", "--force")
    assert [one["version"] for one in api("GET", f"{place}/packages")] == ["1.1"]
    assert Home(place, revisions).install("hammer/1.1@") == ["#define HARD 1\n"]
    Home(place, revisions).install("hammer/1.0@acme/stable", refused=True)


@both_ways
def test_strangers_get_nothing_private(place, revisions):
    smith = Home(place, revisions)
    smith.create("1.0@acme/stable")
    smith.upload("hammer/1.0@acme/stable")
    stranger = Home(place, revisions, user=None)
    stranger.install("hammer/1.0@acme/stable", refused=True)
    stranger.create("1.0@acme/stable")
    stranger.upload("hammer/1.0@acme/stable", refused=True)


def test_at_the_instance_recipes_are_named_after_their_project():
    project("lathe")
    for revisions in [False, True]:
        smith = Home("", revisions)
        recipe = f"hammer/{1 + revisions}.0@smithy+lathe/stable"
        smith.create(recipe.removeprefix("hammer/"))
        smith.upload(recipe)
        assert Home("", revisions).install(recipe) == ["#define HARD 1\n"]


stories.run(globals())
