//! Recovery codes: ten, shown once, each of which works once in place of
//! another factor (contract «Sign-in page»).

use crate::jobs::{self, Change};
use crate::model::{User, UserId};
use crate::users::{self, Author};
use kernel::error::Result;
use kernel::secrets;
use serde_json::json;
use store::{Tx, sql};

/// How many a user gets.
pub const COUNT: usize = 10;
/// Random bytes of one: too many to try even with the digest at hand.
const BYTES: usize = 8;

/// Makes a new set, which ends the one before. Shown here and never again.
pub fn make(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<String>> {
    remove(tx, user)?;
    let now = tx.now();
    let mut codes = Vec::with_capacity(COUNT);
    for _ in 0..COUNT {
        let plain = hex::encode(secrets::random_bytes::<BYTES>());
        tx.execute(
            sql!("insert into recovery_codes (user_id, digest, created_at) values ($1, $2, $3)"),
            (user, secrets::digest(&plain), now),
        )?;
        codes.push(grouped(&plain));
    }
    Ok(codes)
}

fn grouped(plain: &str) -> String {
    let groups: Vec<String> = plain
        .as_bytes()
        .chunks(4)
        .map(|group| String::from_utf8_lossy(group).into_owned())
        .collect();
    groups.join("-")
}

/// What was made, out of what was typed.
fn plain(typed: &str) -> String {
    let letters = typed.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// Uses a code up, if it is one of the user's; they are told.
pub fn take(tx: &mut Tx<'_>, by: &Author, user: &User, typed: &str) -> Result<bool> {
    let now = tx.now();
    let used = tx.execute(
        sql!(
            "update recovery_codes set used_at = $3
             where user_id = $1 and digest = $2 and used_at is null"
        ),
        (user.id, secrets::digest(&plain(typed)), now),
    )?;
    if used == 0 {
        return Ok(false);
    }
    let left = left(tx, user.id)?;
    users::record(
        tx,
        by,
        "user.recovery_code_use",
        user,
        json!({"left": left}),
    )?;
    jobs::notify(tx, user, Change::RecoveryCodeUsed)?;
    Ok(true)
}

/// How many still work.
pub fn left(tx: &mut Tx<'_>, user: UserId) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from recovery_codes where user_id = $1 and used_at is null"),
        (user,),
    )?)
}

/// Whether the user was given codes, used or not.
pub fn has_any(tx: &mut Tx<'_>, user: UserId) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!("select id from recovery_codes where user_id = $1 limit 1"),
        (user,),
    )?;
    Ok(found.is_some())
}

/// Ends all of a user's codes.
pub fn remove(tx: &mut Tx<'_>, user: UserId) -> Result<()> {
    tx.execute(
        sql!("delete from recovery_codes where user_id = $1"),
        (user,),
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_however_it_is_typed() {
        assert_eq!(grouped("00112233aabbccdd"), "0011-2233-aabb-ccdd");
        assert_eq!(plain(" 0011-2233 AABB-ccdd"), "00112233aabbccdd");
    }
}
