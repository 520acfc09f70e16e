"""python-gitlab, unmodified, opens merge requests, finds and changes them, and merges them."""

import gitlab

import stories
from as_root import ROOT, refused
from proposals import LIST, commit, forge, member, proposed, settled
from stories import until

WAITS = "smithy: {script: hammer, rules: [{if: '$CI_PIPELINE_SOURCE == \"merge_request_event\"'}]}"


def iids(found):
    return [one.iid for one in found]


def test_merge_requests_are_made_changed_and_deleted():
    _, project = forge("proposed")
    user, _ = member(project)
    made = proposed(
        project, "anvil", description="- [x] iron\n- [ ] coal", labels=["heavy", "new"],
        assignee_ids=[user.id], reviewer_ids=[user.id], squash=True, remove_source_branch=True,
    )
    assert (made.iid, made.state, made.draft, made.merged_at) == (1, "opened", False, None)
    assert (made.labels, made.squash, made.force_remove_source_branch) == (["heavy", "new"], True, True)
    assert [one["username"] for one in made.assignees + made.reviewers] == [user.username] * 2
    assert made.task_completion_status == {"count": 2, "completed_count": 1}
    assert (made.changes_count, made.diff_refs["head_sha"]) == ("1", made.sha)
    assert made.references["full"] == "proposed/anvil!1"
    assert project.mergerequests.get("1").id == made.id
    lazy = project.mergerequests.get(1, lazy=True)
    assert lazy.iid == 1 and [one.title for one in lazy.commits()] == ["Forge it"]
    assert project.mergerequests.get(1, render_html=True).description_html.startswith("<ul")

    made.title, made.labels, made.discussion_locked = "Draft: A heavy anvil", ["heavy"], True
    made.reviewer_ids = []
    made.save()
    assert (made.draft, made.detailed_merge_status) == (True, "draft_status")
    again = project.mergerequests.get(1)
    assert (again.labels, again.reviewers, again.discussion_locked) == (["heavy"], [], True)
    again.state_event = "close"
    again.save()
    assert (again.state, again.closed_by["username"]) == ("closed", "root")
    again.state_event = "reopen"
    again.save()
    assert (again.state, again.closed_at) == ("opened", None)

    wanted = {"source_branch": "anvil", "target_branch": "main", "title": "Twin"}
    refused(409, lambda: project.mergerequests.create(wanted))
    refused(422, lambda: project.mergerequests.create({**wanted, "source_branch": "main"}))
    refused(422, lambda: project.mergerequests.create({**wanted, "source_branch": "none"}))
    again.delete()
    refused(404, lambda: project.mergerequests.get(1))
    assert project.branches.get("anvil").name == "anvil"


def test_lists_of_projects_groups_and_all_are_filtered():
    group, project = forge("listed")
    user, own = member(project)
    milestone = project.milestones.create({"title": "1.0"})
    proposed(project, "anvil", labels=["heavy", "iron"], milestone_id=milestone.id)
    proposed(project, "bellows", title="Draft: Bellows", labels=["iron"], reviewer_ids=[user.id])
    proposed(own, "coal", description="It glows.", assignee_ids=[user.id])
    closed = project.mergerequests.get(1)
    closed.state_event = "close"
    closed.save()

    asked = lambda **filters: iids(project.mergerequests.list(get_all=True, **filters))
    assert asked() == [3, 2, 1]
    assert asked(sort="asc", order_by="created_at") == [1, 2, 3]
    assert asked(state="opened") == [3, 2] and asked(state="closed") == [1]
    assert asked(labels=["iron"]) == [2, 1] and asked(labels=["iron", "heavy"]) == [1]
    assert asked(labels="None") == [3] and asked(milestone="1.0") == [1]
    assert asked(iids=[1, 3]) == [3, 1] and asked(author_id=user.id) == [3]
    assert asked(assignee_id=user.id) == [3] and asked(assignee_id="None") == [2, 1]
    assert asked(reviewer_username=user.username) == [2] and asked(wip="yes") == [2]
    assert asked(source_branch="coal") == [3] and asked(target_branch="coal") == []
    assert asked(search="glows") == [3] and asked(search="glows", **{"in": "title"}) == []
    assert asked(approver_ids=[user.id], author_id=user.id, state="opened") == []
    assert asked(approved_by_ids="None") == [3, 2, 1]
    simple = project.mergerequests.list(view="simple", get_all=True)[0]
    assert set(simple.asdict()) == {
        "id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at",
        "web_url",
    }
    detailed = project.mergerequests.list(iids=[2], with_labels_details=True, get_all=True)
    assert [one["name"] for one in detailed[0].labels] == ["iron"]

    assert iids(group.mergerequests.list(state="opened", get_all=True)) == [3, 2]
    everywhere = lambda gl, **filters: [
        one.iid for one in gl.mergerequests.list(get_all=True, **filters)
        if one.project_id == project.id
    ]
    assert everywhere(ROOT) == [2, 1] and everywhere(ROOT, scope="all") == [3, 2, 1]
    theirs = own.manager.gitlab
    assert everywhere(theirs) == [3] and everywhere(theirs, scope="assigned_to_me") == [3]
    assert everywhere(theirs, scope="all", reviewer_id=user.id) == [2]
    page = project.mergerequests.list(per_page=2, page=2)
    assert iids(page) == [1]
    assert project.mergerequests.list(iterator=True, per_page=2).total == 3


