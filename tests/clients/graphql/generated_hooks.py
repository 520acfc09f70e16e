"""What schemathesis knows of the GraphQL endpoint: what exists, and what answers must hold.

Generated paths and IDs name nothing, so most of them are replaced by those of
things that exist. Every third call comes without a token.

Loaded through SCHEMATHESIS_HOOKS. Writes to TENON_ANSWERED how many calls
there were, and which fields of the roots answered with data at least once.
"""

import atexit
import collections
import itertools
import json
import os
import time

import graphql
import schemathesis
from hypothesis import strategies
from schemathesis.graphql import nodes

import shape
from endpoint import (
    HEADERS,
    Desk,
    alert,
    ask,
    error,
    integration,
    package,
    policy,
    projects,
    protection_rule,
    rotation,
)
from stories import api

GROUP = api("POST", "/groups", name="Grove", path="grove", visibility="public")
INNER = api("POST", "/projects", name="inner", namespace_id=GROUP["id"], visibility="public")
OUTER = projects("outer", 3)
DESK = Desk(INNER["id"])
alert(INNER["id"])
EPIC = api("POST", f"/groups/{GROUP['id']}/epics", title="House")

numbers = itertools.count(1)
CODE = f"/projects/{INNER['id']}/repository"
JOBS = "hold: {script: make, when: manual}\nrun: {script: make}\n"
START = [
    {"action": "create", "file_path": "a.txt", "content": "iron"},
    {"action": "create", "file_path": ".gitlab-ci.yml", "content": JOBS},
]
api("POST", f"{CODE}/commits", branch="main", commit_message="Begin [skip ci]", actions=START)


def ref(kind):
    """A new branch or tag."""
    name = f"made-{next(numbers)}"
    key = "branch" if kind == "branches" else "tag_name"
    return api("POST", f"{CODE}/{kind}", ref="main", **{key: name})["name"]


def release():
    """The tag of a new release."""
    return api("POST", f"/projects/{INNER['id']}/releases", tag_name=ref("tags"))["tag_name"]


def address():
    return f"https://files.example.org/{next(numbers)}"


def link():
    path = f"/projects/{INNER['id']}/releases/{RELEASE}/assets/links"
    return api("POST", path, name=f"link-{next(numbers)}", url=address())["id"]


def merge_request():
    """A new one, of a branch with a commit of its own."""
    branch = ref("branches")
    action = {"action": "create", "file_path": f"{branch}.txt", "content": "iron"}
    api("POST", f"{CODE}/commits", branch=branch, commit_message="Change", actions=[action])
    path = f"/projects/{INNER['id']}/merge_requests"
    return api("POST", path, title="A change", source_branch=branch, target_branch="main")["id"]


RELEASE = release()
# The first of the project: number 1.
REQUEST = f"gid://service/MergeRequest/{merge_request()}"


def snippet():
    title, content = f"snippet-{next(numbers)}", "iron"
    return api("POST", "/snippets", title=title, file_name="a.txt", content=content, visibility="public")["id"]


def branch_rule():
    path = f"/projects/{INNER['id']}/protected_branches"
    return api("POST", path, name=f"rule-{next(numbers)}")["id"]


def pipeline():
    return api("POST", f"/projects/{INNER['id']}/pipeline", ref="main")["id"]


def job():
    return api("GET", f"/projects/{INNER['id']}/pipelines/{pipeline()}/jobs")[0]["id"]


def runner():
    return api("POST", "/user/runners", runner_type="project_type", project_id=INNER["id"])["id"]


def environment():
    return api("POST", f"/projects/{INNER['id']}/environments", name=f"made-{next(numbers)}")["id"]


def dependency():
    """A dependency of a project, whose list is sent once and read soon after."""
    path = f"/projects/{INNER['id']}"
    if not api("GET", f"{path}/dependencies"):
        component = {"type": "library", "name": "hammer", "version": "1.0.0"}
        api("POST", f"{path}/sboms", bomFormat="CycloneDX", specVersion="1.6", version=1, components=[component])
    query = "query($path: ID!) { project(fullPath: $path) { dependencies { nodes { id } } } }"
    for _ in range(50):
        found = ask(query, {"path": INNER["path_with_namespace"]}, "")["data"]["project"]
        if found["dependencies"]["nodes"]:
            return found["dependencies"]["nodes"][0]["id"]
        time.sleep(0.1)
    raise AssertionError("the list was not read")


