//! Issues in a browser: every form works without a script, and goes through
//! the rules that REST uses.

mod bulk;
mod dashboard;
mod lists;
mod notifications;
mod threads;

use serde_json::{Value, json};
use testkit::service::{Service, challenge, refused, set, solved};

const ISSUES: &str = "/acme/anvil/-/issues";
const ONE: &str = "/acme/anvil/-/issues/1";

const FLOOD: &str = "http://a http://b http://c";

#[testkit::story]
async fn an_issue_is_made_discussed_and_closed(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let browser = t.browser("jane").await;
    let page = browser.get(ISSUES).await.is(200).text();
    assert!(page.contains("No open issues") && page.contains("New issue"), "{page}");
    browser.get("/acme/anvil/-/issues/new").await.is(200);
    let (to, page) = browser
        .submit(
            ISSUES,
            &[
                ("title", "<b>Hinge"),
                ("description", "**squeaks** <script>x</script>"),
                ("issue_type", "issue"),
                ("labels", "door, bug"),
            ],
        )
        .await;
    assert_eq!(to, ONE);
    assert!(page.contains("Issue #1 created."), "{page}");
    assert!(page.contains("&#60;b&#62;Hinge") || page.contains("&lt;b&gt;Hinge"), "{page}");
    assert!(
        page.contains("<strong>squeaks</strong>") && !page.contains("<script>x"),
        "{page}"
    );
    assert!(page.contains("door") && page.contains("fill=\"#6699cc\""));

    let (_, page) = browser.submit(&format!("{ONE}/notes"), &[("body", "Oil *it*")]).await;
    assert!(page.contains("Oil <em>it</em>"), "{page}");
    let (_, page) = browser.submit(&format!("{ONE}/notes"), &[("body", "Hm.\r\n/bogus it")]).await;
    assert!(
        page.contains("There is no command /bogus") && page.contains("/bogus it"),
        "{page}"
    );
    let (_, page) = browser
        .submit(&format!("{ONE}/notes"), &[("body", ""), ("state_event", "close")])
        .await;
    assert!(page.contains("Reopen issue"), "{page}");
    let (_, page) = browser.submit(ONE, &[("action", "reopen")]).await;
    assert!(page.contains("Issue reopened.") && page.contains("Close issue"), "{page}");
    let (_, page) = browser
        .submit(&format!("{ONE}/notes"), &[("body", "done"), ("state_event", "close")])
        .await;
    assert!(page.contains(">done<") || page.contains("<p>done</p>"), "{page}");
    let issue = jane.get(project.at("/issues/1")).await.is(200).json();
    assert_eq!((&issue["state"], &issue["user_notes_count"]), (&json!("closed"), &json!(3)));
    let blank = browser.post(&format!("{ONE}/notes"), &[("body", " ")]).await.is(422).text();
    assert!(blank.contains("id=\"e-body\""), "{blank}");
}

