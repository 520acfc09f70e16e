//! Stories of issues that grew long: what a page costs, where an answer leads,
//! and what becomes of a thread whose beginning is gone.

use identity::viewer::Viewer;
use kernel::http::{Paging, Start};
use planning::store::issues::timeline::{Entry, MOST_COUNTED, MOST_SHOWN, Timeline};
use planning::store::notes::{ISSUE, Noteable, by_id};
use planning::store::upkeep::remove_issues;
use serde_json::json;
use std::time::{Duration, Instant};
use store::{Engine, Tx};
use testkit::{TestProject, TestServer};

/// Answers of the long thread, and threads of the long issue: more than are
/// counted.
const LONG: i64 = 30_000;
const MANY: i64 = 12_000;

const ONE: &str = "/acme/anvil/-/issues/1";

/// Adds notes to an issue: so many answers of one thread, and so many threads.
fn fill(tx: &mut Tx<'_>, issue: i64, answers: i64, threads: i64) -> store::Result<()> {
    let now = tx.now();
    for (count, name, begins) in [(answers, "'long'", "i = 1"), (threads, "i", "true")] {
        let insert = format!(
            "with recursive n (i) as (select 1 union all select i + 1 from n where i < $3)
             insert into notes (project_id, noteable_type, noteable_id, discussion_id, in_thread,
                body, is_system, internal, created_at, updated_at, begins, begins_in_public)
             select project_id, 'Issue', issues.id, issues.id || '-' || {name}, true,
                'answer ' || i, false, false, $2, $2, {begins}, {begins}
             from issues, n where issues.id = $1 order by i"
        );
        tx.execute(&insert, (issue, now, count))?;
    }
    Ok(())
}

async fn issue(t: &TestServer, project: &TestProject, title: &str) -> i64 {
    let body = json!({"title": title});
    t.admin().post(project.at("/issues")).json(&body).await.is(201).id()
}

/// How long the first page of an issue takes, and finding its newest answer.
fn about(issue_id: i64) -> Noteable {
    Noteable { kind: ISSUE, id: issue_id, project_id: None }
}

fn took(tx: &mut Tx<'_>, issue_id: i64, is_reporter: bool) -> kernel::error::Result<Duration> {
    let viewer = Viewer::Anonymous;
    let timeline = Timeline::new(tx, &viewer, about(issue_id), is_reporter);
    let paging = Paging { per_page: 50, start: Start::Page(1) };
    let newest: i64 = tx.one(
        "select max(id) from notes where noteable_id = $1 and body like 'answer 1%'",
        (issue_id,),
    )?;
    let newest = by_id(tx, newest)?.expect("it is there");
    let began = Instant::now();
    for _ in 0..20 {
        timeline.count(tx, &paging)?;
        let page = timeline.page(tx, &paging)?;
        assert_eq!(page.len(), 50);
        let Some(Entry::Said(long)) = page.first() else {
            panic!("a thread comes first: {page:?}");
        };
        assert_eq!(long.notes.len() as i64, MOST_SHOWN);
        timeline.place_of(tx, &newest)?;
    }
    Ok(began.elapsed())
}

#[testkit::story]
async fn a_long_issue_is_read_like_a_short_one(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (short, long) = (issue(&t, &project, "short").await, issue(&t, &project, "long").await);
    let engine = t.app().store().engine();
    let filled = t.app().write(move |tx| {
        fill(tx, short, 2 * MOST_SHOWN, 60)?;
        fill(tx, long, LONG, MANY)?;
        if engine == Engine::Postgres {
            tx.execute("analyze notes", ())?;
        }
        Ok(())
    });
    filled.await.expect("it is filled");
    for is_reporter in [true, false] {
        let times = t.app().read(move |tx| {
            took(tx, short, is_reporter)?;
            Ok((took(tx, short, is_reporter)?, took(tx, long, is_reporter)?))
        });
        let (small, large) = times.await.expect("they are read");
        // Generous: what looks at every note takes 100 times as long.
        assert!(large < small * 12, "{small:?} and {large:?}");
    }
    let shown = t.app().read(move |tx| {
        let viewer = Viewer::Anonymous;
        let timeline = Timeline::new(tx, &viewer, about(long), false);
        let paging = Paging { per_page: 50, start: Start::Page(1) };
        let (count, page) = (timeline.count(tx, &paging)?, timeline.page(tx, &paging)?);
        Ok((count, page.into_iter().next()))
    });
    let (count, first) = shown.await.expect("it is read");
    assert!((10_001..=10_002).contains(&count), "{count}");
    let Some(Entry::Said(first)) = first else { panic!("{first:?}") };
    assert_eq!(first.total, MOST_SHOWN + MOST_COUNTED + 1);
    let page = t.new_browser().get("/acme/anvil/-/issues/2").await.is(200).text();
    assert!(page.contains("More than 1,000 replies") && page.contains(">10,000+<"), "{page}");
}

#[testkit::story]
async fn an_answer_leads_to_where_it_stands(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let of = issue(&t, &project, "Hinge").await;
    let filled = t.app().write(move |tx| Ok(fill(tx, of, 120, 49)?));
    filled.await.expect("it is filled");
    let browser = t.browser("jane").await;
    browser.get(ONE).await.is(200);
    let notes = format!("{ONE}/notes");
    let long = format!("{of}-long");

    let (to, page) = browser
        .submit(&notes, &[("body", "the last word"), ("discussion_id", &long)])
        .await;
    assert!(to.starts_with(&format!("{ONE}?thread={long}&page=3#note_")), "{to}");
    assert!(page.contains("the last word") && page.contains("answer 120"), "{page}");
    assert!(!page.contains("show the whole thread"), "{page}");
    let (to, page) = browser.submit(&notes, &[("body", "something else")]).await;
    assert!(to.starts_with(&format!("{ONE}?page=2#note_")), "{to}");
    assert!(page.contains("something else"), "{page}");
    let second = format!("{of}-1");
    let (to, page) = browser
        .submit(&notes, &[("body", "in short"), ("discussion_id", &second)])
        .await;
    assert!(to.starts_with(&format!("{ONE}#note_")) && page.contains("in short"), "{to}");
}

