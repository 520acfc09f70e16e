"""Repositories of three providers are imported, and PyGithub, atlassian-python-api and
python-gitlab, unmodified, read there and here: they see the same, object by object."""

import os
import pathlib
import tarfile
import tempfile
from datetime import datetime, timezone

import github
import requests
from atlassian import Bitbucket
from atlassian.bitbucket import Cloud

import stories
from as_root import ROOT
from imported import (
    ENDED, ask, download, ended, finished, is_by, large, lines, near, said, same, shown, threads, when,
)  # fmt: skip

# The doubles, which are found by now.
import anvil
import provider_a
import provider_b_cloud
import provider_b_server
from anvil import Anvil
from provider_a import ProviderA
from provider_b_cloud import ProviderBCloud
from provider_b_server import ProviderBServer
from served import Repositories, Served

MAIL = pathlib.Path(os.environ["TENON_MAIL"])


class There:
    """All three providers at one address, which the server was told as it began."""

    def __init__(self):
        self.served = Served(port=int(os.environ["UPSTREAM_PORT"]))
        url = self.served.url
        self.a = ProviderA()
        self.a.url = url
        self.git = Repositories(lambda asked: any(one.mine(asked) for one in (self.a, self.server, self.cloud)))
        self.anvil = Anvil(self.a, self.git)
        self.server = ProviderBServer(url, self.git)
        self.cloud = ProviderBCloud(url, self.git)
        parts = [self.anvil.files, self.a.answer, self.server.answer, self.cloud.answer, self.git.answer]
        self.served.parts = parts
        self.served.__enter__()


near(project_import_limit=0, project_export_limit=0, project_download_export_limit=0)
THERE = There()
ADA = ROOT.users.create({"username": "ada-here", "name": "Ada", "email": "ada@example.org",
                         "password": "plain-words-for-a-test", "skip_confirmation": True})  # fmt: skip
GROUP = ROOT.groups.create({"name": "imported", "path": "imported", "visibility": "public"})
MAP = {"ada": "ada-here"}


def begin(source, **wanted):
    """Begins an import; its project record."""
    record = stories.api("POST", f"/import/{source}", target_namespace=GROUP.full_path, user_map=MAP, **wanted)
    assert record["import_status"] in ("scheduled", "started", "finished"), record
    assert record["full_path"] == f"/{GROUP.full_path}/{record['name']}", record
    return record


# Provider A


def theirs():
    return github.Github(base_url=THERE.served.url + provider_a.API, auth=github.Auth.Token(provider_a.TOKEN),
                         per_page=3, retry=None).get_repo(anvil.NUMBER)  # fmt: skip


def from_a(**wanted):
    return begin("provider_a", personal_access_token=provider_a.TOKEN, repo_id=anvil.NUMBER, **wanted)


kept = {}


def test_an_import_of_provider_a_is_told_before_it_begins():
    told = stories.api("POST", "/import/provider_a", personal_access_token=provider_a.TOKEN, repo_id=anvil.NUMBER,
                       target_namespace=GROUP.full_path, dry_run=True)  # fmt: skip
    there = theirs()
    same(told["counts"]["issue"], sum(one.pull_request is None for one in there.get_issues(state="all")))
    same(told["counts"]["pull_request"], there.get_pulls(state="all").totalCount)
    same(told["counts"]["label"], there.get_labels().totalCount)
    same(told["counts"]["note"], there.get_issues_comments().totalCount)
    assert not GROUP.projects.list(get_all=True)


def test_provider_a_comes_whole():
    stages = {"attachments_import": True, "collaborators_import": True}
    record = from_a(pagination_limit=2, optional_stages=stages)
    assert (record["import_source"], record["provider_link"]) == ("acme/anvil", "/acme/anvil"), record
    project, told = finished(record)
    kept["project"] = project
    failed = [(one["relation_name"], one["exception_message"]) for one in told["failed_relations"]]
    assert len(failed) == 1 and failed[0][0] == "collaborator" and "auditor" in failed[0][1], failed
    assert provider_a.TOKEN not in str(told)


