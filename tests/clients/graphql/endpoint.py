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
