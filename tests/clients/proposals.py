"""What the suites of merge requests share: people, and branches that are to be merged."""

import itertools

import gitlab

from as_root import ROOT, group_with_project
from stories import URL, until

LIST = "".join(f"{number}\n" for number in range(1, 21))
# Until somebody has looked whether it can be merged.
UNKNOWN = ("preparing", "unchecked", "checking")
NUMBERS = itertools.count(1)


def forge(path):
    """A group of this path with a project that has a file of twenty lines on `main`."""
    group, project = group_with_project(path)
    commit(project, "main", {"list.txt": LIST})
    return group, ROOT.projects.get(project.id)


def commit(project, branch, files, message="Forge it", start=None, action="create"):
    """Writes files to a branch, which begins at `start` where it is new."""
    actions = [{"action": action, "file_path": path, "content": text} for path, text in files.items()]
    data = {"branch": branch, "commit_message": message, "actions": actions}
    if start:
        data["start_branch"] = start
    return project.commits.create(data)


def settled(project, iid):
    """A merge request once it is known whether it can be merged."""
    look = lambda: project.mergerequests.get(iid)
    return until(look, lambda it: it.detailed_merge_status not in UNKNOWN)


def proposed(project, branch, files=None, action="create", **data):
    """A branch with a commit that `main` has not, and a merge request of it."""
    commit(project, branch, files or {f"{branch}.txt": "iron\n"}, start="main", action=action)
    wanted = {"source_branch": branch, "target_branch": "main", "title": f"Add {branch}", **data}
    return settled(project, project.mergerequests.create(wanted).iid)


def member(project, role=30):
    """A new member of a project, and the project as they see it."""
    name = f"smith{next(NUMBERS)}-of-{project.id}"
    user = ROOT.users.create({
        "email": f"{name}@example.com", "username": name, "name": name.title(),
        "password": "correct-horse-battery", "skip_confirmation": True,
    })
    project.members.create({"user_id": user.id, "access_level": role})
    token = user.impersonationtokens.create({"name": "t", "scopes": ["api"]})
    own = gitlab.Gitlab(URL, private_token=token.token)
    return user, own.projects.get(project.id)
