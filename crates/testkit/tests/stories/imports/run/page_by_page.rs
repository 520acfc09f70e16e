//! What comes is written and counted, what cannot be written is tried again alone, and imports
//! that keep following do so until they are cut over.

use super::{Imported, Upstream, Wishes};
use imports::model::{Issue, Note, Object, On};
use imports::run::{Import, Load, Stage, bring_each};
use imports::writers::Prepared;
use serde_json::{Value, json};
use testkit::TestServer;

#[testkit::story(noon)]
async fn an_import_comes_page_by_page_and_ends(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    upstream.labels(&["bug", "feature", "question"]);
    let one = Imported::begin(&t, &upstream, Wishes::default()).await;

    let shown = one.shown().await;
    assert_eq!(shown["import_status"], "finished", "{shown}");
    assert_eq!(shown["import_type"], "provider_a");
    assert_eq!(shown["correlation_id"], "request-1");
    assert_eq!(shown["path_with_namespace"], "jane/anvil");
    assert_eq!((&shown["import_error"], &shown["failed_relations"]), (&Value::Null, &json!([])));
    let expected = json!({"fetched": {"label": 3}, "imported": {"label": 3}});
    assert_eq!(shown["stats"], expected);
    assert_eq!(one.labels().await, [json!("bug"), json!("feature"), json!("question")]);
    for page in ["/labels?1", "/labels?2", "/labels?3"] {
        assert_eq!(upstream.times(page), 1, "{page} is asked for once");
    }
    assert_eq!(one.row(&t).await, ("finished".into(), None), "what proves who asks is erased");
    let project = one.jane.get(format!("/projects/{}", one.project)).await.is(200).json();
    assert_eq!(project["import_status"], "finished");
}

#[testkit::story(noon)]
async fn what_fails_is_listed_and_tried_again_alone(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    let one = Imported::begin(&t, &upstream, Wishes::default()).await;
    let note = Note {
        on: On::Issue(9),
        key: "5".into(),
        thread: None,
        author: None,
        text: "It is so.".into(),
        is_internal: false,
        is_system: false,
        resolved_at: None,
        resolved_by: None,
        reactions: Vec::new(),
        created_at: "2020-01-01T00:00:00Z".parse().expect("a time"),
        updated_at: "2020-01-01T00:00:00Z".parse().expect("a time"),
    };
    write(&t, &one, Stage::Notes, vec![Object::Note(Box::new(note))]).await;

    let told = one.shown().await;
    assert_eq!(told["stats"]["fetched"], json!({"note": 1}));
    assert_eq!(told["stats"]["imported"], json!({}));
    let failed = told["failed_relations"][0].clone();
    assert_eq!(
        (
            &failed["source"],
            &failed["relation_name"],
            &failed["key"],
            &failed["may_be_retried"]
        ),
        (&json!("notes"), &json!("note"), &json!("5"), &json!(true))
    );
    let kim = t.user("kim").await;
    let told = kim.get(&one.at).await.is(200).json();
    assert_eq!(told["failed_relations"], json!([]), "they are for who maintains the project");

    let retry = format!("{}/relations/{}/retry", one.at, failed["id"]);
    kim.post(&retry).await.is(403);
    one.jane.post(format!("{}/relations/0/retry", one.at)).await.is(404);
    one.jane.post(&retry).await.is(422);
    write(&t, &one, Stage::Issues, vec![Object::Issue(Box::new(issue(9)))]).await;
    let told = one.jane.post(&retry).await.is(201).json();
    assert_eq!(
        (&told["failed_relations_count"], &told["failed_relations"]),
        (&json!(0), &json!([]))
    );
    assert_eq!(told["stats"]["fetched"], json!({"issue": 1, "note": 1}));
    assert_eq!(told["stats"]["imported"], json!({"issue": 1, "note": 1}));
    let notes = format!("/projects/{}/issues/9/notes", one.project);
    assert_eq!(one.jane.get(notes).await.is(200).each("body"), [json!("It is so.")]);
    one.jane.post(&retry).await.is(404);
}

fn issue(number: i64) -> Issue {
    Issue {
        number,
        title: "It breaks".into(),
        description: None,
        author: None,
        assignees: Vec::new(),
        is_closed: false,
        closed_at: None,
        closed_by: None,
        labels: Vec::new(),
        milestone: None,
        is_confidential: false,
        is_locked: false,
        issue_type: None,
        weight: None,
        due_date: None,
        time_estimate: 0,
        time_spent: 0,
        links: Vec::new(),
        reactions: Vec::new(),
        created_at: "2020-01-01T00:00:00Z".parse().expect("a time"),
        updated_at: "2020-01-02T00:00:00Z".parse().expect("a time"),
    }
}

/// Writes objects as a page of an import would.
async fn write(t: &TestServer, one: &Imported, stage: Stage, objects: Vec<Object>) {
    let (id, project) = (one.id, one.project);
    let written = t.app().write(move |tx| {
        let sql = store::concat!("select ", Import::COLUMNS, " from imports where id = $1");
        let mut import: Import = tx.one(sql, (id,))?;
        let found = spaces::access::find_project(tx, &kernel::ids::Reference::Id(project))?;
        let load = Load { stage, objects: &objects, prepared: &Prepared::default() };
        bring_each(tx, &mut import, &found.expect("a project"), load)?;
        tx.run(Import::UPDATE, import.values())
    });
    written.await.expect("it is written");
}

#[testkit::story(noon)]
async fn a_live_import_follows_until_it_is_cut_over(t: TestServer) {
    let upstream = Upstream::start(&t).await;
    upstream.labels(&["bug"]);
    let live = Wishes { is_live: true, ..Wishes::default() };
    let one = Imported::begin(&t, &upstream, live).await;

    let told = one.shown().await;
    assert_eq!((&told["import_status"], &told["live"]), (&json!("started"), &json!(true)));
    assert!(told["last_synced_at"].is_string(), "{told}");
    assert_eq!(one.labels().await, [json!("bug")]);

    upstream.labels(&["bug", "feature"]);
    skip_code(&t, &one).await;
    t.advance(301);
    t.settle().await;
    assert_eq!(one.labels().await, [json!("bug"), json!("feature")]);
    assert_eq!(one.shown().await["stats"]["imported"], json!({"label": 2}));

    upstream.labels(&["bug", "feature", "question"]);
    skip_code(&t, &one).await;
    t.advance(1);
    let told = one.jane.post(format!("{}/cut_over", one.at)).await.is(200).json();
    assert_eq!((&told["import_status"], &told["live"]), (&json!("started"), &json!(false)));
    t.settle().await;
    assert_eq!(one.status().await, "finished");
    assert_eq!(one.labels().await.len(), 3, "what is there at the end comes along");
    assert_eq!(one.row(&t).await.1, None);
    one.jane.post(format!("{}/cut_over", one.at)).await.is(400);
}

/// Has the next round begin after the code, which upstream has not here, as if the code had
/// taken until a little later.
async fn skip_code(t: &TestServer, one: &Imported) {
    let id = one.id;
    let changed = t.app().write(move |tx| {
        let later = tx.now() + jiff::SignedDuration::from_secs(10);
        Ok(tx.execute(
            store::sql!("update imports set stage = 'labels', round_started_at = $2 where id = $1"),
            (id, later),
        )?)
    });
    assert_eq!(changed.await.expect("it is there"), 1);
}
