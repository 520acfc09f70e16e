//! Whether keys made signatures. That takes work and never changes, for neither an object
//! nor a key does; so it is remembered.

use super::Read;
use super::known::Known;
use crate::formats::{Judged, Signature, certificate};
use crate::model::GpgKey;
use kernel::app::App;
use kernel::error::{Error, Result};
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use std::sync::Arc;

/// Answers that are remembered.
const REMEMBERED: u64 = 20_000;

/// What was found out: an object, a key of one kind or the other, the answer.
struct Answers(Cache<(ObjectId, Key), Judged>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Gpg(i64),
    /// A signature names its whole key, so that of one object it is always the same.
    Ssh,
}

impl Default for Answers {
    fn default() -> Answers {
        Answers(Cache::new(REMEMBERED))
    }
}

/// What keys say of a signature: each that could have made it, in their order.
pub(super) type Answer = Vec<Judged>;

/// Judges signatures, one for one, on a thread that may take its time.
pub(super) async fn judge(
    app: &App, read: Arc<[Option<Read>]>, known: Arc<Known>,
) -> Result<Vec<Answer>> {
    let answers = app.kept::<Answers>();
    let work = move || {
        let each = read.iter().map(|one| match one {
            Some(read) => answers.of(read, &known),
            None => Vec::new(),
        });
        each.collect()
    };
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)
}

impl Answers {
    fn of(&self, read: &Read, known: &Known) -> Answer {
        let id = read.subject.id;
        match &read.signature {
            Signature::Pgp(signature) => {
                let keys = known.candidates(signature).map(|(key, _)| key);
                let judged = keys.map(|key: &GpgKey| {
                    self.0.get_with((id, Key::Gpg(key.id)), || match certificate::read(&key.key) {
                        Some(certificate) => certificate.judge(signature, &read.payload),
                        None => Judged::Bad,
                    })
                });
                judged.collect()
            }
            Signature::Ssh(signature)
                if known.is_own(&signature.fingerprint)
                    || known.ssh_key(&signature.fingerprint).is_some() =>
            {
                vec![self.0.get_with((id, Key::Ssh), || signature.judge(&read.payload))]
            }
            _ => Vec::new(),
        }
    }
}
