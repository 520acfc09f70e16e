//! What people write about alerts: notes, answers and reactions, who is told
//! of them, and who may not.

use crate::alerts::graphql::{data, done, of_project, refused};
use crate::alerts::{Desk, administer};
use serde_json::{Value, json};
use testkit::service::{Service, challenge, set, solved};
use testkit::{TestServer, TestUser};

const NOTE: &str = "note{id body bodyHtml system author{username} discussion{id replyId}}";
const ONE: &str = "/acme/anvil/-/alert_management/1";
const DETAILS: &str = "/acme/anvil/-/alert_management/1/details";

const FLOOD: &str = "http://a http://b http://c";

/// A project with an alert, two developers, and the alert as an input.
async fn desk(t: &TestServer) -> (Desk, TestUser, TestUser, String) {
    let desk = Desk::new(t, "acme/anvil").await;
    desk.send(json!({"title": "Disk"})).await.is(200);
    let (jane, carl) = (t.user("jane").await, t.user("carl").await);
    desk.project.add(&jane, 30).await;
    desk.project.add(&carl, 30).await;
    let id = &desk.only_alert().await["id"];
    let about = format!("noteableId:\"gid://service/AlertManagement::Alert/{id}\"");
    (desk, jane, carl, about)
}

/// Subjects of the mails to somebody.
fn subjects(t: &TestServer, to: &str) -> Vec<String> {
    let sent = t.app().mailer().sent().into_iter();
    let address = format!("{to}@example.com");
    let sent = sent.filter(|mail| mail.to == address && mail.subject.contains(" | "));
    sent.map(|mail| mail.subject)
        .filter(|subject| subject.contains("alert#"))
        .collect()
}

#[testkit::story]
async fn notes_are_written_answered_changed_and_deleted(t: TestServer) {
    let (desk, jane, carl, about) = desk(&t).await;
    let text = "/close\\nlooks **full** <script>x()</script>";
    let made =
        done(&jane, "createNote", &format!("{about},body:\"{text}\""), NOTE).await["note"].clone();
    // Commands are for issues: here they are text.
    assert_eq!(made["body"], "/close\nlooks **full** <script>x()</script>");
    assert_eq!((&made["system"], &made["author"]["username"]), (&json!(false), &json!("jane")));
    let html = made["bodyHtml"].as_str().unwrap();
    assert!(html.contains("<strong>full</strong>") && !html.contains("<script"), "{html}");
    assert_eq!(desk.only_alert().await["status"], "triggered");

    let answer = format!("{about},body:\"on it\",discussionId:{}", made["discussion"]["replyId"]);
    let answer = done(&carl, "createNote", &answer, NOTE).await["note"].clone();
    assert_eq!(answer["discussion"]["id"], made["discussion"]["id"]);
    let talk = "alertManagementAlert(iid:\"1\"){notes(filter:ONLY_COMMENTS){nodes{body}} \
        discussions(filter:ONLY_COMMENTS){nodes{notes{nodes{body}}}}}";
    let shown = of_project(&jane, talk).await;
    assert_eq!(shown["notes"]["nodes"].as_array().map(Vec::len), Some(2));
    assert_eq!(shown["discussions"]["nodes"][0]["notes"]["nodes"][1]["body"], "on it");

    let mine = format!("id:{}", made["id"]);
    refused(&carl, "updateNote", &format!("{mine},body:\"x\"")).await;
    refused(&carl, "destroyNote", &mine).await;
    let changed =
        done(&jane, "updateNote", &format!("{mine},body:\"was full\""), "note{body}").await;
    assert_eq!(changed["note"]["body"], "was full");
    let blank = done(&jane, "updateNote", &format!("{mine},body:\" \""), "note{body}").await;
    assert_eq!(blank, json!({"note": null, "errors": ["Note can't be blank"]}));
    let react = format!("awardableId:{},name:\"tada\"", made["id"]);
    let award = done(&carl, "awardEmojiAdd", &react, "awardEmoji{name}").await;
    assert_eq!(award["awardEmoji"]["name"], "tada");
    let query =
        format!("{{note(id:{}){{awardEmoji{{nodes{{user{{username}}}}}} url}}}}", made["id"]);
    let note = data(&jane, &query).await["note"].clone();
    assert_eq!(note["awardEmoji"]["nodes"][0]["user"]["username"], "carl");
    assert!(note["url"].as_str().unwrap().contains("/-/alert_management/1/details#note_"));
    // What the program tells stays as it is.
    let told = of_project(
        &t.admin(),
        "alertManagementAlert(iid:\"1\"){notes(filter:ONLY_ACTIVITY){nodes{id}}}",
    )
    .await;
    let told = &told["notes"]["nodes"][0]["id"];
    refused(&t.admin(), "updateNote", &format!("id:{told},body:\"x\"")).await;

    assert_eq!(
        done(&jane, "destroyNote", &mine, "note{id}").await,
        json!({"note": null, "errors": []})
    );
    assert_eq!(data(&jane, &query).await, json!({"note": null}));
    assert_eq!(of_project(&jane, talk).await["notes"]["nodes"], json!([{"body": "on it"}]));
}

