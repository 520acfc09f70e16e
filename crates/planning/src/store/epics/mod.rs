//! Epics: their rows. Lists are in [`list`], their issues in [`issues`], what stands
//! below them in [`tree`], several levels of it in [`below`] and how far it is in
//! [`progress`], how they lie in time in [`roadmap`], pages for many owners in
//! [`pages`], their dates in [`dates`], links in [`links`], what became of them in
//! [`events`].

pub mod below;
pub mod dates;
pub mod events;
pub mod issues;
pub mod links;
pub mod list;
pub mod pages;
pub mod progress;
pub mod roadmap;
pub mod tree;

use super::notes;
use super::searched::EPICS;
use super::subscriptions::{self, Target};
use crate::access::epics::visible;
use crate::model::epics::{EPIC, Epic};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::fold;
use kernel::search::index;
use store::{Fragment, Tx, sql};

/// The tables of [`Epic`].
pub const TABLES: &str = "epics join namespaces on namespaces.id = epics.group_id";

/// Begins a statement that reads epics, up to its `where`.
const SELECT: &str = store::concat!("select ", Epic::COLUMNS, " from ", TABLES, " ");

/// The epic of this number in a group, unjudged.
pub fn find(tx: &mut Tx<'_>, group_id: i64, iid: i64) -> Result<Option<Epic>> {
    Ok(tx.optional(sql!(SELECT, "where epics.group_id = $1 and epics.iid = $2"), (group_id, iid))?)
}

/// The epic of this id, unjudged.
pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Epic>> {
    Ok(tx.optional(
        sql!(SELECT, "where epics.id = $1 and namespaces.deletion_scheduled_at is null"),
        (id,),
    )?)
}

/// Epics that meet a condition on `epics` and `namespaces`, by id.
pub fn of_condition(tx: &mut Tx<'_>, mut condition: Fragment) -> Result<Vec<Epic>> {
    condition.raw(" order by epics.id");
    of_fragment(tx, condition)
}

/// Epics that meet a condition, in the order that stands behind it.
pub fn of_fragment(tx: &mut Tx<'_>, condition: Fragment) -> Result<Vec<Epic>> {
    let mut query = Fragment::new(SELECT);
    query.raw("where ").append(condition);
    Ok(tx.query(query)?)
}

pub fn visible_by_ids(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Result<Vec<Epic>> {
    let mut condition = visible(tx, viewer);
    condition.raw(" and").in_list("epics.id", ids);
    of_condition(tx, condition)
}

/// Adds an epic; its id.
pub fn insert(tx: &mut Tx<'_>, epic: &Epic) -> Result<i64> {
    let id: i64 = tx.one(
        sql!(
            "insert into epics (group_id, iid, title, title_folded, state, color, confidential,
                author_id, created_at, updated_at)
             values ($1, $2, '', '', 'opened', '', $3, $4, $5, $5) returning id"
        ),
        (epic.group_id, epic.iid, epic.confidential, epic.author_id, epic.created_at),
    )?;
    update(tx, &Epic { id, ..epic.clone() })?;
    Ok(id)
}

/// Writes what is said of an epic; the rest has functions of its own.
pub fn update(tx: &mut Tx<'_>, epic: &Epic) -> Result<()> {
    tx.execute(sql!(Epic::UPDATE), epic.values())?;
    tx.execute(
        sql!("update epics set title_folded = $2, description_folded = $3 where id = $1"),
        (epic.id, fold(&epic.title), fold(epic.text())),
    )?;
    Ok(index(tx, &EPICS, &[epic.id])?)
}

pub fn touch(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(sql!("update epics set updated_at = $2 where id = $1"), (id, now))?;
    Ok(())
}

/// Removes an epic and what is its alone; what stood below it stands by itself.
pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    subscriptions::forget(tx, Target::Epic, id)?;
    tx.execute(sql!("delete from epics where id = $1"), (id,))?;
    Ok(())
}

/// Puts a label on an epic; whether it was not there before.
pub fn add_label(tx: &mut Tx<'_>, id: i64, label_id: i64) -> Result<bool> {
    let statement = sql!(
        "insert into epic_labels (epic_id, label_id) values ($1, $2)
         on conflict (epic_id, label_id) do nothing"
    );
    Ok(tx.execute(statement, (id, label_id))? > 0)
}

/// Takes a label off an epic; whether it was there.
pub fn remove_label(tx: &mut Tx<'_>, id: i64, label_id: i64) -> Result<bool> {
    let statement = sql!("delete from epic_labels where epic_id = $1 and label_id = $2");
    Ok(tx.execute(statement, (id, label_id))? > 0)
}

pub fn label_ids(tx: &mut Tx<'_>, id: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!("select label_id from epic_labels where epic_id = $1 order by label_id"),
        (id,),
    )?)
}

/// Forgets what refers by kind and id to the epics of a group that is to go.
pub fn forget_group(tx: &mut Tx<'_>, group_id: i64) -> Result<()> {
    let going: Vec<i64> = tx.all(
        sql!(
            "select epics.id from epics join namespaces on namespaces.id = epics.group_id
             where epics.group_id = $1 and namespaces.deletion_scheduled_at is not null"
        ),
        (group_id,),
    )?;
    match going.is_empty() {
        true => Ok(()),
        false => notes::forget(tx, EPIC, &going),
    }
}
