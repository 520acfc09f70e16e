//! What may be said of work items, part by part, and what of it issues and epics take.

use super::super::labels::numbers;
use super::super::{MILESTONE_ID, Moment};
use super::types::TYPE_ID;
use crate::graph::enums::{chosen, health_of, link_of};
use crate::model::LinkType;
use crate::model::epics::WORK_ITEMS;
use crate::rules::epics::change::EpicInput;
use crate::rules::issues::{Assignees, IssueInput, StateEvent};
use crate::rules::labelling::Labelling;
use identity::graph::USER_ID;
use kernel::error::Error;
use kernel::graph::input::GraphInput;
use kernel::graph::{BOOLEAN, DATE, Fault, Graph, HasTypeRef, ID, INT, STRING, TIME, named};
use kernel::graph_input;
use kernel::http::{Flat, Patch};
use kernel::time::{Date, Timestamp};
use serde::Deserialize;
use serde_json::Value as Json;

/// Most work items that one mutation links, or puts below another.
pub const MOST: usize = 10;

graph_input! {
    struct DescriptionPart {
        /// Its description, in Markdown.
        description: String = STRING.required(),
    }
}

graph_input! {
    struct AssigneesPart {
        /// These users and no others.
        assignee_ids: Vec<i64> = USER_ID.required().list().required(),
    }
}

graph_input! {
    struct LabelsPart {
        /// These labels.
        label_ids: Vec<Json> = named("LabelID").required().list().required(),
    }
}

graph_input! {
    struct LabelsChange {
        /// These labels, too.
        add_label_ids: Option<Vec<Json>> = named("LabelID").required().list(),
        /// These labels no longer.
        remove_label_ids: Option<Vec<Json>> = named("LabelID").required().list(),
    }
}

graph_input! {
    struct MilestonePart {
        /// What it is to be done for; null for nothing.
        #[serde(default)]
        milestone_id: Patch<i64> = MILESTONE_ID,
    }
}

graph_input! {
    struct HierarchyPart {
        /// The epic it is below.
        parent_id: Option<i64> = named("WorkItemID"),
    }
}

graph_input! {
    struct HierarchyChange {
        /// The epic it is below; null for none.
        #[serde(default)]
        parent_id: Patch<i64> = named("WorkItemID"),
        /// Put these below it, too; at most 10.
        children_ids: Option<Vec<i64>> = named("WorkItemID").required().list(),
        /// Move it beside this one, which is of the same kind and below the same epic.
        adjacent_work_item_id: Option<i64> = named("WorkItemID"),
        /// On which side; after it unless told.
        relative_position: Option<String> = named("RelativePositionType"),
    }
}

graph_input! {
    struct LinkedItemsPart {
        /// These, at most 10.
        work_items_ids: Vec<i64> = named("WorkItemID").required().list().required(),
        /// What this one is to them; related unless told.
        link_type: Option<String> = named("WorkItemRelatedLinkType") => "RELATED",
    }
}

graph_input! {
    #[derive(Default)]
    struct DatesPart {
        /// The day it begins; null for none. Issues have none.
        #[serde(default)]
        start_date: Patch<Moment<Date>> = DATE,
        /// The day it is due; null for none.
        #[serde(default)]
        due_date: Patch<Moment<Date>> = DATE,
        /// Whether these are its own days, and not those of what is below it; so it is
        /// with those that are given, unless told.
        is_fixed: Option<bool> = BOOLEAN,
    }
}

graph_input! {
    struct ColorPart {
        /// Its colour.
        color: String = named("Color").required(),
    }
}

graph_input! {
    struct HealthPart {
        /// How it goes; null for nothing.
        health_status: Option<String> = named("HealthStatus"),
    }
}

graph_input! {
    struct WeightPart {
        /// How heavy it is; null for nothing.
        weight: Option<i64> = INT,
    }
}

pub fn graph(g: &mut Graph) {
    let mut part = |name: &str, fields| {
        let name = format!("WorkItemWidget{name}Input");
        g.input(&name, "A part of a work item.", fields);
    };
    part("Description", DescriptionPart::arguments());
    part("Assignees", AssigneesPart::arguments());
    part("LabelsCreate", LabelsPart::arguments());
    part("LabelsUpdate", LabelsChange::arguments());
    part("Milestone", MilestonePart::arguments());
    part("HierarchyCreate", HierarchyPart::arguments());
    part("HierarchyUpdate", HierarchyChange::arguments());
    part("LinkedItemsCreate", LinkedItemsPart::arguments());
    part("StartAndDueDateUpdate", DatesPart::arguments());
    part("Color", ColorPart::arguments());
    part("HealthStatus", HealthPart::arguments());
    part("Weight", WeightPart::arguments());
}

