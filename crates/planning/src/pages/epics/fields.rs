//! What is known of an epic, beside it: each field with a form of its own for who may
//! change it.

use super::forms::FieldForm;
use super::reader::Reader;
use super::tree::Branches;
use crate::model::Label;
use crate::model::epics::Epic;
use crate::pages::fields::TypedField;
use crate::pages::titles;
use crate::store::{epics as rows, labels};
use kernel::error::Result;
use kernel::html::ui::Choice;
use kernel::time::Date;
use store::Tx;

#[derive(Debug, Default)]
pub struct Fields {
    pub labels: Vec<Label>,
    /// The epic above it, if the viewer sees it.
    pub parent: Option<Epic>,
    pub start: Day,
    pub due: Day,
    pub typed: TypedField,
}

/// A day on which it begins or ends, and where that comes from.
#[derive(Debug, Default)]
pub struct Day {
    pub on: Option<Date>,
    pub is_fixed: bool,
    /// What is stored as the fixed day.
    pub fixed: Option<Date>,
    pub from: Source,
}

#[derive(Debug, Default)]
pub enum Source {
    #[default]
    None,
    /// Fixed by somebody.
    Fixed,
    /// Inherited from what this says.
    Inherited(&'static str),
    /// Inherited from an epic right below it: its title and address.
    Epic(String, String),
}

impl Day {
    /// What stands in its form.
    pub fn typed(&self) -> String {
        self.fixed.map(|day| day.to_string()).unwrap_or_default()
    }

    pub fn choice(&self) -> &'static str {
        if self.is_fixed { "fixed" } else { "inherited" }
    }
}

impl Fields {
    pub fn label_titles(&self) -> String {
        titles(&self.labels)
    }

    /// The epic above it as its field takes it.
    pub fn parent_text(&self) -> String {
        self.parent.as_ref().map(|epic| epic.reference_from(0)).unwrap_or_default()
    }

    /// Where a day may come from.
    pub fn sources(&self) -> Vec<Choice> {
        Choice::list(&[("inherited", "From what is in the epic"), ("fixed", "A fixed day")])
    }
}

impl Reader<'_> {
    pub fn fields(
        &self, tx: &mut Tx<'_>, below: &Branches, refused: Option<&FieldForm>,
    ) -> Result<Fields> {
        let epic = self.epic;
        let parent: Vec<i64> = epic.parent_id.into_iter().collect();
        Ok(Fields {
            labels: labels::of_epics(tx, &[epic.id])?.remove(&epic.id).unwrap_or_default(),
            parent: rows::visible_by_ids(tx, self.viewer, &parent)?.pop(),
            start: start(epic, below),
            due: due(epic, below),
            typed: TypedField(refused.and_then(FieldForm::typed)),
        })
    }
}

fn start(epic: &Epic, below: &Branches) -> Day {
    let milestones = (epic.start_on_milestones, "the earliest milestone of its issues");
    Day {
        on: epic.start_on(),
        is_fixed: epic.start_is_fixed,
        fixed: epic.start_on_fixed,
        from: match epic.start_is_fixed {
            true => Source::Fixed,
            false => source(epic.start_on(), milestones, below, Epic::start_on),
        },
    }
}

fn due(epic: &Epic, below: &Branches) -> Day {
    let milestones = (epic.due_on_milestones, "the latest milestone of its issues");
    Day {
        on: epic.due_on(),
        is_fixed: epic.due_is_fixed,
        fixed: epic.due_on_fixed,
        from: match epic.due_is_fixed {
            true => Source::Fixed,
            false => source(epic.due_on(), milestones, below, Epic::due_on),
        },
    }
}

/// Where an inherited day comes from: an epic that the viewer sees is named.
fn source(
    day: Option<Date>, (of_milestones, milestones): (Option<Date>, &'static str), below: &Branches,
    day_of: fn(&Epic) -> Option<Date>,
) -> Source {
    let Some(day) = day else {
        return Source::None;
    };
    if of_milestones == Some(day) {
        return Source::Inherited(milestones);
    }
    let mut epics = below.epics.iter().map(|branch| &branch.epic);
    match epics.find(|epic| day_of(epic) == Some(day)) {
        Some(epic) => Source::Epic(epic.title.clone(), epic.path()),
        None => Source::Inherited("what is in the epic"),
    }
}
