//! Parameters of new and changed issues.

use super::IssuePath;
use crate::model::{IssueKind, Severity};
use crate::rules::issues::{Assignees, IssueInput, StateEvent};
use kernel::http::{Flat, Patch};
use kernel::ids::Reference;
use kernel::time::{Date, Timestamp};

pub const CHANGES: &str = "assignee_id, assignee_ids, confidential, created_at, description, \
    discussion_locked, due_date, labels, add_labels, remove_labels, milestone_id, state_event, \
    title, issue_type, weight, severity";

kernel::params! {
    /// What is said of an issue, new or not.
    pub struct IssueFields {
        /// Its description, in Markdown.
        pub description: Patch<String>,
        /// Seen by its author, assignees and reporters only.
        pub confidential: Option<bool>,
        /// Who is assigned; 0 for nobody.
        pub assignee_ids: Option<Vec<i64>>,
        /// The one who is assigned; 0 for nobody.
        pub assignee_id: Patch<i64>,
        /// Id of a milestone; 0 for none.
        pub milestone_id: Patch<i64>,
        /// Titles of labels: these and no others.
        pub labels: Option<Vec<String>>,
        /// Titles of labels: these, too.
        pub add_labels: Option<Vec<String>>,
        /// The day it is due.
        pub due_date: Patch<Date>,
        /// How heavy it is.
        pub weight: Patch<i64>,
        /// What it is about.
        pub issue_type: Option<IssueKind>,
        /// How bad an incident is.
        pub severity: Option<Severity>,
        /// Only members comment.
        pub discussion_locked: Patch<bool>,
    }
}

kernel::params! {
    pub struct CreateIssue {
        /// Id or path of the project.
        pub id: Reference,
        /// Its title.
        pub title: String,
        pub fields: Flat<IssueFields>,
        /// When it was made; for owners.
        pub created_at: Option<Timestamp>,
        /// Its number; for owners.
        pub iid: Option<i64>,
    }
}

kernel::params! {
    pub struct UpdateIssue {
        pub at: Flat<IssuePath>,
        /// Another title.
        pub title: Option<String>,
        pub fields: Flat<IssueFields>,
        /// Titles of labels: these no longer.
        pub remove_labels: Option<Vec<String>>,
        /// When it was changed; for owners.
        pub updated_at: Option<Timestamp>,
        /// Close it or open it again.
        pub state_event: Option<StateEvent>,
    }
}

impl IssueFields {
    /// Who is to be assigned; one name for many, and one for one.
    fn assignees(&self) -> Option<Assignees> {
        match (&self.assignee_ids, &self.assignee_id) {
            (Some(ids), _) => Some(Assignees::Set(ids.clone())),
            (None, Patch::Value(id)) => Some(Assignees::Set(vec![*id])),
            (None, Patch::Null) => Some(Assignees::Set(Vec::new())),
            (None, Patch::Absent) => None,
        }
    }

    fn input(&self) -> IssueInput {
        IssueInput {
            description: self.description.clone(),
            confidential: self.confidential,
            assignees: self.assignees(),
            milestone_id: self.milestone_id.clone(),
            labels: self.labels.clone(),
            add_labels: self.add_labels.clone().unwrap_or_default(),
            due_on: self.due_date.clone(),
            weight: self.weight.clone(),
            kind: self.issue_type,
            severity: self.severity,
            discussion_locked: self.discussion_locked.clone(),
            ..IssueInput::default()
        }
    }
}

impl CreateIssue {
    pub fn input(&self) -> IssueInput {
        IssueInput {
            title: Some(self.title.clone()),
            iid: self.iid,
            created_at: self.created_at,
            ..self.fields.input()
        }
    }
}

impl UpdateIssue {
    pub fn input(&self) -> IssueInput {
        IssueInput {
            title: self.title.clone(),
            remove_labels: self.remove_labels.clone().unwrap_or_default(),
            state_event: self.state_event,
            updated_at: self.updated_at,
            ..self.fields.input()
        }
    }
}
