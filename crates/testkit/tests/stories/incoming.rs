//! Answers to mails, as a mail server hands them over
//! (docs/interface/collaboration.md 3.3).

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use testkit::{Client, INCOMING_TOKEN, TestProject, TestServer, TestUser};

/// Where the server takes mails, beside its API.
async fn hand_over(t: &TestServer, mail: &str) -> Value {
    let sent = handing(t, mail, &format!("Bearer {INCOMING_TOKEN}"));
    sent.await.is(200).json()["outcome"].clone()
}

fn handing(t: &TestServer, mail: &str, shown: &str) -> testkit::Request {
    let bytes = mail.replace('\n', "\r\n").into_bytes();
    let request = t.anonymous().request(Method::POST, "/-/incoming_mail");
    request.header("authorization", shown).bytes(bytes)
}

/// The key in the last mail to somebody that can be answered: who was added to a project
/// is told by another job, whose mail may come later.
fn key(t: &TestServer, user: &TestUser) -> String {
    let mailer = t.app().mailer().clone();
    let to = format!("{}@example.com", user.username);
    let mut mails = mailer.sent().into_iter().zip(mailer.threads());
    let last = mails.rfind(|(mail, thread)| mail.to == to && thread.is_some());
    let headers = last.expect("a mail").1.expect("a thread").headers;
    let header = |name: &str| headers.iter().find(|(known, _)| known == name);
    let address = &header("Reply-To").expect("an address to answer to").1;
    let key = address.split_once("reply+").and_then(|(_, rest)| rest.split_once('@'));
    key.expect("a key in the address").0.to_owned()
}

fn mail(from: &str, key: &str, id: &str, text: &str) -> String {
    format!(
        "From: {from}\nTo: anvil <reply+{key}@in.example>\nSubject: Re: anvil\n\
         Message-ID: <{id}@example.com>\nContent-Type: text/plain; charset=utf-8\n\n{text}\n"
    )
}

/// An issue of Jane's that Joe got mail of, and the key in it.
async fn told(t: &TestServer) -> (TestProject, TestUser, TestUser, String) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 30).await;
    project.add(&joe, 20).await;
    let issue = json!({"title": "A hinge", "assignee_ids": [joe.id]});
    jane.post(project.at("/issues")).json(&issue).await.is(201);
    t.settle().await;
    let key = key(t, &joe);
    (project, jane, joe, key)
}

async fn notes(client: &Client, project: &TestProject) -> Vec<Value> {
    let path = project.at("/issues/1/notes?sort=asc&activity_filter=only_comments");
    client.get(path).await.is(200).json().as_array().expect("notes").clone()
}

#[testkit::story]
async fn an_answer_becomes_a_note_of_who_got_the_mail(t: TestServer) {
    let (project, jane, joe, key) = told(&t).await;
    let text = "It creaks, grün.\n\nOn Mon, 23 Nov 2026 at 10:01, jane <tenon@example.com> wrote:\n\
                > What about it?\n>\n> -- \n> You are told because";
    assert_eq!(hand_over(&t, &mail("Joe <Joe@Example.com>", &key, "1", text)).await, "noted");
    let said = notes(&jane, &project).await;
    assert_eq!((said.len(), &said[0]["body"]), (1, &json!("It creaks, grün.")));
    assert_eq!(said[0]["author"]["username"], "joe");

    // An answer to the mail of a note stands in its thread.
    t.settle().await;
    let answer = mail("jane@example.com", &self::key(&t, &jane), "2", "Oil it.");
    assert_eq!(hand_over(&t, &answer).await, "noted");
    let threads = joe.get(project.at("/issues/1/discussions")).await.is(200).json();
    let thread = threads
        .as_array()
        .expect("threads")
        .iter()
        .find(|one| one["notes"].as_array().is_some_and(|notes| notes.len() == 2));
    let bodies: Vec<&Value> = thread.expect("a thread of both")["notes"]
        .as_array()
        .expect("notes")
        .iter()
        .map(|note| &note["body"])
        .collect();
    assert_eq!(bodies, ["It creaks, grün.", "Oil it."]);
}

#[testkit::story]
async fn an_answer_carries_out_quick_actions(t: TestServer) {
    let (project, jane, _, key) = told(&t).await;
    let answer = mail("joe@example.com", &key, "1", "/close\n/estimate 2h\n\n-- \nJoe");
    assert_eq!(hand_over(&t, &answer).await, "noted");
    let issue = jane.get(project.at("/issues/1")).await.is(200).json();
    assert_eq!(
        (&issue["state"], &issue["time_stats"]["time_estimate"]),
        (&json!("closed"), &json!(7200))
    );
    assert_eq!(notes(&jane, &project).await.len(), 0);
}

