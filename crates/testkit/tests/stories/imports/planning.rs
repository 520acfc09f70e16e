//! Labels, milestones, issues and what is said of them, as they come from elsewhere.

use imports::model::{Issue, Object, On, Person};
use imports::run::Import;
use imports::writers::{self, Desk, Prepared};
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use planning::store::notes::ISSUE;
use planning::transfer::{Event, Label, Milestone, Note, read};
use serde_json::{Value, json};
use spaces::access::find_project;
use std::collections::HashMap;
use store::{Json, Tx, sql};
use testkit::{TestProject, TestServer, TestUser};

pub(super) const CREATED: &str = "2020-01-02T03:04:05Z";
pub(super) const CHANGED: &str = "2020-02-03T04:05:06Z";
/// The same as the interface writes them.
const WAS_CREATED: &str = "2020-01-02T03:04:05.000Z";
const WAS_CHANGED: &str = "2020-02-03T04:05:06.000Z";

/// An import into a project that nobody goes on with: from where, and who is who.
pub(super) async fn import(
    t: &TestServer, project_id: i64, (source, host): (&'static str, &'static str), map: Value,
) -> Import {
    let made = t.app().write(move |tx| {
        let now = tx.now();
        tx.execute(
            sql!(
                "insert into imports (project_id, source, host, user_id, origin, base_url, upstream,
                    options, user_map, status, is_live, round, round_started_at, stats, failures,
                    attempts, progressed_at, created_at, updated_at)
                 values ($1, $2, $3, 1, 'acme/source', '', $4, $4, $5, 'finished', false, 0, $6, $7,
                    0, 0, $6, $6, $6)"
            ),
            (
                project_id,
                source,
                host,
                Json(json!({})),
                Json(map.clone()),
                now,
                Json(json!({"fetched": {}, "imported": {}})),
            ),
        )?;
        let made = tx.one::<Import>(
            sql!("select ", Import::COLUMNS, " from imports where project_id = $1"),
            (project_id,),
        );
        Ok(made?)
    });
    made.await.expect("an import")
}

/// Writes what comes, as pages of an import do.
pub(super) async fn bring(t: &TestServer, import: &Import, objects: Vec<Object>) -> Result<()> {
    let (import, prepared) = (import.clone(), Prepared::default());
    let written = t.app().write(move |tx| {
        let project = find_project(tx, &Reference::Id(import.project_id))?.found("Project")?;
        let mut desk = Desk::open(tx, &import, &project, &prepared)?;
        objects.iter().try_for_each(|object| writers::write(tx, &mut desk, object))
    });
    written.await
}

/// A public project of a group, and an import into it in which smith is smith.
pub(super) struct Forge {
    pub project: TestProject,
    pub smith: TestUser,
    pub import: Import,
}

impl Forge {
    async fn begin(t: &TestServer) -> Forge {
        let project = t.project_with("acme/forge", "public").await;
        let smith = t.user("smith").await;
        let map = json!({"smith": smith.id});
        let import = import(t, project.id, ("provider_a", "code.example"), map).await;
        Forge { project, smith, import }
    }

    async fn bring(&self, t: &TestServer, objects: Value) {
        self.try_bring(t, objects).await.expect("they are written");
    }

    async fn try_bring(&self, t: &TestServer, objects: Value) -> Result<()> {
        bring(t, &self.import, read_objects(objects)).await
    }

    fn at(&self, number: i64, rest: &str) -> String {
        self.project.at(&format!("/issues/{number}{rest}"))
    }

    async fn shown(&self, number: i64) -> Value {
        self.smith.get(self.at(number, "")).await.is(200).json()
    }
}

pub(super) fn read_objects(objects: Value) -> Vec<Object> {
    serde_json::from_value(objects).expect("objects")
}

pub(super) fn person(name: &str) -> Value {
    json!({"id": name, "username": name})
}

/// An issue of smith, with this beside it.
pub(super) fn issue(number: i64, more: Value) -> Value {
    let issue = json!({"type": "issue", "number": number, "title": format!("Issue {number}"),
        "author": person("smith"), "created_at": CREATED, "updated_at": CHANGED});
    with(issue, more)
}

