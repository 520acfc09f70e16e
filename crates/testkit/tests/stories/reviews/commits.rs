//! What people say of commits: discussions, comments, and the page.

use super::{commit, developer, forge};
use serde_json::{Value, json};
use store::{Config, Migration, Store, Tx, sql};
use testkit::postgres::Database;
use testkit::{Client, TestProject, TestServer};

/// A file of three lines that a commit adds to `main`: its name, and that of its parent.
async fn horn(t: &TestServer, project: &TestProject) -> (String, String) {
    commit(t, project, "main", "horn.txt", "one\ntwo\nthree\n").await;
    let newest = t.admin().get(project.at("/repository/commits?per_page=1")).await.is(200);
    let newest = newest.json()[0].clone();
    let name = |value: &Value| value.as_str().expect("a name").to_owned();
    (name(&newest["id"]), name(&newest["parent_ids"][0]))
}

fn at(project: &TestProject, sha: &str, rest: &str) -> String {
    project.at(&format!("/repository/commits/{sha}/{rest}"))
}

async fn begin(by: &Client, discussions: &str, text: &str) -> Value {
    by.post(discussions).json(&json!({"body": text})).await.is(201).json()
}

#[testkit::story]
async fn a_commit_is_discussed_on_its_lines(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let jane = t.user("jane").await;
    let (sha, parent) = horn(&t, &project).await;
    let discussions = at(&project, &sha, "discussions");
    assert_eq!(jane.get(&discussions).await.is(200).json(), json!([]));
    let on = |line: i64| {
        json!({"body": "Why?", "position": {"base_sha": parent, "start_sha": parent,
            "head_sha": sha, "position_type": "text", "old_path": "horn.txt",
            "new_path": "horn.txt", "new_line": line}})
    };

    jane.post(&discussions).json(&on(9)).await.is(400);
    let begun = jane.post(&discussions).json(&on(2)).await.is(201).json();

    let note = &begun["notes"][0];
    assert_eq!(
        (&note["type"], &note["noteable_type"], &note["noteable_id"]),
        (&json!("DiffNote"), &json!("Commit"), &Value::Null)
    );
    assert_eq!(
        (&note["position"]["new_line"], &note["commit_id"], &note["resolvable"]),
        (&json!(2), &json!(sha), &json!(false))
    );
    let id = begun["id"].as_str().expect("an id");
    let one = format!("{discussions}/{id}");
    let answer = smith.post(format!("{one}/notes")).json(&json!({"body": "So"})).await.is(201);
    let read = jane.get(&one).await.is(200).json();
    assert_eq!(
        (&read["notes"][1]["body"], &read["individual_note"]),
        (&json!("So"), &json!(false))
    );
    let own = format!("{one}/notes/{}", note["id"]);
    smith.put(&own).json(&json!({"body": "No"})).await.is(403);
    let changed = jane.put(&own).json(&json!({"body": "Why two?"})).await.is(200).json();
    assert_eq!(
        (&changed["body"], &changed["position"]["new_line"]),
        (&json!("Why two?"), &json!(2))
    );
    jane.put(&one).json(&json!({"resolved": true})).await.is(403);
    let award = at(&project, &sha, &format!("notes/{}/award_emoji", note["id"]));
    smith.post(award).json(&json!({"name": "thumbsup"})).await.is(201);
    smith.delete(format!("{one}/notes/{}", answer.id())).await.is(204);

    let comments = jane.get(at(&project, &sha, "comments")).await.is(200);
    assert_eq!(
        (comments.each("note"), comments.each("path"), comments.each("line")),
        (vec![json!("Why two?")], vec![json!("horn.txt")], vec![json!(2)])
    );
    let short = jane.get(at(&project, &sha[..8], "discussions")).await.is(200);
    assert_eq!(short.each("id"), [json!(id)]);
    let gid = format!("gid://service/Note/{}", note["id"]);
    let query = format!("{{note(id:\"{gid}\"){{position{{newLine newPath}}}}}}");
    let asked = jane.request(http::Method::POST, "/api/graphql").json(&json!({"query": query}));
    let told = asked.await.is(200).json();
    assert_eq!(told["data"]["note"]["position"], json!({"newLine": 2, "newPath": "horn.txt"}));
}

#[testkit::story]
async fn what_is_said_of_commits_is_hidden_with_the_code(t: TestServer) {
    let project = t.project("acme/forge").await;
    commit(&t, &project, "main", "README.md", "# Forge\n").await;
    let (jane, guest, stranger) =
        (t.user("jane").await, t.user("guest").await, t.user("stranger").await);
    project.add(&jane, 20).await;
    project.add(&guest, 10).await;
    let smith = developer(&t, &project, "smith").await;
    let (sha, _) = horn(&t, &project).await;
    let discussions = at(&project, &sha, "discussions");

    let begun = begin(&smith, &discussions, "A secret, @jane and @guest").await;
    t.settle().await;

    let todos = jane.get("/todos?type=Commit").await.is(200);
    assert_eq!(todos.each("action_name"), ["mentioned"]);
    let todo = &todos.json()[0];
    assert_eq!(todo["target"]["title"], "Add horn.txt");
    assert!(todo["target_url"].as_str().is_some_and(|url| url.contains(&sha)), "{todo}");
    let mails = t.app().mailer().sent();
    let about = |name: &str| {
        let to = format!("{name}@example.com");
        mails
            .iter()
            .filter(|mail| mail.to == to && mail.subject.contains("Add horn.txt"))
            .count()
    };
    assert_eq!((about("jane"), about("guest")), (1, 0));
    let told = jane.get(project.at("/events?action=commented")).await.is(200).json();
    assert_eq!(
        (&told[0]["action_name"], &told[0]["target_title"], &told[0]["note"]["body"]),
        (
            &json!("commented on"),
            &json!("Add horn.txt"),
            &json!("A secret, @jane and @guest")
        )
    );

    assert_eq!(guest.get("/todos").await.is(200).json(), json!([]));
    let events = guest.get(project.at("/events?action=commented")).await.is(200);
    assert_eq!(events.json(), json!([]));
    let one = format!("{discussions}/{}", begun["id"].as_str().expect("an id"));
    for path in [discussions.clone(), one, at(&project, &sha, "comments")] {
        guest.get(&path).await.is(403);
        stranger.get(&path).await.is(404);
        t.anonymous().get(&path).await.is(404);
    }
    guest.post(&discussions).json(&json!({"body": "x"})).await.is(403);
    t.anonymous().post(&discussions).json(&json!({"body": "x"})).await.is(401);
    t.admin().post(project.at("/archive")).await.is(201);
    smith.post(&discussions).json(&json!({"body": "x"})).await.is(403);
}

