//! One epic: made, shown, changed, closed and removed.

use super::made;
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn an_epic_is_made_shown_changed_and_removed(t: TestServer) {
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    group.add(&jane, 50).await;
    let body = json!({
        "title": " Ship it ", "description": "**soon**", "color": "red", "labels": "bug,feature",
        "start_date_fixed": "2031-01-01", "start_date_is_fixed": true,
        "due_date_fixed": "2031-02-01T10:00:00Z", "due_date_is_fixed": true,
    });

    let epic = made(&jane, &group, body).await;

    let (id, base) = (epic["id"].as_i64().unwrap(), t.app().base_url().to_owned());
    let expected = [
        ("work_item_id", json!(id + (1_i64 << 40))),
        ("iid", json!(1)),
        ("color", json!("#ff0000")),
        ("text_color", json!("#FFFFFF")),
        ("group_id", json!(group.id)),
        ("parent_id", Value::Null),
        ("parent_iid", Value::Null),
        ("imported", json!(false)),
        ("imported_from", json!("none")),
        ("title", json!("Ship it")),
        ("description", json!("**soon**")),
        ("confidential", json!(false)),
        ("start_date", json!("2031-01-01")),
        ("start_date_is_fixed", json!(true)),
        ("start_date_fixed", json!("2031-01-01")),
        ("start_date_from_inherited_source", Value::Null),
        ("start_date_from_milestones", Value::Null),
        ("end_date", json!("2031-02-01")),
        ("due_date", json!("2031-02-01")),
        ("due_date_is_fixed", json!(true)),
        ("due_date_fixed", json!("2031-02-01")),
        ("state", json!("opened")),
        ("web_url", json!(format!("{base}/groups/acme/-/epics/1"))),
        ("references", json!({"short": "&1", "relative": "&1", "full": "acme&1"})),
        ("reference", json!("&1")),
        ("closed_at", Value::Null),
        ("labels", json!(["bug", "feature"])),
        ("upvotes", json!(0)),
        ("downvotes", json!(0)),
        ("subscribed", json!(true)),
        (
            "_links",
            json!({
                "self": format!("{base}/api/v4/groups/{}/epics/1", group.id),
                "epic_issues": format!("{base}/api/v4/groups/{}/epics/1/issues", group.id),
                "group": format!("{base}/api/v4/groups/{}", group.id),
                "parent": null,
            }),
        ),
    ];
    for (field, value) in expected {
        assert_eq!(epic[field], value, "{field}");
    }
    assert_eq!(epic["author"]["username"], "jane");
    assert_eq!(jane.get(group.at("/epics/1")).await.is(200).json(), epic);
    assert_eq!(jane.get(group.at("/-/epics/1")).await.is(200).json(), epic);
    // The labels are the group's now.
    let labels = jane.get(group.at("/labels")).await.is(200);
    assert_eq!(labels.each("name"), [json!("bug"), json!("feature")]);

    let change = json!({"title": "Shipped", "description": "", "add_labels": "late",
        "remove_labels": "bug", "color": "#abc", "due_date_is_fixed": false});
    let changed = jane.put(group.at("/epics/1")).json(&change).await.is(200).json();
    assert_eq!(changed["title"], "Shipped");
    assert_eq!(changed["description"], Value::Null);
    assert_eq!(changed["labels"], json!(["feature", "late"]));
    assert_eq!(changed["color"], "#aabbcc");
    assert_eq!(changed["text_color"], "#1F1E24");
    assert_eq!(
        (&changed["due_date"], &changed["due_date_fixed"]),
        (&Value::Null, &json!("2031-02-01"))
    );
    let bare = jane.put(group.at("/epics/1")).json(&json!({"labels": ""})).await.is(200);
    assert_eq!(bare.json()["labels"], json!([]));

    let closed = jane.put(group.at("/epics/1?state_event=close")).await.is(200).json();
    assert_eq!(closed["state"], "closed");
    assert!(closed["closed_at"].is_string());
    let reopened = jane.put(group.at("/epics/1?state_event=reopen")).await.is(200).json();
    assert_eq!((&reopened["state"], &reopened["closed_at"]), (&json!("opened"), &Value::Null));

    jane.delete(group.at("/epics/1")).await.is(204);
    let gone = jane.get(group.at("/epics/1")).await.is(404);
    assert_eq!(gone.json()["message"], "404 Not found");
    // A number is used once.
    assert_eq!(made(&jane, &group, json!({"title": "next"})).await["iid"], 2);
}

