//! What mails look like, and whom they reach of what happens to issues.

use super::{mails_to, watch};
use crate::spaces::run_job;
use kernel::mail::{Message, Thread};
use serde_json::json;
use testkit::{TestServer, TestUser};

/// The mails about issues and projects to somebody, with their threads.
pub async fn told(t: &TestServer, user: &TestUser) -> Vec<(Message, Thread)> {
    t.settle().await;
    let address = format!("{}@example.com", user.username);
    let mailer = t.app().mailer();
    let all = mailer.sent().into_iter().zip(mailer.threads());
    let of = all.filter(|(mail, _)| mail.to == address);
    of.filter_map(|(mail, thread)| Some((mail, thread?))).collect()
}

pub fn header<'t>(thread: &'t Thread, name: &str) -> &'t str {
    let found = thread.headers.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value.as_str()).unwrap_or_default()
}

#[testkit::story]
async fn a_thread_of_mails_is_one_and_says_what_it_is(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 20).await;
    let body = json!({"title": "Hinge, Bcc: eve@example.com", "assignee_ids": [joe.id],
        "description": "It *squeaks* <script>alert(1)</script> ![it](/a.png) @joe"});
    let issue = jane.post(project.at("/issues")).json(&body).await.is(201).id();
    t.settle().await;
    let say = async |path: &str, text: &str| {
        let to = project.at(&format!("/issues/1/{path}"));
        jane.post(to).json(&json!({"body": text})).await.is(201).json()
    };
    let first = say("discussions", "First").await;
    t.settle().await;
    let thread = first["id"].as_str().unwrap();
    let answer = say(&format!("discussions/{thread}/notes"), "Second").await;
    t.settle().await;
    jane.put(project.at("/issues/1"))
        .json(&json!({"state_event": "close"}))
        .await
        .is(200);
    let mails = told(&t, &joe).await;
    let ids: Vec<(&str, Vec<&str>)> = mails
        .iter()
        .map(|(_, one)| (one.id.as_str(), one.follows.iter().map(String::as_str).collect()))
        .collect();
    let (begins, note) = (format!("issue_{issue}"), format!("note_{}", first["notes"][0]["id"]));
    let reply = format!("note_{}", answer["id"]);
    assert_eq!(ids[0], (begins.as_str(), vec![]));
    assert_eq!(ids[1], (note.as_str(), vec![begins.as_str()]));
    assert_eq!(ids[2], (reply.as_str(), vec![begins.as_str(), note.as_str()]));
    assert_eq!((ids[3].0.len(), &ids[3].1), (24, &vec![begins.as_str()]));

    let (mail, thread) = &mails[0];
    assert_eq!(mail.subject, "anvil | Hinge, Bcc: eve@example.com (#1)");
    assert_eq!(mails[1].0.subject, format!("Re: {}", mail.subject));
    assert_eq!((thread.list.as_str(), thread.from.as_deref()), ("acme/anvil", Some("jane")));
    for (name, value) in [
        ("X-Service-Project", "anvil"),
        ("X-Service-Project-Id", project.id.to_string().as_str()),
        ("X-Service-Project-Path", "acme/anvil"),
        ("X-Service-Issue-ID", issue.to_string().as_str()),
        ("X-Service-Issue-IID", "1"),
        ("X-Service-Issue-State", "opened"),
        ("X-Service-ConfidentialIssue", "false"),
        ("X-Service-NotificationReason", "assigned"),
        ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
    ] {
        assert_eq!(header(thread, name), value, "{name}");
    }
    let talk = header(&mails[2].1, "X-Service-Discussion-ID");
    assert_eq!(talk, first["id"].as_str().unwrap());
    assert_eq!(header(&mails[3].1, "X-Service-Issue-State"), "closed");
    assert!(header(thread, "List-Unsubscribe").contains("/-/sent_notifications/"));

    // The text and the page say the same, and fetch nothing.
    let html = mail.html.as_deref().unwrap_or_default();
    assert!(html.contains("<em>squeaks</em>") && html.contains(">it</a>"), "{html}");
    assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
    for text in [html, mail.text.as_str()] {
        for part in ["jane made the issue acme/anvil#1", "You are told because", "at_once=1"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

#[testkit::story]
async fn names_in_mails_lead_where_their_reader_may_go(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    project.add(&jane, 20).await;
    project.add(&guest, 10).await;
    let secret = json!({"title": "Secret", "confidential": true});
    jane.post(project.at("/issues")).json(&secret).await.is(201);
    let body = json!({"title": "Open", "description": "See #1 and #2, @guest"});
    jane.post(project.at("/issues")).json(&body).await.is(201);
    let mails = told(&t, &guest).await;
    let html = mails[0].0.html.clone().unwrap_or_default();
    assert!(
        html.contains("/acme/anvil/-/issues/2\"") && !html.contains("issues/1\""),
        "{html}"
    );
    assert!(!html.contains("Secret"), "{html}");
}

#[testkit::story]
async fn milestones_and_labels_are_told_of(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe, fan) = (t.user("jane").await, t.user("joe").await, t.user("fan").await);
    for user in [&jane, &joe, &fan] {
        project.add(user, 20).await;
    }
    let made = json!({"title": "1.0"});
    let milestone = jane.post(project.at("/milestones")).json(&made).await.is(201).id();
    let label = json!({"name": "bug", "color": "red"});
    jane.post(project.at("/labels")).json(&label).await.is(201);
    fan.post(project.at("/labels/bug/subscribe")).await.is(201);
    fan.put(project.at("/notification_settings"))
        .json(&json!({"level": "disabled"}))
        .await
        .is(200);
    let hinge = json!({"title": "Hinge", "assignee_ids": [joe.id]});
    jane.post(project.at("/issues")).json(&hinge).await.is(201);
    assert_eq!((told(&t, &joe).await.len(), told(&t, &fan).await.len()), (1, 0));
    let set = async |change: serde_json::Value| {
        jane.put(project.at("/issues/1")).json(&change).await.is(200);
    };
    set(json!({"milestone_id": milestone})).await;
    set(json!({"milestone_id": 0})).await;
    assert_eq!((told(&t, &joe).await.len(), told(&t, &fan).await.len()), (3, 0));
    // Who asked to be told of a label is, at every level; others are not.
    set(json!({"add_labels": "bug"})).await;
    set(json!({"remove_labels": "bug"})).await;
    assert_eq!((told(&t, &joe).await.len(), told(&t, &fan).await.len()), (3, 1));
    let text = told(&t, &fan).await[0].0.text.clone();
    assert!(text.starts_with("jane gave acme/anvil#1 a label that you are subscribed to."));
    let with = json!({"title": "Door", "labels": "bug"});
    jane.post(project.at("/issues")).json(&with).await.is(201);
    assert_eq!(told(&t, &fan).await.len(), 2);
    // An edited note tells nobody; a description those whom it newly names.
    let note = json!({"body": "b"});
    let note = jane.post(project.at("/issues/1/notes")).json(&note).await.is(201).id();
    let known = told(&t, &joe).await.len();
    jane.put(project.at(&format!("/issues/1/notes/{note}")))
        .json(&json!({"body": "b @joe"}))
        .await
        .is(200);
    set(json!({"description": "for @fan"})).await;
    assert_eq!(told(&t, &joe).await.len(), known);
}

#[testkit::story]
async fn what_is_due_tomorrow_is_told_of_once(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe, fan) = (t.user("jane").await, t.user("joe").await, t.user("fan").await);
    for user in [&jane, &joe, &fan] {
        project.add(user, 20).await;
    }
    watch(&fan, &project, json!({"level": "custom", "issue_due": true})).await;
    let today = kernel::time::date_of(t.now());
    let day = |days: i64| (today + jiff::Span::new().days(days)).to_string();
    for (title, due) in [("Today", day(0)), ("Tomorrow", day(1)), ("Later", day(2))] {
        let body = json!({"title": title, "due_date": due, "assignee_ids": [joe.id]});
        jane.post(project.at("/issues")).json(&body).await.is(201);
    }
    let known = told(&t, &joe).await.len();
    // At ten to one, by whichever node looks first.
    let payload = json!({"day": day(1), "after": 0});
    crate::spaces::run_job_with(&t, "planning.tell_due", payload).await;
    let mails = told(&t, &joe).await;
    assert_eq!((mails.len() - known, told(&t, &fan).await.len()), (1, 1));
    let mail = &mails.last().unwrap().0;
    assert!(mail.subject.contains("Tomorrow") && mail.text.contains("is due tomorrow"));
    // Who wrote it takes part.
    assert_eq!(told(&t, &jane).await.len(), 1);
}

