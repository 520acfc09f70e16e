//! Pages on which code is read, as a browser without a script sees them.

mod blame;
mod blob;
mod home;
mod hostile;
mod raw;
mod tree;

use testkit::{Browser, Git, TestProject, TestServer};

/// Somebody who may push, in a browser.
async fn developer(t: &TestServer, project: &TestProject) -> Browser {
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    t.browser("jane").await
}

/// A project with these files on its default branch.
async fn with_files(t: &TestServer, files: &[(&str, &[u8])]) -> (TestProject, Git) {
    let project = t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    for (name, content) in files {
        let path = git.at("one").join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, content).expect("a file");
    }
    push(&git, "Add files").await;
    (project, git)
}

/// Commits all that changed, and pushes it.
async fn push(git: &Git, message: &str) {
    for args in [
        &["add", "."][..],
        &["commit", "--quiet", "--message", message],
        &["push", "--quiet", "origin", "main"],
    ] {
        git.run_in("one", args).await.done();
    }
}

/// Where a reply leads.
async fn led(browser: &Browser, path: &str, status: u16) -> String {
    browser.get(path).await.is(status).header("location").to_owned()
}

/// What a page has between two texts.
fn between<'p>(page: &'p str, begin: &str, end: &str) -> &'p str {
    let (_, rest) = page.split_once(begin).unwrap_or_else(|| panic!("no {begin}: {page}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end}: {rest}")).0
}
