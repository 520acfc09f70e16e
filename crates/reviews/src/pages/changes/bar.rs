//! What stands above the files: how many were looked at, which threads are open, how they
//! are shown, which versions are compared, and the way to the end of the review.

use super::overview::{Overview, around};
use super::versions::VersionChoice;
use askama::Template;
use askama::filters::HtmlSafe;
use code::pages::parts::diff::{Ways, told};
use kernel::html::ui;
use repositories::diffs::Stats;

/// The keys of the page, and what they do.
const KEYS: &[(&str, &str)] = &[
    ("j", "Next file"),
    ("k", "Previous file"),
    ("n", "Next open thread"),
    ("p", "Previous open thread"),
    ("↓ ↑", "Next or previous line, in a file"),
    ("Shift ↓", "Several lines"),
    ("Enter", "Comment on the line"),
    ("v", "Mark the file as viewed"),
    ("f", "Show or hide the list of files"),
];

#[derive(Debug, Clone, Template)]
#[template(path = "ui/review_bar.html")]
pub struct ReviewBar {
    pub counted: String,
    pub stats: Option<Stats>,
    /// Files that were looked at, and all.
    pub viewed: Option<(u64, u64)>,
    /// Threads that are not resolved, and the addresses of the one before and the next.
    pub open: String,
    pub steps: Option<(String, String)>,
    /// All of these threads, and where one of them is shown.
    pub threads: String,
    pub thread_at: String,
    pub ways: Ways,
    pub versions: Option<VersionChoice>,
    /// Where the viewer's review is ended, in words and by its address, if it has begun.
    pub review: Option<(String, String)>,
}

impl HtmlSafe for ReviewBar {}

impl ReviewBar {
    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        KEYS
    }

    /// «12 of 40 viewed».
    fn viewed_words(&self) -> String {
        self.viewed
            .map(|(done, all)| format!("{done} of {all} viewed"))
            .unwrap_or_default()
    }

    fn lines_in_words(&self) -> String {
        self.stats.as_ref().map(told).unwrap_or_default()
    }
}

/// How many threads are open, in words, with the one before a thread and the one behind it.
pub fn open_threads(
    overview: &Overview, steps: &[String], thread: Option<&str>, at: &str,
) -> (String, Option<(String, String)>) {
    let more = if overview.has_more { "+" } else { "" };
    let words = match overview.open() {
        0 => "No open threads".to_owned(),
        1 => format!("1{more} open thread"),
        open => format!("{open}{more} open threads"),
    };
    let address = |id: &str| format!("{at}{id}#discussion_{id}");
    let steps = around(steps, thread).map(|(before, next)| (address(before), address(next)));
    (words, steps)
}

/// The way to the end of a review with some drafts.
pub fn review(drafts: usize, request_url: &str) -> Option<(String, String)> {
    (drafts > 0).then(|| (format!("Finish review ({drafts})"), format!("{request_url}#review")))
}

/// What keeps a comment for a review, in words.
pub fn draft_label(drafts: usize) -> &'static str {
    match drafts {
        0 => "Start a review",
        _ => "Add to review",
    }
}
