//! What became of an issue, as JSON.

use super::milestones::{MilestoneEntity, milestone};
use crate::model::{Label, Milestone};
use crate::store::issues::events::Event;
use crate::store::notes::ISSUE;
use crate::store::{labels, milestones};
use identity::entities::{UserBasic, basic, load_basic};
use identity::model::User;
use kernel::app::App;
use kernel::error::Result;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use store::Tx;

/// A label of an event.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LabelOfEvent {
    pub id: i64,
    pub name: String,
    pub color: String,
    pub description: Option<String>,
}

/// An event.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EventEntity {
    /// Id.
    pub id: i64,
    /// Who did it.
    pub user: Option<UserBasic>,
    /// When.
    pub created_at: String,
    /// `Issue` or `Epic`.
    pub resource_type: String,
    /// Id of that.
    pub resource_id: i64,
    /// `add` or `remove`, of labels and milestones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// `closed` or `reopened`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<LabelOfEvent>,
    /// The milestone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<MilestoneEntity>,
    /// Id of the issue, of weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue_id: Option<i64>,
    /// What the weight became.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<Option<i64>>,
}

#[derive(Debug, Default)]
pub struct Named {
    users: HashMap<i64, User>,
    labels: HashMap<i64, Label>,
    milestones: HashMap<i64, Milestone>,
}

impl Named {
    pub fn read(tx: &mut Tx<'_>, events: &[Event]) -> Result<Named> {
        let ids =
            |of: fn(&Event) -> Option<i64>| -> Vec<i64> { events.iter().filter_map(of).collect() };
        let labels = labels::by_ids(tx, &ids(|event| event.label_id))?;
        Ok(Named {
            users: load_basic(tx, &ids(|event| event.user_id))?,
            labels: labels.into_iter().map(|label| (label.id, label)).collect(),
            milestones: milestones::by_ids(tx, &ids(|event| event.milestone_id))?,
        })
    }

    pub fn user(&self, event: &Event) -> Option<&User> {
        self.users.get(&event.user_id?)
    }

    pub fn label(&self, event: &Event) -> Option<&Label> {
        self.labels.get(&event.label_id?)
    }

    pub fn milestone(&self, event: &Event) -> Option<&Milestone> {
        self.milestones.get(&event.milestone_id?)
    }
}

pub fn event(app: &App, event: &Event, named: &Named) -> EventEntity {
    event_about(app, event, named, ISSUE)
}

/// The same of another kind of thing, whose id stands for that of the issue.
pub fn event_about(app: &App, event: &Event, named: &Named, resource_type: &str) -> EventEntity {
    use crate::model::EventKind as Kind;
    let changes = matches!(event.kind, Kind::Label | Kind::Milestone);
    let is_weight = event.kind == Kind::Weight;
    EventEntity {
        id: event.id,
        user: named.user(event).map(|user| basic(app, user)),
        created_at: wire::text(event.created_at),
        resource_type: resource_type.to_owned(),
        resource_id: event.issue_id,
        action: changes.then(|| event.action.clone()),
        state: (event.kind == Kind::State).then(|| event.action.clone()),
        label: named.label(event).map(|label| LabelOfEvent {
            id: label.id,
            name: label.title.clone(),
            color: label.color.clone(),
            description: label.description.clone(),
        }),
        milestone: named.milestone(event).map(|goal| milestone(app, goal)),
        issue_id: is_weight.then_some(event.issue_id),
        weight: is_weight.then_some(event.weight),
    }
}