/// A note of smith about an issue, with this beside it.
pub(super) fn note(number: i64, key: &str, more: Value) -> Value {
    let note = json!({"type": "note", "on": {"kind": "issue", "number": number}, "key": key,
        "author": person("smith"), "text": format!("Note {key}"), "created_at": CREATED,
        "updated_at": CREATED});
    with(note, more)
}

fn event(number: i64, key: &str, what: Value) -> Value {
    json!({"type": "event", "on": {"kind": "issue", "number": number}, "key": key,
        "by": person("smith"), "at": CREATED, "what": what})
}

fn with(mut thing: Value, more: Value) -> Value {
    for (key, value) in more.as_object().expect("fields") {
        thing[key] = value.clone();
    }
    thing
}

#[testkit::story]
async fn an_issue_comes_whole(t: TestServer) {
    let forge = Forge::begin(&t).await;
    forge
        .bring(
            &t,
            json!([
                {"type": "label", "name": "bug, bad", "color": "#ff0000", "description": "Broken"},
                {"type": "milestone", "number": 4, "title": "Spring", "due_date": "2020-03-01",
                    "created_at": CREATED, "updated_at": CHANGED},
                issue(12, json!({"labels": ["bug, bad", "new"], "milestone": "Spring",
                    "description": "- [x] hot\n- [ ] hit", "assignees": [person("smith")],
                    "is_closed": true, "closed_at": CHANGED, "closed_by": person("smith"),
                    "is_locked": true, "weight": 3, "due_date": "2020-02-01",
                    "time_estimate": 7200, "time_spent": 3600,
                    "reactions": [{"by": person("smith"), "name": "+1", "at": CREATED},
                        {"by": person("smith"), "name": "no such emoji", "at": CREATED}]})),
                issue(13, json!({"title": " \n", "links":
                    [{"number": 12, "link_type": "is_blocked_by"}]})),
            ]),
        )
        .await;

    let shown = forge.shown(12).await;
    assert_eq!((&shown["state"], &shown["title"]), (&json!("closed"), &json!("Issue 12")));
    assert_eq!(shown["author"]["username"], "smith");
    assert_eq!(shown["assignees"][0]["username"], "smith");
    assert_eq!(shown["closed_by"]["username"], "smith");
    assert_eq!(shown["labels"], json!(["bug; bad", "new"]));
    assert_eq!(
        (&shown["milestone"]["title"], &shown["milestone"]["iid"]),
        (&json!("Spring"), &json!(4))
    );
    assert_eq!(shown["milestone"]["due_date"], "2020-03-01");
    for (key, time) in [
        ("created_at", WAS_CREATED),
        ("updated_at", WAS_CHANGED),
        ("closed_at", WAS_CHANGED),
    ] {
        assert_eq!(shown[key], time, "{key}");
    }
    assert_eq!((&shown["upvotes"], &shown["weight"]), (&json!(1), &json!(3)));
    assert_eq!(
        (&shown["discussion_locked"], &shown["due_date"]),
        (&json!(true), &json!("2020-02-01"))
    );
    assert_eq!(shown["time_stats"]["total_time_spent"], 3600);
    assert_eq!(shown["task_completion_status"], json!({"count": 2, "completed_count": 1}));
    assert_eq!(
        (&shown["imported"], &shown["imported_from"]),
        (&json!(true), &json!("provider_a"))
    );
    assert_eq!(forge.shown(13).await["title"], "Untitled");
    let links = forge.smith.get(forge.at(12, "/links")).await.is(200);
    assert_eq!(
        (links.each("iid"), links.each("link_type")),
        (vec![json!(13)], vec![json!("blocks")])
    );
    let label = forge.smith.get(forge.project.at("/labels?search=bug")).await.is(200);
    assert_eq!(
        (label.each("color"), label.each("description")),
        (vec![json!("#ff0000")], vec![json!("Broken")])
    );
    let found = forge.smith.get(forge.project.at("/search?scope=issues&search=issue")).await;
    assert_eq!(found.is(200).each("iid"), [json!(12)], "it is found");

    // Nobody is told of it, and numbers go on behind it.
    assert!(forge.smith.get("/todos").await.is(200).each("id").is_empty());
    let next = json!({"title": "Next"});
    let next = t.admin().post(forge.project.at("/issues")).json(&next).await.is(201).json();
    assert_eq!((&next["iid"], &next["imported_from"]), (&json!(14), &json!("none")));
    let next = json!({"title": "Summer"});
    let next = t.admin().post(forge.project.at("/milestones")).json(&next).await.is(201);
    assert_eq!(next.json()["iid"], 5);
}

