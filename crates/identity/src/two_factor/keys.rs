//! Security keys: adding, listing and removing them, and signing in with one
//! after the password (WebAuthn Level 3; the checks are the crate
//! `webauthn`'s).
//!
//! An answer is taken with the question it belongs to in one transaction that
//! commits also when the answer is wrong, so no question is answered twice.

use super::step::{self, Tried};
use crate::author::Author;
use crate::model::User;
use crate::sign_in::Attempt;
use crate::store::ceremonies::{self, Place};
pub(super) use crate::store::security_keys::remove_all;
pub use crate::store::security_keys::{KeyInfo, StoredKey, count, list};
use crate::store::security_keys::{by_credential, insert};
use crate::tasks::{self, Change};
use crate::users;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::secrets;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::Tx;
use webauthn::{Assertion, Authentication, Holder, Key, Refusal, Registration, RelyingParty};

/// Most keys of one user.
pub const MAX_KEYS: usize = 20;
/// Longest name of a key, in characters.
pub const MAX_NAME: usize = 100;
/// Longest answer of a browser in bytes; real ones have a few thousand.
const MAX_ANSWER: usize = 32 * 1024;
/// How the instance calls itself to keys.
const NAME: &str = "tenon";
/// The kind of factor, for audit records.
const FACTOR: &str = "webauthn";
const UNASKED: &str = "The question to the key has expired or was answered before.";

/// What is kept while a key is added.
#[derive(Serialize, Deserialize)]
struct Adding {
    registration: Registration,
    handle: [u8; 16],
}

/// What became of adding a key.
#[derive(Debug)]
pub enum Added {
    /// It is there; the recovery codes, if it is the first factor.
    Done(Option<Vec<String>>),
    /// A sentence on why not.
    Refused(String),
}

/// This instance as keys know it; says why there is none at its address.
pub fn party(app: &App) -> Result<RelyingParty> {
    RelyingParty::new(app.base_url(), NAME)
        .map_err(|why| Error::Unprocessable(sentence(&why.to_string())))
}

/// Begins to add a key: options for the browser.
pub fn begin_add(app: &App, tx: &mut Tx<'_>, session: i64, user: &User) -> Result<Value> {
    let party = party(app)?;
    if user.confirmed_at.is_none() {
        return Err(refused("Confirm your e-mail address first."));
    }
    let known = list(tx, user.id)?;
    if known.len() >= MAX_KEYS {
        return Err(refused(&too_many()));
    }
    let handle = match known.first() {
        Some(key) => key.handle()?,
        None => secrets::random_bytes(),
    };
    let holder = Holder {
        handle,
        name: &user.username,
        display_name: match user.name.is_empty() {
            true => &user.username,
            false => &user.name,
        },
    };
    let begun = party.begin_registration(holder, &credentials(&known));
    let (options, registration) = begun.map_err(Error::internal)?;
    let adding = Adding { registration, handle };
    ceremonies::keep(tx, Place::Session(session), user.id, &adding)?;
    Ok(options)
}

/// Adds the key that answered.
pub fn finish_add(
    app: &App, tx: &mut Tx<'_>, by: &Author, session: i64, user: &User, name: &str, answer: &str,
) -> Result<Added> {
    let party = party(app)?;
    let name = checked_name(name)?;
    let place = Place::Session(session);
    let Some(adding) = ceremonies::take::<Adding>(tx, place, user.id)? else {
        return Ok(Added::Refused(UNASKED.into()));
    };
    let known = list(tx, user.id)?;
    if known.len() >= MAX_KEYS {
        return Ok(Added::Refused(too_many()));
    }
    let checked = within(answer).and_then(|answer| {
        party.finish_registration(&adding.registration, answer, &credentials(&known))
    });
    let key = match checked {
        Ok(key) => key,
        Err(why) => return Ok(Added::Refused(sentence(&why.to_string()))),
    };
    if !insert(tx, user.id, &name, &key, &adding.handle)? {
        let text = "This security key is in use already. Take another one.";
        return Ok(Added::Refused(text.into()));
    }
    let codes = super::added(tx, by, user, FACTOR)?;
    if codes.is_none() {
        tasks::notify(tx, user, Change::KeyAdded)?;
    }
    Ok(Added::Done(codes))
}

pub fn remove(tx: &mut Tx<'_>, by: &Author, user: &User, id: i64) -> Result<()> {
    let name: Option<String> = crate::store::security_keys::delete(tx, user.id, id)?;
    name.found("Security key")?;
    super::removed(tx, by, user, FACTOR)?;
    if super::enabled(tx, user.id)? {
        tasks::notify(tx, user, Change::KeyRemoved)?;
    }
    Ok(())
}

/// Asks the keys of the user of a half-done sign-in: options for the browser;
/// none when the step has ended or its user has no key.
pub fn begin_sign_in(app: &App, tx: &mut Tx<'_>, cookie: &str) -> Result<Option<Value>> {
    let party = party(app)?;
    let Some((step, user)) = step::find(tx, cookie)? else {
        return Ok(None);
    };
    question(&party, tx, Place::Step(step.id), &user)
}

