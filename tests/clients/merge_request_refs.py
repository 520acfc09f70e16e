"""git, unmodified, fetches what merge requests keep, and opens them as it pushes."""

import os
import pathlib
import subprocess
import tempfile

import stories
from proposals import commit, forge, proposed, settled
from stories import URL, until


class Clone:
    """A clone of a project in a folder of its own."""

    def __init__(self, project, folder):
        self.folder = folder
        address = URL.replace("://", f"://oauth2:{os.environ['TENON_TOKEN']}@")
        self.git("clone", "--quiet", f"{address}/{project.path_with_namespace}.git", ".")

    def ran(self, *arguments):
        """What git says, and whether it did what it was asked for."""
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder),
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0",
        }
        person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
        return subprocess.run(
            ["git", *person, *arguments], cwd=self.folder, env=environment, capture_output=True,
            text=True, check=False,
        )

    def git(self, *arguments):
        done = self.ran(*arguments)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout.strip()

    def refs(self):
        """The commits of what the server keeps below `refs/merge-requests`."""
        lines = self.git("ls-remote", "origin", "refs/merge-requests/*").splitlines()
        return {name: sha for sha, name in (line.split("\t") for line in lines)}

    def committed(self, branch, path, *message):
        """A commit of a new file on a branch that begins at `main` where it is new."""
        if self.ran("switch", "--quiet", branch).returncode != 0:
            self.git("switch", "--quiet", "--create", branch, "origin/main")
        pathlib.Path(self.folder, path).write_text("iron\n")
        self.git("add", path)
        paragraphs = [part for text in message for part in ("--message", text)]
        self.git("commit", "--quiet", *paragraphs)
        return self.git("rev-parse", "HEAD")

    def pushed(self, branch, *options):
        """Pushes a branch with these options; what the server says of it."""
        flags = [part for option in options for part in ("-o", option)]
        done = self.ran("push", *flags, "origin", branch)
        assert done.returncode == 0, done.stderr
        return done.stderr


def test_the_head_of_each_is_fetched_for_ever():
    _, project = forge("refs-kept")
    first, second = proposed(project, "anvil"), proposed(project, "bellows")
    with tempfile.TemporaryDirectory() as folder:
        clone = Clone(project, folder)
        clone.git("fetch", "--quiet", "origin", "refs/merge-requests/*/head:refs/remotes/origin/mr-*")
        assert clone.git("rev-parse", "origin/mr-1", "origin/mr-2").split() == [first.sha, second.sha]
        clone.git("fetch", "--quiet", "origin", "refs/merge-requests/1/merge")
        parents = clone.git("rev-parse", "FETCH_HEAD^1", "FETCH_HEAD^2").split()
        assert parents == [project.branches.get("main").commit["id"], first.sha]

        pushed = commit(project, "anvil", {"horn.txt": "round\n"}).id
        until(clone.refs, lambda it: it["refs/merge-requests/1/head"] == pushed)
        first = settled(project, 1)
        first.merge(should_remove_source_branch=True)
        until(clone.refs, lambda it: "refs/merge-requests/1/merge" not in it)
        clone.git("fetch", "--quiet", "--prune", "origin", "refs/merge-requests/1/head")
        assert clone.git("rev-parse", "FETCH_HEAD") == pushed
        second.delete()
        until(clone.refs, lambda it: set(it) == {"refs/merge-requests/1/head"})


def test_nobody_pushes_to_what_they_keep():
    _, project = forge("refs-closed")
    made = proposed(project, "anvil")
    with tempfile.TemporaryDirectory() as folder:
        clone = Clone(project, folder)
        for name in ("1/head", "1/merge", "9/head"):
            refused = clone.ran("push", "origin", f"HEAD:refs/merge-requests/{name}")
            assert refused.returncode != 0, refused.stderr
        refused = clone.ran("push", "origin", ":refs/merge-requests/1/head")
        assert refused.returncode != 0, refused.stderr
        assert clone.refs()["refs/merge-requests/1/head"] == made.sha


