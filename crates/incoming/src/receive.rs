//! What becomes of a mail: a note, no more mail of a thread, or nothing.
//!
//! A mail acts for the user whose key its address holds, and says something only if
//! an address of theirs sent it. What has no key, or a wrong sender, is dropped
//! without a word: an answer would go to whoever was named as its sender.

use crate::answer::answer;
use crate::message::{IncomingMail, MAX_MAIL};
use crate::store;
use ::store::Tx;
use identity::entities::load_basic;
use identity::model::{User, UserState};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::incoming_mail::{Addressed, ReplyAddress};
use planning::guarded::Spot;
use planning::model::epics::{EPIC, Epic};
use planning::notifications::sent::{self, SentNotification};
use planning::rules::epics::places::EpicPlace;
use planning::store::notes::{self, ISSUE, Note};
use planning::targets::TargetKinds;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Mails of one user that are acted on in a day.
const A_DAY: i64 = 500;

/// What became of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It is a note, or its quick actions were carried out.
    Noted,
    /// Its sender gets no more mail of the thread.
    Unsubscribed,
    /// Its sender was told why it could not be a note.
    Refused,
    /// It was acted on before.
    Repeated,
    /// It is none of ours: no key, another sender, a program that wrote it.
    Dropped,
}

/// Acts on a mail. [`Error::Unavailable`] and [`Error::Internal`] may pass: hand it
/// over again. It is safe to: no mail acts twice.
pub async fn receive(app: &App, bytes: Vec<u8>) -> Result<Outcome> {
    let Some(address) = app.config().incoming_mail.address.clone() else {
        return Ok(Outcome::Dropped);
    };
    if bytes.len() > MAX_MAIL {
        return Err(Error::TooLarge);
    }
    let host = url::Url::parse(app.base_url()).ok();
    let host = host.as_ref().and_then(url::Url::host_str).unwrap_or("localhost").to_owned();
    // Takes a core for a while.
    let read = tokio::task::spawn_blocking(move || {
        let mail = IncomingMail::read(&bytes)?;
        let asked = addressed(&mail, &address, &host)?;
        let digest = digest(&asked, &mail, &bytes);
        Some((mail, asked, digest))
    });
    let Some((mail, asked, digest)) = read.await.map_err(Error::internal)? else {
        return Ok(Outcome::Dropped);
    };
    if asked.unsubscribes {
        return unsubscribe(app, asked).await;
    }
    if mail.is_automatic {
        return Ok(Outcome::Dropped);
    }
    let (from, key) = (mail.from.clone().unwrap_or_default(), asked.key);
    let known = digest.clone();
    let letter = match app.read(move |tx| answering(tx, &key, &from, &known)).await? {
        Found::Letter(letter) => *letter,
        Found::Outcome(outcome) => return Ok(outcome),
    };
    answer(app, mail, letter, digest).await
}

/// The key that the mail was sent to: in an address, or in an id that it answers, as
/// programs do that write to the sender whatever Reply-To says.
fn addressed(mail: &IncomingMail, address: &ReplyAddress, host: &str) -> Option<Addressed> {
    let in_id = |id: &String| {
        let id = id.to_lowercase();
        let key = id.strip_prefix("reply-")?.strip_suffix(host)?.strip_suffix('@')?;
        Some(Addressed { key: key.to_owned(), unsubscribes: false })
    };
    let in_address = mail.to.iter().find_map(|to| address.read(to));
    in_address.or_else(|| mail.answers.iter().find_map(in_id))
}

/// Tells one mail from another: its id, or where it has none all of it.
fn digest(asked: &Addressed, mail: &IncomingMail, bytes: &[u8]) -> Vec<u8> {
    let id = mail.id.as_deref().map_or(bytes, str::as_bytes);
    let mut digest = Sha256::new();
    digest.update(asked.key.as_bytes());
    digest.update(id);
    digest.finalize().to_vec()
}

async fn unsubscribe(app: &App, asked: Addressed) -> Result<Outcome> {
    app.write(move |tx| match sent::find(tx, &asked.key) {
        Ok(sent) => {
            sent::unsubscribe(tx, &sent)?;
            Ok(Outcome::Unsubscribed)
        }
        Err(Error::NotFound(_)) => Ok(Outcome::Dropped),
        Err(error) => Err(error),
    })
    .await
}

/// Somebody who answers a mail that they got.
pub struct Letter {
    pub user: User,
    pub sent: SentNotification,
    pub spot: Spot,
    /// The note that they answer, if it was one.
    pub answered: Option<Note>,
}

enum Found {
    Letter(Box<Letter>),
    Outcome(Outcome),
}

fn answering(tx: &mut Tx<'_>, key: &str, from: &str, digest: &[u8]) -> Result<Found> {
    let dropped = Ok(Found::Outcome(Outcome::Dropped));
    let sent = match sent::find(tx, key) {
        Ok(sent) => sent,
        Err(Error::NotFound(_)) => return dropped,
        Err(error) => return Err(error),
    };
    let mut users = load_basic(tx, &[sent.user_id])?;
    let Some(user) = users.remove(&sent.user_id).filter(|user| user.state == UserState::Active)
    else {
        return dropped;
    };
    let own = identity::users::confirmed_addresses(tx, &user)?;
    if !own.iter().any(|address| address.eq_ignore_ascii_case(from)) {
        return dropped;
    }
    if store::is_taken(tx, digest)? {
        return Ok(Found::Outcome(Outcome::Repeated));
    }
    let yesterday = tx.now() - jiff::SignedDuration::from_hours(24);
    if store::count_after(tx, user.id, yesterday)? >= A_DAY {
        return dropped;
    }
    let Some(spot) = spot(tx, &sent)? else {
        return dropped;
    };
    let answered = match sent.note_id {
        Some(id) => notes::by_id(tx, id)?.filter(|note| !note.is_system),
        None => None,
    };
    Ok(Found::Letter(Box::new(Letter { user, sent, spot, answered })))
}

fn spot(tx: &mut Tx<'_>, sent: &SentNotification) -> Result<Option<Spot>> {
    let id = sent.noteable_id;
    Ok(match sent.noteable_type.as_str() {
        ISSUE => {
            let issue = planning::store::issues::by_id(tx, id)?;
            issue.map(|issue| Spot::Issue((Reference::Id(issue.project_id), issue.iid)))
        }
        EPIC => {
            let epic = planning::store::epics::by_id(tx, id)?;
            let place = |epic: Epic| EpicPlace::numbered(Reference::Id(epic.group_id), epic.iid);
            epic.map(|epic| Spot::Epic(place(epic)))
        }
        other => tx.plugged::<TargetKinds>()?.thing(other, id).map(Spot::Thing),
    })
}
