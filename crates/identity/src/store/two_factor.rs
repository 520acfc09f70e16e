//! Who has a second factor, of whatever kind.

use crate::model::UserId;
use kernel::error::Result;
use kernel::time::Timestamp;
use std::collections::HashSet;
use store::{Fragment, Tx};

/// SQL condition on `users`: has set up a second factor, of whatever kind.
pub const HAS_ONE: &str = "(exists (select 1 from totp where totp.user_id = users.id)
    or exists (select 1 from webauthn_keys where webauthn_keys.user_id = users.id))";

/// Whether sign-in asks this user for a second factor.
pub fn enabled(tx: &mut Tx<'_>, user: UserId) -> Result<bool> {
    let mut sql = Fragment::new("select 1 from users where ");
    sql.raw(HAS_ONE).push(" and users.id = ", user);
    let found: Vec<i64> = tx.query(sql)?;
    Ok(!found.is_empty())
}

/// Those of these users whom sign-in asks for a second factor.
pub fn among(tx: &mut Tx<'_>, users: &[UserId]) -> Result<HashSet<UserId>> {
    let mut sql = Fragment::new("select users.id from users where ");
    sql.raw(HAS_ONE).raw(" and users.id in_list(").bind(users.to_vec()).raw(")");
    Ok(tx.query(sql)?.into_iter().collect())
}

/// Since when a second factor is asked of a user, and whether they have one.
pub fn asked_at(tx: &mut Tx<'_>, user: UserId) -> Result<(Option<Timestamp>, bool)> {
    let mut sql = Fragment::new("select users.two_factor_asked_at, ");
    sql.raw(HAS_ONE).push(" from users where users.id = ", user);
    let row: Option<(Option<Timestamp>, bool)> = tx.query(sql)?.pop();
    Ok(row.unwrap_or_default())
}