def test_the_project_is_the_same():
    ours, there = kept["project"], theirs()
    same((ours.name, ours.description, ours.visibility, ours.default_branch),
         (there.name, there.description, "private" if there.private else "public", there.default_branch))  # fmt: skip
    names = {branch.name: branch.commit["id"] for branch in ours.branches.list(get_all=True)}
    here = {name: tip for name, tip in names.items() if not name.startswith("PA-")}
    same(here, {"main": THERE.anvil.merged, "horn": THERE.anvil.horn})
    same([tag.name for tag in ours.tags.list(get_all=True)], ["v1.0"])
    labels = {(one.name, one.color.lower(), one.description) for one in ours.labels.list(get_all=True)}
    same(labels, {(one.name, f"#{one.color.lower()}", one.description) for one in there.get_labels()})
    states = {"open": "active", "closed": "closed"}
    milestones = {(one.iid, one.title, one.description, one.state, one.due_date, when(one.created_at))
                  for one in ours.milestones.list(get_all=True)}  # fmt: skip
    same(milestones, {(one.number, one.title, one.description, states[one.state], str(one.due_on.date()),
                       one.created_at) for one in there.get_milestones(state="all")})  # fmt: skip
    same([page.slug.lower() for page in ours.wikis.list(get_all=True)], ["home"])


def test_issues_are_the_same():
    ours, there = kept["project"], theirs()
    wanted = [one for one in there.get_issues(state="all") if one.pull_request is None]
    same(len(ours.issues.list(get_all=True)), len(wanted))
    states = {"open": "opened", "closed": "closed"}
    for one in wanted:
        issue = ours.issues.get(one.number)
        same((issue.title, issue.state, when(issue.created_at), when(issue.updated_at), when(issue.closed_at)),
             (one.title, states[one.state], one.created_at, one.updated_at, one.closed_at))  # fmt: skip
        same(set(issue.labels), {label.name for label in one.labels})
        same(bool(issue.discussion_locked), one.locked)
        same(issue.milestone and issue.milestone["title"], one.milestone and one.milestone.title)
        is_by(issue.author, one.user and one.user.login)
        for here, assigned in zip(sorted(issue.assignees, key=lambda it: it["username"]), one.assignees, strict=True):
            is_by(here, assigned.login)
        comments = list(one.get_comments())
        notes = said(issue.notes.list(get_all=True))
        same([when(note.created_at) for note in notes], [comment.created_at for comment in comments])
        for note, comment in zip(notes, comments, strict=True):
            is_by(note.author, comment.user and comment.user.login)
        names = {"+1": "thumbsup", "heart": "heart"}
        same(sorted(award.name for award in issue.awardemojis.list(get_all=True)),
             sorted(names[reaction.content] for reaction in one.get_reactions()))  # fmt: skip
        events = list(one.get_timeline())
        labeled = [(event.action, event.label["name"]) for event in issue.resourcelabelevents.list(get_all=True)]
        same(labeled, [("add", event.raw_data["label"]["name"]) for event in events if event.event == "labeled"])
        closed = [when(event.created_at) for event in issue.resourcestateevents.list(get_all=True)]
        same(closed, [event.created_at for event in events if event.event in ("closed", "reopened")])


def test_texts_name_what_is_here_and_are_safe():
    issue = kept["project"].issues.get(1)
    same(issue.description, "See !3 and #2 of `@ben`, not `#3`.")
    bodies = [note.body for note in said(issue.notes.list(get_all=True))]
    same(bodies, ["I see it, too", "I am gone", "Fixed by !6"])
    same([note.awardemojis.list()[0].name for note in said(issue.notes.list(get_all=True))[:1]], ["rocket"])
    looks = kept["project"].issues.get(7)
    page = requests.get(looks.web_url, timeout=30)
    assert page.ok and "<script>alert(1)" not in page.text


def test_files_came():
    ours = kept["project"]
    written = ours.issues.get(7).description
    assert THERE.served.host not in written and "/uploads/" in written, written
    address = written.split("(", 1)[1].split(")", 1)[0]
    assert download(f"/projects/{ours.id}{address}") == anvil.PICTURE
    release = ours.releases.get("v1.0")
    there = theirs().get_releases()[0]
    same((release.name, when(release.released_at), release.description),
         (there.name, there.published_at, "With !6, by `@ben`"))  # fmt: skip
    is_by(release.author, there.author.login)
    same(len(ours.releases.list(get_all=True)), 1)
    (link,) = release.assets["links"]
    same(link["name"], there.assets[0].name)
    secret = link["url"].split("/uploads/")[1]
    assert download(f"/projects/{ours.id}/uploads/{secret}") == anvil.ASSET
    assert large(ours.path_with_namespace, anvil.LARGE) == anvil.LARGE


