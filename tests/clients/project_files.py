"""python-gitlab, unmodified, has projects written into files and made of them."""

import io
import json
import tarfile

import stories
from as_root import ROOT, group_with_project, refused

ENDED = ("finished", "failed", "canceled")
SETTINGS = ROOT.settings.get()
SETTINGS.project_export_limit = SETTINGS.project_download_export_limit = SETTINGS.project_import_limit = 0
SETTINGS.save()


def exported(project):
    """The file of a project."""
    export = project.exports.create({"description": "From a file"})
    assert export.message == "202 Accepted", export
    stories.until(lambda: export.refresh() or export.export_status, lambda status: status == "finished")
    assert export._links["api_url"].endswith(f"/projects/{project.id}/export/download")
    return export.download()


def imported(project_import):
    """How the import of a project ended."""
    stories.until(lambda: project_import.refresh() or project_import.import_status, lambda status: status in ENDED)
    return project_import.import_status


def entries(file):
    with tarfile.open(fileobj=io.BytesIO(file)) as members:
        return {member.name: members.extractfile(member).read() for member in members.getmembers()}


def test_a_project_is_written_and_made_again():
    group, project = group_with_project("filed")
    project.issues.create({"title": "Rings", "labels": "loud"})
    action = {"action": "create", "file_path": "a.txt", "content": "one\n"}
    project.commits.create({"branch": "main", "commit_message": "Begin", "actions": [action]})
    file = exported(project)
    manifest = json.loads(entries(file)["tenon-project.json"])
    assert (manifest["format"], manifest["project"]["path"]) == ("tenon-project", "anvil")
    assert manifest["project"]["settings"]["description"] == "From a file"

    overrides = {"visibility": "private", "merge_method": "ff"}
    made = ROOT.projects.import_project(io.BytesIO(file), path="copied", name="Copied", namespace="filed",
                                        override_params=overrides)  # fmt: skip
    copy = ROOT.projects.get(made["id"])
    assert imported(copy.imports.get()) == "finished"
    copy = ROOT.projects.get(made["id"])
    assert (copy.name, copy.description, copy.merge_method) == ("Copied", "From a file", "ff")
    assert [(issue.title, issue.labels) for issue in copy.issues.list(get_all=True)] == [("Rings", ["loud"])]
    assert copy.files.get("a.txt", ref="main").decode() == b"one\n"

    again = lambda **more: ROOT.projects.import_project(io.BytesIO(file), path="copied", namespace="filed", **more)
    refused(400, again)
    over = again(overwrite=True)
    assert over["id"] != made["id"]
    assert imported(ROOT.projects.get(over["id"], lazy=True).imports.get()) == "finished"
    refused(404, lambda: ROOT.projects.get(made["id"]))


def test_files_elsewhere_are_fetched_over_https_alone():
    ROOT.groups.create({"name": "fetched", "path": "fetched"})
    for url in ("http://files.example/a.tar.gz", "https://127.0.0.1/a.tar.gz", "file:///etc/passwd"):
        refused(400, lambda: ROOT.projects.remote_import(url, "anvil", namespace="fetched"))
    place = {"path": "anvil", "namespace": "fetched", "bucket_name": "a/b", "file_key": "a.tar.gz",
             "access_key_id": "key", "secret_access_key": "secret"}  # fmt: skip
    refused(400, lambda: ROOT.projects.remote_import_s3(region="eu-west-1", **place))


stories.run(globals())
