"""Charts are published as plugins do and fetched by Helm's own library, unmodified."""

import hashlib
import pathlib
import tempfile
import threading

import helm_python as helm
import requests
import yaml

import stories
from stories import URL, api

SECRET = stories.os.environ["TENON_TOKEN"]
ROOT = ("root", SECRET)
GROUP = api("POST", "/groups", name="Charts", path="charts-of-helm")["id"]


def project(name, visibility="private"):
    body = {"name": name, "namespace_id": GROUP, "visibility": visibility}
    return api("POST", "/projects", **body)["id"]


ANVIL = project("anvil")
REPOSITORY = f"{URL}/api/v4/projects/{ANVIL}/packages/helm"
STABLE = f"{REPOSITORY}/stable"
BESIDE = f"{URL}/api/v4/groups/{GROUP}/-/packages/helm/stable"


FOLDERS = tempfile.TemporaryDirectory(prefix="tenon-helm-")


def folder():
    return pathlib.Path(tempfile.mkdtemp(dir=FOLDERS.name))


def chart(name, version, needs=""):
    """The folder of a chart with one template."""
    place = folder() / name
    (place / "templates").mkdir(parents=True)
    (place / "Chart.yaml").write_text(
        f"apiVersion: v2\nname: {name}\nversion: {version}\nappVersion: \"1.10\"\n"
        f"description: Strikes <hard> \u00e4\u2028\n{needs}"
    )
    (place / "values.yaml").write_text("force: 1\n")
    (place / "templates" / "map.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Chart.Name }}\n"
    )
    return place


def packed(place):
    to = folder()
    helm.package(place, destination=to)
    (archive,) = to.iterdir()
    return archive


def push(archive, repository=REPOSITORY, channel="stable", who=ROOT):
    """As the chart-push plugin does, which is told the path by the index."""
    with archive.open("rb") as content:
        files = {"chart": (archive.name, content)}
        return requests.post(f"{repository}/api/{channel}/charts", files=files, auth=who)


def pulled(name, repository, version=None, who=ROOT):
    to = folder()
    helm.pull(name, repo_url=repository, version=version, destination=to, username=who[0], password=who[1])
    (archive,) = to.iterdir()
    return archive


FIRST, SECOND = packed(chart("hammer", "1.0.0")), packed(chart("hammer", "1.1.0"))
for one in [FIRST, SECOND]:
    answer = push(one)
    assert (answer.status_code, answer.json()) == (201, {"message": "201 Created"}), answer.text


def test_helm_reads_the_index():
    index = helm.repo_index(STABLE, username=ROOT[0], password=SECRET)
    versions = index["entries"]["hammer"]
    assert [one["version"] for one in versions] == ["1.1.0", "1.0.0"], versions
    assert versions[1]["digest"] == hashlib.sha256(FIRST.read_bytes()).hexdigest()
    assert versions[0]["appVersion"] == "1.10" and versions[0]["created"], versions


def test_another_yaml_reader_reads_the_same():
    answer = requests.get(f"{STABLE}/index.yaml", auth=ROOT)
    assert answer.headers["content-type"] == "text/yaml"
    index = yaml.safe_load(answer.content)
    assert index["apiVersion"] == "v1"
    assert index["serverInfo"] == {"contextPath": f"/api/v4/projects/{ANVIL}/packages/helm"}
    (newest, _) = index["entries"]["hammer"]
    assert newest["urls"] == ["charts/hammer-1.1.0.tgz"]
    assert newest["description"].startswith("Strikes <hard> \u00e4")


def test_helm_pulls_from_a_project_and_a_group():
    for repository in [STABLE, BESIDE]:
        assert pulled("hammer", repository).read_bytes() == SECOND.read_bytes()
        assert pulled("hammer", repository, "1.0.0").read_bytes() == FIRST.read_bytes()


def test_helm_renders_what_it_pulled():
    with helm.Chart.load(str(pulled("hammer", STABLE))) as loaded:
        assert (loaded.name, loaded.version) == ("hammer", "1.1.0")
        manifests = loaded.render({}, name="demo", namespace="prod")
    assert "name: hammer" in manifests["hammer/templates/map.yaml"], manifests


def test_strangers_pull_nothing_private():
    for who in [(None, None), ("root", "wrong")]:
        try:
            pulled("hammer", STABLE, who=who)
        except helm.HelmError as error:
            assert "401" in str(error), error
        else:
            raise AssertionError("a stranger pulled a private chart")
    assert push(FIRST, who=("root", "wrong")).status_code == 401


def test_strangers_pull_what_is_public():
    api("PUT", f"/groups/{GROUP}", visibility="public")
    fountain = f"{URL}/api/v4/projects/{project('fountain', 'public')}/packages/helm"
    assert push(packed(chart("nail", "2.0.0")), fountain).status_code == 201
    assert pulled("nail", f"{fountain}/stable", who=(None, None)).name == "nail-2.0.0.tgz"


def test_charts_need_charts_of_a_public_project():
    api("PUT", f"/groups/{GROUP}", visibility="public")
    source = f"{URL}/api/v4/projects/{project('source', 'public')}/packages/helm"
    assert push(packed(chart("iron", "1.2.3")), source).status_code == 201
    needs = f'dependencies:\n- name: iron\n  version: ">=1.0.0"\n  repository: {source}/stable\n'
    place = chart("sword", "1.0.0", needs)
    helm.dependency_update(place)
    assert (place / "charts" / "iron-1.2.3.tgz").is_file()
    assert push(packed(place), source).status_code == 201
    assert pulled("sword", f"{source}/stable", who=(None, None)).is_file()


def test_deploy_tokens_push_and_pull():
    place = f"/projects/{ANVIL}/deploy_tokens"
    write = api("POST", place, name="machine", scopes=["write_package_registry"])
    assert push(packed(chart("rivet", "1.0.0")), who=(write["username"], write["token"])).ok
    read = api("POST", place, name="reader", scopes=["read_package_registry"])
    who = (read["username"], read["token"])
    assert push(FIRST, who=who).status_code == 403
    assert pulled("rivet", STABLE, who=who).name == "rivet-1.0.0.tgz"


def test_eight_readers_beside_eight_publishers_read_whole_documents():
    archives = [packed(chart(f"chart{number}", "1.0.0")) for number in range(8)]
    seen, failed = [], []

    def publish(archive):
        answer = push(archive, channel="busy")
        if answer.status_code != 201:
            failed.append(answer.text)

    def read():
        for _ in range(5):
            index = yaml.safe_load(requests.get(f"{REPOSITORY}/busy/index.yaml", auth=ROOT).text)
            seen.append(len(index["entries"]))

    threads = [threading.Thread(target=publish, args=[archive]) for archive in archives]
    threads += [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed
    assert len(seen) == 40, seen
    index = helm.repo_index(f"{REPOSITORY}/busy", username=ROOT[0], password=SECRET)
    assert sorted(index["entries"]) == [f"chart{number}" for number in range(8)]


stories.run(globals())
