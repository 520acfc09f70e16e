"""What the suites of python-gitlab share: the administrator, places, refusals."""

import os

import gitlab

from stories import URL

ROOT = gitlab.Gitlab(URL, private_token=os.environ["TENON_TOKEN"])


def refused(status, call):
    """The call must be refused with this status."""
    try:
        call()
    except gitlab.exceptions.GitlabError as error:
        assert error.response_code == status, (error.response_code, error.error_message)
        return
    raise AssertionError(f"expected a refusal with {status}")


def group_with_project(path):
    """A new group of this path with a project in it."""
    group = ROOT.groups.create({"name": path, "path": path})
    return group, ROOT.projects.create({"name": "anvil", "namespace_id": group.id})
