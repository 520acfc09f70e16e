"""schemathesis, unmodified, calls every published operation with generated input.

No answer may be a server error, have a status or a content type the interface
does not name, or break its schema, and every operation must have been used
with success. The run is seeded, so a failure repeats.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

ARGUMENTS = [
    "run",
    os.environ["TENON_URL"] + "/api/v4/openapi.json",
    "--checks=not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
    "--phases=examples,coverage",
    "--seed=1",
    "--generation-with-security-parameters=false",
    # It says 501 to all: runners learn so that this server routes no jobs.
    "--exclude-path=/api/v4/runners/router/discovery",
    "--continue-on-failure",
    "--workers=1",
    "--request-timeout=30",
    "--warnings=off",
    "--no-color",
]

# What generated calls cannot bring to a success, and why.
UNREACHABLE = {
    "PATCH /api/v4/users/{id}/disable_two_factor": "second factors are set up on pages",
    "POST /api/v4/users/{id}/approve": "nobody can sign up, so nobody waits",
    "POST /api/v4/users/{id}/deactivate": "a new user was active within 90 days",
    "POST /api/v4/users/{id}/reject": "nobody can sign up, so nobody waits",
    "POST /api/v4/projects/{id}/packages/composer": "takes an archive, which composer.py sends",
    "GET /api/v4/projects/{id}/packages/composer/archives/{vendor}/{archive}": "as above",
    "PUT /api/v4/projects/{id}/packages/go/{module_path}": "takes an archive, which golang.py sends",
    "PUT /api/v4/projects/{id}/packages/npm/{package_path}": "it takes an archive",
    "DELETE /api/v4/projects/{id}/packages/npm/{package_path}": "the path holds a revision",
    "PUT /api/v4/projects/{id}/packages/npm/-/package/{tags_path}": "its body is one JSON text",
    "PUT /api/v4/groups/{id}/-/packages/npm/-/package/{tags_path}": "its body is one JSON text",
    "PUT /api/v4/packages/npm/-/package/{tags_path}": "its body is one JSON text",
    "POST /api/v4/projects/{id}/packages/conan/v1/conans/{recipe_path}": "its body is one JSON object",
    "POST /api/v4/packages/conan/v1/conans/{recipe_path}": "its body is one JSON object",
    "POST /api/v4/error_tracking/collector/api/{id}/envelope": "takes what SDKs send, as errors.py does",
    "POST /api/v4/error_tracking/collector/api/{id}/store": "as above",
    "POST /api/v4/projects/{id}/alert_management_alerts/{alert_iid}/metric_images": "it takes pictures",
    "POST /api/v4/projects/{id}/packages/helm/api/{channel}/charts": "it takes archives of charts",
    "PUT /api/v4/projects/{id}/packages/nuget": "it takes an archive",
    "PUT /api/v4/projects/{id}/packages/nuget/v2": "it takes an archive",
    "PUT /api/v4/projects/{id}/packages/nuget/symbolpackage": "it takes an archive",
    "GET /api/v4/projects/{id}/packages/nuget/symbolfiles/{symbol_file}/{signature}/{same_file}":
        "a header tells what it sends",
    "POST /api/v4/projects/{id}/packages/pypi": "it takes archives that Python's tools made",
    "GET /api/v4/packages/terraform/modules/v1/{module_namespace}/{module_name}/{module_system}/download":
        "leads elsewhere",
    "DELETE /api/v4/groups/{id}/labels": "it names a label, as python-gitlab does in planning.py",
    "DELETE /api/v4/projects/{id}/labels": "as above",
    "PUT /api/v4/projects/{id}/labels": "as above",
    "POST /api/v4/application/graphql_queries": "its query is a document",
    "POST /api/v4/groups/{id}/packages/cleanup/preview": "a rule says what goes",
    "POST /api/v4/groups/{id}/packages/cleanup/rules": "a rule says what goes",
    "POST /api/v4/projects/{id}/packages/cleanup/preview": "a rule says what goes",
    "POST /api/v4/projects/{id}/packages/cleanup/rules": "a rule says what goes",
    "POST /api/v4/projects/{id}/alert_management/maintenance_windows": "its times must agree",
    "POST /api/v4/groups/{id}/uploads": "it takes files, as the ones that are read here",
    "POST /api/v4/projects/{id}/uploads": "it takes files, as python-gitlab does in planning.py",
    "PUT /api/v4/groups/{id}/epics/{epic_iid}/discussions/{discussion_id}":
        "threads of epics cannot be resolved",
    "PUT /api/v4/groups/{id}/-/epics/{epic_iid}/discussions/{discussion_id}": "as above",
    "GET /api/v4/projects/{id}/remote_mirrors/{mirror_id}/public_key":
        "mirrors over SSH alone have a key",
    "POST /api/v4/projects/{id}/remote_mirrors/{mirror_id}/sync":
        "it reaches out, as mirrors.py has it",
    "PUT /api/v4/snippets/{snippet_id}/discussions/{discussion_id}":
        "threads of snippets cannot be resolved",
    "PUT /api/v4/projects/{id}/snippets/{snippet_id}/discussions/{discussion_id}": "as above",
    "PUT /api/v4/projects/{id}/repository/commits/{sha}/discussions/{discussion_id}":
        "threads of commits cannot be resolved",
    "PUT /api/v4/projects/{id}/repository/submodules/{submodule}": "git alone makes submodules",
    "GET /api/v4/projects/{id}/releases/{tag_name}/downloads/{asset_path}": "leads elsewhere",
    "GET /api/v4/projects/{id}/releases/permalink/latest": "leads on to the release",
    "GET /api/v4/projects/{id}/releases/permalink/latest/{suffix}": "as above",
    "POST /api/v4/projects/{id}/repository/changelog": "a tag of the version before must be there",
    "POST /api/v4/groups/{id}/wikis/attachments": "it takes files, as python-gitlab does in wikis.py",
    "POST /api/v4/projects/{id}/wikis/attachments": "as above",
    "GET /api/v4/projects/{id}/repository/commits/{sha}/signature":
        "git signs commits, as in signatures.py",
    "GET /api/v4/projects/{id}/repository/tags/{tag_name}/signature": "as above",
    "POST /api/v4/projects/{id}/fork/sync": "a job copies forks first, as forks.py waits for",
    "GET /api/v4/runners/router/discovery": "says that there is none",
    "PATCH /api/v4/jobs/{job_id}/trace": "headers tell the place, as runners.py has it",
    "POST /api/v4/jobs/{job_id}/artifacts": "it takes files, as runners.py brings them",
    "POST /api/v4/projects/{id}/pipeline_schedules": "its times are those of cron, as in schedules.py",
    "POST /api/v4/projects/{id}/trigger/pipeline": "takes the token of a trigger, as in schedules.py",
    "POST /api/v4/projects/{id}/ref/{ref}/trigger/pipeline": "as above",
    "GET /api/v4/job": "takes the token of a job",
    "GET /api/v4/projects/{id}/license_policy": "one has to be set first, as policies of supply are",
    "DELETE /api/v4/projects/{id}/license_policy": "as above",
    "GET /api/v4/groups/{id}/license_policy": "as above",
    "DELETE /api/v4/groups/{id}/license_policy": "as above",
    "DELETE /api/v4/projects/{id}/environments/{environment_id}":
        "one has to be stopped first, as environments.py does",
    "POST /api/v4/groups/{id}/protected_environments": "it names a tier, as environments.py does",
    "POST /api/v4/projects/{id}/deployments": "it names a commit, as environments.py does",
    "POST /api/v4/projects/{id}/deployments/{deployment_id}/approval":
        "a job has to wait for it, as in environments.py",
    "POST /api/v4/projects/{id}/freeze_periods": "its times are crontabs",
    "POST /api/v4/projects/{id}/triggers": "its end is a time to come, as in schedules.py",
    "PUT /api/v4/projects/{id}/merge_requests/{iid}/reset_approvals":
        "bots alone do that, as in merge_request_reviews.py",
    "GET /api/v4/projects/{id}/merge_trains": "projects have no trains",
    "GET /api/v4/projects/{id}/merge_trains/{target_branch}": "as above",
    "GET /api/v4/projects/{id}/merge_trains/merge_requests/{iid}": "as above",
    "POST /api/v4/projects/{id}/merge_trains/merge_requests/{iid}": "as above",
    "POST /api/v4/project_repository_storage_moves": "it names storages, and would move everything",
    "POST /api/v4/group_repository_storage_moves": "as above",
    "POST /api/v4/snippet_repository_storage_moves": "as above",
    "POST /api/v4/project_repository_storage_moves/{repository_storage_move_id}/retry":
        "what failed alone is begun again",
    "POST /api/v4/group_repository_storage_moves/{repository_storage_move_id}/retry": "as above",
    "POST /api/v4/snippet_repository_storage_moves/{repository_storage_move_id}/retry": "as above",
    "POST /api/v4/import/provider_a": "it asks another server, as imports.py has it",
    "POST /api/v4/import/provider_a/gists": "as above",
    "POST /api/v4/import/provider_b_server": "as above",
    "POST /api/v4/import/provider_b_cloud": "as above",
    "POST /api/v4/import/provider_a/cancel": "an import has to go on, as in imports_faults.py",
    "POST /api/v4/projects/{id}/import/cancel": "as above",
    "POST /api/v4/projects/{id}/import/retry": "as above",
    "POST /api/v4/projects/{id}/import/cut_over": "as above",
    "POST /api/v4/projects/{id}/import/relations/{failed_id}/retry": "as above",
    "GET /api/v4/groups/{id}/placeholder_users/{placeholder_id}":
        "something of theirs has to be imported first, as imports.py does",
    "POST /api/v4/groups/{id}/placeholder_users/{placeholder_id}/reassign": "as above",
    "POST /api/v4/groups/{id}/placeholder_users/{placeholder_id}/cancel": "as above",
    "POST /api/v4/groups/{id}/placeholder_users/{placeholder_id}/keep": "as above",
    "POST /api/v4/user/placeholder_users/{placeholder_id}/accept": "as above",
    "POST /api/v4/user/placeholder_users/{placeholder_id}/reject": "as above",
    "GET /api/v4/projects/{id}/export/download": "a job writes the file first, as imports.py waits for",
    "POST /api/v4/projects/import": "it takes files of projects, as imports.py sends one",
    "POST /api/v4/projects/import-relation": "as above",
    "POST /api/v4/projects/remote-import": "it reaches out",
    "POST /api/v4/projects/remote-import-s3": "as above",
    "GET /api/v4/openapi.json": "left out by schemathesis, which reads it first",
}


def operations():
    """`GET /api/v4/user` and so on, as the server publishes them."""
    with urllib.request.urlopen(ARGUMENTS[1]) as answer:
        paths = json.load(answer)["paths"]
    return {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}


program = pathlib.Path(sys.executable).parent / "schemathesis"
with tempfile.TemporaryDirectory() as directory:
    accepted = pathlib.Path(directory) / "accepted.json"
    environment = {
        **os.environ,
        "PYTHONPATH": str(pathlib.Path(__file__).parent),
        "SCHEMATHESIS_HOOKS": "openapi_hooks",
        "TENON_ACCEPTED": str(accepted),
    }
    command = [program, *ARGUMENTS, *sys.argv[1:]]
    status = subprocess.run(command, env=environment, cwd=directory, check=False).returncode
    succeeded = set(json.loads(accepted.read_text()))

never = operations() - succeeded - UNREACHABLE.keys()
reached = UNREACHABLE.keys() & succeeded
for operation in sorted(never):
    print("never answered with success:", operation)
for operation in sorted(reached):
    print("is reached, so take it from UNREACHABLE:", operation)
sys.exit(status or bool(never or reached))
