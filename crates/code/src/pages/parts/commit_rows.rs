//! Commits of a list, by the days that they were made on.

use super::older::Older;
use crate::visible::line;
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::html::Moment;
use kernel::html::ui::{self, StateDot};
use kernel::time::{Date, Timestamp, date_of};
use repositories::objects::Commit;
use signatures::pages::SignatureBadge;

/// Letters of a title and of a name.
const TITLE: usize = 300;
const NAME: usize = 100;

/// A commit as a row.
#[derive(Debug, Clone)]
pub struct CommitRow {
    pub title: String,
    pub url: String,
    pub author: String,
    pub short_id: String,
    pub at: Moment,
    /// The files as they were then.
    pub files_url: String,
    /// Whether its signature proves anything, where that is shown.
    pub signature: Option<SignatureBadge>,
    /// How far its newest pipeline is, where that is shown.
    pub pipeline: Option<StateDot>,
}

impl CommitRow {
    /// A commit of the project at this address.
    pub fn of(commit: &Commit, project_url: &str, now: Timestamp) -> CommitRow {
        CommitRow {
            title: title(commit),
            url: format!("{project_url}/-/commit/{}", commit.id),
            author: name(&commit.author.name),
            short_id: commit.short_id(),
            at: Moment::new(commit.committer.at, now),
            files_url: format!("{project_url}/-/tree/{}", commit.id),
            signature: None,
            pipeline: None,
        }
    }
}

/// What a commit is called: its first line, which may be empty.
pub fn title(commit: &Commit) -> String {
    match commit.title().trim() {
        "" => "No message".to_owned(),
        title => line(title, TITLE),
    }
}

/// A name of whoever made something.
pub fn name(name: &str) -> String {
    match name.trim() {
        "" => "Nobody".to_owned(),
        name => line(name, NAME),
    }
}

/// A list of commits with its days.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/commit_rows.html")]
pub struct CommitRows {
    days: Vec<(Date, Vec<CommitRow>)>,
    older: Older,
    /// The headings of days stand below one of all.
    is_below: bool,
}

impl HtmlSafe for CommitRows {}

impl CommitRows {
    /// Commits in the order they are shown in; neighbours of one day stand together.
    pub fn of(commits: &[Commit], project_url: &str, now: Timestamp, older: Older) -> CommitRows {
        let mut days: Vec<(Date, Vec<CommitRow>)> = Vec::new();
        for commit in commits {
            let (day, row) =
                (date_of(commit.committer.at), CommitRow::of(commit, project_url, now));
            match days.last_mut() {
                Some((last, rows)) if *last == day => rows.push(row),
                _ => days.push((day, vec![row])),
            }
        }
        CommitRows { days, older, is_below: false }
    }

    /// The same below a heading.
    pub fn below_heading(self) -> CommitRows {
        CommitRows { is_below: true, ..self }
    }

    /// The same with signatures, one for one.
    pub fn signed(mut self, signatures: Vec<Option<SignatureBadge>>) -> CommitRows {
        let rows = self.days.iter_mut().flat_map(|(_, rows)| rows);
        rows.zip(signatures).for_each(|(row, signature)| row.signature = signature);
        self
    }

    /// The same with how far their newest pipelines are, one for one.
    pub fn piped(mut self, pipelines: Vec<Option<StateDot>>) -> CommitRows {
        let rows = self.days.iter_mut().flat_map(|(_, rows)| rows);
        rows.zip(pipelines).for_each(|(row, pipeline)| row.pipeline = pipeline);
        self
    }

    fn heading(&self) -> &'static str {
        if self.is_below { "h3" } else { "h2" }
    }

    pub fn is_empty(&self) -> bool {
        self.days.is_empty()
    }
}
