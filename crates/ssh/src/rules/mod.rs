//! Adds, changes and removes keys.

pub mod access;
pub mod deploy;
pub mod keys;

use crate::formats::public_key::{self, BadKey, MAX_TEXT, ReadKey};
use crate::model::{MAX_TITLE, SshKey, UsageType};
use crate::store::keys::{self as rows, NewKey};
use ::store::Tx;
use kernel::error::{Error, Result};
use kernel::time::Timestamp;
use spaces::model::Problems;

kernel::params! {
    /// A new key.
    #[derive(Default)]
    pub struct KeyInput {
        /// For people.
        pub title: String,
        /// The line of the public half.
        pub key: String,
        /// When it ends.
        pub expires_at: Option<Timestamp>,
    }
}

/// Whose a key becomes.
#[derive(Debug, Clone, Copy)]
enum Owner {
    User(i64),
    /// A deploy key's maker, and whether every project may take it.
    Maker(Option<i64>, bool),
}

/// Reads and stores a key that is good and nobody's yet.
fn add(tx: &mut Tx<'_>, owner: Owner, input: &KeyInput, usage: UsageType) -> Result<SshKey> {
    let key = check(tx, input)?;
    let (user_id, created_by_id, is_public) = match owner {
        Owner::User(id) => (Some(id), Some(id), false),
        Owner::Maker(id, is_public) => (None, id, is_public),
    };
    let new = NewKey {
        user_id,
        created_by_id,
        is_public,
        title: input.title.trim(),
        key: &key,
        usage_type: usage,
        expires_at: input.expires_at,
    };
    rows::insert(tx, &new)?.ok_or_else(taken)
}

fn taken() -> Error {
    let fields = ["key", "fingerprint", "fingerprint_sha256"];
    let each = fields.map(|field| (field.to_owned(), vec!["has already been taken".to_owned()]));
    Error::Invalid(each.into())
}

/// What is wrong with a title.
fn title_problem(title: &str) -> Option<&'static str> {
    match title.trim() {
        "" => Some("can't be blank"),
        title if title.chars().any(char::is_control) => Some("cannot contain control characters"),
        title if title.chars().count() > MAX_TITLE => {
            Some("is too long (maximum is 255 characters)")
        }
        _ => None,
    }
}

fn check(tx: &Tx<'_>, input: &KeyInput) -> Result<ReadKey> {
    let mut problems = Problems::default();
    problems.note("title", title_problem(&input.title));
    let key = read(&input.key, &mut problems);
    if input.expires_at.is_some_and(|end| end <= tx.now()) {
        problems.add("key", "has expired");
    }
    problems.check()?;
    key.ok_or_else(|| Error::internal("a bad key has no problem"))
}

fn read(text: &str, problems: &mut Problems) -> Option<ReadKey> {
    if text.trim().is_empty() {
        problems.add("key", "can't be blank");
        return None;
    }
    if text.len() > MAX_TEXT {
        problems.add("key", "is too long (maximum is 5000 characters)");
        return None;
    }
    match public_key::read(text) {
        Ok(key) => Some(key),
        Err(BadKey::Refused(text)) => {
            problems.add("key", &text);
            None
        }
        Err(BadKey::Unreadable) => {
            problems.add("key", "is invalid");
            problems.add("fingerprint_sha256", "cannot be generated");
            None
        }
    }
}
