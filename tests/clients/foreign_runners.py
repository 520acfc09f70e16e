"""Runners that others wrote do the jobs of a pipeline: a program on the Rust crate
gitlab-runner, and gitlab-python-runner as it comes."""

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import stories
from as_root import ROOT, group_with_project
from stories import URL

PROGRAM = os.environ["CLIENT"]
FILE = """
stages: [build, test]
compile:
  stage: build
  variables: {COLOUR: blue}
  script:
    - echo "the colour is $COLOUR"
    - mkdir -p out
    - echo iron > out/a.txt
  artifacts: {paths: [out/]}
unit:
  stage: test
  script: ["grep iron out/a.txt"]
  tags: [last]
breaks:
  stage: test
  allow_failure: true
  script: ["exit 3"]
"""
SLOW = "slow: {script: ['sleep 300']}"


def begun(name, file):
    """A project with a pipeline, and the token of a runner for it."""
    _, project = group_with_project(name)
    make = {"runner_type": "project_type", "project_id": project.id, "tag_list": ["last"]}
    token = ROOT.http_post("/user/runners", post_data=make)["token"]
    project.files.create({"file_path": ".gitlab-ci.yml", "branch": "main", "content": file,
                          "commit_message": "Begin [skip ci]"})
    return project, project.pipelines.create({"ref": "main"}), token


def until(what, holds):
    limit = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < limit, f"in vain: {what}"
        time.sleep(0.1)


def ended(project, pipeline):
    states = ("created", "pending", "running", "canceling")
    return project.pipelines.get(pipeline.id).status not in states


def jobs(project, pipeline):
    return {job.name: project.jobs.get(job.id) for job in pipeline.jobs.list(get_all=True)}


@contextlib.contextmanager
def running(*arguments, folder):
    """A program at work, until it is ended."""
    child = subprocess.Popen([*arguments], cwd=folder, stdin=subprocess.DEVNULL)
    try:
        yield child
    finally:
        child.terminate()
        child.wait(10)


def done(project, pipeline):
    """What came of the first file: the same, whoever does its jobs."""
    until("the pipeline ends", lambda: ended(project, pipeline))
    all = jobs(project, pipeline)
    states = {name: job.status for name, job in all.items()}
    log = all["compile"].trace().decode()
    assert states == {"compile": "success", "unit": "success", "breaks": "failed"}, (states, log)
    assert "the colour is blue" in log, log
    assert all["compile"].artifact("out/a.txt") == b"iron\n"
    assert b"iron" in all["unit"].trace(), all["unit"].trace()
    assert project.pipelines.get(pipeline.id).status == "success"


def test_a_program_on_the_crate_gitlab_runner_does_jobs():
    project, pipeline, token = begun("runners-of-the-crate", FILE)
    with tempfile.TemporaryDirectory() as folder:
        with running(PROGRAM, URL, token, folder, folder=folder):
            done(project, pipeline)


def test_it_hears_of_a_cancel():
    project, pipeline, token = begun("runners-canceled", SLOW)
    with tempfile.TemporaryDirectory() as folder:
        with running(PROGRAM, URL, token, folder, folder=folder):
            until("it runs", lambda: jobs(project, pipeline)["slow"].status == "running")
            jobs(project, pipeline)["slow"].cancel()
            until("it is over", lambda: jobs(project, pipeline)["slow"].status == "canceled")
            until("its folder is gone", lambda: not list(pathlib.Path(folder).iterdir()))


def test_gitlab_python_runner_does_jobs():
    project, pipeline, token = begun("runners-of-python", FILE)
    script = pathlib.Path(sys.executable).parent / "gitlab-runner.py"
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "gitlab-runner.yml"
        config.write_text(f"server: {URL}\ntoken: {token}\nexecutor: shell\nshell: sh\ndir: {folder}\n")
        for _ in range(3):
            once = [sys.executable, script, "--start", config, "--once"]
            subprocess.run(once, cwd=folder, stdin=subprocess.DEVNULL, timeout=120, check=False)
    done(project, pipeline)


if __name__ == "__main__":
    stories.run(globals())
