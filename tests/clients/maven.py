"""Apache Maven, as Debian ships it, deploys and resolves; Gradle resolves.

Maven knows a repository's address, a user name and a password, which it sends
when it is asked for them. Its own plugins come from the system's packages.
Debian's Gradle 4.4 publishes to folders only: its parts for HTTP are left out.
"""

import contextlib
import itertools
import os
import pathlib
import shutil
import subprocess
import tempfile
import zipfile

import requests

from stories import URL, api, run

API = f"{URL}/api/v4"
PLUGINS = "org.apache.maven.plugins:maven-{}-plugin:{}"
numbers = itertools.count(1)

SETTINGS = """<settings>
  <localRepository>{directory}/repository</localRepository>
  <interactiveMode>false</interactiveMode>
  <mirrors>
    <mirror>
      <id>system</id>
      <mirrorOf>central</mirrorOf>
      <url>file:///usr/share/maven-repo</url>
    </mirror>
  </mirrors>
  <servers>
    <server><id>forge</id><username>{username}</username><password>{password}</password></server>
  </servers>
</settings>"""

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.acme</groupId>
  <artifactId>{artifact}</artifactId>
  <version>{version}</version>
  <distributionManagement>
    <repository><id>forge</id><url>{repository}</url></repository>
    <snapshotRepository><id>forge</id><url>{repository}</url></snapshotRepository>
  </distributionManagement>
</project>"""

CONSUMER = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.acme</groupId>
  <artifactId>consumer</artifactId>
  <version>1</version>
  <repositories>
    <repository>
      <id>forge</id>
      <url>{repository}</url>
      <releases><checksumPolicy>fail</checksumPolicy></releases>
      <snapshots>
        <enabled>true</enabled>
        <updatePolicy>always</updatePolicy>
        <checksumPolicy>fail</checksumPolicy>
      </snapshots>
    </repository>
  </repositories>
  <dependencies>
    <dependency>
      <groupId>com.acme</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
    </dependency>
  </dependencies>
</project>"""


GRADLE_CONSUMER = """
configurations {{ wanted }}
repositories {{ maven {{
    url '{repository}'
    credentials {{ username '{username}'; password '{password}' }}
}} }}
dependencies {{
    wanted 'com.acme:anvil:1.+'
    wanted 'com.acme:tongs:1.0-SNAPSHOT'
}}
task fetch(type: Copy) {{
    from configurations.wanted
    into 'fetched'
}}
"""


class Forge:
    """A group with a project, and who may use it."""

    def __init__(self, visibility="private"):
        name = f"forge-{next(numbers)}"
        group = api("POST", "/groups", name=name, path=name, visibility=visibility)
        body = {"namespace_id": group["id"], "visibility": visibility}
        self.group = group["id"]
        self.id = api("POST", "/projects", name="anvil", **body)["id"]
        self.in_project = f"{API}/projects/{self.id}/packages/maven"
        self.in_group = f"{API}/groups/{self.group}/-/packages/maven"
        self.owner = ("root", os.environ["TENON_TOKEN"])
        self.nobody = ("nobody", "wrong")

    def deploy_token(self, scope):
        made = api("POST", f"/projects/{self.id}/deploy_tokens", name="ci", scopes=[scope])
        return made["username"], made["token"]

    def versions(self, artifact):
        found = api("GET", f"/projects/{self.id}/packages?package_name={artifact}&order_by=version")
        return [package["version"] for package in found]


class Maven:
    """A machine with nothing in its cache."""

    def __init__(self, directory, credentials):
        self.directory = pathlib.Path(directory)
        username, password = credentials
        settings = SETTINGS.format(directory=directory, username=username, password=password)
        self.settings = self.directory / "settings.xml"
        self.settings.write_text(settings)

    def run(self, folder, *arguments):
        command = ["mvn", "-B", "-U", "-s", str(self.settings), *arguments]
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=600, check=False
        )
        return done.returncode, done.stdout + done.stderr

    def deploy(self, repository, artifact, version, content):
        folder = self.directory / f"{artifact}-{next(numbers)}"
        resources = folder / "target/classes"
        resources.mkdir(parents=True)
        (resources / "content.txt").write_text(content)
        pom = POM.format(artifact=artifact, version=version, repository=repository)
        (folder / "pom.xml").write_text(pom)
        goals = [PLUGINS.format("jar", "jar"), PLUGINS.format("deploy", "deploy")]
        return self.run(folder, *goals)

    def resolve(self, repository, artifact, version):
        """The files that were fetched, or what was said."""
        folder = self.directory / f"consumer-{next(numbers)}"
        folder.mkdir()
        pom = CONSUMER.format(artifact=artifact, version=version, repository=repository)
        (folder / "pom.xml").write_text(pom)
        status, said = self.run(folder, PLUGINS.format("dependency", "copy-dependencies"))
        fetched = folder / "target/dependency"
        return status, said, sorted(fetched.glob("*.jar")) if fetched.exists() else []


@contextlib.contextmanager
def maven(credentials):
    with tempfile.TemporaryDirectory() as directory:
        yield Maven(directory, credentials)


def deploy(credentials, *what):
    with maven(credentials) as machine:
        status, said = machine.deploy(*what)
    assert status == 0, said


def content(jar):
    with zipfile.ZipFile(jar) as archive:
        return archive.read("content.txt").decode()


def resolved(credentials, repository, artifact, version):
    """Name and content of the one file that a clean machine fetches."""
    with maven(credentials) as machine:
        status, said, files = machine.resolve(repository, artifact, version)
        assert status == 0 and len(files) == 1, said
        return files[0].name, content(files[0])


