"""git-lfs, unmodified, pushes, clones and locks large files."""

import contextlib
import os
import pathlib
import subprocess
import tempfile

from stories import api, run

TOKEN = os.environ["TENON_TOKEN"]
LARGE = bytes(range(256)) * 4096


def git(directory, *arguments, fails=False):
    """What git says, of nobody's settings."""
    quiet = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "HOME": os.environ["LFS_HOME"]}
    done = subprocess.run(
        ["git", *arguments],
        cwd=directory,
        env=os.environ | quiet,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout + done.stderr


@contextlib.contextmanager
def begun(name):
    """A project, and a clone of it whose pictures are large files."""
    made = api("POST", "/projects", name=name)
    address = made["http_url_to_repo"].replace("://", f"://root:{TOKEN}@")
    with tempfile.TemporaryDirectory() as directory:
        home = pathlib.Path(directory)
        os.environ["LFS_HOME"] = directory
        git(home, "config", "--global", "user.name", "Jane")
        git(home, "config", "--global", "user.email", "jane@forge.example")
        git(home, "lfs", "install", "--skip-repo")
        git(home, "init", "--quiet", "--initial-branch=main", "mine")
        mine = home / "mine"
        git(mine, "remote", "add", "origin", address)
        git(mine, "lfs", "track", "*.psd", "--lockable")
        (mine / "horn.psd").write_bytes(LARGE)
        git(mine, "add", ".")
        git(mine, "commit", "--quiet", "--message", "Draw")
        yield made, address, home


def test_large_files_are_pushed_and_cloned():
    with begun("by-git-lfs") as (made, address, home):
        mine = home / "mine"
        git(mine, "push", "origin", "main")
        git(home, "clone", "--quiet", address, "copy")
        assert (home / "copy" / "horn.psd").read_bytes() == LARGE
        assert git(home / "copy", "lfs", "fsck").strip().endswith("OK")
        pointer = git(mine, "show", "main:horn.psd")
        assert pointer.startswith("version https://git-lfs"), pointer
        (home / "copy" / "horn.psd").chmod(0o644)
        (home / "copy" / "horn.psd").write_bytes(LARGE[::-1])
        git(home / "copy", "commit", "--quiet", "--all", "--message", "Turn")
        git(home / "copy", "push", "origin", "main")
        git(mine, "pull", "--quiet", "origin", "main")
        assert (mine / "horn.psd").read_bytes() == LARGE[::-1]
        shown = api("GET", f"/projects/{made['id']}?statistics=true")
        assert shown["statistics"]["lfs_objects_size"] == 2 * len(LARGE), shown["statistics"]


def test_a_push_without_its_large_files_is_refused():
    with begun("without-git-lfs") as (_, _, home):
        said = git(home / "mine", "push", "--no-verify", "origin", "main", fails=True)
        assert "LFS objects are missing" in said, said
        git(home / "mine", "lfs", "push", "--all", "origin")
        git(home / "mine", "push", "origin", "main")


def test_paths_are_locked():
    with begun("locked-by-git-lfs") as (_, _, home):
        mine = home / "mine"
        git(mine, "push", "origin", "main")
        git(mine, "lfs", "lock", "horn.psd")
        assert "horn.psd" in git(mine, "lfs", "locks")
        assert "horn.psd" in git(mine, "lfs", "locks", "--verify")
        assert "already" in git(mine, "lfs", "lock", "horn.psd", fails=True)
        (mine / "horn.psd").write_bytes(LARGE[1:])
        git(mine, "commit", "--quiet", "--all", "--message", "Cut")
        git(mine, "push", "origin", "main")
        git(mine, "lfs", "unlock", "horn.psd")
        assert "horn.psd" not in git(mine, "lfs", "locks")


run(globals())
