"""python-gitlab, unmodified, begins pipelines, and starts, ends and repeats their jobs."""

import stories
from as_root import ROOT, group_with_project, refused

FILE = """
stages: [build, deploy]
compile: {stage: build, script: make, tags: [linux]}
ship: {stage: deploy, script: make ship, when: manual, needs: []}
"""


def with_file(name, content=FILE):
    """A project with a pipeline file, and no pipeline of a push."""
    _, project = group_with_project(name)
    action = {"action": "create", "file_path": ".gitlab-ci.yml", "content": content}
    commit = {"branch": "main", "commit_message": "Begin [skip ci]", "actions": [action]}
    project.commits.create(commit)
    return project


def test_a_pipeline_is_made_found_and_deleted():
    project = with_file("pipelines-made")
    given = [{"key": "WHO", "value": "me"}]
    made = project.pipelines.create({"ref": "main", "variables": given})
    assert (made.ref, made.source, made.status) == ("main", "api", "pending")
    assert made.id in [one.id for one in project.pipelines.list(get_all=True)]
    assert project.pipelines.latest(ref="main").sha == made.sha
    found = project.pipelines.get(made.id)
    assert [(one.key, one.value) for one in found.variables.list(get_all=True)] == [("WHO", "me")]
    assert found.bridges.list(get_all=True) == []
    found.delete()
    refused(404, lambda: project.pipelines.get(made.id))
    refused(400, lambda: project.pipelines.create({"ref": "none"}))


def test_jobs_are_started_ended_and_repeated():
    project = with_file("pipelines-jobs")
    pipeline = project.pipelines.create({"ref": "main"})
    jobs = {job.name: job for job in pipeline.jobs.list(get_all=True)}
    assert (jobs["compile"].status, jobs["compile"].tag_list) == ("pending", ["linux"])
    ship = project.jobs.get(jobs["ship"].id)
    ship.play()
    assert project.jobs.get(ship.id).status == "pending"
    compile = project.jobs.get(jobs["compile"].id)
    compile.cancel()
    assert project.jobs.get(compile.id).status == "canceled"
    again = compile.retry()
    assert again["id"] > compile.id and again["status"] == "pending"
    refused(403, lambda: compile.retry())
    compile.erase()
    assert len(project.jobs.list(scope="pending", get_all=True)) == 2
    pipeline.cancel()
    assert project.pipelines.get(pipeline.id).status == "canceled"
    pipeline.retry()
    assert project.pipelines.get(pipeline.id).status in ("pending", "running", "manual")


def test_files_are_checked():
    project = with_file("pipelines-linted")
    assert project.ci_lint.get().valid
    project.ci_lint.validate({"content": FILE})
    wrong = project.ci_lint.create({"content": "a: {script: e, foo: 1}"})
    assert not wrong.valid and "unknown keys: foo" in wrong.errors[0]


def test_resource_groups_say_in_which_order_their_jobs_run():
    file = "ship: {script: make, resource_group: production}"
    project = with_file("pipelines-resources", file)
    project.pipelines.create({"ref": "main"})
    group = project.resource_groups.get("production")
    assert group.process_mode == "unordered"
    group.process_mode = "newest_first"
    group.save()
    assert project.resource_groups.list(get_all=True)[0].process_mode == "newest_first"
    project.pipelines.create({"ref": "main"})
    assert len(group.upcoming_jobs.list(get_all=True)) == 1


def test_what_glab_pipeline_asks_for_is_answered():
    """The requests of `glab-pipeline inspect` 0.3.0, as it made them: itself it needs Python 3.12
    and the program glab, whose `api` sends them."""
    file = "unit: {script: e}\nbelow: {trigger: {include: child.yml}}\n"
    project = with_file("pipelines-inspected", file)
    project.files.create({"file_path": "child.yml", "branch": "main", "content": "a: {script: e}",
                          "commit_message": "Below [skip ci]"})
    pipeline = project.pipelines.create({"ref": "main"})
    found = ROOT.http_get("/projects/pipelines-inspected%2Fanvil")
    assert (found["id"], found["ci_config_path"]) == (project.id, None), found["ci_config_path"]
    at = f"/projects/{project.id}/pipelines/{pipeline.id}"
    shown = ROOT.http_get(at)
    told = ("id", "status", "ref", "sha", "source", "web_url", "created_at", "duration", "yaml_errors")
    assert all(field in shown for field in told), shown
    (job,) = ROOT.http_get(f"{at}/jobs?per_page=100&include_retried=true")
    assert (job["name"], job["stage"], job["failure_reason"]) == ("unit", "test", None), job
    stories.until(
        lambda: ROOT.http_get(f"{at}/bridges?per_page=100"),
        lambda bridges: bridges[0]["downstream_pipeline"],
    )
    assert ROOT.http_get(f"{at}/test_report_summary")["total"]["count"] == 0
    text = ROOT.http_get(
        f"/projects/{project.id}/repository/files/.gitlab-ci.yml/raw?ref=main", raw=True
    ).text
    assert text == file, text
    body = {"content": text, "dry_run": True, "ref": "main", "include_jobs": True}
    linted = ROOT.http_post(f"/projects/{project.id}/ci/lint", post_data=body)
    assert linted["valid"] and "unit" in linted["merged_yaml"], linted
    query = f"content_ref={shown['sha']}&dry_run=true&include_jobs=true&dry_run_ref=main"
    assert ROOT.http_get(f"/projects/{project.id}/ci/lint?{query}")["valid"]
    assert ROOT.http_get(f"/projects/{project.id}/jobs/{job['id']}/trace", raw=True).content == b""


if __name__ == "__main__":
    stories.run(globals())
