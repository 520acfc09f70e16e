//! Incidents of alerts, and mail about them (docs/interface/monitoring.md 1.10, 3).

use crate::alerts::graphql::{done, of_project, refused};
use crate::alerts::{Desk, administer, item};
use serde_json::json;

#[testkit::story]
async fn an_incident_is_made_and_closed_behind_the_alert(t: testkit::TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    desk.wants(json!({"create_issue": true})).await;
    let mut firing = item("a", "firing");
    firing["annotations"]["service_incident_markdown"] = json!("## Steps\n/close\n@root look");
    firing["annotations"]["description"] = json!("/label ~x @root");
    desk.send_group(json!([firing])).await.is(200);
    t.settle().await;
    let issue = t.admin().get(desk.project.at("/issues/1")).await.is(200).json();
    assert_eq!(
        (
            &issue["title"],
            &issue["issue_type"],
            &issue["severity"],
            &issue["author"]["username"]
        ),
        (&json!("It is down"), &json!("incident"), &json!("high"), &json!("alert-bot"))
    );
    let text = issue["description"].as_str().unwrap();
    assert_eq!(
        text,
        format!(
            "**Start time:** 5 May 2025, 10:00AM (UTC)  \n**Severity:** high  \n\
        **full_query:** `up == 0`  \n**Monitoring tool:** Prometheus  \n\
        **Description:** /label \\~x \\@root  \n\
        **Alert:** {}/acme/anvil/-/alert_management/1/details\n\n---\n\n\
        ## Steps\n&#47;close\n&#64;root look",
            t.url()
        )
    );
    assert_eq!(t.admin().get("/todos").await.is(200).json(), json!([]));
    assert_eq!(desk.only_alert().await["issue_iid"], 1);
    assert_eq!(desk.notes(&t, 1).await[1], "created incident #1 for this alert");

    desk.send_group(json!([item("a", "firing")])).await.is(200);
    t.settle().await;
    assert_eq!(t.admin().get(desk.project.at("/issues")).await.is(200).each("iid"), [1]);
    desk.send_group(json!([item("a", "resolved")])).await.is(200);
    t.settle().await;
    assert_eq!(
        t.admin().get(desk.project.at("/issues/1")).await.is(200).json()["state"],
        "closed"
    );
    let notes = t.admin().get(desk.project.at("/issues/1/notes")).await.is(200);
    assert!(notes.text().contains("because the alert ^alert#1 was resolved"), "{notes:?}");
}

#[testkit::story]
async fn editing_an_incident_later_calls_and_commands_nothing(t: testkit::TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    let mut firing = item("a", "firing");
    firing["annotations"]["service_incident_markdown"] = json!("/close\n  /due tomorrow\n@root");
    firing["annotations"]["description"] = json!("@root\n/close");
    desk.send_group(json!([firing])).await.is(200);
    let jane = t.user("jane").await;
    desk.project.add(&jane, 30).await;
    jane.post(format!("{}/issue", desk.alert(1))).await.is(201);
    let issue = desk.project.at("/issues/1");
    let text = jane.get(&issue).await.is(200).json()["description"]
        .as_str()
        .unwrap()
        .to_owned();
    let edited = json!({"description": format!("{text}\n\nseen")});
    let after = jane.put(&issue).json(&edited).await.is(200).json();
    assert_eq!((&after["state"], &after["due_date"]), (&json!("opened"), &json!(null)));
    assert_eq!(t.admin().get("/todos").await.is(200).json(), json!([]));
}

#[testkit::story]
async fn settings_say_what_happens(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let path = desk.project.at("/alert_management/settings");
    assert_eq!(
        t.admin().get(&path).await.is(200).json(),
        json!({"create_issue": false,
        "issue_template_key": null, "send_email": false, "auto_close_incident": true,
        "external_tool_enabled": false, "external_tool_url": null})
    );
    let refused = t.admin().put(&path).json(&json!({"issue_template_key": "none"})).await.is(400);
    assert_eq!(refused.json()["message"]["issue_template_key"], json!(["not found"]));
    desk.wants(json!({"create_issue": true, "auto_close_incident": false})).await;
    let sent = json!({"severity": "info", "fingerprint": "f"});
    desk.send(sent).await.is(200);
    t.settle().await;
    let issue = t.admin().get(desk.project.at("/issues/1")).await.is(200).json();
    assert_eq!(
        (&issue["title"], &issue["severity"]),
        (&json!("New: Incident 1"), &json!("unknown"))
    );
    desk.send(json!({"fingerprint": "f", "end_time": "2025-05-05"})).await.is(200);
    t.settle().await;
    assert_eq!(t.admin().get(desk.project.at("/issues/1")).await.json()["state"], "opened");
}

