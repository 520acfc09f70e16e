//! Work items: issues and epics as one, with their parts.

mod changes;
mod hidden;
mod links;
mod lists;
mod statements;

use crate::graphql::{ask, data};
use serde_json::{Value, json};
use testkit::{Client, TestGroup, TestServer};

const NOT_AVAILABLE: &str = "The resource that you are attempting to access does not exist or \
    you don't have permission to perform this action";
/// What is added to the id of an epic.
const BEYOND: i64 = 1 << 40;

/// The payload of a mutation.
async fn run(client: &Client, name: &str, input: &str, fields: &str) -> Value {
    let query = format!("mutation{{{name}(input:{{{input}}}){{{fields} errors}}}}");
    data(client, &query).await[name].clone()
}

fn gid(id: i64) -> String {
    format!("gid://service/WorkItem/{id}")
}

/// Makes an epic by REST; its number among work items.
async fn epic(client: &Client, group: &TestGroup, body: Value) -> i64 {
    let made = client.post(group.at("/epics")).json(&body).await.is(201).json();
    made["work_item_id"].as_i64().unwrap_or_default()
}

/// One work item, by its number.
async fn item(client: &Client, id: i64, fields: &str) -> Value {
    let query = format!("{{workItem(id:\"{}\"){{{fields}}}}}", gid(id));
    data(client, &query).await["workItem"].clone()
}

/// The widget of a work item that has this type.
async fn widget(client: &Client, id: i64, name: &str, fields: &str) -> Value {
    let fields = format!("widgets{{... on WorkItemWidget{name}{{type {fields}}}}}");
    let found = item(client, id, &fields).await;
    let all = found["widgets"].as_array().cloned().unwrap_or_default();
    let one = all.into_iter().find(|one| one["type"].is_string());
    let mut one = one.unwrap_or_default();
    if let Some(fields) = one.as_object_mut() {
        fields.remove("type");
    }
    one
}

const PLAIN: &str = "id iid title titleHtml description state confidential lockVersion closedAt \
    reference full:reference(full:true) webUrl webPath workItemType{id name} author{username} \
    namespace{fullPath} project{fullPath} widgets{type} \
    userPermissions{readWorkItem updateWorkItem adminWorkItem setWorkItemMetadata \
    adminParentLink adminWorkItemLink deleteWorkItem createNote}";

#[testkit::story]
async fn issues_and_epics_are_work_items(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    let issue = json!({"title": "<b>Hinge", "description": "oil", "issue_type": "task"});
    let issue = jane.post(project.at("/issues")).json(&issue).await.is(201);
    let of_epic = json!({"title": "House", "description": "- [x] a\n- [ ] b", "color": "red"});
    let made = jane.post(group.at("/epics")).json(&of_epic).await.is(201).json();
    let number = made["work_item_id"].as_i64().unwrap_or_default();
    assert_eq!(number, made["id"].as_i64().unwrap_or_default() + BEYOND);

    let shown = item(&jane, issue.id(), PLAIN).await;
    let rights = json!({"readWorkItem": true, "updateWorkItem": true, "adminWorkItem": true,
        "setWorkItemMetadata": true, "adminParentLink": true, "adminWorkItemLink": true,
        "deleteWorkItem": false, "createNote": true});
    let types =
        |names: &[&str]| -> Value { names.iter().map(|one| json!({"type": one})).collect() };
    assert_eq!(
        shown,
        json!({"id": gid(issue.id()), "iid": "1", "title": "<b>Hinge",
            "titleHtml": "&lt;b&gt;Hinge", "description": "oil", "state": "OPEN",
            "confidential": false, "lockVersion": 0, "closedAt": null, "reference": "#1",
            "full": "acme/anvil#1", "webUrl": issue.json()["web_url"],
            "webPath": "/acme/anvil/-/issues/1",
            "workItemType": {"id": "gid://service/WorkItems::Type/5", "name": "Task"},
            "author": {"username": "jane"}, "namespace": {"fullPath": "acme"},
            "project": {"fullPath": "acme/anvil"}, "userPermissions": rights,
            "widgets": types(&["ASSIGNEES", "AWARD_EMOJI", "CURRENT_USER_TODOS", "DESCRIPTION",
                "HEALTH_STATUS", "HIERARCHY", "LABELS", "LINKED_ITEMS", "MILESTONE", "NOTES",
                "NOTIFICATIONS", "PARTICIPANTS", "START_AND_DUE_DATE", "STATUS",
                "TIME_TRACKING", "WEIGHT"])})
    );
    let shown = item(&jane, number, PLAIN).await;
    assert_eq!(
        shown,
        json!({"id": gid(number), "iid": "1", "title": "House", "titleHtml": "House",
            "description": "- [x] a\n- [ ] b", "state": "OPEN", "confidential": false,
            "lockVersion": 0, "closedAt": null, "reference": "&1", "full": "acme&1",
            "webUrl": made["web_url"], "webPath": "/groups/acme/-/epics/1",
            "workItemType": {"id": "gid://service/WorkItems::Type/8", "name": "Epic"},
            "author": {"username": "jane"}, "namespace": {"fullPath": "acme"}, "project": null,
            "userPermissions": rights,
            "widgets": types(&["AWARD_EMOJI", "COLOR", "CURRENT_USER_TODOS", "DESCRIPTION",
                "HEALTH_STATUS", "HIERARCHY", "LABELS", "LINKED_ITEMS", "NOTES",
                "NOTIFICATIONS", "PARTICIPANTS", "START_AND_DUE_DATE", "STATUS"])})
    );
    // They are found by number, too, and issues by their own IDs.
    let query = format!(
        "{{namespace(fullPath:\"acme\"){{workItem(iid:\"1\"){{title}} none:workItem(iid:\"9\"){{title}}}} \
        project(fullPath:\"acme/anvil\"){{workItem(iid:\"1\"){{title}}}} \
        workItem(id:\"gid://service/Issue/{}\"){{title}} node(id:\"{}\"){{... on WorkItem{{title}}}}}}",
        issue.id(),
        gid(number)
    );
    assert_eq!(
        data(&jane, &query).await,
        json!({"namespace": {"workItem": {"title": "House"}, "none": null},
            "project": {"workItem": {"title": "<b>Hinge"}}, "workItem": {"title": "<b>Hinge"},
            "node": {"title": "House"}})
    );
    let wrong = ask(&jane, "{workItem(id:\"gid://service/Epic/1\"){title}}").await;
    let text = wrong["errors"][0]["message"].as_str().unwrap_or_default().to_owned();
    assert!(text.contains("does not represent an instance of WorkItem"), "{text}");
}

