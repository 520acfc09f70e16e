//! Alerts and integrations in GraphQL (docs/interface/monitoring.md 2.2).

mod integrations;

use crate::alerts::{Desk, group, item};
use http::Method;
use serde_json::{Value, json};
use testkit::{Client, TestServer};

pub async fn ask(client: &Client, query: &str) -> Value {
    let request = client.request(Method::POST, "/api/graphql");
    request.json(&json!({"query": query})).await.is(200).json()
}

/// The `data` of a query without errors.
pub async fn data(client: &Client, query: &str) -> Value {
    let answer = ask(client, query).await;
    assert_eq!(answer["errors"], Value::Null, "{query}");
    answer["data"].clone()
}

/// A field of a project.
pub async fn of_project(client: &Client, field: &str) -> Value {
    let query = format!("{{project(fullPath:\"acme/anvil\"){{it:{field}}}}}");
    data(client, &query).await["project"]["it"].clone()
}

/// The payload of a mutation.
pub async fn done(client: &Client, name: &str, input: &str, fields: &str) -> Value {
    let query = format!("mutation{{it:{name}(input:{{{input}}}){{errors {fields}}}}}");
    data(client, &query).await["it"].clone()
}

/// A mutation that the caller may not do.
pub async fn refused(client: &Client, name: &str, input: &str) {
    let query = format!("mutation{{it:{name}(input:{{{input}}}){{errors}}}}");
    let answer = ask(client, &query).await;
    assert_eq!(answer["data"]["it"], Value::Null, "{query}");
    let text = answer["errors"][0]["message"].as_str().unwrap_or_default();
    assert!(text.starts_with("The resource that you are attempting to access"), "{answer}");
}

const HERE: &str = "projectPath:\"acme/anvil\"";

/// Four alerts: one of each status.
async fn four(t: &TestServer) -> Desk {
    let desk = Desk::new(t, "acme/anvil").await;
    for (n, (title, severity)) in
        [("Disk", "low"), ("Net", "critical"), ("CPU", "medium"), ("Fan", "info")]
            .into_iter()
            .enumerate()
    {
        let sent = json!({"title": title, "severity": severity, "service": "web 100%",
            "start_time": format!("2025-05-0{}", n + 1)});
        desk.send(sent).await.is(200);
    }
    for (iid, status) in [(2, "acknowledged"), (3, "resolved"), (4, "ignored")] {
        t.admin().put(desk.alert(iid)).json(&json!({"status": status})).await.is(200);
    }
    desk
}

fn iids(found: &Value) -> Vec<String> {
    let nodes = found["nodes"].as_array().unwrap();
    nodes.iter().map(|one| one["iid"].as_str().unwrap().to_owned()).collect()
}