def test_pull_requests_are_merge_requests():
    ours, there = kept["project"], theirs()
    wanted = list(there.get_pulls(state="all"))
    same(len(ours.mergerequests.list(get_all=True)), len(wanted))
    for one in wanted:
        mr = ours.mergerequests.get(one.number)
        state = "merged" if one.merged_at else {"open": "opened", "closed": "closed"}[one.state]
        same((mr.state, when(mr.created_at), when(mr.updated_at), when(mr.merged_at), mr.target_branch, mr.sha),
             (state, one.created_at, one.updated_at, one.merged_at, one.base.ref, one.head.sha))  # fmt: skip
        same((mr.draft, set(mr.labels)), (one.draft, {label.name for label in one.labels}))
        assert one.title in mr.title, mr.title
        is_by(mr.author, one.user and one.user.login)
        same(bool(mr.merged_by), bool(one.merged_by))
        if one.merged_by:
            is_by(mr.merged_by, one.merged_by.login)
            same(mr.merge_commit_sha, one.merge_commit_sha)
        comments = list(one.get_issue_comments())
        notes = [note for note in said(mr.notes.list(get_all=True)) if note.type is None]
        same([when(note.created_at) for note in notes if note.body not in ("Good", "Too cold")],
             [comment.created_at for comment in comments])  # fmt: skip
    branch = f"PA-{THERE.anvil.patch[:8]}-cyd/9/anvil/patch-1"
    same(ours.mergerequests.get(9).source_branch, branch)
    same(ours.mergerequests.get(3).description, "Closes #1, as !3 does")


def test_reviews_are_reviews():
    mr = kept["project"].mergerequests.get(3)
    found = threads(mr)
    comments = {comment.body: comment for comment in theirs().get_pull(3).get_review_comments()}
    same({"Why words?", "It was well", "What of this?", "The whole file"}, found.keys() & comments.keys())
    for body, notes in found.items():
        for note in notes:
            if note["body"] in comments:
                same(when(note["created_at"]), comments[note["body"]].created_at)
                is_by(note["author"], comments[note["body"]].user.login)
    same([note["body"] for note in found["Why words?"]], ["Why words?", "They last"])
    same(lines(found["Why words?"][0]), (None, 3))
    same(lines(found["It was well"][0]), (3, None))
    same(lines(found["What of this?"][0]), (10, 10))
    same(found["What of this?"][0]["position"]["head_sha"], THERE.anvil.older)
    same(found["The whole file"][0]["position"]["position_type"], "file")
    approved = [one["user"] for one in mr.approvals.get().approved_by]
    same(len(approved), 1)
    is_by(approved[0], "ben")
    states = {one.user["username"].split("_")[0]: one.state for one in mr.reviewer_details.list(get_all=True)}
    same((states["ben"], states["cyd"]), ("approved", "requested_changes"))
    assert {"Good", "Too cold"} <= found.keys(), found.keys()


def test_rules_and_people_came():
    ours = ROOT.projects.get(kept["project"].id)
    main = ours.protectedbranches.get("main")
    same((main.push_access_levels[0]["access_level"], main.code_owner_approval_required, main.allow_force_push),
         (0, True, False))  # fmt: skip
    same(ours.only_allow_merge_if_all_discussions_are_resolved, True)
    members = {member.username: member.access_level for member in ours.members.list(get_all=True)}
    assert members.get("ada-here", 0) >= 40 and "ben" not in str(members), members
    people = stories.api("GET", f"/groups/{GROUP.id}/placeholder_users")
    logins = {one["source_username"]: one for one in people}
    same(logins.keys(), {"ben", "cyd", "eve", "renovate[bot]"})
    same({one["source_hostname"] for one in people}, {THERE.served.host})
    same(logins["renovate[bot]"]["placeholder_user"]["name"], "Placeholder renovate[bot]")


