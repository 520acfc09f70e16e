//! Issues in a browser: every form works without a script, and goes through
//! the rules that REST uses.

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
    assert!(
        page.contains("Nothing is open") && page.contains("New issue"),
        "{page}"
    );
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
    assert!(page.contains("Issue #1 is made."), "{page}");
    assert!(
        page.contains("&#60;b&#62;Hinge") || page.contains("&lt;b&gt;Hinge"),
        "{page}"
    );
    assert!(
        page.contains("<strong>squeaks</strong>") && !page.contains("<script>x"),
        "{page}"
    );
    assert!(page.contains("door") && page.contains("fill=\"#6699cc\""));

    let (_, page) = browser
        .submit(&format!("{ONE}/notes"), &[("body", "Oil *it*")])
        .await;
    assert!(page.contains("Oil <em>it</em>"), "{page}");
    let (_, page) = browser
        .submit(
            &format!("{ONE}/notes"),
            &[("body", ""), ("state_event", "close")],
        )
        .await;
    assert!(page.contains("Reopen issue"), "{page}");
    let (_, page) = browser.submit(ONE, &[("action", "reopen")]).await;
    assert!(
        page.contains("The issue is open again.") && page.contains("Close issue"),
        "{page}"
    );
    let (_, page) = browser
        .submit(
            &format!("{ONE}/notes"),
            &[("body", "done"), ("state_event", "close")],
        )
        .await;
    assert!(
        page.contains(">done<") || page.contains("<p>done</p>"),
        "{page}"
    );
    let issue = jane.get(project.at("/issues/1")).await.is(200).json();
    assert_eq!(
        (&issue["state"], &issue["user_notes_count"]),
        (&json!("closed"), &json!(2))
    );
    let blank = browser
        .post(&format!("{ONE}/notes"), &[("body", " ")])
        .await
        .is(422)
        .text();
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
    let fields = |due: &'static str, who: &'static str| {
        [
            ("action", "marks"),
            ("labels", "bug, door"),
            ("assignees", who),
            ("milestone_id", ""),
            ("due_date", due),
            ("weight", "3"),
            ("issue_type", "incident"),
            ("severity", "high"),
            ("confidential", "1"),
            ("locked", "1"),
        ]
    };
    let mut sent = fields("2031-02-01", "joe");
    sent[3].1 = &goal;
    let (to, page) = browser.submit(ONE, &sent).await;
    assert_eq!(to, ONE);
    assert!(page.contains("The issue is changed."), "{page}");
    for part in [
        "confidential",
        "locked",
        "incident",
        "@joe",
        ">1.0<",
        "2031-02-01",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let issue = jane.get(project.at("/issues/1")).await.is(200).json();
    assert_eq!(
        (&issue["labels"], &issue["weight"]),
        (&json!(["bug", "door"]), &json!(3))
    );
    assert_eq!(
        (&issue["severity"], &issue["discussion_locked"]),
        (&json!("high"), &json!(true))
    );
    for (due, who, told) in [
        ("soon", "joe", "e-due_date"),
        ("2031-02-01", "nobody", "e-assignees"),
    ] {
        let page = browser.post(ONE, &fields(due, who)).await.is(422).text();
        assert!(page.contains(told) && page.contains("bug, door"), "{page}");
    }
    // Confidential now: a guest who is assigned sees it and changes nothing.
    let guest = t.browser("joe").await;
    let page = guest.get(ONE).await.is(200).text();
    assert!(
        !page.contains("name=\"due_date\"") && !page.contains("Close issue"),
        "{page}"
    );
    guest.post(ONE, &[("action", "close")]).await.is(403);
    let other = t.user("other").await;
    project.add(&other, 10).await;
    t.browser("other").await.get(ONE).await.is(404);
    let edit = browser.get(&format!("{ONE}/edit")).await.is(200).text();
    assert!(edit.contains("value=\"Hinge\""));
    let (_, page) = browser
        .submit(
            &format!("{ONE}/edit"),
            &[("title", "Door"), ("description", "d")],
        )
        .await;
    assert!(
        page.contains("The issue is changed.") && page.contains(">Door"),
        "{page}"
    );
    let blank = browser
        .post(
            &format!("{ONE}/edit"),
            &[("title", " "), ("description", "kept")],
        )
        .await
        .is(422)
        .text();
    assert!(
        blank.contains("id=\"e-title\"") && blank.contains("kept"),
        "{blank}"
    );
}