#[testkit::story]
async fn what_was_said_and_done_comes_with_its_times(t: TestServer) {
    let forge = Forge::begin(&t).await;
    forge
        .bring(
            &t,
            json!([
                issue(1, json!({})),
                note(
                    1,
                    "a",
                    json!({"thread": "x", "updated_at": CHANGED,
                    "reactions": [{"by": person("smith"), "name": "heart", "at": CREATED}]})
                ),
                note(1, "b", json!({})),
                note(1, "c", json!({"thread": "x", "author": null})),
                event(1, "1", json!({"event": "label_added", "label": "iron"})),
                event(1, "2", json!({"event": "milestone_added", "title": "Spring"})),
                event(1, "3", json!({"event": "closed"})),
                event(
                    1,
                    "4",
                    json!({"event": "told", "text": "changed title from **a** to **b**"})
                ),
            ]),
        )
        .await;

    let notes = forge.smith.get(forge.at(1, "/notes?sort=asc&per_page=50")).await.is(200).json();
    let notes = notes.as_array().expect("notes").clone();
    let of = |body: &str| {
        let found = notes.iter().find(|note| note["body"] == body);
        found.unwrap_or_else(|| panic!("{body}: {notes:?}")).clone()
    };
    let (first, alone, answer) = (of("Note a"), of("Note b"), of("Note c"));
    assert_eq!(
        (&first["created_at"], &first["updated_at"]),
        (&json!(WAS_CREATED), &json!(WAS_CHANGED))
    );
    assert_eq!(answer["author"]["name"], "Ghost User");
    assert_eq!(alone["author"]["username"], "smith");
    let told = of("changed title from **a** to **b**");
    assert_eq!((&told["system"], &told["created_at"]), (&json!(true), &json!(WAS_CREATED)));
    assert_eq!(forge.shown(1).await["user_notes_count"], 3);

    let said = forge.smith.get(forge.at(1, "/discussions?per_page=50")).await.is(200).json();
    let said = said.as_array().expect("discussions");
    let thread = said.iter().find(|one| one["notes"][0]["body"] == "Note a").expect("a thread");
    assert_eq!(thread["notes"].as_array().map(Vec::len), Some(2), "{thread}");
    assert_eq!(thread["individual_note"], false);
    let awards = forge.at(1, &format!("/notes/{}/award_emoji", first["id"]));
    assert_eq!(forge.smith.get(awards).await.is(200).each("name"), [json!("heart")]);
    for (kind, key, value) in [
        ("label", "label", json!("iron")),
        ("milestone", "milestone", json!("Spring")),
        ("state", "state", json!("closed")),
    ] {
        let events = forge.at(1, &format!("/resource_{kind}_events"));
        let events = forge.smith.get(events).await.is(200).json();
        assert_eq!(events[0]["created_at"], WAS_CREATED, "{events}");
        let shown = match &events[0][key] {
            Value::Object(thing) => thing.get("name").or(thing.get("title")).cloned(),
            other => Some(other.clone()),
        };
        assert_eq!(shown, Some(value), "{events}");
    }
    let page = t.browser("smith").await.get("/acme/forge/-/issues/1").await.is(200).text();
    assert!(page.contains("Note a") && page.contains("Note c"), "{page}");
}

