"""The stock ssh, git and git-lfs over SSH, and python-gitlab for the keys."""

import os
import pathlib
import subprocess
import tempfile

import gitlab

import security_key
from stories import run

HERE = gitlab.Gitlab(os.environ["TENON_URL"], private_token=os.environ["TENON_TOKEN"])
LARGE = bytes(range(256)) * 4096


class Machine:
    """A folder with a key, in which git works over SSH."""

    def __init__(self, kind="ed25519"):
        self.directory = tempfile.TemporaryDirectory()
        self.home = pathlib.Path(self.directory.name)
        key = self.home / "key"
        made = ["ssh-keygen", "-q", "-N", "", "-C", "machine", "-t", kind, "-f", key]
        subprocess.run(made, check=True)
        self.public = (self.home / "key.pub").read_text().strip()
        hosts = self.home / "hosts"
        self.ssh = (
            f"ssh -F none -T -i {key} -o IdentitiesOnly=yes -o BatchMode=yes "
            f"-o StrictHostKeyChecking=accept-new -o UserKnownHostsFile={hosts}"
        )

    def git(self, *arguments, at="", fails=False):
        environment = os.environ | {
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_SSH_COMMAND": self.ssh,
            "HOME": str(self.home),
        }
        for part in ["AUTHOR", "COMMITTER"]:
            environment |= {f"GIT_{part}_NAME": "Jane", f"GIT_{part}_EMAIL": "jane@forge.example"}
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.home / at,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr

    def begin(self, address):
        self.git("init", "--quiet", "--initial-branch=main", "mine")
        self.git("remote", "add", "origin", address, at="mine")
        (self.home / "mine" / "README.md").write_text("# Anvil\n")
        self.git("add", ".", at="mine")
        self.git("commit", "--quiet", "--message", "Begin", at="mine")


def test_keys_of_users_are_managed():
    mine, other = Machine(), Machine("ecdsa")
    HERE.auth()
    key = HERE.user.keys.create({"title": "laptop", "key": mine.public})
    assert key.title == "laptop" and key.id in [one.id for one in HERE.user.keys.list()]
    assert HERE.user.keys.get(key.id).key.startswith("ssh-ed25519 ")
    user = HERE.users.get(HERE.user.id)
    further = user.keys.create({"title": "desk", "key": other.public})
    assert {key.id, further.id} <= {one.id for one in user.keys.list(get_all=True)}
    assert HERE.keys.get(key.id).user["username"] == "root"
    listed = subprocess.run(
        ["ssh-keygen", "-lf", mine.home / "key.pub"], capture_output=True, text=True, check=True
    )
    fingerprint = listed.stdout.split()[1]
    assert HERE.keys.get(fingerprint=fingerprint).id == key.id
    key.delete()
    user.keys.delete(further.id)
    assert key.id not in [one.id for one in HERE.user.keys.list()]


def test_deploy_keys_are_managed():
    machine = Machine()
    project = HERE.projects.create({"name": "deployed"})
    other = HERE.projects.create({"name": "deployed-too"})
    key = project.keys.create({"title": "ci", "key": machine.public})
    assert key.id in [one.id for one in HERE.deploykeys.list()]
    key.title, key.can_push = "build", True
    key.save()
    assert project.keys.get(key.id).can_push and project.keys.get(key.id).title == "build"
    other.keys.enable(key.id)
    assert key.id in [one.id for one in other.keys.list()]
    other.keys.delete(key.id)
    key.delete()
    assert project.keys.list() == []


def test_git_goes_over_ssh():
    machine = Machine()
    project = HERE.projects.create({"name": "by-ssh"})
    assert project.ssh_url_to_repo.startswith("ssh://git@127.0.0.1:"), project.ssh_url_to_repo
    machine.begin(project.ssh_url_to_repo)
    said = machine.git("push", "origin", "main", at="mine", fails=True)
    assert "Permission denied (publickey)" in said, said
    HERE.auth()
    key = HERE.user.keys.create({"title": "by ssh", "key": machine.public})
    machine.git("push", "origin", "main", at="mine")
    machine.git("clone", "--quiet", project.ssh_url_to_repo, "copy")
    assert (machine.home / "copy" / "README.md").read_text() == "# Anvil\n"
    key.delete()
    machine.git("fetch", at="copy", fails=True)


def test_large_files_go_over_ssh():
    machine = Machine("rsa")
    project = HERE.projects.create({"name": "large-by-ssh"})
    HERE.auth()
    key = HERE.user.keys.create({"title": "large", "key": machine.public})
    machine.git("lfs", "install", "--skip-repo")
    machine.begin(project.ssh_url_to_repo)
    machine.git("lfs", "track", "*.psd", at="mine")
    (machine.home / "mine" / "horn.psd").write_bytes(LARGE)
    machine.git("add", ".", at="mine")
    machine.git("commit", "--quiet", "--message", "Draw", at="mine")
    machine.git("push", "origin", "main", at="mine")
    machine.git("clone", "--quiet", project.ssh_url_to_repo, "copy")
    assert (machine.home / "copy" / "horn.psd").read_bytes() == LARGE
    machine.git("lfs", "lock", "horn.psd", at="mine")
    assert "horn.psd" in machine.git("lfs", "locks", at="mine")
    key.delete()


def with_security_key(kind):
    """A machine whose key lies in a security key, which its agent asks."""
    machine, agent = Machine(), security_key.Agent(kind())
    machine.public = agent.public
    (machine.home / "key").unlink()
    (machine.home / "key.pub").write_text(f"{agent.public}\n")
    machine.ssh += f" -o IdentityAgent={agent.socket} -i {machine.home / 'key.pub'}"
    return machine


def test_git_goes_over_ssh_with_security_keys():
    HERE.auth()
    for kind in [security_key.Ed25519, security_key.Ecdsa]:
        machine = with_security_key(kind)
        project = HERE.projects.create({"name": f"by-{kind.__name__}"})
        key = HERE.user.keys.create({"title": "touched", "key": machine.public})
        machine.begin(project.ssh_url_to_repo)
        machine.git("push", "origin", "main", at="mine")
        machine.git("clone", "--quiet", project.ssh_url_to_repo, "copy")
        assert (machine.home / "copy" / "README.md").read_text() == "# Anvil\n"
        key.delete()


run(globals())
