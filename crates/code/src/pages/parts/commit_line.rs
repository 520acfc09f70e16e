//! A commit in one line: who, what, when.

use askama::Template;
use askama::filters::HtmlSafe;
use kernel::html::Moment;
use kernel::html::ui::{self, StateDot};
use kernel::time::Timestamp;
use repositories::objects::Commit;

/// Letters of a title.
const TITLE: usize = 300;

/// A commit above a folder, a file or lines.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/commit_line.html")]
pub struct CommitLine {
    /// What it is called, and where it is seen.
    link: (String, String),
    author: String,
    short_id: String,
    at: Moment,
    /// How far its newest pipeline is, where that is shown.
    pipeline: Option<StateDot>,
}

impl HtmlSafe for CommitLine {}

impl CommitLine {
    /// A commit of the project at this address.
    pub fn of(commit: &Commit, project_url: &str, now: Timestamp) -> CommitLine {
        CommitLine {
            link: (title(commit.title()), format!("{project_url}/-/commit/{}", commit.id)),
            author: commit.author.name.clone(),
            short_id: commit.short_id(),
            at: Moment::new(commit.committer.at, now),
            pipeline: None,
        }
    }

    /// The same with how far its newest pipeline is.
    pub fn piped(mut self, pipeline: Option<StateDot>) -> CommitLine {
        self.pipeline = pipeline;
        self
    }
}

/// What a commit is called, which may be nothing.
pub fn title(text: &str) -> String {
    match text.trim() {
        "" => "No message".to_owned(),
        text => text.chars().take(TITLE).collect(),
    }
}