#[testkit::story]
async fn forged_and_looping_mail_is_dropped(t: TestServer) {
    let (project, jane, joe, key) = told(&t).await;
    let other = "0".repeat(32);
    let known = t.app().mailer().sent().len();
    for answer in [
        mail("eve@example.com", &key, "1", "I am Joe."),
        mail("jane@example.com", &key, "2", "I am Joe."),
        mail("joe@example.com", &other, "3", "With no key."),
        mail("joe@example.com", "' or 1=1", "4", "With no key."),
        format!("Auto-Submitted: auto-replied\n{}", mail("joe@example.com", &key, "5", "Away.")),
        format!("Precedence: bulk\n{}", mail("joe@example.com", &key, "6", "A list.")),
        "From: joe@example.com\nTo: info@in.example\n\nBuy!\n".to_owned(),
        "no mail at all".to_owned(),
        String::new(),
    ] {
        assert_eq!(hand_over(&t, &answer).await, "dropped", "{answer}");
    }
    t.admin().post(format!("/users/{}/block", joe.id)).await.is(201);
    let answer = mail("joe@example.com", &key, "7", "Blocked.");
    assert_eq!(hand_over(&t, &answer).await, "dropped");
    t.settle().await;
    assert_eq!(notes(&jane, &project).await.len(), 0);
    // Nobody is written to who may not have written.
    assert_eq!(t.app().mailer().sent().len(), known);
}

#[testkit::story]
async fn only_a_mail_server_hands_mails_over(t: TestServer) {
    let (project, jane, _, key) = told(&t).await;
    let answer = mail("joe@example.com", &key, "1", "No.");
    for shown in ["", "Bearer ", "Bearer wrong", INCOMING_TOKEN, "Basic Og=="] {
        handing(&t, &answer, shown).await.is(401);
    }
    assert_eq!(notes(&jane, &project).await.len(), 0);
}

#[testkit::story]
async fn copies_of_a_mail_act_once(t: TestServer) {
    let (project, jane, _, key) = told(&t).await;
    let answer = mail("joe@example.com", &key, "1", "Once.");
    let outcomes = join_all((0..6).map(|_| hand_over(&t, &answer))).await;
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == "noted").count(), 1);
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == "repeated").count(), 5);
    assert_eq!(notes(&jane, &project).await.len(), 1);
}

#[testkit::story]
async fn who_may_no_longer_answer_is_told_so_once(t: TestServer) {
    let (project, jane, joe, key) = told(&t).await;
    t.admin().delete(project.at(&format!("/members/{}", joe.id))).await.is(204);
    let known = t.app().mailer().sent().len();
    let answer = mail("joe@example.com", &key, "1", "Let me in.");
    assert_eq!(hand_over(&t, &answer).await, "refused");
    assert_eq!(hand_over(&t, &answer).await, "repeated");
    t.settle().await;
    let sent = t.app().mailer().sent().split_off(known);
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(
        (sent[0].to.as_str(), sent[0].subject.contains("hinge")),
        ("joe@example.com", false)
    );
    assert_eq!(notes(&jane, &project).await.len(), 0);
}

#[testkit::story]
async fn an_answer_that_says_nothing_is_refused(t: TestServer) {
    let (project, jane, _, key) = told(&t).await;
    let answer = mail("joe@example.com", &key, "1", "> Only a quote\n\n-- \nJoe");
    assert_eq!(hand_over(&t, &answer).await, "refused");
    assert_eq!(notes(&jane, &project).await.len(), 0);
}

#[testkit::story]
async fn files_and_html_come_along(t: TestServer) {
    let (project, jane, _, key) = told(&t).await;
    let answer = format!(
        "From: joe@example.com\nTo: reply+{key}@in.example\nMessage-ID: <1@example.com>\n\
         MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\
         Content-Type: text/html; charset=utf-8\n\n<p>See &amp; <b>tell</b></p>\
         <blockquote>What?</blockquote><script>alert(1)</script>\n--b\n\
         Content-Type: text/plain\nContent-Disposition: attachment; filename=\"log.txt\"\n\n\
         creak\n--b--\n"
    );
    assert_eq!(hand_over(&t, &answer).await, "noted");
    let said = notes(&jane, &project).await;
    let body = said[0]["body"].as_str().expect("a body");
    assert!(body.starts_with("See & tell") && !body.contains("What?"), "{body}");
    assert!(body.contains("[log.txt](/uploads/") && !body.contains("script"), "{body}");
}

