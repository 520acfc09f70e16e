//! What people want mail of, and the mail they get.

mod crowds;
mod digests;
mod epics;
mod mail;
mod unsubscribing;

use kernel::mail::Message;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::{Client, TestServer};
use testkit::{TestProject, TestUser};

const LEVELS: [&str; 5] = ["disabled", "mention", "participating", "watch", "custom"];

#[testkit::story]
async fn settings_are_shown_and_changed(t: TestServer) {
    let (group, project) = (t.group("acme").await, t.project("acme/anvil").await);
    let jane = t.user("jane").await;
    project.add(&jane, 10).await;
    let settings = "/notification_settings";
    let email = "jane@example.com";
    let shown = jane.get(settings).await.is(200).json();
    assert_eq!(shown, json!({"level": "participating", "notification_email": email}));
    for place in [group.at(settings), project.at(settings)] {
        assert_eq!(jane.get(&place).await.is(200).json(), json!({"level": "global"}));
    }
    let watch = json!({"level": "watch", "new_note": true});
    let changed = jane.put(settings).json(&watch).await.is(200).json();
    assert_eq!(changed, json!({"level": "watch", "notification_email": email}));

    // Switches that were set at another level are kept for later.
    let place = project.at(settings);
    jane.put(&place)
        .json(&json!({"level": "mention", "new_note": true}))
        .await
        .is(200);
    let custom = jane.put(&place).json(&json!({"level": "custom"})).await.is(200).json();
    let events = custom["events"].as_object().expect("events").clone();
    let on: Vec<&String> = events
        .iter()
        .filter(|(_, on)| **on == json!(true))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(on, ["new_note", "failed_pipeline", "fixed_pipeline", "moved_project"]);
    assert_eq!(events.len(), 20);
    assert_eq!(events.keys().next().map(String::as_str), Some("new_release"));
    let off = json!({"new_note": null, "failed_pipeline": false});
    let custom = jane.put(&place).json(&off).await.is(200).json();
    assert_eq!(
        (&custom["events"]["new_note"], &custom["events"]["failed_pipeline"]),
        (&json!(false), &json!(false))
    );
    // New epics are news of groups.
    let of_group = jane.put(group.at(settings)).json(&json!({"level": "custom"})).await;
    assert_eq!(of_group.is(200).json()["events"]["new_epic"], json!(false));
    assert!(!events.contains_key("new_epic"));
    // What one has set is nobody else's.
    let joe = t.user("joe").await;
    project.add(&joe, 10).await;
    assert_eq!(joe.get(&place).await.is(200).json(), json!({"level": "global"}));
}

#[testkit::story]
async fn wrong_settings_change_nothing(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, outsider) = (t.user("jane").await, t.user("outsider").await);
    project.add(&jane, 10).await;
    let (settings, place) = ("/notification_settings", project.at("/notification_settings"));
    for level in ["invalid", "2", ""] {
        let refused = jane.put(&place).json(&json!({"level": level, "new_note": true})).await;
        let text = format!("'{level}' is not a valid level");
        assert!(refused.is(400).text().contains(&text), "{level}");
    }
    let refused = jane.put(&place).json(&json!({"new_note": "perhaps"})).await.is(400);
    assert!(refused.text().contains("new_note is invalid"), "{}", refused.text());
    let foreign = json!({"level": "watch", "notification_email": "joe@example.com"});
    let refused = jane.put(settings).json(&foreign).await.is(400).json();
    let expected =
        json!({"message": {"notification_email": ["must be an email you have verified"]}});
    assert_eq!(refused, expected);
    assert_eq!(jane.get(settings).await.json()["level"], "participating");
    assert_eq!(jane.get(&place).await.json(), json!({"level": "global"}));
    t.anonymous().get(settings).await.is(401);
    t.anonymous().get(&place).await.is(401);
    outsider.get(&place).await.is(404);
    outsider.put(&place).json(&json!({"level": "watch"})).await.is(404);
}