# What mutations use up is made for each call.
MADE = {
    "CiPipelineID": lambda: f"gid://service/Ci::Pipeline/{pipeline()}",
    "CiBuildID": lambda: f"gid://service/Ci::Build/{job()}",
    "CiRunnerID": lambda: f"gid://service/Ci::Runner/{runner()}",
    "EnvironmentID": lambda: f"gid://service/Environment/{environment()}",
    "SbomOccurrenceID": dependency,
    "SnippetID": lambda: f"gid://service/Snippet/{snippet()}",
    "BranchRuleID": lambda: f"gid://service/Projects::BranchRule/{branch_rule()}",
    "ReleasesLinkID": lambda: f"gid://service/Releases::Link/{link()}",
    "PackagesPackageID": lambda: f"gid://service/Packages::Package/{package(INNER['id'])[0]}",
    "PackagesPackageFileID": lambda: f"gid://service/Packages::PackageFile/{package(INNER['id'])[1]}",
    "PackagesProtectionRuleID": lambda: (
        f"gid://service/Packages::Protection::Rule/{protection_rule(INNER['id'])}"
    ),
    "NoteID": lambda: f"gid://service/Note/{DESK.note()}",
    "DiscussionID": lambda: f"gid://service/Discussion/{DESK.discussion()}",
    "WorkItemID": lambda: f"gid://service/WorkItem/{DESK.work_item()}",
    "TodoID": lambda: f"gid://service/Todo/{DESK.todo()}",
    "AlertManagementHttpIntegrationID": lambda: (
        f"gid://service/AlertManagement::HttpIntegration/{integration(INNER['id'])}"
    ),
    "IntegrationsPrometheusID": lambda: (
        f"gid://service/Integrations::Prometheus/{integration(INNER['id'], 'prometheus')}"
    ),
    "IncidentManagementOncallRotationID": lambda: (
        f"gid://service/IncidentManagement::OncallRotation/{rotation(INNER['id'])}"
    ),
    "IncidentManagementEscalationPolicyID": lambda: (
        f"gid://service/IncidentManagement::EscalationPolicy/{policy(INNER['id'])}"
    ),
    "ServiceErrorTrackingDetailedErrorID": lambda: (
        f"gid://service/Service::ErrorTracking::DetailedError/{error(INNER['id'])}"
    ),
}

# What an argument or a field of an input is given most of the time: something
# that exists; nothing where what is generated can only be refused.
KNOWN = {
    "fullPath": ["grove", "grove/inner", "root", OUTER[0]],
    "fullPaths": ["grove/inner", OUTER[1]],
    "projectPath": ["grove/inner"],
    "namespacePath": ["grove"],
    "username": ["root"],
    "usernames": ["root"],
    "search": ["root", "inner", "ou"],
    "sort": ["id_asc", "name_desc", "created_asc"],
    "after": [None],
    "before": [None],
    "last": [None],
    "iid": ["1"],
    "scheduleIid": ["1"],
    "oncallScheduleIid": ["1"],
    "targetProjectPath": [OUTER[0], OUTER[1]],
    "groupPath": [None],
    "name": ["tada", "thumbsup"],
    "assigneeUsernames": ["root"],
    "assigneeIds": ["gid://service/User/1"],
    "discussionId": [None],
    "epicId": [None],
    "issueIid": ["1"],
    "refs": ["grove/inner#1", "grove&1"],
}
# Of the parts of a work item most are left out: one of many is wrong otherwise.
for part in (
    "assignees", "color", "description", "healthStatus", "hierarchy", "labels", "linkedItems",
    "milestone", "startAndDueDate", "weight",
):
    KNOWN[f"{part}Widget"] = [None]
