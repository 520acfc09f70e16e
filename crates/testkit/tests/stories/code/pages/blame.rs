//! Who wrote which line.

use super::{developer, with_files};
use testkit::TestServer;

#[testkit::story]
async fn lines_stand_beside_the_commits_that_wrote_them(t: TestServer) {
    let (project, git) = super::super::history(&t).await;
    let browser = developer(&t, &project).await;
    let page = browser.get("/acme/anvil/-/blame/main/src/beak.txt").await.is(200).text();
    let told =
        super::super::lines(&git, &["blame", "-l", "-s", "main", "--", "src/beak.txt"]).await;
    let mut commits: Vec<&str> = told.iter().filter_map(|line| line.get(..40)).collect();
    commits.dedup();
    let parts: Vec<&str> = page.split("class=\"blame-part\"").skip(1).collect();
    assert_eq!(parts.len(), commits.len(), "{page}");
    for (part, commit) in parts.iter().zip(commits) {
        assert!(
            part.contains(&format!("/-/commit/{}", commit.trim_start_matches('^'))),
            "{part}"
        );
    }
    for number in 1..=4 {
        assert!(page.contains(&format!("<div id=\"L{number}\">")), "{number}");
    }
    let pixels = browser.get("/acme/anvil/-/blame/main/pixels").await.is(200).text();
    assert!(pixels.contains("No lines are shown"));
}

#[testkit::story]
async fn a_long_file_comes_in_pages(t: TestServer) {
    let long: String = (1..=1500).map(|n| format!("line {n}\n")).collect();
    let (project, _) = with_files(&t, &[("long.txt", long.as_bytes())]).await;
    let browser = developer(&t, &project).await;
    let first = browser.get("/acme/anvil/-/blame/main/long.txt").await.is(200).text();
    assert!(first.contains("id=\"L1000\"") && !first.contains("id=\"L1001\""));
    let second = browser.get("/acme/anvil/-/blame/main/long.txt?page=2").await.is(200).text();
    assert!(second.contains("id=\"L1001\"") && second.contains("id=\"L1500\""));
    let beyond = browser.get("/acme/anvil/-/blame/main/long.txt?page=9").await.is(200).text();
    assert!(beyond.contains("No lines"));
}
