//! Boards: making, changing and removing them and their columns. Who manages labels
//! manages boards. Cards are moved in [`moves`].

pub mod moves;

use super::record;
use crate::access::{Parent, ParentAccess, sees_issues};
use crate::model::boards::{Board, Columns, DEFAULT_NAME, List, MAX_NAME, MOST_BOARDS, MOST_LISTS};
use crate::store::boards as rows;
use crate::store::labels;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::{Paged, Paging};
use store::Tx;

kernel::params! {
    /// What a board may be changed to.
    #[derive(Default, PartialEq)]
    pub struct BoardInput {
        /// Its name.
        pub name: Option<String>,
        /// No column of open issues that are in no other.
        pub hide_backlog_list: Option<bool>,
        /// No column of closed issues.
        pub hide_closed_list: Option<bool>,
    }
}

/// Refuses who does not see the issues of a project.
fn see(here: &ParentAccess) -> Result<()> {
    match &here.parent {
        Parent::Project(project) if !sees_issues(project, here.level) => Err(Error::forbidden("")),
        _ => Ok(()),
    }
}

pub fn list(tx: &mut Tx<'_>, here: &ParentAccess, paging: Paging) -> Result<Paged<Columns>> {
    see(here)?;
    let page = rows::list(tx, &here.parent, paging)?;
    let columns = rows::with_columns(tx, &here.parent, page.items.clone())?;
    Ok(page.replace(|_| columns))
}

/// All boards of a place.
pub fn all(tx: &mut Tx<'_>, here: &ParentAccess) -> Result<Vec<Board>> {
    see(here)?;
    rows::all(tx, &here.parent)
}

pub fn find(tx: &mut Tx<'_>, here: &ParentAccess, id: i64) -> Result<Columns> {
    see(here)?;
    let board = rows::find(tx, &here.parent, id)?.found("Board")?;
    with_columns(tx, here, board)
}

fn with_columns(tx: &mut Tx<'_>, here: &ParentAccess, board: Board) -> Result<Columns> {
    let mut all = rows::with_columns(tx, &here.parent, vec![board])?;
    all.pop().found("Board")
}

/// The first board of a place, or one that is not stored yet.
pub fn first(tx: &mut Tx<'_>, here: &ParentAccess) -> Result<Columns> {
    match all(tx, here)?.into_iter().next() {
        Some(board) => with_columns(tx, here, board),
        None => Ok(Columns {
            board: Board { name: DEFAULT_NAME.into(), ..Board::default() },
            lists: Vec::new(),
        }),
    }
}

/// The first board of a place; it is made if there is none.
pub fn first_stored(tx: &mut Tx<'_>, viewer: &Viewer, here: &ParentAccess) -> Result<Columns> {
    let first = first(tx, here)?;
    match first.board.id {
        0 => create(tx, viewer, here, DEFAULT_NAME),
        _ => Ok(first),
    }
}

pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ParentAccess, name: &str,
) -> Result<Columns> {
    see(here)?;
    let name = checked(name)?;
    let count = rows::all(tx, &here.parent)?.len();
    if i64::try_from(count).unwrap_or(i64::MAX) >= MOST_BOARDS {
        let text = format!("There are {MOST_BOARDS} boards here, which is the most");
        return Err(Error::BadRequest(text));
    }
    let board = rows::insert(tx, &here.parent, &name)?;
    record(tx, viewer, "board.create", ("Board", board.id, &board.name), &here.parent)?;
    Ok(Columns { board, lists: Vec::new() })
}

pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ParentAccess, id: i64, input: &BoardInput,
) -> Result<Columns> {
    let mut columns = find(tx, here, id)?;
    let board = &mut columns.board;
    if let Some(name) = &input.name {
        board.name = checked(name)?;
    }
    board.hide_backlog_list = input.hide_backlog_list.unwrap_or(board.hide_backlog_list);
    board.hide_closed_list = input.hide_closed_list.unwrap_or(board.hide_closed_list);
    rows::update(tx, board)?;
    record(tx, viewer, "board.update", ("Board", id, &board.name), &here.parent)?;
    Ok(columns)
}

pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, here: &ParentAccess, id: i64) -> Result<()> {
    let board = find(tx, here, id)?.board;
    rows::delete(tx, id)?;
    record(tx, viewer, "board.destroy", ("Board", id, &board.name), &here.parent)
}

fn checked(name: &str) -> Result<String> {
    let name = name.trim();
    let problem = match name.chars().count() {
        0 => "can't be blank",
        long if long > MAX_NAME => "is too long (maximum is 255 characters)",
        _ if name.chars().any(char::is_control) => "is invalid",
        _ => return Ok(name.to_owned()),
    };
    Err(Error::invalid("name", problem))
}

/// Adds a column for a label that the place has, at the right.
pub fn add_list(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ParentAccess, columns: &Columns, label: &str,
) -> Result<List> {
    let known = labels::find(tx, None, (&here.parent, true), label)?;
    let label = known.ok_or_else(|| Error::BadRequest("Label not found!".into()))?;
    if columns.lists.len() >= MOST_LISTS {
        let text = format!("A board has at most {MOST_LISTS} columns");
        return Err(Error::BadRequest(text));
    }
    let taken = || Error::invalid("label", "has already been taken");
    let id = rows::add_list(tx, columns.board.id, label.id)?.ok_or_else(taken)?;
    record(tx, viewer, "board_list.create", ("BoardList", id, &label.title), &here.parent)?;
    let position = i64::try_from(columns.lists.len()).unwrap_or_default();
    Ok(List { id, position, label })
}

/// A column of a board.
pub fn list_of(columns: &Columns, id: i64) -> Result<&List> {
    columns.list(id).found("List")
}

/// Puts a column at a place among the others, from 0 on.
pub fn place_list(tx: &mut Tx<'_>, columns: &Columns, id: i64, position: i64) -> Result<List> {
    let list = list_of(columns, id)?;
    let at = usize::try_from(position).ok().filter(|at| *at < columns.lists.len());
    let at = at.ok_or_else(|| Error::BadRequest("List could not be moved!".into()))?;
    let mut order: Vec<i64> = columns.lists.iter().map(|list| list.id).collect();
    order.retain(|one| *one != id);
    order.insert(at, id);
    rows::order_lists(tx, &order)?;
    Ok(List { position, ..list.clone() })
}

pub fn remove_list(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ParentAccess, columns: &Columns, id: i64,
) -> Result<()> {
    let list = list_of(columns, id)?;
    rows::remove_list(tx, id)?;
    let title = &list.label.title;
    record(tx, viewer, "board_list.destroy", ("BoardList", id, title), &here.parent)
}
