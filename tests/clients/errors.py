"""sentry-sdk with and without Brotli, and raven, unmodified: what they report is grouped and shown."""

import pathlib
import subprocess
import sys
import tempfile

import stories
from stories import api
from tracker import Tracker

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
