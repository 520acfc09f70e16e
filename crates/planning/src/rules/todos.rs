//! To-dos: what somebody should look at. Rooms above make and close them in
//! their own transactions.

use crate::store::notes::Noteable;
use crate::store::todos as rows;
use identity::viewer::Viewer;
use kernel::error::{Found, Result};
use store::Tx;

pub use crate::store::todos::{Action, NewTodo, State, Todo};

/// Gives a user something to do, unless they caused it themselves or have the
/// same pending. Whether they have something new.
pub fn create(tx: &mut Tx<'_>, todo: &NewTodo) -> Result<bool> {
    let own = todo.author_id == Some(todo.user_id) && todo.action != Action::Marked;
    match own {
        true => Ok(false),
        false => Ok(rows::insert(tx, todo)?.is_some()),
    }
}

/// Marks what is pending about something as done: for one user, or for all
/// when it came to its end.
pub fn close_for(tx: &mut Tx<'_>, user_id: Option<i64>, target: Noteable) -> Result<()> {
    rows::finish(tx, user_id, target)
}

/// Marks what is pending about something as done, of these kinds, for all.
pub fn close_kinds(tx: &mut Tx<'_>, target: Noteable, actions: &[Action]) -> Result<()> {
    rows::finish_kinds(tx, target, actions)
}

/// Puts something that the viewer sees among what they have to do; nothing if
/// it is there.
pub fn mark(tx: &mut Tx<'_>, viewer: &Viewer, target: Noteable) -> Result<Option<Todo>> {
    let user_id = viewer.signed_in()?.user.id;
    let new = NewTodo {
        user_id,
        author_id: Some(user_id),
        action: Action::Marked,
        target,
        note_id: None,
    };
    rows::insert(tx, &new)
}

/// Marks one of the viewer's to-dos as done, or as pending again.
pub fn set_state(tx: &mut Tx<'_>, viewer: &Viewer, id: i64, state: State) -> Result<Todo> {
    let user_id = viewer.signed_in()?.user.id;
    let found = rows::find(tx, user_id, id)?.found("")?;
    rows::set_state(tx, &found, state)?;
    rows::find(tx, user_id, id)?.found("")
}
