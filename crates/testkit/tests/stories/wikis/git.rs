//! Wikis as repositories: who may clone and push them, and what a push does not touch.

use serde_json::{Value, json};
use testkit::{Client, Git};

fn basic(client: &Client) -> String {
    use base64::Engine;
    let sent = format!("x:{}", client.token().unwrap_or_default());
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(sent))
}

async fn asked(client: &Client, path: &str, service: &str) -> (u16, String) {
    let path = format!("/{path}.git/info/refs?service={service}");
    let nobody = Client::nobody(client.server());
    let request = match client.token() {
        Some(_) => nobody.at(path).header("authorization", &basic(client)),
        None => nobody.at(path),
    };
    let reply = request.await;
    (reply.status, reply.text().trim().to_owned())
}

const FETCH: &str = "git-upload-pack";
const PUSH: &str = "git-receive-pack";

#[testkit::story]
async fn who_writes_a_wiki_pushes_it_and_who_reads_it_clones(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (guest, developer, stranger) =
        (t.user("guest").await, t.user("developer").await, t.user("stranger").await);
    project.add(&guest, 10).await;
    project.add(&developer, 30).await;
    let git = Git::of(&t.token_of(developer.id, &["write_repository"]).await);
    git.begin("wiki", "acme/anvil.wiki").await;
    git.commit("wiki", "home.md", "Welcome.\n").await;
    git.run_in("wiki", &["push", "--quiet", "origin", "main"]).await.done();
    git.run(&["clone", "--quiet", &git.url("acme/anvil.wiki"), "again"])
        .await
        .done();
    assert!(git.at("again").join("home.md").exists());

    // It is no code: the project is empty still, and nothing is protected.
    let shown = t.admin().get(project.at("")).await.is(200).json();
    assert_eq!(shown["empty_repo"], true);
    assert_eq!(t.admin().get(project.at("/protected_branches")).await.json(), json!([]));
    git.run_in("wiki", &["commit", "--quiet", "--amend", "--message", "Other"])
        .await
        .done();
    git.run_in("wiki", &["push", "--quiet", "--force", "origin", "main"])
        .await
        .done();
    let refused = git.run_in("wiki", &["push", "origin", ":main"]).await;
    refused.refused("The default branch of a wiki cannot be deleted.");

    let no = "You are not allowed to write to this project's wiki.";
    let wiki = "acme/anvil.wiki";
    assert_eq!(asked(&guest, wiki, FETCH).await.0, 200);
    assert_eq!(asked(&guest, wiki, PUSH).await, (403, no.to_owned()));
    let hidden = (404, "The wiki you were looking for could not be found.".to_owned());
    assert_eq!(asked(&stranger, wiki, FETCH).await, hidden);
    assert_eq!(asked(&stranger, "acme/absent.wiki", PUSH).await, hidden);
    assert_eq!(asked(&t.anonymous(), wiki, FETCH).await.0, 401);
    let batch = format!("/{wiki}.git/info/lfs/objects/batch");
    let large = json!({"operation": "download", "objects": [{"oid": "0".repeat(64), "size": 1}]});
    let request = t.anonymous().request(http::Method::POST, batch).json(&large);
    let request = request.header("authorization", &basic(&t.admin()));
    assert_eq!(request.await.status, 404, "wikis have no large files");
    let off = json!({"wiki_access_level": "disabled"});
    t.admin().put(project.at("")).json(&off).await.is(200);
    let no = "You are not allowed to download files from this wiki.";
    assert_eq!(asked(&developer, wiki, FETCH).await, (403, no.to_owned()));

    let led = t.anonymous().at("/acme/anvil.wiki.git?a=b").await.is(301);
    assert_eq!(led.header("location"), "/acme/anvil/-/wikis?a=b");
}

