//! `sign_in_steps`: sign-ins that wait for a second factor.

use crate::model::UserId;
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{FromRow, IntoRow, Tx, sql};

#[derive(Debug, Clone, FromRow)]
pub struct Step {
    pub id: i64,
    pub user_id: UserId,
    pub remember: bool,
    /// Where to go afterwards: a path of this origin.
    pub return_to: String,
    pub tries: i64,
}

/// Ends all steps of a user: the password they began with is another one, or
/// no factor is left to wait for.
pub fn forget(tx: &mut Tx<'_>, user: UserId) -> Result<()> {
    tx.run(sql!("delete from sign_in_steps where user_id = $1"), (user,))
}

#[derive(IntoRow)]
#[table("sign_in_steps")]
pub struct NewStep<'s> {
    pub digest: Vec<u8>,
    pub user_id: UserId,
    pub remember: bool,
    pub return_to: &'s str,
    pub expires_at: Timestamp,
    pub created_at: Timestamp,
}

pub fn insert(tx: &mut Tx<'_>, new: &NewStep<'_>) -> Result<()> {
    tx.run(sql!(NewStep::INSERT), new.values())
}

/// The step with this digest that has tries left.
pub fn living(tx: &mut Tx<'_>, digest: Vec<u8>, tries: i64) -> Result<Option<Step>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "select id, user_id, remember, return_to, tries from sign_in_steps
             where digest = $1 and expires_at > $2 and tries < $3"
        ),
        (digest, now, tries),
    )?)
}

/// Deletes a step; none when it is gone.
pub fn delete(tx: &mut Tx<'_>, id: i64) -> Result<u64> {
    Ok(tx.execute(sql!("delete from sign_in_steps where id = $1"), (id,))?)
}

/// Counts a wrong try; how many there were.
pub fn count_try(tx: &mut Tx<'_>, id: i64) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!("update sign_in_steps set tries = tries + 1 where id = $1 returning tries"),
        (id,),
    )?)
}