def test_another_round_brings_nothing_twice_and_asks_with_etags():
    ours = kept["project"]
    count = lambda: (len(ours.issues.list(get_all=True)), len(ours.mergerequests.list(get_all=True)),
                     [len(said(ours.issues.get(1).notes.list(get_all=True)))],
                     {body: len(notes) for body, notes in threads(ours.mergerequests.get(3)).items()})  # fmt: skip
    before, asked = count(), len(THERE.served.seen)
    stories.api("POST", f"/projects/{ours.id}/import/retry", personal_access_token=provider_a.TOKEN)
    assert ended(ours.id)["import_status"] == "finished"
    same(count(), before)
    asked = [one for one in THERE.served.seen[asked:] if one.path.startswith(provider_a.API)]
    known = [one for one in asked if one.headers.get("If-None-Match")]
    assert known, "nothing was asked with an ETag"


def test_an_import_that_follows_brings_what_is_new():
    record = from_a(new_name="following", live=True)
    told = stories.until(lambda: shown(record["id"]), lambda it: it["last_synced_at"] or it["import_status"] in ENDED)
    assert told["live"] and told["import_status"] == "started", told
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    issues = THERE.a.lists[f"{THERE.anvil.path}/issues"]
    fresh = THERE.anvil.issue(20, "It is new", created_at=now, updated_at=now)
    old = issues[0]
    issues[0] = {**old, "title": "The horn is straight", "updated_at": now}
    issues.append(fresh)
    try:
        stories.api("POST", f"/projects/{record['id']}/import/cut_over")
        project, told = finished(record)
    finally:
        issues.remove(fresh)
        issues[0] = old
    assert told["live"] is False
    same(project.issues.get(20).title, "It is new")
    same(project.issues.get(1).title, "The horn is straight")
    same(len(project.issues.list(get_all=True)), 6)


def test_gists_become_snippets():
    git = THERE.git
    (git.root / "gists").mkdir()
    times = {"created_at": provider_a.at(2), "updated_at": provider_a.at(3)}
    for number, public, count in ((1, True, 1), (2, False, 2), (3, True, 11)):
        files = {f"{name}.txt": f"file {name} of {number}\n" for name in range(count)}
        git.begin(f"gists/{number}")
        git.commit(f"gists/{number}", files)
        git.push(f"gists/{number}", "main")
        named = {name: {"filename": name, "size": len(text), "raw_url": ""} for name, text in files.items()}
        address = f"{THERE.served.url}/gists/{number}.git"
        path = f"/gists/gist{number}"
        THERE.a.things[path] = {
            "id": f"gist{number}", "description": f"Gist {number}", "public": public, "files": named, **times,
            "truncated": False, "git_pull_url": address, "owner": provider_a.user("ada"),
            "url": THERE.served.url + provider_a.API + path,
        }  # fmt: skip
        THERE.a.add("/gists", THERE.a.things[path])
    begun = ask("/import/provider_a/gists", personal_access_token=provider_a.TOKEN)
    assert (begun.status_code, begun.content) == (202, b""), begun.text
    again = ask("/import/provider_a/gists", personal_access_token=provider_a.TOKEN)
    assert again.status_code in (202, 422), again.text
    written = lambda: [path.read_text(errors="replace") for path in MAIL.rglob("*") if path.is_file()]
    told = stories.until(written, lambda mails: any("Gist 3" in mail for mail in mails))
    assert any("maximum file count exceeded" in mail for mail in told), told
    there = {gist.description: gist for gist in github.Github(
        base_url=THERE.served.url + provider_a.API, auth=github.Auth.Token(provider_a.TOKEN),
        retry=None).get_user().get_gists()}  # fmt: skip
    ours = {snippet.title: snippet for snippet in ROOT.snippets.list(get_all=True)}
    same(ours.keys(), {"Gist 1", "Gist 2"})
    for title, snippet in ours.items():
        snippet = ROOT.snippets.get(snippet.id)
        same((snippet.visibility, when(snippet.created_at), when(snippet.updated_at)),
             ("public" if there[title].public else "private", there[title].created_at, there[title].updated_at))  # fmt: skip
        same({file["path"] for file in snippet.files}, set(there[title].files))


# Provider B's server


