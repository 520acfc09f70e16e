//! What is said of merge requests elsewhere, in their code and of the whole.

use super::{CHANGED, CREATED, Forge, GONE, discussions, note, person};
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story]
async fn threads_stand_on_their_lines(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let at = |spot: Value| {
        let mut all = json!({"new_path": "list.txt"});
        for (key, value) in spot.as_object().expect("fields") {
            all[key] = value.clone();
        }
        json!({"spot": all})
    };
    forge.bring(&t, json!([forge.anvil(json!({}))])).await;
    let answer = json!({"thread": "added", "author": person("jones")});
    let mut settled = at(json!({"old_line": 2}));
    settled["resolved_at"] = json!(CHANGED);
    settled["resolved_by"] = person("smith");
    let lines = json!({"new_line": 3, "old_line": 3, "first_new_line": 2});
    forge
        .bring(
            &t,
            json!([
                note("added", at(json!({"new_line": 2}))),
                note("answer", answer),
                note("removed", settled),
                note("same", at(json!({"old_line": 5}))),
                note("lines", at(lines)),
                note("older", at(json!({"head": &forge.first[..10], "new_line": 2}))),
                note("outdated", at(json!({"head": forge.first, "new_line": 10}))),
                note("file", at(json!({}))),
                note("lost", at(json!({"head": GONE, "new_line": 4}))),
                note("far", at(json!({"new_line": 99}))),
            ]),
        )
        .await;

    let found = discussions(&forge).await;
    let place = |key: &str| found[&format!("Note {key}")]["notes"][0]["position"].clone();
    let lines = |key: &str| (place(key)["old_line"].clone(), place(key)["new_line"].clone());
    let number = |line: i64| json!(line);
    assert_eq!(lines("added"), (Value::Null, number(2)));
    assert_eq!(lines("removed"), (number(2), Value::Null));
    assert_eq!(lines("same"), (number(5), number(5)));
    assert_eq!(lines("lines"), (number(3), number(3)));
    assert_eq!(place("lines")["line_range"]["start"]["new_line"], 2);
    assert_eq!(place("file")["position_type"], "file");
    // What is still there is there in the newest version, and the rest where it was.
    assert_eq!(
        (lines("older"), &place("older")["head_sha"]),
        ((Value::Null, number(2)), &json!(forge.second))
    );
    assert_eq!(
        (lines("outdated"), &place("outdated")["head_sha"]),
        ((number(10), number(10)), &json!(forge.first))
    );
    let answers = &found["Note added"]["notes"];
    assert_eq!(answers.as_array().map(Vec::len), Some(2), "{answers}");
    assert_eq!(
        (&answers[1]["body"], &answers[1]["type"]),
        (&json!("Note answer"), &json!("DiffNote"))
    );
    let settled = &found["Note removed"]["notes"][0];
    assert_eq!(
        (&settled["resolved"], &settled["resolved_by"]["username"]),
        (&json!(true), &json!("smith"))
    );
    assert_eq!(found["Note added"]["notes"][0]["resolved"], false);
    for (key, line) in [("lost", 4), ("far", 99)] {
        let plain = &found[&format!("*On line {line} of* `list.txt`:\n\nNote {key}")];
        assert_eq!(plain["notes"][0]["position"], Value::Null, "{plain}");
    }
    let page = t.browser("smith").await;
    let text = page.get("/acme/forge/-/merge_requests/7/diffs").await.is(200).text();
    assert!(text.contains("Note added"), "{text}");
    let shown = forge.shown(7).await;
    assert_eq!(
        (&shown["user_notes_count"], &shown["updated_at"]),
        (&json!(10), &json!("2020-02-03T04:05:06.000Z"))
    );
}

#[testkit::story]
async fn reviews_and_events_are_told_as_those_of_here(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let review = |key: &str, by: &str, state: &str, text: &str| {
        json!({"type": "review", "number": 7, "key": key, "by": person(by), "state": state,
            "text": text, "at": CREATED})
    };
    let event = |key: &str, what: Value| {
        json!({"type": "event", "key": key, "on": {"kind": "merge_request", "number": 7},
            "by": person("smith"), "at": CREATED, "what": what})
    };
    let on = json!({"kind": "merge_request", "number": 7});
    forge
        .bring(
            &t,
            json!([
                forge.anvil(json!({"state": "closed", "closed_at": CHANGED})),
                review("1", "jones", "requested_changes", "Too cold"),
                review("2", "kim", "approved", ""),
                review("3", "kim", "reviewed", "Nice"),
                review("4", "jones", "unreviewed", ""),
                review("5", "smith", "reviewed", "Thanks"),
                {"type": "note", "on": on, "key": "n1", "author": null, "text": "Plain",
                    "created_at": CREATED, "updated_at": CREATED},
                event("e1", json!({"event": "label_added", "label": "iron"})),
                event("e2", json!({"event": "milestone_added", "title": "Spring"})),
                event("e3", json!({"event": "told", "text": "changed title"})),
                event("e4", json!({"event": "closed"})),
            ]),
        )
        .await;

    let reviewers = forge.smith.get(forge.at(7, "/reviewers")).await.is(200);
    let mut states: Vec<String> = reviewers
        .each("state")
        .iter()
        .map(|state| state.as_str().unwrap().to_owned())
        .collect();
    states.sort();
    assert_eq!(states, ["approved", "requested_changes"]);
    let approvals = forge.smith.get(forge.at(7, "/approvals")).await.is(200).json();
    assert_eq!(approvals["approved_by"].as_array().map(Vec::len), Some(1), "{approvals}");
    let notes = forge
        .smith
        .get(forge.at(7, "/notes?sort=asc&order_by=created_at"))
        .await
        .is(200);
    let mut texts: Vec<String> = notes
        .each("body")
        .iter()
        .map(|text| text.as_str().unwrap().to_owned())
        .collect();
    texts.sort();
    assert_eq!(
        texts,
        [
            "Nice",
            "Plain",
            "Thanks",
            "Too cold",
            "changed milestone to %\"Spring\"",
            "changed title",
            "closed"
        ]
    );
    let states = forge.smith.get(forge.at(7, "/resource_state_events")).await.is(200);
    assert_eq!(states.each("state"), [json!("closed")]);
    let labels = forge.smith.get(forge.at(7, "/resource_label_events")).await.is(200);
    assert_eq!(labels.json()[0]["label"]["name"], "iron");
    let goals = forge.smith.get(forge.at(7, "/resource_milestone_events")).await.is(200);
    assert_eq!(goals.each("action"), [json!("add")]);
    let shown = forge.shown(7).await;
    assert_eq!(
        (&shown["state"], &shown["closed_by"]["username"]),
        (&json!("closed"), &json!("smith"))
    );
}
