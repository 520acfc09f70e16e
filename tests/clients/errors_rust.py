"""sentry of Rust over reqwest, unmodified: what it reports is grouped and shown."""

import os
import subprocess

import stories
from stories import api
from tracker import Tracker


def report(tracker):
    """Runs the program that reports to the tracker; what it prints."""
    done = subprocess.run(
        [os.environ["CLIENT"], tracker.dsn],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    printed = done.stdout + done.stderr
    assert done.returncode == 101, ("it ends by its panic", printed)
    return printed


def test_an_error_a_message_and_a_panic_with_the_session():
    tracker = Tracker()
    printed = report(tracker)
    answers = [line for line in printed.splitlines() if "Get response" in line]
    assert len(answers) == 3 and all('{"id":' in answer for answer in answers), printed
    found = {error["name"]: error for error in tracker.errors()}
    told = ["description", "level", "events_count", "users_count", "last_release"]
    assert {name: [error[key] for key in told] for name, error in found.items()} == {
        "TooHot": ["1600 degrees", "error", 1, 1, "1.4.2"],
        "panic": ["the anvil fell", "fatal", 1, 1, "1.4.2"],
        "Log Message": ["the fire is out", "warning", 1, 1, "1.4.2"],
    }, found
    functions = [frame["function"] for frame in tracker.stack(found["panic"])]
    assert any(function.endswith("main") for function in functions), functions
    assert api("GET", f"/projects/{tracker.id}/error_tracking/dropped_events") == []


stories.run(globals())
