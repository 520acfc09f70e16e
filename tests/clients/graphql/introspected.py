"""gql and sgqlc, unmodified, read the schema from the server and use it.

What gql refuses with that schema before it sends anything, the server must
refuse too, and what gql lets through the server must run.
"""

import asyncio
import importlib.util
import pathlib
import subprocess
import sys
import tempfile

import gql
import graphql
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.exceptions import TransportQueryError, TransportServerError
from gql.transport.httpx import HTTPXAsyncTransport
from gql.transport.requests import RequestsHTTPTransport
from sgqlc.endpoint.http import HTTPEndpoint
from sgqlc.operation import Operation

import stories
from endpoint import ENDPOINT, HEADERS, ask, projects

PAGE = """
query Page($search: String!, $first: Int, $after: String, $last: Int, $before: String) {
  projects(search: $search, first: $first, after: $after, last: $last, before: $before) {
    nodes { fullPath }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}
"""

GOOD = [
    "{ currentUser { username name } }",
    "query A { echo(text: \"a\") } query B { currentUser { id } }",
    "query($text: String!) { echo(text: $text) }",
    "query($text: String = \"a\") { echo(text: $text) }",
    "query($name: String) { user(username: $name) { id ... on UserCore { state } } }",
    "query($some: Boolean!) { currentUser { id name @include(if: $some) } }",
    "{ a: echo(text: \"a\") b: echo(text: \"b\") }",
    "{ currentUser { ...Shown } } fragment Shown on CurrentUser { id ...Named } "
    "fragment Named on User { username }",
    "{ currentUser { ... { id } ... on User { name } __typename } }",
    "{ users(sort: created_asc, first: 1, usernames: [\"root\"]) { edges { cursor node { id } } } }",
    "{ users(usernames: \"root\") { nodes { id } } }",
    "{ users(usernames: null) { nodes { id } } }",
    "{ project(fullPath: 1) { id } }",
    "{ echo(text: \"\"\"\n  a block\n  of text\n\"\"\") }",
    "{ __type(name: \"User\") { possibleTypes { name } } __schema { queryType { name } } }",
    "mutation { echoCreate(input: {messages: [\"a\"]}) { echoes errors } }",
    "mutation($input: EchoCreateInput!) { echoCreate(input: $input) { clientMutationId } }",
    "{ currentUser { id @service_introduced(version: \"1.0\") } }",
    "# a comment\n,,{ currentUser,{ id } }",
]

# Subscriptions, @defer and @stream are not in the schema.
UNUSED = {
    "SingleFieldSubscriptionsRule",
    "DeferStreamDirectiveOnRootField",
    "DeferStreamDirectiveOnValidOperationsRule",
    "DeferStreamDirectiveLabel",
    "StreamDirectiveOnListField",
}

