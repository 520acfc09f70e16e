//! Home of who is signed in: what waits for them, and where they work.

use super::admin::administrator;
use serde_json::json;
use testkit::{Browser, TestServer};

async fn home(browser: &Browser) -> String {
    browser.get("/").await.is(200).text()
}

/// The part of a page under a heading with this id.
fn part<'p>(page: &'p str, id: &str) -> &'p str {
    let from = page.split(&format!("aria-labelledby=\"{id}\"")).nth(1).unwrap_or_default();
    from.split("aria-labelledby=").next().unwrap_or_default()
}

/// First steps, each with whether it is done.
fn steps(page: &str) -> Vec<(&'static str, bool)> {
    let rows = part(page, "steps").split("<li>").skip(1);
    let label = |row: &str| {
        let all = ["group for your team", "Create a project", "people you work", "access token"];
        all.into_iter().find(|label| row.contains(label)).unwrap_or("another")
    };
    rows.map(|row| (label(row), row.contains(">Done<"))).collect()
}

/// Runs a statement, past the rules.
async fn change(t: &TestServer, statement: &'static str) {
    let done = t.app().write(move |tx| Ok(tx.execute(statement, ())?)).await;
    assert!(done.is_ok_and(|rows| rows > 0), "{statement}");
}

#[testkit::story]
async fn first_steps_go_one_by_one(t: TestServer) {
    let ada = administrator(&t).await;
    t.user("jane").await;
    let jane = t.browser("jane").await;
    // As on an instance that has nothing but its first administrator.
    change(&t, "update users set state = 'blocked' where username <> 'ada'").await;
    change(&t, "delete from access_tokens").await;
    let all = ["group for your team", "Create a project", "people you work", "access token"];
    let with = |done: [bool; 4]| -> Vec<(&str, bool)> { all.into_iter().zip(done).collect() };
    let page = home(&ada).await;
    assert_eq!(steps(&page), with([false, false, false, false]), "{page}");
    for (url, label) in [
        ("/groups/new", "Create a group for your team"),
        ("/projects/new", "Create a project"),
        ("/admin/users", "Add the people you work with"),
        ("/-/user_settings/tokens", "Create an access token for your tools"),
    ] {
        assert!(page.contains(&format!("<a href=\"{url}\">{label}</a>")), "{label}: {page}");
    }

    let named = [("name", "Acme"), ("path", "acme"), ("visibility", "private")];
    ada.submit("/groups", &named).await;
    let page = home(&ada).await;
    assert_eq!(steps(&page), with([true, false, false, false]));
    assert!(
        !page.contains("<a href=\"/groups/new\">Create a group"),
        "what is done is no link"
    );
    change(&t, "update users set state = 'active' where username = 'jane'").await;
    assert_eq!(steps(&home(&ada).await), with([true, false, true, false]));
    assert!(steps(&home(&jane).await).is_empty(), "only administrators set up an instance");
    let token = [("name", "tools"), ("scopes[]", "api")];
    ada.post("/-/user_settings/tokens", &token).await.is_ok();
    assert_eq!(steps(&home(&ada).await), with([true, false, true, true]));
    let anvil = [("name", "anvil"), ("path", "anvil"), ("visibility", "private")];
    ada.submit("/projects", &anvil).await;
    let page = home(&ada).await;
    assert!(!page.contains("First steps"), "all is done: {page}");
}

#[testkit::story]
async fn what_is_assigned_and_pending_waits_there(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 20).await;
    for n in 0..10 {
        let body = json!({"title": format!("issue {n}"), "assignee_ids": [joe.id]});
        jane.post(project.at("/issues")).json(&body).await.is(201);
    }
    let other = json!({"title": "of another", "assignee_ids": [jane.id]});
    jane.post(project.at("/issues")).json(&other).await.is(201);
    let closed = json!({"state_event": "close"});
    jane.put(project.at("/issues/10")).json(&closed).await.is(200);
    let browser = t.browser("joe").await;
    let page = home(&browser).await;
    let issues = part(&page, "issues");
    assert!(issues.contains("Assigned to you <span class=\"tally\">9<"), "{issues}");
    assert_eq!(issues.matches("<li>").count(), 8, "{issues}");
    assert!(!issues.contains("of another") && !issues.contains("issue 9<"), "{issues}");
    assert!(issues.contains("href=\"/dashboard/issues\">See all"), "{issues}");
    let todos = part(&page, "todos");
    assert!(todos.contains("To-do list <span class=\"tally\">10<"), "{todos}");
    assert!(todos.contains("href=\"/dashboard/todos\">See all"), "{todos}");
    t.user("newcomer").await;
    let page = home(&t.browser("newcomer").await).await;
    assert!(page.contains("No open issue is assigned to you.") && page.contains("Nothing to do."));
    assert!(page.contains("Your first project"), "{page}");
}

#[testkit::story(noon)]
async fn recent_projects_are_ones_own(t: TestServer) {
    let (anvil, hammer) = (t.project("acme/anvil").await, t.project("acme/hammer").await);
    t.project_with("open/tongs", "public").await;
    let jane = t.user("jane").await;
    anvil.add(&jane, 10).await;
    hammer.add(&jane, 10).await;
    let browser = t.browser("jane").await;
    let order = |page: &str| {
        let shown = part(page, "projects").to_owned();
        let at = |path: &str| shown.find(&format!("href=\"/{path}\""));
        (at("acme/anvil"), at("acme/hammer"), at("open/tongs"))
    };
    for (project, first) in [(&anvil, true), (&hammer, false)] {
        t.advance(4_000);
        jane.post(project.at("/issues")).json(&json!({"title": "t"})).await.is(201);
        let page = home(&browser).await;
        let (anvil, hammer, tongs) = order(&page);
        assert!(anvil.is_some() && hammer.is_some(), "{page}");
        assert_eq!(anvil < hammer, first, "the latest first");
        assert_eq!(tongs, None, "not those that are open to all");
    }
    t.admin().delete(format!("/projects/{}", hammer.id)).await.is(202);
    let (anvil, hammer, _) = order(&home(&browser).await);
    assert!(anvil.is_some() && hammer.is_none(), "what is to be deleted is no place to work");
}
