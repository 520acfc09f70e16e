"""Composer: a package of a private group, published and required."""

import io
import itertools
import json
import os
import pathlib
import subprocess
import tempfile
import urllib.parse
import zipfile

import requests
import stories

HOST = urllib.parse.urlsplit(stories.URL).netloc
TOKEN = os.environ["TENON_TOKEN"]
numbers = itertools.count(1)


def project():
    """A new group with a project: the ids of both."""
    name = f"smithy-{next(numbers)}"
    group = stories.api("POST", "/groups", name=name, path=name)["id"]
    made = stories.api("POST", "/projects", name="anvil", namespace_id=group)
    return group, made["id"]


def publish(number, reference, name="acme/anvil", text="<?php\n"):
    """Publishes the version of a tag or branch; the reply."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("anvil/composer.json", json.dumps({"name": name, "type": "library"}))
        archive.writestr("anvil/src/anvil.php", text)
    return requests.post(
        f"{stories.URL}/api/v4/projects/{number}/packages/composer",
        data=reference, files={"package": ("anvil.zip", packed.getvalue())},
        headers={"PRIVATE-TOKEN": TOKEN},
    )


def require(group, package, token=TOKEN):
    """Requires a package in an empty folder: what Composer said, and the
    text of the file it unpacked."""
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder)
        repository = f"{stories.URL}/api/v4/group/{group}/-/packages/composer/packages.json"
        settings = {
            "repositories": [{"type": "composer", "url": repository}, {"packagist.org": False}],
            "config": {"secure-http": False},
            "minimum-stability": "dev",
        }
        (home / "composer.json").write_text(json.dumps(settings))
        credentials = {"http-basic": {HOST: {"username": "any", "password": token}}}
        environment = {
            **os.environ, "COMPOSER_HOME": f"{folder}/home", "COMPOSER_ALLOW_SUPERUSER": "1",
            "COMPOSER_AUTH": json.dumps(credentials if token else {}),
        }
        done = subprocess.run(
            ["composer", "require", "--no-interaction", "--no-progress", package],
            cwd=home, env=environment, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        unpacked = home / "vendor/acme/anvil/src/anvil.php"
        text = unpacked.read_text() if unpacked.is_file() else None
        lock = home / "composer.lock"
        return done, text, json.loads(lock.read_text()) if lock.is_file() else None


def test_a_tag_is_required_from_a_private_group():
    group, number = project()
    assert publish(number, {"tag": "v1.0.0"}).status_code == 201
    assert publish(number, {"tag": "v1.2.0"}, text="<?php // newer\n").status_code == 201
    done, text, lock = require(group, "acme/anvil:^1.0")
    assert done.returncode == 0, done.stdout
    assert text == "<?php // newer\n"
    [locked] = lock["packages"]
    assert (locked["name"], locked["version"]) == ("acme/anvil", "1.2.0")
    assert locked["dist"]["shasum"], locked["dist"]


def test_a_branch_is_required_as_development_version():
    group, number = project()
    assert publish(number, {"branch": "main"}, text="<?php // first\n").status_code == 201
    assert publish(number, {"branch": "main"}, text="<?php // moved\n").status_code == 201
    done, text, _ = require(group, "acme/anvil:dev-main")
    assert done.returncode == 0, done.stdout
    assert text == "<?php // moved\n"


def test_a_stranger_is_asked_for_credentials():
    group, number = project()
    assert publish(number, {"tag": "1.0.0"}).status_code == 201
    done, text, _ = require(group, "acme/anvil", token=None)
    assert done.returncode != 0 and text is None
    assert "401" in done.stdout or "Authentication" in done.stdout, done.stdout


def test_an_unknown_package_is_not_found():
    group, number = project()
    assert publish(number, {"tag": "1.0.0"}).status_code == 201
    done, _, _ = require(group, "acme/hammer")
    assert done.returncode != 0
    assert "acme/hammer" in done.stdout


stories.run(globals())
