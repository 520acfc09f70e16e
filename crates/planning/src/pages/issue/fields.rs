//! What is known of an issue, beside it: each field with a form of its own for
//! who may change it.

use super::Reader;
use super::actions::ChangeForm;
use crate::access::epics::is_with_epics;
use crate::access::{Parent, ProjectAccess};
use crate::model::epics::Epic;
use crate::model::{Label, Milestone, Severity};
use crate::pages::fields::TypedField;
use crate::pages::{kinds, titles};
use crate::store::epics::issues as epics;
use crate::store::{issues as rows, labels, milestones};
use identity::entities::load_basic;
use identity::model::User;
use kernel::error::Result;
use kernel::html::ui::Choice;
use store::Tx;

const MAX_MILESTONES: i64 = 100;

/// The fields beside an issue.
#[derive(Debug, Default)]
pub struct Fields {
    pub assignees: Vec<User>,
    pub labels: Vec<Label>,
    pub milestone: Option<Milestone>,
    /// What may be chosen, for who may.
    pub milestones: Vec<Choice>,
    pub kinds: Vec<Choice>,
    pub severities: Vec<Choice>,
    /// What is only shown.
    pub facts: Vec<(&'static str, String)>,
    /// The project is in a group that has epics.
    pub has_epics: bool,
    /// The epic it is in, if the viewer sees it.
    pub epic: Option<Epic>,
    pub typed: TypedField,
}

impl Fields {
    pub fn label_titles(&self) -> String {
        titles(&self.labels)
    }

    /// The epic as its field takes it.
    pub fn epic_text(&self) -> String {
        self.epic.as_ref().map(|epic| epic.reference_from(0)).unwrap_or_default()
    }
}

impl Reader<'_> {
    /// Whether the viewer may change the fields beside the issue.
    pub fn may_set(&self) -> bool {
        self.writes() && self.desk.is_reporter()
    }

    pub fn fields(&self, tx: &mut Tx<'_>, refused: Option<&ChangeForm>) -> Result<Fields> {
        let issue = self.issue;
        let worn = labels::of_issues(tx, &[issue.id])?.remove(&issue.id);
        let goal = match issue.milestone_id {
            Some(id) => milestones::by_ids(tx, &[id])?.remove(&id),
            None => None,
        };
        let mut fields = Fields {
            assignees: self.assignees(tx)?,
            labels: worn.unwrap_or_default(),
            milestone: goal,
            facts: self.facts(),
            has_epics: is_with_epics(tx, self.desk.project.namespace_id)?,
            epic: epics::epics_of(tx, self.viewer, &[issue.id])?.remove(&issue.id),
            typed: TypedField(refused.and_then(ChangeForm::typed)),
            ..Fields::default()
        };
        if self.may_set() {
            fields.milestones = choices(tx, self.desk, self.issue.milestone_id)?;
            fields.kinds = kinds();
            let choice = |one: &Severity| Choice { value: one.to_string(), label: one.to_string() };
            fields.severities = Severity::ALL.iter().map(choice).collect();
        }
        Ok(fields)
    }

    fn assignees(&self, tx: &mut Tx<'_>) -> Result<Vec<User>> {
        let ids = rows::assignees_of_one(tx, self.issue.id)?;
        let mut found = load_basic(tx, &ids)?;
        Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
    }

    fn facts(&self) -> Vec<(&'static str, String)> {
        let (issue, span) = (self.issue, crate::model::human_span);
        let mut facts = Vec::new();
        facts.extend(span(issue.time_estimate).map(|text| ("Estimate", text)));
        facts.extend(span(issue.time_spent).map(|text| ("Time spent", text)));
        if issue.task_count > 0 {
            let (done, all) = (issue.task_completed_count, issue.task_count);
            facts.push(("Tasks", format!("{done} of {all} completed")));
        }
        facts
    }
}

/// The milestones that an issue may get, with the one it has.
pub fn choices(tx: &mut Tx<'_>, desk: &ProjectAccess, present: Option<i64>) -> Result<Vec<Choice>> {
    let parent = Parent::Project(Box::new(desk.project.clone()));
    let found = milestones::usable(tx, &parent, present, MAX_MILESTONES)?;
    let choice = |goal: Milestone| Choice { value: goal.id.to_string(), label: goal.title };
    let none = Choice::list(&[("0", "None")]);
    Ok(none.into_iter().chain(found.into_iter().map(choice)).collect())
}