#[testkit::story]
async fn the_page_of_a_commit_has_what_is_said_of_it(t: TestServer) {
    let project = forge(&t).await;
    let jane = t.user("jane").await;
    let (sha, _) = horn(&t, &project).await;
    let line = json!({"note": "On <script>two", "path": "horn.txt", "line": 2});
    jane.post(at(&project, &sha, "comments")).json(&line).await.is(201);
    let (page, forms) = (
        format!("/acme/forge/-/commit/{sha}"),
        format!("/acme/forge/-/commit_comments/{sha}"),
    );
    let browser = t.browser("jane").await;

    let shown = browser.get(&page).await.is(200).text();
    let (to, after) = browser.submit(&format!("{forms}/notes"), &[("body", "Well made")]).await;

    assert!(shown.contains("line 2") && shown.contains("New comment"), "{shown}");
    assert!(!shown.contains("<script>two"), "{shown}");
    assert!(to.starts_with(&format!("{page}#note_")), "{to}");
    assert!(after.contains("Well made") && after.contains("Comment added."), "{after}");
    let blank = browser.post(&format!("{forms}/notes"), &[("body", " ")]).await.is(422).text();
    assert!(blank.contains("be blank") && blank.contains("Well made"), "{blank}");
    let stranger = t.new_browser().get(&page).await.is(200).text();
    assert!(
        stranger.contains("Well made") && !stranger.contains("New comment"),
        "{stranger}"
    );
}

/// The schema as it was when comments had rows of their own.
fn before() -> Vec<Migration> {
    let mut all = tenon::wiring::migrations().to_vec();
    all.retain(|migration| migration.number < 119);
    all
}

fn fill(tx: &mut Tx<'_>) -> store::Result<()> {
    let now = tx.now();
    let group: i64 = tx.one(
        sql!(
            "insert into namespaces (kind, name, name_folded, path, full_path, full_path_folded,
                full_name, lineage, depth, visibility, created_at, updated_at)
             values ('group', 'a', 'a', 'a', 'a', 'a', 'a', '', 0, 0, $1, $1) returning id"
        ),
        (now,),
    )?;
    let project: i64 = tx.one(
        sql!(
            "insert into projects (namespace_id, name, name_folded, path, path_folded, full_path,
                full_path_folded, visibility, topics, features, last_activity_at, created_at,
                updated_at)
             values ($1, 'x', 'x', 'x', 'x', 'a/x', 'a/x', 0, $2, $3, $4, $4, $4) returning id"
        ),
        (group, json!([]), json!({}), now),
    )?;
    for (sha, note, line) in [("a", "all", None), ("a", "line", Some(7i64)), ("b", "other", None)] {
        tx.execute(
            "insert into commit_comments (project_id, sha, note, path, line, line_type, created_at)
             values ($1, $2, $3, $4, $5, $6, $7)",
            (project, sha.repeat(40), note, line.map(|_| "f"), line, line.map(|_| "old"), now),
        )?;
    }
    Ok(())
}

fn fill_older(url: &str) -> Result<(), String> {
    let say = |error: store::Error| error.to_string();
    let store = Store::open(Config::from_url(url).map_err(say)?, &before()).map_err(say)?;
    store.write_blocking(fill).map_err(say)
}

/// Comments are notes, each a discussion, and lines stay.
fn check(url: &str) {
    let config = Config::from_url(url).expect("a known scheme");
    let store = Store::open(config, tenon::wiring::migrations()).expect("it migrates");
    let read = |tx: &mut Tx<'_>| -> store::Result<Vec<(String, String, Option<i64>, i64)>> {
        tx.all(
            sql!(
                "select discussed_commits.sha, notes.body, commit_threads.line,
                    cast(length(notes.discussion_id) as bigint)
                 from notes
                 join discussed_commits on discussed_commits.id = notes.noteable_id
                 left join commit_threads
                    on commit_threads.discussion_id = notes.discussion_id
                 where notes.noteable_type = 'Commit' and notes.begins order by notes.id"
            ),
            (),
        )
    };
    let notes = store.write_blocking(read).expect("it is readable");
    let (first, other) = ("a".repeat(40), "b".repeat(40));
    let of = |sha: &String, body: &str, line| (sha.clone(), body.to_owned(), line, 40);
    assert_eq!(
        notes,
        [of(&first, "all", None), of(&first, "line", Some(7)), of(&other, "other", None)]
    );
}

#[test]
fn comments_of_older_instances_are_notes_on_sqlite() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let url = format!("sqlite:{}", directory.path().join("data.sqlite").display());
    fill_older(&url).expect("the older schema takes it");
    check(&url);
}

#[test]
fn comments_of_older_instances_are_notes_on_postgres() {
    if let Some(database) = Database::create("before_0119", fill_older) {
        check(database.url());
    }
}
