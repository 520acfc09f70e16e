//! Lists of work items never ask once per row, whatever is asked of each.

use super::{BEYOND, epic};
use crate::graphql::{data, statements};
use serde_json::json;
use testkit::{Client, TestServer, TestUser};

/// Fifty epics and fifty issues with everything beside them.
async fn fill(t: &TestServer) -> TestUser {
    let project = t.project_with("acme/anvil", "public").await;
    let group = t.group("acme").await;
    t.admin().put(group.at("?visibility=public")).await.is(200);
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    let mut last = 0;
    for n in 0..50 {
        let body = json!({"title": format!("e{n}"), "description": "**d**", "labels": format!("a{n}"),
            "parent_id": if n % 7 == 0 { 0 } else { last }});
        let made = epic(&jane, &group, body).await;
        last = made - BEYOND;
        let at = |rest: &str| group.at(&format!("/epics/{}{rest}", n + 1));
        let note = json!({"body": "said"});
        jane.post(group.at(&format!("/epics/{last}/notes"))).json(&note).await.is(201);
        jane.post(at("/award_emoji?name=tada")).await.is(201);
        let issue = json!({"title": format!("i{n}"), "labels": format!("b{n}"), "epic_id": last,
            "assignee_ids": [jane.id]});
        jane.post(project.at("/issues")).json(&issue).await.is(201);
        jane.post(project.at(&format!("/issues/{}/notes", n + 1)))
            .json(&note)
            .await
            .is(201);
        if n > 0 {
            let link = json!({"target_group_id": group.id, "target_epic_iid": n});
            jane.post(at("/related_epics")).json(&link).await.is(201);
        }
    }
    jane
}

async fn cost(t: &TestServer, client: &Client, query: &str, rows: usize) -> i64 {
    let before = statements(t).await;
    let found = data(client, &query.replace("ROWS", &rows.to_string())).await;
    let nodes = found["group"]["list"]["nodes"].as_array().map(Vec::len);
    assert_eq!(nodes, Some(rows), "{query}");
    statements(t).await - before
}

const ITEMS: &str = "{group(fullPath:\"acme\"){list:workItems(includeDescendants:true,types:[TYPES],first:ROWS,sort:UPDATED_DESC){nodes{FIELDS}}}}";
const EPICS: &str = "{group(fullPath:\"acme\"){list:epics(first:ROWS){nodes{FIELDS}}}}";

#[testkit::story]
async fn fifty_work_items_cost_no_statement_for_each(t: TestServer) {
    let (admin, jane) = (t.admin(), fill(&t).await);
    for client in [&admin, &*jane] {
        data(client, "{currentUser{id}}").await;
        t.settle().await;
    }
    let of_items = [
        ("title author{username} namespace{fullPath} project{fullPath}", 10),
        ("userPermissions{updateWorkItem deleteWorkItem}", 14),
        (
            "widgets{... on WorkItemWidgetLabels{labels{nodes{title}}} ... on WorkItemWidgetAssignees{assignees{nodes{username}}}}",
            12,
        ),
        (
            "widgets{... on WorkItemWidgetHierarchy{parent{title} depth hasChildren ancestors{nodes{title}}}}",
            14,
        ),
        (
            "widgets{... on WorkItemWidgetHierarchy{children(first:2){nodes{title}}} ... on WorkItemWidgetLinkedItems{blocked linkedItems(first:2){nodes{workItem{title}}}}}",
            17,
        ),
        (
            "widgets{... on WorkItemWidgetNotes{discussions(first:2){nodes{notes(first:2){nodes{body bodyHtml}}}}}}",
            14,
        ),
        (
            "widgets{... on WorkItemWidgetAwardEmoji{awardEmoji{nodes{name}}} ... on WorkItemWidgetParticipants{participants{nodes{username}}} ... on WorkItemWidgetNotifications{subscribed}}",
            16,
        ),
    ];
    let of_epics = [
        ("title group{fullPath} author{username} parent{title} labels{nodes{title}}", 11),
        (
            "children(first:2){nodes{title}} ancestors{nodes{title}} relatedEpics(first:2){nodes{title}} hasIssues",
            13,
        ),
        (
            "issues(first:2){nodes{title epicIssueId relativePosition epic{title}} count} userPermissions{adminEpic} subscribed",
            17,
        ),
        (
            "notes(first:2){nodes{body author{name} userPermissions{adminNote}}} awardEmoji{nodes{name}}",
            14,
        ),
    ];
    let one_kind = ["EPIC", "ISSUE"].map(|kind| ITEMS.replace("TYPES", kind));
    let items = one_kind
        .iter()
        .flat_map(|query| of_items.iter().map(move |one| (&**query, one)));
    let epics = of_epics.iter().map(|one| (EPICS, one));
    for (query, (fields, most)) in items.chain(epics) {
        let query = query.replace("FIELDS", fields);
        for client in [&admin, &*jane] {
            let few = cost(&t, client, &query, 2).await;
            let many = cost(&t, client, &query, 50).await;
            // What rows have decides whether others are read with them: one more or less.
            assert!((many - few).abs() <= 1, "{query}: {few} and {many}");
            assert!(many <= *most, "{query}: {many} statements");
        }
    }
    // Epics and issues together: no more than of both alone.
    let both = ITEMS.replace("TYPES", "EPIC,ISSUE");
    for (fields, most) in of_items {
        let query = both.replace("FIELDS", fields);
        let (few, many) = (cost(&t, &jane, &query, 10).await, cost(&t, &jane, &query, 50).await);
        assert!((many - few).abs() <= 1, "{query}: {few} and {many}");
        assert!(many <= most + 8, "{query}: {many} statements");
    }
}
