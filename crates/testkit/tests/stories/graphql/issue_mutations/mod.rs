//! Changing issues, notes, labels and reactions.

mod labels;
mod notes;

use crate::graphql::{ask, ask_with, data, message};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::Client;

const AT: &str = "projectPath:\"acme/anvil\",iid:\"1\"";
const NOT_AVAILABLE: &str = "The resource that you are attempting to access does not exist or \
    you don't have permission to perform this action";

/// What a mutation of issue 1 answers beside `errors`, which are empty.
async fn set(client: &Client, name: &str, input: &str, fields: &str) -> Value {
    let query = format!("mutation{{{name}(input:{{{AT},{input}}}){{issue{{{fields}}} errors}}}}");
    let answer = data(client, &query).await[name].clone();
    assert_eq!(answer["errors"], json!([]), "{query}");
    answer["issue"].clone()
}

/// The payload of a mutation of something else.
async fn run(client: &Client, name: &str, input: &str, fields: &str) -> Value {
    let query = format!("mutation{{{name}(input:{{{input}}}){{{fields} errors}}}}");
    data(client, &query).await[name].clone()
}

#[testkit::story]
async fn an_issue_is_made_with_all_its_marks(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    jane.post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201);
    let input = format!(
        "projectPath:\"acme/anvil\",title:\"Hinge\",description:\"oil\",type:INCIDENT,confidential:true,\
        locked:true,dueDate:\"2031-02-01\",labels:[\"bug\"],assigneeIds:[\"gid://service/User/{}\"],\
        milestoneId:\"gid://service/Milestone/1\",weight:2,clientMutationId:\"7\"",
        joe.id
    );
    let made = run(&jane, "createIssue", &input, "clientMutationId issue{iid type confidential discussionLocked dueDate \
        labels{nodes{title}} assignees{nodes{username}} milestone{title} weight description author{username}}").await;
    assert_eq!(
        made,
        json!({"clientMutationId": "7", "errors": [], "issue": {"iid": "1", "type": "INCIDENT",
        "confidential": true, "discussionLocked": true, "dueDate": "2031-02-01T00:00:00Z",
        "labels": {"nodes": [{"title": "bug"}]}, "assignees": {"nodes": [{"username": "joe"}]},
        "milestone": {"title": "1.0"}, "weight": 2, "description": "oil", "author": {"username": "jane"}}})
    );
    // What a guest may not set is left out, as in REST.
    let hers = run(
        &joe,
        "createIssue",
        "projectPath:\"acme/anvil\",title:\"b\",labels:[\"bug\"],iid:77",
        "issue{iid labels{nodes{title}}}",
    )
    .await;
    assert_eq!(hers["issue"], json!({"iid": "2", "labels": {"nodes": []}}));
    let blank =
        run(&jane, "createIssue", "projectPath:\"acme/anvil\",title:\" \"", "issue{iid}").await;
    assert_eq!(blank, json!({"issue": null, "errors": ["Title can't be blank"]}));
    for (who, path) in [(&*t.user("outsider").await, "acme/anvil"), (&*jane, "acme/nothing")] {
        let query = format!(
            "mutation{{createIssue(input:{{projectPath:\"{path}\",title:\"t\"}}){{issue{{iid}}}}}}"
        );
        let answer = ask(who, &query).await;
        assert_eq!(
            (message(&answer), &answer["data"]["createIssue"]),
            (NOT_AVAILABLE, &Value::Null)
        );
    }
}

