"""What the GraphQL suites in Python share: the endpoint, and what is in it."""

import os

import requests

from stories import URL, api

ENDPOINT = URL + "/api/graphql"
HEADERS = {"Authorization": "Bearer " + os.environ["TENON_TOKEN"]}


def ask(query, variables, operation):
    """The whole answer to the administrator's operation of this name, or the only one."""
    name = operation if f" {operation} " in query else None
    body = {"query": query, "variables": variables, "operationName": name}
    return requests.post(ENDPOINT, json=body, headers=HEADERS).json()


def projects(prefix, count):
    """Makes projects with this in their names; answers their paths, the newest first."""
    made = [api("POST", "/projects", name=f"{prefix}-{number}") for number in range(count)]
    return [project["path_with_namespace"] for project in reversed(made)]


def packages(project, count):
    """Makes packages of one file each; answers the ids of both."""
    made = []
    for number in range(count):
        address = f"{URL}/api/v4/projects/{project}/packages/generic/tool-{number}/1.0/tool.bin"
        reply = requests.put(address, params={"select": "package_file"}, data=b"iron", headers=HEADERS)
        assert reply.ok, (reply.status_code, reply.text)
        made.append((reply.json()["package_id"], reply.json()["id"]))
    return made


def protection_rule(project, pattern):
    """Makes a rule that keeps packages of this name from developers; answers its id."""
    rule = {"package_type": "generic", "minimum_access_level_for_push": "maintainer"}
    path = f"/projects/{project}/packages/protection/rules"
    return api("POST", path, package_name_pattern=pattern, **rule)["id"]