def test_a_server_of_provider_b_comes_whole():
    record = begin("provider_b_server", provider_b_server_url=THERE.served.url,
                   provider_b_server_username=provider_b_server.NAME, personal_access_token=provider_b_server.SECRET,
                   provider_b_server_project="PRJ", provider_b_server_repo="tool", new_name="of-server",
                   optional_stages={"collaborators_import": True})  # fmt: skip
    assert (record["import_source"], record["relation_type"]) == ("PRJ/tool", None), record
    ours, told = finished(record)
    assert not told["failed_relations"], told
    there = Bitbucket(url=THERE.served.url, username=provider_b_server.NAME, password=provider_b_server.SECRET)
    repository = there.get_repo("PRJ", "tool")
    same((ours.description, ours.visibility), (repository["description"], "private"))
    states = {"OPEN": "opened", "MERGED": "merged", "DECLINED": "closed"}
    wanted = list(there.get_pull_requests("PRJ", "tool", state="ALL", order="oldest"))
    same(len(ours.mergerequests.list(get_all=True)), len(wanted))
    for one in wanted:
        mr = ours.mergerequests.get(one["id"])
        same((mr.title, mr.description, mr.state, when(mr.created_at), mr.target_branch, mr.sha),
             (one["title"], one["description"], states[one["state"]], when(one["createdDate"]),
              one["toRef"]["displayId"], one["fromRef"]["latestCommit"]))  # fmt: skip
        is_by(mr.author, one["author"]["user"]["name"])
        activities = list(there.get_pull_requests_activities("PRJ", "tool", one["id"]))
        flat = []
        for activity in activities:
            gather(activity.get("comment"), flat)
        notes = said(mr.notes.list(get_all=True))
        same(sorted(when(note.created_at) for note in notes), sorted(when(it["createdDate"]) for it in flat))
        merged = [it["user"]["name"] for it in activities if it["action"] == "MERGED"]
        if merged:
            is_by(mr.merged_by, merged[0])
    same(ours.mergerequests.get(4).source_branch, f"PB-{THERE.server.heads[4][:8]}--CYD/4/tool/topic-4")
    first = ours.mergerequests.get(1)
    found = threads(first)
    same(lines(found["Why five?"][0]), (None, 5))
    same(lines(found["It was well"][0]), (5, None))
    same([note["body"] for note in found["Why five?"]], ["Why five?", "Indeed", "> Indeed\n\nBecause"])
    same([note["body"] for note in found["Fine otherwise"]], ["Fine otherwise"])
    same([one.state for one in first.reviewer_details.list(get_all=True)], ["requested_changes"])
    is_by(ours.mergerequests.get(2).approvals.get().approved_by[0]["user"], "ben")


def gather(comment, into):
    if comment:
        into.append(comment)
        for answer in comment["comments"]:
            gather(answer, into)


# Provider B's cloud


def test_the_cloud_of_provider_b_comes_whole():
    record = begin("provider_b_cloud", provider_b_cloud_username=provider_b_cloud.NAME,
                   provider_b_cloud_app_password=provider_b_cloud.SECRET, repo_path="works___tool",
                   new_name="of-cloud")  # fmt: skip
    ours, told = finished(record)
    assert not told["failed_relations"], told
    cloud = Cloud(url=THERE.served.url, username=provider_b_cloud.NAME, password=provider_b_cloud.SECRET, cloud=True)
    there = cloud.workspaces.get("works").repositories.get("tool")
    same((ours.description, ours.default_branch), (there.description, there.get_data("mainbranch")["name"]))
    same([page.slug.lower() for page in ours.wikis.list(get_all=True)], ["home"])
    closed = {"new": "opened", "resolved": "closed", "on hold": "opened"}
    wanted = list(there.issues.each())
    same(len(ours.issues.list(get_all=True)), len(wanted))
    for one in wanted:
        issue = ours.issues.get(one.id)
        same((issue.title, issue.state, when(issue.created_at), when(issue.updated_at)),
             (one.title, closed[one.get_data("state")], when(one.get_data("created_on")),
              when(one.get_data("updated_on"))))  # fmt: skip
        assert one.get_data("kind") in issue.labels, issue.labels
        is_by(issue.author, (one.get_data("reporter") or {}).get("nickname"))
        same(issue.milestone and issue.milestone["title"], (one.get_data("milestone") or {}).get("name"))
    notes = said(ours.issues.get(1).notes.list(get_all=True))
    same([note.body for note in notes], ["I hear it, too", "I am gone"])
    pull_requests(ours, there)


