//! Code over REST: branches, tags, commits, files and what differs between them. The
//! stock git says what is right.

mod about;
mod branch_pages;
mod changelog;
mod commit_comments;
mod commit_pages;
mod comparing;
mod diff_pages;
mod editing;
mod files;
mod graph;
mod history;
mod history_pages;
mod hostile;
mod hostile_pages;
mod pages;
mod refs;
mod repository_settings;
mod tag_pages;

use testkit::{Browser, Git, TestProject, TestServer};

/// A history with a rename, a merge, a binary file, odd names, a link, a program and a
/// submodule, pushed to a project.
async fn history(t: &TestServer) -> (TestProject, Git) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.commit("one", "src/horn.txt", "one\ntwo\nthree\n").await;
    git.run_in("one", &["branch", "side"]).await.done();
    git.commit("one", "src/horn.txt", "one\n2\nthree\nfour\n").await;
    git.commit("one", "odd \"é\tname", "odd\n").await;
    git.run_in("one", &["mv", "src/horn.txt", "src/beak.txt"]).await.done();
    std::fs::write(git.at("one").join("pixels"), b"\0\x01\x02").unwrap();
    std::os::unix::fs::symlink("README.md", git.at("one").join("link")).unwrap();
    let gitlink = format!("160000,{},parts", "1".repeat(40));
    git.run_in("one", &["add", "pixels", "link"]).await.done();
    git.run_in("one", &["update-index", "--add", "--cacheinfo", &gitlink])
        .await
        .done();
    git.run_in("one", &["update-index", "--chmod=+x", "README.md"]).await.done();
    let message = "Move the horn\n\nIt was in the way.\n\nChangelog: changed\nSigned-off-by: Ada";
    git.run_in("one", &["commit", "--quiet", "--message", message]).await.done();
    git.run_in("one", &["reset", "--quiet", "--hard"]).await.done();
    git.run_in("one", &["checkout", "--quiet", "side"]).await.done();
    git.commit("one", "docs/guide.md", "# Guide\n").await;
    git.run_in("one", &["checkout", "--quiet", "main"]).await.done();
    git.run_in("one", &["merge", "--quiet", "--no-ff", "--message", "Merge side", "side"])
        .await
        .done();
    git.run_in("one", &["checkout", "--quiet", "-b", "ahead"]).await.done();
    git.commit("one", "docs/more.md", "more\n").await;
    git.run_in("one", &["tag", "--annotate", "v1.10.0", "--message", "tenth"])
        .await
        .done();
    git.run_in("one", &["tag", "v1.9.0", "main"]).await.done();
    git.run_in("one", &["push", "--quiet", "origin", "main", "side", "ahead", "--tags"])
        .await
        .done();
    (project, git)
}

/// The same, and somebody who maintains it at the pages.
async fn maintained(t: &TestServer) -> (TestProject, Git, Browser) {
    let (project, git) = history(t).await;
    let jane = t.user("jane").await;
    project.add(&jane, 40).await;
    let browser = t.browser("jane").await;
    (project, git, browser)
}

/// Pushes all branches and tags.
async fn push(git: &Git) {
    git.run_in("one", &["push", "--quiet", "--force", "origin", "--all"])
        .await
        .done();
    git.run_in("one", &["push", "--quiet", "origin", "--tags"]).await.done();
}

/// A page has these, and none of those.
fn check(page: &str, has: &[&str], lacks: &[&str]) {
    for text in has {
        assert!(page.contains(text), "no {text} in {page}");
    }
    for text in lacks {
        assert!(!page.contains(text), "{text} in {page}");
    }
}

/// The lines that git answers.
async fn lines(git: &Git, args: &[&str]) -> Vec<String> {
    let said = git.run_in("one", args).await.done().said;
    said.lines().map(str::to_owned).collect()
}
