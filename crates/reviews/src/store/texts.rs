//! What merge requests say, rewritten where it says the same in other words: files that lay
//! elsewhere are here now. It is no change of the merge request.

use super::searched::REQUESTS;
use kernel::error::Result;
use kernel::ids::fold;
use kernel::search::index;
use store::{Tx, sql};

/// What some merge requests say, those that say anything.
pub fn of_requests(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<(i64, String)>> {
    Ok(tx.all(
        sql!(
            "select id, description from merge_requests
             where id in_list($1) and description is not null order by id"
        ),
        (ids,),
    )?)
}

/// Rewrites what a merge request says.
pub fn set_of_request(tx: &mut Tx<'_>, id: i64, text: &str) -> Result<()> {
    tx.execute(
        sql!("update merge_requests set description = $2, description_folded = $3 where id = $1"),
        (id, text, fold(text)),
    )?;
    Ok(index(tx, &REQUESTS, &[id])?)
}
