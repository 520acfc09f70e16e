"""python-gitlab, unmodified, forks projects, sets push rules, and says what commits are worth."""

import stories
from as_root import ROOT, group_with_project, refused


def committed(name):
    """A project with one commit, and the group it is in."""
    group, project = group_with_project(name)
    action = {"action": "create", "file_path": "src/main.rs", "content": "fn main() {}\n"}
    project.commits.create({"branch": "main", "commit_message": "Begin", "actions": [action]})
    return group, project


def test_projects_are_forked_and_forks_end():
    group, project = committed("forked")
    fork = project.forks.create({"namespace_path": "root", "name": "Copy", "path": "forked-copy"})
    copy = ROOT.projects.get(fork.id)
    assert copy.forked_from_project["id"] == project.id
    assert copy.import_status == "finished"
    assert copy.files.get("src/main.rs", ref="main").decode() == b"fn main() {}\n"
    assert [one.id for one in project.forks.list(get_all=True)] == [fork.id]
    assert ROOT.projects.get(project.id).forks_count == 1
    refused(409, lambda: project.forks.create({"namespace_path": "root", "path": "forked-copy"}))
    copy.delete_fork_relation()
    assert not hasattr(ROOT.projects.get(fork.id), "forked_from_project")
    copy.create_fork_relation(project.id)
    assert ROOT.projects.get(fork.id).forked_from_project["id"] == project.id


def test_push_rules_are_set_asked_and_ended():
    group, project = committed("ruled")
    rules = project.pushrules.create({"commit_message_regex": "^Closes", "deny_delete_tag": True})
    assert rules.deny_delete_tag is True
    action = {"action": "create", "file_path": "a", "content": ""}
    data = {"branch": "main", "commit_message": "Forge", "actions": [action]}
    refused(400, lambda: project.commits.create(data))
    project.commits.create({**data, "commit_message": "Closes 1"})
    rules = project.pushrules.get()
    rules.commit_message_regex = ""
    rules.save()
    assert project.pushrules.get().commit_message_regex == ""
    rules.delete()
    ruled = group.pushrules.create({"member_check": True})
    assert group.pushrules.get().member_check is True
    ruled.delete()
    refused(404, lambda: group.pushrules.get())


def test_commits_have_statuses_comments_and_languages():
    _, project = committed("judged")
    commit = project.commits.get("main")
    assert commit.status is None
    commit.statuses.create({"state": "running", "name": "build"})
    commit.statuses.create({"state": "success", "name": "build", "description": "done"})
    assert [one.status for one in commit.statuses.list(get_all=True)] == ["success"]
    assert project.commits.get("main").status == "success"
    commit.comments.create({"note": "good", "path": "src/main.rs", "line": 1, "line_type": "new"})
    assert [one.line for one in commit.comments.list(get_all=True)] == [1]
    assert project.languages() == {"Rust": 100.0}


stories.run(globals())