#[testkit::story]
async fn lists_are_narrowed_by_their_form(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    for body in [
        json!({"title": "Broken hinge", "labels": "bug", "assignee_ids": [jane.id]}),
        json!({"title": "Paint it", "labels": "color"}),
        json!({"title": "On fire", "issue_type": "incident", "severity": "critical"}),
        json!({"title": "Secret", "confidential": true}),
    ] {
        jane.post(project.at("/issues")).json(&body).await.is(201);
    }
    let stranger = t.new_browser();
    for (path, shown, hidden) in [
        (
            ISSUES.to_owned(),
            vec!["Broken hinge", "Paint it", "On fire"],
            vec!["Secret"],
        ),
        (
            format!("{ISSUES}?search=hinge"),
            vec!["Broken hinge"],
            vec!["Paint it"],
        ),
        (
            format!("{ISSUES}?labels=color"),
            vec!["Paint it"],
            vec!["Broken hinge"],
        ),
        (
            format!("{ISSUES}?assignee=@jane"),
            vec!["Broken hinge"],
            vec!["Paint it"],
        ),
        (
            format!("{ISSUES}?state=closed"),
            vec!["Nothing found"],
            vec!["Paint it"],
        ),
        (
            format!("{ISSUES}?state=bad&sort=bad"),
            vec!["Paint it"],
            vec![],
        ),
        (
            "/acme/anvil/-/incidents".to_owned(),
            vec!["On fire", "critical"],
            vec!["Paint it"],
        ),
        (
            "/groups/acme/-/issues".to_owned(),
            vec!["acme/anvil#1", "On fire"],
            vec!["Secret"],
        ),
    ] {
        let page = stranger.get(&path).await.is(200).text();
        for part in shown {
            assert!(page.contains(part), "{path}: {part}");
        }
        for part in hidden {
            assert!(!page.contains(part), "{path}: {part}");
        }
        assert!(!page.contains("New issue"), "{path}");
    }
    stranger.get(&format!("{ISSUES}/4")).await.is(302);
    let page = stranger.get(ONE).await.is(200).text();
    assert!(
        page.contains("Sign in") && !page.contains("<textarea"),
        "{page}"
    );
    t.admin()
        .put(project.at(""))
        .json(&json!({"issues_access_level": "disabled"}))
        .await
        .is(200);
    stranger.get(ISSUES).await.is(302);
    assert!(
        !stranger
            .get("/acme/anvil")
            .await
            .is(200)
            .text()
            .contains(ISSUES)
    );
}

