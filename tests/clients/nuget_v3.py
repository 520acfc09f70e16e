"""The requests of version 3 of NuGet's protocol, in the order in which dotnet makes them.

The dotnet SDK cannot be had from the system's packages, so what it sends is replayed from the
published description of the protocol: `dotnet nuget push`, `dotnet restore`, `dotnet package
search`, `dotnet nuget delete` and a debugger that loads symbols.
"""

import hashlib
import io
import itertools
import os
import struct
import threading
import zipfile

import requests

import stories
from stories import URL, api

TOKEN = os.environ["TENON_TOKEN"]
ROOT = ("root", TOKEN)
GROUP = api("POST", "/groups", name="Restored", path="restored")["id"]
numbers = itertools.count(1)
AGENT = {"User-Agent": "NuGet .NET Core MSBuild Task/6.8.0 (Linux)", "X-NuGet-Client-Version": "6.8.0"}


def project(visibility="private"):
    body = {"name": f"anvil-{next(numbers)}", "namespace_id": GROUP, "visibility": visibility}
    return api("POST", "/projects", **body)["id"]


def packed(name, version, needs="", kinds="", files=()):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_rels/.rels", "<Relationships/>")
        archive.writestr(
            f"{name}.nuspec",
            '<?xml version="1.0" encoding="utf-8"?>\n'
            '<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd"><metadata>'
            f"<id>{name}</id><version>{version}</version><authors>Jane</authors>"
            f"<description>Strikes</description>{kinds}<dependencies>{needs}</dependencies>"
            "</metadata></package>",
        )
        archive.writestr(f"lib/netstandard2.0/{name}.dll", b"MZ")
        for path, data in files:
            archive.writestr(path, data)
    return content.getvalue()


class Source:
    """A source as a configuration names it: the address of its index, and credentials."""

    def __init__(self, owner, auth=ROOT):
        self.index = f"{URL}/api/v4{owner}/packages/nuget/index.json"
        self.auth = auth
        self.session = requests.Session()
        self.session.headers.update(AGENT)
        answer = self.ask("GET", self.index)
        assert answer.status_code == 200 and answer.headers["content-type"] == "application/json"
        index = answer.json()
        assert index["version"].startswith("3."), index
        self.resources = {one["@type"]: one["@id"] for one in index["resources"]}

    def ask(self, method, url, **rest):
        """Without credentials first; with them when the server asks by Basic."""
        content = rest.pop("content", None)
        files = {"files": {"package": ("package.nupkg", content, "application/octet-stream")}} if content else {}
        answer = self.session.request(method, url, **files, **rest)
        if answer.status_code == 401 and self.auth:
            assert answer.headers["WWW-Authenticate"].startswith("Basic realm="), answer.headers
            answer = self.session.request(method, url, auth=self.auth, **files, **rest)
        return answer

    def base(self, *kinds):
        """The first of these resources that there is, with a slash behind it."""
        found = next(self.resources[kind] for kind in kinds if kind in self.resources)
        return found.rstrip("/") + "/"

    def push(self, content, key=None, kind="PackagePublish/2.0.0"):
        headers = {"X-NuGet-ApiKey": key} if key else {}
        return self.ask("PUT", self.base(kind), headers=headers, content=content)

    def push_symbols(self, content, key=None):
        return self.push(content, key, "SymbolPackagePublish/4.9.0")

    def delete(self, name, version, key=None):
        headers = {"X-NuGet-ApiKey": key} if key else {}
        return self.ask("DELETE", f"{self.base('PackagePublish/2.0.0')}{name}/{version}", headers=headers)

    def versions(self, name):
        answer = self.ask("GET", f"{self.base('PackageBaseAddress/3.0.0')}{name.lower()}/index.json")
        return answer.json()["versions"] if answer.status_code == 200 else answer.status_code

    def restore(self, name, version):
        """The archive that restore downloads, checked as it checks it."""
        assert version.lower() in self.versions(name)
        place = f"{self.base('PackageBaseAddress/3.0.0')}{name.lower()}/{version.lower()}/"
        answer = self.ask("GET", f"{place}{name.lower()}.{version.lower()}.nupkg", allow_redirects=False)
        assert answer.status_code == 200, answer.text
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            assert archive.testzip() is None
            (own,) = [path for path in archive.namelist() if path.endswith(".nuspec")]
            alone = self.ask("GET", f"{place}{name.lower()}.nuspec")
            assert alone.content == archive.read(own)
        return answer.content

    def registration(self, name):
        base = self.base("RegistrationsBaseUrl/3.6.0", "RegistrationsBaseUrl/3.0.0-rc")
        answer = self.ask("GET", f"{base}{name.lower()}/index.json", headers={"Accept-Encoding": "gzip, deflate"})
        assert answer.status_code == 200, answer.text
        leaves = []
        for page in answer.json()["items"]:
            assert page["lower"] and page["upper"] and page["count"] == len(page["items"])
            leaves += page["items"]
        return leaves

    def search(self, **query):
        base = self.resources.get("SearchQueryService/3.5.0") or self.resources["SearchQueryService/3.0.0-beta"]
        answer = self.ask("GET", base, params={"skip": 0, "take": 20, "semVerLevel": "2.0.0", **query})
        assert answer.status_code == 200, answer.text
        found = answer.json()
        return found["totalHits"], found["data"]


