"""bugsink as a receiver of errors to measure beside tenon.

    python peer.py PORT FILES DIRECTORY

makes one project in a fresh SQLite database, serves it as its guide for one
machine says, and prints one line of JSON with the project's key. Events are
stored and grouped before they are answered, as they are here, and its quotas
are out of the way.
"""

import atexit
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request

port, directory = sys.argv[1], pathlib.Path(sys.argv[3])
programs = pathlib.Path(sys.executable).parent
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
configuration = directory / "bugsink_conf.py"
subprocess.run(
    [programs / "bugsink-create-conf", "--template", "singleserver", "--host", "127.0.0.1",
     "--base-dir", directory, "--output-file", configuration],
    check=True, **quiet,
)  # fmt: skip
with configuration.open("a") as file:
    file.write(
        f"""
ALLOWED_HOSTS = ["127.0.0.1"]
BUGSINK["BASE_URL"] = "http://127.0.0.1:{port}"
BUGSINK["DIGEST_IMMEDIATELY"] = True
for window in ("5_MINUTES", "HOUR", "MONTH"):
    BUGSINK["MAX_EVENTS_PER_" + window] = 100_000_000
    BUGSINK["MAX_EVENTS_PER_PROJECT_PER_" + window] = 100_000_000
"""
    )
environment = {**os.environ, "PYTHONPATH": str(directory), "PYTHONUNBUFFERED": "1"}


def manage(*arguments):
    done = subprocess.run(
        [programs / "bugsink-manage", *arguments],
        env=environment, cwd=directory, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


manage("migrate")
manage("migrate", "snappea", "--database=snappea")
made = manage(
    "shell", "-c",
    "from projects.models import Project; print(Project.objects.create(name='anvil', slug='anvil').sentry_key.hex)",
)  # fmt: skip
key = made.split()[-1]
server = subprocess.Popen(
    [programs / "gunicorn", "--bind", f"127.0.0.1:{port}", "--workers", str(os.cpu_count() or 2),
     "--access-logfile", "/dev/null", "bugsink.wsgi"],
    env=environment, cwd=directory, **quiet,
)  # fmt: skip
atexit.register(server.terminate)
for _ in range(600):
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/health/ready", timeout=5)
        break
    except urllib.error.HTTPError:
        break
    except OSError:
        time.sleep(0.1)
else:
    sys.exit("bugsink does not answer")
print(json.dumps({"port": port, "key": key}), flush=True)
sys.stdin.read()
