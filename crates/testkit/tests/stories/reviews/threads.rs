//! Threads of merge requests, in code and elsewhere, and draft notes.

use super::{commit, developer, forge, open};
use serde_json::{Value, json};
use store::sql;
use testkit::{Client, TestProject, TestServer, TestUser};

const NO_LINE: &str =
    "400 Bad request - Note {:line_code=>[\"can't be blank\", \"must be a valid line code\"]}";

/// A merge request that changes the second of five lines, and who wrote it.
async fn changed(t: &TestServer) -> (TestProject, TestUser, String) {
    let project = forge(t).await;
    commit(t, &project, "main", "list.txt", "a\nb\nc\nd\ne\n").await;
    let smith = developer(t, &project, "smith").await;
    rewrite(t, &project, "anvil", "a\nB\nc\nd\ne\n").await;
    open(&smith, &project, "anvil").await;
    t.settle().await;
    let one = project.at("/merge_requests/1");
    (project, smith, one)
}

async fn rewrite(t: &TestServer, project: &TestProject, branch: &str, text: &str) {
    let branches = project.at(&format!("/repository/branches/{branch}"));
    let is_there = t.admin().get(branches).await.status == 200;
    let mut body = json!({"branch": branch, "commit_message": "Change the list", "actions": [
        {"action": "update", "file_path": "list.txt", "content": text}]});
    if !is_there {
        body["start_branch"] = json!("main");
    }
    t.admin().post(project.at("/repository/commits")).json(&body).await.is(201);
}

/// A position in the newest version.
async fn position(client: &Client, one: &str, lines: Value) -> Value {
    let refs = client.get(one).await.is(200).json()["diff_refs"].clone();
    let mut position = json!({"position_type": "text", "old_path": "list.txt",
        "new_path": "list.txt", "base_sha": refs["base_sha"], "start_sha": refs["start_sha"],
        "head_sha": refs["head_sha"]});
    for (key, value) in lines.as_object().expect("lines") {
        position[key] = value.clone();
    }
    position
}

async fn begin(client: &Client, one: &str, lines: Value) -> Value {
    let position = position(client, one, lines).await;
    let body = json!({"body": "<!-- danger -->\nWhy?", "position": position});
    client.post(format!("{one}/discussions")).json(&body).await.is(201).json()
}

#[testkit::story]
async fn notes_stand_on_lines(t: TestServer) {
    let (_, smith, one) = changed(&t).await;
    for (lines, old, new) in [
        (json!({"new_line": 2}), Value::Null, json!(2)),
        (json!({"old_line": "2"}), json!(2), Value::Null),
        (json!({"old_line": 3, "new_line": 3}), json!(3), json!(3)),
        (json!({"new_line": 5}), json!(5), json!(5)),
    ] {
        let made = begin(&smith, &one, lines).await;
        assert_eq!(
            (&made["individual_note"], &made["resolvable"], &made["resolved"]),
            (&json!(false), &json!(true), &json!(false))
        );
        let note = &made["notes"][0];
        assert_eq!(
            (&note["type"], &note["body"]),
            (&json!("DiffNote"), &json!("<!-- danger -->\nWhy?"))
        );
        assert_eq!((&note["position"]["old_line"], &note["position"]["new_line"]), (&old, &new));
        assert_eq!(
            (&note["commit_id"], &note["suggestions"], &note["position"]["line_range"]),
            (&Value::Null, &json!([]), &Value::Null)
        );
    }
    let wrong = position(&smith, &one, json!({"new_line": 99})).await;
    let refused = smith
        .post(format!("{one}/discussions"))
        .json(&json!({"body": "x", "position": wrong}))
        .await
        .is(400);
    assert_eq!(refused.json()["message"], NO_LINE);
    let bare = json!({"body": "x", "position": {"position_type": "text"}});
    let refused = smith.post(format!("{one}/discussions")).json(&bare).await.is(400);
    assert_eq!(
        refused.json()["message"],
        "400 Bad request - Note {:position=>[\"is incomplete\"]}"
    );
    assert_eq!(smith.get(format!("{one}/discussions")).await.is(200).each("id").len(), 4);
    let notes = smith.get(format!("{one}/notes?activity_filter=only_comments")).await.is(200);
    assert_eq!(notes.each("type"), vec![json!("DiffNote"); 4]);
    // Forms end lines so; clients look for what they wrote.
    let sent = json!({"body": "<!--\r\nid\r\n-->"});
    let made = smith.post(format!("{one}/discussions")).json(&sent).await.is(201).json();
    assert_eq!(made["notes"][0]["body"], "<!--\nid\n-->");
}

