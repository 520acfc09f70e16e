//! Boards: their rows and columns. What stands in the columns is in [`cards`], whose
//! cards the viewer moves in [`projects`].

pub mod cards;
pub mod projects;

use super::labels;
use crate::access::Parent;
use crate::model::boards::{Board, Columns, List, MOST_BOARDS, StoredList};
use crate::store::pages;
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use serde_json::json;
use std::collections::HashMap;
use store::{Fragment, Tx, sql};

fn of(parent: &Parent) -> Fragment {
    let mut condition = Fragment::default();
    match parent.project_id() {
        Some(project) => condition.push("boards.project_id = ", project),
        None => condition.push("boards.group_id = ", parent.group_id().unwrap_or(-1)),
    };
    condition
}

/// One page of the boards of a project or group, as they were made.
pub fn list(tx: &mut Tx<'_>, parent: &Parent, paging: Paging) -> Result<Paged<Board>> {
    let list = pages::List {
        select: Fragment::new(store::concat!("select ", Board::COLUMNS)),
        ..pages::List::by_id("boards", "boards.id", of(parent), false)
    };
    pages::page(tx, list, paging, |board: &Board| (json!(board.id), board.id))
}

/// All of them: there are not many.
pub fn all(tx: &mut Tx<'_>, parent: &Parent) -> Result<Vec<Board>> {
    let mut query = Fragment::new(store::concat!("select ", Board::COLUMNS, " from boards where "));
    query.append(of(parent)).push(" order by boards.id limit ", MOST_BOARDS);
    Ok(tx.query(query)?)
}

pub fn find(tx: &mut Tx<'_>, parent: &Parent, id: i64) -> Result<Option<Board>> {
    let mut query = Fragment::new(store::concat!("select ", Board::COLUMNS, " from boards where "));
    query.append(of(parent)).push(" and boards.id = ", id);
    Ok(tx.query(query)?.into_iter().next())
}

pub fn insert(tx: &mut Tx<'_>, parent: &Parent, name: &str) -> Result<Board> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into boards (project_id, group_id, name, created_at, updated_at)
             values ($1, $2, $3, $4, $4) returning ",
            Board::COLUMNS
        ),
        (parent.project_id(), parent.group_id(), name, now),
    )?)
}

pub fn update(tx: &mut Tx<'_>, board: &Board) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update boards set name = $2, hide_backlog_list = $3, hide_closed_list = $4,
                updated_at = $5
             where id = $1"
        ),
        (board.id, &board.name, board.hide_backlog_list, board.hide_closed_list, now),
    )?;
    Ok(())
}

pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from boards where id = $1"), (id,))?;
    Ok(())
}

/// Adds a column at the right, unless the board has one for this label.
pub fn add_list(tx: &mut Tx<'_>, board_id: i64, label_id: i64) -> Result<Option<i64>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into board_lists (board_id, label_id, position, created_at)
             values ($1, $2, (select coalesce(max(last.position), -1) + 1
                from board_lists last where last.board_id = $1), $3)
             on conflict (board_id, label_id) do nothing returning id"
        ),
        (board_id, label_id, now),
    )?)
}

pub fn remove_list(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("delete from board_lists where id = $1"), (id,))?;
    Ok(())
}

/// Puts the columns of a board into this order.
pub fn order_lists(tx: &mut Tx<'_>, lists: &[i64]) -> Result<()> {
    let statement = sql!("update board_lists set position = $2 where id = $1");
    for (position, list) in (0i64..).zip(lists) {
        tx.execute(statement, (*list, position))?;
    }
    Ok(())
}

/// The columns of these boards of a place, as far as it has their labels still: a
/// project that moved has no longer those of the groups it was in.
pub fn with_columns(tx: &mut Tx<'_>, parent: &Parent, boards: Vec<Board>) -> Result<Vec<Columns>> {
    let ids: Vec<i64> = boards.iter().map(|board| board.id).collect();
    let stored: Vec<StoredList> = tx.all(
        sql!(
            "select ",
            StoredList::COLUMNS,
            " from board_lists where board_id in_list($1)
             order by position, id"
        ),
        (&ids,),
    )?;
    let worn: Vec<i64> = stored.iter().map(|list| list.label_id).collect();
    let groups = parent.groups();
    let is_here = |label: &crate::model::Label| match label.group_id {
        Some(group) => groups.contains(&group),
        None => label.project_id == parent.project_id(),
    };
    let labels = labels::by_ids(tx, &worn)?.into_iter().filter(is_here);
    let labels: HashMap<i64, _> = labels.map(|label| (label.id, label)).collect();
    let columns = |board: Board| {
        let own = stored.iter().filter(|list| list.board_id == board.id);
        let known = own.filter_map(|list| Some((list.id, labels.get(&list.label_id)?.clone())));
        let lists = (0..).zip(known).map(|(position, (id, label))| List { id, position, label });
        Columns { lists: lists.collect(), board }
    };
    Ok(boards.into_iter().map(columns).collect())
}
