"""devpi-server as an index to measure beside tenon.

    python devpi.py PORT FILES DIRECTORY

serves the files of a folder from its index `root/bench` and prints one line
of JSON when it has them.
"""

import atexit
import json
import pathlib
import subprocess
import sys
import time

import requests

port, files, directory = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
programs = pathlib.Path(sys.executable).parent
url = f"http://127.0.0.1:{port}"
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
subprocess.run([programs / "devpi-init", "--serverdir", directory, "--no-root-pypi"], check=True, **quiet)
server = subprocess.Popen(
    [programs / "devpi-server", "--serverdir", directory, "--port", port, "--host", "127.0.0.1"], **quiet)
atexit.register(server.terminate)

for _ in range(600):
    try:
        requests.get(url + "/+api", timeout=1)
        break
    except requests.ConnectionError:
        time.sleep(0.1)
else:
    sys.exit("devpi-server does not answer")
session = requests.Session()
login = session.post(url + "/+login", json={"user": "root", "password": ""}).json()["result"]
session.headers["X-Devpi-Auth"] = __import__("base64").b64encode(f"root:{login['password']}".encode()).decode()
session.put(url + "/root/bench", json={"type": "stage", "volatile": True, "bases": []}).raise_for_status()
for path in sorted(files.iterdir()):
    name, version = path.name.split("-")[:2]
    fields = {":action": "file_upload", "name": name, "version": version, "filetype": "bdist_wheel", "pyversion": "py3"}
    reply = session.post(url + "/root/bench/", data=fields, files={"content": (path.name, path.read_bytes())})
    reply.raise_for_status()
print(json.dumps({"port": port}), flush=True)
sys.stdin.read()