#[testkit::story]
async fn threads_are_answered_and_resolved(t: TestServer) {
    let (project, smith, one) = changed(&t).await;
    let (reader, other) = (t.user("reader").await, developer(&t, &project, "other").await);
    let made = begin(&reader, &one, json!({"new_line": 2})).await;
    let thread = format!("{one}/discussions/{}", made["id"].as_str().expect("id"));
    let note = format!("{one}/notes/{}", made["notes"][0]["id"]);
    let answer = other.post(format!("{thread}/notes")).json(&json!({"body": "So"})).await;
    assert_eq!(answer.is(201).json()["type"], "DiffNote");

    let resolved = json!({"resolved": true});
    reader.put(&thread).json(&resolved).await.is(403);
    smith.put(&note).await.is(400);
    smith.put(&note).json(&json!({"resolved": true, "body": "x"})).await.is(400);
    let own = reader.put(&note).json(&resolved).await.is(200).json();
    assert_eq!(
        (&own["resolved"], &own["resolved_by"]["username"]),
        (&json!(true), &json!("reader"))
    );
    assert_eq!(smith.get(&thread).await.is(200).json()["resolved"], false);
    assert_eq!(other.put(&thread).json(&resolved).await.is(200).json()["resolved"], true);
    let opened = smith.put(&thread).json(&json!({"resolved": false})).await.is(200).json();
    assert_eq!(opened["resolved"], false);
    reader.put(&note).json(&json!({"body": "Because"})).await.is(200);
    other.put(&note).json(&json!({"body": "No"})).await.is(403);

    let plain = smith.post(format!("{one}/notes")).json(&json!({"body": "Plain"})).await.is(201);
    let plain = plain.json();
    assert_eq!((&plain["type"], &plain["resolvable"]), (&Value::Null, &json!(false)));
    let refused = smith.put(format!("{one}/notes/{}", plain["id"])).json(&resolved).await.is(400);
    assert_eq!(refused.json()["message"], "400 Bad request - Note is not resolvable");
    let all = smith.get(format!("{one}/discussions")).await.is(200).json();
    let alone = all.as_array().expect("all").iter().find(|one| one["individual_note"] == true);
    let alone = format!("{one}/discussions/{}", alone.expect("one")["id"].as_str().expect("id"));
    smith.put(&alone).json(&resolved).await.is(403);
    smith.post(format!("{alone}/notes")).json(&json!({"body": "And"})).await.is(201);
    let joined = smith.get(&alone).await.is(200).json();
    assert_eq!(
        (&joined["individual_note"], &joined["resolvable"]),
        (&json!(false), &json!(true))
    );
}

#[testkit::story]
async fn a_push_moves_threads_and_outdates_them(t: TestServer) {
    let (project, smith, one) = changed(&t).await;
    let added = begin(&smith, &one, json!({"new_line": 2})).await;
    let same = begin(&smith, &one, json!({"old_line": 4, "new_line": 4})).await;
    rewrite(&t, &project, "anvil", "0\na\nB\nc\nd\ne\n").await;
    t.settle().await;
    let place =
        |thread: &Value| format!("{one}/discussions/{}", thread["id"].as_str().expect("id"));
    let sha = smith.get(&one).await.is(200).json()["sha"].clone();
    let first = |thread: Value| thread["notes"][0]["position"].clone();
    let moved = first(smith.get(place(&added)).await.is(200).json());
    assert_eq!((&moved["new_line"], &moved["head_sha"]), (&json!(3), &sha));
    let moved = first(smith.get(place(&same)).await.is(200).json());
    assert_eq!((&moved["old_line"], &moved["new_line"]), (&json!(4), &json!(5)));

    rewrite(&t, &project, "anvil", "0\na\nBee\nc\nd\ne\n").await;
    t.settle().await;
    let now = smith.get(&one).await.is(200).json()["sha"].clone();
    let outdated = first(smith.get(place(&added)).await.is(200).json());
    assert_eq!((&outdated["new_line"], &outdated["head_sha"]), (&json!(3), &sha));
    let moved = first(smith.get(place(&same)).await.is(200).json());
    assert_eq!((&moved["new_line"], &moved["head_sha"]), (&json!(5), &now));
    // Reviewdog names the target branch alone.
    let refs = smith.get(&one).await.is(200).json()["diff_refs"].clone();
    let start = &refs["start_sha"];
    let old = json!({"body": "x", "position": {"position_type": "text", "new_path": "list.txt",
        "old_path": "list.txt", "new_line": 3, "base_sha": refs["base_sha"], "start_sha": start,
        "head_sha": sha}});
    smith.post(format!("{one}/discussions")).json(&old).await.is(201);
}

