//! Recovery codes: ten, shown once, each of which works once in place of
//! another factor (docs/interface/identity.md 7).

use crate::author::Author;
use crate::model::{User, UserId};
pub use crate::store::recovery_codes::{has_any, left, remove};
use crate::tasks::{self, Change};
use crate::users;
use kernel::error::Result;
use kernel::secrets;
use serde_json::json;
use store::Tx;

/// How many a user gets.
pub const COUNT: usize = 10;
/// Random bytes of one: too many to try even with the digest at hand.
const BYTES: usize = 8;

/// Makes a new set, which ends the one before. Shown here and never again.
pub fn make(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<String>> {
    remove(tx, user)?;
    let mut codes = Vec::with_capacity(COUNT);
    for _ in 0..COUNT {
        let plain = hex::encode(secrets::random_bytes::<BYTES>());
        crate::store::recovery_codes::insert(tx, user, secrets::digest(&plain))?;
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
    if !crate::store::recovery_codes::use_up(tx, user.id, secrets::digest(&plain(typed)))? {
        return Ok(false);
    }
    let details = json!({"left": left(tx, user.id)?});
    users::record(tx, by, "user.recovery_code_use", user, details)?;
    tasks::notify(tx, user, Change::RecoveryCodeUsed)?;
    Ok(true)
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
