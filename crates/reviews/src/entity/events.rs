//! What became of a merge request, as JSON.

use crate::model::{Event, EventKind};
use crate::noteable::MERGE_REQUEST;
use ::store::Tx;
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use kernel::app::App;
use kernel::error::Result;
use kernel::time::wire;
use planning::entity::events::LabelOfEvent;
use planning::entity::milestones::{MilestoneEntity, milestone};
use planning::model::{Label, Milestone};
use planning::store::{labels, milestones};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// An event.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "MergeRequestEvent")]
pub struct EventEntity {
    pub id: i64,
    pub user: Option<UserBasic>,
    pub created_at: String,
    /// `MergeRequest`.
    pub resource_type: String,
    pub resource_id: i64,
    /// The label; null if it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<Option<LabelOfEvent>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneEntity>,
    /// `add` or `remove`, of labels and milestones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The commit that a merge brought, of states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_commit: Option<Option<String>>,
    /// Always null, of states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_merge_request_id: Option<Option<i64>>,
    /// `closed`, `reopened` or `merged`; of milestones that of the merge request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// What events name, read for all at once.
#[derive(Debug, Default)]
pub struct Named {
    users: HashMap<i64, User>,
    labels: HashMap<i64, Label>,
    milestones: HashMap<i64, Milestone>,
    /// That of the merge request.
    state: String,
}

impl Named {
    pub fn read(tx: &mut Tx<'_>, events: &[Event], state: &str) -> Result<Named> {
        let ids =
            |of: fn(&Event) -> Option<i64>| -> Vec<i64> { events.iter().filter_map(of).collect() };
        let labels = labels::by_ids(tx, &ids(|event| event.label_id))?;
        Ok(Named {
            users: load_basic(tx, &ids(|event| event.user_id))?,
            labels: labels.into_iter().map(|label| (label.id, label)).collect(),
            milestones: milestones::by_ids(tx, &ids(|event| event.milestone_id))?,
            state: state.to_owned(),
        })
    }

    fn label(&self, event: &Event) -> Option<LabelOfEvent> {
        let label = self.labels.get(&event.label_id?)?;
        Some(LabelOfEvent {
            id: label.id,
            name: label.title.clone(),
            color: label.color.clone(),
            description: label.description.clone(),
        })
    }
}

pub fn event(app: &App, event: &Event, named: &Named) -> EventEntity {
    let is = |kind| event.kind == kind;
    let (is_state, is_milestone) = (is(EventKind::State), is(EventKind::Milestone));
    let user = event.user_id.and_then(|id| named.users.get(&id));
    let goal = event.milestone_id.and_then(|id| named.milestones.get(&id));
    let commit = event.source_commit.map(|id| id.to_string());
    EventEntity {
        id: event.id,
        user: user.map(|user| basic(app, user)),
        created_at: wire::text(event.created_at),
        resource_type: MERGE_REQUEST.to_owned(),
        resource_id: event.merge_request_id,
        label: is(EventKind::Label).then(|| named.label(event)),
        milestone: goal.map(|goal| milestone(app, goal)),
        action: (!is_state).then(|| event.action.clone()),
        source_commit: is_state.then_some(commit),
        source_merge_request_id: is_state.then_some(None),
        state: match (is_state, is_milestone) {
            (true, _) => Some(event.action.clone()),
            (_, true) => Some(named.state.clone()),
            _ => None,
        },
    }
}
