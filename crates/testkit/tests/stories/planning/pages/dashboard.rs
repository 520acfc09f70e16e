//! Lists over all projects, and what the header counts.

use serde_json::json;
use store::{Tx, sql};
use testkit::{Browser, TestServer};

const ISSUES: &str = "/dashboard/issues";
const TODOS: &str = "/dashboard/todos";

async fn list(browser: &Browser, query: &str) -> String {
    browser.get(&format!("{ISSUES}{query}")).await.is(200).text()
}

/// Which of these titles stand in a list.
fn titles<'t>(page: &str, all: &[&'t str]) -> Vec<&'t str> {
    let stands = |title: &&&str| page.contains(&format!(">{title}</a>"));
    all.iter().filter(stands).copied().collect()
}

/// How many to-dos the bell tells.
fn bell(page: &str) -> String {
    let name = page.split("aria-label=\"To-dos, ").nth(1).unwrap_or("no bell");
    name.split(" pending").next().unwrap_or_default().to_owned()
}

#[testkit::story]
async fn issues_of_all_projects_are_listed(t: TestServer) {
    let (anvil, hammer) = (t.project("acme/anvil").await, t.project("acme/hammer").await);
    let secret = t.project("vault/secret").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    anvil.add(&jane, 20).await;
    hammer.add(&jane, 20).await;
    anvil.add(&joe, 20).await;
    for (project, by, title, to) in [
        (&anvil, &joe, "todo one", jane.id),
        (&hammer, &jane, "todo two", jane.id),
        (&anvil, &jane, "made", joe.id),
        (&anvil, &joe, "seen", joe.id),
    ] {
        let issue = json!({"title": title, "assignee_ids": [to], "labels": "door"});
        by.post(project.at("/issues")).json(&issue).await.is(201);
    }
    t.admin()
        .post(secret.at("/issues"))
        .json(&json!({"title": "hidden"}))
        .await
        .is(201);
    let all = ["todo one", "todo two", "made", "seen", "hidden"];
    let browser = t.browser("jane").await;
    let page = list(&browser, "").await;
    assert_eq!(titles(&page, &all), ["todo one", "todo two"], "{page}");
    assert!(page.contains("acme/hammer#1") && page.contains("Open <span class=\"tally\">2<"));
    let page = list(&browser, "?scope=created_by_me").await;
    assert_eq!(titles(&page, &all), ["todo two", "made"], "{page}");
    let page = list(&browser, "?scope=all").await;
    assert_eq!(titles(&page, &all), ["todo one", "todo two", "made", "seen"], "{page}");
    assert!(page.contains("Open <span class=\"tally\">4<"), "hidden ones are not counted");

    // The query bar narrows, and keeps whose they are.
    let page = list(&browser, "?scope=all&search=todo&labels=door&assignee=jane").await;
    assert_eq!(titles(&page, &all), ["todo one", "todo two"], "{page}");
    assert!(page.contains("name=\"scope\" value=\"all\""), "{page}");
    assert!(
        page.contains("href=\"/dashboard/issues?scope=all&#38;labels=door&#38;assignee=jane\"")
            || page
                .contains("href=\"/dashboard/issues?scope=all&amp;labels=door&amp;assignee=jane\""),
        "{page}"
    );
    let page = list(&browser, "?scope=all&search=nothing").await;
    assert!(page.contains("Nothing found"), "{page}");
    // What the list is about already is not asked again.
    let page = list(&browser, "?assignee=joe").await;
    assert_eq!(titles(&page, &all), ["todo one", "todo two"], "{page}");
    assert!(!page.contains("Assignee: joe"), "{page}");

    let page = list(&browser, "?scope=all&per_page=2&page=2&sort=created_asc").await;
    assert_eq!(titles(&page, &all), ["made", "seen"], "{page}");
    let past = list(&browser, "?scope=all&page=9").await;
    assert!(past.contains("past the end"), "{past}");
    anvil_closes(&jane, &anvil.at("/issues/1")).await;
    assert_eq!(titles(&list(&browser, "").await, &all), ["todo two"]);
    assert_eq!(titles(&list(&browser, "?state=closed").await, &all), ["todo one"]);
    browser.get(&format!("{ISSUES}?scope=others")).await.is(400);
    t.new_browser().get(ISSUES).await.is(401);
}

async fn anvil_closes(by: &testkit::Client, issue: &str) {
    by.put(issue).json(&json!({"state_event": "close"})).await.is(200);
}