#[testkit::story]
async fn only_who_sees_alerts_talks_about_them(t: TestServer) {
    let (desk, jane, _, about) = desk(&t).await;
    let made =
        done(&jane, "createNote", &format!("{about},body:\"x\""), NOTE).await["note"].clone();
    let (rita, zoe) = (t.user("rita").await, t.user("zoe").await);
    desk.project.add(&rita, 20).await;
    for client in [&*rita, &*zoe, &t.anonymous()] {
        refused(client, "createNote", &format!("{about},body:\"x\"")).await;
        refused(client, "updateNote", &format!("id:{},body:\"x\"", made["id"])).await;
        refused(client, "destroyNote", &format!("id:{}", made["id"])).await;
        refused(client, "awardEmojiAdd", &format!("awardableId:{},name:\"tada\"", made["id"]))
            .await;
        let query = format!("{{note(id:{}){{body}}}}", made["id"]);
        assert_eq!(data(client, &query).await["note"], Value::Null);
    }
    // An answer goes where its discussion is.
    desk.send(json!({"title": "Other"})).await.is(200);
    let other = desk.alerts().await[0]["id"].clone();
    let elsewhere = format!(
        "noteableId:\"gid://service/AlertManagement::Alert/{other}\",body:\"x\",\
        discussionId:{}",
        made["discussion"]["id"]
    );
    refused(&jane, "createNote", &elsewhere).await;
    t.admin().post(desk.project.at("/archive")).await.is(201);
    refused(&jane, "createNote", &format!("{about},body:\"x\"")).await;
}