def test_what_is_changed_and_who_takes_part():
    _, project = forge("shown")
    user, own = member(project)
    issue = project.issues.create({"title": "Too light"})
    other = project.issues.create({"title": "Too cold"})
    made = proposed(
        own, "anvil", {"list.txt": LIST.replace("7\n", "seven\n")}, action="update",
        description=f"Closes #{issue.iid}, see #{other.iid}",
    )
    made = project.mergerequests.get(made.iid)
    assert [(one.title, one.id) for one in made.commits()] == [("Forge it", made.sha)]
    changes = made.changes()
    (file,) = changes["changes"]
    assert (file["new_path"], file["new_file"], changes["overflow"]) == ("list.txt", False, False)
    assert file["diff"].startswith("@@ -4,7 +4,7 @@") and "\n-7\n+seven\n" in file["diff"]
    assert made.changes(access_raw_diffs=True)["changes"] == changes["changes"]

    (version,) = made.diffs.list(get_all=True)
    assert (version.state, version.head_commit_sha, version.real_size) == ("collected", made.sha, "1")
    whole = made.diffs.get(version.id)
    assert [one["new_path"] for one in whole.diffs] == ["list.txt"]
    assert [one["id"] for one in whole.commits] == [made.sha]
    commit(project, "anvil", {"coal.txt": "black\n"})
    now = until(lambda: project.mergerequests.get(1), lambda it: it.changes_count == "2")
    assert [one.real_size for one in now.diffs.list(get_all=True)] == ["2", "1"]
    assert [one.title for one in now.commits()] == ["Forge it", "Forge it"]

    made.notes.create({"body": "Good iron."})
    people = {one["username"] for one in made.participants()}
    assert people == {user.username, "root"}
    assert [one.iid for one in made.closes_issues()] == [issue.iid]
    assert sorted(one.iid for one in made.related_issues()) == [issue.iid, other.iid]
    assert [one["iid"] for one in issue.closed_by()] == [1]
    assert [one["iid"] for one in issue.related_merge_requests()] == [1]
    listed = project.commits.get(now.sha).merge_requests()
    assert [one["iid"] for one in listed] == [1]
    assert made.status_checks.list(get_all=True) == []
    refused(403, lambda: project.merge_trains.list(get_all=True))


def test_one_is_merged_once():
    _, project = forge("merged")
    issue = project.issues.create({"title": "No anvil"})
    made = proposed(project, "anvil", description=f"Closes #{issue.iid}")
    assert (made.detailed_merge_status, made.merge_status) == ("mergeable", "can_be_merged")
    assert made.user == {"can_merge": True}
    refused(409, lambda: made.merge(sha="0" * 40))
    made.merge(sha=made.sha)
    merged = project.mergerequests.get(1)
    assert (merged.state, merged.merge_when_pipeline_succeeds) == ("merged", False)
    assert merged.merged_at is not None and merged.merge_user["username"] == "root"
    commit_made = project.commits.get(merged.merge_commit_sha)
    assert commit_made.parent_ids[1] == merged.sha
    assert commit_made.message == (
        "Merge branch 'anvil' into 'main'\n\nAdd anvil\n\nCloses #1\n\nSee merge request merged/anvil!1"
    )
    assert project.files.get("anvil.txt", ref="main").decode() == b"iron\n"
    until(lambda: project.issues.get(issue.iid), lambda it: it.state == "closed")
    try:
        made.merge()
    except gitlab.GitlabMRClosedError as error:
        assert error.response_code == 405, error
    else:
        raise AssertionError("it is merged a second time")


def test_the_source_branch_goes_or_stays():
    _, project = forge("branches-gone")
    proposed(project, "anvil").merge(should_remove_source_branch=True)
    until(lambda: [one.name for one in project.branches.list(get_all=True)], lambda it: it == ["main"])
    message = "large_message\r\n" * 1000
    kept = proposed(project, "bellows", remove_source_branch=True)
    kept.merge(merge_commit_message=message, should_remove_source_branch=False)
    kept = project.mergerequests.get(kept.iid)
    assert kept.merged_at is not None and kept.should_remove_source_branch is False
    assert project.commits.get(kept.merge_commit_sha).message.splitlines() == message.splitlines()
    assert project.branches.get("bellows").commit["id"] == kept.sha


def test_commits_become_one():
    _, project = forge("squashed")
    made = proposed(project, "anvil", squash=True)
    commit(project, "anvil", {"horn.txt": "round\n"}, "Add a horn")
    made = settled(project, 1)
    made.merge(squash_commit_message="An anvil with a horn")
    merged = project.mergerequests.get(1)
    squashed = project.commits.get(merged.squash_commit_sha)
    assert (squashed.title, len(squashed.parent_ids)) == ("An anvil with a horn", 1)
    assert project.commits.get(merged.merge_commit_sha).parent_ids[1] == squashed.id


