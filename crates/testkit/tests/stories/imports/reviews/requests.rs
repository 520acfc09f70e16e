//! Merge requests come with what they change, and are what they were.

use super::{CHANGED, CREATED, Forge, GONE, discussions, note, person};
use imports::model::Object;
use imports::run::Import;
use imports::writers::{self, Desk, Prepared};
use kernel::error::Found;
use kernel::ids::Reference;
use serde_json::{Value, json};
use spaces::access::find_project;
use testkit::TestServer;

#[testkit::story]
async fn an_open_one_comes_with_its_versions_and_can_be_merged(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let older = json!([{"head": forge.first, "start": forge.main, "base": forge.main,
        "created_at": CREATED}]);
    let more = json!({"versions": older, "description": "- [x] hot\n- [ ] hit",
        "labels": ["iron"], "milestone": "Spring", "assignees": [person("smith")],
        "reactions": [{"by": person("smith"), "name": "thumbsup", "at": CREATED}]});
    forge.bring(&t, json!([forge.anvil(more)])).await;

    let shown = forge.shown(7).await;
    assert_eq!((&shown["iid"], &shown["state"]), (&json!(7), &json!("opened")));
    assert_eq!(shown["author"]["username"], "smith");
    assert_eq!(shown["assignees"][0]["username"], "smith");
    assert_eq!((&shown["labels"], &shown["upvotes"]), (&json!(["iron"]), &json!(1)));
    assert_eq!(shown["milestone"]["title"], "Spring");
    assert_eq!(shown["task_completion_status"]["completed_count"], 1);
    assert_eq!(shown["created_at"], "2020-01-02T03:04:05.000Z");
    assert_eq!(shown["updated_at"], "2020-02-03T04:05:06.000Z");
    let refs = &shown["diff_refs"];
    assert_eq!(
        (&refs["base_sha"], &refs["start_sha"], &refs["head_sha"]),
        (&json!(forge.main), &json!(forge.main), &json!(forge.second))
    );
    let diffs = forge.smith.get(forge.at(7, "/diffs")).await.is(200);
    let text = diffs.each("diff")[0].as_str().expect("a text").to_owned();
    assert!(text.contains("-b\n+B\n") && text.contains("-j\n+J\n"), "{text}");
    let commits = forge.smith.get(forge.at(7, "/commits")).await.is(200);
    assert_eq!(commits.each("id"), [json!(forge.second), json!(forge.first)]);
    let versions = forge.smith.get(forge.at(7, "/versions")).await.is(200);
    assert_eq!(versions.each("head_commit_sha"), [json!(forge.second), json!(forge.first)]);
    assert!(forge.smith.get("/todos").await.is(200).each("id").is_empty(), "nobody is told");

    // The next one has the number behind it.
    let body = json!({"title": "Next", "source_branch": "main", "target_branch": "anvil"});
    let next = t.admin().post(forge.project.at("/merge_requests")).json(&body).await.is(201);
    assert_eq!(next.json()["iid"], 8);
    t.settle().await;
    let merged = t.admin().put(forge.at(7, "/merge")).json(&json!({})).await.is(200).json();
    assert_eq!(merged["state"], "merged");
}

#[testkit::story]
async fn what_was_merged_is_just_merged(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let merge = forge.merge().await;
    let merged = json!({"state": "merged", "merge_commit": merge, "merged_by": person("smith"),
        "merged_at": CHANGED, "closed_at": CHANGED,
        "approvals": [{"by": person("jones"), "at": CREATED}],
        "reviewers": [{"who": person("jones"), "state": "approved"}]});
    // Its source is gone there, and what its target is called is where that is now.
    let mut lost = forge.anvil(merged.clone());
    lost["number"] = json!(8);
    lost["head"] = json!(GONE);
    lost["start"] = json!(merge);
    lost["source_branch"] = json!("gone");
    // Nothing of it is here.
    let nothing = json!({"number": 9, "state": "closed", "head": GONE, "start": GONE,
        "source_branch": "nowhere", "closed_at": CHANGED});
    forge.bring(&t, json!([forge.anvil(merged), lost, forge.anvil(nothing)])).await;

    for number in [7, 8] {
        let shown = forge.shown(number).await;
        assert_eq!((&shown["state"], &shown["closed_at"]), (&json!("merged"), &Value::Null));
        assert_eq!(shown["merge_user"]["username"], "smith");
        assert_eq!(shown["merged_at"], "2020-02-03T04:05:06.000Z");
        assert_eq!(shown["merge_commit_sha"], json!(merge));
        assert_eq!((&shown["sha"], &shown["changes_count"]), (&json!(forge.second), &json!("1")));
        assert_eq!(shown["detailed_merge_status"], "not_open");
        let approvals = forge.smith.get(forge.at(number, "/approvals")).await.is(200).json();
        assert_eq!(approvals["approved_by"].as_array().map(Vec::len), Some(1), "{approvals}");
        assert_eq!(approvals["approved"], true);
        t.admin().put(forge.at(number, "/merge")).json(&json!({})).await.is(405);
        let diffs = forge.smith.get(forge.at(number, "/diffs")).await.is(200);
        assert_eq!(diffs.each("new_path"), [json!("list.txt")]);
        let page = t.browser("smith").await;
        page.get(&format!("/acme/forge/-/merge_requests/{number}")).await.is(200);
        page.get(&format!("/acme/forge/-/merge_requests/{number}/diffs")).await.is(200);
    }
    let shown = forge.shown(9).await;
    assert_eq!((&shown["state"], &shown["sha"]), (&json!("closed"), &Value::Null));
    assert!(forge.smith.get(forge.at(9, "/versions")).await.is(200).each("id").is_empty());
    let page = t.browser("smith").await;
    page.get("/acme/forge/-/merge_requests/9").await.is(200);
    page.get("/acme/forge/-/merge_requests/9/diffs").await.is(200);
}