#[testkit::story]
async fn a_page_of_long_notes_leads_to_their_texts(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 30).await;
    project.add(&joe, 10).await;
    let of = issue(&t, &project, "Hinge").await;
    let filled = t.app().write(move |tx| {
        fill(tx, of, 60, 49)?;
        let text = format!("It begins so, {}and so it ends.", "on and on ".repeat(10_000));
        tx.execute("update notes set body = $2 where noteable_id = $1", (of, text))?;
        Ok(tx.one::<i64>("select max(id) from notes where noteable_id = $1", (of,))?)
    });
    let last = filled.await.expect("it is filled");
    let browser = t.browser("jane").await;

    let page = browser.get(ONE).await.is(200).text();
    assert!(page.len() < 3 * 1024 * 1024, "{}", page.len());
    assert_eq!(page.matches("Show the whole comment").count(), 49);
    assert!(page.contains(" more replies: show the whole thread"));
    assert_eq!(page.matches("<li class=\"thread\"").count(), 50);
    let thread = browser.get(&format!("{ONE}?thread={of}-long")).await.is(200).text();
    assert!(thread.len() < 3 * 1024 * 1024, "{}", thread.len());
    assert_eq!(thread.matches("<article class=\"note\"").count(), 50);
    assert!(thread.matches("Show the whole comment").count() > 30);

    let whole = format!("{ONE}?note={last}");
    assert!(page.contains(&format!("href=\"{whole}\"")));
    let note = browser.get(&whole).await.is(200).text();
    assert!(note.contains("and so it ends.") && note.contains("Back to the whole issue"));
    let told = note.matches("<article class=\"note\"").count();
    assert_eq!((told, note.contains("Show the whole comment")), (1, false));

    // What is said among reporters is not shown alone, either, nor elsewhere.
    let hidden = t.app().write(move |tx| {
        Ok(tx.execute("update notes set internal = true where id = $1", (last,))?)
    });
    hidden.await.expect("it is for reporters");
    browser.get(&whole).await.is(200);
    t.browser("joe").await.get(&whole).await.is(404);
    issue(&t, &project, "Door").await;
    browser.get(&format!("/acme/anvil/-/issues/2?note={last}")).await.is(404);
}

#[testkit::story]
async fn a_thread_outlives_its_first_note(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 30).await;
    project.add(&joe, 10).await;
    issue(&t, &project, "Hinge").await;
    let discussions = project.at("/issues/1/discussions");
    let first = jane.post(&discussions).json(&json!({"body": "first"})).await.is(201).json();
    let answers = format!("{discussions}/{}/notes", first["id"].as_str().expect("an id"));
    let secret = json!({"body": "secret"});
    let secret = jane.post(&answers).json(&secret).await.is(201).id();
    let inside = t.app().write(move |tx| {
        Ok(tx.execute("update notes set internal = true where id = $1", (secret,))?)
    });
    inside.await.expect("it is for reporters");
    joe.post(&answers).json(&json!({"body": "third"})).await.is(201);

    let first = project.at(&format!("/issues/1/notes/{}", first["notes"][0]["id"]));
    t.admin().delete(first).await.is(204);
    let page = t.browser("jane").await.get(ONE).await.is(200).text();
    assert!(page.contains("<p>secret</p>") && page.contains("<p>third</p>"), "{page}");
    assert_eq!(page.matches("<li class=\"thread\"").count(), 1, "{page}");
    let page = t.browser("joe").await.get(ONE).await.is(200).text();
    assert!(!page.contains("<p>secret</p>") && page.contains("<p>third</p>"), "{page}");

    // So does an answer to what named an issue that is gone, alone or with its project.
    issue(&t, &project, "Door").await;
    link_and_answer(&t, &project, (&project, 2), "well linked").await;
    t.admin().delete(project.at("/issues/2")).await.is(204);
    let other = t.project("acme/nail").await;
    issue(&t, &other, "Head").await;
    link_and_answer(&t, &project, (&other, 1), "linked afar").await;
    let gone = other.id;
    let removed = t.app().write(move |tx| remove_issues(tx, gone, 100)).await;
    assert_eq!(removed.expect("they are removed"), 1);
    let page = t.browser("joe").await.get(ONE).await.is(200).text();
    assert!(page.contains("<p>well linked</p>"), "{page}");
    assert!(page.contains("<p>linked afar</p>"), "{page}");
}

/// Links the first issue of a project to another one, and answers what is told of that.
async fn link_and_answer(
    t: &TestServer, project: &TestProject, (other, iid): (&TestProject, i64), answer: &str,
) {
    let discussions = project.at("/issues/1/discussions");
    let link = json!({"target_project_id": other.id, "target_issue_iid": iid});
    t.admin().post(project.at("/issues/1/links")).json(&link).await.is(201);
    let told = t.admin().get(&discussions).await.is(200).json();
    let told = told.as_array().expect("a list").iter().rev();
    let told = told.map(|one| &one["notes"][0]).find(|note| note["system"] == true);
    let note = told.expect("the link is told")["id"].as_i64().expect("an id");
    let id = t.app().read(move |tx| Ok(by_id(tx, note)?.expect("it is there").discussion_id));
    let id = id.await.expect("it has a discussion");
    let answers = format!("{discussions}/{id}/notes");
    t.admin().post(&answers).json(&json!({"body": answer})).await.is(201);
}