#[testkit::story]
async fn alerts_are_listed_filtered_and_ordered(t: TestServer) {
    let desk = four(&t).await;
    for (arguments, expected) in [
        ("", vec!["4", "3", "2", "1"]),
        ("(sort:STARTED_AT_ASC)", vec!["1", "2", "3", "4"]),
        ("(sort:SEVERITY_DESC)", vec!["2", "3", "1", "4"]),
        ("(sort:STATUS_ASC)", vec!["4", "3", "2", "1"]),
        ("(sort:ENDED_AT_DESC)", vec!["3", "4", "2", "1"]),
        ("(sort:created_asc)", vec!["1", "2", "3", "4"]),
        ("(statuses:[TRIGGERED,IGNORED])", vec!["4", "1"]),
        ("(search:\"1%0\", domain:operations)", vec![]),
        ("(search:\"WEB 100%\", sort:CREATED_TIME_DESC, first:2)", vec!["4", "3"]),
        ("(iid:\"2\")", vec!["2"]),
        ("(iid:\"two\")", vec![]),
        ("(assigneeUsername:\"nobody\")", vec![]),
    ] {
        let field = format!("alertManagementAlerts{arguments}{{nodes{{iid}}}}");
        assert_eq!(iids(&of_project(&t.admin(), &field).await), expected, "{arguments}");
    }
    for sort in [
        "ENDED_AT_ASC",
        "EVENT_COUNT_DESC",
        "SEVERITY_ASC",
        "UPDATED_TIME_DESC",
        "CREATED_ASC",
    ] {
        let whole = iids(
            &of_project(&t.admin(), &format!("alertManagementAlerts(sort:{sort}){{nodes{{iid}}}}"))
                .await,
        );
        let mut paged = Vec::new();
        let mut after = String::new();
        for _ in 0..4 {
            let field = format!(
                "alertManagementAlerts(sort:{sort},first:1,after:\"{after}\"){{nodes{{iid}} \
                pageInfo{{endCursor hasNextPage}}}}"
            );
            let page = of_project(&t.admin(), &field).await;
            paged.extend(iids(&page));
            after = page["pageInfo"]["endCursor"].as_str().unwrap().to_owned();
        }
        assert_eq!(paged, whole, "{sort}");
    }
    let one =
        of_project(&t.admin(), "alertManagementAlert(iid:\"2\"){iid title severity status}").await;
    assert_eq!(
        one,
        json!({"iid": "2", "title": "Net", "severity": "CRITICAL", "status": "ACKNOWLEDGED"})
    );
    assert_eq!(
        of_project(&t.admin(), "alertManagementAlert(iid:\"9\"){iid}").await,
        Value::Null
    );
    let counts =
        "alertManagementAlertStatusCounts{triggered acknowledged resolved ignored open all}";
    assert_eq!(
        of_project(&t.admin(), counts).await,
        json!({"triggered": 1, "acknowledged": 1,
        "resolved": 1, "ignored": 1, "open": 2, "all": 4})
    );
    let counts = "alertManagementAlertStatusCounts(search:\"disk\"){open all}";
    assert_eq!(of_project(&t.admin(), counts).await, json!({"open": 1, "all": 1}));
    drop(desk);
}

#[testkit::story]
async fn an_alert_shows_what_is_known_of_it(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let sent = json!({"title": "Disk", "description": "full", "hosts": ["a", "b"], "service": "store",
        "monitoring_tool": "Eye", "runbook": "javascript:x", "deep": {"list": [1, {"x": "y"}]},
        "start_time": "2025-05-05T10:00:00Z"});
    desk.send(sent).await.is(200);
    let jane = t.user("jane").await;
    desk.project.add(&jane, 30).await;
    jane.put(desk.alert(1)).json(&json!({"assignee_ids": [jane.id]})).await.is(200);
    jane.post(format!("{}/issue", desk.alert(1))).await.is(201);
    let shown = of_project(&jane, "alertManagementAlert(iid:\"1\"){iid title description service monitoringTool \
        hosts eventCount details runbook detailsUrl webUrl startedAt endedAt severity status prometheusAlert{id} \
        metricsDashboardUrl issueIid issue{iid type alertManagementAlert{iid}} assignees{nodes{username}} \
        notes{nodes{body system}} discussions{nodes{id}} todos{nodes{action targetType target{webUrl}}}}").await;
    let page = shown["webUrl"].as_str().unwrap();
    assert!(page.ends_with("/acme/anvil/-/alert_management/1/details"));
    for (name, expected) in [
        (
            "details",
            json!({"title": "Disk", "description": "full", "hosts.0": "a", "hosts.1": "b", "service": "store",
            "monitoring_tool": "Eye", "runbook": "javascript:x", "deep.list.0": 1, "deep.list.1.x": "y",
            "start_time": "2025-05-05T10:00:00Z"}),
        ),
        ("hosts", json!(["a", "b"])),
        ("eventCount", json!(1)),
        ("startedAt", json!("2025-05-05T10:00:00Z")),
        ("endedAt", Value::Null),
        ("prometheusAlert", Value::Null),
        ("metricsDashboardUrl", Value::Null),
        ("runbook", json!("javascript:x")),
        ("detailsUrl", shown["webUrl"].clone()),
        ("issueIid", json!("1")),
        (
            "issue",
            json!({"iid": "1", "type": "INCIDENT", "alertManagementAlert": {"iid": "1"}}),
        ),
        ("assignees", json!({"nodes": [{"username": "jane"}]})),
    ] {
        assert_eq!(shown[name], expected, "{name}");
    }
    let notes = shown["notes"]["nodes"].as_array().unwrap();
    assert_eq!(notes[0], json!({"body": "logged an alert from **Eye**", "system": true}));
    assert_eq!(shown["discussions"]["nodes"].as_array().unwrap().len(), notes.len());
    assert_eq!(shown["todos"]["nodes"], json!([]));
    let marked = done(
        &jane,
        "alertTodoCreate",
        &format!("{HERE},iid:\"1\""),
        "alert{iid} issue{iid} todo{action target{webUrl}}",
    )
    .await;
    assert_eq!(
        marked,
        json!({"errors": [], "alert": {"iid": "1"}, "issue": null,
        "todo": {"action": "marked", "target": {"webUrl": page}}})
    );
    let again = done(&jane, "alertTodoCreate", &format!("{HERE},iid:\"1\""), "todo{id}").await;
    assert_eq!(
        again,
        json!({"errors": ["You already have pending todo for this alert"], "todo": null})
    );
    let listed = jane.get("/todos").await.is(200).json();
    assert_eq!(
        (&listed[0]["target"]["iid"], &listed[0]["target_url"]),
        (&json!(1), &json!(page))
    );
}

