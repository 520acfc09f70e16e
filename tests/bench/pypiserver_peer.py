"""pypiserver as an index to measure beside tenon.

    python pypiserver_peer.py PORT FILES DIRECTORY

serves the files of a folder and prints one line of JSON when it does. The
server is the quickest that is installed: waitress, which devpi-server needs.
"""

import atexit
import json
import pathlib
import subprocess
import sys
import time

import requests

port, files = sys.argv[1], sys.argv[2]
program = pathlib.Path(sys.executable).parent / "pypi-server"
server = subprocess.Popen(
    [program, "run", "--port", port, "--interface", "127.0.0.1", "--disable-fallback",
     "--server", "auto", "--passwords", ".", "--authenticate", ".", files],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
)
atexit.register(server.terminate)
for _ in range(300):
    try:
        requests.get(f"http://127.0.0.1:{port}/simple/", timeout=5)
        break
    except requests.ConnectionError:
        time.sleep(0.1)
else:
    sys.exit("pypi-server does not answer")
print(json.dumps({"port": port}), flush=True)
sys.stdin.read()