#[testkit::story]
async fn one_thing_is_set_at_a_time(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    for (name, input, fields, wanted) in [
        (
            "issueSetLocked",
            "locked:true",
            "discussionLocked",
            json!({"discussionLocked": true}),
        ),
        (
            "issueSetConfidential",
            "confidential:true",
            "confidential",
            json!({"confidential": true}),
        ),
        (
            "issueSetDueDate",
            "dueDate:\"2031-02-01\"",
            "dueDate",
            json!({"dueDate": "2031-02-01T00:00:00Z"}),
        ),
        ("issueSetDueDate", "dueDate:null", "dueDate", json!({"dueDate": null})),
        ("issueSetWeight", "weight:4", "weight", json!({"weight": 4})),
        ("issueSetSeverity", "severity:LOW", "severity", json!({"severity": "LOW"})),
        (
            "issueSetSubscription",
            "subscribedState:false",
            "subscribed",
            json!({"subscribed": false}),
        ),
        (
            "issueSetSubscription",
            "subscribedState:true",
            "subscribed",
            json!({"subscribed": true}),
        ),
        (
            "updateIssue",
            "title:\"Door\",description:\"d\",stateEvent:CLOSE",
            "title description state",
            json!({"title": "Door", "description": "d", "state": "closed"}),
        ),
        (
            "updateIssue",
            "description:null,stateEvent:REOPEN,weight:null",
            "description state weight",
            json!({"description": null, "state": "opened", "weight": null}),
        ),
        ("updateIssue", "clientMutationId:\"nothing\"", "title", json!({"title": "Door"})),
    ] {
        assert_eq!(set(&jane, name, input, fields).await, wanted, "{name} {input}");
    }
    let names = |mode: &str, who: &str| format!("assigneeUsernames:{who},operationMode:{mode}");
    let assigned = "assignees{nodes{username}}";
    for (mode, who, wanted) in [
        ("REPLACE", "[\"jane\",\"nobody\"]", json!([{"username": "jane"}])),
        ("APPEND", "[\"joe\"]", json!([{"username": "jane"}, {"username": "joe"}])),
        ("REMOVE", "[\"jane\"]", json!([{"username": "joe"}])),
    ] {
        let issue = set(&jane, "issueSetAssignees", &names(mode, who), assigned).await;
        assert_eq!(issue["assignees"]["nodes"], wanted, "{mode}");
    }
    // Who may see an issue may not change it for that.
    let query = format!("mutation{{issueSetLocked(input:{{{AT},locked:false}}){{issue{{iid}}}}}}");
    assert_eq!(message(&ask(&joe, &query).await), NOT_AVAILABLE);
    let bad =
        format!("mutation{{issueSetWeight(input:{{{AT},weight:-1}}){{issue{{iid}} errors}}}}");
    assert_eq!(
        data(&jane, &bad).await["issueSetWeight"],
        json!({"issue": null,
        "errors": ["Weight must be greater than or equal to 0"]})
    );
    let read = t.token_of(jane.id, &["read_api"]).await;
    assert_eq!(message(&ask(&read, &query).await), NOT_AVAILABLE);
    assert_eq!(message(&ask(&t.anonymous(), &query).await), NOT_AVAILABLE);
}

#[testkit::story]
async fn types_that_there_are_none_of_find_and_make_nothing(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    admin.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    for (types, found) in
        [("[TEST_CASE,REQUIREMENT]", 0), ("[EPIC]", 0), ("[EPIC,ISSUE]", 1), ("[]", 1)]
    {
        for (filter, wanted) in
            [(format!("types:{types}"), found), ("not:{types:[TEST_CASE]}".to_owned(), 1)]
        {
            let query =
                format!("{{project(fullPath:\"acme/anvil\"){{issues({filter}){{count}}}}}}");
            assert_eq!(
                data(&admin, &query).await["project"]["issues"]["count"],
                wanted,
                "{filter}"
            );
        }
    }
    let text = json!(["Type is not supported"]);
    let made = run(
        &admin,
        "createIssue",
        "projectPath:\"acme/anvil\",title:\"b\",type:TEST_CASE",
        "issue{iid}",
    )
    .await;
    assert_eq!(made, json!({"issue": null, "errors": text}));
    let query = format!("mutation{{updateIssue(input:{{{AT},type:EPIC}}){{issue{{iid}} errors}}}}");
    assert_eq!(
        data(&admin, &query).await["updateIssue"],
        json!({"issue": null, "errors": text})
    );
}

#[testkit::story]
async fn an_issue_moves_where_its_mover_reports(t: testkit::TestServer) {
    let (from, to) = (t.project("acme/anvil").await, t.project("acme/bolt").await);
    let jane = t.user("jane").await;
    from.add(&jane, 20).await;
    jane.post(from.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let query = format!(
        "mutation{{issueMove(input:{{{AT},targetProjectPath:\"acme/bolt\"}}){{issue{{reference(full:true)}} errors}}}}"
    );
    let refused = ask(&jane, &query).await;
    let missing = ask(&jane, &query.replace("bolt", "nothing")).await;
    assert_eq!((message(&refused), message(&missing)), (NOT_AVAILABLE, NOT_AVAILABLE));
    to.add(&jane, 20).await;
    let moved = data(&jane, &query).await;
    assert_eq!(moved["issueMove"], json!({"issue": {"reference": "acme/bolt#1"}, "errors": []}));
    let old = data(
        &jane,
        "{project(fullPath:\"acme/anvil\"){issue(iid:\"1\"){state movedTo{reference(full:true)}}}}",
    )
    .await;
    assert_eq!(
        old["project"]["issue"],
        json!({"state": "closed", "movedTo": {"reference": "acme/bolt#1"}})
    );
}
