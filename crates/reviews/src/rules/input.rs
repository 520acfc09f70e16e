//! What is said of a merge request, new or not.

use kernel::http::{Flat, Patch};
use kernel::time::Timestamp;
use planning::rules::issues::Assignees;
use planning::rules::labelling::Labelling;

kernel::choices! {
    pub enum StateEvent as "MergeRequestStateEvent" { Close = "close", Reopen = "reopen" }
}

/// One of these has to be there, where a merge request is to be changed.
pub const CHANGES: &str = "assignee_id, assignee_ids, reviewer_ids, description, \
    discussion_locked, labels, add_labels, remove_labels, milestone_id, milestone, merge_after, \
    remove_source_branch, squash, allow_collaboration, allow_maintainer_to_push, state_event, \
    target_branch, title";

kernel::params! {
    /// What is said of a merge request, new or not, by every interface and by programs.
    /// What has a value here is no parameter of both, and set by who has it.
    #[derive(Default, PartialEq)]
    pub struct Input {
        pub title: Option<String> = None,
        pub target_branch: Option<String> = None,
        /// Its description, in Markdown.
        pub description: Patch<String>,
        pub assignees: Assignees,
        /// Who reviews; 0 for nobody.
        pub reviewer_ids: Option<Vec<i64>>,
        pub add_reviewer_ids: Vec<i64> = Vec::new(),
        pub remove_reviewer_ids: Vec<i64> = Vec::new(),
        /// Id of a milestone; 0 for none.
        pub milestone_id: Patch<i64>,
        /// Title of a milestone, in place of its id.
        pub milestone: Option<String>,
        pub wears: Flat<Labelling>,
        /// The source branch goes with the merge.
        pub remove_source_branch: Option<bool>,
        /// Its commits become one with the merge.
        pub squash: Option<bool>,
        /// Who may merge may push to the source branch of a fork.
        pub allow_collaboration: Option<bool>,
        /// The same by its older name.
        pub allow_maintainer_to_push: Option<bool>,
        /// It is not merged before.
        pub merge_after: Patch<Timestamp>,
        /// Only members comment.
        pub discussion_locked: Patch<bool>,
        pub state_event: Option<StateEvent> = None,
    }
}

impl Input {
    pub fn event(event: StateEvent) -> Input {
        Input { state_event: Some(event), ..Input::default() }
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Input { wears: Flat(self.wears.nothing()), ..Input::default() }
    }

    /// What is said of the fork, by whichever name.
    pub fn collaboration(&self) -> Option<bool> {
        self.allow_collaboration.or(self.allow_maintainer_to_push)
    }

    /// The same without people, for who may not set these.
    pub fn without_people(self) -> Input {
        Input {
            assignees: Assignees::AsTheyAre,
            reviewer_ids: None,
            add_reviewer_ids: Vec::new(),
            remove_reviewer_ids: Vec::new(),
            discussion_locked: Patch::Absent,
            ..self
        }
    }

    /// The same without labels and milestone, for who may not set these.
    pub fn without_labels(self) -> Input {
        Input {
            milestone_id: Patch::Absent,
            milestone: None,
            wears: Flat::default(),
            ..self
        }
    }

    /// What only labels and a milestone are said of.
    pub fn labels_alone(self) -> Input {
        Input {
            milestone_id: self.milestone_id,
            milestone: self.milestone,
            wears: self.wears,
            ..Input::default()
        }
    }
}
