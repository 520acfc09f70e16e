//! Who follows whom.

use crate::model::{User, UserId};
use kernel::error::{Error, Result};
use kernel::http::Paging;
use store::{Tx, sql};

/// Most users one may follow.
const MAX_FOLLOWED: i64 = 300;

/// Follows; false when it already did or both are the same.
pub fn follow(tx: &mut Tx<'_>, follower: UserId, followed: UserId) -> Result<bool> {
    if follower == followed {
        return Ok(false);
    }
    let count: i64 = tx.one(
        sql!("select count(*) from follows where follower_id = $1"),
        (follower,),
    )?;
    if count >= MAX_FOLLOWED {
        return Err(Error::BadRequest(format!(
            "You can't follow more than {MAX_FOLLOWED} users. To follow more users, unfollow some \
             others."
        )));
    }
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

/// Stops following; false when it did not.
pub fn unfollow(tx: &mut Tx<'_>, follower: UserId, followed: UserId) -> Result<bool> {
    let gone = tx.execute(
        sql!("delete from follows where follower_id = $1 and followed_id = $2"),
        (follower, followed),
    )?;
    Ok(gone > 0)
}

/// Which side of following is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Those who follow the user.
    Followers,
    /// Those the user follows.
    Following,
}

/// One page of a side, and how many there are.
pub fn follows(
    tx: &mut Tx<'_>,
    user: UserId,
    side: Side,
    paging: &Paging,
) -> Result<(Vec<User>, i64)> {
    let page = (user, paging.fetch(), paging.offset());
    match side {
        Side::Followers => Ok((
            tx.all(
                sql!(
                    "select users.* from follows join users on users.id = follows.follower_id
                     where follows.followed_id = $1 order by users.id desc limit $2 offset $3"
                ),
                page,
            )?,
            tx.one(
                sql!(
                    "select count(*) from (select 1 from follows where followed_id = $1
                        limit 10001) as counted"
                ),
                (user,),
            )?,
        )),
        Side::Following => Ok((
            tx.all(
                sql!(
                    "select users.* from follows join users on users.id = follows.followed_id
                     where follows.follower_id = $1 order by users.id desc limit $2 offset $3"
                ),
                page,
            )?,
            tx.one(
                sql!(
                    "select count(*) from (select 1 from follows where follower_id = $1
                        limit 10001) as counted"
                ),
                (user,),
            )?,
        )),
    }
}
