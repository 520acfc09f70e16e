"""What schemathesis knows of the GraphQL endpoint: what exists, and what answers must hold.

Generated paths and IDs name nothing, so most of them are replaced by those of
things that exist. Every third call comes without a token.

Loaded through SCHEMATHESIS_HOOKS. Writes to TENON_ANSWERED how many calls
there were, and which fields of the roots answered with data at least once.
"""

import atexit
import collections
import json
import os

import graphql
import schemathesis
from hypothesis import strategies
from schemathesis.graphql import nodes

import shape
from endpoint import HEADERS, ask, projects
from stories import api

GROUP = api("POST", "/groups", name="Grove", path="grove", visibility="public")
INNER = api("POST", "/projects", name="inner", namespace_id=GROUP["id"], visibility="public")
OUTER = projects("outer", 3)

# What an argument of this name is given most of the time: something that
# exists; nothing where what is generated can only be refused.
KNOWN = {
    "fullPath": ["grove", "grove/inner", "root", OUTER[0]],
    "fullPaths": ["grove/inner", OUTER[1]],
    "username": ["root"],
    "usernames": ["root"],
    "search": ["root", "inner", "ou"],
    "sort": ["id_asc", "name_desc", "created_asc"],
    "ids": [None],
    "after": [None],
    "before": [None],
    "last": [None],
}
IDS = {
    "UserID": ["gid://service/User/1", "gid://service/User/0"],
    "ProjectID": [f"gid://service/Project/{INNER['id']}"],
    "GroupID": [f"gid://service/Group/{GROUP['id']}"],
    "NamespaceID": [f"gid://service/Namespace/{GROUP['id']}"],
}
TEXTS = ["2026-01-01", "2026-01-01T00:00:00Z", "1", "{}", "", "x", "gid://service/User/1"]

SCHEMA = graphql.build_client_schema(ask(graphql.get_introspection_query(), {}, "")["data"])

calls = 0
statuses = collections.Counter()
codes = collections.Counter()
answered = set()

for name, kind in SCHEMA.type_map.items():
    if graphql.is_scalar_type(kind) and not graphql.is_specified_scalar_type(kind):
        values = strategies.sampled_from(IDS.get(name, TEXTS)) | strategies.text(max_size=9)
        schemathesis.graphql.scalar(name, values.map(nodes.String))


class Naming(graphql.Visitor):
    """Puts names of existing things into some of the arguments."""

    def enter_argument(self, node, *_):
        known = KNOWN.get(node.name.value)
        seed = calls + (node.loc.start if node.loc else 0)
        if not known or seed % 5 == 0 or isinstance(node.value, graphql.EnumValueNode):
            return None
        return graphql.ArgumentNode(name=node.name, value=value(node, known[seed % len(known)]))


def value(node, known):
    """What stands in the document for something that is known."""
    if known is None:
        return graphql.NullValueNode()
    many = isinstance(node.value, graphql.ListValueNode)
    return graphql.ListValueNode(values=(nodes.String(known),)) if many else nodes.String(known)


@schemathesis.hook
def before_call(context, case, kwargs):
    global calls
    calls += 1
    case.body = graphql.print_ast(graphql.visit(graphql.parse(case.body), Naming()))
    if calls % 3:
        case.headers.update(HEADERS)


@schemathesis.check
def answers_hold(ctx, response, case):
    """No answer is a failure of the server, and each has the shape that was asked for."""
    statuses[response.status_code] += 1
    assert response.status_code in (200, 422), f"{response.status_code}: {response.text}"
    assert response.headers["content-type"][0] == "application/json; charset=utf-8"
    answer = response.json()
    errors = answer.get("errors", [])
    if response.status_code == 422:
        assert set(answer) == {"errors"} and [set(one) for one in errors] == [{"message"}]
        return
    assert set(answer) <= {"data", "errors"} and answer, answer
    for error in errors:
        shape.of_error(error)
        codes[error["extensions"]["code"]] += 1
    if "data" not in answer:
        assert errors
        return
    document = graphql.parse(case.body)
    if answer["data"] is None:
        assert errors
    else:
        shape.of_data(SCHEMA, document, answer["data"])
        answered.update(told(document, answer["data"]))


def told(document, data):
    """`Query.project` and so on: the fields of the root that are not null."""
    operation = document.definitions[0]
    root = SCHEMA.get_root_type(operation.operation).name
    for field in operation.selection_set.selections:
        if data[(field.alias or field.name).value] is not None:
            yield f"{root}.{field.name.value}"


@atexit.register
def tell():
    with open(os.environ["TENON_ANSWERED"], "w") as file:
        told = {"calls": calls, "statuses": statuses, "codes": codes, "answered": sorted(answered)}
        json.dump(told, file)
