//! Gists become personal snippets.

use super::Story;
use super::double::Fault;
use serde_json::{Value, json};
use testkit::TestServer;

const PATH: &str = "/import/provider_a/gists";

fn gist(t: &TestServer, id: &str, description: &str, is_public: bool) -> Value {
    json!({"id": id, "description": description, "public": is_public,
        "files": {"README.md": {"size": 8}}, "truncated": false,
        "git_pull_url": format!("{}/acme/source.git", t.url()),
        "created_at": "2019-05-01T10:00:00Z", "updated_at": "2019-05-02T10:00:00Z"})
}

fn token(story: &Story) -> Value {
    json!({"personal_access_token": story.double.token})
}

#[testkit::story(noon)]
async fn gists_become_snippets_with_their_files_and_times(t: TestServer) {
    let story = Story::begin(&t).await;
    let gists = [gist(&t, "a1", "How it works", true), gist(&t, "a2", "", false)];
    story.double.list("/gists", json!(gists));
    let begun = story.jane.post(PATH).json(&token(&story)).await.is(202);
    assert!(begun.body.is_empty());
    t.settle().await;

    let snippets = story.jane.get("/snippets").await.is(200).json();
    let snippets = snippets.as_array().expect("a list");
    assert_eq!(snippets.len(), 2, "{snippets:?}");
    let find = |title: &str| snippets.iter().find(|it| it["title"] == title).expect("a snippet");
    let public = find("How it works");
    assert_eq!(public["visibility"], "public");
    assert_eq!(public["created_at"], "2019-05-01T10:00:00.000Z");
    assert_eq!(public["updated_at"], "2019-05-02T10:00:00.000Z");
    assert_eq!(find("README.md")["visibility"], "private");
    let raw = story.jane.get(format!("/snippets/{}/raw", public["id"])).await.is(200);
    assert_eq!(raw.text(), "# Anvil\n");

    // Nothing comes twice while it is there.
    story.jane.delete(format!("/snippets/{}", public["id"])).await.is(204);
    story.jane.post(PATH).json(&token(&story)).await.is(202);
    t.settle().await;
    let titles = story.jane.get("/snippets").await.is(200).each("title");
    assert_eq!(titles.len(), 2, "what was deleted comes again: {titles:?}");
}

#[testkit::story(noon)]
async fn gists_that_do_not_come_are_told_by_one_mail(t: TestServer) {
    let story = Story::begin(&t).await;
    let files: serde_json::Map<String, Value> =
        (0..11).map(|n| (format!("{n}.txt"), json!({"size": 1}))).collect();
    let mut many = gist(&t, "a1", "Many files", false);
    many["files"] = json!(files);
    let mut large = gist(&t, "a2", "Large", false);
    large["files"] = json!({"a.bin": {"size": 60 * 1024 * 1024}});
    let mut lost = gist(&t, "a3", "Lost", false);
    lost["git_pull_url"] = json!(format!("{}/acme/nothing.git", t.url()));
    let mut inside = gist(&t, "a4", "Inside", false);
    inside["git_pull_url"] = json!("http://169.254.169.254/a4.git");
    let good = gist(&t, "a5", "Good", false);
    story.double.list("/gists", json!([many, large, lost, inside, good]));
    story.jane.post(PATH).json(&token(&story)).await.is(202);
    t.settle().await;

    assert_eq!(story.jane.get("/snippets").await.is(200).each("title"), [json!("Good")]);
    let mails = t.app().mailer().sent().into_iter();
    let mails: Vec<String> = mails
        .filter(|mail| mail.to == "jane@example.com" && mail.subject.contains("Gists from"))
        .map(|mail| mail.text)
        .collect();
    assert_eq!(mails.len(), 1, "{mails:?}");
    for line in [
        "- Many files: Snippet maximum file count exceeded\n",
        "- Large: Snippet repository size exceeded\n",
        "- Lost: ",
        "- Inside: ",
    ] {
        assert!(mails[0].contains(line), "{}", mails[0]);
    }
    assert!(!mails[0].contains("- Good") && !mails[0].contains(&story.double.token));
}

#[testkit::story(noon)]
async fn one_import_goes_on_for_each_user(t: TestServer) {
    let story = Story::begin(&t).await;
    story.double.list("/gists", json!([gist(&t, "a1", "One", false)]));
    let pause = Fault {
        headers: vec![("retry-after", "90".into())],
        ..Fault::of(429)
    };
    story.double.faults("/gists", [pause]);
    story.jane.post(PATH).json(&token(&story)).await.is(202);
    t.settle().await;
    let told = story.jane.post(PATH).json(&token(&story)).await.is(422).json();
    assert_eq!(told["errors"], "Import already in progress");
    t.advance(91);
    t.settle().await;
    assert_eq!(story.jane.get("/snippets").await.is(200).each("title"), [json!("One")]);
    story.jane.post(PATH).json(&token(&story)).await.is(202);
}

#[testkit::story]
async fn a_wrong_token_imports_no_gists(t: TestServer) {
    let story = Story::begin(&t).await;
    let wrong = json!({"personal_access_token": "wrong"});
    let told = story.jane.post(PATH).json(&wrong).await.is(401).json();
    assert_eq!(told["errors"], "Access denied to the Provider A account.");
    story.double.faults("/user", [Fault::of(429)]);
    story.jane.post(PATH).json(&token(&story)).await.is(429);
}
