//! What this room plugs into the rooms below.

use crate::model::Issue;
use crate::notifications::store::{self as notifications, SourceType};
use crate::rules::references::{Links, TextPlace};
use crate::store::references::Numbered;
use crate::store::{awards, epics, internal_ids, todos, upkeep};
use crate::tasks::TellMoved;
use identity::hooks::Destroying;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::PageViewer;
use kernel::jobs::enqueue_at;
use spaces::hooks::Contents;
use spaces::model::Project;
use spaces::references::{FindNamed, TextOf};
use std::sync::Arc;
use store::Tx;

pub use crate::store::upkeep::{hand_over, issues_of, open_issues};

/// Work in the transaction that closes an issue; it gets the issue as it was
/// and who closes it.
pub type IssueClosed = fn(&mut Tx<'_>, &Issue, Option<i64>) -> Result<()>;

/// The alerts of projects of these folded paths and of these numbers that the
/// viewer may see.
pub type NamedAlerts = fn(&mut Tx<'_>, &Viewer, &[String], &[i64]) -> Result<Vec<Numbered>>;

/// Work in the transaction that puts one milestone in the place of others, before those
/// are gone.
pub type MilestonesReplaced = fn(&mut Tx<'_>, &[i64], i64) -> Result<()>;

/// The same of labels.
pub type LabelsReplaced = fn(&mut Tx<'_>, &[i64], i64) -> Result<()>;

/// Functions of the rooms above; they must be among the store's plugs.
#[derive(Default)]
pub struct Hooks {
    pub issue_closed: Vec<IssueClosed>,
    pub named_alerts: Option<NamedAlerts>,
    pub milestones_replaced: Vec<MilestonesReplaced>,
    pub labels_replaced: Vec<LabelsReplaced>,
}

pub(crate) fn issue_closed(tx: &mut Tx<'_>, issue: &Issue, actor: Option<i64>) -> Result<()> {
    let hooks: &Hooks = tx.plugged()?;
    hooks.issue_closed.iter().try_for_each(|hook| hook(tx, issue, actor))
}

pub(crate) fn milestones_replaced(tx: &mut Tx<'_>, old: &[i64], by: i64) -> Result<()> {
    let hooks: &Hooks = tx.plugged()?;
    hooks.milestones_replaced.iter().try_for_each(|hook| hook(tx, old, by))
}

pub(crate) fn labels_replaced(tx: &mut Tx<'_>, old: &[i64], by: i64) -> Result<()> {
    let hooks: &Hooks = tx.plugged()?;
    hooks.labels_replaced.iter().try_for_each(|hook| hook(tx, old, by))
}

pub(crate) fn named_alerts(
    tx: &mut Tx<'_>, viewer: &Viewer, paths: &[String], iids: &[i64],
) -> Result<Vec<Numbered>> {
    match tx.plugged::<Hooks>()?.named_alerts {
        Some(named) => named(tx, viewer, paths, iids),
        None => Ok(Vec::new()),
    }
}

pub const CONTENTS: Contents = Contents { count: upkeep::issues_in, remove: upkeep::remove_issues };

/// A group that is to go takes its epics along.
pub fn group_destroying(tx: &mut Tx<'_>, group_id: i64) -> Result<()> {
    epics::forget_group(tx, group_id)
}

pub fn project_destroying(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    notifications::forget_source(tx, (SourceType::Project, project_id))?;
    internal_ids::forget_project(tx, project_id)
}

/// What texts name that are of other rooms, for `spaces::hooks::Hooks`.
pub fn references(
    tx: &mut Tx<'_>, viewer: &Viewer, of: TextOf<'_>, texts: &[&str],
) -> Result<FindNamed> {
    let place = match of {
        TextOf::Project(project) => TextPlace::Project(project),
        TextOf::Group(group) => TextPlace::Group(group),
    };
    let links = Links::find(tx, viewer, "", place, texts.iter().copied())?;
    Ok(Arc::new(move |text: &str| links.of(text)))
}

/// Has the members of a project told that it stands elsewhere.
pub fn project_moved(tx: &mut Tx<'_>, viewer: &Viewer, before: &Project) -> Result<()> {
    let (now, actor) = (tx.now(), viewer.user_id());
    let job = TellMoved { project: before.id, from: before.full_path.clone(), actor };
    enqueue_at(tx, &job, now)
}

/// To-dos of the viewer that are pending, as the header of pages counts them.
pub fn pending_todos(tx: &mut Tx<'_>, viewer: &Viewer) -> Result<u64> {
    match viewer.user_id() {
        Some(user_id) => todos::pending(tx, viewer, user_id, PageViewer::COUNTED),
        None => Ok(0),
    }
}

/// Takes a leaving user's reactions out of the counts.
pub fn user_destroying(tx: &mut Tx<'_>, destroying: &Destroying) -> Result<()> {
    awards::forget_user(tx, destroying.user.id)
}
