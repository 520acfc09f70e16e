//! Epics, as rows.

pub use super::Link as EpicLink;
use super::{HealthStatus, Issue, IssueState};
use kernel::time::{Date, Timestamp};
use store::{FromRow, UpdateRow};

/// As notes, to-dos and activity call an epic.
pub const EPIC: &str = "Epic";
/// An epic's colour unless one is given.
pub const DEFAULT_COLOR: &str = "#1068bf";
/// Epics that stand one below another.
pub const MOST_LEVELS: i64 = 7;
/// Added to the id of an epic it is that of the work item.
pub const WORK_ITEMS: i64 = 1 << 40;

/// What work items are, where both are treated alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    Issue,
    Epic,
}

#[derive(Debug, Clone, Default, FromRow, UpdateRow)]
#[columns("epics")]
pub struct Epic {
    pub id: i64,
    pub group_id: i64,
    pub iid: i64,
    pub parent_id: Option<i64>,
    pub relative_position: i64,
    #[written]
    pub title: String,
    #[written]
    pub description: Option<String>,
    #[written]
    pub state: IssueState,
    #[written]
    pub color: String,
    #[written]
    pub confidential: bool,
    pub author_id: Option<i64>,
    #[written]
    pub closed_by_id: Option<i64>,
    #[written]
    pub start_is_fixed: bool,
    #[written]
    pub start_on_fixed: Option<Date>,
    pub start_on_inherited: Option<Date>,
    pub start_on_milestones: Option<Date>,
    #[written]
    pub due_is_fixed: bool,
    #[written]
    pub due_on_fixed: Option<Date>,
    pub due_on_inherited: Option<Date>,
    pub due_on_milestones: Option<Date>,
    #[written]
    pub health_status: Option<HealthStatus>,
    pub upvotes: i64,
    pub downvotes: i64,
    #[written]
    pub closed_at: Option<Timestamp>,
    pub created_at: Timestamp,
    #[written]
    pub updated_at: Timestamp,
    #[column("namespaces.full_path")]
    pub group_path: String,
}

impl Epic {
    pub fn text(&self) -> &str {
        self.description.as_deref().unwrap_or_default()
    }

    pub fn is_open(&self) -> bool {
        self.state == IssueState::Opened
    }

    pub fn start_on(&self) -> Option<Date> {
        match self.start_is_fixed {
            true => self.start_on_fixed,
            false => self.start_on_inherited,
        }
    }

    pub fn due_on(&self) -> Option<Date> {
        match self.due_is_fixed {
            true => self.due_on_fixed,
            false => self.due_on_inherited,
        }
    }

    /// How texts name it in its own group.
    pub fn reference(&self) -> String {
        format!("&{}", self.iid)
    }

    /// How texts of a group name it.
    pub fn reference_from(&self, group_id: i64) -> String {
        match self.group_id == group_id {
            true => self.reference(),
            false => format!("{}&{}", self.group_path, self.iid),
        }
    }

    pub fn path(&self) -> String {
        format!("/groups/{}/-/epics/{}", self.group_path, self.iid)
    }
}

/// An issue in an epic.
#[derive(Debug, Clone, FromRow)]
pub struct EpicIssue {
    pub id: i64,
    pub epic_id: i64,
    pub issue_id: i64,
    pub relative_position: i64,
}

/// An issue with its place in an epic.
#[derive(Debug, Clone, FromRow)]
#[columns("epic_issues")]
pub struct ListedIssue {
    #[nested]
    pub issue: Issue,
    #[column("epic_issues.id")]
    pub epic_issue_id: i64,
    pub relative_position: i64,
}
