"""What the GraphQL suites in Python share: the endpoint, and what is in it."""

import itertools
import os

import requests

from stories import URL, api

ENDPOINT = URL + "/api/graphql"
HEADERS = {"Authorization": "Bearer " + os.environ["TENON_TOKEN"]}

numbers = itertools.count(1)


def ask(query, variables, operation):
    """The whole answer to the administrator's operation of this name, or the only one."""
    name = operation if f" {operation} " in query else None
    body = {"query": query, "variables": variables, "operationName": name}
    return requests.post(ENDPOINT, json=body, headers=HEADERS).json()


def projects(prefix, count):
    """Makes projects with this in their names; answers their paths, the newest first."""
    made = [api("POST", "/projects", name=f"{prefix}-{number}") for number in range(count)]
    return [project["path_with_namespace"] for project in reversed(made)]


def package(project):
    """Makes a package of one file; answers the ids of both."""
    address = f"{URL}/api/v4/projects/{project}/packages/generic/tool-{next(numbers)}/1.0/tool.bin"
    reply = requests.put(address, params={"select": "package_file"}, data=b"iron", headers=HEADERS)
    assert reply.ok, (reply.status_code, reply.text)
    return reply.json()["package_id"], reply.json()["id"]


def protection_rule(project):
    """Makes a rule that keeps a package from developers; answers its id."""
    rule = {"package_type": "generic", "minimum_access_level_for_push": "maintainer"}
    path = f"/projects/{project}/packages/protection/rules"
    return api("POST", path, package_name_pattern=f"kept-{next(numbers)}", **rule)["id"]


made_integrations = {}


def integration(project, kind="http"):
    """Makes an alert integration in place of the last one; answers its id."""
    path = f"/projects/{project}/alert_management/http_integrations"
    if kind in made_integrations:
        gone = f"{URL}/api/v4{path}/{made_integrations[kind]}"
        reply = requests.delete(gone, headers=HEADERS)
        assert reply.status_code in (204, 404), (reply.status_code, reply.text)
    made = api("POST", path, name=f"tool {next(numbers)}", active=True, type=kind)
    made_integrations[kind] = made["id"]
    return made["id"]


def alert(project):
    """Has a project receive an alert."""
    path = f"/projects/{project}/alert_management/http_integrations/{integration(project)}/test"
    api("POST", path, payload={"title": "Too hot", "fingerprint": f"f{next(numbers)}"})


def rotation(project):
    """Makes a rotation of the project's first on-call schedule; answers its id."""
    path = f"/projects/{project}/alert_management/oncall_schedules"
    if not api("GET", path):
        api("POST", path, name="Nights", timezone="Europe/Berlin")
    turns = {"starts_at": "2031-01-01", "length": 1, "length_unit": "days", "user_ids": [1]}
    for old in api("GET", f"{path}/1/rotations"):
        requests.delete(f"{URL}/api/v4{path}/1/rotations/{old['id']}", headers=HEADERS)
    return api("POST", f"{path}/1/rotations", name=f"turns {next(numbers)}", **turns)["id"]


def policy(project):
    """The escalation policy of a project, which names its first schedule; answers its id."""
    path = f"/projects/{project}/alert_management/escalation_policies"
    for found in api("GET", path):
        return found["id"]
    rotation(project)
    rule = {"elapsed_time_seconds": 0, "status": "resolved", "oncall_schedule_iid": 1}
    return api("POST", path, name="Wake up", rules=[rule])["id"]


class Desk:
    """The issues of a project, with what calls need to exist."""

    def __init__(self, project):
        self.at = f"/projects/{project}"
        self.milestone = api("POST", f"{self.at}/milestones", title="1.0")["id"]
        self.label = api("POST", f"{self.at}/labels", name="bug", color="red")["id"]
        self.issue = api("POST", f"{self.at}/issues", title="Hinge", labels="bug")["id"]

    def note(self):
        """Writes a note about the issue; answers its id."""
        return api("POST", f"{self.at}/issues/1/notes", body=f"note {next(numbers)}")["id"]

    def discussion(self):
        """Begins a thread about the issue; answers its id."""
        return api("POST", f"{self.at}/issues/1/discussions", body=f"thread {next(numbers)}")["id"]

    def work_item(self):
        """Makes another issue; answers its id."""
        return api("POST", f"{self.at}/issues", title=f"issue {next(numbers)}")["id"]

    def todo(self):
        """Puts another issue among the caller's to-dos; answers the to-do's id."""
        issue = api("POST", f"{self.at}/issues", title=f"issue {next(numbers)}")
        return api("POST", f"{self.at}/issues/{issue['iid']}/todo")["id"]


def error(project):
    """Reports an error of a new name to a project; answers its number."""
    tracking = f"/projects/{project}/error_tracking"
    api("PUT", f"{tracking}/settings", active=True, integrated=True)
    key = api("POST", f"{tracking}/client_keys")["public_key"]
    name = f"Broken{next(numbers)}"
    address = f"{URL}/api/v4/error_tracking/collector/api/{project}/store/"
    event = {"exception": {"values": [{"type": name, "value": "it broke"}]}}
    reply = requests.post(address, params={"sentry_key": key}, json=event)
    assert reply.ok, (reply.status_code, reply.text)
    return api("GET", f"{tracking}/errors?search={name}")[0]["id"]