# What each rule of the specification refuses, by the name graphql-core gives it.
BAD = {
    "ExecutableDefinitionsRule": ["type A { a: Int }"],
    "FieldsOnCorrectTypeRule": ["{ nothing }", "{ currentUser { nothing } }"],
    "FragmentsOnCompositeTypesRule": [
        "{ currentUser { ... on String { id } } }",
        "{ currentUser { ...A } } fragment A on UserState { id }",
    ],
    "KnownArgumentNamesRule": [
        "{ echo(text: \"a\", other: 1) }",
        "{ currentUser { id @include(if: true, other: 1) } }",
    ],
    "KnownDirectivesRule": ["{ currentUser @nothing { id } }", "query @skip(if: true) { __typename }"],
    "KnownFragmentNamesRule": ["{ currentUser { ...Nothing } }"],
    "KnownTypeNamesRule": [
        "query($a: Nothing) { echo(text: $a) }",
        "{ currentUser { ... on Nothing { id } } }",
    ],
    "LoneAnonymousOperationRule": ["{ __typename } query A { __typename }"],
    "KnownOperationTypesRule": ["subscription { nothing }"],
    "MaxIntrospectionDepthRule": [
        "{ __schema { types { fields { type { fields { type { fields { type { fields { name } "
        "} } } } } } } } }"
    ],
    "NoFragmentCyclesRule": [
        "{ currentUser { ...A } } fragment A on CurrentUser { ...B } fragment B on CurrentUser { ...A }"
    ],
    "NoUndefinedVariablesRule": ["query A { echo(text: $text) }"],
    "NoUnusedFragmentsRule": ["{ __typename } fragment A on User { id }"],
    "NoUnusedVariablesRule": ["query($a: Int) { __typename }"],
    "OverlappingFieldsCanBeMergedRule": [
        "{ a: echo(text: \"a\") a: echo(text: \"b\") }",
        "{ currentUser { id id: name } }",
        "{ a: currentUser { b: id } a: currentUser { b: name } }",
    ],
    "PossibleFragmentSpreadsRule": [
        "{ currentUser { ... on Project { id } } }",
        "{ currentUser { ...A } } fragment A on Project { id }",
    ],
    "ProvidedRequiredArgumentsRule": ["{ echo }", "{ currentUser { id @skip } }"],
    "ScalarLeafsRule": ["{ currentUser }", "{ currentUser { id { id } } }"],
    "UniqueArgumentNamesRule": ["{ echo(text: \"a\", text: \"a\") }"],
    "UniqueDirectivesPerLocationRule": [
        "{ currentUser { id @skip(if: false) @skip(if: false) } }"
    ],
    "UniqueFragmentNamesRule": [
        "{ currentUser { ...A } } fragment A on User { id } fragment A on User { name }"
    ],
    "UniqueInputFieldNamesRule": [
        "mutation { echoCreate(input: {messages: [], messages: []}) { errors } }"
    ],
    "UniqueOperationNamesRule": ["query A { __typename } query A { __typename }"],
    "UniqueVariableNamesRule": ["query($a: String!, $a: String!) { echo(text: $a) }"],
    "ValuesOfCorrectTypeRule": [
        "{ echo(text: 1) }",
        "{ echo(text: null) }",
        "{ users(sort: nothing) { nodes { id } } }",
        "{ users(first: \"5\") { nodes { id } } }",
        "{ users(first: 1.5) { nodes { id } } }",
        "{ users(first: 2147483648) { nodes { id } } }",
        "{ users(usernames: [null]) { nodes { id } } }",
        "mutation { echoCreate(input: {nothing: 1}) { errors } }",
        "mutation { echoCreate(input: \"a\") { errors } }",
        "query($a: Int = \"a\") { users(first: $a) { nodes { id } } }",
    ],
    "VariablesAreInputTypesRule": ["query($a: User) { user(username: $a) { id } }"],
    "VariablesInAllowedPositionRule": [
        "query($a: String) { echo(text: $a) }",
        "query($a: Int!) { echo(text: $a) }",
        "query($a: [String]) { users(usernames: $a) { nodes { id } } }",
        "query($a: Boolean) { currentUser { id @skip(if: $a) } }",
    ],
}

NOT_PARSED = ["{", "}", "query {", "{ a(: 1) }", "{ echo(text: \"a) }", "{ echo(text: $) }",
              "{ a } }", "fragment on on User { id }", "{ ...on }", "query A(a: Int) { b }",
              "{ echo(text: \"\\u12\") }", "{ users(first: 01) { nodes { id } } }", "{ a: }", "\0"]


def reader():
    """gql over requests, with the schema that the server describes."""
    transport = RequestsHTTPTransport(url=ENDPOINT, headers=HEADERS)
    return gql.Client(transport=transport, fetch_schema_from_transport=True)


def test_gql_reads_the_schema_and_asks():
    with reader() as session:
        query = gql.gql("query($text: String!) { echo(text: $text) currentUser { username } }")
        query.variable_values = {"text": "a"}
        answer = session.execute(query)
        assert answer == {"echo": '"root" says: a', "currentUser": {"username": "root"}}
        assert session.client.schema.get_type("UserState").values.keys() == {
            "active", "blocked", "deactivated",
        }


def test_gql_sends_a_batch():
    with reader() as session:
        queries = [gql.gql("{ echo(text: \"%d\") }" % number) for number in range(20)]
        answers = session.execute_batch(queries)
        assert [answer["echo"] for answer in answers] == [f'"root" says: {n}' for n in range(20)]


