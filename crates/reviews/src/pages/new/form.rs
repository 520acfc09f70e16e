//! The form of a merge request, new or not.

use super::texts::RequestTexts;
use crate::access::{sets_labels, sets_people};
use crate::model::{MergeRequest, SquashOption};
use ::store::Tx;
use askama::Template;
use code::pages::parts::commit_rows::CommitRows;
use code::pages::parts::diff::DiffView;
use identity::pages::refusal::Refusal;
use kernel::error::Result;
use kernel::html::Page;
use kernel::html::ui::{self, Choice};
use planning::access::{Parent, ProjectAccess};
use planning::model::Milestone;
use planning::store::milestones;

const MAX_MILESTONES: i64 = 100;

/// `…/-/merge_requests/new` with branches, and `…/-/merge_requests/<number>/edit`.
#[derive(Template)]
#[template(path = "merge_request/form.html")]
pub struct FormView {
    pub page: Page,
    pub title: &'static str,
    /// Where it is sent.
    pub url: String,
    /// Where «Cancel» leads.
    pub back: String,
    pub button: &'static str,
    /// Both branches, each as people name it.
    pub source: String,
    pub target: String,
    /// The target project: labels and people are of that.
    pub target_url: String,
    pub fields: Fields,
    pub refusal: Refusal,
    /// What goes with a new one.
    pub new: Option<New>,
    /// Another branch that one goes into, where it can.
    pub target_branch: Option<String>,
}

/// What a new one has beside its fields.
pub struct New {
    /// Names and values that say the branches.
    pub hidden: Vec<(&'static str, String)>,
    /// The same for a form that begins anew.
    pub begun: Vec<(String, String)>,
    /// The page itself, without what is asked of it.
    pub url: String,
    /// Where other branches are chosen.
    pub branches_url: String,
    /// An open one of the same branches.
    pub twin: Option<MergeRequest>,
    pub templates: Vec<Choice>,
    pub template: String,
    /// How many commits there are.
    pub count: String,
    /// More than are listed.
    pub is_cut: bool,
    /// The newest of them.
    pub commits: CommitRows,
    /// None where both branches have nothing in common.
    pub diff: Option<DiffView>,
}

/// The fields, as somebody may set them.
pub struct Fields {
    pub typed: RequestTexts,
    pub may_set_people: bool,
    pub may_set_labels: bool,
    pub milestones: Vec<Choice>,
    /// The project does not decide alone.
    pub may_squash: bool,
    /// The branch of a fork can be opened to who merges.
    pub may_open_fork: bool,
}

impl Fields {
    /// The fields for who has this level in the target, with what stands in them.
    pub fn read(
        tx: &mut Tx<'_>, here: &ProjectAccess, typed: RequestTexts, may_open_fork: bool,
    ) -> Result<Fields> {
        let may_set_labels = sets_labels(here.level);
        let decides = SquashOption::of(&here.project.squash_option);
        Ok(Fields {
            may_set_people: sets_people(here.level),
            milestones: match may_set_labels {
                true => goals(tx, here, typed.milestone_id)?,
                false => Vec::new(),
            },
            may_squash: matches!(decides, SquashOption::DefaultOn | SquashOption::DefaultOff),
            may_set_labels,
            may_open_fork,
            typed,
        })
    }
}

/// The milestones that it may get, with the one it has.
fn goals(tx: &mut Tx<'_>, here: &ProjectAccess, present: Option<i64>) -> Result<Vec<Choice>> {
    let parent = Parent::Project(Box::new(here.project.clone()));
    let found = milestones::usable(tx, &parent, present, MAX_MILESTONES)?;
    let choice = |goal: Milestone| Choice { value: goal.id.to_string(), label: goal.title };
    let none = Choice::list(&[("0", "None")]);
    Ok(none.into_iter().chain(found.into_iter().map(choice)).collect())
}
