//! The crate `graphql_client`, unmodified: operations that the compiler checks
//! against the schema that is checked in.

use crate::graphql::posted;
use graphql_client::{GraphQLQuery, Response};
use serde_json::json;
use testkit::Client;

type Time = String;

#[derive(GraphQLQuery)]
#[graphql(
    schema_path = "../../schema.graphql",
    query_path = "../../tests/clients/graphql/operations.graphql",
    response_derives = "Debug, PartialEq"
)]
struct Who;

#[derive(GraphQLQuery)]
#[graphql(
    schema_path = "../../schema.graphql",
    query_path = "../../tests/clients/graphql/operations.graphql",
    response_derives = "Debug, PartialEq"
)]
struct Leaves;

#[derive(GraphQLQuery)]
#[graphql(
    schema_path = "../../schema.graphql",
    query_path = "../../tests/clients/graphql/operations.graphql",
    response_derives = "Debug, PartialEq"
)]
struct Echoes;

/// What the server answers to a typed operation.
async fn run<Q: GraphQLQuery>(
    client: &Client, variables: Q::Variables,
) -> Response<Q::ResponseData> {
    let body = serde_json::to_value(Q::build_query(variables)).unwrap();
    let answer = posted(client, &body).await.is(200).json();
    serde_json::from_value(answer).unwrap()
}

#[testkit::story]
async fn typed_operations_run_as_they_compile(t: testkit::TestServer) {
    let jane = t.user("jane").await;

    let who = run::<Who>(&jane, who::Variables {}).await.data.unwrap();
    let user = who.current_user.unwrap();
    assert_eq!(user.person.username, "jane");
    assert_eq!(user.person.state, who::UserState::active);
    assert_eq!(user.namespace.unwrap().full_path, "jane");
    assert!(user.user_permissions.create_snippet);

    let given = echoes::EchoCreateInput {
        client_mutation_id: None,
        errors: Some(vec!["no".to_owned()]),
        messages: Some(vec!["a".to_owned()]),
    };
    let done = run::<Echoes>(&jane, echoes::Variables { input: given }).await;
    let done = done.data.unwrap().echo_create.unwrap();
    assert_eq!((done.echoes, done.errors), (Some(vec!["a".to_owned()]), vec!["no".to_owned()]));
}

#[testkit::story]
async fn typed_pages_are_turned_to_the_last(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    for number in 0..3 {
        let body = json!({"name": format!("leaf-{number}")});
        jane.post("/projects").json(&body).await.is(201);
    }
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let search = "leaf-".to_owned();
        let asked = leaves::Variables { search, first: Some(2), after };
        let page = run::<Leaves>(&jane, asked).await.data.unwrap().projects.unwrap();
        let nodes = page.nodes.unwrap().into_iter().flatten();
        found.extend(nodes.map(|project| project.full_path));
        if !page.page_info.has_next_page {
            break;
        }
        after = page.page_info.end_cursor;
    }
    assert_eq!(found, ["jane/leaf-0", "jane/leaf-1", "jane/leaf-2"]);
}