#[testkit::story(noon)]
async fn what_is_due_is_looked_for_once_a_day(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 20).await;
    // It is noon of the sixth.
    for due in ["2031-05-07", "2031-05-08"] {
        let body = json!({"title": due, "due_date": due, "assignee_ids": [joe.id]});
        jane.post(project.at("/issues")).json(&body).await.is(201);
    }
    let known = told(&t, &joe).await.len();
    for (seconds, expected) in [(0, 1), (60, 1), (12 * 3_600, 1), (49 * 60, 2), (3_600, 2)] {
        t.advance(seconds);
        run_job(&t, "planning.look_for_due").await;
        run_job(&t, "planning.look_for_due").await;
        assert_eq!(told(&t, &joe).await.len() - known, expected, "{}", t.now());
    }
}

#[testkit::story]
async fn who_may_not_know_by_then_is_told_nothing(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe, ann) = (t.user("jane").await, t.user("joe").await, t.user("ann").await);
    for user in [&jane, &joe, &ann] {
        project.add(user, 20).await;
    }
    watch(&joe, &project, json!({"level": "watch"})).await;
    watch(&ann, &project, json!({"level": "watch"})).await;
    let issue = |title: &str| jane.post(project.at("/issues")).json(&json!({"title": title}));
    t.admin().post(format!("/users/{}/block", joe.id)).await.is(201);
    issue("One").await.is(201);
    assert_eq!((told(&t, &joe).await.len(), told(&t, &ann).await.len()), (0, 1));
    // Nobody gets more than a thousand of a project on a day.
    let (user, place) = (ann.id, project.id);
    let counted = t.app().write(move |tx| {
        let today = kernel::time::date_of(tx.now());
        let place = (planning::notifications::store::SourceType::Project, place);
        planning::notifications::store::count_mail(tx, user, place, today)?;
        Ok(tx.execute(
            store::sql!("update notification_counts set mails = 1000 where user_id = $1"),
            (user,),
        )?)
    });
    counted.await.unwrap();
    issue("Two").await.is(201);
    assert_eq!(told(&t, &ann).await.len(), 1);
}