def test_a_package_is_pushed_searched_restored_and_deleted():
    source = Source(f"/projects/{project()}")
    nail, hammer = packed("Acme.Nail", "0.9.0"), packed(
        "Acme.Hammer", "1.10.0",
        '<group targetFramework=".NETStandard2.0"><dependency id="Acme.Nail" version="0.5.0" exclude="Build" /></group>',
    )
    for content in [nail, packed("Acme.Hammer", "1.9.0"), hammer, packed("Acme.Hammer", "2.0.0-RC.1+build.5")]:
        answer = source.push(content)
        assert (answer.status_code, answer.json()) == (201, {"message": "201 Created"}), answer.text

    assert source.versions("Acme.Hammer") == ["1.9.0", "1.10.0", "2.0.0-rc.1"]
    assert source.versions("acme.saw") == 404
    assert source.restore("Acme.Hammer", "1.10.0") == hammer
    leaves = {one["catalogEntry"]["version"]: one for one in source.registration("Acme.Hammer")}
    assert list(leaves) == ["1.9.0", "1.10.0", "2.0.0-RC.1+build.5"]
    ((group,), content) = leaves["1.10.0"]["catalogEntry"]["dependencyGroups"], leaves["1.10.0"]["packageContent"]
    (needed,) = group["dependencies"]
    assert (group["targetFramework"], needed["id"], needed["range"]) == (".NETStandard2.0", "Acme.Nail", "0.5.0")
    assert source.ask("GET", content).content == hammer
    assert source.ask("GET", leaves["1.10.0"]["@id"]).json() == leaves["1.10.0"]
    assert source.restore(needed["id"], "0.9.0") == nail

    total, found = source.search(q="acme", prerelease="false")
    assert (total, [(one["id"], one["version"]) for one in found]) == (
        2, [("Acme.Hammer", "1.10.0"), ("Acme.Nail", "0.9.0")],
    )
    (_, (one,)) = source.search(q="HAMMER", prerelease="true")
    assert one["version"] == "2.0.0-RC.1+build.5" and len(one["versions"]) == 3
    assert source.ask("GET", one["versions"][1]["@id"]).json()["catalogEntry"]["version"] == "1.10.0"

    assert source.delete("Acme.Hammer", "1.10.0").status_code == 204
    assert source.versions("Acme.Hammer") == ["1.9.0", "2.0.0-rc.1"]
    assert source.ask("GET", content).status_code == 404
    assert source.delete("Acme.Hammer", "1.10.0").status_code == 404