#[testkit::story]
async fn mail_goes_to_a_confirmed_address(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 20).await;
    let body = json!({"email": "post@example.com", "skip_confirmation": true});
    let added = t.admin().post(format!("/users/{}/emails", jane.id)).json(&body).await.is(201);
    let there = json!({"notification_email": "post@example.com"});
    let set = jane.put("/notification_settings").json(&there).await.is(200).json();
    assert_eq!(set["notification_email"], "post@example.com");
    joe.post(project.at("/issues"))
        .json(&json!({"title": "Hinge", "description": "see @jane"}))
        .await
        .is(201);
    t.settle().await;
    assert_eq!(recipients(&t), BTreeSet::from(["post@example.com".to_owned()]));

    t.admin()
        .delete(format!("/users/{}/emails/{}", jane.id, added.id()))
        .await
        .is(204);
    let reset = jane.get("/notification_settings").await.json();
    assert_eq!(reset["notification_email"], "jane@example.com");
}

/// Sets what somebody wants of a project.
async fn watch(user: &TestUser, project: &TestProject, wanted: Value) {
    user.put(project.at("/notification_settings")).json(&wanted).await.is(200);
}

fn recipients(t: &TestServer) -> BTreeSet<String> {
    let sent = t.app().mailer().sent().into_iter();
    let about = sent.filter(|mail| !mail.subject.starts_with("You are a member"));
    about.map(|mail| mail.to).collect()
}

/// How people are tied to the issue.
const TIES: [&str; 6] = ["author", "assignee", "commenter", "mentioned", "subscriber", "bystander"];

/// What happens, and the switch of the custom level.
const EVENTS: [(&str, &str); 4] = [
    ("note", "new_note"),
    ("close", "close_issue"),
    ("reopen", "reopen_issue"),
    ("reassign", "reassign_issue"),
];

/// Who is told (docs/interface/collaboration.md 3.2): a row for each tie, a column
/// for each of `LEVELS`; the last is the custom level with this event switched on.
const TOLD: [(&str, [bool; 6]); 6] = [
    ("author", [false, false, true, true, true, true]),
    ("assignee", [false, false, true, true, true, true]),
    ("commenter", [false, false, true, true, true, true]),
    ("mentioned", [false, true, true, true, true, true]),
    ("subscriber", [true, true, true, true, true, true]),
    ("bystander", [false, false, false, true, false, true]),
];

/// One of each tie, in the order of `TIES`, who want the same.
type Tied = [TestUser; TIES.len()];

/// Those of each level, in the order of its columns.
async fn people(t: &TestServer, project: &TestProject) -> Vec<Tied> {
    let mut people = Vec::new();
    for column in 0..=LEVELS.len() {
        let mut tied = Vec::new();
        for tie in TIES {
            let user = t.user(&format!("{tie}-{column}")).await;
            project.add(&user, 20).await;
            let level = LEVELS[column.min(LEVELS.len() - 1)];
            watch(&user, project, json!({"level": level})).await;
            tied.push(user);
        }
        people.push(tied.try_into().expect("one of each tie"));
    }
    people
}

/// Has the people of the last column asked for this event alone.
async fn ask_for(project: &TestProject, people: &[Tied], wanted: &str) {
    let mut switches = json!({});
    for (_, switch) in EVENTS {
        switches[switch] = json!(switch == wanted);
    }
    for user in &people[LEVELS.len()] {
        watch(user, project, switches.clone()).await;
    }
}

/// An issue that they are tied to; its number.
async fn tied(
    project: &TestProject, [author, assignee, commenter, _, subscriber, _]: &Tied,
) -> i64 {
    let body = json!({"title": "Hinge", "assignee_ids": [assignee.id]});
    let made = author.post(project.at("/issues")).json(&body).await.is(201).json();
    let iid = made["iid"].as_i64().expect("a number");
    let issue = project.at(&format!("/issues/{iid}"));
    let note = json!({"body": "Yes."});
    commenter.post(format!("{issue}/notes")).json(&note).await.is(201);
    subscriber.post(format!("{issue}/subscribe")).await.is(201);
    iid
}

/// Does it, naming who is tied by being named.
async fn happens(owner: &Client, issue: &str, event: &str, people: &Tied, other: i64) {
    let [_, assignee, _, mentioned, ..] = people;
    let change = match event {
        "note" => {
            let named = json!({"body": format!("see @{}", mentioned.username)});
            owner.post(format!("{issue}/notes")).json(&named).await.is(201);
            return;
        }
        "reassign" => json!({"assignee_ids": [other, assignee.id]}),
        event => json!({"state_event": event}),
    };
    owner.put(issue).json(&change).await.is(200);
}

