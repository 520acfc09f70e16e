//! Who signed commits and tags: out of their objects, with the keys that are known now.
//!
//! ```ignore
//! let signatures = checking::of_commits(&app, &repository, &commits).await?;
//! ```
//!
//! Any number of them takes one look at the objects and a fixed number of statements.

mod judging;
mod known;
mod status;

use crate::formats::Signature;
use crate::model::{GpgKey, KeyAddress, KeyPart, SignatureType, VerificationStatus};
use identity::model::User;
use kernel::app::App;
use kernel::error::Result;
use known::Known;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Commit, Objects, Signed, Tag};
use ssh::model::SshKey;
use std::sync::Arc;

/// A signature, and what it is worth.
#[derive(Debug, Clone)]
pub struct Verified {
    pub kind: SignatureType,
    pub status: VerificationStatus,
    /// The key, if it is somebody's here.
    pub key: Option<KeyUsed>,
    pub user: Option<User>,
    /// The name of the key as the signature has it: the end of a GPG key's fingerprint, or
    /// the SHA256 of an SSH key.
    pub keyid: Option<String>,
}

/// The key that a signature names.
#[derive(Debug, Clone)]
pub enum KeyUsed {
    Gpg(Box<GpgKeyUsed>),
    Ssh(Box<SshKey>),
}

/// A GPG key, and the part of it that signed.
#[derive(Debug, Clone)]
pub struct GpgKeyUsed {
    pub key: GpgKey,
    pub part: KeyPart,
    /// Whom it names, one that its owner confirmed before others.
    pub named: Option<KeyAddress>,
}

impl GpgKeyUsed {
    /// The name of its primary key.
    pub fn primary_keyid(&self) -> String {
        let fingerprint = &self.key.fingerprint;
        // Fingerprints of forty digits end with the name, longer ones begin with it.
        match fingerprint.len() {
            40 => fingerprint[24..].to_owned(),
            _ => fingerprint.chars().take(16).collect(),
        }
    }
}

/// What is checked, and whom it names.
#[derive(Debug, Clone)]
struct Subject {
    id: ObjectId,
    committer: String,
    /// Seconds since 1970, as the committer says.
    at: i64,
    author: Option<String>,
}

/// What was signed, with its signature read.
#[derive(Debug, Clone)]
struct Read {
    subject: Subject,
    signature: Signature,
    payload: Arc<[u8]>,
}

impl Subject {
    fn of_commit(commit: &Commit) -> Option<Subject> {
        commit.is_signed.then(|| Subject {
            id: commit.id,
            committer: commit.committer.email.clone(),
            at: commit.committer.at.as_second(),
            author: Some(commit.author.email.clone()),
        })
    }

    fn of_tag(tag: &Tag) -> Option<Subject> {
        tag.is_signed.then(|| Subject {
            id: tag.id,
            committer: tag.tagger.as_ref().map_or_else(String::new, |one| one.email.clone()),
            at: tag.tagger.as_ref().map_or(0, |one| one.at.as_second()),
            author: None,
        })
    }

    fn read(&self, objects: &Objects) -> Result<Option<Read>> {
        let read = |signed: Signed| Read {
            subject: self.clone(),
            signature: Signature::read(&signed.signature),
            payload: signed.payload.into(),
        };
        Ok(objects.signed(self.id)?.map(read))
    }
}

/// The signatures of commits, one for one; none of those that nobody signed.
pub async fn of_commits(
    app: &App, repository: &Repository, commits: &[Commit],
) -> Result<Vec<Option<Verified>>> {
    check(app, repository, commits.iter().map(Subject::of_commit).collect()).await
}

/// The same of annotated tags.
pub async fn of_tags(
    app: &App, repository: &Repository, tags: &[&Tag],
) -> Result<Vec<Option<Verified>>> {
    check(app, repository, tags.iter().map(|tag| Subject::of_tag(tag)).collect()).await
}

async fn check(
    app: &App, repository: &Repository, subjects: Vec<Option<Subject>>,
) -> Result<Vec<Option<Verified>>> {
    if subjects.iter().all(Option::is_none) {
        return Ok(vec![None; subjects.len()]);
    }
    let read = objects::read(app, repository, move |objects| {
        let each = subjects.iter().map(|subject| match subject {
            Some(subject) => subject.read(objects),
            None => Ok(None),
        });
        each.collect::<Result<Vec<_>>>()
    });
    let read: Arc<[Option<Read>]> = read.await?.into();
    let asked = read.clone();
    let known = app.read(move |tx| Known::find(tx, asked.iter().flatten())).await?;
    let known = Arc::new(known);
    let judged = judging::judge(app, read.clone(), known.clone()).await?;
    let verified = read.iter().zip(judged).map(|(read, judged)| {
        let read = read.as_ref()?;
        Some(status::verified(read, &known, judged))
    });
    Ok(verified.collect())
}