#[testkit::story]
async fn the_bell_counts_what_is_pending_on_every_page(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 20).await;
    let browser = t.browser("joe").await;
    assert_eq!(bell(&browser.get("/").await.is(200).text()), "none");
    for n in 0..3 {
        let body = json!({"title": format!("i{n}"), "assignee_ids": [joe.id]});
        jane.post(project.at("/issues")).json(&body).await.is(201);
    }
    let pages = [
        ("/", 200),
        (TODOS, 200),
        ("/acme/anvil/-/issues", 200),
        ("/nobody/nothing", 404),
        ("/admin", 403),
    ];
    for (path, status) in pages {
        let page = browser.get(path).await.is(status).text();
        assert_eq!(bell(&page), "3", "{path}");
        assert!(
            page.contains("<a class=\"icon-button bell\" href=\"/dashboard/todos\""),
            "{path}"
        );
    }
    let page = t.browser("jane").await.get("/").await.is(200).text();
    assert_eq!(bell(&page), "none", "each counts their own");
    assert!(!t.anonymous().at("/").await.is(200).text().contains("icon-button bell"));

    let id = joe.get("/todos").await.is(200).each("id")[0].to_string();
    let (_, page) = browser.submit(TODOS, &[("action", "done"), ("todo_id", &id)]).await;
    assert_eq!(bell(&page), "2");
    assert!(page.contains("Pending <span class=\"tally\">2<"), "{page}");
    assert!(page.contains("Done <span class=\"tally\">1<"), "{page}");
    // Of what somebody may no longer see nothing is counted.
    let hide = json!({"confidential": true, "assignee_ids": []});
    jane.put(project.at("/issues/1")).json(&hide).await.is(200);
    let guest = json!({"access_level": 10});
    let member = project.at(&format!("/members/{}", joe.id));
    t.admin().put(&member).json(&guest).await.is(200);
    let page = browser.get(TODOS).await.is(200).text();
    assert_eq!(bell(&page), "1", "{page}");
    t.admin().delete(&member).await.is(204);
    let page = browser.get(TODOS).await.is(200).text();
    assert_eq!(bell(&page), "none");
    assert!(page.contains("Nothing to do"), "{page}");
}

/// An issue of this number, and a pending to-do about it.
fn remind(tx: &mut Tx<'_>, project: i64, user: i64, iid: i64) -> kernel::error::Result<()> {
    let now = tx.now();
    let issue: i64 = tx.one(
        sql!(
            "insert into issues (project_id, iid, title, title_folded, state, kind, severity,
                confidential, created_at, updated_at)
             values ($1, $2, 't', 't', 'opened', 'issue', 'unknown', false, $3, $3) returning id"
        ),
        (project, iid, now),
    )?;
    tx.execute(
        sql!(
            "insert into todos (user_id, project_id, action, target_type, target_id, state,
                created_at, updated_at)
             values ($1, $2, 'marked', 'Issue', $3, 'pending', $4, $4)"
        ),
        (user, project, issue, now),
    )?;
    Ok(())
}

#[testkit::story]
async fn the_bell_costs_one_statement_and_counts_to_99(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let joe = t.user("joe").await;
    project.add(&joe, 20).await;
    let browser = t.browser("joe").await;
    let route = "/-/user_settings/preferences";
    let sent = || {
        let line = format!("http_request_statements_total{{method=\"GET\",route=\"{route}\"}} ");
        let text = t.app().metrics().render();
        let count = text.lines().find_map(|one| one.strip_prefix(&line));
        count.map_or(0, |count| count.parse::<u64>().expect("a count"))
    };
    let mut costs = Vec::new();
    for (numbers, told) in [(1..2i64, "1"), (2..100, "99"), (100..101, "99+")] {
        let (project, user) = (project.id, joe.id);
        let write =
            move |tx: &mut Tx<'_>| numbers.clone().try_for_each(|n| remind(tx, project, user, n));
        t.app().write(write).await.expect("it is written");
        browser.get(route).await.is(200);
        let before = sent();
        assert_eq!(bell(&browser.get(route).await.is(200).text()), told);
        costs.push(sent() - before);
    }
    assert!(costs[0] > 0 && costs.iter().all(|cost| *cost == costs[0]), "{costs:?}");
    let (_, page) = browser.submit(TODOS, &[("action", "all_done")]).await;
    assert_eq!(bell(&page), "none");
    assert!(page.contains("Done <span class=\"tally\">100<"), "{page}");
}
