"""sentry-sdk with and without Brotli, and raven, unmodified: what they report is grouped and shown."""

import itertools
import pathlib
import subprocess
import sys
import tempfile

import requests
import stories
from stories import URL, api

numbers = itertools.count(1)

# An exception with a cause, a message and a logged error, each once.
SENTRY = """
import logging, sys
{before}
import sentry_sdk

sentry_sdk.init(dsn=sys.argv[1], release="1.4.2", environment="forge", debug=True)
sentry_sdk.set_user({{"id": "7"}})

def heat(degrees):
    try:
        {{}}["degrees"]
    except KeyError as cause:
        raise ValueError(f"{{degrees}} degrees") from cause

try:
    heat(1600)
except ValueError:
    sentry_sdk.capture_exception()
sentry_sdk.capture_message("the fire is out", level="warning")
logging.getLogger("shop").error("sold %s anvils", 3)
sentry_sdk.flush(30)
"""

RAVEN = """
import sys
import raven
from raven.transport.http import HTTPTransport

client = raven.Client(sys.argv[1], transport=HTTPTransport, release="1.4.2", raise_send_errors=True)
try:
    1 / 0
except ZeroDivisionError:
    client.captureException()
client.captureMessage("the fire is out")
"""


class Tracker:
    """A project that receives errors."""

    def __init__(self):
        self.id = api("POST", "/projects", name=f"furnace-{next(numbers)}")["id"]
        self.settings(active=True, integrated=True)
        key = api("POST", f"/projects/{self.id}/error_tracking/client_keys")
        self.key, self.dsn = key["public_key"], key["tracker_dsn"]

    def settings(self, **values):
        return api("PUT", f"/projects/{self.id}/error_tracking/settings", **values)

    def errors(self):
        """The errors by their names."""
        found = api("GET", f"/projects/{self.id}/error_tracking/errors")
        named = {error["name"]: error for error in found}
        assert len(named) == len(found) or "Log Message" in named, found
        return found

    def stack(self, error):
        query = """query($path: ID!, $id: ServiceErrorTrackingDetailedErrorID!) { project(fullPath: $path) {
            trackerErrors { errorStackTrace(id: $id) { stackTraceEntries {
                function fileName line traceContext { line code } } } } } }"""
        path = api("GET", f"/projects/{self.id}")["path_with_namespace"]
        id = f"gid://service/Service::ErrorTracking::DetailedError/{error['id']}"
        answer = requests.post(
            f"{URL}/api/graphql",
            headers={"PRIVATE-TOKEN": stories.os.environ["TENON_TOKEN"]},
            json={"query": query, "variables": {"path": path, "id": id}},
        ).json()
        assert "errors" not in answer, answer
        return answer["data"]["project"]["trackerErrors"]["errorStackTrace"]["stackTraceEntries"]


def report(program, tracker, dsn=None):
    """Runs a program that reports to the tracker; what it prints."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tenon-errors-"))
    script = folder / "furnace.py"
    script.write_text(program)
    done = subprocess.run(
        [sys.executable, str(script), dsn or tracker.dsn],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    printed = done.stdout + done.stderr
    assert done.returncode == 0, printed
    return printed


def check_sentry(before):
    tracker = Tracker()
    report(SENTRY.format(before=before), tracker)
    found = {(error["name"], error["description"]): error for error in tracker.errors()}
    assert set(found) == {
        ("ValueError", "1600 degrees"),
        ("Log Message", "the fire is out"),
        ("Log Message", "sold 3 anvils"),
    }, found
    raised = found["ValueError", "1600 degrees"]
    assert raised["events_count"] == 1 and raised["users_count"] == 1, raised
    assert (raised["level"], raised["last_release"]) == ("error", "1.4.2"), raised
    assert found["Log Message", "the fire is out"]["level"] == "warning"
    assert found["Log Message", "sold 3 anvils"]["logger"] == "shop"
    innermost = tracker.stack(raised)[-1]
    assert innermost["function"] == "heat" and innermost["fileName"].endswith("furnace.py"), innermost
    assert any("raise ValueError" in line["code"] for line in innermost["traceContext"]), innermost


def test_sentry_sdk_with_brotli():
    check_sentry("import brotli")


def test_sentry_sdk_without_brotli():
    check_sentry('sys.modules["brotli"] = None')


def test_sentry_sdk_waits_when_it_is_told_to():
    tracker = Tracker()
    before = api("GET", "/application/settings")["error_tracking_events_per_five_minutes"]
    api("PUT", "/application/settings", error_tracking_events_per_five_minutes=1)
    try:
        program = """
import sys, sentry_sdk
sentry_sdk.init(dsn=sys.argv[1], debug=True)
for number in range(6):
    sentry_sdk.capture_message(f"message {number}")
    sentry_sdk.flush(30)
"""
        report(program, tracker)
    finally:
        api("PUT", "/application/settings", error_tracking_events_per_five_minutes=before)
    assert sum(error["events_count"] for error in tracker.errors()) == 1


def test_raven():
    tracker = Tracker()
    # It wants a secret, which is of no matter here.
    dsn = tracker.dsn.replace("@", ":secret@")
    report(RAVEN, tracker, dsn)
    found = {error["name"]: error for error in tracker.errors()}
    assert set(found) == {"ZeroDivisionError", "Log Message"}, found
    assert found["ZeroDivisionError"]["last_release"] == "1.4.2"
    assert tracker.stack(found["ZeroDivisionError"])[-1]["function"] == "<module>"


stories.run(globals())
