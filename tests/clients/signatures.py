"""The stock git signing with an SSH key, and python-gitlab for signatures and GPG keys."""

import os
import pathlib
import subprocess
import tempfile

import gitlab

from stories import run

HERE = gitlab.Gitlab(os.environ["TENON_URL"], private_token=os.environ["TENON_TOKEN"])
FIXTURES = pathlib.Path(__file__).parents[2] / "crates/testkit/tests/stories/signatures/fixtures"


class Machine:
    """A folder with a key, in which git signs what it commits."""

    def __init__(self, email):
        self.directory = tempfile.TemporaryDirectory()
        self.home = pathlib.Path(self.directory.name)
        self.email = email
        key = self.home / "key"
        made = ["ssh-keygen", "-q", "-N", "", "-C", "machine", "-t", "ed25519", "-f", key]
        subprocess.run(made, check=True)
        self.public = (self.home / "key.pub").read_text().strip()
        self.git("config", "--global", "gpg.format", "ssh")
        self.git("config", "--global", "user.signingKey", str(key))

    def git(self, *arguments):
        environment = os.environ | {
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "HOME": str(self.home),
        }
        for part in ["AUTHOR", "COMMITTER"]:
            environment |= {f"GIT_{part}_NAME": "Root", f"GIT_{part}_EMAIL": self.email}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.home,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()


def test_signatures_of_commits_are_read():
    HERE.auth()
    machine = Machine(HERE.user.email)
    project = HERE.projects.create({"name": "signed"})
    machine.git("init", "--quiet", "--initial-branch=main")
    machine.git("commit", "--quiet", "--allow-empty", "--message", "Plain")
    machine.git("commit", "--quiet", "--allow-empty", "-S", "--message", "Signed")
    scheme, rest = project.http_url_to_repo.split("://")
    machine.git("push", "--quiet", f"{scheme}://root:{HERE.private_token}@{rest}", "main")
    commit = project.commits.get("main")
    assert commit.signature()["verification_status"] == "unknown_key"
    key = HERE.user.keys.create({"title": "signs", "key": machine.public, "usage_type": "signing"})
    signature = commit.signature()
    assert signature["signature_type"] == "SSH", signature
    assert signature["verification_status"] == "verified", signature
    assert signature["key"]["id"] == key.id and signature["commit_source"] == "git"
    key.delete()
    try:
        project.commits.get(commit.parent_ids[0]).signature()
    except gitlab.GitlabGetError as error:
        assert error.response_code == 404, error
    else:
        raise AssertionError("nobody signed it")


def test_gpg_keys_are_managed():
    HERE.auth()
    text = (FIXTURES / "ada.asc").read_text()
    key = HERE.user.gpgkeys.create({"key": text})
    assert key.key == text.strip()
    assert HERE.user.gpgkeys.get(key.id).created_at == key.created_at
    user = HERE.users.get(HERE.user.id)
    assert key.id in [one.id for one in user.gpgkeys.list(get_all=True)]
    key.delete()
    further = user.gpgkeys.create({"key": text})
    user.gpgkeys.delete(further.id)
    assert HERE.user.gpgkeys.list() == []


run(globals())
