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
