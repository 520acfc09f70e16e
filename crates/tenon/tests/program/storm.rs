//! Clients that write without a pause and remember what they were answered.

use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use store::sql;
use testkit::{Client, sha256};
use tokio::task::JoinHandle;

use crate::place::{Place, until};

/// Bytes of a file that no other shares.
const BYTES: usize = 20_000;

/// What was sent, and what came of it as far as anybody was told.
#[derive(Debug, Default)]
pub struct Ledger {
    /// Names of tokens whose making was answered.
    pub tokens: Vec<String>,
    /// Files, in the order sent.
    pub files: Vec<Sent>,
}

/// A file sent to the registry.
#[derive(Debug, Clone)]
pub struct Sent {
    /// Its path below `/api/v4`.
    pub path: String,
    /// SHA-256 of what was sent.
    pub digest: String,
    /// Its writer will not delete it.
    pub stays: bool,
    pub fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Its upload was answered.
    Stored,
    /// Its deletion was answered.
    Deleted,
    /// The last request about it was not answered.
    Unknown,
}

type Shared = Arc<Mutex<Ledger>>;

/// Writers under way.
pub struct Storm {
    ledger: Shared,
    writers: Vec<JoinHandle<()>>,
}

impl Storm {
    /// Starts as many makers of tokens and as many publishers; `to` gives each
    /// its client and a name of its own.
    pub fn begin(each: usize, project: &str, to: impl Fn(usize) -> (Client, String)) -> Storm {
        let ledger = Shared::default();
        let mut writers = Vec::new();
        for writer in 0..each {
            let (client, name) = to(writer);
            let publish = publish(client.clone(), project.into(), name.clone(), ledger.clone());
            writers.push(tokio::spawn(publish));
            writers.push(tokio::spawn(make_tokens(client, name, ledger.clone())));
        }
        Storm { ledger, writers }
    }

    /// How many tokens were made and how many files stored or deleted.
    pub fn answers(&self) -> (usize, usize) {
        let ledger = self.ledger.lock().expect("no panic");
        let known = ledger.files.iter().filter(|one| one.fate != Fate::Unknown);
        (ledger.tokens.len(), known.count())
    }

    /// Files whose upload was answered so far and which stay.
    pub fn files_to_stay(&self) -> Vec<Sent> {
        let ledger = self.ledger.lock().expect("no panic");
        let files = ledger.files.iter();
        files.filter(|file| file.stays && file.fate == Fate::Stored).cloned().collect()
    }

    /// Waits until so many more writes of both kinds were answered.
    pub async fn goes_on(&self, wanted: usize) {
        let (tokens, files) = self.answers();
        until("the server answers", async || {
            let now = self.answers();
            now.0 >= tokens + wanted && now.1 >= files + wanted
        })
        .await;
    }

    /// Stops the writers; a request under way may still be answered before.
    pub async fn end(self) -> Ledger {
        for writer in self.writers {
            writer.abort();
            if let Err(error) = writer.await
                && error.is_panic()
            {
                std::panic::resume_unwind(error.into_panic());
            }
        }
        std::mem::take(&mut self.ledger.lock().expect("no panic"))
    }
}

/// Makes tokens until aborted or until the server is gone.
async fn make_tokens(client: Client, name: String, ledger: Shared) {
    for number in 0.. {
        let name = format!("{name}-{number}");
        let body = json!({"name": name, "scopes": ["read_api"]});
        let sent = client.post("/users/1/personal_access_tokens").json(&body).try_send().await;
        match sent {
            Ok(reply) if reply.status == 201 => ledger.lock().expect("no panic").tokens.push(name),
            Ok(reply) => assert_eq!(reply.status, 409, "{reply:?}"),
            Err(_) => return,
        }
    }
}

/// Uploads files, one in three with bytes that others have too, and deletes
/// one in four again, until aborted or until the server is gone.
async fn publish(client: Client, project: String, name: String, ledger: Shared) {
    for number in 0.. {
        let bytes = match number % 3 {
            0 => format!("shared by many: {}", number % 7).repeat(10),
            _ => format!("{name} {number} ").repeat(BYTES / 16),
        };
        let stays = number % 4 != 3;
        let path = format!("{project}/packages/generic/storm/{name}/{number}.bin");
        let at = {
            let mut ledger = ledger.lock().expect("no panic");
            ledger.files.push(Sent {
                path: path.clone(),
                digest: sha256(&bytes),
                stays,
                fate: Fate::Unknown,
            });
            ledger.files.len() - 1
        };
        let became = |fate| ledger.lock().expect("no panic").files[at].fate = fate;
        let upload = client.put(format!("{path}?select=package_file")).bytes(bytes);
        let Ok(reply) = upload.try_send().await else {
            return;
        };
        if reply.status != 200 {
            assert_eq!(reply.status, 409, "{reply:?}");
            continue;
        }
        became(Fate::Stored);
        if stays {
            continue;
        }
        let file = reply.json();
        let (package, id) = (&file["package_id"], &file["id"]);
        let path = format!("{project}/packages/{package}/package_files/{id}");
        became(Fate::Unknown);
        match client.delete(path).try_send().await {
            Ok(reply) if reply.status == 204 => became(Fate::Deleted),
            Ok(reply) => assert_eq!(reply.status, 409, "{reply:?}"),
            Err(_) => return,
        }
    }
}

impl Ledger {
    pub fn append(&mut self, mut other: Ledger) {
        self.tokens.append(&mut other.tokens);
        self.files.append(&mut other.files);
    }

    /// What the server does not hold as it was told, each in a sentence. What
    /// nobody was told about is whole or not there at all, and its fate known
    /// from then on.
    pub async fn wrongs(&mut self, client: &Client) -> Vec<String> {
        let mut wrongs = self.lost_tokens(client).await;
        for file in &mut self.files {
            let reply = client.get(&file.path).await;
            let found = match reply.status {
                404 => Fate::Deleted,
                200 if sha256(&reply.body) == file.digest => Fate::Stored,
                _ => {
                    wrongs.push(format!("{} answers {}", file.path, reply.status));
                    continue;
                }
            };
            if file.fate != Fate::Unknown && file.fate != found {
                let (path, fate) = (&file.path, file.fate);
                wrongs.push(format!("{path} was {fate:?} and is {found:?}"));
            }
            file.fate = found;
        }
        wrongs
    }

    async fn lost_tokens(&self, client: &Client) -> Vec<String> {
        let mut found = std::collections::HashSet::new();
        for page in 1.. {
            let path = format!("/personal_access_tokens?per_page=100&page={page}");
            let listed = client.get(path).await.is(200).each("name");
            found.extend(listed.iter().filter_map(Value::as_str).map(str::to_owned));
            if listed.len() < 100 {
                break;
            }
        }
        let lost = self.tokens.iter().filter(|name| !found.contains(*name));
        lost.map(|name| format!("token {name} is lost")).collect()
    }

    /// Files that are there, once [`Ledger::wrongs`] has looked.
    pub fn stored(&self) -> i64 {
        let stored = self.files.iter().filter(|one| one.fate == Fate::Stored);
        stored.count() as i64
    }
}

/// How many rows of files that are not destroyed the database holds.
pub async fn rows_of_files(place: &Place) -> i64 {
    place
        .row(sql!("select count(*) from package_files where status = 'default'"))
        .await
}
