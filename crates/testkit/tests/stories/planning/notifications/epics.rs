//! Mail about epics: whom it reaches, and what it says.

use super::mail::{header, told};
use super::unsubscribing::link;
use super::{LEVELS, address};
use kernel::mail::Message;
use serde_json::{Value, json};
use testkit::{Client, TestGroup, TestServer, TestUser};

/// How people are tied to the epic.
const TIES: [&str; 5] = ["author", "commenter", "mentioned", "subscriber", "bystander"];

/// What happens, and the switch of the custom level; closing and opening have none.
const EVENTS: [(&str, &str); 4] =
    [("new", "new_epic"), ("note", "new_note"), ("close", ""), ("reopen", "")];

/// Who is told, as of issues: a row for each tie, a column for each of `LEVELS`; the
/// last is the custom level with this event switched on.
const TOLD: [[bool; 6]; 5] = [
    [false, false, true, true, true, true],
    [false, false, true, true, true, true],
    [false, true, true, true, true, true],
    [true, true, true, true, true, true],
    [false, false, false, true, false, true],
];

async fn made(by: &Client, group: &TestGroup, body: Value) -> Value {
    by.post(group.at("/epics")).json(&body).await.is(201).json()
}

async fn watch(user: &TestUser, group: &TestGroup, wanted: Value) {
    user.put(group.at("/notification_settings")).json(&wanted).await.is(200);
}

/// One of each tie, in the order of `TIES`, who want the same.
type Tied = [TestUser; TIES.len()];

/// Those of each level, in the order of its columns.
async fn people(t: &TestServer, group: &TestGroup) -> Vec<Tied> {
    let mut people = Vec::new();
    for column in 0..=LEVELS.len() {
        let mut body = json!({"level": LEVELS[column.min(LEVELS.len() - 1)]});
        for (_, switch) in EVENTS {
            body[switch] = json!(column == LEVELS.len());
        }
        let mut tied = Vec::new();
        for tie in TIES {
            let user = t.user(&format!("{tie}-{column}")).await;
            group.add(&user, 20).await;
            watch(&user, group, body.clone()).await;
            tied.push(user);
        }
        people.push(tied.try_into().expect("one of each tie"));
    }
    people
}

/// Makes an epic of theirs, which names the one of them.
async fn begin(group: &TestGroup, [author, _, mentioned, ..]: &Tied) -> Value {
    let text = format!("for @{}", mentioned.username);
    made(author, group, json!({"title": "Hinge", "description": text})).await
}

/// Has the others take part in their epic.
async fn take_part(group: &TestGroup, [_, commenter, _, subscriber, _]: &Tied, epic: &Value) {
    let notes = group.at(&format!("/epics/{}/notes", epic["id"]));
    commenter.post(notes).json(&json!({"body": "Yes."})).await.is(201);
    let subscribe = group.at(&format!("/epics/{}/subscribe", epic["iid"]));
    subscriber.post(subscribe).await.is(201);
}

/// Does it to their epic.
async fn happens(admin: &Client, group: &TestGroup, event: &str, people: &Tied, epic: &Value) {
    let [_, _, mentioned, ..] = people;
    match event {
        "note" => {
            let named = json!({"body": format!("see @{}", mentioned.username)});
            let notes = group.at(&format!("/epics/{}/notes", epic["id"]));
            admin.post(notes).json(&named).await.is(201);
        }
        event => {
            let epic = group.at(&format!("/epics/{}", epic["iid"]));
            admin.put(epic).json(&json!({"state_event": event})).await.is(200);
        }
    }
}

