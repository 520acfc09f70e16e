"""python-gitlab, unmodified, has one project follow another."""

import os

import stories
from as_root import ROOT, refused

SETTING = "allow_local_requests_from_web_hooks_and_services"


def addressed(project):
    """Where git pushes to a project, with what proves who does."""
    scheme, host = os.environ["TENON_URL"].split("://")
    token = os.environ["TENON_TOKEN"]
    return f"{scheme}://root:{token}@{host}/{project.path_with_namespace}.git"


def test_a_mirror_follows():
    stories.api("PUT", "/application/settings", **{SETTING: True})
    project = ROOT.projects.create({"name": "mirrored", "initialize_with_readme": True})
    copy = ROOT.projects.create({"name": "mirrored-copy"})
    mirror = project.remote_mirrors.create({"url": addressed(copy)})
    assert mirror.enabled is False
    assert "*****:*****@" in mirror.url
    mirror.enabled = True
    mirror.save()
    assert [one.id for one in project.remote_mirrors.list(get_all=True)] == [mirror.id]
    action = {"action": "create", "file_path": "a.txt", "content": "a"}
    data = {"branch": "main", "commit_message": "Forge", "actions": [action]}
    made = project.commits.create(data)
    look = lambda: project.remote_mirrors.list(get_all=True)[0]
    seen = stories.until(look, lambda it: it.update_status in ("finished", "failed"))
    assert seen.last_error is None, seen
    assert copy.branches.get("main").commit["id"] == made.id
    mirror.delete()
    assert project.remote_mirrors.list(get_all=True) == []


def test_a_mirror_is_where_it_may_be():
    project = ROOT.projects.create({"name": "mirrored-nowhere"})
    refused(400, lambda: project.remote_mirrors.create({"url": "file:///etc"}))
    plain = "https://git.example/plain.git"
    assert project.remote_mirrors.create({"url": plain}).url == plain


stories.run(globals())
