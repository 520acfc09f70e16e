//! What things are found by, and that the index follows them.

use super::{found, issue, zebras};
use crate::pages::administrator;
use kernel::search::{Sources, filled, missing};
use serde_json::json;
use testkit::TestServer;

const NOTHING: [&str; 0] = [];

#[testkit::story]
async fn words_are_found_without_case_and_accents_and_the_last_by_its_beginning(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    let text =
        "Crème brûlée at src/kitchen/oven_door.rs, as in #77; 東京都の時計; it's 100% \"done\"";
    issue(&project, &admin, json!({"title": "Dessert", "description": text})).await;
    issue(&project, &admin, json!({"title": "Something else"})).await;
    for query in [
        "dessert",
        "DESS",
        "creme brulee",
        "brûl",
        "kitchen/oven_door.rs",
        "src/kitchen",
        "#77",
        "77",
        "#1",
        "東京",
        "京都",
        "都",
        "時計",
        "it's",
        "100%",
        "\"done\"",
        "door kitchen dessert",
        "dessert ' \" * ( ) : & | ! - ^ \\ <->",
    ] {
        let path = format!("/search?scope=issues&search={}", url(query));
        assert_eq!(found(&admin, &path, "title").await, ["Dessert"], "{query}");
    }
    for query in [
        "esser",
        "brulee creme2",
        "oven_window",
        "#7",
        "東都",
        "dessert NOT creme",
        "dess*ert",
        "dessert OR missing",
        "!?",
        "kitche oven",
    ] {
        let path = format!("/search?scope=issues&search={}", url(query));
        assert_eq!(found(&admin, &path, "title").await, NOTHING, "{query}");
    }
}

fn url(text: &str) -> String {
    ::url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[testkit::story]
async fn what_changes_is_found_by_what_it_became(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    let at = |scope: &str, word: &str| format!("/search?scope={scope}&search={word}");
    issue(&project, &admin, json!({"title": "walrus"})).await;
    let note = project.at("/issues/1/notes");
    let note_id = admin.post(&note).json(&json!({"body": "walrus"})).await.is(201).id();
    let milestones = project.at("/milestones");
    let goal = admin.post(&milestones).json(&json!({"title": "walrus"})).await.is(201).id();

    let put = |path: String, body: serde_json::Value| admin.put(path).json(&body);
    put(project.at("/issues/1"), json!({"title": "otter"})).await.is(200);
    put(format!("{note}/{note_id}"), json!({"body": "otter"})).await.is(200);
    put(format!("{milestones}/{goal}"), json!({"title": "otter"})).await.is(200);
    put(project.at(""), json!({"name": "otter", "path": "otter"})).await.is(200);
    for scope in ["issues", "notes", "milestones", "projects"] {
        assert_eq!(found(&admin, &at(scope, "walrus"), "id").await, NOTHING, "{scope}");
        assert_eq!(found(&admin, &at(scope, "otter"), "id").await.len(), 1, "{scope}");
    }
    assert_eq!(found(&admin, &at("projects", "anvil"), "id").await, NOTHING);

    // A group that moves takes the paths below it along.
    put("/groups/acme".into(), json!({"path": "badger"})).await.is(200);
    assert_eq!(found(&admin, &at("projects", "badger"), "name").await, ["otter"]);
    assert_eq!(found(&admin, &at("projects", "acme"), "id").await, NOTHING);

    admin.delete(format!("{note}/{note_id}")).await.is(204);
    admin.delete(format!("{milestones}/{goal}")).await.is(204);
    admin.delete(project.at("/issues/1")).await.is(204);
    for scope in ["issues", "notes", "milestones"] {
        assert_eq!(found(&admin, &at(scope, "otter"), "id").await, NOTHING, "{scope}");
    }
    admin.delete(project.at("")).await.is(202);
    t.settle().await;
    assert_eq!(found(&admin, &at("projects", "otter"), "id").await, NOTHING);
}

#[testkit::story]
async fn an_administrator_has_an_index_built_again(t: TestServer) {
    zebras(&t, "acme/zebra", "private").await;
    let ada = administrator(&t).await;
    let rebuild = "/admin/search/search_issues/rebuild";
    ada.submit(rebuild, &[]).await;
    t.settle().await;
    let page = ada.get("/admin/search").await.is(200).text();
    assert_eq!(page.matches("complete</span>").count(), 13, "{page}");
    let path = "/search?scope=issues&search=zebra";
    let lost = t.app().write(|tx| Ok(tx.execute("delete from search_issues", ())?));
    lost.await.unwrap();
    assert_eq!(found(&t.admin(), path, "id").await, NOTHING);

    let (to, page) = ada.submit(rebuild, &[]).await;
    assert_eq!(to, "/admin/search");
    assert!(page.contains("The index of issues is being built again."), "{page}");
    t.settle().await;
    assert_eq!(found(&t.admin(), path, "id").await.len(), 2);
    let events = t.admin().get("/audit_events?entity_type=SearchIndex").await.is(200);
    assert_eq!(events.each("event_name").len(), 2);

    ada.post("/admin/search/users/rebuild", &[]).await.is(404);
    t.user("jane").await;
    let jane = t.browser("jane").await;
    jane.get("/admin/search").await.is(403);
    jane.post("/admin/search/search_issues/rebuild", &[]).await.is(403);
}

#[testkit::story]
async fn an_empty_index_is_filled_by_a_job(t: TestServer) {
    zebras(&t, "acme/zebra", "private").await;
    let empty = t.app().write(|tx| {
        for source in &tx.plugged::<Sources>()?.0 {
            assert_eq!(missing(tx, source)?, 0, "{}", source.index);
            tx.execute(format!("delete from {}", source.index), ())?;
        }
        tx.execute("delete from search_fills", ())?;
        assert!(filled(tx)?.is_empty());
        Ok(())
    });
    empty.await.unwrap();
    let path = "/search?scope=issues&search=zebra";
    assert_eq!(found(&t.admin(), path, "id").await, NOTHING);

    let job = t.app().write(|tx| {
        let now = tx.now();
        Ok(tx.execute(
            "insert into jobs (name, payload, state, run_at, created_at, updated_at)
             values ('search.fill', $1, 'queued', $2, $2, $2)",
            (store::Json(json!({})), now),
        )?)
    });
    assert_eq!(job.await.unwrap(), 1);
    t.settle().await;
    assert_eq!(found(&t.admin(), path, "id").await.len(), 2);
    let whole = t.app().read(|tx| {
        let sources = filled(tx)?;
        for source in &sources {
            assert_eq!(missing(tx, source)?, 0, "{}", source.index);
        }
        Ok(sources.len())
    });
    assert_eq!(whole.await.unwrap(), 13);
}

#[testkit::story]
async fn nothing_of_a_project_stays_in_an_index(t: TestServer) {
    let project = zebras(&t, "acme/zebra", "private").await;
    let rows = async || {
        let rows = t.app().read(|tx| {
            let mut rows = Vec::new();
            for source in &tx.plugged::<Sources>()?.0 {
                let count = format!("select count(*) from {}", source.index);
                rows.push((source.index, tx.one::<i64>(count, ())?));
            }
            Ok(rows)
        });
        rows.await.unwrap()
    };
    t.settle().await;
    let before = rows().await;
    assert!(before.iter().all(|(_, count)| *count > 0), "{before:?}");
    t.admin().delete(project.at("")).await.is(202);
    t.settle().await;
    for (index, count) in rows().await {
        let of_places = ["search_groups", "search_people", "search_epics"].contains(&index);
        assert_eq!(count > 0, of_places, "{index} has {count}");
    }
}