def test_the_commit_of_a_merge_is_shown_unless_there_is_a_conflict():
    _, project = forge("tried")
    made = proposed(project, "anvil")
    tried = project.commits.get(made.merge_ref()["commit_id"])
    assert tried.parent_ids == [project.branches.get("main").commit["id"], made.sha]
    commit(project, "main", {"anvil.txt": "wood\n"}, "Another anvil")
    refused(400, made.merge_ref)
    conflict = settled(project, 1)
    assert (conflict.has_conflicts, conflict.detailed_merge_status) == (True, "conflict")
    assert conflict.merge_status == "cannot_be_merged"
    refused(405, conflict.merge)


def test_a_branch_is_made_again_on_its_target():
    _, project = forge("rebased")
    made = proposed(project, "anvil")
    commit(project, "main", {"coal.txt": "black\n"}, "Add coal")
    asked = {"include_rebase_in_progress": True, "include_diverged_commits_count": True}
    assert project.mergerequests.get(1, **asked).diverged_commits_count == 1
    assert made.rebase() == {"rebase_in_progress": True}
    done = until(
        lambda: project.mergerequests.get(1, **asked), lambda it: not it.rebase_in_progress
    )
    assert (done.merge_error, done.diverged_commits_count) == (None, 0)
    assert done.sha == project.branches.get("anvil").commit["id"] != made.sha
    assert project.commits.get(done.sha).parent_ids == [project.branches.get("main").commit["id"]]


def test_a_merge_that_waits_is_called_off():
    _, project = forge("waiting")
    made = proposed(project, "anvil", {".gitlab-ci.yml": WAITS})
    until(lambda: project.mergerequests.get(1), lambda it: it.head_pipeline)
    (pipeline,) = made.pipelines.list(get_all=True)
    assert (pipeline.sha, pipeline.source) == (made.sha, "merge_request_event")
    made.merge(merge_when_pipeline_succeeds=True)
    waiting = project.mergerequests.get(1)
    assert (waiting.merged_at, waiting.merge_when_pipeline_succeeds) == (None, True)
    assert waiting.merge_user["username"] == "root"
    assert waiting.cancel_merge_when_pipeline_succeeds() == {"status": "success"}
    assert project.mergerequests.get(1).merge_when_pipeline_succeeds is False
    refused(406, waiting.cancel_merge_when_pipeline_succeeds)


def test_pipelines_are_begun_by_hand():
    _, project = forge("piped")
    made = proposed(project, "anvil", {".gitlab-ci.yml": WAITS})
    first = until(lambda: made.pipelines.list(get_all=True), lambda it: len(it) == 1)[0]
    second = made.pipelines.create()
    assert (second.sha, second.source, second.ref) == (made.sha, "merge_request_event", "refs/merge-requests/1/head")
    assert [one.id for one in made.pipelines.list(get_all=True)] == [second.id, first.id]
    bare = proposed(project, "bellows")
    refused(400, bare.pipelines.create)


def test_a_merge_waits_for_what_others_say_of_the_commit():
    _, project = forge("judged")
    made = proposed(project, "anvil")
    status = {"name": "outside", "ref": "anvil"}
    project.commits.get(made.sha).statuses.create({**status, "state": "running"})
    until(lambda: project.mergerequests.get(1), lambda it: it.head_pipeline)
    made.merge(merge_when_pipeline_succeeds=True, should_remove_source_branch=True)
    waiting = project.mergerequests.get(1)
    assert (waiting.state, waiting.merge_when_pipeline_succeeds) == ("opened", True)
    project.commits.get(made.sha).statuses.create({**status, "state": "success"})
    merged = until(lambda: project.mergerequests.get(1), lambda it: it.state == "merged")
    assert merged.merge_user["username"] == "root"


def test_forks_are_merged_from():
    group, project = forge("forked-from")
    project.visibility = "public"
    group.visibility = "public"
    group.save()
    project.save()
    _, own = member(project, 10)
    fork = own.forks.create({})
    look = lambda: own.manager.gitlab.projects.get(fork.id)
    fork = until(look, lambda it: it.import_status == "finished")
    commit(fork, "anvil", {"anvil.txt": "iron\n"}, start="main")
    made = fork.mergerequests.create({
        "source_branch": "anvil", "target_branch": "main", "title": "Add an anvil",
        "target_project_id": project.id, "allow_collaboration": True,
    })
    assert (made.project_id, made.source_project_id) == (project.id, fork.id)
    assert made.allow_collaboration is True and made.allow_maintainer_to_push is True
    refused(401, lambda: own.mergerequests.get(made.iid).merge())
    settled(project, made.iid).merge()
    assert project.files.get("anvil.txt", ref="main").decode() == b"iron\n"


if __name__ == "__main__":
    stories.run(globals())
