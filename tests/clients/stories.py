"""What the Python suites share: the server, and how their tests are run."""

import os
import sys
import time
import traceback

import requests

URL = os.environ["TENON_URL"]


def api(method, path, /, **body):
    """What the administrator is answered by REST."""
    headers = {"PRIVATE-TOKEN": os.environ["TENON_TOKEN"]}
    reply = requests.request(method, f"{URL}/api/v4{path}", headers=headers, json=body)
    assert reply.ok, (reply.status_code, reply.text)
    return reply.json()


def until(look, holds):
    """What `look` sees, as soon as `holds` says that it will do."""
    end = time.monotonic() + 120
    while not holds(seen := look()):
        assert time.monotonic() < end, seen
        time.sleep(0.05)
    return seen


def run(tests):
    """Runs every test of a suite and says how many passed."""
    tests = {name: test for name, test in tests.items() if name.startswith("test_")}
    failed = 0
    for name, test in tests.items():
        try:
            test()
            print("ok     ", name, flush=True)
        except Exception:
            failed += 1
            print("FAILED ", name)
            traceback.print_exc(file=sys.stdout)
    print(f"{len(tests) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
