//! Who still uses deprecated members, for the operator's report before the
//! release that removes them.
//!
//! Table: `graphql_deprecated_uses`, a row for each member and user. Uses are
//! counted in memory and written beside a request, once a minute at most, so
//! that reading costs no write; those of a server's last minute are lost.

use crate::validation::report::Marked;
use kernel::app::App;
use kernel::error::{BestEffort, Result};
use kernel::http::Paging;
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::{FromRow, Tx, sql};

/// Between two writes.
const EVERY: Duration = Duration::from_secs(60);
/// Most members and users counted between them; more wait for a later use.
const MAX: usize = 10_000;

/// Uses that are not written yet.
#[derive(Default)]
pub struct Uses(Mutex<Counted>);

#[derive(Default)]
struct Counted {
    by: HashMap<Use, (Marked, i64)>,
    written_at: Option<Instant>,
}

/// A member and the user who used it.
type Use = (String, i64);
/// What is to be written.
type Due = HashMap<Use, (Marked, i64)>;

/// A user's use of a deprecated member on the wire.
#[derive(Debug, Serialize, JsonSchema, FromRow)]
#[schemars(rename = "DeprecatedUseEntity")]
pub struct DeprecatedUse {
    // Such as `User.email` or `Query.runners(active)`.
    member: String,
    // Why it will go, at its last use.
    reason: String,
    replacement: Option<String>,
    // The release that may remove it.
    removed_in: Option<String>,
    user_id: i64,
    username: String,
    uses: i64,
    // Exact to a minute or so.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    last_used_at: Timestamp,
}

impl Uses {
    /// Counts the members that an operation of a user used.
    pub fn note(&self, app: &App, user: i64, members: Vec<Marked>) {
        if let Some(due) = self.count(user, members) {
            let app = app.clone();
            tokio::spawn(async move {
                app.write(move |tx| write(tx, &due))
                    .await
                    .best_effort("note deprecated members");
            });
        }
    }

    /// What is to be written now, if that is due.
    fn count(&self, user: i64, members: Vec<Marked>) -> Option<Due> {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for marked in members {
            let key = (marked.member.clone(), user);
            if counted.by.len() < MAX || counted.by.contains_key(&key) {
                counted.by.entry(key).or_insert((marked, 0)).1 += 1;
            }
        }
        let waits = counted.written_at.is_some_and(|at| at.elapsed() < EVERY);
        if waits || counted.by.is_empty() {
            return None;
        }
        counted.written_at = Some(Instant::now());
        Some(std::mem::take(&mut counted.by))
    }
}

fn write(tx: &mut Tx<'_>, due: &Due) -> Result<()> {
    let now = tx.now();
    for ((member, user), (marked, uses)) in due {
        // Whoever is gone by now is not told of.
        tx.execute(
            sql!(
                "insert into graphql_deprecated_uses
                    (member, user_id, uses, last_used_at, reason, replacement, removed_in)
                 select $1, users.id, $3, $4, $5, $6, $7 from users where users.id = $2
                 on conflict (member, user_id) do update
                 set uses = graphql_deprecated_uses.uses + excluded.uses,
                    last_used_at = excluded.last_used_at, reason = excluded.reason,
                    replacement = excluded.replacement, removed_in = excluded.removed_in"
            ),
            (
                member.as_str(),
                *user,
                *uses,
                now,
                marked.reason.as_str(),
                marked.replacement.as_deref(),
                marked.removed_in.as_deref(),
            ),
        )?;
    }
    Ok(())
}

/// One page of the report, by member and user.
pub fn page(tx: &mut Tx<'_>, paging: &Paging) -> Result<Vec<DeprecatedUse>> {
    Ok(tx.all(
        sql!(
            "select d.member, d.reason, d.replacement, d.removed_in, d.user_id, users.username, d.uses, d.last_used_at
             from graphql_deprecated_uses d join users on users.id = d.user_id
             order by d.member, d.user_id limit $1 offset $2"
        ),
        (paging.fetch(), paging.offset()),
    )?)
}

pub fn total(tx: &mut Tx<'_>) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from (select 1 as one from graphql_deprecated_uses limit 10001) d"),
        (),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_written_once_a_minute() {
        let marked = Marked {
            member: "User.email".into(),
            reason: "Old".into(),
            replacement: None,
            removed_in: None,
        };
        let uses = Uses::default();
        let used = |user| uses.count(user, vec![marked.clone()]);
        let first = used(1).expect("the first is due");
        assert_eq!(first[&("User.email".to_owned(), 1)].1, 1);
        assert!(used(1).is_none() && used(1).is_none() && used(2).is_none());
        uses.0.lock().unwrap().written_at = None;
        let next = uses.count(3, Vec::new()).expect("what waited is due");
        assert_eq!(next[&("User.email".to_owned(), 1)].1, 2);
        assert_eq!(next.len(), 2);
        uses.0.lock().unwrap().written_at = None;
        assert!(uses.count(3, Vec::new()).is_none(), "nothing is left");
    }
}
