//! Who asked to be told, or no longer to be told.

use kernel::error::Result;
use std::collections::HashMap;
use store::{Tx, sql};

#[derive(Debug, Clone, Copy)]
pub enum Target {
    Label,
    Issue,
    Epic,
    /// A thing of a room above, by its kind.
    Thing(&'static str),
}

impl Target {
    fn name(self) -> &'static str {
        match self {
            Target::Label => "Label",
            Target::Issue => "Issue",
            Target::Epic => "Epic",
            Target::Thing(kind) => kind,
        }
    }
}

pub fn set(
    tx: &mut Tx<'_>, user_id: i64, target: Target, target_id: i64, subscribed: bool,
) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into subscriptions (user_id, target_type, target_id, subscribed, created_at)
             values ($1, $2, $3, $4, $5)
             on conflict (target_type, target_id, user_id)
                do update set subscribed = excluded.subscribed"
        ),
        (user_id, target.name(), target_id, subscribed, now),
    )?;
    Ok(())
}

pub fn find(tx: &mut Tx<'_>, user_id: i64, target: Target, target_id: i64) -> Result<Option<bool>> {
    Ok(tx.optional(
        sql!(
            "select subscribed from subscriptions
             where target_type = $1 and target_id = $2 and user_id = $3"
        ),
        (target.name(), target_id, user_id),
    )?)
}

/// What a user asked for of each of these.
pub fn of_user(
    tx: &mut Tx<'_>, user_id: i64, target: Target, ids: &[i64],
) -> Result<HashMap<i64, bool>> {
    Ok(tx.pairs(
        sql!(
            "select target_id, subscribed from subscriptions
             where target_type = $1 and target_id in_list($2) and user_id = $3"
        ),
        (target.name(), ids, user_id),
    )?)
}

pub fn of_target(tx: &mut Tx<'_>, target: Target, target_id: i64) -> Result<Vec<(i64, bool)>> {
    Ok(tx.all(
        sql!(
            "select user_id, subscribed from subscriptions
             where target_type = $1 and target_id = $2 order by user_id"
        ),
        (target.name(), target_id),
    )?)
}

/// Who asked to be told of any of these labels.
pub fn of_labels(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select distinct user_id from subscriptions
             where target_type = 'Label' and target_id in_list($1) and subscribed
             order by user_id limit 1000"
        ),
        (ids,),
    )?)
}

pub fn forget(tx: &mut Tx<'_>, target: Target, target_id: i64) -> Result<()> {
    tx.execute(
        sql!("delete from subscriptions where target_type = $1 and target_id = $2"),
        (target.name(), target_id),
    )?;
    Ok(())
}