#[testkit::story]
async fn dates_by_their_older_names_are_fixed_ones(t: TestServer) {
    let group = t.group("acme").await;
    let body = json!({"title": "x", "start_date": "2031-01-01", "end_date": "2031-02-01"});
    let epic = made(&t.admin(), &group, body).await;
    for (field, value) in [
        ("start_date", json!("2031-01-01")),
        ("start_date_fixed", json!("2031-01-01")),
        ("start_date_is_fixed", json!(true)),
        ("due_date", json!("2031-02-01")),
        ("due_date_is_fixed", json!(true)),
    ] {
        assert_eq!(epic[field], value, "{field}");
    }
}

#[testkit::story]
async fn times_are_set_by_owners_alone(t: TestServer) {
    let group = t.group("acme").await;
    let (owner, reporter) = (t.user("owner").await, t.user("reporter").await);
    group.add(&owner, 50).await;
    group.add(&reporter, 20).await;
    let body = json!({"title": "x", "created_at": "2020-01-01T00:00:00Z"});
    let early = made(&owner, &group, body.clone()).await;
    assert_eq!(early["created_at"], "2020-01-01T00:00:00.000Z");
    let now = made(&reporter, &group, body).await;
    assert_ne!(now["created_at"], "2020-01-01T00:00:00.000Z");
    let change = json!({"title": "y", "updated_at": "2020-02-01T00:00:00Z"});
    let changed = owner.put(group.at("/epics/1")).json(&change).await.is(200);
    assert_eq!(changed.json()["updated_at"], "2020-02-01T00:00:00.000Z");
    let ignored = reporter.put(group.at("/epics/1")).json(&change).await.is(200);
    assert_ne!(ignored.json()["updated_at"], "2020-02-01T00:00:00.000Z");
}

#[testkit::story]
async fn bad_input_is_refused_in_words(t: TestServer) {
    let group = t.group("acme").await;
    let admin = t.admin();
    made(&admin, &group, json!({"title": "x"})).await;
    let post = |body: Value| admin.post(group.at("/epics")).json(&body);
    let missing = post(json!({})).await.is(400).json();
    assert_eq!(missing["error"], "title is missing");
    for (body, field) in [
        (json!({"title": " "}), "title"),
        (json!({"title": "x".repeat(256)}), "title"),
        (json!({"title": "x", "description": "x".repeat(1_000_001)}), "description"),
        (json!({"title": "x", "color": "no colour"}), "color"),
        (json!({"title": "x", "parent_id": 999_999}), "parent_id"),
        (
            json!({"title": "x", "start_date": "2031-02-01", "end_date": "2031-01-01"}),
            "due_date",
        ),
    ] {
        let refused = post(body).await.is(400).json();
        assert!(refused["message"][field].is_array(), "{refused}");
    }
    for body in [
        json!({"title": "x", "confidential": "perhaps"}),
        json!({"title": "x", "start_date_fixed": "soon"}),
        json!({"title": "x", "parent_id": "1.5"}),
        json!({"title": "x", "parent_id": "99999999999999999999999"}),
    ] {
        post(body).await.is(400);
    }
    let change = |query: &str| admin.put(group.at(&format!("/epics/1{query}")));
    let nothing = change("?updated_at=2020-01-01").await.is(400);
    assert!(nothing.text().contains("at least one parameter must be provided"));
    change("?state_event=burn").await.is(400);
    for iid in ["0", "-1", "99", "99999999999999999999", "1.5", "x", "%00", "..%2f"] {
        let reply = admin.get(group.at(&format!("/epics/{iid}"))).await;
        assert!([400, 404].contains(&reply.status), "{iid}: {reply:?}");
    }
    for path in ["/groups/%00/epics", "/groups/acme%252Fx/epics", "/groups/99999/epics"] {
        let reply = admin.get(path).await;
        assert!([400, 404].contains(&reply.status), "{path}: {reply:?}");
    }
}

