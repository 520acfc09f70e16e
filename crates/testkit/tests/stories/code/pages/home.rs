//! Code on the first page of a project.

use super::{between, developer};
use testkit::{Git, TestServer};

#[testkit::story]
async fn a_project_begins_with_its_code(t: TestServer) {
    let (project, git) = super::super::history(&t).await;
    let browser = developer(&t, &project).await;
    let page = browser.get("/acme/anvil").await.is(200).text();
    for text in [
        "href=\"/acme/anvil/-/tree/main/src\"",
        "href=\"/acme/anvil/-/blob/main/README.md\"",
        "user-content-anvil",
        "/acme/anvil.git",
        "/-/archive/main/anvil-main.zip\"",
        "<strong>3</strong> branches",
        "<strong>2</strong> tags",
        "Merge side",
    ] {
        assert!(page.contains(text), "{text}: {page}");
    }
    let count = super::super::lines(&git, &["rev-list", "--count", "main"]).await;
    assert!(page.contains(&format!("<strong>{}</strong> commits", count[0])), "{page}");
    assert!(!page.contains("First steps"));
    assert_eq!(page.matches("<h1").count(), 1);
}

/// The words of a line as a shell takes them.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (at, piece) in line.split('\'').enumerate() {
        match at % 2 {
            0 => words.extend(piece.split_whitespace().map(str::to_owned)),
            _ => words.push(piece.to_owned()),
        }
    }
    words
}

#[testkit::story]
async fn what_an_empty_repository_says_works_as_it_stands(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let browser = developer(&t, &project).await;
    let page = browser.get("/acme/anvil").await.is(200).text();
    let said = between(&page, "id=\"begin-new\"", "</pre>");
    let said = said.split_once('>').expect("a block").1;
    let said = said.replace("&#39;", "'").replace("&#62;", ">").replace("&gt;", ">");
    let git = Git::of(&t.admin());
    let mut folder = ".".to_owned();
    for line in said.lines() {
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["git", "clone", url] => {
                assert!(url.ends_with("/acme/anvil.git"), "{url}");
                git.run(&["clone", "--quiet", &git.url("acme/anvil")]).await.done();
            }
            ["git", rest @ ..] => drop(git.run_in(&folder, rest).await.done()),
            ["cd", path] => folder = (*path).to_owned(),
            ["echo", text, ">", file] => {
                std::fs::write(git.at(&folder).join(file), format!("{text}\n")).expect("a file");
            }
            other => panic!("who runs {other:?}?"),
        }
    }
    let page = browser.get("/acme/anvil").await.is(200).text();
    assert!(page.contains("href=\"/acme/anvil/-/blob/main/README.md\""), "{page}");
}

#[testkit::story]
async fn who_may_not_push_to_an_empty_repository_is_told_nothing_of_it(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let browser = t.browser("jane").await;
    let page = browser.get("/acme/anvil").await.is(200).text();
    assert!(!page.contains("The repository is empty"), "{page}");
    assert_eq!(super::led(&browser, "/acme/anvil/-/tree", 302).await, "/acme/anvil");
}
