//! Whether moves left something half done, for `tenon check`.

use super::store as rows;
use ::store::Tx;
use kernel::error::Result;

/// Repositories that are told of.
const MOST: i64 = 100;

/// What is wrong, a sentence each.
pub fn problems(tx: &mut Tx<'_>) -> Result<Vec<String>> {
    let closed = rows::closed_by_none(tx, MOST)?;
    let copied = rows::copied_by_none(tx, MOST)?;
    let said = |text: &'static str| move |id: i64| format!("repository {id} {text}");
    let closed = closed.into_iter().map(said("is read-only, and no move of it is under way"));
    let copied = copied.into_iter().map(said("names copies of packs that no move makes"));
    Ok(closed.chain(copied).collect())
}