def pull_requests(ours, there):
    states = {"OPEN": "opened", "MERGED": "merged", "DECLINED": "closed"}
    wanted = list(there.pullrequests.each(q='state="OPEN" OR state="MERGED" OR state="DECLINED"'))
    same(len(ours.mergerequests.list(get_all=True)), len(wanted))
    for one in wanted:
        mr = ours.mergerequests.get(one.id)
        same((mr.title, mr.state, when(mr.created_at), mr.target_branch),
             (one.title, states[one.get_data("state")], when(one.get_data("created_on")), one.destination_branch))  # fmt: skip
        is_by(mr.author, (one.get_data("author") or {}).get("nickname"))
        same(mr.description, f"As `@ben` said in !{one.id}")
        comments = [it for it in one.comments() if not it.get_data("deleted")]
        notes = said(mr.notes.list(get_all=True))
        same([(note.body, when(note.created_at)) for note in notes],
             [(it.raw, when(it.get_data("created_on"))) for it in comments])  # fmt: skip
    first = threads(ours.mergerequests.get(1))
    same([note["body"] for note in first["Why so long?"]], ["Why so long?", "It is warmer", "Warmer than steel"])
    same((lines(first["Why so long?"][0]), lines(first["It was well"][0])), ((None, 5), (5, None)))
    same(ours.mergerequests.get(1).sha, THERE.cloud.grip)
    merged = ours.mergerequests.get(2)
    is_by(merged.merged_by, "ben")
    is_by(merged.approvals.get().approved_by[0]["user"], "ben")


# Files of projects


def test_a_project_goes_through_a_file():
    before = ROOT.projects.get(kept["project"].id)
    export = before.exports.create()
    stories.until(lambda: export.refresh() or export.export_status, lambda status: status == "finished")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "anvil.tar.gz"
        with path.open("wb") as file:
            export.download(streamed=True, action=file.write)
        names = packed(path)
        assert {"tenon-project.json", "end.json", "repository.bundle", "wiki.bundle"} <= names, names
        with path.open("rb") as file:
            made = ROOT.projects.import_project(file, path="copied", namespace=GROUP.full_path)
    project_import = ROOT.projects.get(made["id"], lazy=True).imports.get()
    stories.until(lambda: project_import.refresh() or project_import.import_status, lambda status: status in ENDED)
    assert project_import.import_status == "finished", project_import
    after = ROOT.projects.get(made["id"])
    same(told(after), told(before))
    assert large(after.path_with_namespace, anvil.LARGE) == anvil.LARGE


def packed(path):
    with tarfile.open(path) as members:
        return set(members.getnames())


def told(project):
    """What is told of all that a project has. Who did it may be others: a file names people of
    another server."""
    notes = lambda of: [(note.created_at, note.body) for note in said(of.notes.list(get_all=True))]
    issue = lambda one: (one.iid, one.title, one.state, one.created_at, one.updated_at, one.closed_at,
                         sorted(one.labels), bool(one.discussion_locked), notes(one))  # fmt: skip
    places = lambda found: [lines(note) for note in found if note.get("position")]
    mr = lambda one: (one.iid, one.title, one.description, one.state, one.sha, one.source_branch, one.created_at,
                      one.updated_at, one.merged_at, sorted(one.labels), notes(one),
                      sorted((body, places(found)) for body, found in threads(one).items()))  # fmt: skip
    every = lambda manager: sorted(manager.list(get_all=True), key=lambda one: one.iid)
    return {
        "issues": [issue(one) for one in every(project.issues)],
        "merge requests": [mr(project.mergerequests.get(one.iid)) for one in every(project.mergerequests)],
        "labels": sorted((one.name, one.color, one.description or "") for one in project.labels.list(get_all=True)),
        "milestones": [(one.iid, one.title, one.state) for one in every(project.milestones)],
        "branches": sorted((one.name, one.commit["id"]) for one in project.branches.list(get_all=True)),
        "releases": [(one.tag_name, one.name, one.released_at) for one in project.releases.list(get_all=True)],
        "wiki": [page.slug for page in project.wikis.list(get_all=True)],
    }


def test_what_proves_who_asks_is_told_nowhere():
    secrets = [provider_a.TOKEN, provider_b_server.SECRET, provider_b_cloud.SECRET]
    log = (MAIL.parent / "server.log").read_text(errors="replace")
    assert not any(secret in log for secret in secrets)
    assert not any(secret in asked.path + asked.query for asked in THERE.served.seen for secret in secrets)


stories.run(globals())
