//! Who follows whom.

use crate::model::UserId;
pub use crate::store::follows::{Side, follows, is_followed, unfollow};
use crate::store::follows::{followed_count, insert};
use kernel::error::{Error, Result};
use store::Tx;

/// Most users one may follow.
const MAX_FOLLOWED: i64 = 300;

/// Follows; false when it already did or both are the same.
pub fn follow(tx: &mut Tx<'_>, follower: UserId, followed: UserId) -> Result<bool> {
    if follower == followed {
        return Ok(false);
    }
    if followed_count(tx, follower)? >= MAX_FOLLOWED {
        return Err(Error::BadRequest(format!(
            "You can't follow more than {MAX_FOLLOWED} users. To follow more users, unfollow some \
             others."
        )));
    }
    insert(tx, follower, followed)
}
