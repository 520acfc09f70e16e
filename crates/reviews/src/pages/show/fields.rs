//! What is known of a merge request, beside it: each field with a form of its own for who may
//! change it.

use super::actions::ChangeForm;
use crate::access::{sets_labels, sets_people};
use crate::model::{MergeRequest, ReviewState, Reviewer};
use crate::pages::frame::Found;
use crate::rules::places::{active, is_subscribed};
use crate::rules::scene::Scene;
use ::store::Tx;
use identity::entities::load_basic;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::ui::Choice;
use planning::model::{Label, Milestone, human_span};
use planning::pages::fields::TypedField;
use planning::pages::{milestone_choices, titles};

/// People who take part that are shown.
const MOST_PEOPLE: usize = 30;

/// Somebody who reviews, and what they said last.
#[derive(Debug)]
pub struct ReviewerRow {
    pub user: User,
    /// In words, with their tone.
    pub said: (&'static str, &'static str),
    /// They said something, and may be asked again.
    pub may_be_asked: bool,
}

/// The fields beside a merge request.
#[derive(Debug)]
pub struct Fields {
    pub assignees: Vec<User>,
    pub reviewers: Vec<ReviewerRow>,
    pub labels: Vec<Label>,
    pub milestone: Option<Milestone>,
    /// What may be chosen, for who may.
    pub milestones: Vec<Choice>,
    pub estimate: Option<String>,
    pub spent: Option<String>,
    /// How many boxes of its description are ticked, of how many.
    pub tasks: Option<(u64, u64)>,
    pub participants: Vec<User>,
    /// How many more there are.
    pub more: usize,
    pub subscribed: bool,
    pub may_set_people: bool,
    pub may_set_labels: bool,
    /// How texts of other projects name it.
    pub reference: String,
    pub typed: TypedField,
}

impl Fields {
    pub fn label_titles(&self) -> String {
        titles(&self.labels)
    }

    pub fn assignee_names(&self) -> String {
        names(self.assignees.iter())
    }

    pub fn reviewer_names(&self) -> String {
        names(self.reviewers.iter().map(|row| &row.user))
    }

    pub fn estimate_text(&self) -> String {
        self.estimate.clone().unwrap_or_default()
    }

    /// What was typed of time spent, and refused.
    pub fn spent_text(&self) -> String {
        self.typed.text("spent", String::new())
    }

    pub fn milestone_id(&self) -> i64 {
        self.milestone.as_ref().map_or(0, |goal| goal.id)
    }

    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, found: &Found, scene: &Scene,
        refused: Option<&ChangeForm>,
    ) -> Result<Fields> {
        let (request, around, here) = (&found.request, &scene.around, &found.here);
        let writes = found.writes(viewer);
        let may_set_labels = writes && sets_labels(here.level);
        let known = |id: &i64| around.user(*id).cloned();
        let assignees = around.assignees.get(&request.id).into_iter().flatten();
        let reviewers = around.reviewers.get(&request.id).into_iter().flatten();
        let mut people = active(tx, request, here.is_reporter())?;
        let more = people.len().saturating_sub(MOST_PEOPLE);
        people.truncate(MOST_PEOPLE);
        let mut users = load_basic(tx, &people)?;
        Ok(Fields {
            assignees: assignees.filter_map(known).collect(),
            reviewers: reviewers
                .filter_map(|one| Some(row(request, one, around.user(one.user_id)?.clone())))
                .collect(),
            labels: around.labels.get(&request.id).cloned().unwrap_or_default(),
            milestone: request.milestone_id.and_then(|id| around.milestones.get(&id).cloned()),
            milestones: match may_set_labels {
                true => milestone_choices(tx, here, request.milestone_id)?,
                false => Vec::new(),
            },
            estimate: human_span(request.time_estimate),
            spent: human_span(request.time_spent),
            tasks: tasks(request),
            participants: people.iter().filter_map(|id| users.remove(id)).collect(),
            more,
            subscribed: match viewer.user_id() {
                Some(user_id) => is_subscribed(tx, user_id, request)?,
                None => false,
            },
            may_set_people: writes && sets_people(here.level),
            may_set_labels,
            reference: format!("{}{}", request.project_path, request.reference()),
            typed: TypedField(refused.and_then(ChangeForm::typed)),
        })
    }
}

fn names<'u>(users: impl Iterator<Item = &'u User>) -> String {
    let names: Vec<&str> = users.map(|user| user.username.as_str()).collect();
    names.join(", ")
}

fn tasks(request: &MergeRequest) -> Option<(u64, u64)> {
    let (done, all) = (request.task_completed_count, request.task_count);
    (all > 0).then(|| (done.unsigned_abs(), all.unsigned_abs()))
}

fn row(request: &MergeRequest, reviewer: &Reviewer, user: User) -> ReviewerRow {
    let said = match reviewer.state {
        ReviewState::Unreviewed => ("Asked", "plain"),
        ReviewState::ReviewStarted => ("Reviewing", "plain"),
        ReviewState::Reviewed => ("Reviewed", "plain"),
        ReviewState::RequestedChanges => ("Wants changes", "bad"),
        ReviewState::Approved => ("Approved", "good"),
        ReviewState::Unapproved => ("Approval gone", "warn"),
    };
    ReviewerRow {
        user,
        said,
        may_be_asked: request.is_open() && reviewer.state != ReviewState::Unreviewed,
    }
}