#[testkit::story]
async fn own_doings_are_told_of_if_asked_for(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let page = "/-/profile/notifications";
    let browser = t.browser("jane").await;
    browser.get(page).await.is(200);
    browser.submit(page, &[("boxes", "1"), ("own_activity", "1")]).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Mine"})).await.is(201);
    let mails = told(&t, &jane).await;
    assert_eq!(header(&mails[0].1, "X-Service-NotificationReason"), "own_activity");
    assert!(mails[0].0.text.contains("because you asked to be told of what you do"));
}

#[testkit::story]
async fn members_hear_that_a_project_moved(t: TestServer) {
    let project = t.project("acme/anvil").await;
    t.group("forge").await;
    let (joe, off) = (t.user("joe").await, t.user("off").await);
    let custom = t.user("custom").await;
    for user in [&joe, &off, &custom] {
        project.add(user, 10).await;
    }
    watch(&off, &project, json!({"level": "disabled"})).await;
    watch(&custom, &project, json!({"level": "custom", "moved_project": false})).await;
    let to = json!({"namespace": "forge"});
    t.admin().put(project.at("/transfer")).json(&to).await.is(200);
    let mails = told(&t, &joe).await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0].0.subject, "anvil | The project moved to forge/anvil");
    assert!(mails[0].0.text.contains("moved the project acme/anvil to forge/anvil"));
    assert!(told(&t, &off).await.is_empty() && told(&t, &custom).await.is_empty());
}

#[testkit::story]
async fn members_are_told_of_their_membership_whatever_they_want(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let joe = t.user("joe").await;
    joe.put("/notification_settings")
        .json(&json!({"level": "disabled"}))
        .await
        .is(200);
    let subjects = async || {
        t.settle().await;
        let sent = t.app().mailer().sent().into_iter();
        let own = sent.filter(|mail| mail.to == "joe@example.com");
        own.map(|mail| mail.subject).collect::<Vec<_>>()
    };
    project.add(&joe, 20).await;
    let mut expected = vec!["You are a member of the project acme/anvil"];
    assert_eq!(subjects().await, expected);
    let member = project.at(&format!("/members/{}", joe.id));
    t.admin().put(&member).json(&json!({"access_level": 20})).await.is(200);
    assert_eq!(subjects().await, expected, "nothing changed");
    let end = |days: i64| {
        let today = kernel::time::date_of(t.now());
        (today + jiff::Span::new().days(days)).to_string()
    };
    let change = json!({"access_level": 30, "expires_at": end(8)});
    t.admin().put(&member).json(&change).await.is(200);
    expected.push("Your role in the project acme/anvil changed");
    run_job(&t, "spaces.expire_members").await;
    assert_eq!(subjects().await, expected);
    let change = json!({"access_level": 30, "expires_at": end(7)});
    t.admin().put(&member).json(&change).await.is(200);
    expected.push("Your role in the project acme/anvil changed");
    // Twice, as two nodes would.
    run_job(&t, "spaces.expire_members").await;
    run_job(&t, "spaces.expire_members").await;
    expected.push("Your access to the project acme/anvil ends soon");
    assert_eq!(subjects().await, expected);
    assert_eq!(mails_to(&t, &joe), 4);
}