#[testkit::story]
async fn what_notes_name_leads_there_for_who_may_see_it(t: TestServer) {
    let (desk, jane, _, about) = desk(&t).await;
    let rita = t.user("rita").await;
    desk.project.add(&rita, 20).await;
    jane.post(desk.project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    let (issue, alert) = (
        "/acme/anvil/-/issues/1",
        "href=\"/acme/anvil/-/alert_management/1/details\" title=\"Disk\"",
    );

    let named = format!("{about},body:\"like #1 and ^alert#1, not ^alert#2\"");
    done(&jane, "createNote", &named, NOTE).await;
    let body = json!({"body": "of ^alert#1 and acme/anvil^alert#1"});
    jane.post(desk.project.at("/issues/1/notes")).json(&body).await.is(201);

    let details = t.browser("jane").await.get(DETAILS).await.is(200).text();
    assert!(
        details.contains(&format!("like <a href=\"{issue}\" title=\"Hinge\"")),
        "{details}"
    );
    assert!(details.contains(alert) && details.contains("not ^alert#2"), "{details}");
    let shown = t.browser("jane").await.get(issue).await.is(200).text();
    assert_eq!(shown.matches(alert).count(), 2, "{shown}");
    let hidden = t.browser("rita").await.get(issue).await.is(200).text();
    assert!(
        hidden.contains("of ^alert#1 and acme/anvil^alert#1") && !hidden.contains("Disk"),
        "{hidden}"
    );
}

#[testkit::story]
async fn one_click_leaves_a_thread_about_an_alert(t: TestServer) {
    let (_, jane, carl, about) = desk(&t).await;
    let say = async |user: &TestUser, text: &str| {
        done(user, "createNote", &format!("{about},body:\"{text}\""), NOTE).await;
        t.settle().await;
    };
    say(&carl, "a").await;
    say(&jane, "b").await;
    assert_eq!(subjects(&t, "carl").len(), 1);
    let threads = t.app().mailer().threads();
    let headers = threads.last().cloned().flatten().expect("a thread").headers;
    let value = |name: &str| {
        let found = headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    assert_eq!(value("X-Service-Alert-IID"), "1");
    let link = value("List-Unsubscribe");
    let link = link.split(['<', '>']).nth(1).unwrap_or_default();
    let link = link.trim_start_matches(t.app().base_url());
    let page = t.anonymous().request(http::Method::POST, link).await.is(200).text();
    assert!(page.contains("acme/anvil^alert#1"), "{page}");
    say(&jane, "c").await;
    assert_eq!(subjects(&t, "carl").len(), 1);
    say(&jane, "@carl").await;
    assert_eq!(subjects(&t, "carl").len(), 2);
}

#[testkit::story]
async fn who_is_named_or_takes_part_is_told(t: TestServer) {
    let (desk, jane, carl, about) = desk(&t).await;
    let rita = t.user("rita").await;
    desk.project.add(&rita, 20).await;
    t.settle().await;
    let named = format!("{about},body:\"@carl and @rita: what now?\"");
    done(&jane, "createNote", &named, NOTE).await;
    t.settle().await;
    let todos = carl.get("/todos").await.is(200).json();
    assert_eq!(
        (&todos[0]["target_type"], &todos[0]["action_name"], &todos[0]["target"]["iid"]),
        (&json!("AlertManagement::Alert"), &json!("directly_addressed"), &json!(1))
    );
    assert_eq!(rita.get("/todos").await.is(200).json(), json!([]), "she may not see alerts");
    assert_eq!(subjects(&t, "carl"), ["Re: anvil | Disk (^alert#1)"]);
    assert!(subjects(&t, "rita").is_empty() && subjects(&t, "jane").is_empty());
    let mails = t.app().mailer().sent();
    let mail = mails.iter().find(|mail| mail.subject.contains("alert#")).unwrap();
    assert!(
        mail.text
            .starts_with("jane commented on acme/anvil^alert#1:\n\n@carl and @rita"),
        "{}",
        mail.text
    );
    assert!(
        mail.text.contains("/acme/anvil/-/alert_management/1/details#note_"),
        "{}",
        mail.text
    );

    // Who answers has nothing to do any more; who wrote before takes part.
    done(&carl, "createNote", &format!("{about},body:\"wait\""), NOTE).await;
    t.settle().await;
    assert_eq!(carl.get("/todos").await.is(200).json(), json!([]));
    assert_eq!(subjects(&t, "jane").len(), 1);
    desk.project.add(&t.user("dora").await, 30).await;
    let dora = t.user("nora").await;
    desk.project.add(&dora, 30).await;
    let assign = json!({"assignee_ids": [dora.id]});
    jane.put(desk.alert(1)).json(&assign).await.is(200);
    done(&jane, "createNote", &format!("{about},body:\"yours\""), NOTE).await;
    t.settle().await;
    assert_eq!(subjects(&t, "nora").len(), 1, "she looks after it");
}

#[testkit::story]
async fn spam_is_no_note(t: TestServer) {
    let (desk, jane, _, about) = desk(&t).await;
    administer(&t, json!({"spam_blocked_domains": ["spam.example"]})).await;
    let query = format!(
        "mutation{{it:createNote(input:{{{about},body:\"https://spam.example/buy\"}}){{errors}}}}"
    );
    let answer = crate::alerts::graphql::ask(&jane, &query).await;
    assert!(answer.to_string().contains("recognized as spam"), "{answer}");
    assert_eq!(desk.notes(&t, 1).await.len(), 1);
}

#[testkit::story]
async fn a_page_takes_notes(t: TestServer) {
    let (desk, jane, _, _) = desk(&t).await;
    let browser = t.browser("jane").await;
    let notes = format!("{ONE}/notes");
    let (to, shown) = browser
        .submit(&notes, &[("body", "It is **full**\r\n<script>really()</script>")])
        .await;
    assert!(to.starts_with(DETAILS), "{to}");
    for text in [
        "Comment added.",
        "<strong>full</strong>",
        "aria-label=\"New comment\"",
        "Actions for the comment by jane",
        "<summary>Reply…</summary>",
    ] {
        assert!(shown.contains(text), "{text} is not in {shown}");
    }
    assert!(!shown.contains("<script>really"), "{shown}");
    let id = to.rsplit("note_").next().unwrap().to_owned();
    assert!(
        browser
            .post(&notes, &[("body", " ")])
            .await
            .is(422)
            .text()
            .contains("Can&#39;t be blank")
    );
    let one = format!("{notes}/{id}");
    let (_, shown) = browser.submit(&one, &[("body", "It was full")]).await;
    assert!(shown.contains("Comment updated.") && shown.contains("It was full"), "{shown}");
    let query = format!("{{note(id:\"gid://service/Note/{id}\"){{discussion{{id}}}}}}");
    let discussion = data(&jane, &query).await["note"]["discussion"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let hex = discussion.rsplit('/').next().unwrap();
    let (_, shown) = browser.submit(&notes, &[("body", "an answer"), ("discussion_id", hex)]).await;
    assert_eq!(shown.matches("class=\"thread\"").count(), 1, "{shown}");
    let thread = shown.split(&format!("id=\"discussion_{hex}\"")).nth(1).unwrap();
    assert!(thread.contains("It was full") && thread.contains("an answer"), "{thread}");
    // One discussion has a page of its own, and a note a form.
    let alone = browser.get(&format!("{DETAILS}?thread={hex}")).await.is(200).text();
    assert!(
        alone.contains("an answer") && alone.contains("Back to the whole alert"),
        "{alone}"
    );
    browser.get(&format!("{DETAILS}?thread=none")).await.is(404);
    let opened = browser.get(&format!("{DETAILS}?edit={id}")).await.is(200).text();
    assert!(opened.contains("Edit comment"), "{opened}");
    t.browser("carl").await.post(&one, &[("body", "x")]).await.is(403);
    // It is reached by the address of its own alert only.
    desk.send(json!({"title": "Other"})).await.is(200);
    let elsewhere = one.replace("/alert_management/1/", "/alert_management/2/");
    browser.post(&elsewhere, &[("body", "x")]).await.is(404);
    browser.post(&elsewhere, &[("delete", "1")]).await.is(404);
    let (_, shown) = browser.submit(&one, &[("delete", "1")]).await;
    assert!(shown.contains("Comment deleted.") && !shown.contains("It was full"), "{shown}");
    browser.post(&one, &[("delete", "1")]).await.is(404);
    let rita = t.user("rita").await;
    desk.project.add(&rita, 20).await;
    t.browser("rita").await.post(&notes, &[("body", "x")]).await.is(403);
    t.admin().post(desk.project.at("/archive")).await.is(201);
    browser.post(&notes, &[("body", "x")]).await.is(403);
    assert!(!browser.get(DETAILS).await.is(200).text().contains("New comment"));
}

#[testkit::story(noon)]
async fn a_solved_challenge_lets_forms_pass(t: TestServer) {
    let (desk, jane, _, _) = desk(&t).await;
    let verifier = Service::start().await;
    challenge(&t, &verifier).await;
    set(&t, json!({"spam_link_limit": 2})).await;
    verifier.answers(json!({"success": true}));
    let browser = t.browser("jane").await;
    let plain = browser.get(DETAILS).await.is(200);
    assert!(
        !plain.text().contains("site-1")
            && !plain.header("content-security-policy").contains("widgets")
    );

    let notes = format!("{ONE}/notes");
    let to = solved(&browser, &notes, &[("body", FLOOD)]).await;
    let id = to.rsplit("note_").next().unwrap();
    let query = format!("{{note(id:\"gid://service/Note/{id}\"){{discussion{{id}}}}}}");
    let thread = data(&jane, &query).await["note"]["discussion"]["id"].clone();
    let thread = thread.as_str().unwrap().rsplit('/').next().unwrap();
    solved(&browser, &notes, &[("body", FLOOD), ("discussion_id", thread)]).await;
    let other = "http://d http://e http://f";
    solved(&browser, &format!("{notes}/{id}"), &[("body", other)]).await;
    let talk = "alertManagementAlert(iid:\"1\"){discussions(filter:ONLY_COMMENTS){nodes{notes{nodes{body}}}}}";
    let said = &of_project(&jane, talk).await["discussions"]["nodes"];
    assert_eq!(said, &json!([{"notes": {"nodes": [{"body": other}, {"body": FLOOD}]}}]));

    // Of an incident nothing is typed: what counts is how fast they come.
    set(&t, json!({"spam_rate_limit_per_minute": 1})).await;
    let to = solved(&browser, &format!("{ONE}/incident"), &[]).await;
    assert_eq!(to, DETAILS);
    assert_eq!(desk.only_alert().await["issue_iid"], 1);
}

#[testkit::story]
async fn a_box_of_a_note_is_ticked(t: TestServer) {
    let _desk = desk(&t).await;
    let browser = t.browser("jane").await;
    let notes = format!("{ONE}/notes");
    let (to, shown) = browser.submit(&notes, &[("body", "- [ ] look\n- [ ] mend")]).await;
    let id = to.rsplit("note_").next().unwrap();
    let boxes = format!("{notes}/{id}/tasks");
    assert!(shown.contains(&format!("action=\"{boxes}\"")), "{shown}");
    let version = shown.split("name=\"version\" value=\"").nth(1).unwrap();
    let version = version.split('"').next().unwrap();
    let task = shown.split("name=\"task\" value=\"").nth(1).unwrap();
    let task = task.split('"').next().unwrap();
    let fields = [("task", task), ("version", version), ("page", "1")];
    let (to, shown) = browser.submit(&boxes, &fields).await;
    assert_eq!(to, format!("{DETAILS}#note_{id}"));
    assert!(shown.contains("Task marked as done."), "{shown}");
    assert!(shown.contains("aria-checked=\"true\""), "{shown}");
    // Of the text as it was, no box is ticked; and nobody else ticks hers.
    browser.post(&boxes, &fields).await.is(409);
    t.browser("carl").await.post(&boxes, &fields).await.is(403);
}

#[testkit::story]
async fn discussions_of_an_alert_stand_page_by_page(t: TestServer) {
    let _desk = desk(&t).await;
    let browser = t.browser("jane").await;
    let notes = format!("{ONE}/notes");
    let (first, _) = browser.submit(&notes, &[("body", "The very first")]).await;
    for n in 0..20 {
        browser.submit(&notes, &[("body", &format!("Number {n}."))]).await;
    }
    let newest = browser.get(DETAILS).await.is(200).text();
    assert!(newest.contains("Number 19.") && !newest.contains("The very first"), "{newest}");
    let second = browser.get(&format!("{DETAILS}?page=2")).await.is(200).text();
    let id = first.rsplit("note_").next().unwrap();
    assert!(second.contains("The very first"), "{second}");
    // An answer leads to the page where its discussion stands.
    let discussion = second.split(&format!("id=\"note_{id}\"")).next().unwrap();
    let discussion = discussion.rsplit("id=\"discussion_").next().unwrap();
    let discussion = discussion.split('"').next().unwrap();
    let fields = [("body", "An answer"), ("discussion_id", discussion), ("page", "1")];
    let (to, shown) = browser.submit(&notes, &fields).await;
    assert!(to.starts_with(&format!("{DETAILS}?page=2#note_")), "{to}");
    assert!(shown.contains("An answer"), "{shown}");
}
