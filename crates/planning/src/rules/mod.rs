//! What is decided and changed, over a transaction.

use crate::access::{Aim, Parent, ParentAccess, ParentRef, authorize};
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use serde_json::json;
use spaces::access::{REPORTER, find_group, level_in_group};
use spaces::model::Namespace;
use store::Tx;

pub mod awards;
pub mod boards;
pub mod changed;
pub mod commands;
pub mod comments;
mod crossings;
pub mod epics;
pub mod issues;
pub mod labelling;
pub mod labels;
pub mod milestones;
pub mod narrowing;
pub mod news;
pub mod notes;
pub mod people;
pub mod pushed;
pub mod references;
pub mod threads;
pub mod times;
pub mod todos;
pub mod topic;

/// Writes down what somebody did to a label or milestone of a place.
fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, target: (&'static str, i64, &str),
    parent: &Parent,
) -> Result<()> {
    let details = json!({"project_id": parent.project_id(), "group_id": parent.group_id()});
    audit::record(tx, viewer, action, target, details)
}

/// The group that a project is in, for who manages labels and milestones
/// there, too; refused in these words where there is none.
fn group_above(
    tx: &mut Tx<'_>, viewer: &Viewer, entered: &ParentAccess, refusal: &str,
) -> Result<(Namespace, ParentAccess)> {
    let refused = || Error::BadRequest(refusal.to_owned());
    let project = entered.parent.project().ok_or_else(refused)?;
    let group = find_group(tx, &Reference::Id(project.namespace_id))?.ok_or_else(refused)?;
    if level_in_group(tx, viewer, &group)? < REPORTER {
        return Err(Error::forbidden(""));
    }
    let place = ParentRef::Group(Reference::Id(group.id));
    let above = authorize(tx, viewer, &place, Aim::Manage)?;
    Ok((group, above))
}
