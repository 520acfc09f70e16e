//! Labels of merge requests.

use ::store::{Tx, sql};
use kernel::error::Result;
use planning::model::Label;
use planning::store::labels::{self, WornBy};
use std::collections::HashMap;

/// Where it stands which labels are on merge requests.
pub const WORN: WornBy = WornBy {
    table: "merge_request_labels",
    owner: "merge_request_labels.merge_request_id",
};

/// Puts a label on a merge request; whether it was not there before.
pub fn add(tx: &mut Tx<'_>, id: i64, label_id: i64) -> Result<bool> {
    let statement = sql!(
        "insert into merge_request_labels (merge_request_id, label_id) values ($1, $2)
         on conflict (merge_request_id, label_id) do nothing"
    );
    Ok(tx.execute(statement, (id, label_id))? > 0)
}

/// Takes a label off a merge request; whether it was there.
pub fn remove(tx: &mut Tx<'_>, id: i64, label_id: i64) -> Result<bool> {
    let statement =
        sql!("delete from merge_request_labels where merge_request_id = $1 and label_id = $2");
    Ok(tx.execute(statement, (id, label_id))? > 0)
}

pub fn ids_of(tx: &mut Tx<'_>, id: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select label_id from merge_request_labels
             where merge_request_id = $1 order by label_id"
        ),
        (id,),
    )?)
}

/// The labels of each, by title.
pub fn of_requests(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Vec<Label>>> {
    labels::of_wearers(tx, WORN, ids)
}