#[testkit::story]
async fn a_key_counts_wherever_programs_leave_it(t: TestServer) {
    let (project, jane, _, key) = told(&t).await;
    for (n, header) in [
        format!("Delivered-To: reply+{key}@in.example"),
        format!("X-Original-To: <reply+{}@in.example>", key.to_uppercase()),
        format!("Cc: jane@example.com, reply+{key}@in.example"),
        format!("References: <issue_1@localhost> <reply-{key}@127.0.0.1>"),
    ]
    .iter()
    .enumerate()
    {
        let answer = format!(
            "From: joe@example.com\nTo: tenon@example.com\nMessage-ID: <{n}@x>\n{header}\n\nYes {n}.\n"
        );
        assert_eq!(hand_over(&t, &answer).await, "noted", "{header}");
    }
    assert_eq!(notes(&jane, &project).await.len(), 4);
}

#[testkit::story]
async fn a_mail_ends_the_mails_of_a_thread(t: TestServer) {
    let (project, jane, joe, key) = told(&t).await;
    let leaving = format!("From: anyone@example.com\nTo: reply+{key}-unsubscribe@in.example\n\n\n");
    assert_eq!(hand_over(&t, &leaving).await, "unsubscribed");
    let known = t.app().mailer().sent().len();
    jane.post(project.at("/issues/1/notes"))
        .json(&json!({"body": "Still?"}))
        .await
        .is(201);
    t.settle().await;
    let sent = t.app().mailer().sent().split_off(known);
    assert!(sent.iter().all(|mail| mail.to != "joe@example.com"), "{sent:?}");
    let again = json!({"body": "But you, @joe"});
    jane.post(project.at("/issues/1/notes")).json(&again).await.is(201);
    t.settle().await;
    assert_eq!(t.app().mailer().sent().len(), known + 1);
    let shown = joe.get(project.at("/issues/1")).await.is(200).json();
    assert_eq!(shown["subscribed"], json!(false));
}

#[testkit::story]
async fn what_few_were_told_is_answered_among_them(t: TestServer) {
    let (project, jane, joe, _) = told(&t).await;
    let internal = json!({"body": "Among us.", "internal": true});
    jane.post(project.at("/issues/1/notes")).json(&internal).await.is(201);
    t.settle().await;
    let answer = mail("joe@example.com", &key(&t, &joe), "1", "Agreed.");
    assert_eq!(hand_over(&t, &answer).await, "noted");
    let said = notes(&jane, &project).await;
    assert_eq!((&said[1]["body"], &said[1]["internal"]), (&json!("Agreed."), &json!(true)));
}

#[testkit::story]
async fn an_answer_becomes_a_note_of_an_epic(t: TestServer) {
    let group = t.group("acme").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    group.add(&jane, 20).await;
    group.add(&joe, 20).await;
    let body = json!({"title": "Ship it", "description": "@joe"});
    let epic = jane.post(group.at("/epics")).json(&body).await.is(201).json();
    t.settle().await;
    let key = key(&t, &joe);
    let file = format!(
        "From: joe@example.com\nTo: acme <reply+{key}@in.example>\nMessage-ID: <1@example.com>\n\
         MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n\
         --b\nContent-Type: text/plain\n\nLook:\n/label ~big\n\n> What about it?\n--b\n\
         Content-Type: text/plain\nContent-Disposition: attachment; filename=plan.txt\n\nfirst\n--b--\n"
    );
    assert_eq!(hand_over(&t, &file).await, "noted");
    let shown = jane.get(group.at("/epics/1")).await.is(200).json();
    assert_eq!(shown["labels"], json!(["big"]));
    let notes = group.at(&format!("/epics/{}/notes?activity_filter=only_comments", epic["id"]));
    let said = jane.get(&notes).await.is(200).json();
    assert_eq!(said[0]["author"]["username"], "joe");
    let text = said[0]["body"].as_str().unwrap_or_default().to_owned();
    let path = text.strip_prefix("Look:\n\n[plan.txt](/uploads/").expect("a file of the group");
    let path = path.trim_end_matches(')');
    let kept = jane.get(group.at(&format!("/uploads/{path}"))).await.is(200);
    assert_eq!(kept.text().trim(), "first");

    // Who may no longer write there is told so.
    t.admin().delete(group.at(&format!("/members/{}", joe.id))).await.is(204);
    let late = mail("joe@example.com", &key, "2", "Me again.");
    assert_eq!(hand_over(&t, &late).await, "refused");
    t.settle().await;
    let sent = t.app().mailer().sent();
    let refusal = sent.iter().find(|one| one.subject.starts_with("Your answer"));
    let refusal = refusal.expect("a refusal");
    assert_eq!(refusal.subject, "Your answer about the epic was not added");
    assert!(!refusal.text.contains("Ship it"), "{}", refusal.text);
}