#[testkit::story]
async fn a_group_has_a_wiki_of_its_own(t: testkit::TestServer) {
    let group = t.group("acme/tools").await;
    let (reporter, developer) = (t.user("reporter").await, t.user("developer").await);
    group.add(&reporter, 20).await;
    group.add(&developer, 30).await;
    let git = Git::of(&developer);
    git.begin("wiki", "acme/tools.wiki").await;
    git.commit("wiki", "guides/begin.md", "Heat it.\n").await;
    git.run_in("wiki", &["push", "--quiet", "origin", "main"]).await.done();
    let pages = reporter.get(group.at("/wikis")).await.is(200).each("slug");
    assert_eq!(pages, ["guides/begin", "README"]);
    let (folder, progress) = (git.at("whole"), |_: u64| {});
    repositories::on_disk::export(t.app(), "acme/tools.wiki", &folder)
        .await
        .unwrap();
    t.group("guild").await;
    let came = repositories::on_disk::import(t.app(), &folder, "guild.wiki", progress).await;
    assert_eq!(came.unwrap(), 1);
    t.admin().get("/groups/guild/wikis/guides%2Fbegin").await.is(200);
    let no = "You are not allowed to write to this group's wiki.";
    assert_eq!(asked(&reporter, "acme/tools.wiki", PUSH).await, (403, no.to_owned()));
    reporter
        .post(group.at("/wikis"))
        .json(&json!({"title": "x", "content": "y"}))
        .await
        .is(403);
}

#[testkit::story]
async fn a_push_shows_its_pages_and_is_told_page_by_page(t: testkit::TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let git = Git::of(&t.admin());
    git.begin("wiki", "acme/anvil.wiki").await;
    git.commit("wiki", "old name.md", "Some words that stay as they are.\n").await;
    git.commit("wiki", "gone.org", "* Gone\n").await;
    git.commit("wiki", "dk.png", "no page\n").await;
    git.run_in("wiki", &["push", "--quiet", "origin", "main"]).await.done();
    git.run_in("wiki", &["mv", "old name.md", "new-name.md"]).await.done();
    git.run_in("wiki", &["rm", "--quiet", "gone.org"]).await.done();
    git.commit("wiki", "guides/more.adoc", "= More\n").await;
    git.run_in("wiki", &["push", "--quiet", "origin", "main"]).await.done();

    let slugs = t.anonymous().get(project.at("/wikis")).await.is(200).each("slug");
    assert_eq!(slugs, ["guides/more", "new-name", "README"]);
    let events = t.admin().get(project.at("/events?target_type=wiki")).await.is(200).json();
    let told = |event: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!("{} {}", text(&event["action_name"]), text(&event["target_title"]))
    };
    let told: Vec<String> = events.as_array().into_iter().flatten().map(told).collect();
    assert_eq!(
        told,
        [
            "created more",
            "updated new name",
            "destroyed gone",
            "created old name",
            "created gone",
            "created README",
        ]
    );
    assert_eq!(events[0]["wiki_page"]["slug"], "guides/more");
    assert_eq!(events[0]["target_type"], "WikiPage::Meta");
    let pushes = t.admin().get(project.at("/events?action=pushed")).await.is(200).json();
    assert_eq!(pushes, json!([]), "it is no push of code");
    let browser = super::browser(&t, project.at("/members"), 20).await;
    let page = browser.get("/acme/anvil/-/activity").await.is(200).text();
    assert!(
        page.contains("wiki page more") && page.contains("/-/wikis/guides/more"),
        "{page}"
    );

    // Events are for who may read the wiki.
    let only = json!({"wiki_access_level": "private"});
    t.admin().put(project.at("")).json(&only).await.is(200);
    let stranger = t.user("stranger").await;
    let seen = stranger.get(project.at("/events?target_type=wiki")).await.is(200).json();
    assert_eq!(seen, json!([]));
    let led = browser.get("/acme/anvil/-/wikis/old%20name").await.is(302);
    assert_eq!(led.header("location"), "/acme/anvil/-/wikis/new-name");
}