graph_input! {
    /// What is said alike of new ones and others.
    #[derive(Default)]
    struct Parts {
        /// Whether few see it.
        confidential: Option<bool> = BOOLEAN,
        /// What it is about.
        description_widget: Option<DescriptionPart> = named("WorkItemWidgetDescriptionInput"),
        /// Who is assigned; not of epics.
        assignees_widget: Option<AssigneesPart> = named("WorkItemWidgetAssigneesInput"),
        /// What it is to be done for; not of epics.
        milestone_widget: Option<MilestonePart> = named("WorkItemWidgetMilestoneInput"),
        /// What has to do with it.
        linked_items_widget: Option<LinkedItemsPart> =
            named("WorkItemWidgetLinkedItemsCreateInput"),
        /// When it begins and ends.
        start_and_due_date_widget: Option<DatesPart> =
            named("WorkItemWidgetStartAndDueDateUpdateInput"),
        /// Its colour; of epics only.
        color_widget: Option<ColorPart> = named("WorkItemWidgetColorInput"),
        /// How it goes.
        health_status_widget: Option<HealthPart> = named("WorkItemWidgetHealthStatusInput"),
        /// How heavy it is; not of epics.
        weight_widget: Option<WeightPart> = named("WorkItemWidgetWeightInput"),
    }
}

graph_input! {
    pub struct New {
        ..parts: Parts,
        /// Full path of the project, or of the group for an epic.
        namespace_path: Option<String> = ID,
        /// Its title.
        title: String = STRING.required(),
        /// What it is.
        work_item_type_id: i64 = TYPE_ID.required(),
        /// When it was made; for owners.
        created_at: Option<Moment<Timestamp>> = TIME,
        /// Its labels.
        labels_widget: Option<LabelsPart> = named("WorkItemWidgetLabelsCreateInput"),
        /// What it is below.
        hierarchy_widget: Option<HierarchyPart> = named("WorkItemWidgetHierarchyCreateInput"),
    }
}

/// A new one, with the older names of what is said of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Create {
    #[serde(flatten)]
    new: New,
    project_path: Option<String>,
    description: Option<String>,
}

graph_input! {
    pub struct Update {
        ..parts: Parts,
        /// Which.
        pub id: i64 = named("WorkItemID").required(),
        /// Another title.
        title: Option<String> = STRING,
        /// Close it or open it again.
        state_event: Option<String> = named("WorkItemStateEvent"),
        /// Its labels.
        labels_widget: Option<LabelsChange> = named("WorkItemWidgetLabelsUpdateInput"),
        /// What it is below, and what is below it.
        hierarchy_widget: Option<HierarchyChange> = named("WorkItemWidgetHierarchyUpdateInput"),
    }
}

/// What is wanted of a work item, whichever it is.
#[derive(Default)]
pub struct Wanted {
    title: Option<String>,
    state_event: Option<StateEvent>,
    created_at: Option<Timestamp>,
    parts: Option<Parts>,
    wears: Labelling,
    /// The work item it is to be below.
    parent_id: Patch<i64>,
    pub children: Vec<i64>,
    /// The one it goes beside, and whether before that.
    pub beside: Option<(i64, bool)>,
}

/// What to make where: of this type, in the project or group of a path.
pub struct Made {
    pub path: String,
    pub type_id: i64,
    pub wanted: Wanted,
}

impl Create {
    pub fn wanted(self) -> Result<Made, Fault> {
        let path = match (self.project_path, self.new.namespace_path) {
            (Some(path), None) | (None, Some(path)) => path,
            _ => {
                let text =
                    "Please provide either projectPath or namespacePath argument, but not both.";
                return Err(Fault::argument(text));
            }
        };
        let mut parts = self.new.parts;
        let older = self.description.map(|description| DescriptionPart { description });
        parts.description_widget = parts.description_widget.or(older);
        let labels = self.new.labels_widget.map(|labels| labels.label_ids);
        let hierarchy = self.new.hierarchy_widget;
        let wanted = Wanted {
            title: Some(self.new.title),
            created_at: self.new.created_at.map(|at| at.0),
            wears: Labelling { label_ids: numbers(labels)?, ..Labelling::default() },
            parent_id: Patch::given(hierarchy.and_then(|it| it.parent_id)),
            parts: Some(parts),
            ..Wanted::default()
        };
        Ok(Made { path, type_id: self.new.work_item_type_id, wanted })
    }
}

impl Update {
    pub fn wanted(self) -> Result<Wanted, Fault> {
        let labels = self.labels_widget;
        let (added, removed) =
            labels.map_or((None, None), |it| (it.add_label_ids, it.remove_label_ids));
        let mut wanted = Wanted {
            title: self.title,
            state_event: chosen(self.state_event, StateEvent::from_text),
            parts: Some(self.parts),
            wears: Labelling {
                add_label_ids: numbers(added)?.unwrap_or_default(),
                remove_label_ids: numbers(removed)?.unwrap_or_default(),
                ..Labelling::default()
            },
            ..Wanted::default()
        };
        if let Some(hierarchy) = self.hierarchy_widget {
            let before = hierarchy.relative_position.as_deref() == Some("BEFORE");
            wanted.parent_id = hierarchy.parent_id;
            wanted.children = few(hierarchy.children_ids.unwrap_or_default())?;
            wanted.beside = hierarchy.adjacent_work_item_id.map(|id| (id, before));
        }
        Ok(wanted)
    }
}

