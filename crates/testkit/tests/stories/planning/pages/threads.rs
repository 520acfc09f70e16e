//! Threads on an issue's page: resolved and opened again at their foot.

use super::ONE;
use serde_json::json;

const RESOLVE: &str = ">Resolve thread</button>";
const REOPEN: &str = ">Reopen thread</button>";

#[testkit::story]
async fn a_thread_is_resolved_at_its_foot_and_folded(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (jane, joe, ann) = (t.user("jane").await, t.user("joe").await, t.user("ann").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    project.add(&ann, 10).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let notes = project.at("/issues/1/notes");
    jane.post(&notes).json(&json!({"body": "alone"})).await.is(201);
    let browser = t.browser("jane").await;
    let page = browser.get(ONE).await.is(200).text();
    assert!(
        !page.contains(RESOLVE) && !page.contains("to resolve"),
        "a comment alone: {page}"
    );

    let discussions = project.at("/issues/1/discussions");
    let begun = joe.post(&discussions).json(&json!({"body": "Which oil?"})).await.is(201).json();
    let id = begun["id"].as_str().expect("an id").to_owned();
    let answer = json!({"body": "The brown one"});
    jane.post(format!("{discussions}/{id}/notes")).json(&answer).await.is(201);
    joe.post(&discussions).json(&json!({"body": "And the door?"})).await.is(201);
    let page = browser.get(ONE).await.is(200).text();
    assert_eq!(page.matches(RESOLVE).count(), 2, "{page}");
    assert!(page.contains("2 threads to resolve") && !page.contains("<details class=\"resolved\""));
    // Who began it may, another guest and strangers may not.
    for (who, buttons) in [("joe", 2), ("ann", 0)] {
        let page = t.browser(who).await.get(ONE).await.is(200).text();
        assert_eq!(page.matches(RESOLVE).count(), buttons, "{who}");
    }
    let page = t.anonymous().at(ONE).await.is(200).text();
    assert!(!page.contains(RESOLVE) && page.contains("2 threads to resolve"), "{page}");

    let foot = format!("{ONE}/discussions/{id}");
    t.browser("ann").await.post(&foot, &[("resolved", "true")]).await.is(403);
    let (to, page) = browser.submit(&foot, &[("resolved", "true"), ("page", "1")]).await;
    assert_eq!(to, format!("{ONE}#discussion_{id}"));
    assert!(
        page.contains("Thread resolved.") && page.contains("1 thread to resolve"),
        "{page}"
    );
    let folded = page.split("<details class=\"resolved\"").nth(1).expect("it is folded");
    assert!(folded.starts_with('>'), "closed");
    let folded = folded.split("</summary>").collect::<Vec<_>>();
    assert!(folded[0].contains("Resolved by jane, <time"), "{}", folded[0]);
    assert!(folded[0].contains("2 comments"), "{}", folded[0]);
    assert!(page.contains("The brown one") && page.contains(REOPEN));

    // An answer leaves it resolved; one that is refused stands open.
    let said = [("body", " "), ("discussion_id", id.as_str())];
    let blank = browser.post(&format!("{ONE}/notes"), &said).await.is(422).text();
    assert!(blank.contains("<details class=\"resolved\" open>"), "{blank}");
    let said = [("body", "Thanks"), ("discussion_id", id.as_str())];
    let (_, page) = browser.submit(&format!("{ONE}/notes"), &said).await;
    assert!(page.contains("3 comments") && page.contains("1 thread to resolve"), "{page}");
    // Shown alone it is not folded.
    let whole = browser.get(&format!("{ONE}?thread={id}")).await.is(200).text();
    assert!(whole.contains("<details class=\"resolved\" open>"), "{whole}");

    let (_, page) = browser.submit(&foot, &[("resolved", "false")]).await;
    assert!(
        page.contains("Thread reopened.") && page.contains("2 threads to resolve"),
        "{page}"
    );
    assert!(!page.contains(REOPEN));
    t.admin().post(project.at("/archive")).await.is(201);
    let page = browser.get(ONE).await.is(200).text();
    assert!(!page.contains(RESOLVE) && !page.contains(REOPEN), "nothing changes there");
    browser.post(&foot, &[("resolved", "true")]).await.is(403);
}

#[testkit::story]
async fn threads_to_resolve_are_counted_as_each_sees_them(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let discussions = project.at("/issues/1/discussions");
    let psst = json!({"body": "psst", "internal": true});
    jane.post(&discussions).json(&psst).await.is(201);
    let page = t.browser("jane").await.get(ONE).await.is(200).text();
    assert!(page.contains("1 thread to resolve"), "{page}");
    let page = t.browser("joe").await.get(ONE).await.is(200).text();
    assert!(!page.contains("to resolve"), "hidden threads are not counted: {page}");
    let copy = move |tx: &mut store::Tx<'_>| {
        for n in 0..100i64 {
            tx.execute(
                store::sql!(
                    "insert into notes (project_id, noteable_type, noteable_id, discussion_id,
                        in_thread, body, author_id, is_system, internal, created_at, updated_at)
                     select project_id, noteable_type, noteable_id, $1, in_thread, body, author_id,
                        is_system, internal, created_at, updated_at from notes where internal limit 1"
                ),
                (format!("{n:040}"),),
            )?;
        }
        Ok(())
    };
    t.app().write(copy).await.expect("it is written");
    let page = t.browser("jane").await.get(ONE).await.is(200).text();
    assert!(page.contains("99+ threads to resolve"), "{page}");
}
