"""alerta-server as a receiver of alerts to measure beside tenon.

    DATABASE_URL=postgres://... python peer.py PORT FILES DIRECTORY

serves the empty database as its guide for one machine says, with one worker
per core, and prints one line of JSON when it answers. It asks for no key, and
the plug-ins that it starts with decide on every alert. What it says about
itself goes to server.log in the directory.
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

port, directory = sys.argv[1], sys.argv[3]
programs = pathlib.Path(sys.executable).parent
log = pathlib.Path(directory, "server.log")
# Made before the workers, the application makes the tables once: two workers
# that find none both make them, one of them fails, and its end ends the server.
server = subprocess.Popen(
    [programs / "gunicorn", "--bind", f"127.0.0.1:{port}", "--workers", str(os.cpu_count() or 2),
     "--preload", "--access-logfile", "/dev/null", "alerta.app:create_app()"],
    env={**os.environ, "SECRET_KEY": "for one measurement", "ALLOWED_ENVIRONMENTS": "Production"},
    cwd=directory, stdout=log.open("w"), stderr=subprocess.STDOUT,
)  # fmt: skip
atexit.register(server.terminate)
for _ in range(600):
    if server.poll() is not None:
        sys.exit(f"alerta-server ended:\n{log.read_text()}")
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{port}/management/gtg", timeout=5)
        break
    except urllib.error.HTTPError:
        break
    except OSError:
        time.sleep(0.1)
else:
    sys.exit("alerta-server does not answer")
print(json.dumps({"port": port}), flush=True)
sys.stdin.read()