#[testkit::story]
async fn marks_change_by_the_form_beside(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    let goal = jane
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201)
        .id()
        .to_string();
    jane.post(project.at("/issues"))
        .json(&json!({"title": "Hinge", "labels": "old"}))
        .await
        .is(201);
    let browser = t.browser("jane").await;
    browser.get(ONE).await.is(200);
    for (action, field, value) in [
        ("labels", "labels", "bug, door"),
        ("assignees", "assignees", "joe"),
        ("milestone", "milestone_id", goal.as_str()),
        ("due", "due_date", "2031-02-01"),
        ("weight", "weight", "3"),
        ("type", "issue_type", "incident"),
        ("severity", "severity", "high"),
        ("confidential", "", ""),
        ("lock", "", ""),
    ] {
        let sent = [("action", action), (field, value)];
        let some = if field.is_empty() { &sent[..1] } else { &sent[..] };
        let (to, page) = browser.submit(ONE, some).await;
        assert_eq!(to, ONE);
        assert!(page.contains("Issue updated."), "{action}: {page}");
    }
    let page = browser.get(ONE).await.is(200).text();
    for part in ["Confidential", "Locked", "incident", "/joe\"", ">1.0<", "1 Feb 2031"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let issue = jane.get(project.at("/issues/1")).await.is(200).json();
    assert_eq!((&issue["labels"], &issue["weight"]), (&json!(["bug", "door"]), &json!(3)));
    assert_eq!(
        (&issue["severity"], &issue["discussion_locked"]),
        (&json!("high"), &json!(true))
    );
    assert_eq!(issue["milestone"]["title"], "1.0");
    // One field is changed alone, and taken away by leaving it blank.
    browser.submit(ONE, &[("action", "weight"), ("weight", "")]).await;
    let issue = jane.get(project.at("/issues/1")).await.is(200).json();
    assert_eq!((&issue["weight"], &issue["due_date"]), (&Value::Null, &json!("2031-02-01")));
    for (action, field, typed) in [
        ("due", "due_date", "soon"),
        ("weight", "weight", "much"),
        ("assignees", "assignees", "no-one"),
    ] {
        let page = browser.post(ONE, &[("action", action), (field, typed)]).await.is(422).text();
        assert!(page.contains(&format!("e-{field}")), "{page}");
        assert!(page.contains(&format!("value=\"{typed}\"")), "{page}");
    }
    // Confidential now: a guest who is assigned sees it and changes nothing.
    let guest = t.browser("joe").await;
    let page = guest.get(ONE).await.is(200).text();
    assert!(!page.contains("name=\"due_date\"") && !page.contains("Close issue"), "{page}");
    guest.post(ONE, &[("action", "close")]).await.is(403);
    let other = t.user("other").await;
    project.add(&other, 10).await;
    t.browser("other").await.get(ONE).await.is(404);
    let edit = browser.get(&format!("{ONE}/edit")).await.is(200).text();
    assert!(edit.contains("value=\"Hinge\""));
    let (_, page) = browser
        .submit(&format!("{ONE}/edit"), &[("title", "Door"), ("description", "d")])
        .await;
    assert!(page.contains("Issue updated.") && page.contains(">Door"), "{page}");
    let blank = browser
        .post(&format!("{ONE}/edit"), &[("title", " "), ("description", "kept")])
        .await
        .is(422)
        .text();
    assert!(blank.contains("id=\"e-title\"") && blank.contains("kept"), "{blank}");
}

#[testkit::story]
async fn notes_are_changed_where_they_stand(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let note = joe
        .post(project.at("/issues/1/notes"))
        .json(&json!({"body": "mine"}))
        .await
        .is(201)
        .json();
    let secret = jane
        .post(project.at("/issues/1/notes"))
        .json(&json!({"body": "between us", "internal": true}))
        .await
        .is(201)
        .id();
    let browser = t.browser("joe").await;
    let page = browser.get(ONE).await.is(200).text();
    assert!(page.contains("mine") && !page.contains("between us"), "{page}");
    let at = |id: &Value| format!("{ONE}/notes/{id}");
    let (_, page) = browser.submit(&at(&note["id"]), &[("body", "ours")]).await;
    assert!(page.contains("<p>ours</p>") && page.contains("edited"), "{page}");
    let (_, page) = browser.submit(ONE, &[("action", "award"), ("name", "thumbsup")]).await;
    assert!(page.contains("1 vote"), "{page}");
    let (_, page) = browser.submit(ONE, &[("action", "award"), ("name", "thumbsup")]).await;
    assert!(page.contains("0 votes"), "{page}");
    let (_, page) = browser.submit(ONE, &[("action", "unsubscribe")]).await;
    assert!(page.contains(">Subscribe<"), "{page}");
    let talk = joe.get(project.at("/issues/1/discussions")).await.is(200).json();
    let first = talk
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["notes"][0]["id"] == note["id"]);
    let discussion = first.expect("a discussion")["id"].as_str().expect("an id").to_owned();
    browser
        .submit(&format!("{ONE}/notes"), &[("body", "again"), ("discussion_id", &discussion)])
        .await;
    let talk = joe
        .get(project.at(&format!("/issues/1/discussions/{discussion}")))
        .await
        .is(200)
        .json();
    assert_eq!(talk["notes"].as_array().map(Vec::len), Some(2));
    browser.post(&at(&json!(secret)), &[("body", "x")]).await.is(404);
    let other = t.user("other").await;
    project.add(&other, 10).await;
    t.browser("other")
        .await
        .post(&at(&note["id"]), &[("delete", "1")])
        .await
        .is(403);
    let (_, page) = browser.submit(&at(&note["id"]), &[("delete", "1")]).await;
    assert!(page.contains("Comment deleted.") && !page.contains("<p>ours</p>"), "{page}");
}