def test_gql_asks_without_waiting():
    async def over(transport):
        async with gql.Client(transport=transport, fetch_schema_from_transport=True) as session:
            queries = [gql.gql("{ echo(text: \"%d\") }" % number) for number in range(5)]
            answers = await asyncio.gather(*(session.execute(query) for query in queries))
            assert [answer["echo"] for answer in answers] == [f'"root" says: {n}' for n in range(5)]

    asyncio.run(over(AIOHTTPTransport(url=ENDPOINT, headers=HEADERS, ssl=False)))
    asyncio.run(over(HTTPXAsyncTransport(url=ENDPOINT, headers=HEADERS)))


def test_gql_turns_pages_in_both_directions():
    wanted = projects("leaf", 5)
    with reader() as session:
        assert turned(session, "first", "after", "endCursor", "hasNextPage") == wanted
        backwards = turned(session, "last", "before", "startCursor", "hasPreviousPage")
        assert backwards == [wanted[3], wanted[4], wanted[1], wanted[2], wanted[0]]


def turned(session, size, place, cursor, more):
    found, variables = [], {"search": "leaf-", size: 2}
    while True:
        query = gql.gql(PAGE)
        query.variable_values = variables
        page = session.execute(query)["projects"]
        found += [node["fullPath"] for node in page["nodes"]]
        if not page["pageInfo"][more]:
            return found
        variables = {**variables, place: page["pageInfo"][cursor]}


CHANGES = {
    "issueSetConfidential": ("confidential: true", {"confidential": True}),
    "issueSetDueDate": ('dueDate: "2031-02-01T00:00:00Z"', {"dueDate": "2031-02-01T00:00:00Z"}),
    "issueSetLocked": ("locked: true", {"discussionLocked": True}),
    "issueSetSeverity": ("severity: HIGH", {"severity": "HIGH"}),
    "issueSetWeight": ("weight: 3", {"weight": 3}),
    "issueSetSubscription": ("subscribedState: false", {"subscribed": False}),
    "issueSetAssignees": (
        'assigneeUsernames: ["root"]', {"assignees": {"nodes": [{"username": "root"}]}},
    ),
    "updateIssue": ('title: "Door", stateEvent: CLOSE', {"title": "Door", "state": "closed"}),
}
FIELDS = (
    "confidential dueDate discussionLocked severity weight subscribed title state "
    "assignees { nodes { username } }"
)


def test_gql_changes_issues():
    path = projects("bellows", 1)[0]
    with reader() as session:
        made = done(session, "createIssue", f'projectPath: "{path}", title: "Hinge", type: INCIDENT')
        assert made["title"] == "Hinge" and made["state"] == "opened"
        for mutation, (change, expected) in CHANGES.items():
            issue = done(session, mutation, f'projectPath: "{path}", iid: "1", {change}')
            assert {key: issue[key] for key in expected} == expected, (mutation, issue)


def done(session, mutation, arguments):
    """The issue that a mutation changes without an error."""
    fields = f"{{ issue {{ {FIELDS} }} errors }}"
    change = f"mutation {{ {mutation}(input: {{{arguments}}}) {fields} }}"
    answer = session.execute(gql.gql(change))[mutation]
    assert answer["errors"] == [], answer
    return answer["issue"]


def test_gql_writes_notes_and_works_off_todos():
    path = projects("tongs", 1)[0]
    with reader() as session:
        found = session.execute(gql.gql(
            f'mutation {{ createIssue(input: {{projectPath: "{path}", title: "Hinge"}}) '
            "{ issue { id epic { title } } } }"
        ))["createIssue"]["issue"]
        assert found["epic"] is None
        written = session.execute(gql.gql(
            f'mutation {{ createNote(input: {{noteableId: "{found["id"]}", body: "oil"}}) '
            "{ note { id body position { filePath } discussion { id } } errors } }"
        ))["createNote"]
        note = written["note"]
        assert (note["body"], note["position"], written["errors"]) == ("oil", None, [])
        rewritten = session.execute(gql.gql(
            f'mutation {{ updateNote(input: {{id: "{note["id"]}", body: "more oil"}}) {{ note {{ body }} }} }}'
        ))["updateNote"]
        assert rewritten["note"] == {"body": "more oil"}
        todo = session.execute(gql.gql(
            f'mutation {{ todoCreate(input: {{targetId: "{found["id"]}"}}) '
            "{ todo { id state } errors } }"
        ))["todoCreate"]["todo"]
        assert todo["state"] == "pending"
        finished = session.execute(gql.gql(
            f'mutation {{ todoMarkDone(input: {{id: "{todo["id"]}"}}) {{ todo {{ state }} }} }}'
        ))["todoMarkDone"]
        assert finished["todo"]["state"] == "done"
        gone = session.execute(gql.gql(
            f'mutation {{ destroyNote(input: {{id: "{note["id"]}"}}) {{ errors note {{ id }} }} }}'
        ))["destroyNote"]
        assert gone == {"errors": [], "note": None}


