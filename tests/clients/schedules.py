"""python-gitlab, unmodified: schedules, triggers, statuses, job token scope, reports."""

import gitlab

import stories
from as_root import ROOT, group_with_project, refused
from stories import URL

FILE = "compile: {script: make}\n"


def with_file(name):
    """A project with a pipeline file, and no pipeline of a push."""
    group, project = group_with_project(name)
    action = {"action": "create", "file_path": ".gitlab-ci.yml", "content": FILE}
    commit = {"branch": "main", "commit_message": "Begin [skip ci]", "actions": [action]}
    project.commits.create(commit)
    return group, project


def test_a_schedule_is_made_changed_and_deleted():
    _, project = with_file("schedules-made")
    made = project.pipelineschedules.create(
        {"description": "Nightly", "ref": "main", "cron": "0 4 * * *", "cron_timezone": "Asia/Tokyo"}
    )
    assert (made.ref, made.active, made.owner["username"]) == ("refs/heads/main", True, "root")
    assert [one.id for one in project.pipelineschedules.list(get_all=True)] == [made.id]
    made.variables.create({"key": "GRAIN", "value": "rye"})
    found = project.pipelineschedules.get(made.id)
    assert [one["key"] for one in found.attributes["variables"]] == ["GRAIN"]
    found.variables.update("GRAIN", {"value": "oats"})
    found.variables.delete("GRAIN")
    found.description = "Weekly"
    found.cron = "0 4 * * 1"
    found.save()
    assert project.pipelineschedules.get(made.id).cron == "0 4 * * 1"
    found.take_ownership()
    found.play()
    assert isinstance(project.pipelineschedules.get(made.id).pipelines.list(get_all=True), list)
    refused(400, lambda: project.pipelineschedules.create(
        {"description": "x", "ref": "main", "cron": "never"}))
    project.pipelineschedules.delete(made.id)
    refused(404, lambda: project.pipelineschedules.get(made.id))


def test_a_trigger_begins_a_pipeline():
    _, project = with_file("schedules-triggers")
    trigger = project.triggers.create({"description": "shop"})
    short = project.triggers.get(trigger.id).token
    assert len(short) == 4 and short in trigger.token
    # It needs no other credentials than the token.
    outside = gitlab.Gitlab(URL).projects.get(project.id, lazy=True)
    pipeline = outside.trigger_pipeline("main", trigger.token, variables={"GRAIN": "rye"})
    assert (pipeline.source, pipeline.ref) == ("trigger", "main")
    given = project.pipelines.get(pipeline.id).variables.list(get_all=True)
    assert [one.key for one in given] == ["GRAIN", "TRIGGER_PAYLOAD"]
    refused(404, lambda: outside.trigger_pipeline("main", "svtt-wrong"))
    report = project.pipelines.get(pipeline.id).test_report.get()
    assert (report.total_count, report.test_suites) == (0, [])
    summary = project.pipelines.get(pipeline.id).test_report_summary.get()
    assert summary.total["count"] == 0
    trigger.delete()
    refused(404, lambda: project.triggers.get(trigger.id))


def test_a_program_says_how_far_a_commit_is():
    _, project = with_file("schedules-statuses")
    commit = project.commits.list(get_all=True)[0]
    commit.statuses.create({"state": "running", "name": "sieve"})
    refused(400, lambda: commit.statuses.create({"state": "running", "name": "sieve"}))
    commit.statuses.create({"state": "success", "name": "sieve"})
    said = commit.statuses.list(get_all=True)
    assert [one.status for one in said] == ["success"]
    pipeline = project.pipelines.get(said[0].pipeline_id)
    assert (pipeline.source, pipeline.status) == ("external", "success")
    assert project.commits.get(commit.id).last_pipeline["id"] == pipeline.id


def test_a_project_says_whose_jobs_enter():
    group, project = with_file("schedules-tokens")
    other = ROOT.projects.create({"name": "bakery", "namespace_id": group.id})
    scope = project.job_token_scope.get()
    assert scope.inbound_enabled is True
    scope.enabled = False
    scope.save()
    scope.refresh()
    assert scope.inbound_enabled is False
    scope.allowlist.create({"target_project_id": other.id})
    assert [one.id for one in scope.allowlist.list(get_all=True)] == [project.id, other.id]
    scope.groups_allowlist.create({"target_group_id": group.id})
    assert [one.id for one in scope.groups_allowlist.list(get_all=True)] == [group.id]
    scope.allowlist.delete(other.id)
    scope.groups_allowlist.delete(group.id)
    assert [one.id for one in scope.allowlist.list(get_all=True)] == [project.id]


def test_a_project_says_how_its_pipelines_run():
    _, project = with_file("schedules-settings")
    assert (project.build_timeout, project.ci_config_path) == (3600, None)
    project.build_timeout = 7200
    project.ci_config_path = "ci/main.yml"
    project.auto_cancel_pending_pipelines = "disabled"
    project.save()
    found = ROOT.projects.get(project.id)
    assert (found.build_timeout, found.ci_config_path) == (7200, "ci/main.yml")
    assert found.auto_cancel_pending_pipelines == "disabled"


if __name__ == "__main__":
    stories.run(globals())