/// The last mail to somebody.
fn last(t: &TestServer, user: &TestUser) -> String {
    let to = format!("{}@example.com", user.username);
    let mut mails = t.app().mailer().sent().into_iter();
    mails.rfind(|mail| mail.to == to).expect("a mail").text
}

#[testkit::story]
async fn refusals_say_why_in_plain_words(t: TestServer) {
    let (project, _, joe, key) = told(&t).await;
    let refused = async |id: &str, text: &str, why: &str| {
        let answer = mail("joe@example.com", &key, id, text);
        assert_eq!(hand_over(&t, &answer).await, "refused", "{why}");
        t.settle().await;
        let said = last(&t, &joe);
        let first = said.lines().next().expect("a line");
        assert_eq!(first, format!("Your answer by mail could not be added. {why}"));
    };
    refused("1", "> A quote", "It says nothing besides what it quotes.").await;
    let long = "too long ".repeat(120_000);
    refused("2", &long, "It is too long (maximum is 1000000 characters).").await;
    t.admin().post(project.at("/archive")).await.is(201);
    refused("3", "Still?", "You may not write there any longer.").await;
    t.admin().post(project.at("/unarchive")).await.is(201);
    t.admin().delete(project.at(&format!("/members/{}", joe.id))).await.is(204);
    let gone = "What you answered is gone, or you do not see it any longer.";
    refused("4", "Still?", gone).await;
}

fn with_file(key: &str, id: &str, text: &str) -> String {
    format!(
        "From: joe@example.com\nTo: reply+{key}@in.example\nMessage-ID: <{id}@example.com>\n\
         MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\
         Content-Type: text/plain; charset=utf-8\n\n{text}\n--b\n\
         Content-Type: text/plain\nContent-Disposition: attachment; filename=\"log.txt\"\n\n\
         creak {id}\n--b--\n"
    )
}

#[testkit::story]
async fn of_an_answer_that_is_no_note_no_file_is_kept(t: TestServer) {
    let (project, jane, _, key) = told(&t).await;
    let kept = async || {
        let list = t.admin().get(project.at("/uploads")).await.is(200);
        list.json().as_array().expect("uploads").len()
    };
    let long = "too long ".repeat(120_000);
    assert_eq!(hand_over(&t, &with_file(&key, "1", &long)).await, "refused");
    assert_eq!(kept().await, 0);
    t.settle().await;
    // Copies that come at once keep one.
    let answer = with_file(&key, "2", "See.");
    let outcomes = join_all((0..4).map(|_| hand_over(&t, &answer))).await;
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == "noted").count(), 1);
    assert_eq!((kept().await, notes(&jane, &project).await.len()), (1, 1));
    let body = notes(&jane, &project).await[0]["body"].clone();
    let shown = body.as_str().and_then(|text| text.split_once("](/uploads/")).expect("a file");
    let secret = shown.1.split('/').next().expect("a secret");
    let file = project.at(&format!("/uploads/{secret}/log.txt"));
    assert!(jane.get(file).await.is(200).text().starts_with("creak 2"));
}

#[testkit::story]
async fn administrators_are_told_of_mails_that_were_set_aside(t: TestServer) {
    let boss = t.user("boss").await;
    let admin = json!({"admin": true});
    t.admin().put(format!("/users/{}", boss.id)).json(&admin).await.is(200);
    let browser = t.browser("boss").await;
    let shown = browser.get("/admin/jobs").await.is(200).text();
    assert!(!shown.contains("Mails set aside"));
    let set_aside = t.app().write(|tx| {
        let now = tx.now();
        tx.execute(
            "insert into incoming_tries (mailbox, uid, tries, next_at, error, set_aside_at,
                created_at) values ('m', 4711, 10, $1, 'There is no room left.', $1, $1)",
            (now,),
        )?;
        Ok(())
    });
    set_aside.await.expect("a row");
    let shown = browser.get("/admin/jobs").await.is(200).text();
    for part in ["Mails set aside", "UID 4711", "There is no room left."] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}
