"""schemathesis, unmodified, calls every published operation with generated input.

No answer may be a server error, have a status or a content type the interface
does not name, or break its schema. The run is seeded, so a failure repeats.
"""

import os
import pathlib
import subprocess
import sys

ARGUMENTS = [
    "run",
    os.environ["TENON_URL"] + "/api/v4/openapi.json",
    "--header=PRIVATE-TOKEN: " + os.environ["TENON_TOKEN"],
    "--checks=not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
    "--phases=examples,coverage",
    "--seed=1",
    "--generation-deterministic",
    "--continue-on-failure",
    "--workers=2",
    "--request-timeout=30",
    "--no-color",
]

program = pathlib.Path(sys.executable).parent / "schemathesis"
sys.exit(subprocess.run([program, *ARGUMENTS], check=False).returncode)
