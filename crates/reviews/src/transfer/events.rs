//! What became of merge requests elsewhere is written as it is told of those here.

use super::store as rows;
use crate::model::MergeRequest;
use crate::rules::remarks::remark_at;
use crate::store::events::{self, Detail};
use ::store::Tx;
use kernel::error::Result;
use planning::store::issues::events::By;
use planning::transfer::{Event, Happening, prose};

/// Writes an event; `named` is the label or the milestone that it names, by its id here.
pub fn insert(
    tx: &mut Tx<'_>, request: &MergeRequest, event: &Event<i64>, named: Option<i64>,
) -> Result<()> {
    let by = By { user_id: event.by, at: event.at };
    if let Some(detail) = detail(request, &event.what, named) {
        events::write(tx, request.id, by, detail)?;
    }
    if let Some(text) = remark(&event.what) {
        remark_at(tx, request, by, &text)?;
    }
    match (&event.what, event.by) {
        (Happening::Closed, Some(user)) => rows::closed_by(tx, request.id, user, event.at),
        (Happening::Merged, Some(user)) => rows::merged_by(tx, request.id, user, Some(event.at)),
        _ => Ok(()),
    }
}

/// What has an endpoint of its own.
fn detail(request: &MergeRequest, what: &Happening, named: Option<i64>) -> Option<Detail> {
    Some(match what {
        Happening::Closed => Detail::State("closed", None),
        Happening::Reopened => Detail::State("reopened", None),
        Happening::Merged => Detail::State("merged", request.brought()),
        Happening::LabelAdded { .. } => Detail::Label("add", named?),
        Happening::LabelRemoved { .. } => Detail::Label("remove", named?),
        Happening::MilestoneAdded { .. } => Detail::Milestone("add", named?),
        Happening::MilestoneRemoved { .. } => Detail::Milestone("remove", named?),
        Happening::Weight { .. } | Happening::Told { .. } => return None,
    })
}

/// What the program tells of it; labels are told of without.
fn remark(what: &Happening) -> Option<String> {
    Some(match what {
        Happening::Closed => "closed".to_owned(),
        Happening::Reopened => "reopened".to_owned(),
        Happening::Merged => "merged".to_owned(),
        Happening::MilestoneAdded { title } => format!("changed milestone to %\"{title}\""),
        Happening::MilestoneRemoved { .. } => "removed milestone".to_owned(),
        Happening::Told { text } => prose(text),
        // Merge requests have no weight.
        Happening::LabelAdded { .. }
        | Happening::LabelRemoved { .. }
        | Happening::Weight { .. } => return None,
    })
}
