//! What issues and notes say, rewritten where it says the same in other words: files that
//! lay elsewhere are here now. It is no change of the issue or note.

use crate::store::searched::{ISSUES, NOTES};
use kernel::error::Result;
use kernel::ids::fold;
use kernel::search::index;
use store::{Tx, sql};

/// What some issues say, those that say anything.
pub fn of_issues(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<(i64, String)>> {
    Ok(tx.all(
        sql!(
            "select id, description from issues
             where id in_list($1) and description is not null order by id"
        ),
        (ids,),
    )?)
}

/// What some notes say.
pub fn of_notes(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<(i64, String)>> {
    Ok(tx.all(sql!("select id, body from notes where id in_list($1) order by id"), (ids,))?)
}

/// Rewrites what an issue says.
pub fn set_of_issue(tx: &mut Tx<'_>, id: i64, text: &str) -> Result<()> {
    tx.execute(
        sql!("update issues set description = $2, description_folded = $3 where id = $1"),
        (id, text, fold(text)),
    )?;
    Ok(index(tx, &ISSUES, &[id])?)
}

/// Rewrites what a note says.
pub fn set_of_note(tx: &mut Tx<'_>, id: i64, text: &str) -> Result<()> {
    tx.execute(sql!("update notes set body = $2 where id = $1"), (id, text))?;
    Ok(index(tx, &NOTES, &[id])?)
}
