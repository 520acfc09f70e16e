//! To-dos: what somebody should look at. Rooms above make and close them in
//! their own transactions.

use crate::store::notes::Noteable;
use crate::store::todos as rows;
use kernel::error::Result;
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