/// Work items, of which there are not too many.
pub fn few(ids: Vec<i64>) -> Result<Vec<i64>, Fault> {
    match ids.len() > MOST {
        true => {
            let text = "No more than 10 work items can be modified at the same time.";
            Err(Error::invalid("base", text).into())
        }
        false => Ok(ids),
    }
}

fn refused<T>(text: impl Into<String>) -> Result<T, Fault> {
    Err(Error::invalid("base", text).into())
}

/// The epic of a work item's id.
fn epic_of(parent: Patch<i64>) -> Result<Patch<i64>, Fault> {
    match parent {
        Patch::Value(id) if id > WORK_ITEMS => Ok(Patch::Value(id - WORK_ITEMS)),
        Patch::Value(_) => refused("Parent must be an epic."),
        other => Ok(other),
    }
}

impl Wanted {
    /// The work items to link, and how.
    pub fn links(&mut self) -> Result<(Vec<i64>, LinkType), Fault> {
        let given = self.parts.as_mut().and_then(|parts| parts.linked_items_widget.take());
        let Some(given) = given else {
            return Ok((Vec::new(), LinkType::RelatesTo));
        };
        Ok((few(given.work_items_ids)?, link_of(given.link_type.as_deref())))
    }

    /// Refuses parts that such items do not have.
    fn supported(parts: &Parts, name: &str, of_epics: bool) -> Result<(), Fault> {
        let known = [
            ("assigneesWidget", parts.assignees_widget.is_some(), false),
            ("colorWidget", parts.color_widget.is_some(), true),
            ("milestoneWidget", parts.milestone_widget.is_some(), false),
            ("weightWidget", parts.weight_widget.is_some(), false),
        ];
        let others = known.iter().filter(|(_, given, epics)| *given && *epics != of_epics);
        let others: Vec<&str> = others.map(|(name, _, _)| *name).collect();
        match others.is_empty() {
            true => Ok(()),
            false => refused(format!(
                "Following widget keys are not supported by {name} type: {}",
                others.join(", ")
            )),
        }
    }

    pub fn of_issue(self, name: &str) -> Result<IssueInput, Fault> {
        let parts = self.parts.unwrap_or_default();
        Self::supported(&parts, name, false)?;
        if !self.children.is_empty() {
            return refused(format!("{name} type cannot have children."));
        }
        let dates = parts.start_and_due_date_widget.unwrap_or_default();
        if matches!(dates.start_date, Patch::Value(_)) {
            return refused("Start date is not supported: issues have a due date only.");
        }
        let milestone_id = parts.milestone_widget.map_or(Patch::Absent, |it| it.milestone_id);
        Ok(IssueInput {
            title: self.title,
            description: given(parts.description_widget.map(|it| it.description)),
            confidential: parts.confidential,
            state_event: self.state_event,
            created_at: self.created_at,
            assignees: parts
                .assignees_widget
                .map_or(Assignees::AsTheyAre, |it| Assignees::Set(it.assignee_ids)),
            milestone_id,
            wears: Flat(self.wears),
            due_on: dates.due_date.map(|day| day.0),
            weight: set(parts.weight_widget.map(|it| it.weight)),
            health_status: set(parts.health_status_widget.map(|it| it.health())),
            epic_id: epic_of(self.parent_id)?,
            ..IssueInput::default()
        })
    }

    pub fn of_epic(self) -> Result<EpicInput, Fault> {
        let parts = self.parts.unwrap_or_default();
        Self::supported(&parts, "Epic", true)?;
        let dates = parts.start_and_due_date_widget.unwrap_or_default();
        let fixed =
            |day: &Patch<Moment<Date>>| dates.is_fixed.or((*day != Patch::Absent).then_some(true));
        Ok(EpicInput {
            title: self.title,
            description: given(parts.description_widget.map(|it| it.description)),
            confidential: parts.confidential,
            state_event: self.state_event,
            created_at: self.created_at,
            color: parts.color_widget.map(|it| it.color),
            wears: Flat(self.wears),
            start_is_fixed: fixed(&dates.start_date),
            due_is_fixed: fixed(&dates.due_date),
            start_on: dates.start_date.map(|day| day.0),
            due_on: dates.due_date.map(|day| day.0),
            health_status: set(parts.health_status_widget.map(|it| it.health())),
            parent_id: epic_of(self.parent_id)?,
            ..EpicInput::default()
        })
    }
}

impl HealthPart {
    fn health(self) -> Option<crate::model::HealthStatus> {
        self.health_status.as_deref().and_then(health_of)
    }
}

/// What a part that was given says, be it nothing.
fn set<T>(given: Option<Option<T>>) -> Patch<T> {
    match given {
        None => Patch::Absent,
        Some(None) => Patch::Null,
        Some(Some(value)) => Patch::Value(value),
    }
}

fn given<T>(value: Option<T>) -> Patch<T> {
    value.map_or(Patch::Absent, Patch::Value)
}
