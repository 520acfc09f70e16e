//! What the jobs of this room are about; rules enqueue these, and
//! [`crate::jobs`] does the work.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    New,
    Note,
    Closed,
    Reopened,
    Reassigned,
    /// Its text changed; only those newly named are told.
    Edited,
    /// It has another milestone, or none any longer.
    Milestone,
    /// It has a further label; only who asked to be told of the label is.
    Labelled,
    /// It is due tomorrow.
    Due,
    /// Of merge requests: others review it.
    Reviewers,
    /// It became a draft, or ready.
    Draft,
    /// There are new commits in it.
    Pushed,
    Merged,
    Approved,
    Unapproved,
    /// It cannot be merged any more.
    Unmergeable,
    /// All its threads are resolved.
    ThreadsResolved,
    /// It is merged once its checks pass.
    AutoMerge,
}

impl Event {
    /// As it is stored.
    pub fn name(self) -> &'static str {
        match self {
            Event::New => "new",
            Event::Note => "note",
            Event::Closed => "closed",
            Event::Reopened => "reopened",
            Event::Reassigned => "reassigned",
            Event::Edited => "edited",
            Event::Milestone => "milestone",
            Event::Labelled => "labelled",
            Event::Due => "due",
            Event::Reviewers => "reviewers",
            Event::Draft => "draft",
            Event::Pushed => "pushed",
            Event::Merged => "merged",
            Event::Approved => "approved",
            Event::Unapproved => "unapproved",
            Event::Unmergeable => "unmergeable",
            Event::ThreadsResolved => "threads_resolved",
            Event::AutoMerge => "auto_merge",
        }
    }

    /// Nobody is told but those for whom it was meant.
    pub fn is_for_few(self) -> bool {
        matches!(self, Event::Edited | Event::Labelled)
    }
}

/// Why somebody is told, the weightier first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// They did it, and asked to be told of what they do.
    OwnActivity,
    /// They are, or were, assigned.
    Assigned,
    /// They are, or were, asked for a review.
    ReviewRequested,
    Mentioned,
    Subscribed,
    Participating,
    /// They asked to be told of whatever happens there, or of such things.
    Watching,
}

impl Reason {
    /// As the header of mails says it.
    pub fn name(self) -> &'static str {
        match self {
            Reason::OwnActivity => "own_activity",
            Reason::Assigned => "assigned",
            Reason::ReviewRequested => "review_requested",
            Reason::Mentioned => "mentioned",
            Reason::Subscribed => "subscribed",
            Reason::Participating => "participating",
            Reason::Watching => "watching",
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Reason::OwnActivity => "you asked to be told of what you do",
            Reason::Assigned => "you have been assigned an item",
            Reason::ReviewRequested => "you have been asked for a review",
            Reason::Mentioned => "you have been mentioned",
            Reason::Subscribed => "you have subscribed to it",
            Reason::Participating => "you take part in it",
            Reason::Watching => "of what you want to be told of there",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Its kind, `Issue`.
    pub kind: String,
    pub id: i64,
}

/// What happened.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct News {
    pub event: Event,
    pub about: About,
    pub note: Option<i64>,
    pub actor: Option<i64>,
    /// Random: tells the mails about it from those about the like of it.
    #[serde(default)]
    pub mark: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Notify {
    #[serde(flatten)]
    pub news: News,
    /// Who is told in any case, as far as they may know.
    pub direct: Vec<(i64, Reason)>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Tell {
    #[serde(flatten)]
    pub news: News,
    pub user: i64,
    pub reason: Reason,
}

/// What waits for somebody's mail of a day or a week.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Waiting {
    #[serde(flatten)]
    pub news: News,
    pub reason: Reason,
}

/// Has people told of what is due on a day, some at a time.
#[derive(Debug, Serialize, Deserialize)]
pub struct TellDue {
    /// `2026-01-31`.
    pub day: String,
    /// Of the issue that was told last.
    pub after: i64,
}

/// Has people told that a project stands elsewhere.
#[derive(Debug, Serialize, Deserialize)]
pub struct TellMoved {
    pub project: i64,
    pub from: String,
    pub actor: Option<i64>,
}

/// Tells one of them.
#[derive(Debug, Serialize, Deserialize)]
pub struct TellMovedTo {
    pub project: i64,
    pub from: String,
    pub actor: Option<i64>,
    pub user: i64,
}
