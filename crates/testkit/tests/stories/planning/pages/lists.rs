//! Lists of issues, labels, milestones and to-dos, narrowed and worked off by forms.

use super::*;

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
        (ISSUES.to_owned(), vec!["Broken hinge", "Paint it", "On fire"], vec!["Secret"]),
        (format!("{ISSUES}?search=hinge"), vec!["Broken hinge"], vec!["Paint it"]),
        (format!("{ISSUES}?labels=color"), vec!["Paint it"], vec!["Broken hinge"]),
        (format!("{ISSUES}?assignee=@jane"), vec!["Broken hinge"], vec!["Paint it"]),
        (
            format!("{ISSUES}?state=closed"),
            vec!["Nothing is closed yet"],
            vec!["Paint it"],
        ),
        (format!("{ISSUES}?page=9999"), vec!["past the end"], vec!["No open issues"]),
        (
            format!("{ISSUES}?search=zebra"),
            vec!["Nothing found", "Search: zebra"],
            vec!["Paint it"],
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
    for unknown in ["state=bad", "sort=bad"] {
        stranger.get(&format!("{ISSUES}?{unknown}")).await.is(400);
    }
    // Each tab says how many there are; each mark leads to the list without it.
    let page = stranger
        .get(&format!("{ISSUES}?labels=bug,color&sort=title_asc"))
        .await
        .is(200)
        .text();
    assert!(
        page.contains("Remove Label: bug") && page.contains("?labels=color&#38;sort=title_asc"),
        "{page}"
    );
    stranger.get(&format!("{ISSUES}/4")).await.is(302);
    let page = stranger.get(ONE).await.is(200).text();
    assert!(page.contains("Sign in") && !page.contains("<textarea"), "{page}");
    t.admin()
        .put(project.at(""))
        .json(&json!({"issues_access_level": "disabled"}))
        .await
        .is(200);
    stranger.get(ISSUES).await.is(302);
    assert!(!stranger.get("/acme/anvil").await.is(200).text().contains(ISSUES));
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
                &[("action", "add"), ("title", &title), ("color", "red"), ("description", "bad")],
            )
            .await;
        assert!(page.contains("Label created.") && page.contains(&title), "{page}");
        let page = browser
            .post(&labels, &[("action", "add"), ("title", &title), ("color", "reddish")])
            .await
            .is(422)
            .text();
        assert!(page.contains("id=\"e-color\""), "{page}");
        let page = browser
            .post(&labels, &[("action", "add"), ("title", &title), ("color", "red")])
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
            .post(&goals, &[("action", "add"), ("title", "2.0"), ("due_date", "then")])
            .await
            .is(422)
            .text();
        assert!(page.contains("id=\"e-due_date\""), "{page}");
    }
    let page = browser.get("/acme/anvil/-/labels").await.is(200).text();
    assert!(page.contains("from a parent group"), "{page}");
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
    let page = browser.post("/acme/anvil/-/labels", &wrong).await.is(422).text();
    assert!(
        page.contains(&format!("id=\"e-color-{id}\"")) && page.contains("value=\"reddish\""),
        "{page}"
    );
    assert!(!page.contains("id=\"e-color\""), "it stands where it was typed: {page}");
    let (_, page) = browser
        .submit("/acme/anvil/-/labels", &[("action", "remove"), ("label_id", &id)])
        .await;
    assert!(page.contains("Label deleted."), "{page}");
    let goal = jane.get(project.at("/milestones")).await.is(200).each("id")[0].to_string();
    let wrong = [
        ("action", "update"),
        ("milestone_id", goal.as_str()),
        ("title", "0.8"),
        ("due_date", "then"),
    ];
    let page = browser.post("/acme/anvil/-/milestones", &wrong).await.is(422).text();
    assert!(
        page.contains("id=\"e-due_date\"")
            && page.contains("value=\"0.8\"")
            && page.contains("Change it"),
        "{page}"
    );
    let (_, page) = browser
        .submit("/acme/anvil/-/milestones", &[("action", "close"), ("milestone_id", &goal)])
        .await;
    assert!(page.contains("Milestone closed."), "{page}");
    let shown = t.browser("guest").await;
    let page = shown.get("/acme/anvil/-/labels").await.is(200).text();
    assert!(!page.contains("New label"));
    for (path, fields) in [
        ("labels", [("action", "add"), ("title", "x")]),
        ("milestones", [("action", "add"), ("title", "x")]),
    ] {
        shown.post(&format!("/acme/anvil/-/{path}"), &fields).await.is(403);
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
    let page = browser.get("/dashboard/todos?state=done").await.is(200).text();
    assert!(page.contains(">one<"), "{page}");
    browser
        .submit("/dashboard/todos", &[("action", "restore"), ("todo_id", &id)])
        .await;
    assert_eq!(joe.get("/todos").await.is(200).each("id").len(), 2);
    let (_, page) = browser.submit("/dashboard/todos", &[("action", "all_done")]).await;
    assert!(page.contains("Nothing to do"), "{page}");
    let done = browser.get("/dashboard/todos?state=done").await.is(200).text();
    assert!(done.contains(">one<") && done.contains("Restore"), "{done}");
    let past = browser.get("/dashboard/todos?state=done&page=7").await.is(200).text();
    assert!(past.contains("past the end"), "{past}");
    let nothing = t.browser("jane").await.get("/dashboard/todos?state=done").await;
    assert!(nothing.is(200).text().contains("Nothing is done yet"));
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
        ("/dashboard/issues", "/dashboard/issues"),
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
    jane.put(project.at("/issues/1")).json(&labels).await.is(200);
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
