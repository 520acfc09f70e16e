"""dulwich, libgit2 (pygit2) and jgit push, clone and fetch, unmodified.

What each of them pushed is cloned and checked by git itself.
"""

import contextlib
import os
import pathlib
import subprocess
import tempfile
import urllib.parse

import dulwich.porcelain
import dulwich.repo
import pygit2

from stories import URL, api, run

TOKEN = os.environ["TENON_TOKEN"]
# What jgit and its program are made of.
JGIT = ["", ".archive", ".http.apache", ".lfs", ".pgm", ".ui"]
BESIDE = ["args4j", "commons-compress", "commons-logging", "gson", "httpclient", "httpcore"]
BESIDE += ["javaewah", "jsch", "slf4j-api"]
AUTHOR = "Jane <jane@forge.example>"


def project(path, **more):
    """A new project of the administrator's, and its address with credentials."""
    made = api("POST", "/projects", name=path, **more)
    address = made["http_url_to_repo"]
    return made, address, address.replace("://", f"://root:{TOKEN}@")


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as directory:
        yield pathlib.Path(directory)


def git(directory, *arguments):
    """What git says, of nobody's settings."""
    quiet = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    quiet |= {"GIT_TERMINAL_PROMPT": "0", "HOME": str(directory)}
    who = {"GIT_AUTHOR_NAME": "Jane", "GIT_AUTHOR_EMAIL": "jane@forge.example"}
    who |= {"GIT_COMMITTER_NAME": "Jane", "GIT_COMMITTER_EMAIL": "jane@forge.example"}
    done = subprocess.run(
        ["git", *arguments],
        cwd=directory,
        env=os.environ | quiet | who,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def cloned_by_git(address):
    """The titles of what is there, newest first, once git found nothing wrong with it."""
    with folder() as directory:
        git(directory, "clone", "--quiet", address, "copy")
        git(directory / "copy", "fsck", "--strict", "--full")
        return git(directory / "copy", "log", "--format=%s").splitlines()


def pushed_by_git(address, titles):
    """A branch main with a commit for each title, the oldest first."""
    with folder() as directory:
        git(directory, "init", "--quiet", "--initial-branch=main", ".")
        for number, title in enumerate(titles):
            (directory / "file.txt").write_text(f"{number}\n")
            git(directory, "add", ".")
            git(directory, "commit", "--quiet", "--message", title)
        git(directory, "push", "--quiet", address, "main")


def refused(call, *kinds):
    """The library must say that it may not."""
    try:
        call()
    except kinds as error:
        return str(error)
    raise AssertionError("expected a refusal")


def dulwich_commit(directory, title):
    (directory / "file.txt").write_text(title)
    dulwich.porcelain.add(str(directory), [str(directory / "file.txt")])
    said = {"author": AUTHOR.encode(), "committer": AUTHOR.encode()}
    return dulwich.porcelain.commit(str(directory), message=title.encode(), **said)


def test_dulwich_pushes_clones_and_fetches():
    _, address, full = project("by-dulwich")
    access = {"username": "root", "password": TOKEN}
    quiet = {"outstream": open(os.devnull, "w"), "errstream": open(os.devnull, "wb")}
    with folder() as mine, folder() as other:
        dulwich.porcelain.init(str(mine))
        dulwich_commit(mine, "one")
        refs = b"HEAD:refs/heads/main"
        dulwich.porcelain.push(str(mine), address, refs, **access, **quiet)
        copy = other / "copy"
        dulwich.porcelain.clone(address, str(copy), errstream=quiet["errstream"], **access)
        assert (copy / "file.txt").read_text() == "one"
        second = dulwich_commit(mine, "two")
        dulwich.porcelain.push(str(mine), address, refs, **access, **quiet)
        found = dulwich.porcelain.fetch(str(copy), address, **access, **quiet)
        assert found.refs[b"refs/heads/main"] == second, found.refs
    assert cloned_by_git(full) == ["two", "one"]


def test_dulwich_clones_what_is_public_and_not_the_whole_of_it():
    _, address, full = project("for-dulwich", visibility="public")
    pushed_by_git(full, ["one", "two", "three"])
    with folder() as directory:
        quiet = open(os.devnull, "wb")
        dulwich.porcelain.clone(address, str(directory / "copy"), depth=1, errstream=quiet)
        with dulwich.repo.Repo(str(directory / "copy")) as copy:
            walked = [entry.commit.message for entry in copy.get_walker()]
    assert walked == [b"three\n"], walked


def callbacks(password=TOKEN, name="root"):
    return pygit2.RemoteCallbacks(credentials=pygit2.UserPass(name, password))


def libgit2_commit(mine, title, parents):
    tree = mine.TreeBuilder()
    tree.insert("file.txt", mine.create_blob(title.encode()), pygit2.enums.FileMode.BLOB)
    who = pygit2.Signature("Jane", "jane@forge.example")
    return mine.create_commit("refs/heads/main", who, who, title, tree.write(), parents)


def test_libgit2_pushes_clones_and_fetches():
    _, address, full = project("by-libgit2")
    with folder() as directory:
        mine = pygit2.init_repository(str(directory / "mine"))
        first = libgit2_commit(mine, "one", [])
        remote = mine.remotes.create("origin", address)
        remote.push(["refs/heads/main"], callbacks=callbacks())
        copy = pygit2.clone_repository(address, str(directory / "copy"), callbacks=callbacks())
        assert copy.head.target == first
        second = libgit2_commit(mine, "two", [first])
        remote.push(["refs/heads/main"], callbacks=callbacks())
        copy.remotes["origin"].fetch(callbacks=callbacks())
        assert copy.references["refs/remotes/origin/main"].target == second
        remote.push(["refs/heads/main:refs/heads/side"], callbacks=callbacks())
        remote.push([":refs/heads/side"], callbacks=callbacks())
    assert cloned_by_git(full) == ["two", "one"]
    with folder() as directory:
        shallow = pygit2.clone_repository(
            address, str(directory / "copy"), callbacks=callbacks(), depth=1
        )
        assert shallow.is_shallow


def test_libgit2_is_told_why_it_may_not():
    _, address, full = project("not-by-libgit2")
    pushed_by_git(full, ["one"])
    with folder() as directory:
        mine = pygit2.init_repository(str(directory / "mine"))
        libgit2_commit(mine, "another", [])
        remote = mine.remotes.create("origin", address)
        told = Told()
        push = lambda: remote.push(["+refs/heads/main"], callbacks=told)
        assert "declined" in refused(push, AssertionError)
        assert "protected branch" in told.said, told.said
        wrong = lambda: remote.push(["refs/heads/main"], callbacks=callbacks("wrong", "nobody"))
        refused(wrong, pygit2.GitError)
    assert cloned_by_git(full) == ["one"]


class Told(pygit2.RemoteCallbacks):
    """Fails with what the server said of a ref."""

    def __init__(self):
        super().__init__(credentials=pygit2.UserPass("root", TOKEN))
        self.said = ""

    def sideband_progress(self, string):
        self.said += string

    def push_update_reference(self, refname, message):
        assert message is None, message


def jgit(home, directory, *arguments):
    # Debian's own script leaves out a library that it needs.
    jars = [f"org.eclipse.jgit{part}" for part in JGIT] + BESIDE
    classes = ":".join(f"/usr/share/java/{jar}.jar" for jar in jars)
    # It would ask for these in a window.
    host = urllib.parse.urlsplit(URL).hostname
    entry = f"machine {host} login root password {TOKEN}\n"
    (home / ".netrc").write_text(entry)
    options = ["-Djava.awt.headless=true", f"-Duser.home={home}"]
    return subprocess.run(
        ["java", "-cp", classes, *options, "org.eclipse.jgit.pgm.Main", *arguments],
        cwd=directory,
        env=os.environ | {"HOME": str(home)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_jgit_pushes_clones_and_fetches():
    _, address, full = project("by-jgit")
    pushed_by_git(full, ["one"])
    with folder() as directory:
        done = jgit(directory, directory, "clone", address, "copy")
        assert done.returncode == 0, done.stdout + done.stderr
        copy = directory / "copy"
        assert (copy / "file.txt").read_text() == "0\n"
        (copy / "file.txt").write_text("by jgit")
        git(copy, "commit", "--quiet", "--all", "--message", "two")
        done = jgit(directory, copy, "push", "origin", "main")
        assert done.returncode == 0, done.stdout + done.stderr
        pushed_by = cloned_by_git(full)
        assert pushed_by == ["two", "one"], done.stdout + done.stderr
        git(copy, "update-ref", "-d", "refs/remotes/origin/main")
        done = jgit(directory, copy, "fetch", "origin")
        assert done.returncode == 0, done.stdout + done.stderr
        assert git(copy, "rev-parse", "origin/main") == git(copy, "rev-parse", "main")


run(globals())
