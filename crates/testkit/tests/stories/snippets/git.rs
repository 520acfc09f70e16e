//! Snippets as repositories: who may clone and push them, and what a push may bring.

use super::{at, made, paths};
use serde_json::{Value, json};
use testkit::{Git, TestServer};

async fn put(git: &Git, message: &str) {
    git.run_in("it", &["add", "--all"]).await.done();
    git.run_in("it", &["commit", "--quiet", "--message", message]).await.done();
}

const PUSH: &[&str] = &["push", "--quiet", "origin", "HEAD:main"];

fn path(snippet: &Value) -> String {
    let url = snippet["http_url_to_repo"].as_str().unwrap_or_default();
    let path = url.split("://").nth(1).and_then(|rest| rest.split_once('/'));
    path.map_or("", |(_, path)| path).trim_end_matches(".git").to_owned()
}

#[testkit::story]
async fn a_snippet_is_cloned_and_pushed(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let ada = t.user("ada").await;
    project.add(&ada, 30).await;
    for project in [None, Some(&project)] {
        let snippet = made(&ada, project, "public").await;
        let git = Git::of(&ada);
        let url = git.url(&path(&snippet));
        git.run(&["clone", "--quiet", &url, "it"]).await.done();
        let said = git.run_in("it", &["log", "--format=%an %s"]).await.done().said;
        assert!(said.contains("Initial commit"), "{said}");
        std::fs::write(git.at("it").join("more.py"), "print(1)\n").expect("a file");
        put(&git, "More").await;
        git.run_in("it", PUSH).await.done();
        let now = ada.get(at(project, &snippet, "")).await.is(200).json();
        assert_eq!(paths(&now), ["hello.rs", "more.py"]);

        // Everybody who sees it clones it; only who changes it pushes.
        let user = t.user(&format!("bob{}", snippet["id"])).await;
        let bob = Git::of(&user);
        bob.run(&["clone", "--quiet", &bob.url(&path(&snippet)), "it"]).await.done();
        bob.run_in("it", &["config", "user.email", "bob@example.com"]).await.done();
        std::fs::write(bob.at("it").join("more.py"), "print(2)\n").expect("a file");
        put(&bob, "Other").await;
        bob.run_in("it", PUSH)
            .await
            .refused("You are not allowed to update this snippet.");
    }
    let hidden = made(&ada, None, "private").await;
    let user = t.user("bob").await;
    let bob = Git::of(&user);
    let cloned = bob.run(&["clone", "--quiet", &bob.url(&path(&hidden)), "hidden"]).await;
    cloned.refused("The snippet you were looking for could not be found.");
    // A snippet of a project has no other address.
    let odd = bob.url(&format!("acme/other/snippets/{}", hidden["id"]));
    bob.run(&["clone", "--quiet", &odd, "odd"]).await.refused("could not be found");
}

#[testkit::story]
async fn a_push_brings_some_files_to_one_branch(t: TestServer) {
    let ada = t.user("ada").await;
    let snippet = made(&ada, None, "private").await;
    let git = Git::of(&ada);
    git.run(&["clone", "--quiet", &git.url(&path(&snippet)), "it"]).await.done();
    let no = "You can not create or delete branches.";
    for spot in ["HEAD:other", ":main", "HEAD:refs/tags/v1"] {
        git.run_in("it", &["push", "--quiet", "origin", spot]).await.refused(no);
    }
    for number in 0..10 {
        std::fs::write(git.at("it").join(format!("{number}")), "x\n").expect("a file");
    }
    put(&git, "Eleven").await;
    git.run_in("it", PUSH)
        .await
        .refused("The repository can contain at most 10 file(s).");
    git.run_in("it", &["rm", "--quiet", "-r", "."]).await.done();
    put(&git, "None").await;
    git.run_in("it", PUSH)
        .await
        .refused("The repository must contain at least 1 file.");
    let now = ada.get(at(None, &snippet, "")).await.is(200).json();
    assert_eq!(now, snippet, "nothing was taken");
    // What is large is refused, too, however small it is packed.
    git.run_in("it", &["reset", "--quiet", "--hard", "origin/main"]).await.done();
    let large = vec![b'x'; 51 * 1024 * 1024];
    std::fs::write(git.at("it").join("large"), large).expect("a file");
    put(&git, "Large").await;
    git.run_in("it", PUSH).await.refused("exceed the size limit of 50 MiB");
}

#[testkit::story]
async fn a_project_may_be_called_like_a_snippet(t: TestServer) {
    let project = t.project("acme/snippets/7").await;
    let git = Git::of(&t.admin());
    git.begin("it", "acme/snippets/7").await;
    git.run_in("it", &["push", "--quiet", "origin", "main"]).await.done();
    let shown = t.admin().get(project.at("")).await.is(200).json();
    assert_eq!(shown["empty_repo"], json!(false));
}

#[testkit::story]
async fn snippets_are_checked_written_out_and_go_with_their_project(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let snippet = made(&t.admin(), Some(&project), "private").await;
    let own = made(&t.admin(), None, "private").await;
    let git = Git::of(&t.admin());
    let folder = git.at("whole");
    let path = format!("acme/anvil/snippets/{}", snippet["id"]);
    repositories::on_disk::export(t.app(), &path, &folder).await.unwrap();
    let count = t.app().read(repositories::store::count).await.unwrap();
    assert_eq!(count, 2);
    t.admin().delete(project.at("")).await.is(202);
    t.settle().await;
    t.admin().get(format!("/snippets/{}", snippet["id"])).await.is(404);
    t.admin().get(at(None, &own, "/raw")).await.is(200);
}
