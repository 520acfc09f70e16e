"""Debian's nuget 2.8 on Mono, unmodified: the feed of version 2 of a private project."""

import fcntl
import io
import itertools
import os
import pathlib
import re
import struct
import subprocess
import tempfile
import termios
import threading
import zipfile

import requests

import stories
from stories import URL, api

TOKEN = os.environ["TENON_TOKEN"]
GROUP = api("POST", "/groups", name="Nuggets", path="nuggets")["id"]
FOLDERS = tempfile.TemporaryDirectory(prefix="tenon-nuget-")
numbers = itertools.count(1)


class Place:
    """An empty home with a source that has, or has not, credentials."""

    def __init__(self, project, user="root", token=TOKEN):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=FOLDERS.name))
        self.project = project
        self.source = f"{URL}/api/v4/projects/{project}/packages/nuget/v2/"
        own = (
            f'<packageSourceCredentials><Tenon><add key="Username" value="{user}" />'
            f'<add key="ClearTextPassword" value="{token}" /></Tenon></packageSourceCredentials>'
        )
        self.settings = self.folder / "NuGet.Config"
        self.settings.write_text(
            '<?xml version="1.0" encoding="utf-8"?><configuration><packageSources>'
            f'<add key="Tenon" value="{self.source}" /></packageSources>'
            f'{own if user else ""}</configuration>'
        )

    def run(self, *arguments, fails=False):
        """What nuget said. Its cache is new, its home is empty."""
        done = subprocess.run(
            self.command(arguments), cwd=self.folder, env=self.environment(), text=True, check=False,
            timeout=240, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        assert (done.returncode != 0) == fails, (arguments, done.returncode, done.stdout)
        return done.stdout

    def command(self, arguments):
        return ["nuget", *arguments, "-NonInteractive"]

    def environment(self):
        return {
            **os.environ, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder / "data"),
            "XDG_CONFIG_HOME": str(self.folder / "config"), "LC_ALL": "C.UTF-8", "TERM": "xterm",
        }

    def listed(self, *arguments):
        """Names and versions that nuget lists.

        It breaks lines at the width of its terminal, and without a terminal at
        none: then it writes empty lines for ever.
        """
        ours, its = os.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        arguments = ["list", *arguments, "-Source", self.source, "-ConfigFile", str(self.settings)]
        nuget = subprocess.Popen(
            self.command(arguments), cwd=self.folder, env=self.environment(), stdin=its, stdout=its, stderr=its
        )
        os.close(its)
        said = b""
        try:
            while more := os.read(ours, 65536):
                said += more
        except OSError:
            pass  # How Linux tells that the last writer is gone.
        os.close(ours)
        assert nuget.wait(timeout=240) == 0, said
        lines = re.sub(r"\x1b[\[>=?][0-9;?]*[A-Za-z]?", "", said.decode()).splitlines()
        return sorted(line for line in lines if re.fullmatch(r"\S+ \d\S*", line))

    def install(self, name, *arguments, fails=False):
        """Installs into `packages`; the names of the folders that are there."""
        self.run(
            "install", name, "-Source", self.source, "-ConfigFile", str(self.settings), "-NoCache",
            "-OutputDirectory", "packages", *arguments, fails=fails,
        )
        packages = self.folder / "packages"
        return sorted(path.name for path in packages.iterdir()) if packages.is_dir() else []

    def pack(self, name, version, needs=""):
        """An archive that nuget itself packs."""
        own = self.folder / f"{name}.{version}"
        own.mkdir()
        (own / "readme.txt").write_text(f"{name} {version}\n")
        (own / f"{name}.nuspec").write_text(
            '<?xml version="1.0"?><package><metadata>'
            f"<id>{name}</id><version>{version}</version><authors>Jane</authors><owners>Jane</owners>"
            f"<description>Strikes</description><tags>iron</tags>"
            f"<dependencies>{needs}</dependencies></metadata>"
            '<files><file src="readme.txt" target="content" /></files></package>'
        )
        self.run("pack", str(own / f"{name}.nuspec"), "-OutputDirectory", str(own), "-NoDefaultExcludes")
        (archive,) = own.glob("*.nupkg")
        return archive

    def push(self, archive, key=TOKEN, fails=False):
        # On Mono it looks for whole paths below the folder it runs in.
        (self.folder / archive.name).write_bytes(archive.read_bytes())
        arguments = ["push", archive.name, key, "-Source", self.source, "-ConfigFile", str(self.settings)]
        return self.run(*arguments, fails=fails)

    def delete(self, name, version, key=TOKEN, fails=False):
        return self.run(
            "delete", name, version, key, "-Source", self.source, "-ConfigFile", str(self.settings), fails=fails
        )


def project(visibility="private"):
    body = {"name": f"anvil-{next(numbers)}", "namespace_id": GROUP, "visibility": visibility}
    return api("POST", "/projects", **body)["id"]