/// Asks the keys of a user who is signed in, to prove that it is still them;
/// none when there is no key.
pub fn begin_proof(app: &App, tx: &mut Tx<'_>, session: i64, user: &User) -> Result<Option<Value>> {
    question(&party(app)?, tx, Place::Session(session), user)
}

/// The question to a user's keys, kept for this place.
fn question(
    party: &RelyingParty, tx: &mut Tx<'_>, place: Place, user: &User,
) -> Result<Option<Value>> {
    let keys = list(tx, user.id)?;
    if keys.is_empty() {
        return Ok(None);
    }
    let begun = party.begin_authentication(&credentials(&keys));
    let (options, authentication) = begun.map_err(Error::internal)?;
    ceremonies::keep(tx, place, user.id, &authentication)?;
    Ok(Some(options))
}

/// Whether a key's answer to [`begin_proof`] is right.
pub fn proves(
    app: &App, tx: &mut Tx<'_>, by: &Author, session: i64, user: &User, answer: &str,
) -> Result<bool> {
    let party = party(app)?;
    let place = Place::Session(session);
    let Some(question) = ceremonies::take::<Authentication>(tx, place, user.id)? else {
        return Ok(false);
    };
    match check(&party, tx, user, &question, answer)? {
        Ok(()) => Ok(true),
        Err((refusal, name)) => {
            if refusal == Refusal::Cloned {
                copied(tx, by, user, &name)?;
            }
            Ok(false)
        }
    }
}

/// Tries the answer of a key as second factor.
pub fn by_key(
    app: &App, tx: &mut Tx<'_>, cookie: &str, answer: &str, visit: &Attempt,
) -> Result<Tried> {
    let party = party(app)?;
    let Some((step, user)) = step::find(tx, cookie)? else {
        return Ok(Tried::Ended);
    };
    let by = Author::at(user.id, &visit.ip);
    let question = ceremonies::take::<Authentication>(tx, Place::Step(step.id), user.id)?;
    let why = match question {
        _ if user.is_locked(tx.now()) => UNASKED.to_owned(),
        None => UNASKED.to_owned(),
        Some(question) => match check(&party, tx, &user, &question, answer)? {
            Ok(()) => {
                let outcome = step::pass(tx, &step, visit.clone())?;
                return Ok(Tried::Right(step, outcome));
            }
            Err((refusal, name)) => {
                if refusal == Refusal::Cloned {
                    copied(tx, &by, &user, &name)?;
                }
                sentence(&refusal.to_string())
            }
        },
    };
    step::fail(tx, &step, &visit.ip, why)
}

/// Checks an answer, and stores what the key has counted to; a refusal comes
/// with the key's name.
fn check(
    party: &RelyingParty, tx: &mut Tx<'_>, user: &User, question: &Authentication, answer: &str,
) -> Result<std::result::Result<(), (Refusal, String)>> {
    let nameless = |refusal| Ok(Err((refusal, String::new())));
    let answer = match within(answer).and_then(Assertion::parse) {
        Ok(answer) => answer,
        Err(refusal) => return nameless(refusal),
    };
    let Some(stored) = by_credential(tx, user.id, answer.key_id())? else {
        return nameless(Refusal::UnknownKey);
    };
    let handle = stored.handle()?;
    let key = &stored.credential.0;
    match party.finish_authentication(question, &answer, key, &handle) {
        Ok(key) => {
            crate::store::security_keys::note_use(tx, stored.info.id, &key)?;
            Ok(Ok(()))
        }
        Err(refusal) => Ok(Err((refusal, stored.info.name))),
    }
}

/// Leaves a trace of a key that counted backwards.
fn copied(tx: &mut Tx<'_>, by: &Author, user: &User, name: &str) -> Result<()> {
    let details = json!({"key": name});
    users::record(tx, by, "user.security_key_copy", user, details)?;
    tasks::notify(tx, user, Change::KeyCopied)
}

impl StoredKey {
    fn handle(&self) -> Result<[u8; 16]> {
        let bytes = self.user_handle.as_slice();
        bytes.try_into().map_err(Error::internal)
    }
}

fn credentials(keys: &[StoredKey]) -> Vec<Key> {
    keys.iter().map(|key| key.credential.0.clone()).collect()
}

fn within(answer: &str) -> std::result::Result<&str, Refusal> {
    match answer.len() <= MAX_ANSWER {
        true => Ok(answer),
        false => Err(Refusal::Malformed),
    }
}

fn checked_name(name: &str) -> Result<String> {
    let name = name.trim();
    match name.chars().count() {
        0 => Ok("Security key".to_owned()),
        1..=MAX_NAME => Ok(name.to_owned()),
        _ => Err(Error::invalid(
            "name",
            format!("is too long (maximum is {MAX_NAME} characters)"),
        )),
    }
}

fn too_many() -> String {
    format!("You have {MAX_KEYS} security keys. Remove one before you add another.")
}

fn refused(text: &str) -> Error {
    Error::Unprocessable(text.to_owned())
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).chain(['.']).collect()
}
