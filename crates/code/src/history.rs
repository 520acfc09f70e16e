//! Histories that are asked for by more than their beginning: by path, author, message,
//! time or order. The program git walks them.

use kernel::app::App;
use kernel::error::Result;
use repositories::formats::object_id::ObjectId;
use repositories::objects::Path;
use repositories::output;

/// Bytes of a name and its end of line.
const LINE: usize = 41;
/// Commits that are counted to.
const MOST: usize = 10_000_000;

/// What is asked of a history.
#[derive(Debug, Default)]
pub struct Asked {
    pub from: Vec<ObjectId>,
    pub without: Vec<ObjectId>,
    pub path: Option<Path>,
    pub author: Option<String>,
    /// A part of the message.
    pub message: Option<String>,
    /// Letters of authors and messages are the same in any case.
    pub ignores_case: bool,
    /// Seconds since 1970.
    pub since: Option<i64>,
    pub until: Option<i64>,
    pub first_parent: bool,
    pub by_topology: bool,
}

impl Asked {
    fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["rev-list".to_owned(), "--fixed-strings".to_owned()];
        if self.first_parent {
            arguments.push("--first-parent".into());
        }
        if self.by_topology {
            arguments.push("--topo-order".into());
        }
        arguments.extend(self.since.map(|at| format!("--max-age={at}")));
        arguments.extend(self.until.map(|at| format!("--min-age={at}")));
        if self.ignores_case {
            arguments.push("--regexp-ignore-case".into());
        }
        // One argument with its name before it: it can be no other option.
        arguments.extend(self.author.as_ref().map(|author| format!("--author={author}")));
        arguments.extend(self.message.as_ref().map(|message| format!("--grep={message}")));
        arguments
    }

    /// What stands behind the options: ids, and a path that is no pattern.
    fn ends(&self) -> Vec<String> {
        let mut ends: Vec<String> = self.from.iter().map(ToString::to_string).collect();
        ends.extend(self.without.iter().map(|id| format!("^{id}")));
        ends.push("--".into());
        let path = self.path.as_ref().filter(|path| !path.is_root());
        ends.extend(path.map(|path| path.as_str().to_owned()));
        ends
    }

    /// Some of the commits.
    pub async fn page(
        &self, app: &App, repository: i64, skip: usize, most: usize,
    ) -> Result<Vec<ObjectId>> {
        let part = [format!("--skip={skip}"), format!("--max-count={most}")];
        let told = output::ask(app, repository, most * LINE, |git| {
            let git = git.env("GIT_LITERAL_PATHSPECS", "1").args(self.arguments());
            git.args(part).args(self.ends())
        });
        let told = told.await?;
        let lines = std::str::from_utf8(&told).unwrap_or_default().lines();
        Ok(lines.filter_map(|line| line.parse().ok()).collect())
    }

    /// How many there are.
    pub async fn count(&self, app: &App, repository: i64) -> Result<usize> {
        let told = output::ask(app, repository, LINE, |git| {
            let most = [format!("--max-count={MOST}"), "--count".to_owned()];
            git.args(self.arguments()).args(most).args(self.ends())
        });
        let told = told.await?;
        Ok(String::from_utf8_lossy(&told).trim().parse().unwrap_or_default())
    }
}
