//! What the pages of epics show.

use super::fields::{Fields, Source};
use super::forms::{EpicTexts, EpicsPage, LinkForm, TreeForm};
use super::linked::Linked;
use super::tree::Branches;
use crate::model::Label;
use crate::model::epics::Epic;
use crate::pages::narrowed::Frame;
use crate::pages::notes::Person;
use crate::pages::talk::TalkView;
use crate::store::epics::progress::Progress;
use askama::Template;
use identity::pages::refusal::Refusal;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Moment, Page};

/// `…/-/epics`.
#[derive(Debug, Template)]
#[template(path = "epics/list.html")]
pub struct Epics {
    pub page: Page,
    pub frame: Frame,
    pub filters: EpicsPage,
    pub sorts: Vec<Choice>,
    /// The group has none yet.
    pub is_first: bool,
    pub can_create: bool,
    /// The viewer sees confidential ones.
    pub can_hide: bool,
    pub epics: Vec<EpicRow>,
}

impl Epics {
    fn seen_by(&self) -> Vec<Choice> {
        Choice::list(&[("", "Any"), ("confidential", "Confidential"), ("open", "Not confidential")])
    }
}

#[derive(Debug)]
pub struct EpicRow {
    pub epic: Epic,
    pub reference: String,
    pub labels: Vec<Label>,
    pub author: Person,
    pub created_at: Moment,
    pub progress: Progress,
}

/// `…/-/epics/new` and `…/-/epics/<number>/edit`.
#[derive(Debug, Template)]
#[template(path = "epics/form.html")]
pub struct EpicForm {
    pub page: Page,
    pub title: &'static str,
    pub url: String,
    /// Where «Cancel» leads.
    pub back: String,
    pub is_new: bool,
    pub can_hide: bool,
    pub typed: EpicTexts,
    pub refusal: Refusal,
}

impl EpicForm {
    fn button(&self) -> &'static str {
        if self.is_new { "Create epic" } else { "Save" }
    }
}

/// `…/-/epics/<number>`.
#[derive(Debug, Template)]
#[template(path = "epics/epic.html")]
pub struct EpicView {
    pub page: Page,
    pub url: String,
    /// The list that its labels lead to.
    pub list: String,
    pub epic: Epic,
    /// Its description as safe HTML, or empty.
    pub description: String,
    pub author: Person,
    pub created_at: Moment,
    pub closed_at: Option<Moment>,
    /// The viewer's is among its votes.
    pub upvoted: bool,
    pub subscribed: bool,
    pub is_signed_in: bool,
    pub may_edit: bool,
    pub may_link: bool,
    /// The viewer may make it confidential.
    pub may_hide: bool,
    pub may_destroy: bool,
    /// One discussion or note is shown alone.
    pub is_part: bool,
    /// Something open blocks it.
    pub is_blocked: bool,
    pub below: Branches,
    pub progress: Progress,
    pub side: Fields,
    pub linked: Linked,
    pub talk: TalkView,
    /// What was typed to put something below it, and refused.
    pub adding: TreeForm,
    pub linking: LinkForm,
    pub errors: Errors,
}

impl EpicView {
    /// What is asked before it is closed: it is blocked.
    fn closing(&self) -> Option<String> {
        self.is_blocked.then(|| self.linked.question())
    }

    /// How much stands right below it.
    fn tally(&self) -> u64 {
        self.progress.direct.0 + self.progress.direct.1
    }
}