/// Demands that of these people those were told once who had to be, and the others not.
fn check_told(sent: &[Message], event: &str, (column, iid): (usize, i64), people: &Tied) {
    let number = format!("(#{iid})");
    for (user, (tie, row)) in people.iter().zip(TOLD) {
        // Only a note names anybody.
        if tie == "mentioned" && event != "note" {
            continue;
        }
        let address = address(user);
        let is_theirs = |mail: &&Message| mail.to == address && mail.subject.contains(&number);
        let told = sent.iter().filter(is_theirs).count();
        let level = LEVELS.get(column);
        assert_eq!(told, usize::from(row[column]), "{tie} at {level:?} of {event}");
    }
}

#[testkit::story]
async fn level_tie_and_event_say_who_is_told(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (owner, other) = (t.admin(), t.user("other").await);
    project.add(&other, 20).await;
    let people = people(&t, &project).await;
    for (event, switch) in EVENTS {
        ask_for(&project, &people, switch).await;
        let mut issues = Vec::new();
        for people in &people {
            let iid = tied(&project, people).await;
            let issue = project.at(&format!("/issues/{iid}"));
            if event == "reopen" {
                owner.put(&issue).json(&json!({"state_event": "close"})).await.is(200);
            }
            issues.push((iid, issue));
        }
        t.settle().await;
        let known = t.app().mailer().sent().len();
        for (people, (_, issue)) in people.iter().zip(&issues) {
            happens(&owner, issue, event, people, other.id).await;
        }
        t.settle().await;
        let sent = t.app().mailer().sent().split_off(known);
        for (column, (people, (iid, _))) in people.iter().zip(&issues).enumerate() {
            check_told(&sent, event, (column, *iid), people);
        }
    }
}

fn address(user: &TestUser) -> String {
    format!("{}@example.com", user.username)
}

fn mails_to(t: &TestServer, user: &TestUser) -> usize {
    let address = address(user);
    t.app().mailer().sent().iter().filter(|mail| mail.to == address).count()
}

#[testkit::story]
async fn the_nearest_setting_holds(t: TestServer) {
    let top = t.group("acme").await;
    let project = t.project("acme/tools/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    top.add(&joe, 20).await;
    t.settle().await;
    let told = async |title: &str| -> usize {
        let before = mails_to(&t, &joe);
        jane.post(project.at("/issues")).json(&json!({"title": title})).await.is(201);
        t.settle().await;
        mails_to(&t, &joe) - before
    };
    let set = async |path: String, level: &str| {
        joe.put(path).json(&json!({"level": level})).await.is(200);
    };
    let settings = "/notification_settings";
    assert_eq!(told("Nobody watches").await, 0);
    set(settings.to_owned(), "watch").await;
    assert_eq!(told("Everything").await, 1);
    set(top.at(settings), "mention").await;
    assert_eq!(told("Not in the group").await, 0);
    set(format!("/groups/acme%2Ftools{settings}"), "watch").await;
    assert_eq!(told("But below").await, 1);
    set(project.at(settings), "disabled").await;
    assert_eq!(told("Not this one").await, 0);
    set(project.at(settings), "global").await;
    assert_eq!(told("As below").await, 1);

    // Who lost access is told nothing, whatever they set.
    t.admin().delete(top.at(&format!("/members/{}", joe.id))).await.is(204);
    assert_eq!(told("Gone").await, 0);
}

#[testkit::story]
async fn watchers_learn_nothing_that_is_not_for_them(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    project.add(&jane, 20).await;
    project.add(&guest, 10).await;
    guest
        .put(project.at("/notification_settings"))
        .json(&json!({"level": "watch"}))
        .await
        .is(200);
    let secret = json!({"title": "Secret", "confidential": true});
    jane.post(project.at("/issues")).json(&secret).await.is(201);
    jane.post(project.at("/issues")).json(&json!({"title": "Open"})).await.is(201);
    let internal = json!({"body": "Among us.", "internal": true});
    jane.post(project.at("/issues/2/notes")).json(&internal).await.is(201);
    t.settle().await;
    let sent = t.app().mailer().sent();
    let subjects: Vec<&str> = sent
        .iter()
        .filter(|mail| mail.to == "guest@example.com" && mail.subject.contains(" | "))
        .map(|mail| mail.subject.as_str())
        .collect();
    assert_eq!(subjects, ["anvil | Open (#2)"]);
    // Who did it is not told of it, but of becoming a member.
    assert_eq!(mails_to(&t, &jane), 1);
}