def test_gql_shows_errors():
    with reader() as session:
        query = gql.gql("{ users(first: 1, last: 1) { nodes { id } } }")
        try:
            session.execute(query)
        except TransportQueryError as error:
            assert error.data == {"users": None}
            assert error.errors[0]["path"] == ["users"]
            assert "not both" in error.errors[0]["message"]
        else:
            raise AssertionError("first and last together pass")


def test_gql_tells_a_refused_request_from_a_query_that_fails():
    transport = RequestsHTTPTransport(url=ENDPOINT, headers={"Content-Type": "text/plain"})
    try:
        gql.Client(transport=transport).execute(gql.gql("{ __typename }"))
    except (TransportQueryError, TransportServerError) as error:
        assert "Unsupported content type" in str(error)
    else:
        raise AssertionError("a body of plain text passes")


def test_the_server_and_gql_judge_documents_alike():
    with reader() as session:
        schema = session.client.schema
    for query in GOOD:
        assert graphql.validate(schema, graphql.parse(query)) == [], query
        answer = ask(query, {"text": "a", "some": True, "name": "root", "input": {}}, "A")
        assert "data" in answer and "errors" not in answer, (query, answer)
    rules = {rule.__name__: rule for rule in graphql.specified_rules}
    assert rules.keys() - UNUSED == BAD.keys(), rules.keys() ^ BAD.keys()
    for rule, queries in BAD.items():
        for query in queries:
            found = graphql.validate(schema, graphql.parse(query), [rules[rule]])
            assert found, f"gql lets {query} pass by {rule}"
            refused(query)


def test_the_server_and_gql_parse_alike():
    for query in NOT_PARSED:
        try:
            graphql.parse(query)
        except graphql.GraphQLSyntaxError:
            refused(query)
        else:
            raise AssertionError(f"gql parses {query}")


def refused(query):
    answer = ask(query, {}, None)
    assert "data" not in answer and answer["errors"], (query, answer)


def test_sgqlc_makes_code_of_the_schema_and_asks_with_it():
    with tempfile.TemporaryDirectory() as directory:
        described = pathlib.Path(directory) / "schema.json"
        module = pathlib.Path(directory) / "schema.py"
        program = [sys.executable, "-m", "sgqlc.introspection"]
        headers = [f"--header={name}={value}" for name, value in HEADERS.items()]
        subprocess.run([*program, *headers, ENDPOINT, described], check=True)
        program = [sys.executable, "-m", "sgqlc.codegen", "schema"]
        subprocess.run([*program, described, module], check=True)
        spec = importlib.util.spec_from_file_location("schema", module)
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)

    endpoint = HTTPEndpoint(ENDPOINT, HEADERS)
    wanted = projects("sprig", 3)
    query = Operation(made.schema.query_type, name="Sprigs")
    found = query.projects(search="sprig-", first=2)
    found.nodes.full_path()
    found.page_info.__fields__("has_next_page", "end_cursor")
    # sgqlc takes every scalar called Time for a time of day, so none is asked for.
    query.current_user.__fields__("id", "username", "state")
    answer = query + endpoint(query)
    assert [node.full_path for node in answer.projects.nodes] == wanted[:2]
    assert answer.projects.page_info.has_next_page
    assert answer.current_user.username == "root"

    change = Operation(made.schema.mutation_type)
    change.echo_create(input={"messages": ["a"], "errors": ["no"]}).__fields__("echoes", "errors")
    changed = (change + endpoint(change)).echo_create
    assert (changed.echoes, changed.errors) == (["a"], ["no"])


stories.run(globals())
