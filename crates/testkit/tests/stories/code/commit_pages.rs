//! The page of a commit, and what is done with it there.

use super::{check, lines, maintained};
use testkit::TestServer;

#[testkit::story]
async fn a_commit_has_a_page(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    let id = git.id("one", "main~1").await;
    let url = format!("/acme/anvil/-/commit/{id}");

    let page = jane.get(&url).await.is(200).text();

    let parent = git.id("one", "main~2").await;
    check(
        &page,
        &[
            "<h1>Move the horn</h1>",
            "<pre class=\"commit-message\">It was in the way.",
            &format!("href=\"/acme/anvil/-/commit/{parent}\""),
            "ada@example.com</bdi>",
            "href=\"/acme/anvil/-/tree/ahead\"",
            "href=\"/acme/anvil/-/tags/v1.9.0\"",
            &format!("href=\"{url}.patch\""),
            "5 changed files",
            "<button class=\"button solid\">Cherry-pick</button>",
        ],
        &["and more"],
    );
    let merge = git.id("one", "main").await;
    let merged = jane.get(&format!("/acme/anvil/-/commit/{merge}")).await.is(200).text();
    check(&merged, &["docs/guide.md", "1 changed file"], &["beak.txt"]);
    let root = &lines(&git, &["rev-list", "--max-parents=0", "main"]).await[0];
    let first = jane.get(&format!("/acme/anvil/-/commit/{root}")).await.is(200).text();
    check(&first, &["None: it is the first", "README.md"], &[]);
}

#[testkit::story]
async fn whatever_names_a_commit_leads_to_it(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    let id = git.id("one", "main").await;
    let url = format!("/acme/anvil/-/commit/{id}");
    for name in [&id[..8], "main", "v1.9.0", "refs/heads/main", "HEAD"] {
        let led = jane.get(&format!("/acme/anvil/-/commit/{name}?view=parallel")).await.is(302);
        assert_eq!(led.header("location"), format!("{url}?view=parallel"), "{name}");
    }
    let old = jane.get(&format!("/acme/anvil/commit/{id}")).await;
    assert!([301, 404].contains(&old.status));
    for name in ["nothing", "main~1", "@{-1}", "--output=x", "-x", &"1".repeat(40), "abc"] {
        let name = name.replace('{', "%7B").replace('}', "%7D");
        jane.get(&format!("/acme/anvil/-/commit/{name}")).await.is(404);
        jane.get(&format!("/acme/anvil/-/commit/{name}.patch")).await.is(404);
    }
}

#[testkit::story]
async fn a_commit_is_taken_as_a_patch(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    let id = git.id("one", "main~1").await;
    let get = async |name: &str, ending: &str| {
        let reply = jane.get(&format!("/acme/anvil/-/commit/{name}.{ending}")).await.is(200);
        assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        reply.text()
    };
    let patch = get(&id, "patch").await;
    let wanted = git
        .run_in(
            "one",
            &[
                "-c",
                "core.quotePath=false",
                "format-patch",
                "--stdout",
                "-1",
                "--binary",
                "-M",
                &id,
            ],
        )
        .await
        .done()
        .said;
    assert_eq!(patch, wanted);
    assert_eq!(get(&id[..10], "patch").await, wanted);

    let diff = get(&id, "diff").await;
    std::fs::write(git.at("it.diff"), &diff).unwrap();
    git.run_in("one", &["checkout", "--quiet", "main~2"]).await.done();
    git.run_in("one", &["apply", "--index", "../it.diff"]).await.done();
    let tree = git.run_in("one", &["write-tree"]).await.done().last_line().to_owned();
    assert_eq!(tree, git.id("one", "main~1^{tree}").await);

    let merge = get("main", "patch").await;
    check(&merge, &["Subject: [PATCH] Merge side", "+++ b/docs/guide.md"], &["beak.txt"]);
    let root = &lines(&git, &["rev-list", "--max-parents=0", "main"]).await[0];
    check(&get(root, "diff").await, &["new file mode", "+# Anvil"], &[]);
}

#[testkit::story]
async fn a_commit_is_picked_and_reverted(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    let more = git.id("one", "ahead").await;
    let url = format!("/acme/anvil/-/commit/{more}");
    jane.get(&url).await.is(200);
    let send = async |action: &str, branch: &str| {
        jane.submit(&url, &[("action", action), ("branch", branch)]).await
    };

    let (_, page) = send("revert", "side").await;
    check(&page, &["side is like this already", "role=\"alert\""], &[]);
    let (to, page) = send("cherry_pick", "side").await;
    check(
        &page,
        &[
            "The commit was picked onto side.",
            &format!("(cherry picked from commit <a href=\"{url}\" rel=\"nofollow noopener\">"),
        ],
        &[],
    );
    assert_ne!(to, url);
    let (_, page) = send("revert", "ahead").await;
    check(&page, &["<h1>Revert &quot;Change docs/more.md&quot;</h1>"], &[]);
    for (branch, text) in [("nothing", "There is no such branch."), ("ahead", "like this already")]
    {
        let (to, page) = send("revert", branch).await;
        check(&page, &[text], &[]);
        assert_eq!(to, url);
    }
    let horn = git.id("one", "side~1").await;
    let first = format!("/acme/anvil/-/commit/{horn}");
    let (_, page) = jane.submit(&first, &[("action", "revert"), ("branch", "main")]).await;
    check(&page, &["main changed the same lines since"], &[]);

    let joe = t.user("joe").await;
    let project = t.admin().get("/projects/acme%2Fanvil").await.is(200).id();
    let member = serde_json::json!({"user_id": joe.id, "access_level": 20});
    t.admin()
        .post(format!("/projects/{project}/members"))
        .json(&member)
        .await
        .is(201);
    let joe = t.browser("joe").await;
    check(&joe.get(&url).await.is(200).text(), &[], &["Cherry-pick"]);
    joe.post(&url, &[("action", "revert"), ("branch", "main")]).await.is(403);
}