def test_a_release_is_deployed_and_resolved_with_a_server_s_credentials_only():
    forge = Forge()
    deploy(forge.owner, forge.in_project, "anvil", "1.0", "one")
    assert forge.versions("anvil") == ["1.0"]
    for repository in [forge.in_project, forge.in_group]:
        assert resolved(forge.owner, repository, "anvil", "1.0") == ("anvil-1.0.jar", "one")
        with maven(forge.nobody) as machine:
            status, said, files = machine.resolve(repository, "anvil", "1.0")
            assert status != 0 and not files, said


def test_the_newest_of_several_releases_is_found_by_a_range():
    forge = Forge()
    for version in ["1.0", "1.1", "1.2"]:
        deploy(forge.owner, forge.in_project, "anvil", version, version)
    found = resolved(forge.owner, forge.in_group, "anvil", "[1.0,2.0)")
    assert found == ("anvil-1.2.jar", "1.2")
    packages = f"/projects/{forge.id}/packages"
    (last,) = api("GET", f"{packages}?package_version=1.2")
    gone = requests.delete(
        f"{API}{packages}/{last['id']}",
        headers={"PRIVATE-TOKEN": forge.owner[1]},
        timeout=60,
    )
    assert gone.status_code == 204, gone.text
    end_of_list = f"{forge.in_project}/com/acme/anvil/maven-metadata.xml"
    for _ in range(600):
        listed = requests.get(end_of_list, auth=forge.owner, timeout=60)
        if "1.2" not in listed.text:
            break
    found = resolved(forge.owner, forge.in_project, "anvil", "[1.0,2.0)")
    assert found == ("anvil-1.1.jar", "1.1")


def test_snapshots_move_on():
    forge = Forge()
    deploy(forge.owner, forge.in_project, "anvil", "1.0-SNAPSHOT", "first")
    with maven(forge.owner) as machine:
        status, said, files = machine.resolve(forge.in_project, "anvil", "1.0-SNAPSHOT")
        assert status == 0 and content(files[0]) == "first", said
        deploy(forge.owner, forge.in_project, "anvil", "1.0-SNAPSHOT", "second")
        status, said, files = machine.resolve(forge.in_project, "anvil", "1.0-SNAPSHOT")
        assert status == 0 and content(files[-1]) == "second", said
    assert resolved(forge.owner, forge.in_group, "anvil", "1.0-SNAPSHOT")[1] == "second"
    assert forge.versions("anvil") == ["1.0-SNAPSHOT"]


def test_deploy_tokens_do_what_their_scope_says():
    forge = Forge()
    writer = forge.deploy_token("write_package_registry")
    reader = forge.deploy_token("read_package_registry")
    deploy(writer, forge.in_project, "anvil", "1.0", "one")
    assert resolved(reader, forge.in_project, "anvil", "1.0")[1] == "one"
    with maven(reader) as machine:
        status, said = machine.deploy(forge.in_project, "anvil", "1.1", "x")
        assert status != 0 and "403" in said, said


def test_what_is_public_is_resolved_by_anyone():
    forge = Forge("public")
    deploy(forge.owner, forge.in_project, "anvil", "1.0", "one")
    with maven(("", "")) as machine:
        machine.settings.write_text(
            machine.settings.read_text().split("<servers>")[0] + "</settings>"
        )
        for repository in [forge.in_project, forge.in_group]:
            status, said, files = machine.resolve(repository, "anvil", "1.0")
            assert status == 0 and content(files[0]) == "one", said


def test_a_release_is_not_replaced_where_the_group_wants_that():
    forge = Forge()
    settings = f"/groups/{forge.group}/package_settings"
    api("PUT", settings, maven_duplicates_allowed=False)
    deploy(forge.owner, forge.in_project, "anvil", "1.0", "one")
    deploy(forge.owner, forge.in_project, "anvil", "1.1", "two")
    with maven(forge.owner) as machine:
        status, said = machine.deploy(forge.in_project, "anvil", "1.0", "another")
        assert status != 0 and "400" in said, said
    assert resolved(forge.owner, forge.in_project, "anvil", "1.0")[1] == "one"


def gradle(credentials, repository):
    """What Gradle fetches on a clean machine: the contents of two archives."""
    with tempfile.TemporaryDirectory() as directory:
        folder = pathlib.Path(directory)
        username, password = credentials
        facts = {"username": username, "password": password, "repository": repository}
        (folder / "build.gradle").write_text(GRADLE_CONSUMER.format(**facts))
        (folder / "settings.gradle").write_text("rootProject.name = 'consumer'\n")
        done = subprocess.run(
            ["gradle", "--no-daemon", "--console=plain", "fetch"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
            env=os.environ | {"GRADLE_USER_HOME": f"{directory}/home"},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return sorted(content(jar) for jar in folder.glob("fetched/*.jar"))


def test_gradle_resolves_what_maven_deployed():
    forge = Forge()
    reader = forge.deploy_token("read_package_registry")
    deploy(forge.owner, forge.in_project, "anvil", "1.0", "old anvil")
    deploy(forge.owner, forge.in_project, "anvil", "1.1", "anvil")
    deploy(forge.owner, forge.in_project, "tongs", "1.0-SNAPSHOT", "tongs")
    assert gradle(forge.owner, forge.in_group) == ["anvil", "tongs"]
    assert gradle(reader, forge.in_project) == ["anvil", "tongs"]


if shutil.which("mvn") is None:
    raise SystemExit("mvn is missing")
if shutil.which("gradle") is None:
    raise SystemExit("gradle is missing")
run(globals())
