//! How commands are carried out one by one, whatever they are about.

use crate::formats::quick_actions::{Action, split};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use serde_json::{Map, Value};
use store::Tx;

/// Who gives commands, about what, and what they may do there.
pub(super) struct Author<'a, D, T> {
    pub(super) viewer: &'a Viewer,
    pub(super) desk: &'a D,
    pub(super) thing: &'a T,
}

impl<D, T> Clone for Author<'_, D, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D, T> Copy for Author<'_, D, T> {}

/// What commands did.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// What changed, by the name of the change.
    pub changes: Map<String, Value>,
    pub summary: Vec<String>,
}

/// What one command did, and how that is told.
pub struct Done {
    key: &'static str,
    value: Value,
    sentence: String,
}

/// One that was carried out: what changed, and a sentence of it.
pub fn done(key: &'static str, value: impl Into<Value>, sentence: impl Into<String>) -> Done {
    Done { key, value: value.into(), sentence: sentence.into() }
}

/// Refuses a command, whatever it says.
pub fn senseless() -> Error {
    Error::BadRequest("the command makes no sense here".into())
}

/// Carries out each command on what the one before made of the thing, and skips those
/// that are refused.
pub fn each<T: Clone>(
    tx: &mut Tx<'_>, before: &T, actions: &[Action],
    run: impl Fn(&mut Tx<'_>, &T, &Action) -> Result<Done>,
    reread: impl Fn(&mut Tx<'_>) -> Result<T>,
) -> Result<(T, Outcome)> {
    let (mut thing, mut outcome) = (before.clone(), Outcome::default());
    for action in actions {
        match tx.savepoint(|tx| run(tx, &thing, action)) {
            Ok(done) => {
                outcome.changes.insert(done.key.to_owned(), done.value);
                outcome.summary.push(done.sentence);
                thing = reread(tx)?;
            }
            Err(error @ (Error::Internal(_) | Error::Unavailable(_))) => return Err(error),
            Err(_) => {}
        }
    }
    Ok((thing, outcome))
}

/// Takes the commands out of a description; those of programs stay text.
pub fn take_actions(user: &User, description: &mut Patch<String>) -> Vec<Action> {
    let Patch::Value(text) = &description else {
        return Vec::new();
    };
    if user.kind.is_bot() {
        return Vec::new();
    }
    let taken = split(text);
    *description = Patch::Value(taken.text);
    taken.actions
}
