"""python-gitlab, unmodified, makes and manages runners; and a job goes through the hands of
one, as programs of runners do it, until python-gitlab reads its log and its files."""

import io
import zipfile

import requests
import stories
from as_root import ROOT, group_with_project, refused
from stories import URL

API = f"{URL}/api/v4"
FILE = """
compile:
  script: make
  artifacts: {paths: [out/]}
"""


def test_runners_are_made_changed_and_deleted():
    group, project = group_with_project("runners-kept")
    make = {"runner_type": "project_type", "project_id": project.id, "tag_list": "linux,rust"}
    made = ROOT.http_post("/user/runners", post_data=make)
    assert made["token"].startswith("glrt-")
    runner = ROOT.runners.get(made["id"])
    assert (runner.tag_list, runner.paused, runner.status) == (
        ["linux", "rust"], False, "not_connected")
    runner.description = "anvil"
    runner.paused = True
    runner.tag_list = ["linux"]
    runner.run_untagged = True
    runner.save()
    shown = ROOT.runners.get(made["id"])
    assert (shown.description, shown.paused, shown.active) == ("anvil", True, False)
    assert made["id"] in [one.id for one in ROOT.runners.all(get_all=True)]
    assert [one.id for one in ROOT.runners.all(paused=True, tag_list=["linux"], get_all=True)]
    assert made["id"] in [one.id for one in project.runners.list(get_all=True)]
    assert made["id"] not in [one.id for one in group.runners.list(get_all=True)]
    refused(400, lambda: ROOT.runners.update(made["id"], {"maximum_timeout": 5}))

    other = ROOT.projects.create({"name": "Runners elsewhere", "namespace_id": group.id})
    given = other.runners.create({"runner_id": made["id"]})
    other.runners.delete(given.id)
    refused(403, lambda: project.runners.delete(made["id"]))
    ROOT.runners.delete(made["id"])
    refused(404, lambda: ROOT.runners.get(made["id"]))


def test_programs_register_as_of_old():
    _, project = group_with_project("runners-of-old")
    reset = f"/projects/{project.id}/runners/reset_registration_token"
    token = ROOT.http_post(reset)["token"]
    runner = ROOT.runners.create({"token": token, "description": "old"})
    assert [one.description for one in project.runners.list(type="project_type")] == ["old"]


def test_a_job_goes_through_the_hands_of_a_runner():
    _, project = group_with_project("runners-at-work")
    make = {"runner_type": "project_type", "project_id": project.id}
    token = ROOT.http_post("/user/runners", post_data=make)["token"]
    project.files.create({"file_path": ".gitlab-ci.yml", "branch": "main", "content": FILE,
                          "commit_message": "Begin [skip ci]"})
    pipeline = project.pipelines.create({"ref": "main"})
    ask = {"token": token, "system_id": "s_1", "info": {"features": {"variables": True}}}
    job = requests.post(f"{API}/jobs/request", json=ask, timeout=30)
    assert job.status_code == 201, job.text
    job = job.json()
    at, by = f"{API}/jobs/{job['id']}", {"JOB-TOKEN": job["token"]}

    log = b"making\n"
    piece = {"Content-Range": f"0-{len(log) - 1}", "Content-Type": "text/plain"}
    sent = requests.patch(f"{at}/trace", data=log, headers=by | piece, timeout=30)
    assert (sent.status_code, sent.headers["Range"]) == (202, f"0-{len(log)}")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("out/a.txt", "iron")
    files = {"file": ("artifacts.zip", packed.getvalue())}
    params = {"artifact_type": "archive", "artifact_format": "zip"}
    brought = requests.post(f"{at}/artifacts", params=params, files=files, headers=by, timeout=30)
    assert brought.status_code == 201, brought.text
    ended = requests.put(at, json={"token": job["token"], "state": "success"}, timeout=30)
    assert (ended.status_code, ended.headers["Job-Status"]) == (200, "success")

    done = project.jobs.get(job["id"])
    assert (done.status, done.runner["paused"]) == ("success", False)
    assert done.trace() == log
    assert done.artifact("out/a.txt") == b"iron"
    assert done.artifacts() == packed.getvalue()
    assert project.artifacts.download(ref_name="main", job="compile") == packed.getvalue()
    done.keep_artifacts()
    assert project.pipelines.get(pipeline.id).status == "success"
    done.delete_artifacts()
    refused(404, done.artifacts)


if __name__ == "__main__":
    stories.run(globals())