#[testkit::story]
async fn notes_and_events_stand_in_one_order(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    project.add(&jane, 20).await;
    project.add(&guest, 10).await;
    let goal = jane
        .post(project.at("/milestones"))
        .json(&json!({"title": "1.0"}))
        .await
        .is(201)
        .id();
    let begun = json!({"title": "Hinge", "labels": "door", "due_date": "2031-02-01"});
    jane.post(project.at("/issues")).json(&begun).await.is(201);
    jane.post(project.at("/issues/1/notes"))
        .json(&json!({"body": "first words"}))
        .await
        .is(201);
    for change in [
        json!({"add_labels": "<b>squeaky"}),
        json!({"milestone_id": goal}),
        json!({"weight": 5}),
        json!({"remove_labels": "<b>squeaky", "weight": null, "milestone_id": null}),
        json!({"state_event": "close"}),
    ] {
        jane.put(project.at("/issues/1")).json(&change).await.is(200);
    }
    jane.post(project.at("/issues/1/notes"))
        .json(&json!({"body": "between us", "internal": true}))
        .await
        .is(201);
    jane.post(project.at("/issues/1/notes"))
        .json(&json!({"body": "last words"}))
        .await
        .is(201);

    let page = t.browser("guest").await.get(ONE).await.is(200).text();
    let mut rest = page.as_str();
    for part in [
        "changed due date to February 1, 2031",
        "added the label",
        "door",
        "first words",
        "added the label",
        "squeaky",
        "set the milestone",
        "/-/milestones/1\">1.0</a>",
        "set the weight to 5",
        "closed this issue",
        "last words",
    ] {
        let at = rest
            .find(part)
            .unwrap_or_else(|| panic!("{part} is not where it should be: {page}"));
        rest = &rest[at + part.len()..];
    }
    for part in ["removed the label", "removed the milestone", "removed the weight"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<b>squeaky") && !page.contains("between us"), "{page}");
}

#[testkit::story]
async fn long_stories_have_pages(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let said = |n: i32| json!({"body": format!("word {n}.")});
    let mut first = Value::Null;
    for n in 0..50 {
        first = jane.post(project.at("/issues/1/notes")).json(&said(n)).await.is(201).json();
    }
    let browser = t.browser("jane").await;
    browser.get(ONE).await.is(200);
    let sent = browser
        .post(&format!("{ONE}/notes"), &[("body", "the last"), ("page", "1")])
        .await
        .is(303);
    let to = sent.header("location").to_owned();
    assert!(to.contains("?page=2#note_"), "{to}");
    let page = browser.get(&format!("{ONE}?page=2")).await.is(200).text();
    assert!(page.contains("the last") && !page.contains("word 49."), "{page}");
    // A refused text is shown again where it was typed, beside its fellows.
    let blank = [("body", " "), ("page", "2")];
    let page = browser.post(&format!("{ONE}/notes"), &blank).await.is(422).text();
    assert!(page.contains("the last") && page.contains("id=\"e-body\""), "{page}");
    let change = format!("{ONE}/notes/{}", first["id"]);
    let sent = browser.post(&change, &[("body", "word fifty"), ("page", "1")]).await.is(303);
    assert!(sent.header("location").ends_with(&format!("{ONE}#note_{}", first["id"])));
}

#[testkit::story]
async fn a_solved_challenge_lets_forms_pass(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let verifier = Service::start().await;
    challenge(&t, &verifier).await;
    set(&t, json!({"spam_link_limit": 2})).await;
    verifier.answers(json!({"success": true}));
    let browser = t.browser("jane").await;
    let plain = browser.get("/acme/anvil/-/issues/new").await.is(200);
    let policy = plain.header("content-security-policy");
    assert!(!plain.text().contains("site-1") && !policy.contains("widgets"), "{policy}");

    let flood = ("description", FLOOD);
    let fields = [("title", "Hinge"), flood, ("labels", "door")];
    let id = refused(&browser, ISSUES, &fields).await;
    let solution = [("spam_log_id", id.as_str()), ("g-recaptcha-response", "solved")];
    let other = [&[("title", "Other"), flood, ("labels", "")][..], &solution].concat();
    browser.post(ISSUES, &other).await.is(422);
    solved(&browser, ISSUES, &fields).await;
    solved(&browser, &format!("{ONE}/edit"), &[("title", "Door"), flood]).await;
    let note = [("body", FLOOD), ("internal", "1")];
    solved(&browser, &format!("{ONE}/notes"), &note).await;
    let notes = project.at("/issues/1/notes?activity_filter=only_comments");
    let id = jane.get(&notes).await.is(200).each("id")[0].to_string();
    solved(
        &browser,
        &format!("{ONE}/notes/{id}"),
        &[("body", "http://d http://e http://f")],
    )
    .await;

    let issue = jane.get(project.at("/issues/1")).await.is(200).json();
    assert_eq!((&issue["title"], &issue["description"]), (&json!("Door"), &json!(FLOOD)));
    let said = jane.get(&notes).await.is(200).json();
    assert_eq!(
        (&said[0]["body"], &said[0]["internal"]),
        (&json!("http://d http://e http://f"), &json!(true))
    );
}

#[testkit::story]
async fn answers_stand_below_what_they_answer(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    jane.post(project.at("/issues")).json(&json!({"title": "Hinge"})).await.is(201);
    let said = |body: &str| json!({"body": body});
    let discussions = project.at("/issues/1/discussions");
    let first = jane.post(&discussions).json(&said("asked first")).await.is(201).json();
    let id = first["id"].as_str().expect("an id").to_owned();
    let answers = format!("{discussions}/{id}/notes");
    jane.post(&discussions).json(&said("asked second")).await.is(201);
    let hidden = json!({"body": "between us", "internal": true});
    jane.post(project.at("/issues/1/notes")).json(&hidden).await.is(201);
    joe.post(&answers).json(&said("answered late")).await.is(201);

    let browser = t.browser("joe").await;
    let page = browser.get(ONE).await.is(200).text();
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    assert!(at("asked first") < at("answered late") && at("answered late") < at("asked second"));
    assert!(!page.contains("between us"), "{page}");

    // A form to answer stands with its thread, also when it is refused.
    let blank = [("body", " "), ("discussion_id", id.as_str())];
    let page = browser.post(&format!("{ONE}/notes"), &blank).await.is(422).text();
    assert!(page.contains("<details class=\"reply\" open>"), "{page}");

    for n in 0..120 {
        joe.post(&answers).json(&said(&format!("again {n}."))).await.is(201);
    }
    let page = browser.get(ONE).await.is(200).text();
    assert!(page.contains("again 90.") && !page.contains("again 110."), "{page}");
    assert!(page.contains("22 more replies") && page.contains("asked second"), "{page}");
    let alone = format!("{ONE}?thread={id}");
    let page = browser.get(&format!("{alone}&page=3")).await.is(200).text();
    assert!(page.contains("again 110.") && !page.contains("asked second"), "{page}");
    browser.get(&format!("{ONE}?thread=none")).await.is(404);
}