KNOWN["createdAt"] = [None]
# The same where the argument is required.
REQUIRED = {"groupPath": "grove"}
EPICS = "gid://service/WorkItems::Type/8"
# What an input says most of the time, and what it leaves out: a new work item is made in
# a project or in a group, which has epics.
WHOLE = {
    "WorkItemCreateInput": {"projectPath": None, "namespacePath": "grove", "workItemTypeId": EPICS},
    "BranchDeleteInput": {"projectPath": "grove/inner", "name": lambda: ref("branches")},
    "TagDeleteInput": {"projectPath": "grove/inner", "name": lambda: ref("tags")},
    "ReleaseDeleteInput": {"projectPath": "grove/inner", "tagName": release},
    "ReleaseAssetLinkCreateInput": {
        "projectPath": "grove/inner", "tagName": RELEASE, "name": address, "url": address, "directAssetPath": None,
    },
    "CreateDiffNoteInput": {"noteableId": REQUEST},
    "CreateImageDiffNoteInput": {"noteableId": REQUEST},
    "ReleaseAssetLinkUpdateInput": {"name": address, "url": address, "directAssetPath": None},
}
IDS = {
    "UserID": ["gid://service/User/1", "gid://service/User/0"],
    "ProjectID": [f"gid://service/Project/{INNER['id']}"],
    "GroupID": [f"gid://service/Group/{GROUP['id']}"],
    "NamespaceID": [f"gid://service/Namespace/{GROUP['id']}"],
    "EpicID": [f"gid://service/Epic/{EPIC['id']}"],
    "WorkItemsTypeID": [f"gid://service/WorkItems::Type/{number}" for number in (1, 8)],
    "Color": ["red", "#123456"],
    "IssueID": [f"gid://service/Issue/{DESK.issue}"],
    "MilestoneID": [f"gid://service/Milestone/{DESK.milestone}"],
    "LabelID": [f"gid://service/ProjectLabel/{DESK.label}"],
    "MergeRequestID": [REQUEST],
    "NoteableID": [f"gid://service/Issue/{DESK.issue}", REQUEST],
    "TodoableID": [f"gid://service/Issue/{DESK.issue}", REQUEST],
    "AwardableID": [f"gid://service/Issue/{DESK.issue}", REQUEST],
    **{name: [make(), make()] for name, make in MADE.items()},
}
EVERY_ID = [one for ids in IDS.values() for one in ids]
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
    """Puts names of existing things into some of the arguments and input fields."""

    def __init__(self, types):
        super().__init__()
        self.types = types
        self.changes = False

    def enter_operation_definition(self, node, *_):
        self.changes = node.operation is graphql.OperationType.MUTATION

    def enter_argument(self, node, *_):
        return self.named(node, self.types.get_argument().type)

    def enter_object_field(self, node, *_):
        whole = graphql.get_named_type(self.types.get_parent_input_type())
        if whole and node.name.value in WHOLE.get(whole.name, {}):
            return None
        return self.named(node, self.types.get_input_type())

    def enter_object_value(self, node, *_):
        kind = graphql.get_named_type(self.types.get_input_type())
        whole = WHOLE.get(kind.name) if kind else None
        if whole is None or calls % 5 == 0:
            return None
        others = [field for field in node.fields if field.name.value not in whole]
        own = [
            graphql.ObjectFieldNode(name=graphql.NameNode(value=name), value=nodes.String(text() if callable(text) else text))
            for name, text in whole.items() if text
        ]
        return graphql.ObjectValueNode(fields=(*others, *own))

    def named(self, node, kind):
        text = graphql.get_named_type(kind)
        known = KNOWN.get(node.name.value)
        if known != [None] and text is graphql.GraphQLInt:
            known = None
        if node.name.value in ("id", "ids") and text is graphql.GraphQLID:
            # Lists of something else than these IDs are answered without.
            known = EVERY_ID if node.name.value == "id" else [*EVERY_ID, *[None] * len(EVERY_ID)]
        seed = calls + (node.loc.start if node.loc else 0)
        if self.changes and text.name in MADE and seed % 5:
            known = [MADE[text.name]()]
        if not known or seed % 5 == 0 or isinstance(node.value, graphql.EnumValueNode):
            return None
        chosen = known[seed % len(known)]
        if chosen is None and graphql.is_non_null_type(kind):
            chosen = REQUIRED.get(node.name.value)
            if chosen is None:
                return None
        return type(node)(name=node.name, value=value(node, chosen))


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
    types = graphql.TypeInfo(SCHEMA)
    naming = graphql.TypeInfoVisitor(types, Naming(types))
    case.body = graphql.print_ast(graphql.visit(graphql.parse(case.body), naming))
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