#[testkit::story]
async fn labels_and_milestones_have_pages(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, guest) = (t.user("jane").await, t.user("guest").await);
    t.group("acme").await.add(&jane, 20).await;
    project.add(&guest, 10).await;
    let browser = t.browser("jane").await;
    for place in ["/groups/acme", "/acme/anvil"] {
        let labels = format!("{place}/-/labels");
        browser.get(&labels).await.is(200);
        let title = format!("bug of {}", place.trim_start_matches('/').replace('/', " "));
        let (_, page) = browser
            .submit(
                &labels,
                &[
                    ("action", "add"),
                    ("title", &title),
                    ("color", "red"),
                    ("description", "bad"),
                ],
            )
            .await;
        assert!(
            page.contains("The label is made.") && page.contains(&title),
            "{page}"
        );
        let page = browser
            .post(
                &labels,
                &[("action", "add"), ("title", &title), ("color", "reddish")],
            )
            .await
            .is(422)
            .text();
        assert!(page.contains("id=\"e-color\""), "{page}");
        let page = browser
            .post(
                &labels,
                &[("action", "add"), ("title", &title), ("color", "red")],
            )
            .await
            .is(422)
            .text();
        assert!(page.contains("id=\"e-title\""), "{page}");
        let goals = format!("{place}/-/milestones");
        let (one, page) = browser
            .submit(
                &goals,
                &[
                    ("action", "add"),
                    ("title", "1.0"),
                    ("description", "*soon*"),
                    ("start_date", ""),
                    ("due_date", "2031-01-01"),
                ],
            )
            .await;
        assert_eq!(one, format!("{goals}/1"), "{page}");
        if place == "/groups/acme" {
            let (_, page) = browser
                .submit(
                    &goals,
                    &[
                        ("action", "update"),
                        ("milestone_id", "1"),
                        ("title", "0.9"),
                        ("description", "*sooner*"),
                        ("due_date", ""),
                    ],
                )
                .await;
            assert!(page.contains("<em>sooner</em>"), "{page}");
        }
        let page = browser
            .post(
                &goals,
                &[("action", "add"), ("title", "2.0"), ("due_date", "then")],
            )
            .await
            .is(422)
            .text();
        assert!(page.contains("id=\"e-due_date\""), "{page}");
    }
    let page = browser.get("/acme/anvil/-/labels").await.is(200).text();
    assert!(page.contains("of a group above"), "{page}");
    let id = jane
        .get(project.at("/labels?include_ancestor_groups=false"))
        .await
        .is(200)
        .each("id")[0]
        .to_string();
    let (_, page) = browser
        .submit(
            "/acme/anvil/-/labels",
            &[
                ("action", "update"),
                ("label_id", &id),
                ("title", "flaw"),
                ("color", "#00ff00"),
                ("description", ""),
            ],
        )
        .await;
    assert!(page.contains("flaw") && page.contains("#00ff00"), "{page}");
    let wrong = [
        ("action", "update"),
        ("label_id", id.as_str()),
        ("title", "flaw"),
        ("color", "reddish"),
    ];
    let page = browser
        .post("/acme/anvil/-/labels", &wrong)
        .await
        .is(422)
        .text();
    assert!(
        page.contains(&format!("id=\"e-color-{id}\"")) && page.contains("value=\"reddish\""),
        "{page}"
    );
    assert!(
        !page.contains("id=\"e-color\""),
        "it stands where it was typed: {page}"
    );
    let (_, page) = browser
        .submit(
            "/acme/anvil/-/labels",
            &[("action", "remove"), ("label_id", &id)],
        )
        .await;
    assert!(page.contains("The label is deleted."), "{page}");
    let goal = jane.get(project.at("/milestones")).await.is(200).each("id")[0].to_string();
    let wrong = [
        ("action", "update"),
        ("milestone_id", goal.as_str()),
        ("title", "0.8"),
        ("due_date", "then"),
    ];
    let page = browser
        .post("/acme/anvil/-/milestones", &wrong)
        .await
        .is(422)
        .text();
    assert!(
        page.contains("id=\"e-due_date\"")
            && page.contains("value=\"0.8\"")
            && page.contains("Change it"),
        "{page}"
    );
    let (_, page) = browser
        .submit(
            "/acme/anvil/-/milestones",
            &[("action", "close"), ("milestone_id", &goal)],
        )
        .await;
    assert!(page.contains("The milestone is closed."), "{page}");
    let shown = t.browser("guest").await;
    let page = shown.get("/acme/anvil/-/labels").await.is(200).text();
    assert!(!page.contains("New label"));
    for (path, fields) in [
        ("labels", [("action", "add"), ("title", "x")]),
        ("milestones", [("action", "add"), ("title", "x")]),
    ] {
        shown
            .post(&format!("/acme/anvil/-/{path}"), &fields)
            .await
            .is(403);
    }
}

