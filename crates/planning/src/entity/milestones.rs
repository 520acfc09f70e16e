//! Milestones as JSON.

use crate::model::{Milestone, MilestoneState};
use kernel::app::App;
use kernel::time::{date_of, wire};
use schemars::JsonSchema;
use serde::Serialize;

/// A milestone.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MilestoneEntity {
    /// Id.
    pub id: i64,
    /// Number within its project or group.
    pub iid: i64,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<i64>,
    /// The group it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_id: Option<i64>,
    /// Its title.
    pub title: String,
    /// Its description.
    pub description: Option<String>,
    /// `active` or `closed`.
    pub state: MilestoneState,
    /// When it was made.
    pub created_at: String,
    /// When it was changed last.
    pub updated_at: String,
    /// Its last day.
    pub due_date: Option<String>,
    /// Its first day.
    pub start_date: Option<String>,
    /// Whether the last day is over.
    pub expired: bool,
    /// Its page.
    pub web_url: String,
}

pub fn milestone(app: &App, milestone: &Milestone) -> MilestoneEntity {
    MilestoneEntity {
        id: milestone.id,
        iid: milestone.iid,
        project_id: milestone.project_id,
        group_id: milestone.group_id,
        title: milestone.title.clone(),
        description: milestone.description.clone(),
        state: milestone.state,
        created_at: wire::text(milestone.created_at),
        updated_at: wire::text(milestone.updated_at),
        due_date: milestone.due_on.map(|day| day.to_string()),
        start_date: milestone.start_on.map(|day| day.to_string()),
        expired: milestone.is_expired(date_of(app.now())),
        web_url: app.url(&milestone.path()),
    }
}
