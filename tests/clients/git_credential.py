"""git-credential-oauth, as Debian ships it, obtains tokens for git.

It knows the server by the built-in client alone: no administrator registered
anything. `-device` came after the packaged version; the requests that later
versions make are replayed.
"""

import base64
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import requests

from oauth_user import URL, Person, run

CLIENT = "da4f15cd51a3c4e87f76ed3da30aed515ba9705308ff3278aad089139263dcb6"
SCOPES = "read_repository write_repository"
HOST = URL.removeprefix("http://")
HERE = pathlib.Path(__file__).parent


def git(directory, action, credential):
    """What `git credential` answers, as names and values."""
    shown = (HERE / "examples/gitconfig").read_text()
    (directory / "gitconfig").write_text(shown.replace("https://tenon.example", URL))
    # A browser opens the address and leaves git alone.
    browser = directory / "browser"
    program = f'"{sys.executable}" "{HERE / "oauth_user.py"}" "$1"'
    browser.write_text(f"#!/bin/sh\n{program} > {directory / 'browser.log'} 2>&1 &\n")
    browser.chmod(0o755)
    asked = "".join(f"{name}={value}\n" for name, value in credential.items())
    done = subprocess.run(
        ["git", "credential", action],
        input=asked + "\n",
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ
        | {
            "BROWSER": str(browser),
            "GIT_CONFIG_GLOBAL": str(directory / "gitconfig"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "HOME": str(directory),
        },
    )
    log = directory / "browser.log"
    said = done.stderr + (log.read_text() if log.exists() else "")
    assert done.returncode == 0, said
    return dict(line.split("=", 1) for line in done.stdout.splitlines())


def check(token):
    """The token is to fetch and push with, and nothing else."""
    info = requests.get(f"{URL}/oauth/token/info", headers={"Authorization": f"Bearer {token}"})
    assert info.status_code == 200, info.text
    assert info.json()["scope"] == SCOPES.split(), info.text
    assert info.json()["application"]["uid"] == CLIENT, info.text
    api = requests.get(f"{URL}/api/v4/user", headers={"Authorization": f"Bearer {token}"})
    assert api.status_code == 403, api.text


def test_git_gets_a_token_by_loopback_redirect():
    with tempfile.TemporaryDirectory() as directory:
        given = git(pathlib.Path(directory), "fill", {"protocol": "http", "host": HOST})
    assert given["username"], given
    check(given["password"])


def test_git_gets_another_token_when_the_first_has_ended():
    with tempfile.TemporaryDirectory() as directory:
        first = git(pathlib.Path(directory), "fill", {"protocol": "http", "host": HOST})
        form = {"client_id": CLIENT, "token": first["password"]}
        assert requests.post(f"{URL}/oauth/revoke", data=form).status_code == 200
        second = git(pathlib.Path(directory), "fill", {"protocol": "http", "host": HOST})
    assert first["password"] != second["password"]
    check(second["password"])


def test_a_device_gets_a_token_by_the_requests_of_later_versions():
    begun = requests.post(
        f"{URL}/oauth/authorize_device", data={"client_id": CLIENT, "scope": SCOPES}
    )
    assert begun.status_code == 200, begun.text
    begun = begun.json()
    form = {
        "client_id": CLIENT,
        "device_code": begun["device_code"],
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
    }
    # Go's library tries Basic with an empty secret before it writes the
    # client into the form.
    empty = base64.b64encode(f"{CLIENT}:".encode()).decode()
    polled = requests.post(
        f"{URL}/oauth/token", data=form, headers={"Authorization": f"Basic {empty}"}
    )
    assert polled.json()["error"] == "authorization_pending", polled.text
    Person().connect_device(begun["verification_uri"], begun["user_code"])
    interval = begun["interval"]
    while polled.json().get("error") in ("authorization_pending", "slow_down"):
        time.sleep(interval)
        polled = requests.post(f"{URL}/oauth/token", data=form)
        interval += 5 * (polled.json().get("error") == "slow_down")
    assert polled.status_code == 200, polled.text
    check(polled.json()["access_token"])


run(globals())