#[testkit::story]
async fn the_todo_list_is_worked_off(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    for title in ["one", "two"] {
        let body = json!({"title": title, "assignee_ids": [joe.id]});
        jane.post(project.at("/issues")).json(&body).await.is(201);
    }
    let browser = t.browser("joe").await;
    let page = browser.get("/dashboard/todos").await.is(200).text();
    assert!(
        page.contains("@jane assigned you") && page.contains("href=\"/acme/anvil\""),
        "{page}"
    );
    let id = joe.get("/todos").await.is(200).each("id")[1].to_string();
    let (_, page) = browser
        .submit("/dashboard/todos", &[("action", "done"), ("todo_id", &id)])
        .await;
    assert!(
        page.contains("That is done.") && !page.contains(">one<") && page.contains(">two<"),
        "{page}"
    );
    let page = browser
        .get("/dashboard/todos?state=done")
        .await
        .is(200)
        .text();
    assert!(page.contains(">one<"), "{page}");
    browser
        .submit(
            "/dashboard/todos",
            &[("action", "restore"), ("todo_id", &id)],
        )
        .await;
    assert_eq!(joe.get("/todos").await.is(200).each("id").len(), 2);
    let (_, page) = browser
        .submit("/dashboard/todos", &[("action", "all_done")])
        .await;
    assert!(page.contains("Nothing here"), "{page}");
    assert_eq!(joe.get("/todos").await.is(200).json(), json!([]));
    let (_, page) = browser.submit(ONE, &[("action", "todo")]).await;
    assert!(page.contains("in your to-do list"), "{page}");
    t.browser("jane")
        .await
        .post("/dashboard/todos", &[("action", "done"), ("todo_id", &id)])
        .await
        .is(404);
    t.new_browser().get("/dashboard/todos").await.is(401);
}