#[testkit::story]
async fn what_comes_again_comes_once(t: TestServer) {
    let mut forge = Forge::begin(&t).await;
    let all = || {
        json!([
            {"type": "label", "name": "iron", "color": "#ff0000"},
            issue(1, json!({"labels": ["iron"]})),
            note(1, "a", json!({})),
            event(1, "1", json!({"event": "closed"})),
        ])
    };
    forge.bring(&t, all()).await;
    forge.bring(&t, all()).await;
    let notes = forge.smith.get(forge.at(1, "/notes")).await.is(200);
    assert_eq!(notes.each("body"), [json!("Note a")]);
    let events = forge.smith.get(forge.at(1, "/resource_state_events")).await.is(200);
    assert_eq!(events.each("state"), [json!("closed")]);

    // In a later round it is written again where it changed there since, and only there.
    forge.import.round = 1;
    let later = "2020-03-04T05:06:07Z";
    let changed = json!([
        {"type": "label", "name": "iron", "color": "#00ff00"},
        issue(1, json!({"title": "Anew", "labels": ["gold"], "updated_at": later,
            "assignees": [person("smith")]})),
        note(1, "a", json!({"text": "Anew", "updated_at": later})),
    ]);
    forge.bring(&t, changed).await;
    let shown = forge.shown(1).await;
    assert_eq!((&shown["title"], &shown["labels"]), (&json!("Anew"), &json!(["gold"])));
    assert_eq!(shown["assignees"][0]["username"], "smith");
    let notes = forge.smith.get(forge.at(1, "/notes")).await.is(200);
    assert_eq!(notes.each("body"), [json!("Anew")]);
    let labels = forge.smith.get(forge.project.at("/labels?search=iron")).await.is(200);
    assert_eq!(labels.each("color"), [json!("#00ff00")]);

    let here = json!({"title": "Changed here"});
    t.admin().put(forge.at(1, "")).json(&here).await.is(200);
    forge
        .bring(&t, json!([issue(1, json!({"title": "Older", "updated_at": later}))]))
        .await;
    assert_eq!(forge.shown(1).await["title"], "Changed here");
}

#[testkit::story]
async fn texts_name_what_they_named_there(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let request = json!({"type": "merge_request", "number": 2, "title": "Two",
        "author": person("smith"), "state": "closed", "source_branch": "gone",
        "target_branch": "main", "created_at": CREATED, "updated_at": CREATED});
    let text = "#2, #1 and acme/source#2 by @smith and @jones: `#2 @jones`\u{0}";
    forge
        .bring(
            &t,
            json!([
                request,
                issue(1, json!({"description": text})),
                note(
                    1,
                    "a",
                    json!({"text":
                "/close\n<script>alert(1)</script> @jones"})
                )
            ]),
        )
        .await;
    let shown = forge.shown(1).await;
    let expected = "!2, #1 and !2 by @smith and `@jones`: `#2 @jones`";
    assert_eq!((&shown["description"], &shown["state"]), (&json!(expected), &json!("opened")));
    let page = t.browser("smith").await.get("/acme/forge/-/issues/1").await.is(200).text();
    assert!(!page.contains("<script>alert(1)"), "{page}");
    assert!(page.contains("/acme/forge/-/merge_requests/2"), "{page}");
}

#[testkit::story]
async fn what_cannot_be_written_is_refused_alone(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let here = json!({"title": "Made here"});
    let here = t.admin().post(forge.project.at("/issues")).json(&here).await.is(201).json();
    assert_eq!(here["iid"], 1);
    let milestone = json!({"type": "milestone", "number": -1, "title": "x",
        "created_at": CREATED, "updated_at": CREATED});
    for (object, conflict) in [
        (issue(1, json!({})), true),
        (issue(0, json!({})), false),
        (issue(i64::MAX, json!({})), false),
        (issue(2, json!({"description": "x".repeat(1_000_001)})), false),
        (note(9, "a", json!({})), false),
        (event(9, "a", json!({"event": "closed"})), false),
        (milestone, false),
    ] {
        let error = forge.try_bring(&t, json!([object])).await.expect_err("it is refused");
        let is_told = match conflict {
            true => matches!(error, Error::Conflict(_)),
            false => matches!(error, Error::Invalid(_) | Error::Unprocessable(_)),
        };
        assert!(is_told, "{error:?}");
    }
    let issues = forge.smith.get(forge.project.at("/issues")).await.is(200);
    assert_eq!(issues.each("title"), [json!("Made here")]);
}

/// All of a project, with nothing in it that is of this project alone.
#[derive(Debug, PartialEq)]
struct Whole {
    labels: Vec<Label>,
    milestones: Vec<Milestone>,
    issues: Vec<Issue>,
    notes: Vec<Note<Person>>,
    events: Vec<Event<Person>>,
}

impl Whole {
    async fn of(t: &TestServer, project_id: i64) -> Whole {
        t.app()
            .read(move |tx| Whole::read(tx, project_id))
            .await
            .expect("it can be read")
    }

