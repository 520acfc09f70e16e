//! Quick actions in notes about epics and in their descriptions.

use super::{made, several};
use serde_json::{Value, json};
use testkit::{Client, TestGroup, TestServer};

/// Writes a note that holds commands alone; what they did.
async fn carried_out(by: &Client, group: &TestGroup, epic: &Value, text: &str) -> Value {
    let path = group.at(&format!("/epics/{}/notes", epic["id"]));
    by.post(path).json(&json!({"body": text})).await.is(202).json()
}

#[testkit::story]
async fn commands_change_epics(t: TestServer) {
    let group = t.group("acme").await;
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    let epic = made(&jane, &group, json!({"title": "Ship", "labels": "old"})).await;
    let act = async |text: &str| carried_out(&jane, &group, &epic, text).await;
    let seen = async || jane.get(group.at("/epics/1")).await.is(200).json();

    let done = act("/title Ship it\n/label ~bug ~\"two words\"\n/unlabel ~old").await;
    assert_eq!(
        done["commands_changes"],
        json!({"title": "Ship it", "add_label_ids": ["bug", "two words"],
            "remove_label_ids": ["old"]})
    );
    assert_eq!(done["summary"][0], "Changed the title to \"Ship it\".");
    let shown = seen().await;
    assert_eq!(
        (&shown["title"], &shown["labels"]),
        (&json!("Ship it"), &json!(["bug", "two words"]))
    );
    act("/relabel ~blue").await;
    assert_eq!(seen().await["labels"], json!(["blue"]));
    act("/unlabel").await;
    assert_eq!(seen().await["labels"], json!([]));

    let done = act("/close").await;
    assert_eq!(
        done,
        json!({"commands_changes": {"state_event": "close"}, "summary": ["Closed this epic."]})
    );
    assert_eq!(seen().await["state"], "closed");
    act("/reopen\n/confidential\n/award :rocket:").await;
    let shown = seen().await;
    assert_eq!((&shown["state"], &shown["confidential"]), (&json!("opened"), &json!(true)));
    assert_eq!(
        jane.get(group.at("/epics/1/award_emoji")).await.is(200).each("name"),
        ["rocket"]
    );
    act("/unsubscribe\n/todo").await;
    assert_eq!(seen().await["subscribed"], false);
    assert_eq!(jane.get("/todos").await.is(200).each("target_type"), ["Epic"]);
    act("/subscribe\n/done").await;
    assert_eq!(seen().await["subscribed"], true);
    assert_eq!(jane.get("/todos").await.is(200).json(), json!([]));

    // What says something beside is a note; what is none of an epic is skipped.
    let path = group.at(&format!("/epics/{}/notes", epic["id"]));
    let body = json!({"body": "Done.\n/close\n/assign me\n/milestone %1\n/promote"});
    let note = jane.post(&path).json(&body).await.is(201).json();
    assert_eq!(
        (&note["body"], &note["commands_changes"]),
        (&json!("Done."), &json!({"state_event": "close"}))
    );
    assert_eq!(act("/due tomorrow\n/title").await["commands_changes"], json!({}));
}

#[testkit::story]
async fn commands_put_epics_below_and_beside_others(t: TestServer) {
    let (group, below) = (t.group("acme").await, t.group("acme/tools").await);
    let jane = t.user("jane").await;
    group.add(&jane, 20).await;
    let epics = several(&jane, &group, &["one", "two", "three"]).await;
    made(&jane, &below, json!({"title": "four"})).await;
    let act = async |text: &str| carried_out(&jane, &group, &epics[0], text).await;
    let seen = async |path: &str| jane.get(group.at(path)).await.is(200);

    let done = act("/parent_epic &2\n/child_epic acme/tools&1").await;
    assert_eq!(done["commands_changes"]["parent_id"], epics[1]["id"], "{done}");
    assert_eq!(seen("/epics/1").await.json()["parent_iid"], 2);
    assert_eq!(seen("/epics/1/epics").await.each("title"), ["four"]);
    act("/remove_parent_epic\n/remove_child_epic acme/tools&1").await;
    assert_eq!(seen("/epics/1").await.json()["parent_id"], Value::Null);
    assert_eq!(seen("/epics/1/epics").await.json(), json!([]));
    act("/relate &2 acme/tools&1\n/blocked_by &3").await;
    assert_eq!(
        seen("/epics/1/related_epics").await.each("link_type"),
        ["relates_to", "relates_to", "is_blocked_by"]
    );

    // In a description, too; it keeps the rest.
    let text = "Why.\n/label ~x\n/parent_epic &2\n/blocks &1";
    let new = made(&jane, &group, json!({"title": "five", "description": text})).await;
    assert_eq!(new["description"], "Why.");
    let shown = seen("/epics/4").await.json();
    assert_eq!((&shown["labels"], &shown["parent_iid"]), (&json!(["x"]), &json!(2)));
    assert_eq!(seen("/epics/4/related_epics").await.each("link_type"), ["blocks"]);
    let text = json!({"description": "Why not.\n/close"});
    let edited = jane.put(group.at("/epics/4")).json(&text).await.is(200).json();
    let shown = seen("/epics/4").await.json();
    assert_eq!(
        (&edited["description"], &shown["description"], &shown["state"]),
        (&json!("Why not."), &json!("Why not."), &json!("closed"))
    );
}

#[testkit::story]
async fn commands_do_no_more_than_their_author_may(t: TestServer) {
    let (group, vault) = (t.group("acme").await, t.group("vault").await);
    let (admin, guest) = (t.admin(), t.user("guest").await);
    group.add(&guest, 10).await;
    let epic = made(&admin, &group, json!({"title": "open"})).await;
    made(&admin, &group, json!({"title": "hush", "confidential": true})).await;
    made(&admin, &vault, json!({"title": "far"})).await;
    let refused = "/title Mine\n/close\n/label ~x\n/confidential\n/child_epic &2\n\
        /parent_epic &2\n/remove_parent_epic\n/relate &2\n/relate vault&1\n/blocks &9";
    let done = carried_out(&guest, &group, &epic, refused).await;
    assert_eq!(done, json!({"commands_changes": {}, "summary": []}));
    let shown = admin.get(group.at("/epics/1")).await.is(200).json();
    for field in ["title", "state", "labels", "confidential"] {
        assert_eq!(shown[field], epic[field], "{field}");
    }
    // What concerns them alone they may do.
    let done = carried_out(&guest, &group, &epic, "/subscribe\n/award rocket").await;
    assert_eq!(
        done["summary"],
        json!(["Subscribed to this epic.", "Toggled rocket emoji reaction."])
    );
    // Links to what is hidden are refused like links to what is not there.
    let planner = t.user("planner").await;
    group.add(&planner, 15).await;
    for name in ["&2", "&99", "vault&1", "vault&99", "nowhere&1"] {
        for command in ["parent_epic", "child_epic", "relate", "blocks", "blocked_by"] {
            let done = carried_out(&planner, &group, &epic, &format!("/{command} {name}")).await;
            assert_eq!(done["summary"], json!([]), "{command} {name}");
        }
    }
    // Texts of programs are texts.
    let bot = json!({"name": "bot", "scopes": ["api"], "access_level": 30});
    let token = admin.post(group.at("/access_tokens")).json(&bot).await.is(201).json();
    let bot = t.with_token(token["token"].as_str().expect("a token").to_owned());
    let path = group.at(&format!("/epics/{}/notes", epic["id"]));
    let note = bot.post(path).json(&json!({"body": "/close"})).await.is(201).json();
    assert_eq!(note["body"], "/close");
}
