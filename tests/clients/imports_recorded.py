"""Imports of what others recorded of real services, or generate from their descriptions:
@octokit/fixtures, Prism over @octokit/openapi, and the answers in atlassian-python-api's source."""

import os
import pathlib

import github
from atlassian import Bitbucket
from atlassian.bitbucket import Cloud

import stories
from as_root import ROOT
from imported import ask, failed, finished, near, same, when

# The doubles, which are found by now.
from recorded import Atlassian, Fixtures, Prism
from served import Repositories, Served

near()
SERVED = Served(port=int(os.environ["UPSTREAM_PORT"]))
URL = SERVED.url
GIT = Repositories()
PLACE = (os.environ["NODE"], pathlib.Path(os.environ["NODE_PATH"]))
FIXTURES = Fixtures(URL, *PLACE)
PRISM = Prism(URL, *PLACE)
SERVED.parts = [FIXTURES.answer, PRISM.unending, PRISM.answer, Atlassian(URL).answer, GIT.answer]
SERVED.__enter__()
for name, branch in (
    ("octokit-fixture-org/hello-world", "main"),
    ("octocat/Hello-World", "master"),
    ("TestWorkspace1/testrepository1", "master"),
    ("scm/prj/my-repo1-slug", "master"),
):
    (GIT.root / name).parent.mkdir(parents=True, exist_ok=True)
    GIT.begin(name, branch)
    GIT.commit(name, {"README.md": f"# {name}\n"})
    GIT.push(name, branch)


def from_a(double, **wanted):
    answer = ask("/import/provider_a", personal_access_token="recorded", repo_id=double.NUMBER,
                 target_namespace="root", provider_a_hostname=URL + wanted.pop("api", double.API), **wanted)  # fmt: skip
    assert answer.status_code == 201, answer.text
    return answer.json()


def theirs(double):
    return github.Github(base_url=URL + double.API, auth=github.Auth.Token("recorded"),
                         retry=None).get_repo(double.NUMBER)  # fmt: skip


def test_recorded_answers_of_provider_a_are_read():
    ours, told = finished(from_a(FIXTURES, new_name="recorded"))
    assert not told["failed_relations"], told
    there = theirs(FIXTURES)
    same({(one.name, one.color) for one in ours.labels.list(get_all=True)},
         {(one.name, f"#{one.color}") for one in there.get_labels()})  # fmt: skip
    issues = {one.number: one for one in there.get_issues(state="all")}
    same(len(issues), 13)
    same({one.iid: (one.title, when(one.created_at)) for one in ours.issues.list(get_all=True)},
         {number: (one.title, one.created_at) for number, one in issues.items()})  # fmt: skip


def test_what_a_description_generates_is_read():
    ours, told = finished(from_a(PRISM, new_name="generated"))
    there = theirs(PRISM)
    same(told["stats"]["fetched"]["pull_request"], there.get_pulls(state="all").totalCount)
    same([mr.title for mr in ours.mergerequests.list(get_all=True)],
         [pull.title for pull in there.get_pulls(state="all")])  # fmt: skip
    names = {one.name for one in ours.labels.list(get_all=True)}
    assert {one.name for one in there.get_labels()} <= names, names
    same([one.tag_name for one in ours.releases.list(get_all=True)], [one.tag_name for one in there.get_releases()])
    same([(one.iid, one.title) for one in ours.milestones.list(get_all=True)],
         [(one.number, one.title) for one in there.get_milestones(state="all")])  # fmt: skip


def test_lists_that_go_on_elsewhere_end_an_import():
    stages = {"collaborators_import": False}
    record = from_a(PRISM, api=f"{PRISM.API}/unending", new_name="elsewhere", optional_stages=stages)
    error = failed(record)
    assert "Invalid pagination URL" in error, error


def test_recorded_answers_of_provider_b_s_cloud_are_read():
    answer = ask("/import/provider_b_cloud", provider_b_cloud_username="ada", provider_b_cloud_app_password="recorded",
                 repo_path="TestWorkspace1/testrepository1", target_namespace="root", new_name="of-cloud")  # fmt: skip
    assert answer.status_code == 201, answer.text
    ours, told = finished(answer.json())
    there = Cloud(url=URL, username="ada", password="recorded", cloud=True)
    there = there.workspaces.get("TestWorkspace1").repositories.get("testrepository1")
    same((ours.description, ours.visibility), (there.description, "private"))
    same({one.iid: (one.title, one.state, when(one.created_at)) for one in ours.issues.list(get_all=True)},
         {one.id: (one.title, "opened", when(one.get_data("created_on"))) for one in there.issues.each()})  # fmt: skip
    wanted = {one.id: one for one in there.pullrequests.each()}
    came = {one.iid: one.title for one in ours.mergerequests.list(get_all=True)}
    same(came, {number: one.title for number, one in wanted.items() if number in came})
    # Two that are open from one branch to another cannot be: it is told which came not.
    lost = {one["exception_message"] for one in told["failed_relations"] if one["relation_name"] == "pull_request"}
    same(len(lost), len(wanted) - len(came))
    assert all("an open one of the same branches" in text for text in lost), lost
    notes = [note for note in ours.mergerequests.get(1).notes.list(get_all=True) if not note.system]
    same(sorted(note.body for note in notes), sorted(comment.raw for comment in wanted[1].comments()))


def test_recorded_answers_of_provider_b_s_server_are_read():
    answer = ask("/import/provider_b_server", provider_b_server_url=URL, provider_b_server_username="ada",
                 personal_access_token="recorded", provider_b_server_project="PRJ",
                 provider_b_server_repo="my-repo1-slug", optional_stages={"collaborators_import": True})  # fmt: skip
    assert answer.status_code == 201, answer.text
    ours, told = finished(answer.json())
    there = Bitbucket(url=URL, username="ada", password="recorded")
    repository = there.get_repo("PRJ", "my-repo1-slug")
    same((ours.name, ours.description), (repository["name"], repository["description"]))
    # Each came, or is told of: what was recorded names permissions in fewer words.
    count = told["stats"]["imported"].get("collaborator", 0) + len(told["failed_relations"])
    same(count, len(list(there.project_users("PRJ"))))
    same(ROOT.projects.get(ours.id).commits.list(get_all=True)[0].title, "Forge")


stories.run(globals())