#[testkit::story]
async fn what_is_over_at_once_makes_no_incident(t: testkit::TestServer) {
    let desk = Desk::metrics(&t, "acme/anvil").await;
    desk.wants(json!({"create_issue": true, "send_email": true})).await;
    desk.send_group(json!([item("a", "firing"), item("a", "resolved")]))
        .await
        .is(200);
    t.settle().await;
    assert_eq!(t.admin().get(desk.project.at("/issues")).await.is(200).json(), json!([]));
    assert!(t.app().mailer().sent().is_empty());
}

#[testkit::story]
async fn closing_the_incident_resolves_the_alert(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "a", "fingerprint": "f"})).await.is(200);
    let jane = t.user("jane").await;
    desk.project.add(&jane, 30).await;
    let made = jane.post(format!("{}/issue", desk.alert(1))).await.is(201).json();
    assert_eq!(made["issue_iid"], 1);
    let twice = jane.post(format!("{}/issue", desk.alert(1))).await.is(400);
    assert_eq!(twice.json()["message"]["issue"], json!(["An issue already exists"]));
    let issue = desk.project.at("/issues/1");
    assert_eq!(jane.get(&issue).await.is(200).json()["author"]["username"], "jane");
    jane.put(&issue).json(&json!({"state_event": "close"})).await.is(200);
    let alert = desk.only_alert().await;
    assert_eq!((&alert["status"], alert["ended_at"].is_string()), (&json!("resolved"), true));
    assert_eq!(
        desk.notes(&t, 1).await[2],
        "changed the status to **Resolved** by closing issue #1"
    );
    // Otherwise the two are apart.
    jane.put(&issue).json(&json!({"state_event": "reopen"})).await.is(200);
    assert_eq!(desk.only_alert().await["status"], "resolved");
    jane.put(desk.alert(1)).json(&json!({"status": "triggered"})).await.is(200);
    jane.put(desk.alert(1)).json(&json!({"status": "resolved"})).await.is(200);
    t.settle().await;
    assert_eq!(jane.get(&issue).await.json()["state"], "opened");
}

#[testkit::story]
async fn owners_and_maintainers_are_mailed_once(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let (jane, carl, dora) = (t.user("jane").await, t.user("carl").await, t.user("dora").await);
    desk.project.add(&jane, 40).await;
    desk.project.add(&carl, 30).await;
    t.group("acme").await.add(&dora, 50).await;
    desk.wants(json!({"send_email": true})).await;
    t.settle().await;
    let before = t.app().mailer().sent().len();
    let fire =
        json!({"title": "Disk\r\nBcc: evil@example.com", "fingerprint": "f", "hosts": ["h"]});
    for _ in 0..3 {
        desk.send(fire.clone()).await.is(200);
        t.settle().await;
    }
    let to = |mails: &[kernel::mail::Message]| {
        let mut to: Vec<String> = mails.iter().map(|mail| mail.to.clone()).collect();
        to.retain(|to| to.contains("example.com"));
        to.sort();
        to
    };
    let mails = t.app().mailer().sent().split_off(before);
    let people = to(&mails);
    assert!(
        people.contains(&"dora@example.com".into()) && people.contains(&"jane@example.com".into())
    );
    assert!(!people.contains(&"carl@example.com".into()));
    assert_eq!(people.iter().filter(|to| to.starts_with("jane")).count(), 1);
    assert!(mails.iter().all(|mail| !mail.subject.contains('\n')));
    assert!(mails[0].text.contains("Hosts: h"), "{}", mails[0].text);
    desk.send(json!({"fingerprint": "f", "end_time": "2025-05-05"})).await.is(200);
    t.settle().await;
    let mails = t.app().mailer().sent().split_off(before + mails.len());
    assert_eq!(to(&mails).iter().filter(|to| to.starts_with("jane")).count(), 1);
    assert!(mails[0].subject.contains("Resolved"));
}