def test_a_package_is_pushed_listed_installed_and_deleted():
    place = Place(project())
    place.push(place.pack("Acme.Nail", "0.9.0"))
    needs = '<dependency id="Acme.Nail" version="0.5" />'
    place.push(place.pack("Acme.Hammer", "1.0.0", needs))
    place.push(place.pack("Acme.Hammer", "1.10.0", needs))
    place.push(place.pack("Acme.Hammer", "1.9.0"))
    place.push(place.pack("Acme.Hammer", "2.0.0-rc1"))
    shown = api("GET", f"/projects/{place.project}/packages?package_type=nuget&per_page=100")
    assert len(shown) == 5, shown

    assert place.listed() == ["Acme.Hammer 1.10.0", "Acme.Nail 0.9.0"]
    assert place.listed("hammer") == ["Acme.Hammer 1.10.0"]
    assert place.listed("hammer", "-Prerelease") == ["Acme.Hammer 2.0.0-rc1"]
    assert place.listed("hammer", "-AllVersions") == [
        "Acme.Hammer 1.0.0", "Acme.Hammer 1.10.0", "Acme.Hammer 1.9.0",
    ]
    clean = Place(place.project)
    assert clean.install("acme.hammer") == ["Acme.Hammer.1.10.0", "Acme.Nail.0.9.0"]
    read = clean.folder / "packages/Acme.Hammer.1.10.0/content/readme.txt"
    assert read.read_text() == "Acme.Hammer 1.10.0\n"
    clean = Place(place.project)
    assert clean.install("Acme.Hammer", "-Version", "1.9.0") == ["Acme.Hammer.1.9.0"]
    assert "Acme.Hammer.2.0.0-rc1" in clean.install("Acme.Hammer", "-Prerelease")

    place.delete("Acme.Hammer", "1.10.0")
    assert place.listed("hammer") == ["Acme.Hammer 1.9.0"]
    assert Place(place.project).install("Acme.Hammer", "-Version", "1.10.0", fails=True) == []
    place.delete("Acme.Hammer", "1.10.0", fails=True)


def test_strangers_and_readers_change_nothing():
    place = Place(project())
    archive = place.pack("Acme.Hammer", "1.0.0")
    place.push(archive)
    assert Place(place.project, user=None).install("Acme.Hammer", fails=True) == []
    assert Place(place.project, token="wrong").install("Acme.Hammer", fails=True) == []
    assert Place(place.project, user="someone").install("Acme.Hammer", fails=True) == []
    path = f"/projects/{place.project}/deploy_tokens"
    read = api("POST", path, name="reader", scopes=["read_package_registry"])
    reader = Place(place.project, read["username"], read["token"])
    assert reader.install("Acme.Hammer") == ["Acme.Hammer.1.0.0"]
    assert "403" in reader.push(archive, key=read["token"], fails=True)
    Place(place.project, user=None).push(archive, key="wrong", fails=True)
    write = api("POST", path, name="writer", scopes=["write_package_registry"])
    writer = Place(place.project, write["username"], write["token"])
    writer.push(place.pack("Acme.Hammer", "1.1.0"), key=write["token"])
    assert place.listed() == ["Acme.Hammer 1.1.0"]


def test_what_is_public_needs_no_credentials():
    api("PUT", f"/groups/{GROUP}", visibility="public")
    place = Place(project("public"))
    place.push(place.pack("Acme.Water", "1.0.0.5"))
    assert Place(place.project, user=None).install("Acme.Water") == ["Acme.Water.1.0.0.5"]


def test_a_duplicate_is_refused_where_the_group_wants_it():
    group = api("POST", "/groups", name="Once", path="once-only")["id"]
    number = api("POST", "/projects", name="anvil", namespace_id=group)["id"]
    api("PUT", f"/groups/{group}/package_settings", nuget_duplicates_allowed=False)
    place = Place(number)
    archive = place.pack("Acme.Hammer", "1.0.0")
    place.push(archive)
    assert "409" in place.push(archive, fails=True)


def test_more_versions_than_a_page_holds_are_listed():
    place = Place(project())
    for number in range(105):
        push_small(place, "Acme.Many", f"1.{number}.0")
    assert len(place.listed("many", "-AllVersions")) == 105


TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
<Default Extension="nuspec" ContentType="application/octet" /></Types>"""
RELATIONS = """<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="R1" Target="/{name}.nuspec"
    Type="http://schemas.microsoft.com/packaging/2010/07/manifest" /></Relationships>"""


def push_small(place, name, version):
    """Sends an archive made without nuget, which takes a second for each."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("[Content_Types].xml", TYPES)
        archive.writestr("_rels/.rels", RELATIONS.format(name=name))
        archive.writestr(
            f"{name}.nuspec",
            f"<package><metadata><id>{name}</id><version>{version}</version><authors>Jane</authors>"
            "<description>Small</description></metadata></package>",
        )
    files = {"package": ("package.nupkg", packed.getvalue())}
    answer = requests.put(place.source, files=files, auth=("root", TOKEN))
    assert answer.status_code == 201, answer.text


def test_readers_beside_publishers_read_whole_feeds():
    place = Place(project())
    push_small(place, "Acme.Busy", "1.0.0")
    feed = f"{place.source}FindPackagesById()?id='acme.busy'"
    seen, failed = [], []

    def publish(number):
        try:
            push_small(place, "Acme.Busy", f"1.{number}.0")
        except AssertionError as error:
            failed.append(error)

    def read():
        for _ in range(5):
            text = requests.get(feed, auth=("root", TOKEN)).text
            seen.append(text.count("<entry>") if text.endswith("</feed>") else -1)

    threads = [threading.Thread(target=publish, args=[number]) for number in range(1, 9)]
    threads += [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and len(seen) == 40 and min(seen) >= 1, (failed, seen)
    assert Place(place.project).install("Acme.Busy") == ["Acme.Busy.1.8.0"]


stories.run(globals())
