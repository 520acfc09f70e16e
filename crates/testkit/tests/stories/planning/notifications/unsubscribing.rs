//! Ending the mails of one thread by the key of a mail.

use super::mail::{header, told};
use serde_json::json;
use testkit::{TestProject, TestServer, TestUser};

/// The path of the link that ends the mails of the thread.
pub async fn link(t: &TestServer, user: &TestUser) -> String {
    let (_, thread) = told(t, user).await.pop().expect("a mail");
    let ways = header(&thread, "List-Unsubscribe");
    let link = ways
        .split(['<', '>'])
        .nth(1)
        .and_then(|link| link.strip_prefix(t.app().base_url()));
    link.expect("an address of ours").to_owned()
}

/// A project with two issues that joe watches.
async fn watched(t: &TestServer) -> (TestProject, TestUser, TestUser) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 20).await;
    super::watch(&joe, &project, json!({"level": "watch"})).await;
    for title in ["One", "Two"] {
        jane.post(project.at("/issues")).json(&json!({"title": title})).await.is(201);
        t.settle().await;
    }
    (project, jane, joe)
}

#[testkit::story]
async fn one_click_ends_the_mails_of_one_thread(t: TestServer) {
    let (project, jane, joe) = watched(&t).await;
    let link = link(&t, &joe).await;
    let nobody = t.new_browser();
    // Looking changes nothing: programs look at links, too.
    let page = nobody.get(&link).await.is(200);
    assert!(page.text().contains("acme/anvil#2") && page.text().contains("Unsubscribe?"));
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    let note = |iid: i64, text: &str| {
        jane.post(project.at(&format!("/issues/{iid}/notes")))
            .json(&json!({"body": text}))
    };
    note(2, "still").await.is(201);
    assert_eq!(told(&t, &joe).await.len(), 3);
    // As mail programs send it.
    let form = "List-Unsubscribe=One-Click";
    for _ in 0..2 {
        let page = t.anonymous().request(http::Method::POST, &link).form(form).await.is(200);
        assert!(page.text().contains("You get no more mail about"));
    }
    note(2, "no more").await.is(201);
    note(1, "the other").await.is(201);
    assert_eq!(told(&t, &joe).await.len(), 4, "of the other thread alone");
    // Who is named is told.
    note(2, "@joe").await.is(201);
    assert_eq!(told(&t, &joe).await.len(), 5);
    let state = joe.get(project.at("/issues/2")).await.is(200).json();
    assert_eq!(state["subscribed"], json!(false));
}

#[testkit::story]
async fn the_link_at_the_foot_acts_for_who_is_signed_in(t: TestServer) {
    let (project, _, joe) = watched(&t).await;
    let link = link(&t, &joe).await;
    let at_once = format!("{link}?at_once=1");
    let subscribed = async || joe.get(project.at("/issues/2")).await.json()["subscribed"].clone();
    joe.post(project.at("/issues/2/subscribe")).await;
    // Nobody, somebody else, and the header's own link only look.
    t.new_browser().get(&at_once).await.is(200);
    let jane = t.browser("jane").await;
    assert!(jane.get(&at_once).await.is(200).text().contains("Unsubscribe?"));
    let browser = t.browser("joe").await;
    browser.get(&link).await.is(200);
    assert_eq!(subscribed().await, json!(true));
    assert!(browser.get(&at_once).await.is(200).text().contains("You get no more mail"));
    assert_eq!(subscribed().await, json!(false));
    joe.post(project.at("/issues/2/subscribe")).await.is(201);
    // The page's own form works for who is signed in, with the session's token.
    browser.get(&link).await.is(200);
    browser.post_bare(&link, &[]).await.is(403);
    browser.post(&link, &[]).await.is(200);
    assert_eq!(subscribed().await, json!(false));
}

#[testkit::story(noon)]
async fn keys_are_secret_end_and_cannot_be_guessed(t: TestServer) {
    let (project, _, joe) = watched(&t).await;
    let link = link(&t, &joe).await;
    let key = link.split('/').nth(3).unwrap_or_default().to_owned();
    assert_eq!(key.len(), 32);
    let stored = t.app().read(|tx| {
        Ok(tx.all::<(Vec<u8>,)>(store::sql!("select key_digest from sent_notifications"), ())?)
    });
    let stored = stored.await.unwrap();
    assert!(stored.len() == 2 && stored.iter().all(|(digest,)| digest.len() == 32));
    for wrong in ["0".repeat(32), "x".into(), key.to_uppercase(), "%00".into(), "a".repeat(5_000)] {
        let path = format!("/-/sent_notifications/{wrong}/unsubscribe");
        let reply = t.anonymous().request(http::Method::POST, &path).await;
        assert!([400, 404, 414].contains(&reply.status), "{wrong}: {}", reply.status);
    }
    // Its page tells nothing of what its user may see no longer.
    t.admin().delete(project.at(&format!("/members/{}", joe.id))).await.is(204);
    let page = t.new_browser().get(&link).await.is(200).text();
    assert!(!page.contains("acme/anvil"), "{page}");
    // It is good for ninety days, and then forgotten.
    t.advance(89 * 86_400);
    t.new_browser().get(&link).await.is(200);
    crate::spaces::run_job(&t, "planning.forget_sent_notifications").await;
    t.new_browser().get(&link).await.is(200);
    t.advance(86_400);
    // Strangers are led to sign in where there is nothing for them.
    t.new_browser().get(&link).await.is(302);
    crate::spaces::run_job(&t, "planning.forget_sent_notifications").await;
    let left = t
        .app()
        .read(|tx| Ok(tx.one::<i64>(store::sql!("select count(*) from sent_notifications"), ())?));
    assert_eq!(left.await.unwrap(), 0);
    // One address tries so many a minute.
    let tries = (0..70).map(|_| t.new_browser());
    let mut refused = 0;
    for browser in tries {
        refused += usize::from(browser.get(&link).await.status == 429);
    }
    assert!(refused > 0, "tries are bounded");
}