#[testkit::story]
async fn a_subscription_and_a_todo_are_the_callers_own(t: TestServer) {
    let group = t.group("acme").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    group.add(&jane, 20).await;
    group.add(&joe, 10).await;
    let epic = made(&jane, &group, json!({"title": "x", "description": "ask @joe"})).await;

    let todos = joe.get("/todos?type=Epic").await.is(200).json();
    assert_eq!(todos[0]["target_type"], "Epic");
    assert_eq!(todos[0]["action_name"], "mentioned");
    assert_eq!(todos[0]["target"]["id"], epic["id"]);
    assert_eq!(todos[0]["target_url"], epic["web_url"]);
    assert_eq!(todos[0]["group"]["full_path"], "acme");
    let below = format!("/todos?group_id={}", group.id);
    assert_eq!(joe.get(below).await.is(200).json().as_array().unwrap().len(), 1);
    joe.post(group.at("/epics/1/todo")).await.is(201);
    joe.post(group.at("/epics/1/todo")).await.is(304);

    let seen = joe.get(group.at("/epics/1")).await.is(200).json();
    assert_eq!(seen["subscribed"], false);
    let subscribed = joe.post(group.at("/epics/1/subscribe")).await.is(201).json();
    assert_eq!(subscribed["subscribed"], true);
    joe.post(group.at("/epics/1/subscribe")).await.is(304);
    joe.post(group.at("/epics/1/unsubscribe")).await.is(201);

    // Hidden, it is nobody's to do.
    jane.put(group.at("/epics/1?confidential=true")).await.is(200);
    assert_eq!(joe.get("/todos").await.is(200).json(), json!([]));
    jane.put(group.at("/epics/1?confidential=false")).await.is(200);
    t.admin().delete(group.at("/epics/1")).await.is(204);
    assert_eq!(joe.get("/todos").await.is(200).json(), json!([]));
}

#[testkit::story]
async fn spam_makes_no_epic(t: TestServer) {
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    group.add(&jane, 30).await;
    let rules = json!({"spam_blocked_domains": ["spam.example"]});
    t.admin().put("/application/settings").json(&rules).await.is(200);
    let spam = "https://spam.example/buy";
    let cheap = json!({"title": "Cheap", "description": spam});
    let refused = jane.post(group.at("/epics")).json(&cheap).await.is(400);
    assert_eq!(
        refused.json()["message"]["error"],
        "Your epic has been recognized as spam and has been discarded."
    );
    let epic = made(&jane, &group, json!({"title": "Ship"})).await;
    for change in [json!({"description": spam}), json!({"title": spam})] {
        jane.put(group.at("/epics/1")).json(&change).await.is(400);
    }
    jane.post(group.at("/epics/1/epics"))
        .json(&json!({"title": spam}))
        .await
        .is(400);
    let notes = group.at(&format!("/epics/{}/notes", epic["id"]));
    jane.post(notes).json(&json!({"body": spam})).await.is(400);
    // Who may not write there is told that, and nothing of the text.
    let guest = t.user("guest").await;
    group.add(&guest, 10).await;
    guest.post(group.at("/epics")).json(&cheap).await.is(403);
    guest.put(group.at("/epics/1")).json(&json!({"title": spam})).await.is(403);
    assert_eq!(jane.get(group.at("/epics")).await.is(200).each("title"), ["Ship"]);
    // What writes no text is not judged.
    jane.put(group.at("/epics/1?state_event=close")).await.is(200);
}