#[testkit::story]
async fn alerts_are_changed(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let fire = json!({"title": "Disk", "fingerprint": "f"});
    desk.send(fire.clone()).await.is(200);
    let (jane, carl) = (t.user("jane").await, t.user("carl").await);
    desk.project.add(&jane, 30).await;
    desk.project.add(&carl, 20).await;
    let one = format!("{HERE},iid:\"1\"");
    let set = async |status: &str| {
        done(
            &jane,
            "updateAlertStatus",
            &format!("{one},status:{status}"),
            "clientMutationId alert{status endedAt}",
        )
        .await
    };
    assert_eq!(
        set("ACKNOWLEDGED").await["alert"],
        json!({"status": "ACKNOWLEDGED", "endedAt": null})
    );
    assert!(set("RESOLVED").await["alert"]["endedAt"].is_string());
    desk.send(fire).await.is(200);
    let failed = set("TRIGGERED").await;
    assert_eq!(
        failed["errors"],
        json!(["An alert with the same fingerprint is already open. To change the \
        status of this alert, resolve the linked alert."])
    );

    let two = format!("{HERE},iid:\"2\"");
    let assign = async |names: &str, mode: &str| {
        done(
            &jane,
            "alertSetAssignees",
            &format!("{two},assigneeUsernames:{names}{mode}"),
            "alert{assignees{nodes{username}}}",
        )
        .await
    };
    let name = |answer: &Value| answer["alert"]["assignees"]["nodes"].clone();
    assert_eq!(name(&assign("[\"jane\",\"root\"]", "").await), json!([{"username": "jane"}]));
    assert_eq!(
        name(&assign("[\"root\"]", ",operationMode:APPEND").await),
        json!([{"username": "jane"}])
    );
    assert_eq!(
        name(&assign("[\"root\"]", ",operationMode:REMOVE").await),
        json!([{"username": "jane"}])
    );
    assert_eq!(name(&assign("[\"jane\"]", ",operationMode:REMOVE").await), json!([]));
    assert_eq!(
        name(&assign("[\"root\"]", ",operationMode:APPEND").await),
        json!([{"username": "root"}])
    );
    for nobody in ["[\"carl\"]", "[\"no-such-user\"]"] {
        assert_eq!(
            assign(nobody, "").await["errors"],
            json!(["Assignee has no permissions"]),
            "{nobody}"
        );
    }
    let made = done(&jane, "createAlertIssue", &two, "alert{issue{iid}} issue{iid title}").await;
    assert_eq!(
        made,
        json!({"errors": [], "alert": {"issue": {"iid": "1"}}, "issue": {"iid": "1", "title": "Disk"}})
    );
    let again = done(&jane, "createAlertIssue", &two, "issue{iid}").await;
    assert_eq!(again, json!({"errors": ["An issue already exists"], "issue": null}));

    for client in [&carl as &Client, &t.anonymous()] {
        refused(client, "updateAlertStatus", &format!("{one},status:RESOLVED")).await;
        refused(client, "createAlertIssue", &one).await;
        refused(client, "alertTodoCreate", &one).await;
        refused(client, "alertSetAssignees", &format!("{one},assigneeUsernames:[]")).await;
    }
    refused(&jane, "updateAlertStatus", &format!("{HERE},iid:\"9\",status:RESOLVED")).await;
    let found = "{project(fullPath:\"acme/anvil\"){alertManagementAlerts{nodes{iid}} \
        alertManagementAlert(iid:\"1\"){iid} alertManagementAlertStatusCounts{all} \
        alertManagementIntegrations{nodes{id}} alertManagementPayloadFields(payloadExample:\"{}\"){label}}}";
    assert_eq!(
        data(&carl, found).await["project"],
        json!({"alertManagementAlerts": {"nodes": []},
        "alertManagementAlert": null, "alertManagementAlertStatusCounts": null,
        "alertManagementIntegrations": {"nodes": []}, "alertManagementPayloadFields": null})
    );
    let node = async |client: &Client| {
        data(
            client,
            &format!(
                "{{node(id:\"gid://service/AlertManagement::Alert/{}\")\
        {{... on AlertManagementAlert{{iid}}}}}}",
                desk.alerts().await[0]["id"]
            ),
        )
        .await["node"]
            .clone()
    };
    assert_eq!((node(&jane).await, node(&carl).await), (json!({"iid": "2"}), Value::Null));
}