/// Demands that of these people those were told once who had to be, and the others not.
fn check_told(
    sent: &[Message], (event, switch): (&str, &str), column: usize, (people, epic): (&Tied, &Value),
) {
    let has_switch = !switch.is_empty() || column < LEVELS.len();
    let number = format!("(&{})", epic["iid"]);
    for ((user, tie), row) in people.iter().zip(TIES).zip(TOLD) {
        // Nobody is subscribed to what is new, nor told of what they do; who was named
        // is so by what names them.
        let is_moot = match event {
            "new" => ["author", "commenter", "subscriber"].contains(&tie),
            "note" => false,
            _ => tie == "mentioned",
        };
        if is_moot || !has_switch {
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
async fn level_tie_and_event_say_who_is_told_of_epics(t: TestServer) {
    let group = t.group("acme").await;
    let (people, admin) = (people(&t, &group).await, t.admin());
    let mut epics = Vec::new();
    for (event, switch) in EVENTS {
        t.settle().await;
        let known = t.app().mailer().sent().len();
        for (at, people) in people.iter().enumerate() {
            match event {
                "new" => epics.push(begin(&group, people).await),
                _ => happens(&admin, &group, event, people, &epics[at]).await,
            }
        }
        t.settle().await;
        let sent = t.app().mailer().sent().split_off(known);
        for (column, theirs) in people.iter().zip(&epics).enumerate() {
            check_told(&sent, (event, switch), column, theirs);
            if event == "new" {
                take_part(&group, theirs.0, theirs.1).await;
            }
        }
    }
}

#[testkit::story]
async fn a_thread_of_mails_says_which_epic_it_is_about(t: TestServer) {
    let group = t.group("acme/tools").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    group.add(&jane, 20).await;
    group.add(&joe, 20).await;
    let body = json!({"title": "Ship <it>, Bcc: eve@example.com",
        "description": "It is &1, *all* of it, @joe <script>alert(1)</script>"});
    let epic = made(&jane, &group, body).await;
    t.settle().await;
    let notes = group.at(&format!("/epics/{}/discussions", epic["id"]));
    let first = jane.post(&notes).json(&json!({"body": "First"})).await.is(201).json();
    t.settle().await;
    joe.post(group.at("/epics/1/subscribe")).await.is(201);
    jane.put(group.at("/epics/1?state_event=close")).await.is(200);
    let mails = told(&t, &joe).await;
    let begins = format!("epic_{}", epic["id"]);
    let ids: Vec<(&str, &[String])> =
        mails.iter().map(|(_, one)| (one.id.as_str(), one.follows.as_slice())).collect();
    // He takes no part before he asks to be told.
    assert_eq!(ids[0], (begins.as_str(), &[][..]));
    assert_eq!(ids.len(), 2, "{ids:?}");
    assert_eq!((ids[1].0.len(), ids[1].1), (24, &[begins.clone()][..]));
    let note = format!("note_{}", first["notes"][0]["id"]);
    assert!(mails.iter().all(|(_, one)| one.id != note));

    let (mail, thread) = &mails[0];
    assert_eq!(mail.subject, "tools | Ship <it>, Bcc: eve@example.com (&1)");
    assert_eq!(mails[1].0.subject, format!("Re: {}", mail.subject));
    assert_eq!((thread.list.as_str(), thread.from.as_deref()), ("acme/tools", Some("jane")));
    let (id, group_id) = (epic["id"].to_string(), group.id.to_string());
    for (name, value) in [
        ("X-Service-Group-Id", group_id.as_str()),
        ("X-Service-Group-Path", "acme/tools"),
        ("X-Service-Epic-ID", id.as_str()),
        ("X-Service-Epic-IID", "1"),
        ("X-Service-Epic-State", "opened"),
        ("X-Service-ConfidentialEpic", "false"),
        ("X-Service-NotificationReason", "mentioned"),
        ("X-Service-Project", ""),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
    ] {
        assert_eq!(header(thread, name), value, "{name}");
    }
    assert_eq!(header(&mails[1].1, "X-Service-Epic-State"), "closed");
    let html = mail.html.as_deref().unwrap_or_default();
    let page = format!("{}/groups/acme/tools/-/epics/1", t.app().base_url());
    assert!(html.contains("<em>all</em>") && !html.contains("<script"), "{html}");
    assert!(html.contains(&format!("href=\"{page}\" title=\"Ship &lt;it&gt;,")), "{html}");
    assert!(html.contains("acme/tools&#38;1"), "{html}");
    assert!(mail.text.contains("jane made the epic acme/tools&1"), "{}", mail.text);
    assert!(mail.text.contains(&page), "{}", mail.text);

    // One click ends it.
    let path = link(&t, &joe).await;
    assert!(t.new_browser().get(&path).await.is(200).text().contains("acme/tools&#38;1"));
    let form = "List-Unsubscribe=One-Click";
    t.anonymous().request(http::Method::POST, &path).form(form).await.is(200);
    assert_eq!(joe.get(group.at("/epics/1")).await.is(200).json()["subscribed"], false);
    jane.put(group.at("/epics/1?state_event=reopen")).await.is(200);
    assert_eq!(told(&t, &joe).await.len(), 2);
}

#[testkit::story]
async fn labels_and_new_names_are_told_of(t: TestServer) {
    let group = t.group("acme").await;
    let (jane, joe, fan) = (t.user("jane").await, t.user("joe").await, t.user("fan").await);
    for user in [&jane, &joe, &fan] {
        group.add(user, 20).await;
    }
    let label = json!({"name": "bug", "color": "red"});
    jane.post(group.at("/labels")).json(&label).await.is(201);
    fan.post(group.at("/labels/bug/subscribe")).await.is(201);
    watch(&fan, &group, json!({"level": "disabled"})).await;
    let numbers = async || (told(&t, &joe).await.len(), told(&t, &fan).await.len());
    made(&jane, &group, json!({"title": "Ship", "description": "@joe"})).await;
    assert_eq!(numbers().await, (1, 0));
    let set = async |change: Value| {
        jane.put(group.at("/epics/1")).json(&change).await.is(200);
    };
    set(json!({"add_labels": "bug"})).await;
    set(json!({"remove_labels": "bug"})).await;
    assert_eq!(numbers().await, (1, 1));
    made(&jane, &group, json!({"title": "Door", "labels": "bug"})).await;
    assert_eq!(numbers().await, (1, 2));
    set(json!({"description": "@joe and @fan"})).await;
    // At `disabled` nobody is told of being named.
    assert_eq!(numbers().await, (1, 2));
    watch(&fan, &group, json!({"level": "mention"})).await;
    set(json!({"description": "@joe"})).await;
    set(json!({"description": "@joe, @fan", "title": "Ship it"})).await;
    assert_eq!(numbers().await, (1, 3));
    let mail = &told(&t, &fan).await[2].0;
    assert!(mail.text.starts_with("jane named you in the epic acme&1:"), "{}", mail.text);
}

#[testkit::story]
async fn nobody_is_told_of_hidden_epics(t: TestServer) {
    let group = t.group("acme").await;
    let (jane, guest, ann) = (t.user("jane").await, t.user("guest").await, t.user("ann").await);
    let outsider = t.user("outsider").await;
    group.add(&jane, 20).await;
    group.add(&guest, 10).await;
    group.add(&ann, 20).await;
    for user in [&guest, &ann] {
        watch(user, &group, json!({"level": "watch"})).await;
    }
    let secret = json!({"title": "Hush", "confidential": true, "description": "@guest @outsider"});
    let hidden = made(&jane, &group, secret).await;
    let open = made(&jane, &group, json!({"title": "Open", "description": "@outsider"})).await;
    let say = async |epic: &Value, body: Value| {
        let path = group.at(&format!("/epics/{}/notes", epic["id"]));
        jane.post(path).json(&body).await.is(201);
    };
    say(&hidden, json!({"body": "Among us, @guest"})).await;
    say(&open, json!({"body": "Inside, @guest", "internal": true})).await;
    say(&open, json!({"body": "For all, but not &1"})).await;
    jane.put(group.at("/epics/1?state_event=close")).await.is(200);
    t.settle().await;
    let of = |mails: Vec<(Message, kernel::mail::Thread)>| -> Vec<String> {
        mails.into_iter().map(|(mail, _)| mail.text).collect()
    };
    let seen = of(told(&t, &guest).await);
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(seen.iter().any(|text| text.contains("jane made the epic acme&2")), "{seen:?}");
    let mails = told(&t, &guest).await;
    let note = mails.iter().find(|(mail, _)| mail.text.contains("For all"));
    let html = note.expect("a mail of the note").0.html.clone().unwrap_or_default();
    assert!(!html.contains("Hush") && !html.contains("epics/1"), "{html}");
    assert!(!seen.concat().contains("Hush"));
    assert_eq!(told(&t, &outsider).await.len(), 0);
    assert_eq!(told(&t, &ann).await.len(), 6);

    // Who lost access by the time the mail leaves is told nothing, nor anybody where
    // epics are off, or the group sends none.
    jane.put(group.at("/epics/2?state_event=close")).await.is(200);
    t.admin().delete(group.at(&format!("/members/{}", guest.id))).await.is(204);
    assert_eq!(told(&t, &guest).await.len(), 2);
    assert_eq!(told(&t, &ann).await.len(), 7);
    for switch in ["epics_enabled", "emails_enabled"] {
        t.settle().await;
        jane.put(group.at("/epics/2?state_event=reopen")).await.is(200);
        let off = group.at(&format!("?{switch}=false"));
        t.admin().put(&off).await.is(200);
        assert_eq!(told(&t, &ann).await.len(), 7, "{switch}");
        t.admin().put(off.replace("false", "true")).await.is(200);
    }
}

#[testkit::story(noon)]
async fn the_nearest_group_says_how_and_where(t: TestServer) {
    let (top, tools) = (t.group("acme").await, t.group("acme/tools").await);
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    top.add(&jane, 20).await;
    top.add(&joe, 20).await;
    let count = async || {
        made(&jane, &tools, json!({"title": "Ship"})).await;
        told(&t, &joe).await.len()
    };
    assert_eq!(count().await, 0);
    watch(&joe, &top, json!({"level": "custom", "new_epic": true})).await;
    assert_eq!(count().await, 1);
    watch(&joe, &tools, json!({"level": "participating"})).await;
    assert_eq!(count().await, 1);
    watch(&joe, &tools, json!({"level": "global"})).await;
    assert_eq!(count().await, 2);

    // A thousand a day of one group, and no more.
    let user = joe.id;
    let counted = t.app().write(move |tx| {
        Ok(tx.execute(
            store::sql!("update notification_counts set mails = 1000 where user_id = $1"),
            (user,),
        )?)
    });
    assert_eq!(counted.await.unwrap(), 1);
    assert_eq!(count().await, 2);

    // As one mail a day, on the next morning.
    let form = [("level", "watch"), ("digest", "daily"), ("notification_email", "")];
    let page = "/groups/acme/-/notification_settings";
    t.browser("joe").await.post(page, &form).await.is(303);
    watch(&joe, &top, json!({"level": "watch"})).await;
    assert_eq!(count().await, 2);
    t.advance(24 * 3_600);
    crate::spaces::run_job(&t, "planning.send_digests").await;
    let mails = told(&t, &joe).await;
    let mail = &mails[2].0;
    assert_eq!(mail.subject, "Digest: 1 news of acme/tools&6");
    assert!(mail.text.contains("jane made the epic acme/tools&6"), "{}", mail.text);
}
