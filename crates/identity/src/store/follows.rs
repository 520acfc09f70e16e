//! `follows`: who follows whom.

use crate::model::{User, UserId};
use kernel::error::Result;
use kernel::time::Timestamp;
use store::{Tx, sql};

/// How many a user follows.
pub fn followed_count(tx: &mut Tx<'_>, follower: UserId) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from follows where follower_id = $1"),
        (follower,),
    )?)
}

/// Follows; none when it did already.
pub fn insert(tx: &mut Tx<'_>, follower: UserId, followed: UserId, now: Timestamp) -> Result<u64> {
    Ok(tx.execute(
        sql!(
            "insert into follows (follower_id, followed_id, created_at) values ($1, $2, $3)
             on conflict do nothing"
        ),
        (follower, followed, now),
    )?)
}

pub fn delete(tx: &mut Tx<'_>, follower: UserId, followed: UserId) -> Result<u64> {
    Ok(tx.execute(
        sql!("delete from follows where follower_id = $1 and followed_id = $2"),
        (follower, followed),
    )?)
}

/// Those who follow a user.
pub fn followers(tx: &mut Tx<'_>, user: UserId, limit: i64, offset: i64) -> Result<Vec<User>> {
    Ok(tx.all(
        sql!(
            "select users.* from follows join users on users.id = follows.follower_id
                     where follows.followed_id = $1 order by users.id desc limit $2 offset $3"
        ),
        (user, limit, offset),
    )?)
}

/// How many follow a user, at most 10,001.
pub fn follower_total(tx: &mut Tx<'_>, user: UserId) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from (select 1 from follows where followed_id = $1
                        limit 10001) as counted"
        ),
        (user,),
    )?)
}

/// Those whom a user follows.
pub fn following(tx: &mut Tx<'_>, user: UserId, limit: i64, offset: i64) -> Result<Vec<User>> {
    Ok(tx.all(
        sql!(
            "select users.* from follows join users on users.id = follows.followed_id
                     where follows.follower_id = $1 order by users.id desc limit $2 offset $3"
        ),
        (user, limit, offset),
    )?)
}

/// How many a user follows, at most 10,001.
pub fn following_total(tx: &mut Tx<'_>, user: UserId) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select count(*) from (select 1 from follows where follower_id = $1
                        limit 10001) as counted"
        ),
        (user,),
    )?)
}