#[testkit::story]
async fn the_branch_of_a_fork_is_made_where_it_is_still_open(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let branch = "PA-0123456-jones/7/jones/forge/anvil";
    let fork = json!({"source_branch": branch, "head": &forge.first[..12]});
    let mut closed = forge.anvil(json!({"state": "closed"}));
    closed["number"] = json!(8);
    closed["source_branch"] = json!("closed/anvil");
    forge.bring(&t, json!([forge.anvil(fork), closed])).await;

    let shown = forge.shown(7).await;
    assert_eq!((&shown["sha"], &shown["source_branch"]), (&json!(forge.first), &json!(branch)));
    let branches = t.admin().get(forge.project.at("/repository/branches")).await.is(200);
    let names = branches.each("name");
    assert!(names.contains(&json!(branch)) && names.len() == 3, "{names:?}");
    t.settle().await;
    let merged = t.admin().put(forge.at(7, "/merge")).json(&json!({})).await.is(200).json();
    assert_eq!(merged["state"], "merged");
}

#[testkit::story]
async fn nothing_comes_twice_and_what_changed_there_comes_anew(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let spot = json!({"spot": {"new_path": "list.txt", "new_line": 2}});
    let event = json!({"type": "event", "key": "e1", "on": {"kind": "merge_request", "number": 7},
        "by": null, "at": CREATED, "what": {"event": "reopened"}});
    let early = json!({"head": forge.first});
    forge.fetch(&t, &forge.first).await;
    for _ in 0..2 {
        let all = json!([forge.anvil(early.clone()), note("1", spot.clone()), event]);
        forge.bring(&t, all).await;
    }
    let notes = forge.smith.get(forge.at(7, "/notes")).await.is(200);
    assert_eq!(notes.each("body").len(), 2, "{}", notes.text());
    assert_eq!(forge.shown(7).await["sha"], json!(forge.first));

    forge.fetch(&t, &forge.second).await;
    let again = Import { round: 1, ..forge.import.clone() };
    let later = "2020-03-04T05:06:07Z";
    let more = json!({"title": "A heavy anvil", "updated_at": later, "labels": ["iron"]});
    let reworded = json!({"spot": spot["spot"], "text": "Why so?", "updated_at": later});
    forge
        .bring_in(&t, &again, json!([forge.anvil(more), note("1", reworded)]))
        .await;
    t.settle().await;
    let shown = forge.shown(7).await;
    assert_eq!(
        (&shown["title"], &shown["sha"]),
        (&json!("A heavy anvil"), &json!(forge.second))
    );
    assert_eq!(shown["labels"], json!(["iron"]));
    let found = discussions(&forge).await;
    let place = &found["Why so?"]["notes"][0]["position"];
    assert_eq!((&place["new_line"], &place["head_sha"]), (&json!(2), &json!(forge.second)));
}

#[testkit::story]
async fn what_is_wrong_with_one_is_told(t: TestServer) {
    let forge = Forge::begin(&t).await;
    for (more, reason) in [
        (json!({"number": 0}), "out of range"),
        (json!({"source_branch": ""}), "no names"),
        (json!({"number": 8}), "already"),
    ] {
        if reason == "already" {
            forge.bring(&t, json!([forge.anvil(json!({}))])).await;
        }
        let object: Object = serde_json::from_value(forge.anvil(more)).expect("an object");
        let import = forge.import.clone();
        let written = t.app().write(move |tx| {
            let project = find_project(tx, &Reference::Id(import.project_id))?.found("Project")?;
            let prepared = Prepared::default();
            let mut desk = Desk::open(tx, &import, &project, &prepared)?;
            writers::write(tx, &mut desk, &object)
        });
        let error = written.await.expect_err("it is refused").to_string();
        assert!(error.contains(reason), "{error}");
    }
}
