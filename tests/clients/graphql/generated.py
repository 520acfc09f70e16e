"""schemathesis, unmodified, asks every query and mutation with generated documents.

No answer may be a server error or have another shape than the document asks
for, and every field of the roots must have answered with data. The run is
seeded, so a failure repeats. With TENON_FULL there are many more calls.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

import graphql

from endpoint import ENDPOINT, ask

CALLS = 6000 if os.environ.get("TENON_FULL") else 1500

schema = graphql.build_client_schema(ask(graphql.get_introspection_query(), {}, "")["data"])
fields = {
    f"{root.name}.{field}" for root in (schema.query_type, schema.mutation_type) for field in root.fields
}
ARGUMENTS = [
    "run",
    ENDPOINT,
    "--checks=answers_hold",
    "--phases=fuzzing",
    "--mode=positive",
    f"--max-examples={-(-CALLS // len(fields))}",
    "--seed=1",
    "--continue-on-failure",
    "--suppress-health-check=all",
    "--workers=1",
    "--request-timeout=30",
    "--warnings=off",
    "--no-color",
]

# What generated calls do not bring to an answer with data, and why.
UNREACHABLE = {"Query.issues": "it wants one filter at least, and such as agree"}

program = pathlib.Path(sys.executable).parent / "schemathesis"
with tempfile.TemporaryDirectory() as directory:
    answered = pathlib.Path(directory) / "answered.json"
    here = pathlib.Path(__file__).parent
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(here), str(here.parent)]),
        "SCHEMATHESIS_HOOKS": "generated_hooks",
        "TENON_ANSWERED": str(answered),
    }
    status = subprocess.run([program, *ARGUMENTS], env=environment, cwd=directory, check=False).returncode
    told = json.loads(answered.read_text())

print(told["calls"], "calls:", told["statuses"], told["codes"])
never = fields - set(told["answered"]) - UNREACHABLE.keys()
for field in sorted(never):
    print("never answered with data:", field)
for field in sorted(UNREACHABLE.keys() & set(told["answered"])):
    print("is reached, so take it from UNREACHABLE:", field)
    never.add(field)
sys.exit(status or bool(never))
