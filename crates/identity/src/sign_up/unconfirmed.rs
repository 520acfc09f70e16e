//! The end of accounts whose address nobody confirmed and which nobody used.

use super::{Confirmation, SignUp};
use crate::author::Author;
use crate::model::User;
use crate::users;
use kernel::error::{Error, Result};
use serde_json::json;
use store::Tx;

/// Accounts that end in one transaction.
const BATCH: i64 = 50;

/// Ends some of these accounts, past this id, where administrators want that;
/// the last id, or none when there are no more.
pub fn end_some(tx: &mut Tx<'_>, after: i64) -> Result<Option<i64>> {
    let rules: SignUp = kernel::settings::read(tx)?;
    if !rules.ends_unconfirmed || rules.confirmation == Confirmation::Off {
        return Ok(None);
    }
    let before = tx.now() - jiff::SignedDuration::from_hours(24 * rules.unconfirmed_days);
    let found: Vec<User> = crate::store::users::never_confirmed(tx, before, after, BATCH)?;
    for user in &found {
        end(tx, user, rules.unconfirmed_days)?;
    }
    Ok(found.last().map(|user| user.id))
}

fn end(tx: &mut Tx<'_>, user: &User, days: i64) -> Result<()> {
    let by = Author::default();
    let ended = tx.savepoint(|tx| {
        users::record(tx, &by, "user.end_unconfirmed", user, json!({"days": days}))?;
        users::destroy(tx, &by, user.id, false)
    });
    match ended {
        // A room cannot spare them: somebody else made them its only owner.
        Err(Error::Conflict(_) | Error::Forbidden(_)) => Ok(()),
        other => other,
    }
}