def test_tokens_are_keys_or_passwords():
    number = project()
    source, nobody = Source(f"/projects/{number}"), Source(f"/projects/{number}", auth=None)
    path = f"/projects/{number}/deploy_tokens"
    write = api("POST", path, name="writer", scopes=["write_package_registry"])
    read = api("POST", path, name="reader", scopes=["read_package_registry"])
    content = packed("Acme.Hammer", "1.0.0")
    assert nobody.push(content).status_code == 401
    assert nobody.push(content, key="wrong").status_code == 401
    assert nobody.push(content, key=read["token"]).status_code == 403
    assert nobody.push(content, key=write["token"]).status_code == 201
    assert nobody.push(packed("Acme.Hammer", "1.1.0"), key=TOKEN).status_code == 201
    reader = Source(f"/projects/{number}", auth=(read["username"], read["token"]))
    assert reader.restore("Acme.Hammer", "1.0.0") == content
    assert Source(f"/projects/{number}", auth=(write["username"], read["token"])).versions("Acme.Hammer") == 401
    assert nobody.versions("Acme.Hammer") == 401
    assert source.versions("Acme.Hammer") == ["1.0.0", "1.1.0"]


def test_skip_duplicate_is_told_of_one():
    group = api("POST", "/groups", name="Single", path="single")["id"]
    number = api("POST", "/projects", name="anvil", namespace_id=group)["id"]
    api("PUT", f"/groups/{group}/package_settings", nuget_duplicates_allowed=False)
    source = Source(f"/projects/{number}")
    assert source.push(packed("Acme.Hammer", "1.0.0")).status_code == 201
    assert source.push(packed("acme.hammer", "1.0")).status_code == 409


def test_a_group_restores_from_its_projects():
    one, two = project(), project()
    hammer, nail = packed("Group.Hammer", "1.0.0"), packed("Group.Nail", "2.0.0")
    assert Source(f"/projects/{one}").push(hammer).status_code == 201
    assert Source(f"/projects/{two}").push(nail).status_code == 201
    group = Source(f"/groups/{GROUP}/-")
    assert "PackagePublish/2.0.0" not in group.resources
    assert group.restore("Group.Hammer", "1.0.0") == hammer
    assert group.restore("Group.Nail", "2.0.0") == nail
    (leaf,) = group.registration("Group.Nail")
    assert f"/projects/{two}/packages/nuget/download/" in leaf["packageContent"]
    assert group.ask("GET", leaf["packageContent"]).content == nail
    assert group.search(q="group.")[0] == 2
    assert Source(f"/groups/{GROUP}/-", auth=None).versions("Group.Nail") == 401


def portable(identity):
    """A portable PDB: the streams of its metadata, of which `#Pdb` begins with its id."""
    head = b"BSJB" + struct.pack("<HHII", 1, 1, 0, 12) + b"PDB v1.0".ljust(12, b"\0") + struct.pack("<HH", 0, 1)
    begin = len(head) + 16
    return head + struct.pack("<II", begin, 32) + b"#Pdb".ljust(8, b"\0") + identity + b"\7" * 12


def test_a_debugger_finds_symbols():
    source = Source(f"/projects/{project()}")
    assert source.push(packed("Acme.Hammer", "1.0.0")).status_code == 201
    identity = bytes(range(1, 21))
    pdb = portable(identity)
    kinds = '<packageTypes><packageType name="SymbolsPackage" /></packageTypes>'
    files = [("lib/netstandard2.0/Acme.Hammer.pdb", pdb)]
    symbols = packed("Acme.Hammer", "1.0.0", kinds=kinds, files=files)
    assert source.push_symbols(symbols).status_code == 201
    # Address and header as the Simple Symbol Query Protocol makes them of an executable.
    signature = "0403020106050807090a0b0c0d0e0f10ffffffff"
    checksum = hashlib.sha256(portable(bytes(20))).hexdigest()
    url = f"{source.base('PackagePublish/2.0.0')}symbolfiles/acme.hammer.pdb/{signature}/acme.hammer.pdb"
    assert source.ask("GET", url, headers={"SymbolChecksum": f"SHA256:{checksum}"}).content == pdb
    assert source.ask("GET", url, headers={"SymbolChecksum": "SHA256:00"}).status_code == 404
    refused = source.ask("GET", url)
    assert (refused.status_code, "Missing checksum header" in refused.text) == (400, True)


