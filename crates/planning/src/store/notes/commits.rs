//! Notes of the program that name commits.

use super::Noteable;
use kernel::error::Result;
use store::{Tx, sql};

/// The project whose code a note of the program names.
pub fn name_code(tx: &mut Tx<'_>, id: i64, project_id: i64) -> Result<()> {
    tx.execute(sql!("update notes set names_code_of_id = $2 where id = $1"), (id, project_id))?;
    Ok(())
}

/// Whether the program has said exactly this of a thing.
pub fn is_told(tx: &mut Tx<'_>, of: Noteable, body: &str) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!(
            "select id from notes where noteable_type = $1 and noteable_id = $2 and is_system
                and body = $3 limit 1"
        ),
        (of.kind, of.id, body),
    )?;
    Ok(found.is_some())
}