#[testkit::story]
async fn notes_are_changed_where_they_stand(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    jane.post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
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
    assert!(
        page.contains("mine") && !page.contains("between us"),
        "{page}"
    );
    let at = |id: &Value| format!("{ONE}/notes/{id}");
    let (_, page) = browser.submit(&at(&note["id"]), &[("body", "ours")]).await;
    assert!(
        page.contains("<p>ours</p>") && page.contains("changed"),
        "{page}"
    );
    let (_, page) = browser
        .submit(ONE, &[("action", "award"), ("name", "thumbsup")])
        .await;
    assert!(page.contains("1 vote"), "{page}");
    let (_, page) = browser
        .submit(ONE, &[("action", "award"), ("name", "thumbsup")])
        .await;
    assert!(page.contains("0 votes"), "{page}");
    let (_, page) = browser.submit(ONE, &[("action", "unsubscribe")]).await;
    assert!(page.contains("Send me mail"), "{page}");
    let talk = joe
        .get(project.at("/issues/1/discussions"))
        .await
        .is(200)
        .json();
    let first = talk
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["notes"][0]["id"] == note["id"]);
    let discussion = first.expect("a discussion")["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    browser
        .submit(
            &format!("{ONE}/notes"),
            &[("body", "again"), ("discussion_id", &discussion)],
        )
        .await;
    let talk = joe
        .get(project.at(&format!("/issues/1/discussions/{discussion}")))
        .await
        .is(200)
        .json();
    assert_eq!(talk["notes"].as_array().map(Vec::len), Some(2));
    browser
        .post(&at(&json!(secret)), &[("body", "x")])
        .await
        .is(404);
    let other = t.user("other").await;
    project.add(&other, 10).await;
    t.browser("other")
        .await
        .post(&at(&note["id"]), &[("delete", "1")])
        .await
        .is(403);
    let (_, page) = browser.submit(&at(&note["id"]), &[("delete", "1")]).await;
    assert!(
        page.contains("The note is deleted.") && !page.contains("<p>ours</p>"),
        "{page}"
    );
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
        jane.put(project.at("/issues/1"))
            .json(&change)
            .await
            .is(200);
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
    for part in [
        "removed the label",
        "removed the milestone",
        "removed the weight",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(
        !page.contains("<b>squeaky") && !page.contains("between us"),
        "{page}"
    );
}

#[testkit::story]
async fn long_stories_have_pages(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    jane.post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    let said = |n: i32| json!({"body": format!("word {n}.")});
    let mut first = Value::Null;
    for n in 0..50 {
        first = jane
            .post(project.at("/issues/1/notes"))
            .json(&said(n))
            .await
            .is(201)
            .json();
    }
    let browser = t.browser("jane").await;
    browser.get(ONE).await.is(200);
    let sent = browser
        .post(
            &format!("{ONE}/notes"),
            &[("body", "the last"), ("page", "1")],
        )
        .await
        .is(303);
    let to = sent.header("location").to_owned();
    assert!(to.contains("?page=2#note_"), "{to}");
    let page = browser.get(&format!("{ONE}?page=2")).await.is(200).text();
    assert!(
        page.contains("the last") && !page.contains("word 49."),
        "{page}"
    );
    // A refused text is shown again where it was typed, beside its fellows.
    let blank = [("body", " "), ("page", "2")];
    let page = browser
        .post(&format!("{ONE}/notes"), &blank)
        .await
        .is(422)
        .text();
    assert!(
        page.contains("the last") && page.contains("id=\"e-body\""),
        "{page}"
    );
    let change = format!("{ONE}/notes/{}", first["id"]);
    let sent = browser
        .post(&change, &[("body", "word fifty"), ("page", "1")])
        .await
        .is(303);
    assert!(
        sent.header("location")
            .ends_with(&format!("{ONE}#note_{}", first["id"]))
    );
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
    assert!(
        !plain.text().contains("site-1") && !policy.contains("widgets"),
        "{policy}"
    );

    let flood = ("description", FLOOD);
    let fields = [("title", "Hinge"), flood, ("labels", "door")];
    let id = refused(&browser, ISSUES, &fields).await;
    let solution = [
        ("spam_log_id", id.as_str()),
        ("g-recaptcha-response", "solved"),
    ];
    let other = [&[("title", "Other"), flood, ("labels", "")][..], &solution].concat();
    browser.post(ISSUES, &other).await.is(422);
    solved(&browser, ISSUES, &fields).await;
    solved(
        &browser,
        &format!("{ONE}/edit"),
        &[("title", "Door"), flood],
    )
    .await;
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
    assert_eq!(
        (&issue["title"], &issue["description"]),
        (&json!("Door"), &json!(FLOOD))
    );
    let said = jane.get(&notes).await.is(200).json();
    assert_eq!(
        (&said[0]["body"], &said[0]["internal"]),
        (&json!("http://d http://e http://f"), &json!(true))
    );
}

#[testkit::story]
async fn lists_cost_the_same_for_few_and_many(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    for n in 0..12 {
        let user = t.user(&format!("user{n}")).await;
        project.add(&user, 10).await;
        let body = json!({"title": format!("i{n}"), "labels": format!("a{n}"), "assignee_ids": [user.id, jane.id]});
        user.post(project.at("/issues")).json(&body).await.is(201);
        user.post(project.at("/issues/1/notes"))
            .json(&json!({"body": format!("n{n}")}))
            .await
            .is(201);
    }
    let browser = t.browser("jane").await;
    let sent = |route: &str| {
        let line = format!("http_request_statements_total{{method=\"GET\",route=\"{route}\"}} ");
        let text = t.app().metrics().render();
        let count = text.lines().find_map(|one| one.strip_prefix(&line));
        count.map_or(0, |count| count.parse::<u64>().expect("a count"))
    };
    for (route, path) in [
        ("/{*project}/-/issues", ISSUES),
        ("/dashboard/todos", "/dashboard/todos"),
        ("/{*project}/-/labels", "/acme/anvil/-/labels"),
    ] {
        browser.get(path).await.is(200);
        let start = sent(route);
        browser.get(&format!("{path}?per_page=3")).await.is(200);
        let few = sent(route) - start;
        browser.get(&format!("{path}?per_page=12")).await.is(200);
        assert!(few > 0, "{path} is not counted");
        assert_eq!(sent(route) - start, 2 * few, "{path}");
    }
    // The first issue has many notes and events, the second next to none.
    let labels: Vec<String> = (0..12).map(|n| format!("a{n}")).collect();
    let labels = json!({"add_labels": labels.join(",")});
    jane.put(project.at("/issues/1"))
        .json(&labels)
        .await
        .is(200);
    let route = "/{*project}/-/issues/{issue_iid}";
    let start = sent(route);
    browser.get(&format!("{ISSUES}/2")).await.is(200);
    let few = sent(route) - start;
    browser.get(ONE).await.is(200);
    assert!(
        few > 0 && sent(route) - start == 2 * few,
        "{few} and {}",
        sent(route) - start - few
    );
}