#[testkit::story]
async fn drafts_are_their_authors_until_they_are_published(t: TestServer) {
    let (project, smith, one) = changed(&t).await;
    let other = developer(&t, &project, "other").await;
    let thread = begin(&other, &one, json!({"new_line": 2})).await;
    let drafts = format!("{one}/draft_notes");
    let plain = other.post(&drafts).json(&json!({"note": "Plain"})).await.is(201).json();
    assert_eq!(
        (&plain["position"]["position_type"], &plain["position"]["new_line"]),
        (&json!("text"), &Value::Null)
    );
    let place = position(&other, &one, json!({"old_line": 2})).await;
    let body = json!({"note": "Here", "position": place, "commit_id": "undefined"});
    let placed = other.post(&drafts).json(&body).await.is(201).json();
    assert_eq!(placed["position"]["old_line"], 2);
    assert!(placed["line_code"].as_str().is_some_and(|code| code.ends_with("_2_2")));
    let answer = json!({"note": "Done", "in_reply_to_discussion_id": thread["id"],
        "resolve_discussion": true});
    other.post(&drafts).json(&answer).await.is(201);
    let at = format!("{drafts}/{}", plain["id"]);
    let hidden = smith.get(&at).await.is(404);
    assert_eq!(hidden.json()["message"], "404 Draft Note Not Found");
    smith.put(format!("{at}/publish")).await.is(404);
    smith.delete(&at).await.is(404);
    assert_eq!(smith.get(&drafts).await.is(200).json(), json!([]));
    let refused = other.put(&at).await.is(400);
    assert_eq!(refused.json()["message"], "400 Bad request - Missing params to modify");
    other.put(&at).json(&json!({"note": "Changed"})).await.is(200);
    other.post(&at).json(&json!({"note": "Changed again"})).await.is(200);
    let gone = other.post(&drafts).json(&json!({"note": "Gone"})).await.is(201).id();
    other.delete(format!("{drafts}/{gone}")).await.is(204);
    assert_eq!(other.get(&drafts).await.is(200).each("note").len(), 3);

    let summary = json!({"note": "All in all", "reviewer_state": "reviewed"});
    other.post(format!("{drafts}/bulk_publish")).json(&summary).await.is(204);
    assert_eq!(other.get(&drafts).await.is(200).json(), json!([]));
    let notes = smith.get(format!("{one}/notes?activity_filter=only_comments&sort=asc")).await;
    let notes = notes.is(200);
    let texts = ["<!-- danger -->\nWhy?", "Changed again", "Here", "Done", "All in all"];
    assert_eq!(notes.each("body"), texts.map(|text| json!(text)));
    assert_eq!(
        notes.each("type"),
        [
            json!("DiffNote"),
            Value::Null,
            json!("DiffNote"),
            json!("DiffNote"),
            Value::Null
        ]
    );
    let thread = format!("{one}/discussions/{}", thread["id"].as_str().expect("id"));
    assert_eq!(smith.get(thread).await.is(200).json()["resolved"], true);
    let single = other.post(&drafts).json(&json!({"note": "One"})).await.is(201).id();
    other.put(format!("{drafts}/{single}/publish")).await.is(204);
}

/// Has threads be resolved before merges, and where pushes outdate them.
async fn strict(t: &TestServer, project: &TestProject) {
    let id = project.id;
    let work = t.app().write(move |tx| {
        tx.execute(
            sql!(
                "insert into merge_request_settings (project_id, threads_must_be_resolved,
                    resolve_outdated_threads) values ($1, true, true)"
            ),
            (id,),
        )?;
        Ok(())
    });
    work.await.expect("settings");
}

#[testkit::story]
async fn open_threads_block_merges_where_a_project_says_so(t: TestServer) {
    let (project, smith, one) = changed(&t).await;
    strict(&t, &project).await;
    let status = async || {
        let shown = smith.get(&one).await.is(200).json();
        (
            shown["blocking_discussions_resolved"].clone(),
            shown["detailed_merge_status"].clone(),
        )
    };
    assert_eq!(status().await, (json!(true), json!("mergeable")));
    let thread = begin(&smith, &one, json!({"new_line": 2})).await;
    assert_eq!(status().await, (json!(false), json!("discussions_not_resolved")));

    rewrite(&t, &project, "anvil", "a\nBee\nc\nd\ne\n").await;
    t.settle().await;
    assert_eq!(status().await, (json!(true), json!("mergeable")));
    let place = format!("{one}/discussions/{}", thread["id"].as_str().expect("id"));
    assert_eq!(smith.get(place).await.is(200).json()["resolved"], true);

    let told = smith.get(format!("{one}/discussions")).await.is(200).json();
    let told = told
        .as_array()
        .expect("all")
        .iter()
        .find(|one| one["notes"][0]["system"] == true);
    let told = told.expect("a note of the program")["id"].as_str().expect("id").to_owned();
    let answer = smith
        .post(format!("{one}/discussions/{told}/notes"))
        .json(&json!({"body": "x"}));
    let refused = answer.await.is(400).json();
    assert_eq!(refused["message"], "400 Bad request - Discussion can not be replied to.");
}
