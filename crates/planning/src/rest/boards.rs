//! Boards of projects and groups, and their columns.

use super::{PLACES, PlaceRequest, twin};
use crate::access::{Aim, ParentAccess};
use crate::entity::boards::{BoardEntity, BoardListEntity, board, list};
use crate::model::boards::Columns;
use crate::rules::boards::{self as rules, BoardInput};
use kernel::error::{Error, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use store::Tx;

kernel::params! {
    pub struct CreateBoard {
        /// Its name.
        pub name: String,
    }
}

kernel::params! {
    pub struct BoardPath {
        /// Id of the board.
        pub board_id: i64,
    }
}

kernel::params! {
    pub struct UpdateBoard {
        pub at: Flat<BoardPath>,
        pub change: Flat<BoardInput>,
    }
}

kernel::params! {
    pub struct CreateList {
        pub at: Flat<BoardPath>,
        /// Id of the label that the column is for.
        pub label_id: i64,
    }
}

kernel::params! {
    pub struct ListPath {
        /// Id of the board.
        pub board_id: i64,
        /// Id of the column.
        pub list_id: i64,
    }
}

kernel::params! {
    pub struct PlaceList {
        pub at: Flat<ListPath>,
        /// Where it goes among the others, from 0 on.
        pub position: i64,
    }
}

pub(super) fn routes(r: &mut Routes) {
    for place in PLACES {
        let all = &format!("/{}/{{id}}/boards", place.0);
        let one = &format!("{all}/{{board_id}}");
        let lists = &format!("{one}/lists");
        let one_list = &format!("{lists}/{{list_id}}");
        twin(r.get(all, index), place, "list", "Lists the boards of a PLACE");
        twin(r.post(all, create), place, "create", "Makes a board in a PLACE");
        twin(r.get(one, show), place, "show", "Shows a board of a PLACE");
        twin(r.put(one, update), place, "update", "Changes a board of a PLACE");
        twin(r.delete(one, destroy), place, "destroy", "Deletes a board of a PLACE");
        twin(r.get(lists, columns), place, "lists", "Lists the columns of a board of a PLACE");
        let added = "Adds a column to a board of a PLACE";
        let placed = "Moves a column of a board of a PLACE";
        let removed = "Takes a column off a board of a PLACE";
        twin(r.post(lists, add), place, "add_list", added);
        twin(
            r.get(one_list, column),
            place,
            "show_list",
            "Shows a column of a board of a PLACE",
        );
        twin(r.put(one_list, move_list), place, "move_list", placed);
        twin(r.delete(one_list, remove), place, "remove_list", removed);
    }
}

impl PlaceRequest {
    /// Finds a board, for somebody signed in who may see it, and reads of it.
    async fn read_board<T: Send + 'static>(
        self, id: i64,
        work: impl FnOnce(&kernel::app::App, &ParentAccess, Columns) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.read_signed_in(move |tx, by, here| {
            let found = rules::find(tx, here, id)?;
            work(&by.app, here, found)
        })
        .await
    }

    /// Finds a board, for who may change it.
    async fn write_board<T: Send + 'static>(
        self, id: i64,
        work: impl Fn(&mut Tx<'_>, &identity::caller::Caller, &ParentAccess, Columns) -> Result<T>
        + Send
        + 'static,
    ) -> Result<T> {
        self.write(Aim::Manage, move |tx, by, here| {
            let found = rules::find(tx, here, id)?;
            work(tx, by, here, found)
        })
        .await
    }
}

async fn index(at: PlaceRequest, paging: Paging) -> Result<Paged<BoardEntity>> {
    at.read_signed_in(move |tx, by, here| {
        let page = rules::list(tx, here, paging)?;
        Ok(page.map(|one| board(&by.app, &here.parent, &one)))
    })
    .await
}

async fn create(at: PlaceRequest, new: Params<CreateBoard>) -> Result<Created<BoardEntity>> {
    at.write(Aim::Manage, move |tx, by, here| {
        let made = rules::create(tx, &by.viewer, here, &new.name)?;
        Ok(Created(board(&by.app, &here.parent, &made)))
    })
    .await
}

async fn show(at: PlaceRequest, path: Params<BoardPath>) -> Result<Ok200<BoardEntity>> {
    at.read_board(path.board_id, |app, here, found| Ok(Ok200(board(app, &here.parent, &found))))
        .await
}

async fn update(at: PlaceRequest, params: Params<UpdateBoard>) -> Result<Ok200<BoardEntity>> {
    at.write(Aim::Manage, move |tx, by, here| {
        if *params.change == BoardInput::default() {
            return Err(Error::none_of("name, hide_backlog_list, hide_closed_list"));
        }
        let changed = rules::update(tx, &by.viewer, here, params.at.board_id, &params.change)?;
        Ok(Ok200(board(&by.app, &here.parent, &changed)))
    })
    .await
}

async fn destroy(at: PlaceRequest, path: Params<BoardPath>) -> Result<NoContent> {
    at.write(Aim::Manage, move |tx, by, here| {
        rules::destroy(tx, &by.viewer, here, path.board_id)?;
        Ok(NoContent)
    })
    .await
}

async fn columns(
    at: PlaceRequest, path: Params<BoardPath>, paging: Paging,
) -> Result<Paged<BoardListEntity>> {
    at.read_board(path.board_id, move |_, _, found| {
        Ok(Paged::of_whole(found.lists.iter().map(list).collect(), paging))
    })
    .await
}

async fn add(at: PlaceRequest, params: Params<CreateList>) -> Result<Created<BoardListEntity>> {
    let label = params.label_id.to_string();
    at.write_board(params.at.board_id, move |tx, by, here, found| {
        let added = rules::add_list(tx, &by.viewer, here, &found, &label)?;
        Ok(Created(list(&added)))
    })
    .await
}

async fn column(at: PlaceRequest, path: Params<ListPath>) -> Result<Ok200<BoardListEntity>> {
    let id = path.list_id;
    at.read_board(path.board_id, move |_, _, found| Ok(Ok200(list(rules::list_of(&found, id)?))))
        .await
}

async fn move_list(at: PlaceRequest, to: Params<PlaceList>) -> Result<Ok200<BoardListEntity>> {
    at.write_board(to.at.board_id, move |tx, _, _, found| {
        let placed = rules::place_list(tx, &found, to.at.list_id, to.position)?;
        Ok(Ok200(list(&placed)))
    })
    .await
}

async fn remove(at: PlaceRequest, path: Params<ListPath>) -> Result<NoContent> {
    at.write_board(path.board_id, move |tx, by, here, found| {
        rules::remove_list(tx, &by.viewer, here, &found, path.list_id)?;
        Ok(NoContent)
    })
    .await
}