#[testkit::story]
async fn parts_of_an_issue_tell_what_rest_tells(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    group.add(&jane, 20).await;
    group.add(&joe, 10).await;
    let goal = json!({"title": "1.0"});
    let goal = jane.post(project.at("/milestones")).json(&goal).await.is(201).id();
    let above = epic(&jane, &group, json!({"title": "House"})).await;
    let body = json!({"title": "Hinge", "description": "- [x] oil", "labels": "bug,door",
        "assignee_ids": [joe.id], "milestone_id": goal, "weight": 3, "due_date": "2031-02-01",
        "epic_id": above - BEYOND});
    let id = jane.post(project.at("/issues")).json(&body).await.is(201).id();
    let at = |rest: &str| project.at(&format!("/issues/1{rest}"));
    jane.post(at("/notes")).json(&json!({"body": "hello @joe"})).await.is(201);
    jane.post(at("/award_emoji")).json(&json!({"name": "thumbsup"})).await.is(201);
    jane.post(at("/time_estimate?duration=1h")).await.is(200);
    let other = jane.post(project.at("/issues?title=Door")).await.is(201).id();
    let link = json!({"target_project_id": project.id, "target_issue_iid": 2, "link_type": "is_blocked_by"});
    jane.post(at("/links")).json(&link).await.is(201);

    let told = [
        (
            "Description",
            "description taskCompletionStatus{count completedCount}",
            json!({"description": "- [x] oil", "taskCompletionStatus": {"count": 1, "completedCount": 1}}),
        ),
        (
            "Assignees",
            "assignees{nodes{username}} allowsMultipleAssignees",
            json!({"assignees": {"nodes": [{"username": "joe"}]}, "allowsMultipleAssignees": true}),
        ),
        (
            "Labels",
            "labels{nodes{title} count}",
            json!({"labels": {"nodes": [{"title": "bug"}, {"title": "door"}], "count": 2}}),
        ),
        ("Milestone", "milestone{title}", json!({"milestone": {"title": "1.0"}})),
        ("Weight", "weight", json!({"weight": 3})),
        ("HealthStatus", "healthStatus", json!({"healthStatus": null})),
        (
            "StartAndDueDate",
            "startDate dueDate isFixed",
            json!({"startDate": null, "dueDate": "2031-02-01", "isFixed": true}),
        ),
        (
            "Status",
            "status{id name}",
            json!({"status": {"name": "To do",
            "id": "gid://service/WorkItems::Statuses::SystemDefined::Status/1"}}),
        ),
        (
            "TimeTracking",
            "timeEstimate totalTimeSpent humanTimeEstimate humanTotalTimeSpent",
            json!({"timeEstimate": 3600, "totalTimeSpent": 0, "humanTimeEstimate": "1h",
                "humanTotalTimeSpent": null}),
        ),
        (
            "AwardEmoji",
            "upvotes downvotes awardEmoji{nodes{name}}",
            json!({"upvotes": 1, "downvotes": 0, "awardEmoji": {"nodes": [{"name": "thumbsup"}]}}),
        ),
        ("Notifications", "subscribed", json!({"subscribed": true})),
        (
            "Participants",
            "participants{nodes{username}}",
            json!({"participants": {"nodes": [{"username": "jane"}, {"username": "joe"}]}}),
        ),
        (
            "Hierarchy",
            "parent{id} hasParent hasChildren depth ancestors{nodes{title} count} children{nodes{id} count}",
            json!({"parent": {"id": gid(above)}, "hasParent": true, "hasChildren": false, "depth": 1,
                "ancestors": {"nodes": [{"title": "House"}], "count": 1},
                "children": {"nodes": [], "count": 0}}),
        ),
        (
            "LinkedItems",
            "blocked blockedByCount blockingCount linkedItems{nodes{linkType workItem{id}}} \
            others:linkedItems(filter:BLOCKS){nodes{linkId}}",
            json!({"blocked": true, "blockedByCount": 1, "blockingCount": 0,
                "linkedItems": {"nodes": [{"linkType": "is_blocked_by", "workItem": {"id": gid(other)}}]},
                "others": {"nodes": []}}),
        ),
        (
            "Notes",
            "discussionLocked discussions(filter:ONLY_COMMENTS){nodes{notes{nodes{body author{username}}}}}",
            json!({"discussionLocked": false, "discussions": {"nodes": [{"notes": {"nodes": [
                {"body": "hello @joe", "author": {"username": "jane"}}]}}]}}),
        ),
    ];
    for (name, fields, wanted) in told {
        assert_eq!(widget(&jane, id, name, fields).await, wanted, "{name}");
    }
    let todos = "currentUserTodos(state:pending){nodes{action target{webUrl}}}";
    let todos = widget(&joe, id, "CurrentUserTodos", todos).await;
    let actions: Vec<&Value> = todos["currentUserTodos"]["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| &it["action"])
        .collect();
    assert_eq!(actions.len(), 2, "{todos}");
}

#[testkit::story]
async fn parts_of_an_epic_tell_what_rest_tells(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    group.add(&jane, 20).await;
    group.add(&joe, 10).await;
    let top = epic(&jane, &group, json!({"title": "Town"})).await;
    let body = json!({"title": "House", "description": "- [ ] roof for @joe", "labels": "bug", "color": "#ff0000",
        "due_date_fixed": "2031-02-01", "due_date_is_fixed": true, "parent_id": top - BEYOND});
    let id = epic(&jane, &group, body).await;
    let below = json!({"title": "Room", "parent_id": id - BEYOND});
    let below = epic(&jane, &group, below).await;
    let issue = json!({"title": "Hinge", "epic_id": id - BEYOND});
    let issue = jane.post(project.at("/issues")).json(&issue).await.is(201).id();
    let other = epic(&jane, &group, json!({"title": "Road"})).await;
    let at = |rest: &str| group.at(&format!("/epics/2{rest}"));
    let link = json!({"target_group_id": group.id, "target_epic_iid": 4, "link_type": "blocks"});
    jane.post(at("/related_epics")).json(&link).await.is(201);
    let note = json!({"body": "first"});
    joe.post(group.at(&format!("/epics/{}/notes", id - BEYOND)))
        .json(&note)
        .await
        .is(201);
    joe.post(at("/award_emoji?name=thumbsdown")).await.is(201);

    let told = [
        (
            "Description",
            "description taskCompletionStatus{count completedCount}",
            json!({"description": "- [ ] roof for @joe", "taskCompletionStatus": {"count": 1, "completedCount": 0}}),
        ),
        (
            "Labels",
            "labels{nodes{title} count}",
            json!({"labels": {"nodes": [{"title": "bug"}], "count": 1}}),
        ),
        ("Color", "color textColor", json!({"color": "#ff0000", "textColor": "#FFFFFF"})),
        (
            "StartAndDueDate",
            "startDate dueDate isFixed",
            json!({"startDate": null, "dueDate": "2031-02-01", "isFixed": true}),
        ),
        (
            "AwardEmoji",
            "upvotes downvotes awardEmoji{nodes{name user{username}}}",
            json!({"upvotes": 0, "downvotes": 1, "awardEmoji": {"nodes": [
                {"name": "thumbsdown", "user": {"username": "joe"}}]}}),
        ),
        ("Notifications", "subscribed", json!({"subscribed": true})),
        (
            "Participants",
            "participants{nodes{username}}",
            json!({"participants": {"nodes": [{"username": "jane"}, {"username": "joe"}]}}),
        ),
        (
            "Hierarchy",
            "parent{id} depth ancestors{nodes{id}} hasChildren children{nodes{id} count}",
            json!({"parent": {"id": gid(top)}, "depth": 1, "ancestors": {"nodes": [{"id": gid(top)}]},
                "hasChildren": true, "children": {"nodes": [{"id": gid(below)}, {"id": gid(issue)}], "count": 2}}),
        ),
        (
            "LinkedItems",
            "blocked blockingCount linkedItems{nodes{linkType workItem{id title}}}",
            json!({"blocked": false, "blockingCount": 1, "linkedItems": {"nodes": [
                {"linkType": "blocks", "workItem": {"id": gid(other), "title": "Road"}}]}}),
        ),
        (
            "Notes",
            "discussions(filter:ONLY_COMMENTS){nodes{notes{nodes{body}}}}",
            json!({"discussions": {"nodes": [{"notes": {"nodes": [{"body": "first"}]}}]}}),
        ),
    ];
    for (name, fields, wanted) in told {
        assert_eq!(widget(&jane, id, name, fields).await, wanted, "{name}");
    }
    // The other side of a link reads the other way round.
    let linked = widget(&jane, other, "LinkedItems", "blocked linkedItems{nodes{linkType}}").await;
    let wanted =
        json!({"blocked": true, "linkedItems": {"nodes": [{"linkType": "is_blocked_by"}]}});
    assert_eq!(linked, wanted);
    // To-dos about epics show them.
    let query = "{currentUser{todos(type:[EPIC],state:[done]){nodes{targetType group{fullPath} body target{... on Epic{title}}}}}}";
    let todos = data(&joe, query).await["currentUser"]["todos"]["nodes"].clone();
    assert_eq!(
        todos[0],
        json!({"targetType": "EPIC", "group": {"fullPath": "acme"}, "body": "House",
            "target": {"title": "House"}})
    );
    let mine = widget(&joe, id, "CurrentUserTodos", "currentUserTodos{nodes{state}}").await;
    assert_eq!(mine["currentUserTodos"]["nodes"].as_array().map(Vec::len), Some(1), "{mine}");
}

#[testkit::story]
async fn types_have_ids_that_stay(t: TestServer) {
    let group = t.group("acme").await;
    let admin = t.admin();
    let types = "{namespace(fullPath:\"acme\"){workItemTypes{nodes{id name}} \
        epic:workItemTypes(name:EPIC){nodes{id}}}}";
    let of = |n: i64| format!("gid://service/WorkItems::Type/{n}");
    let found = data(&admin, types).await["namespace"].clone();
    assert_eq!(
        found,
        json!({"workItemTypes": {"nodes": [{"id": of(1), "name": "Issue"},
            {"id": of(2), "name": "Incident"}, {"id": of(5), "name": "Task"},
            {"id": of(8), "name": "Epic"}]}, "epic": {"nodes": [{"id": of(8)}]}})
    );
    // Where there are no epics, there is no such type; those of before are not shown.
    let id = epic(&admin, &group, json!({"title": "House"})).await;
    admin.put(group.at("?epics_enabled=false")).await.is(200);
    let off = format!(
        "{{namespace(fullPath:\"acme\"){{workItemTypes(name:EPIC){{nodes{{id}}}} workItem(iid:\"1\"){{id}}}} \
        workItem(id:\"{}\"){{id}} group(fullPath:\"acme\"){{epic(iid:\"1\"){{id}} epics{{nodes{{id}}}} \
        workItems{{nodes{{id}} count}}}}}}",
        gid(id)
    );
    let nothing = json!({"namespace": {"workItemTypes": {"nodes": []}, "workItem": null},
        "workItem": null, "group": {"epic": null, "epics": {"nodes": []},
        "workItems": {"nodes": [], "count": 0}}});
    assert_eq!(data(&admin, &off).await, nothing);
    let create = "mutation{workItemCreate(input:{namespacePath:\"acme\",title:\"x\",\
        workItemTypeId:\"gid://service/WorkItems::Type/8\"}){workItem{id}}}";
    assert_eq!(crate::graphql::message(&ask(&admin, create).await), NOT_AVAILABLE);
    admin.put(group.at("?epics_enabled=true")).await.is(200);
    admin.put("/application/settings?epics_enabled=false").await.is(200);
    assert_eq!(data(&admin, &off).await, nothing, "the whole instance");
    assert_eq!(crate::graphql::message(&ask(&admin, create).await), NOT_AVAILABLE);
}