#[testkit::story]
async fn deprecated_members_say_what_replaces_them(t: TestServer) {
    let query = "{a:__type(name:\"AlertManagementAlert\"){fields(includeDeprecated:true){name isDeprecated deprecationReason}} \
        m:__type(name:\"Mutation\"){fields(includeDeprecated:true){name isDeprecated deprecationReason}}}";
    let found = data(&t.admin(), query).await;
    let reason = |ty: &str, name: &str| {
        let fields = found[ty]["fields"].as_array().unwrap();
        let field = fields.iter().find(|one| one["name"] == name).unwrap();
        assert!(field["isDeprecated"].as_bool().unwrap(), "{name}");
        field["deprecationReason"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        reason("a", "issueIid"),
        "Use issue field. Please use `AlertManagementAlert.issue`. Deprecated in 13.10."
    );
    assert!(reason("m", "prometheusIntegrationCreate").ends_with("Deprecated in 18.2."));
}

#[testkit::story]
async fn lists_of_alerts_take_a_fixed_number_of_statements(t: TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let count = async || {
        let text = t.anonymous().at("/-/metrics").await.text();
        let name = "http_request_statements_total{method=\"POST\",route=\"/api/graphql\"} ";
        let found = text.lines().find_map(|line| line.strip_prefix(name));
        found.and_then(|number| number.parse::<i64>().ok()).unwrap_or(0)
    };
    let field = "alertManagementAlerts(first:20){nodes{iid issueIid issue{title} assignees{nodes{username}} \
        notes(first:1){nodes{body}} todos(first:1){nodes{id}}}}";
    let mut taken = Vec::new();
    for _ in 0..2 {
        for n in 0..3 {
            desk.send(json!({"title": format!("a{n}")})).await.is(200);
        }
        for alert in desk.alerts().await {
            let path = desk.alert(alert["iid"].as_i64().unwrap());
            if alert["issue_iid"].is_null() {
                t.admin().post(format!("{path}/issue")).await.is(201);
                t.admin().put(path).json(&json!({"assignee_ids": [1]})).await.is(200);
            }
        }
        let before = count().await;
        of_project(&t.admin(), field).await;
        taken.push(count().await - before);
    }
    assert_eq!(taken[0], taken[1]);
}
