//! Exports while they are written: limits, deaths, mails.

use super::exports::{all_turns, ask, at, bom, go_on, list};
use crate::spaces::{run_job, run_job_with};
use ::delivery::dependencies::exports::write::{Turns, write};
use ::delivery::dependencies::exports::{rules, store};
use kernel::mail::Message;
use serde_json::json;
use testkit::TestServer;

/// The mails about exports.
fn mails(t: &TestServer) -> Vec<Message> {
    let mut mails = t.app().mailer().sent();
    mails.retain(|mail| mail.subject.contains("dependencies of"));
    mails
}

#[testkit::story(noon)]
async fn five_of_somebody_are_written_at_once(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let [ada, ben] = [t.user("ada").await, t.user("ben").await];
    project.add(&ada, 30).await;
    project.add(&ben, 30).await;
    let turns = all_turns(&t);
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(ask(&ada, &project.at(""), "csv").await.is(201).id());
    }
    let refused = ask(&ada, &project.at(""), "csv").await.is(429);
    assert_eq!(refused.header("retry-after"), "5");
    ask(&ben, &project.at(""), "csv").await.is(201);

    go_on(&t, turns).await;
    for id in ids {
        assert_eq!(ada.get(at(id)).await.is(200).json()["status"], "finished");
    }
    ask(&ada, &project.at(""), "csv").await.is(201);
}

#[testkit::story(noon)]
async fn a_worker_that_dies_leaves_one_file(t: TestServer) {
    let project = t.project("acme/anvil").await;
    list(&t, &project, &bom()).await;
    let mut turns = all_turns(&t);
    let id = ask(&t.admin(), &project.at(""), "cyclonedx_1_6_json").await.is(201).id();
    t.settle().await;

    // One worker has written its file and dies; another begins anew, and a third, which
    // had lost its lease, ends last.
    let export = t.app().read(move |tx| store::by_id(tx, id)).await.unwrap().unwrap();
    let turn = turns.pop().unwrap();
    let lost = write(t.app(), export.clone(), turn).await.unwrap();
    let turn = t.app().kept::<Turns>().try_take().unwrap();
    let late = write(t.app(), export, turn).await.unwrap();
    go_on(&t, turns).await;
    let file = t.admin().get(format!("{}/download", at(id))).await.is(200).body;
    let ended = t.app().write(move |tx| rules::finish(tx, id, (&late.name, &late.stored)));
    ended.await.unwrap();
    run_job_with(&t, "delivery.write_dependency_export", json!({"export": id})).await;

    let again = t.admin().get(format!("{}/download", at(id))).await.is(200).body;
    assert_eq!(again, file, "what finished first stays");
    let key = lost.stored.key.clone();
    assert!(t.app().blobs().exists(&key).await.unwrap(), "it is left to the sweep of blobs");
    let named = t.app().read(move |tx| {
        let sql = ::store::sql!("select count(*) from blobs where key = $1");
        Ok(tx.one::<i64>(sql, (key.as_str(),))?)
    });
    assert_eq!(named.await.unwrap(), 0);
}

#[testkit::story(noon)]
async fn who_asked_is_told_by_mail(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let ada = t.user("ada").await;
    project.add(&ada, 30).await;
    list(&t, &project, &bom()).await;
    let wanted = json!({"export_type": "csv", "send_email": true});
    let exports = project.at("/dependency_list_exports");
    let made = ada.post(&exports).json(&wanted).await.is(201).json();
    assert_eq!(made["send_email"], true);
    t.settle().await;
    ask(&ada, &project.at(""), "csv").await.is(201);
    t.settle().await;
    let sent = mails(&t);
    assert_eq!(sent.len(), 1, "who does not ask for a mail gets none: {sent:?}");
    assert_eq!(sent[0].to, "ada@example.com");
    assert_eq!(sent[0].subject, "The dependencies of acme/anvil are exported");
    let link = format!(
        "Download it until 2031-05-13T12:00:00.000Z:\n\
         {}/acme/anvil/-/dependencies/exports/{}/download\n",
        t.url(),
        made["id"]
    );
    assert!(sent[0].text.contains(&link), "{}", sent[0].text);
    let browser = t.browser("ada").await;
    let to = format!("/acme/anvil/-/dependencies/exports/{}/download", made["id"]);
    assert!(browser.get(&to).await.is(200).text().starts_with("Name,Version,"));

    // One that does not end within a day has failed.
    let turns = all_turns(&t);
    let id = ada.post(&exports).json(&wanted).await.is(201).id();
    t.settle().await;
    t.advance(24 * 3600);
    run_job(&t, "delivery.sweep_dependency_exports").await;
    let failed = ada.get(at(id)).await.is(200).json();
    assert_eq!((&failed["status"], &failed["has_finished"]), (&json!("failed"), &json!(true)));
    ada.get(format!("{}/download", at(id))).await.is(404);
    let sent = mails(&t);
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[1].subject, "The export of the dependencies of acme/anvil failed");
    assert!(sent[1].text.contains("It could not be written within a day."));
    go_on(&t, turns).await;
    assert_eq!(ada.get(at(id)).await.is(200).json()["status"], "failed");
}

#[testkit::story(noon)]
async fn who_loses_the_right_meanwhile_gets_nothing(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let ada = t.user("ada").await;
    project.add(&ada, 30).await;
    list(&t, &project, &bom()).await;
    let turns = all_turns(&t);
    let wanted = json!({"export_type": "csv", "send_email": true});
    let exports = project.at("/dependency_list_exports");
    ada.post(&exports).json(&wanted).await.is(201);
    t.admin().delete(project.at(&format!("/members/{}", ada.id))).await.is(204);
    go_on(&t, turns).await;
    let sent = mails(&t);
    let last = sent.last().unwrap();
    assert_eq!(
        last.subject,
        format!("The export of the dependencies of project {} failed", project.id)
    );
    assert!(!last.text.contains("anvil"), "{}", last.text);
}