    fn read(tx: &mut Tx<'_>, project_id: i64) -> Result<Whole> {
        let names: HashMap<i64, String> =
            tx.pairs(sql!("select id, username from users where id > $1"), (0_i64,))?;
        let mut who = |id: i64| -> Result<Person> {
            let username = names.get(&id).cloned().found("User")?;
            Ok(Person { id: username.clone(), username, name: None, email: None })
        };
        let mut whole = Whole {
            labels: Vec::new(),
            milestones: read::milestones(tx, project_id, 0, 100)?,
            issues: Vec::new(),
            notes: Vec::new(),
            events: Vec::new(),
        };
        let labels = read::labels(tx, project_id, 0, 100)?;
        whole.labels.extend(labels.into_iter().map(|(_, label)| label));
        let mut on = HashMap::new();
        for (id, issue) in read::issues(tx, project_id, 0, 100)? {
            on.insert(id, On::Issue(issue.number));
            whole.issues.push(issue.with_people(&mut who)?);
        }
        for (at, (_, note)) in read::notes(tx, ISSUE, &on, 0, 100)?.into_iter().enumerate() {
            let note = note.with_people(&mut who)?;
            let thread = note.thread.as_ref().map(|_| "thread".to_owned());
            whole.notes.push(Note { key: at.to_string(), thread, ..note });
        }
        for (at, event) in read::events(tx, &on, 0, 100)?.into_iter().enumerate() {
            let event = event.with_people(&mut who)?;
            whole.events.push(Event { key: at.to_string(), ..event });
        }
        Ok(whole)
    }

    fn objects(self) -> Vec<Object> {
        let labels = self.labels.into_iter().map(Object::Label);
        let milestones = self.milestones.into_iter().map(Object::Milestone);
        let issues = self.issues.into_iter().map(|issue| Object::Issue(Box::new(issue)));
        let notes = self.notes.into_iter().map(|note| Object::Note(Box::new(note)));
        let events = self.events.into_iter().map(Object::Event);
        labels.chain(milestones).chain(issues).chain(notes).chain(events).collect()
    }
}

#[testkit::story]
async fn what_goes_out_comes_in_the_same(t: TestServer) {
    let there = t.project_with("acme/there", "public").await;
    let (smith, jones) = (t.user("smith").await, t.user("jones").await);
    there.add(&jones, 30).await;
    let map = json!({"smith": smith.id, "jones": jones.id});
    let from = import(&t, there.id, ("project_file", "old.example"), map.clone()).await;
    let objects = json!([
        {"type": "label", "name": "iron", "color": "#ff0000", "priority": 2},
        {"type": "milestone", "number": 2, "title": "Spring", "is_closed": true,
            "start_date": "2020-01-01", "created_at": CREATED, "updated_at": CHANGED},
        issue(1, json!({"labels": ["iron"], "milestone": "Spring", "is_confidential": true,
            "assignees": [person("jones"), person("smith")], "issue_type": "incident",
            "reactions": [{"by": person("jones"), "name": "heart", "at": CREATED}]})),
        issue(5, json!({"is_closed": true, "closed_at": CHANGED, "author": person("jones"),
            "description": "by @smith of #1", "links": [{"number": 1, "link_type": "relates_to"}]})),
        note(1, "a", json!({"thread": "x", "resolved_at": CHANGED,
            "resolved_by": person("jones")})),
        note(1, "b", json!({"thread": "x", "resolved_at": CHANGED,
            "resolved_by": person("jones"), "is_internal": true})),
        note(5, "c", json!({"is_system": true, "text": "marked this issue as related to #1"})),
        event(5, "1", json!({"event": "closed"})),
        event(1, "2", json!({"event": "label_added", "label": "iron"})),
        event(1, "3", json!({"event": "weight", "weight": 7})),
    ]);
    bring(&t, &from, read_objects(objects)).await.expect("they are written");
    let before = Whole::of(&t, there.id).await;
    assert_eq!((before.issues.len(), before.notes.len(), before.events.len()), (2, 3, 3));
    let told = there.at("/issues/5/notes");
    let open = t.anonymous().get(&told).await.is(200);
    assert!(open.each("id").is_empty(), "what names a hidden issue is hidden, too");
    assert_eq!(jones.get(&told).await.is(200).each("system"), [json!(true)]);

    let here = t.project_with("acme/here", "public").await;
    let into = import(&t, here.id, ("project_file", "old.example"), map).await;
    let objects = Whole::of(&t, there.id).await.objects();
    bring(&t, &into, objects).await.expect("they are written");
    assert_eq!(Whole::of(&t, here.id).await, before);
}
