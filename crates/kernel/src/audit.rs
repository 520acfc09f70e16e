//! Records of who changed what, written in the transaction of the change.

use crate::error::Result;
use serde_json::Value;
use store::{Fragment, Json, Tx};

/// Who makes a change.
#[derive(Debug, Clone, Default)]
pub struct Author {
    /// The user; `None` is the system, the command line, or a token of no user.
    pub id: Option<i64>,
    /// The address asked from, where there is one.
    pub ip: Option<String>,
    /// The deploy token that asks.
    pub deploy_token: Option<i64>,
}

/// What a change is about: its kind (`Project`, `Group`, `User`), its id, and
/// its name at the time, for people.
pub type Target<'t> = (&'static str, i64, &'t str);

/// One change that matters.
pub struct AuditEvent<'e> {
    /// What happened, as `area.verb` (`member.create`).
    pub action: &'static str,
    /// What to.
    pub target: Target<'e>,
    /// What changed; never a secret.
    pub details: Value,
}

/// Writes one event.
pub fn record(
    tx: &mut Tx<'_>, by: impl Into<Author>, action: &'static str, target: Target<'_>,
    details: Value,
) -> Result<()> {
    let event = AuditEvent { action, target, details };
    record_all(tx, by, [event])
}

/// Writes several events of one actor by one statement.
pub fn record_all<'e>(
    tx: &mut Tx<'_>, by: impl Into<Author>, events: impl IntoIterator<Item = AuditEvent<'e>>,
) -> Result<()> {
    let (now, by) = (tx.now(), by.into());
    let mut query = Fragment::new(
        "insert into audit_records (author_id, action, target_type, target_id, target_name,
            details, ip_address, created_at) values",
    );
    let mut between = " (";
    for event in events {
        let (kind, id, name) = event.target;
        query
            .push(between, by.id)
            .push(", ", event.action)
            .push(", ", kind)
            .push(", ", id)
            .push(", ", name)
            .push(", ", Json(by.name_token(event.details)))
            .push(", ", by.ip.clone())
            .push(", ", now)
            .raw(")");
        between = ", (";
    }
    if between == " (" {
        return Ok(());
    }
    query.raw(" returning id");
    tx.query::<i64>(query)?;
    Ok(())
}

impl Author {
    /// A user, or nobody, at an address.
    pub fn at(id: impl Into<Option<i64>>, ip: &str) -> Author {
        Author { id: id.into(), ip: Some(ip.to_owned()), deploy_token: None }
    }
}

impl From<&Author> for Author {
    fn from(author: &Author) -> Author {
        author.clone()
    }
}

impl Author {
    /// A deploy token is no user, so details say which it was.
    fn name_token(&self, mut details: Value) -> Value {
        if let (Some(token), Some(fields)) = (self.deploy_token, details.as_object_mut()) {
            fields.insert("deploy_token".into(), token.into());
        }
        details
    }
}
