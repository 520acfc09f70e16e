//! What is made of generated histories is what git makes of them. A usual run tries few, a
//! full one many (`PROPTEST_CASES`).

mod blame;
mod histories;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, TestRunner};
use repositories::model::{Repository, RepositoryKind};
use std::collections::BTreeMap;
use testkit::{Git, TestProject, TestServer};

/// The modes of a plain file, of a program, and of a symbolic link.
const PLAIN: &str = "100644";
const PROGRAM: &str = "100755";
const LINK: &str = "120000";

/// Mode and content of each file, by its path.
type Files = BTreeMap<String, (&'static str, String)>;

/// Generated values: one for so many cases that a property is tried with.
fn samples<S: Strategy>(strategy: &S, cases: u32) -> Vec<S::Value> {
    let config = Config::default();
    let count = config.cases.div_ceil(cases);
    let mut runner = TestRunner::new(config);
    let mut sample = || strategy.new_tree(&mut runner).expect("a value").current();
    (0..count).map(|_| sample()).collect()
}

/// The repository of a project.
async fn repository(t: &TestServer, project: &TestProject) -> Repository {
    let id = project.id;
    let found = t
        .app()
        .read(move |tx| repositories::store::of_project(tx, id, RepositoryKind::Project));
    found.await.expect("the database answers").expect("it has a repository")
}

/// Commits, as `git fast-import` reads them.
#[derive(Default)]
struct Stream {
    text: String,
    count: usize,
}

impl Stream {
    /// A commit with these files, and no others, at the end of a branch; its mark.
    fn commit(&mut self, branch: &str, parents: &[usize], files: &Files) -> usize {
        self.count += 1;
        let (mark, time) = (self.count, 1_700_000_000 + self.count);
        self.text += &format!(
            "commit refs/heads/{branch}\nmark :{mark}\n\
             committer Ada <ada@example.com> {time} +0000\ndata 1\nx\n"
        );
        for (nth, parent) in parents.iter().enumerate() {
            let word = if nth == 0 { "from" } else { "merge" };
            self.text += &format!("{word} :{parent}\n");
        }
        self.text += "deleteall\n";
        for (path, (mode, content)) in files {
            let length = content.len();
            self.text += &format!("M {mode} inline {path}\ndata {length}\n{content}\n");
        }
        mark
    }

    /// Writes all of them into a repository.
    async fn import(&self, git: &Git, repository: &str) {
        let args = ["fast-import", "--quiet", "--force"];
        git.feed(repository, &args, &self.text).await.done();
    }
}
