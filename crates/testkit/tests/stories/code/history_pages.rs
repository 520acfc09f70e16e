//! Lists of commits, their feed, the graph and who wrote them.

use super::{check, lines, maintained, push};
use testkit::TestServer;

/// The addresses of commits on a page, each once, in their order.
fn listed(page: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for rest in page.split("href=\"/acme/anvil/-/commit/").skip(1) {
        let id = rest[..40].to_owned();
        if ids.last() != Some(&id) {
            ids.push(id);
        }
    }
    ids
}

#[testkit::story]
async fn a_history_is_listed_narrowed_and_turned_over(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    let page =
        async |rest: &str| jane.get(&format!("/acme/anvil/-/commits{rest}")).await.is(200).text();
    for (rest, args) in [
        ("", vec!["main"]),
        ("/ahead", vec!["ahead"]),
        ("/main/docs", vec!["main", "--", "docs"]),
        ("/main/src/beak.txt", vec!["main", "--", "src/beak.txt"]),
        ("/main?search=MOVE", vec!["-i", "--grep=move", "main"]),
        ("/main?author=ADA@", vec!["main"]),
        ("/main?search=.*", vec!["--max-count=0", "main"]),
    ] {
        let wanted = lines(&git, &[vec!["rev-list"], args].concat()).await;
        let (mut found, mut wanted) = (listed(&page(rest).await), wanted);
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{rest}");
    }
    let first = page("/main").await;
    check(
        &first,
        &["<h2 class=\"part-title\">", "/acme/anvil/-/tree/", "name=\"search\""],
        &["rel=\"next\""],
    );
    git.run_in("one", &["checkout", "--quiet", "-b", "long", "main"]).await.done();
    for number in 0..45 {
        let message = format!("Number {number}");
        git.run_in("one", &["commit", "--quiet", "--allow-empty", "--message", &message])
            .await
            .done();
    }
    push(&git).await;
    let first = page("/long?search=number").await;
    check(&first, &["href=\"/acme/anvil/-/commits/long?search=number&#38;page=2\""], &[]);
    let second = page("/long?search=number&page=2").await;
    assert_eq!((listed(&first).len(), listed(&second).len()), (40, 5));
    check(&second, &["rel=\"prev\""], &["rel=\"next\""]);
    check(&page("/long?page=x").await, &[">Number 44</a>"], &[]);
    check(&page("/main?search=nothing+at+all").await, &["No commits found"], &[]);
    jane.get("/acme/anvil/-/commits/nothing").await.is(404);
    jane.get("/acme/anvil/-/commits/main~1").await.is(404);
}

#[testkit::story]
async fn readers_follow_commits_and_tags(t: TestServer) {
    let (project, git, jane) = maintained(&t).await;
    let feed = "/acme/anvil/-/commits/main?format=atom";
    check(&jane.get("/acme/anvil/-/commits/main").await.is(200).text(), &[feed], &[]);
    let reader = t.new_browser();
    assert!([302, 404].contains(&reader.get(feed).await.status), "it is private");
    let public = serde_json::json!({"visibility": "public"});
    t.admin().put("/groups/acme").json(&public).await.is(200);
    t.admin().put(project.at("")).json(&public).await.is(200);

    let reply = reader.get(feed).await.is(200);

    assert_eq!(reply.header("content-type"), "application/atom+xml; charset=utf-8");
    let entry = format!("/acme/anvil/-/commit/{}</id>", git.id("one", "main").await);
    let has = ["<title>Merge side</title>", &entry, "<name>Ada</name>"];
    check(&reply.text(), &has, &[]);
    let tags = reader.get("/acme/anvil/-/tags?format=atom").await.is(200).text();
    check(&tags, &["<title>v1.10.0</title>", "<summary>tenth</summary>"], &[]);
}

#[testkit::story]
async fn a_history_is_drawn(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;

    let page = jane.get("/acme/anvil/-/network/main").await.is(200).text();

    let wanted = lines(&git, &["rev-list", "--topo-order", "main"]).await;
    assert_eq!(listed(&page), wanted);
    check(
        &page,
        &["<svg class=\"graph-lines\"", "<ol class=\"graph\">", "lane-1", ">main<"],
        &["style="],
    );
    assert_eq!(page.matches("<circle").count(), wanted.len());
    let all = jane.get("/acme/anvil/-/network/main?all=1").await.is(200).text();
    check(&all, &["Change docs/more.md", ">ahead<"], &[]);
    jane.get("/acme/anvil/-/network/nothing").await.is(404);
}

#[testkit::story]
async fn who_wrote_a_history_is_drawn(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    let author = "Bob\u{202e} <BOB@example.com>";
    git.commit("one", "x", "x\n").await;
    let amend = ["commit", "--quiet", "--amend", "--no-edit", "--author", author];
    git.run_in("one", &amend).await.done();
    push(&git).await;

    let page = jane.get("/acme/anvil/-/graphs/ahead").await.is(200).text();

    let merges = lines(&git, &["rev-list", "--count", "--no-merges", "ahead~1"]).await;
    check(
        &page,
        &[
            "Commits by week",
            &format!("Commits of Ada by week: {}", merges[0]),
            "Commits of Bob\u{fffd}",
            "BOB@example.com",
        ],
        &["\u{202e}"],
    );
}