#[testkit::story]
async fn too_many_incidents_are_spam(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    let jane = t.user("jane").await;
    desk.project.add(&jane, 30).await;
    for title in ["a", "b", "c", "d"] {
        desk.send(json!({"title": title})).await.is(200);
    }
    administer(&t, json!({"spam_rate_limit_per_minute": 1})).await;
    jane.post(format!("{}/issue", desk.alert(1))).await.is(201);
    let refused = jane.post(format!("{}/issue", desk.alert(2))).await.is(400).json();
    assert_eq!(
        refused["message"]["error"],
        "Your issue has been recognized as spam and has been discarded."
    );
    let query =
        "mutation{it:createAlertIssue(input:{projectPath:\"acme/anvil\",iid:\"3\"}){errors}}";
    let answer = crate::alerts::graphql::ask(&jane, query).await;
    assert!(answer.to_string().contains("recognized as spam"), "{answer}");
    let path = "/acme/anvil/-/alert_management/4/incident";
    let shown = t.browser("jane").await.post(path, &[]).await.is(422).text();
    assert!(shown.contains("recognized as spam"), "{shown}");
    assert_eq!(jane.get(desk.project.at("/issues")).await.is(200).each("iid"), [1]);
    // Those who may not make any are not judged first.
    jane.post(format!("{}/issue", desk.alert(1))).await.is(400).json()["message"]["issue"]
        .as_array()
        .unwrap();
}

#[testkit::story]
async fn people_say_how_far_they_are_with_an_incident(t: testkit::TestServer) {
    let desk = Desk::new(&t, "acme/anvil").await;
    desk.send(json!({"title": "a", "fingerprint": "f"})).await.is(200);
    let (jane, rita) = (t.user("jane").await, t.user("rita").await);
    desk.project.add(&jane, 30).await;
    desk.project.add(&rita, 20).await;
    jane.post(format!("{}/issue", desk.alert(1))).await.is(201);
    jane.post(desk.project.at("/issues"))
        .json(&json!({"title": "no incident"}))
        .await
        .is(201);
    let status = async |iid: &str| {
        let field = format!("issue(iid:\"{iid}\"){{escalationStatus}}");
        of_project(&jane, &field).await["escalationStatus"].clone()
    };
    assert_eq!((status("1").await, status("2").await), (json!("TRIGGERED"), json!(null)));
    let set = |iid: &str, to: &str| format!("projectPath:\"acme/anvil\",iid:\"{iid}\",status:{to}");
    let name = "issueSetEscalationStatus";
    let done = done(&jane, name, &set("1", "ACKNOWLEDGED"), "issue{escalationStatus}").await;
    assert_eq!(done, json!({"errors": [], "issue": {"escalationStatus": "ACKNOWLEDGED"}}));
    refused(&rita, name, &set("1", "RESOLVED")).await;
    refused(&t.anonymous(), name, &set("1", "RESOLVED")).await;
    let wrong =
        crate::alerts::graphql::done(&jane, name, &set("2", "RESOLVED"), "issue{iid}").await;
    assert_eq!(
        wrong,
        json!({"errors": ["Escalation status is only for incidents"], "issue": null})
    );
    // The alert is apart from it.
    assert_eq!(desk.only_alert().await["status"], "triggered");
    let issue = desk.project.at("/issues/1");
    let notes = async || jane.get(format!("{issue}/notes?sort=asc")).await.is(200).each("body");
    assert!(
        notes()
            .await
            .contains(&json!("changed the incident status to **Acknowledged**"))
    );

    let page = "/acme/anvil/-/issues/1";
    let browser = t.browser("jane").await;
    let (_, shown) = browser
        .submit(page, &[("action", "status"), ("escalation_status", "triggered")])
        .await;
    assert!(shown.contains("Incident status") && shown.contains("Issue updated."), "{shown}");
    assert_eq!(status("1").await, "TRIGGERED");
    let reader = t.browser("rita").await;
    assert!(!reader.get(page).await.is(200).text().contains("name=\"escalation_status\""));
    reader
        .post(page, &[("action", "status"), ("escalation_status", "resolved")])
        .await
        .is(403);

    jane.put(&issue).json(&json!({"state_event": "close"})).await.is(200);
    assert_eq!(status("1").await, "RESOLVED");
    assert!(
        notes().await.contains(&json!(
            "changed the incident status to **Resolved** by closing the incident"
        ))
    );
    assert_eq!(desk.only_alert().await["status"], "resolved");
    jane.put(&issue).json(&json!({"state_event": "reopen"})).await.is(200);
    assert_eq!(status("1").await, "RESOLVED", "it stays until somebody says otherwise");
}
