"""python-gitlab and git, unmodified, write snippets of people and projects."""

import os
import pathlib
import subprocess
import tempfile

import stories
from as_root import ROOT, refused

FILES = [
    {"file_path": "hello.py", "content": "print('Hello')\n"},
    {"file_path": "notes.md", "content": "# Notes\n"},
]


def holders(path):
    """Where snippets are: one's own, and those of a new project."""
    return [ROOT, ROOT.projects.create({"name": path})]


def git(directory, *arguments):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(directory),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
    }
    person = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]
    done = subprocess.run(
        ["git", *person, *arguments], cwd=directory, env=environment, capture_output=True, text=True
    )
    return done.returncode, done.stdout + done.stderr


def test_snippets_are_made_read_changed_and_deleted():
    for holder in holders("snippets-made"):
        made = holder.snippets.create({"title": "Greeting", "files": FILES, "visibility": "private"})
        assert made.title == "Greeting" and made.file_name == "hello.py"
        assert [one["path"] for one in made.files] == ["hello.py", "notes.md"]
        found = holder.snippets.get(made.id)
        assert found.content() == b"print('Hello')\n"
        assert made.id in [one.id for one in holder.snippets.list(get_all=True)]
        found.title = "Hello"
        found.files = [{"action": "update", "file_path": "hello.py", "content": "print('Hi')\n"}]
        found.save()
        again = holder.snippets.get(made.id)
        assert again.title == "Hello" and again.content() == b"print('Hi')\n"
        assert again.user_agent_detail()["user_agent"].startswith("python-gitlab/")
        again.delete()
        refused(404, lambda: holder.snippets.get(made.id))


def test_a_snippet_of_one_file_is_renamed():
    made = ROOT.snippets.create({"title": "One", "file_name": "a.py", "content": "print(1)\n"})
    assert made.visibility == "internal"
    made.file_name = "b.py"
    made.save()
    assert ROOT.snippets.get(made.id).file_name == "b.py"
    made.delete()


def test_people_write_notes_and_react():
    project = ROOT.projects.create({"name": "snippets-said"})
    snippet = project.snippets.create({"title": "Said", "files": FILES, "visibility": "private"})
    note = snippet.notes.create({"body": "Well done"})
    assert snippet.notes.get(note.id).body == "Well done"
    note.body = "Better"
    note.save()
    emoji = note.awardemojis.create({"name": "star"})
    assert [one.name for one in note.awardemojis.list(get_all=True)] == ["star"]
    emoji.delete()
    discussion = snippet.discussions.create({"body": "Why?"})
    discussion = snippet.discussions.get(discussion.id)
    discussion.notes.create({"body": "Because"})
    assert len(snippet.discussions.get(discussion.id).attributes["notes"]) == 2
    snippet.awardemojis.create({"name": "rocket"})
    assert len(snippet.awardemojis.list(get_all=True)) == 1
    note.delete()
    assert len(snippet.notes.list(get_all=True)) == 2


def test_git_clones_and_pushes_one():
    for holder in holders("snippets-pushed"):
        made = holder.snippets.create({"title": "Pushed", "files": FILES, "visibility": "private"})
        scheme, rest = made.http_url_to_repo.split("://")
        address = f"{scheme}://root:{os.environ['TENON_TOKEN']}@{rest}"
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            assert git(folder, "clone", "--quiet", address, "copy")[0] == 0
            copy = folder / "copy"
            (copy / "more.txt").write_text("more\n")
            git(copy, "add", "more.txt")
            git(copy, "commit", "--quiet", "--message", "More")
            assert git(copy, "push", "--quiet", "origin", "main") == (0, "")
            code, said = git(copy, "push", "origin", "main:other")
            assert code != 0 and "You can not create or delete branches." in said, said
        paths = [one["path"] for one in holder.snippets.get(made.id).files]
        assert paths == ["hello.py", "more.txt", "notes.md"]


if __name__ == "__main__":
    stories.run(globals())
