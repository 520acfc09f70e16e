"""curl, the calls that the documentation names: three ways to send a token, and none."""

import json
import os
import subprocess

import stories
from endpoint import ENDPOINT

TOKEN = os.environ["TENON_TOKEN"]
WHO = json.dumps({"query": "{ currentUser { username } }"})
ROOT = {"data": {"currentUser": {"username": "root"}}}
NOBODY = {"data": {"currentUser": None}}


def curl(address, *arguments):
    """The exit status of curl, and what it was answered."""
    command = ["curl", "--silent", "--show-error", "--fail-with-body", *arguments]
    sent = ["--header", "Content-Type: application/json", "--data", WHO, address]
    done = subprocess.run([*command, *sent], stdout=subprocess.PIPE, check=False)
    return done.returncode, json.loads(done.stdout)


def test_a_token_is_sent_as_bearer():
    assert curl(ENDPOINT, "--header", f"Authorization: Bearer {TOKEN}") == (0, ROOT)


def test_a_token_is_sent_as_access_token():
    assert curl(f"{ENDPOINT}?access_token={TOKEN}") == (0, ROOT)


def test_a_token_is_sent_as_private_token():
    assert curl(f"{ENDPOINT}?private_token={TOKEN}") == (0, ROOT)


def test_a_stranger_sends_none():
    assert curl(ENDPOINT) == (0, NOBODY)


def test_curl_fails_with_a_bad_token():
    refused = {"errors": [{"message": "Invalid token"}]}
    assert curl(ENDPOINT, "--header", "Authorization: Bearer wrong") == (22, refused)


stories.run(globals())
