//! Epics as JSON.

use super::issues::{LabelsShown, References};
use super::labels as label_entity;
use crate::access::epics::is_visible;
use crate::model::epics::{EPIC, Epic, WORK_ITEMS};
use crate::model::{IssueState, Label, color};
use crate::store::epics as rows;
use crate::store::labels;
use crate::targets::{Seen, TargetKind};
use ::store::Tx;
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::time::{Date, wire};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// Addresses of an epic's parts.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EpicLinks {
    #[serde(rename = "self")]
    pub itself: String,
    pub epic_issues: String,
    pub group: String,
    pub parent: Option<String>,
}

/// An epic. Dates are days; those that are not fixed come from what is below it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EpicEntity {
    pub id: i64,
    pub work_item_id: i64,
    pub iid: i64,
    pub color: String,
    pub text_color: String,
    pub group_id: i64,
    pub parent_id: Option<i64>,
    pub parent_iid: Option<i64>,
    pub imported: bool,
    pub imported_from: String,
    pub title: String,
    pub description: Option<String>,
    pub confidential: bool,
    pub author: Option<UserBasic>,
    pub start_date: Option<String>,
    pub start_date_is_fixed: bool,
    pub start_date_fixed: Option<String>,
    pub start_date_from_inherited_source: Option<String>,
    pub start_date_from_milestones: Option<String>,
    pub end_date: Option<String>,
    pub due_date: Option<String>,
    pub due_date_is_fixed: bool,
    pub due_date_fixed: Option<String>,
    pub due_date_from_inherited_source: Option<String>,
    pub due_date_from_milestones: Option<String>,
    pub state: IssueState,
    pub web_edit_url: String,
    pub web_url: String,
    pub references: References,
    pub reference: String,
    pub created_at: String,
    pub updated_at: String,
    pub closed_at: Option<String>,
    pub labels: LabelsShown,
    pub upvotes: i64,
    pub downvotes: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscribed: Option<bool>,
    #[serde(rename = "_links")]
    pub links: EpicLinks,
}

/// What epics need beside their rows, read for all at once.
#[derive(Debug, Default)]
pub struct RelatedToEpics {
    users: HashMap<i64, User>,
    labels: HashMap<i64, Vec<Label>>,
    /// The epics above them that the viewer sees.
    parents: HashMap<i64, Epic>,
    /// The group they were asked for in; none: none.
    group_id: Option<i64>,
}

impl RelatedToEpics {
    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, group_id: Option<i64>, epics: &[Epic],
    ) -> Result<RelatedToEpics> {
        let ids: Vec<i64> = epics.iter().map(|epic| epic.id).collect();
        let authors: Vec<i64> = epics.iter().filter_map(|epic| epic.author_id).collect();
        let parents: Vec<i64> = epics.iter().filter_map(|epic| epic.parent_id).collect();
        let parents = rows::visible_by_ids(tx, viewer, &parents)?;
        Ok(RelatedToEpics {
            users: load_basic(tx, &authors)?,
            labels: labels::of_epics(tx, &ids)?,
            parents: parents.into_iter().map(|epic| (epic.id, epic)).collect(),
            group_id,
        })
    }
}

/// One epic; labels whole where details were asked for.
pub fn epic(app: &App, epic: &Epic, around: &RelatedToEpics, details: bool) -> EpicEntity {
    let worn = around.labels.get(&epic.id).map(Vec::as_slice).unwrap_or_default();
    let parent = epic.parent_id.and_then(|id| around.parents.get(&id));
    let author = epic.author_id.and_then(|id| around.users.get(&id));
    let day = |date: Option<Date>| date.map(|day| day.to_string());
    let references = references(epic, around.group_id);
    EpicEntity {
        id: epic.id,
        work_item_id: epic.id + WORK_ITEMS,
        iid: epic.iid,
        color: epic.color.clone(),
        text_color: color::text_on(&epic.color).to_owned(),
        group_id: epic.group_id,
        parent_id: parent.map(|parent| parent.id),
        parent_iid: parent.map(|parent| parent.iid),
        imported: false,
        imported_from: "none".to_owned(),
        title: epic.title.clone(),
        description: epic.description.clone(),
        confidential: epic.confidential,
        author: author.map(|user| basic(app, user)),
        start_date: day(epic.start_on()),
        start_date_is_fixed: epic.start_is_fixed,
        start_date_fixed: day(epic.start_on_fixed),
        start_date_from_inherited_source: day(epic.start_on_inherited),
        start_date_from_milestones: day(epic.start_on_milestones),
        end_date: day(epic.due_on()),
        due_date: day(epic.due_on()),
        due_date_is_fixed: epic.due_is_fixed,
        due_date_fixed: day(epic.due_on_fixed),
        due_date_from_inherited_source: day(epic.due_on_inherited),
        due_date_from_milestones: day(epic.due_on_milestones),
        state: epic.state,
        web_edit_url: app.url(&format!("{}/edit", epic.path())),
        web_url: app.url(&epic.path()),
        reference: references.relative.clone(),
        references,
        created_at: wire::text(epic.created_at),
        updated_at: wire::text(epic.updated_at),
        closed_at: epic.closed_at.map(wire::text),
        labels: match details {
            true => LabelsShown::Details(worn.iter().map(label_entity::details).collect()),
            false => LabelsShown::Titles(worn.iter().map(|one| one.title.clone()).collect()),
        },
        upvotes: epic.upvotes,
        downvotes: epic.downvotes,
        subscribed: None,
        links: addresses(app, epic, parent),
    }
}

fn addresses(app: &App, epic: &Epic, parent: Option<&Epic>) -> EpicLinks {
    let group = |id: i64| app.url(&format!("/api/v4/groups/{id}"));
    let itself = |epic: &Epic| format!("{}/epics/{}", group(epic.group_id), epic.iid);
    EpicLinks {
        itself: itself(epic),
        epic_issues: format!("{}/issues", itself(epic)),
        group: group(epic.group_id),
        parent: parent.map(itself),
    }
}

fn references(epic: &Epic, group_id: Option<i64>) -> References {
    References {
        short: epic.reference(),
        relative: epic.reference_from(group_id.unwrap_or(0)),
        full: epic.reference_from(0),
    }
}

/// Epics, as notes and to-dos are about them.
pub const KIND: TargetKind = TargetKind { name: EPIC, visible: is_visible, read: seen, talk: None };

fn seen(app: &App, tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<HashMap<i64, Seen>> {
    let epics = rows::visible_by_ids(tx, viewer, ids)?;
    let around = RelatedToEpics::read(tx, viewer, None, &epics)?;
    let seen = |one: Epic| {
        let entity = serde_json::to_value(epic(app, &one, &around, false));
        let seen = Seen {
            project_id: None,
            path: one.path(),
            entity: entity.map_err(Error::internal)?,
            title: one.title,
        };
        Ok((one.id, seen))
    };
    epics.into_iter().map(seen).collect()
}
