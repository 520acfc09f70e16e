//! Dates that epics inherit from what is below them.

use super::made;
use serde_json::{Value, json};
use testkit::{Client, TestGroup, TestServer};

async fn span(client: &Client, group: &TestGroup, iid: i64) -> (Value, Value) {
    let epic = client.get(group.at(&format!("/epics/{iid}"))).await.is(200).json();
    (epic["start_date"].clone(), epic["due_date"].clone())
}

#[testkit::story]
async fn dates_follow_issues_milestones_and_epics_below(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let admin = t.admin();
    let top = made(&admin, &group, json!({"title": "top"})).await;
    let middle = made(&admin, &group, json!({"title": "middle", "parent_id": top["id"]})).await;
    let goal = json!({"title": "1.0", "start_date": "2031-03-01", "due_date": "2031-04-01"});
    let goal = admin.post(project.at("/milestones")).json(&goal).await.is(201).id();
    let body = json!({"title": "work", "milestone_id": goal, "epic_id": middle["id"]});
    admin.post(project.at("/issues")).json(&body).await.is(201);

    let day = |text: &str| json!(text);
    let both = |start: &str, due: &str| (day(start), day(due));
    assert_eq!(span(&admin, &group, 2).await, both("2031-03-01", "2031-04-01"));
    assert_eq!(span(&admin, &group, 1).await, both("2031-03-01", "2031-04-01"));
    let shown = admin.get(group.at("/epics/2")).await.is(200).json();
    assert_eq!(shown["start_date_from_milestones"], "2031-03-01");
    assert_eq!(shown["due_date_from_inherited_source"], "2031-04-01");
    assert_eq!(shown["start_date_is_fixed"], false);

    // An issue is due later than its milestone.
    admin.put(project.at("/issues/1?due_date=2031-05-01")).await.is(200);
    assert_eq!(span(&admin, &group, 1).await, both("2031-03-01", "2031-05-01"));
    // The milestone begins earlier.
    let milestone = project.at(&format!("/milestones/{goal}"));
    admin.put(&milestone).json(&json!({"start_date": "2031-02-01"})).await.is(200);
    assert_eq!(span(&admin, &group, 1).await, both("2031-02-01", "2031-05-01"));
    // What is fixed below counts, and nothing below that.
    let fixed = json!({"start_date_fixed": "2031-01-15", "start_date_is_fixed": true});
    admin.put(group.at("/epics/2")).json(&fixed).await.is(200);
    assert_eq!(span(&admin, &group, 1).await, both("2031-01-15", "2031-05-01"));
    admin.put(group.at("/epics/2?start_date_is_fixed=false")).await.is(200);
    // The milestone goes.
    admin.delete(&milestone).await.is(204);
    assert_eq!(span(&admin, &group, 1).await, (Value::Null, day("2031-05-01")));
    // So does the issue, and it takes its day along.
    admin.delete(project.at("/issues/1")).await.is(204);
    assert_eq!(span(&admin, &group, 1).await, (Value::Null, Value::Null));
}

#[testkit::story]
async fn what_leaves_an_epic_takes_its_dates_along(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let admin = t.admin();
    let top = made(&admin, &group, json!({"title": "top"})).await;
    let fixed = json!({"title": "below", "parent_id": top["id"], "due_date": "2031-01-01",
        "due_date_fixed": "2031-06-01", "due_date_is_fixed": true});
    let below = made(&admin, &group, fixed).await;
    let body = json!({"title": "work", "due_date": "2031-07-01", "epic_id": top["id"]});
    let issue = admin.post(project.at("/issues")).json(&body).await.is(201).json();
    assert_eq!(span(&admin, &group, 1).await.1, "2031-07-01");

    admin.put(project.at("/issues/1?epic_id=0")).await.is(200);
    assert_eq!(span(&admin, &group, 1).await.1, "2031-06-01");
    let child = group.at(&format!("/epics/1/epics/{}", below["id"]));
    admin.delete(&child).await.is(200);
    assert_eq!(span(&admin, &group, 1).await.1, Value::Null);
    admin.post(&child).await.is(201);
    assert_eq!(span(&admin, &group, 1).await.1, "2031-06-01");
    admin.delete(group.at("/epics/2")).await.is(204);
    assert_eq!(span(&admin, &group, 1).await.1, Value::Null);

    // With a project go its issues.
    admin.post(group.at(&format!("/epics/1/issues/{}", issue["id"]))).await.is(201);
    assert_eq!(span(&admin, &group, 1).await.1, "2031-07-01");
    admin.delete(project.at("")).await;
    t.settle().await;
    assert_eq!(span(&admin, &group, 1).await.1, Value::Null);
}
