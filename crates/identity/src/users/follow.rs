//! Who follows whom.

use crate::model::{User, UserId};
use kernel::error::{Error, Result};
use kernel::http::Paging;
use store::Tx;

/// Most users one may follow.
const MAX_FOLLOWED: i64 = 300;

/// Follows; false when it already did or both are the same.
pub fn follow(tx: &mut Tx<'_>, follower: UserId, followed: UserId) -> Result<bool> {
    if follower == followed {
        return Ok(false);
    }
    let count: i64 = crate::store::follows::followed_count(tx, follower)?;
    if count >= MAX_FOLLOWED {
        return Err(Error::BadRequest(format!(
            "You can't follow more than {MAX_FOLLOWED} users. To follow more users, unfollow some \
             others."
        )));
    }
    let now = tx.now();
    let added = crate::store::follows::insert(tx, follower, followed, now)?;
    Ok(added > 0)
}

/// Stops following; false when it did not.
pub fn unfollow(tx: &mut Tx<'_>, follower: UserId, followed: UserId) -> Result<bool> {
    let gone = crate::store::follows::delete(tx, follower, followed)?;
    Ok(gone > 0)
}

/// Which side of following is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Those who follow the user.
    Followers,
    Following,
}

/// One page of a side, and how many there are.
pub fn follows(
    tx: &mut Tx<'_>,
    user: UserId,
    side: Side,
    paging: &Paging,
) -> Result<(Vec<User>, i64)> {
    match side {
        Side::Followers => Ok((
            crate::store::follows::followers(tx, user, paging.fetch(), paging.offset())?,
            crate::store::follows::follower_total(tx, user)?,
        )),
        Side::Following => Ok((
            crate::store::follows::following(tx, user, paging.fetch(), paging.offset())?,
            crate::store::follows::following_total(tx, user)?,
        )),
    }
}