def test_bodies_may_come_in_chunks():
    """dotnet streams archives whose size it has not asked for."""
    source = Source(f"/projects/{project()}")
    content = packed("Acme.Hammer", "1.0.0", files=[("data.bin", os.urandom(300_000))])
    boundary = "5a5ee1a0-3b5b-4d3c-9c1f-1d0d7a3a6f27"

    def body():
        yield f'--{boundary}\r\nContent-Type: application/octet-stream\r\n'.encode()
        yield b'Content-Disposition: form-data; name=package; filename=package.nupkg; filename*=utf-8\'\'package.nupkg\r\n\r\n'
        for start in range(0, len(content), 10_000):
            yield content[start:start + 10_000]
        yield f"\r\n--{boundary}--\r\n".encode()

    headers = {"Content-Type": f'multipart/form-data; boundary="{boundary}"', "X-NuGet-ApiKey": TOKEN}
    answer = requests.put(source.base("PackagePublish/2.0.0"), data=body(), headers={**AGENT, **headers})
    assert answer.status_code == 201, answer.text
    assert source.restore("Acme.Hammer", "1.0.0") == content
    place = f"{source.base('PackageBaseAddress/3.0.0')}acme.hammer/1.0.0/acme.hammer.1.0.0.nupkg"
    head = source.ask("HEAD", place)
    assert (head.status_code, head.headers["content-length"]) == (200, str(len(content)))
    part = source.ask("GET", place, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, content[10:20])


def test_hostile_archives_are_refused():
    source = Source(f"/projects/{project()}")

    def holding(*entries):
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, data in entries:
                archive.writestr(path, data)
        return content.getvalue()

    own = "<package><metadata><id>a</id><version>1.0</version></metadata></package>"
    link = zipfile.ZipInfo("lib/link")
    link.external_attr = 0o120777 << 16
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        archive.writestr("a.nuspec", own)
        for number in range(100_000):
            archive.writestr(zipfile.ZipInfo(f"x{number}"), b"")
    whole = packed("Acme.Hammer", "1.0.0")
    for content in [
        b"no archive", whole[: len(whole) // 2], holding(("lib/a.dll", "MZ")), many.getvalue(),
        holding(("a.nuspec", own), ("../../etc/passwd", "x")), holding(("a.nuspec", own), ("/etc/passwd", "x")),
        holding(("a.nuspec", own), ("zeros", bytes(64 << 20))), holding(("a.nuspec", bytes(8 << 20))),
        holding(("a.nuspec", "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]>" + own)),
    ]:
        answer = source.push(content)
        assert answer.status_code == 400 and answer.json()["message"].startswith("400 Bad request - "), answer.text
    assert source.search()[0] == 0
    # A link is not followed, and not in the way.
    assert source.push(holding(("a.nuspec", own), (link, "/etc/passwd"))).status_code == 201


def test_eight_readers_beside_eight_publishers_read_whole_documents():
    number = project()
    assert Source(f"/projects/{number}").push(packed("Acme.Busy", "1.0.0")).status_code == 201
    seen, failed = [], []

    def publish(version):
        answer = Source(f"/projects/{number}").push(packed("Acme.Busy", version), key=TOKEN)
        if answer.status_code != 201:
            failed.append(answer.text)

    def read():
        source = Source(f"/projects/{number}")
        for _ in range(5):
            seen.append(len(source.registration("Acme.Busy")))

    threads = [threading.Thread(target=publish, args=[f"1.{one}.0"]) for one in range(1, 9)]
    threads += [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed
    assert len(seen) == 40 and min(seen) >= 1, seen
    assert len(Source(f"/projects/{number}").versions("Acme.Busy")) == 9


stories.run(globals())
