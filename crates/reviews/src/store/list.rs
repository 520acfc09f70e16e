//! Lists of merge requests: whose and in which order, the same for every interface.

use super::TABLES;
use super::filter::{Filter, narrow};
use crate::access::{Scope, visible};
use crate::model::MergeRequest;
use ::store::{Fragment, Tx};
use identity::viewer::Viewer;
use kernel::ids::fold;
use planning::store::listing::{self, Listing};
use planning::store::pages::{KeyType, time_key};
use serde_json::{Value, json};

kernel::choices! {
    pub enum OrderBy as "MergeRequestOrder" {
        CreatedAt = "created_at",
        UpdatedAt = "updated_at",
        MergedAt = "merged_at",
        Title = "title",
        LabelPriority = "label_priority",
        MilestoneDue = "milestone_due",
        Popularity = "popularity",
        Priority = "priority",
    }
}

pub type Sorting = listing::Sorting<OrderBy>;

impl Listing for MergeRequest {
    type Scope = Scope;
    type Filter = Filter;
    type By = OrderBy;
    const SELECT: &'static str = ::store::concat!("select ", MergeRequest::COLUMNS);
    const TABLES: &'static str = TABLES;
    const ID: &'static str = "merge_requests.id";

    fn seen(tx: &Tx<'_>, viewer: &Viewer, scope: &Scope, filter: &Filter) -> Fragment {
        let mut condition = visible(tx, viewer, scope);
        narrow(&mut condition, filter);
        condition
    }

    fn expression(by: OrderBy) -> (&'static str, Option<KeyType>) {
        match by {
            OrderBy::CreatedAt => ("merge_requests.created_at", Some(KeyType::Time)),
            OrderBy::UpdatedAt => ("merge_requests.updated_at", Some(KeyType::Time)),
            OrderBy::Title => ("merge_requests.title_folded", Some(KeyType::Text)),
            OrderBy::MergedAt => ("merge_requests.merged_at", None),
            OrderBy::Popularity => (POPULARITY, None),
            OrderBy::MilestoneDue => (DUE_ON, None),
            OrderBy::Priority | OrderBy::LabelPriority => (PRIORITY, None),
        }
    }

    fn key(&self, by: OrderBy) -> (Value, i64) {
        let key = match by {
            OrderBy::CreatedAt => time_key(self.created_at),
            OrderBy::UpdatedAt => time_key(self.updated_at),
            OrderBy::Title => json!(fold(&self.title)),
            _ => json!(self.id),
        };
        (key, self.id)
    }
}

/// Thumbs up.
pub(super) const POPULARITY: &str = "(select count(*) from award_emoji e
    where e.awardable_type = 'MergeRequest' and e.awardable_id = merge_requests.id
        and e.name = 'thumbsup')";

/// The last day of the milestone, or null.
pub(super) const DUE_ON: &str = "(select milestones.due_on from milestones
    where milestones.id = merge_requests.milestone_id)";

/// The first priority of a label, or null.
pub(super) const PRIORITY: &str = "(select min(label_priorities.priority)
    from merge_request_labels
    join label_priorities on label_priorities.label_id = merge_request_labels.label_id
        and label_priorities.project_id = merge_requests.target_project_id
    where merge_request_labels.merge_request_id = merge_requests.id)";
