//! The pages of tags.

use super::{check, maintained, push};
use testkit::TestServer;

const TAGS: &str = "/acme/anvil/-/tags";

#[testkit::story]
async fn tags_are_listed_and_shown(t: TestServer) {
    let (_, git, jane) = maintained(&t).await;
    git.run_in("one", &["tag", "--annotate", "v2", "--message", "two\n\nmore <b>"])
        .await
        .done();
    git.run_in("one", &["tag", "tree", "main^{tree}"]).await.done();
    push(&git).await;

    let page = jane.get(&format!("{TAGS}?sort=version_desc")).await.is(200).text();

    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text} in {page}"));
    assert!(at("/-/tags/v2\"") < at("/-/tags/v1.10.0\""));
    assert!(at("/-/tags/v1.10.0\"") < at("/-/tags/v1.9.0\""));
    check(&page, &["<bdi>tenth</bdi>", "Marks no commit"], &[]);
    let found = jane.get(&format!("{TAGS}?search=v1")).await.is(200).text();
    check(&found, &["v1.9.0"], &["/-/tags/v2\""]);
    let one = jane.get(&format!("{TAGS}/v2")).await.is(200).text();
    check(&one, &["<h1>v2", "<bdi>Ada</bdi> made it", "more &lt;b&gt;"], &["more <b>"]);
    check(
        &jane.get(&format!("{TAGS}/tree")).await.is(200).text(),
        &["It marks no commit"],
        &[],
    );
    for missing in ["nothing", "main", "-x", "@%7B-1%7D"] {
        jane.get(&format!("{TAGS}/{missing}")).await.is(404);
    }
    jane.get(&format!("{TAGS}?sort=odd")).await.is(400);
}

#[testkit::story]
async fn tags_are_made_and_deleted(t: TestServer) {
    let (project, git, jane) = maintained(&t).await;
    jane.get(TAGS).await.is(200);
    let create = |name: &'static str, target: &'static str, message: &'static str| {
        [("action", "create"), ("tag_name", name), ("ref", target), ("message", message)]
    };

    let (to, page) = jane.submit(TAGS, &create("rel/1", "side", "one\r\ntwo")).await;

    assert_eq!(to, "/acme/anvil/-/tags/rel/1");
    check(&page, &["Tag rel/1 is there.", "one\ntwo"], &[]);
    let tag = t.admin().get(project.at("/repository/tags/rel%2F1")).await.is(200).json();
    assert_eq!(tag["commit"]["id"], git.id("one", "side").await.as_str());
    assert_ne!(tag["target"], tag["commit"]["id"]);
    jane.submit(TAGS, &create("light", "main", "")).await;
    for (name, target, text) in [
        ("light", "main", "Tag light already exists"),
        ("a..b", "main", "Tag name invalid"),
        ("new", "main~1", "Is no branch, tag or commit"),
        ("new", "", "Can&#39;t be blank"),
    ] {
        let page = jane.post(TAGS, &create(name, target, "typed")).await.is(422).text();
        check(&page, &[text, ">typed</textarea>"], &[]);
    }
    let delete = [("action", "delete"), ("tag_name", "rel/1")];
    let (to, page) = jane.submit(TAGS, &delete).await;
    assert_eq!(to, TAGS);
    check(&page, &["Tag rel/1 was deleted."], &["/-/tags/rel/1"]);
    jane.get("/acme/anvil/-/tags/rel/1").await.is(404);

    let joe = t.user("joe").await;
    project.add(&joe, 20).await;
    let joe = t.browser("joe").await;
    check(&joe.get(TAGS).await.is(200).text(), &["v1.9.0"], &["New tag", "Delete"]);
    joe.post(TAGS, &delete).await.is(403);
}
