//! The page of branches.

use super::{check, maintained, push};
use serde_json::json;
use testkit::TestServer;

const BRANCHES: &str = "/acme/anvil/-/branches";

#[testkit::story]
async fn branches_are_listed_with_their_distance(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    git.run_in("one", &["checkout", "--quiet", "-b", "both", "main~1"]).await.done();
    git.commit("one", "new.txt", "x\n").await;
    push(&git).await;

    let page = jane.get(BRANCHES).await.is(200).text();

    let row = |name: &str| {
        let mut rows = page.split("<li>\n").skip(1);
        let found = rows.find(|row| row.contains(&format!("/-/tree/{name}\">")));
        found.unwrap_or_else(|| panic!("no {name} in {page}")).to_owned()
    };
    check(&row("main"), &["default", "protected"], &["behind", "Delete"]);
    check(&row("ahead"), &["0 behind, 1 ahead", "/-/compare/main...ahead"], &["merged"]);
    check(&row("side"), &["0 ahead", "merged"], &[]);
    // The merge, and the two commits of it that this one lacks: counted as git does.
    let counted = git.run_in("one", &["rev-list", "--left-right", "--count", "main...both"]).await;
    let counted = counted.done().said;
    let (behind, ahead) = counted.trim().split_once('\t').unwrap();
    check(&row("both"), &[&format!("{behind} behind, {ahead} ahead")], &[]);
    assert!(
        page.find("/-/tree/main\"") < page.find("/-/tree/both\""),
        "the default comes first"
    );

    let found = jane.get(&format!("{BRANCHES}?search=AHE")).await.is(200).text();
    check(&found, &["/-/tree/ahead"], &["/-/tree/side"]);
    let stale = jane.get(&format!("{BRANCHES}?state=stale")).await.is(200).text();
    check(&stale, &["No branches found"], &[]);
    jane.get(&format!("{BRANCHES}?state=odd")).await.is(400);
}

#[testkit::story]
async fn branches_are_made_and_deleted(t: TestServer) {
    let (project, git, jane) = maintained(&t).await;
    jane.get(BRANCHES).await.is(200);
    let create = |name: &'static str, from: &'static str| {
        [("action", "create"), ("branch", name), ("ref", from)]
    };

    let (to, page) = jane.submit(BRANCHES, &create("fix/one", "side")).await;

    assert_eq!(to, "/acme/anvil/-/tree/fix/one");
    check(&page, &["Branch fix/one is there."], &[]);
    let made = t.admin().get(project.at("/repository/branches/fix%2Fone")).await.is(200).json();
    assert_eq!(made["commit"]["id"], git.id("one", "side").await.as_str());
    for (name, from, text) in [
        ("side", "main", "Branch already exists"),
        ("a..b", "main", "Branch name is invalid"),
        ("-x", "main", "Branch name is invalid"),
        ("new", "nothing", "Is no branch, tag or commit"),
        ("new", "main~1", "Is no branch, tag or commit"),
        ("new", "", "Can&#39;t be blank"),
        ("", "main", "Branch name is invalid"),
    ] {
        let page = jane.post(BRANCHES, &create(name, from)).await.is(422).text();
        check(&page, &[text, &format!("name=\"ref\" value=\"{from}\"")], &[]);
    }
    let delete = |name: &'static str| [("action", "delete"), ("branch", name)];
    let (to, page) = jane.submit(BRANCHES, &delete("fix/one")).await;
    assert_eq!(to, BRANCHES);
    check(&page, &["Branch fix/one was deleted."], &["/-/tree/fix/one"]);
    jane.post(BRANCHES, &delete("main")).await.is(422);

    let joe = t.user("joe").await;
    project.add(&joe, 20).await;
    let joe = t.browser("joe").await;
    check(
        &joe.get(BRANCHES).await.is(200).text(),
        &["/-/tree/side"],
        &["New branch", "Delete"],
    );
    joe.post(BRANCHES, &delete("side")).await.is(403);
    let stranger = t.new_browser();
    assert!([302, 404].contains(&stranger.get(BRANCHES).await.status));
    t.user("ann").await;
    t.browser("ann").await.get(BRANCHES).await.is(404);
}

#[testkit::story]
async fn a_project_without_code_has_pages(t: TestServer) {
    let project = t.project("acme/bare").await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let jane = t.browser("jane").await;
    for page in ["branches", "tags"] {
        let page = jane.get(&format!("/acme/bare/-/{page}")).await.is(200).text();
        check(&page, &["found"], &[]);
    }
    for page in ["commits", "network", "graphs", "compare"] {
        let reply = jane.get(&format!("/acme/bare/-/{page}")).await;
        assert!([302, 404].contains(&reply.status), "{page}: {reply:?}");
    }
    let made = json!({"branch": "main", "ref": "main"});
    t.admin().post(project.at("/repository/branches")).json(&made).await.is(201);
    jane.get("/acme/bare/-/commits").await.is(200);
}

/// Statements sent so far for GETs of a page.
fn statements(t: &TestServer, page: &str) -> u64 {
    let line = format!(
        "http_request_statements_total{{method=\"GET\",route=\"/{{*project}}/-/{page}\"}} "
    );
    let text = t.app().metrics().render();
    let count = text.lines().find_map(|one| one.strip_prefix(&line));
    count.map_or(0, |count| count.parse().unwrap())
}

#[testkit::story]
async fn rows_cost_no_statements(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    let mut costs = Vec::new();
    for rows in [1, 12] {
        for number in 0..rows {
            let name = format!("more-{rows}-{number}");
            git.run_in("one", &["branch", &name, "main"]).await.done();
            git.run_in("one", &["tag", "--annotate", &format!("t{name}"), "--message", "x"])
                .await
                .done();
        }
        push(&git).await;
        // What follows a push writes what the page reads.
        t.settle().await;
        for page in ["branches", "tags"] {
            let before = statements(&t, page);
            let text = jane.get(&format!("/acme/anvil/-/{page}")).await.is(200).text();
            assert!(text.contains(&format!("more-{rows}-0<")), "{text}");
            costs.push((page, statements(&t, page) - before));
        }
    }
    assert_eq!(costs[..2], costs[2..]);
}