def test_merges_have_the_parents_that_their_method_says():
    _, project = forge("refs-merged")
    with tempfile.TemporaryDirectory() as folder:
        clone = Clone(project, folder)
        for method, squash in [("merge", False), ("merge", True), ("ff", False), ("rebase_merge", False)]:
            project.merge_method = method
            project.save()
            before = project.branches.get("main").commit["id"]
            branch = f"{method}-{squash}"
            made = proposed(project, branch)
            commit(project, branch, {f"{branch}-2.txt": "coal\n"}, "Add coal")
            head = project.branches.get(branch).commit["id"]
            made = settled(project, made.iid)
            assert made.sha == head
            made.merge(squash=squash, squash_commit_message="Both" if squash else None)
            clone.git("fetch", "--quiet", "origin", "main")
            parents = clone.git("log", "-1", "--format=%P", "FETCH_HEAD").split()
            if method == "ff":
                assert clone.git("rev-parse", "FETCH_HEAD") == head
                continue
            assert parents[0] == before and len(parents) == 2, (method, parents)
            if not squash:
                assert parents[1] == head
                continue
            assert clone.git("log", "-1", "--format=%s %P", parents[1]) == f"Both {before}"
        assert clone.git("fsck", "--no-dangling") == ""


def test_a_push_opens_one_as_its_options_say():
    _, project = forge("pushed-options")
    label = project.labels.create({"name": "heavy", "color": "#112233"})
    milestone = project.milestones.create({"title": "1.0"})
    issue = project.issues.create({"title": "No anvil"})
    with tempfile.TemporaryDirectory() as folder:
        clone = Clone(project, folder)
        branch = f"{issue.iid}-anvil"
        clone.committed(branch, "anvil.txt", "Add an anvil", "It is heavy.")
        said = clone.pushed(branch)
        assert f"To create a merge request for {branch}, visit:" in said, said
        said = clone.pushed(branch, "merge_request.create")
        assert "Everything up-to-date" in said and project.mergerequests.list(get_all=True) == []

        head = clone.committed(branch, "horn.txt", "Add a horn")
        said = clone.pushed(branch, "merge_request.create", "merge_request.label=heavy")
        (made,) = project.mergerequests.list(get_all=True)
        assert f"View merge request for {branch}:" in said and made.web_url in said, said
        assert (made.title, made.sha, made.target_branch) == ("Add an anvil", head, "main")
        assert "It is heavy." in made.description and f"Closes #{issue.iid}" in made.description
        assert (made.labels, [one["username"] for one in made.assignees]) == (["heavy"], ["root"])

        clone.committed(branch, "base.txt", "Add a base")
        clone.pushed(
            branch, "mr.title=An anvil", "mr.description=First\\nSecond", "mr.draft",
            "mr.unlabel=heavy", "mr.label=iron", f"mr.milestone={milestone.title}",
            "mr.unassign=root", "mr.remove_source_branch",
        )
        changed = settled(project, made.iid)
        assert (changed.title, changed.draft) == ("Draft: An anvil", True)
        assert changed.description == "First\nSecond"
        assert (changed.labels, changed.assignees) == (["iron"], [])
        assert (changed.milestone["id"], changed.force_remove_source_branch) == (milestone.id, True)
        assert label.name not in changed.labels


def test_options_that_cannot_be_followed_are_told_and_the_push_stands():
    _, project = forge("pushed-wrong")
    with tempfile.TemporaryDirectory() as folder:
        clone = Clone(project, folder)
        head = clone.committed("anvil", "anvil.txt", "Add an anvil")
        said = clone.pushed("anvil", "merge_request.title=Anvil")
        needed = "A merge_request.create push option is required to create a merge request for branch anvil"
        assert needed in said.replace("\nremote: ", " "), said
        assert project.branches.get("anvil").commit["id"] == head
        clone.committed("bellows", "bellows.txt", "Add bellows")
        said = clone.pushed("bellows", "merge_request.create", "merge_request.target=none")
        assert "none" in said and project.branches.get("bellows").name == "bellows"
        assert project.mergerequests.list(get_all=True) == []


if __name__ == "__main__":
    stories.run(globals())
