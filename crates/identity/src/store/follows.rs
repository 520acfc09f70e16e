//! `follows`: who follows whom.

use crate::model::{User, UserId};
use kernel::error::Result;
use kernel::http::Paging;
use store::{Tx, sql};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Those who follow the user.
    Followers,
    Following,
}

pub fn followed_count(tx: &mut Tx<'_>, follower: UserId) -> Result<i64> {
    Ok(tx.one(sql!("select count(*) from follows where follower_id = $1"), (follower,))?)
}

/// Follows; false when it did already.
pub fn insert(tx: &mut Tx<'_>, follower: UserId, followed: UserId) -> Result<bool> {
    let now = tx.now();
    let added = tx.execute(
        sql!(
            "insert into follows (follower_id, followed_id, created_at) values ($1, $2, $3)
             on conflict do nothing"
        ),
        (follower, followed, now),
    )?;
    Ok(added > 0)
}

/// Whether a user follows another.
pub fn is_followed(tx: &mut Tx<'_>, follower: UserId, followed: UserId) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!("select follower_id from follows where follower_id = $1 and followed_id = $2"),
        (follower, followed),
    )?;
    Ok(found.is_some())
}

/// Stops following; false when it did not.
pub fn unfollow(tx: &mut Tx<'_>, follower: UserId, followed: UserId) -> Result<bool> {
    let gone = tx.execute(
        sql!("delete from follows where follower_id = $1 and followed_id = $2"),
        (follower, followed),
    )?;
    Ok(gone > 0)
}

/// The statements that list and count the users in one column beside the other.
macro_rules! side {
    ($listed:literal of $user:literal) => {
        (
            sql!(concat!(
                "select users.* from follows join users on users.id = follows.",
                $listed,
                " where follows.",
                $user,
                " = $1 order by users.id desc limit $2 offset $3"
            )),
            sql!(concat!(
                "select count(*) from (select 1 from follows where ",
                $user,
                " = $1 limit 10001) as counted"
            )),
        )
    };
}

/// One page of a side, and how many there are, at most 10,001.
pub fn follows(
    tx: &mut Tx<'_>, user: UserId, side: Side, paging: &Paging,
) -> Result<(Vec<User>, i64)> {
    let (list, count) = match side {
        Side::Followers => side!("follower_id" of "followed_id"),
        Side::Following => side!("followed_id" of "follower_id"),
    };
    let rows = tx.all(list, (user, paging.fetch(), paging.offset()))?;
    Ok((rows, tx.one(count, (user,))?))
}
