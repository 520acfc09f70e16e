//! One mail for what happened in a day or a week.

use super::mail::told;
use crate::spaces::run_job;
use planning::notifications::digests::{DigestItem, claim};
use planning::notifications::many::seen_many;
use serde_json::json;
use testkit::{TestProject, TestServer, TestUser};

async fn chooses(t: &TestServer, user: &TestUser, path: &str, fields: &[(&str, &str)]) {
    let browser = t.browser(&user.username).await;
    browser.get(path).await.is(200);
    browser.submit(path, fields).await;
}

/// Somebody who watches a project and gets a mail a day, and who writes there.
async fn daily(t: &TestServer) -> (TestProject, TestUser, TestUser) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 20).await;
    let fields = [("level", "watch"), ("digest", "daily")];
    chooses(t, &joe, "/-/profile/notifications", &fields).await;
    (project, jane, joe)
}

#[testkit::story(noon)]
async fn a_day_of_news_is_one_mail(t: TestServer) {
    let (project, jane, joe) = daily(&t).await;
    for title in ["One", "Two"] {
        jane.post(project.at("/issues")).json(&json!({"title": title})).await.is(201);
    }
    let note = json!({"body": "It **squeaks**.\n\nMuch."});
    jane.post(project.at("/issues/1/notes")).json(&note).await.is(201);
    assert!(told(&t, &joe).await.is_empty());
    run_job(&t, "planning.send_digests").await;
    assert!(told(&t, &joe).await.is_empty(), "it waits for the morning");
    t.advance(18 * 3_600);
    // Twice, as two nodes would.
    run_job(&t, "planning.send_digests").await;
    run_job(&t, "planning.send_digests").await;
    let mails = told(&t, &joe).await;
    assert_eq!(mails.len(), 1);
    let (mail, thread) = &mails[0];
    assert_eq!(mail.subject, "Digest: 3 news of 2 threads");
    for part in [
        "One (acme/anvil#1)",
        "- jane made the issue acme/anvil#1\n",
        "- jane commented on acme/anvil#1: It squeaks.\n",
        "Two (acme/anvil#2)",
    ] {
        assert!(mail.text.contains(part), "{part}: {}", mail.text);
    }
    assert!(mail.html.as_deref().is_some_and(|html| html.contains("It squeaks.")));
    assert!(thread.id.starts_with(&format!("digest_{}_", joe.id)) && thread.follows.is_empty());
    // Nothing is told twice, and no empty mail leaves.
    t.advance(24 * 3_600);
    run_job(&t, "planning.send_digests").await;
    assert_eq!(told(&t, &joe).await.len(), 1);
}

#[testkit::story(noon)]
async fn a_place_has_its_own_rhythm(t: TestServer) {
    let (project, jane, joe) = daily(&t).await;
    let other = t.project("forge/door").await;
    other.add(&jane, 20).await;
    other.add(&joe, 20).await;
    chooses(&t, &joe, "/groups/acme/-/notification_settings", &[("digest", "weekly")]).await;
    chooses(&t, &joe, "/forge/door/-/notification_settings", &[("digest", "off")]).await;
    jane.post(other.at("/issues")).json(&json!({"title": "Now"})).await.is(201);
    assert_eq!(told(&t, &joe).await.len(), 1, "one mail for each thing");
    jane.post(project.at("/issues")).json(&json!({"title": "Later"})).await.is(201);
    t.settle().await;
    // Tuesday noon: the next Monday is six days away.
    t.advance(5 * 86_400);
    run_job(&t, "planning.send_digests").await;
    assert_eq!(told(&t, &joe).await.len(), 1);
    t.advance(18 * 3_600);
    run_job(&t, "planning.send_digests").await;
    assert_eq!(told(&t, &joe).await.len(), 2);
}

#[testkit::story(noon)]
async fn what_is_hidden_by_then_is_left_out(t: TestServer) {
    let (project, jane, joe) = daily(&t).await;
    for title in ["Shown", "Hidden", "Gone"] {
        jane.post(project.at("/issues")).json(&json!({"title": title})).await.is(201);
    }
    t.settle().await;
    t.admin()
        .put(project.at(&format!("/members/{}", joe.id)))
        .json(&json!({"access_level": 10}))
        .await
        .is(200);
    jane.put(project.at("/issues/2"))
        .json(&json!({"confidential": true}))
        .await
        .is(200);
    t.admin().delete(project.at("/issues/3")).await.is(204);
    t.advance(18 * 3_600);
    run_job(&t, "planning.send_digests").await;
    let mails = told(&t, &joe).await;
    assert_eq!(mails.len(), 1);
    let text = format!("{}{}", mails[0].0.text, mails[0].0.html.clone().unwrap_or_default());
    assert!(
        text.contains("Shown") && !text.contains("Hidden") && !text.contains("Gone"),
        "{text}"
    );
    // Who lost access altogether gets no mail at all.
    jane.post(project.at("/issues")).json(&json!({"title": "More"})).await.is(201);
    t.settle().await;
    t.admin().delete(project.at(&format!("/members/{}", joe.id))).await.is(204);
    t.advance(24 * 3_600);
    run_job(&t, "planning.send_digests").await;
    assert_eq!(told(&t, &joe).await.len(), 1);
}

/// Statements for what somebody is told of so many news that wait for them.
async fn statements(t: &TestServer, user: i64, most: i64) -> u64 {
    let app = t.app().clone();
    let read = t.app().write(move |tx| {
        let items: Vec<DigestItem> = claim(tx, user, most)?;
        assert_eq!(items.len() as i64, most);
        let news: Vec<_> = items.iter().map(|item| &item.news.0.news).collect();
        let users = identity::entities::load_basic(tx, &[user])?;
        let before = tx.statements();
        let seen = seen_many(&app, tx, &news, &users[&user])?;
        assert!(seen.iter().all(Option::is_some), "all of it shows");
        Ok(tx.statements() - before)
    });
    read.await.expect("they are read")
}

#[testkit::story(noon)]
async fn a_hundred_news_are_read_like_one(t: TestServer) {
    let (project, jane, joe) = daily(&t).await;
    for n in 1..=12 {
        let issue = json!({"title": format!("Issue {n}")});
        jane.post(project.at("/issues")).json(&issue).await.is(201);
        for internal in [false, true] {
            let note = json!({"body": "It squeaks.", "internal": internal});
            let notes = project.at(&format!("/issues/{n}/notes"));
            jane.post(notes).json(&note).await.is(201);
        }
    }
    t.settle().await;
    t.advance(18 * 3_600);
    let few = statements(&t, joe.id, 3).await;
    // The first three wait for an hour, as if their mail was on its way.
    let many = statements(&t, joe.id, 33).await;
    assert!(few > 0 && few == many, "{few} for three and {many} for 33");
}
