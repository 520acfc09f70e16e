"""glab-discussion, unmodified, reads, writes and resolves threads of a merge request, and
publishes drafts as one review."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import stories
from proposals import LIST, forge, member, proposed
from stories import URL, api

PROGRAM = pathlib.Path(sys.executable).with_name("glab-discussion")
HERE = pathlib.Path(__file__).parent


class Reader:
    """Who discusses a merge request, in a home of their own."""

    def __init__(self, request, token):
        self.address, self.token = f"{URL}/{request.references['full'].replace('!', '/-/merge_requests/')}", token
        self.home = tempfile.mkdtemp()

    def ran(self, *arguments, text=None):
        environment = {
            "PATH": f"{HERE}:{os.environ['PATH']}", "HOME": self.home, "TMPDIR": self.home,
            "GITLAB_TOKEN": self.token,
        }
        return subprocess.run(
            [PROGRAM, *arguments, "--mr-url", self.address], env=environment, input=text,
            capture_output=True, text=True, timeout=120, check=False,
        )

    def says(self, *arguments, text=None):
        done = self.ran(*arguments, text=text)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout


def discussed(path):
    """A merge request that changes the seventh of twenty lines, and who discusses it."""
    _, project = forge(path)
    made = proposed(
        project, "anvil", {"list.txt": LIST.replace("7\n", "seven\n", 1)}, action="update"
    )
    _, own = member(project)
    return project, made, Reader(made, own.manager.gitlab.private_token)


def found(pattern, text):
    match = re.search(pattern, text)
    assert match, (pattern, text)
    return match[1]


def test_threads_are_written_read_and_resolved():
    _, made, reader = discussed("glab-threads")
    shown = reader.says("diff", "--file", "list.txt")
    assert f"head_sha: {made.sha}" in shown and "      |     7 | +seven" in shown, shown
    assert "   20 |" not in shown
    line = reader.says("write", "--file", "list.txt", "--new-line", "7", "--body", "Why?")
    assert "Created diff note on list.txt:7" in line
    thread, note = found(r"discussion ([0-9a-f]{40})", line), found(r"note:(\d+)", line)
    gone = reader.says("write", "--file", "list.txt", "--old-line", "7", "--body", "-", text="Gone\n")
    plain = found(r"discussion ([0-9a-f]{40})", reader.says("write", "--body", "All in all"))
    reader.says("write", "--reply-to", thread, "--body", "Because it rhymes")
    reader.says("edit", f"note:{note}", "--body", "Why seven?")
    reader.says("delete", f"note:{found(r'note:([0-9]+)', gone)}")
    reader.says("resolve", thread)
    told = reader.says("read", "--no-dump")
    assert [one for one in told.split("\n") if one.startswith(("Discussion:", "Line:", "Resolved:"))] == [
        f"Discussion: {thread}", "Line: new:7", "Resolved: yes",
        f"Discussion: {plain}", "Resolved: no",
    ], told
    assert "Why seven?" in told and "Because it rhymes" in told and "Gone" not in told
    reader.says("resolve", thread, "--unresolve")
    assert "synced 2 discussion threads" in reader.says("read")
    assert "(2 discussions up to date)" in reader.says("read")
    refused = reader.ran("resolve", "0" * 40)
    assert refused.returncode != 0 and "HTTP 404" in refused.stderr, refused.stderr


def test_drafts_are_their_authors_until_they_are_thrown_away():
    _, made, reader = discussed("glab-drafts")
    other = Reader(made, os.environ["TENON_TOKEN"])
    thread = found(r"discussion ([0-9a-f]{40})", other.says("write", "--body", "Why?"))
    line = reader.says("write", "--draft", "--file", "list.txt", "--new-line", "7", "--body", "Here")
    draft = found(r"draft:(\d+)", line)
    reader.says("write", "--draft", "--reply-to", thread, "--resolve", "--body", "So")
    reader.says("edit", f"draft:{draft}", "--body", "Right here")
    told = reader.says("read", "--no-dump")
    assert "Right here" in told and "[DRAFT, resolves thread]" in told, told
    assert "DRAFT" not in other.says("read", "--no-dump")
    assert "2 drafts would be deleted" in reader.says("drafts", "delete")
    assert "Deleted 2 of 2 drafts." in reader.says("drafts", "delete", "--force")
    assert "You have no drafts" in reader.says("drafts", "delete")


def test_drafts_are_published_as_a_review():
    project, made, reader = discussed("glab-review")
    other = Reader(made, os.environ["TENON_TOKEN"])
    thread = found(r"discussion ([0-9a-f]{40})", other.says("write", "--body", "Why?"))
    reader.says("write", "--draft", "--reply-to", thread, "--resolve", "--body", "So")
    said = reader.says("drafts", "publish", "--body", "All in all")
    assert "Published 2 drafts" in said and "Set your reviewer state to reviewed." in said, said
    told = other.says("read", "--no-dump")
    assert "So" in told and "All in all" in told and "Resolved: yes" in told, told
    again = reader.ran("drafts", "publish", "--body", "Once more")
    assert again.returncode != 0 and "the verdict 'reviewed'" in again.stderr, (again.stdout, again.stderr)

    reader.says("write", "--draft", "--file", "list.txt", "--new-line", "7", "--body", "No")
    said = reader.says("drafts", "publish", "--verdict", "requested-changes")
    assert "Set your reviewer state to requested-changes." in said, said
    at = f"/projects/{project.id}/merge_requests/{made.iid}"
    assert [one["state"] for one in api("GET", f"{at}/reviewers")] == ["requested_changes"]
    said = reader.says("drafts", "publish", "--verdict", "approve")
    assert "Approved the MR." in said, said
    assert len(api("GET", f"{at}/approvals")["approved_by"]) == 1


if __name__ == "__main__":
    stories.run(globals())
