//! The objects of a push, kept apart until they are known to be good: whole, well
//! made, and leading only to objects that are here, which `git index-pack --strict`
//! sees to.

use super::limits::PushLimits;
use crate::cache::{self, Having, LocalCopy};
use crate::formats::object_id::ObjectId;
use crate::git::{Git, PATIENCE};
use crate::model::Repository;
use crate::store::packs::NewPack;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::programs::{Ended, Invocation};
use kernel::secrets::random_bytes;
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdout;
use tokio::time::timeout;

/// What old histories hold and git takes today still, so that they can be pushed.
const TOLERATED: &str = "--strict=missingSpaceBeforeDate=ignore,badTimezone=ignore,zeroPaddedFilemode=ignore,\
     missingNameBeforeEmail=ignore,missingEmail=ignore,missingSpaceBeforeEmail=ignore,\
     badDateOverflow=ignore,multipleAuthors=ignore,badEmail=ignore,badName=ignore";
/// How long git may take for the objects once they have all come.
const INDEXING: Duration = Duration::from_secs(3600);
/// How long a client is listened to still that has sent all, or that sends in vain.
const LAST_WORD: Duration = Duration::from_millis(200);
const SILENCE: Duration = Duration::from_secs(10);
/// Where the number of objects stands in a pack, and where it begins.
const COUNT_AT: usize = 8;
const HEADER: usize = 12;

/// Objects of a push, gone when dropped.
pub struct Quarantine {
    folder: Option<PathBuf>,
    /// The repository they shall become part of.
    copy: Option<LocalCopy>,
    /// The digest that git names the pack by, if there is one with objects in it.
    pack: Option<String>,
}

impl Drop for Quarantine {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take() {
            // On its own thread: a folder may be large, and this is no place to wait.
            std::thread::spawn(move || {
                std::fs::remove_dir_all(folder).best_effort("remove the objects of a push");
            });
        }
    }
}

/// Where the folders of pushes are.
fn root(app: &App) -> PathBuf {
    cache::root(app).with_file_name("pushes")
}

/// Takes the objects of a push; a text for its user if they are no good.
pub(crate) async fn receive(
    app: &App, repository: i64, limits: PushLimits, first: Bytes,
    body: impl Stream<Item = Result<Bytes>> + Unpin + Send,
) -> Result<Result<Quarantine, String>> {
    let (mut quarantine, folder) = Quarantine::begin(app, repository).await?;
    let invocation = quarantine.git(app).await?.args([
        "index-pack".to_owned(),
        "--stdin".to_owned(),
        "--fix-thin".to_owned(),
        TOLERATED.to_owned(),
        format!("--max-input-size={}", limits.bytes()),
    ]);
    let (said, ended) = feed(invocation, first, body).await?;
    if !ended.succeeded {
        return Ok(Err(what_is_wrong(&ended.said)));
    }
    let name = said.trim().rsplit('\t').next().unwrap_or_default().to_owned();
    if name.parse::<ObjectId>().is_err() {
        return Err(Error::internal(format!("git index-pack answered {said:?}")));
    }
    if count(&folder.join("pack").join(format!("pack-{name}.pack"))).await? > 0 {
        quarantine.pack = Some(name);
    }
    Ok(Ok(quarantine))
}

/// Gives git the pack as it comes; what it answered, and how it ended.
async fn feed(
    invocation: Invocation, first: Bytes,
    mut body: impl Stream<Item = Result<Bytes>> + Unpin + Send,
) -> Result<(String, Ended)> {
    let mut running = invocation.start()?;
    let mut stdin = running.stdin();
    let stdout = running.stdout().ok_or_else(|| Error::internal("git has no output"))?;
    let mut answered = tokio::spawn(read_to_end(stdout));
    let mut next = Some(Ok(first));
    let mut answer = None;
    while let Some(bytes) = next {
        let bytes = bytes?;
        if let Some(open) = &mut stdin
            && open.write_all(&bytes).await.is_err()
        {
            stdin = None;
        }
        next = tokio::select! {
            biased;
            next = body.next() => next,
            read = &mut answered => {
                answer = Some(read);
                break;
            }
        };
    }
    drop(stdin);
    let is_early = answer.is_some();
    let answer = match answer {
        Some(answer) => answer,
        None => match timeout(INDEXING, answered).await {
            Ok(answer) => answer,
            Err(_) => return Err(Error::Unavailable("The push took too long.".into())),
        },
    };
    let answer = answer.map_err(Error::internal)??;
    let ended = running.end().await?;
    if is_early {
        // A client listens only once it has said everything. Of a pack that is there
        // whole, not every one says that this was all.
        let patience = if ended.succeeded { LAST_WORD } else { SILENCE };
        while let Ok(Some(Ok(_))) = timeout(patience, body.next()).await {}
    }
    Ok((answer, ended))
}

async fn read_to_end(mut stdout: ChildStdout) -> std::io::Result<String> {
    let mut text = String::new();
    stdout.read_to_string(&mut text).await?;
    Ok(text)
}

/// What git found wrong, without what it says of the server.
fn what_is_wrong(said: &str) -> String {
    let has = |text: &str| said.contains(text);
    if has("exceeds maximum allowed size") {
        return "the push is larger than this server takes".into();
    }
    if has("did not receive expected object") {
        return "objects are missing that others lead to".into();
    }
    let about_object = said.lines().find(|line| line.starts_with("error: object "));
    if about_object.is_none() {
        tracing::warn!(said, "git refused the objects of a push");
    }
    match about_object {
        Some(line) => line.trim_start_matches("error: ").chars().take(300).collect(),
        None => "the objects are damaged".into(),
    }
}

async fn count(pack: &Path) -> Result<u32> {
    let path = pack.to_owned();
    let header = tokio::task::spawn_blocking(move || {
        let mut header = [0; HEADER];
        std::fs::File::open(path)?.read_exact(&mut header)?;
        Ok::<_, std::io::Error>(header)
    });
    let header = header.await.map_err(Error::internal)??;
    let count = header[COUNT_AT..].first_chunk::<4>().copied().unwrap_or_default();
    Ok(u32::from_be_bytes(count))
}

/// What is behind the new value of a ref.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tip {
    pub is_commit: bool,
    /// What an annotated tag leads to.
    pub peeled: Option<ObjectId>,
}

impl Quarantine {
    /// Begins one beside the objects of a repository, and where its objects come.
    pub(crate) async fn begin(app: &App, repository: i64) -> Result<(Quarantine, PathBuf)> {
        let copy = cache::copy(app, repository, Having::Objects).await?;
        let folder = root(app).join(hex::encode(random_bytes::<16>()));
        let quarantine = Quarantine { folder: Some(folder.clone()), copy: Some(copy), pack: None };
        let made = tokio::fs::create_dir_all(folder.join("pack")).await;
        made.map_err(Error::of_storage)?;
        Ok((quarantine, folder))
    }

    /// Of a push that only deletes.
    pub(super) fn empty() -> Quarantine {
        Quarantine { folder: None, copy: None, pack: None }
    }

    /// The epoch of what its objects were found to fit to.
    pub(crate) fn epoch(&self) -> Option<i64> {
        self.copy.as_ref().map(|copy| copy.epoch)
    }

    /// Looks again whether the objects of a push are whole, where objects were removed
    /// from the repository meanwhile; its epoch now, if they are.
    pub(super) async fn look_again(
        &self, app: &App, repository: i64, ids: &[ObjectId],
    ) -> Result<Option<i64>> {
        let copy = cache::copy(app, repository, Having::ObjectsAndRefs).await?;
        let Some(folder) = &self.folder else {
            return Ok(Some(copy.epoch));
        };
        let told: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let walked = apart(app, folder, &copy)
            .await?
            .args(["rev-list", "--objects", "--stdin", "--not", "--all", "--quiet"])
            .ask(told.into_bytes(), 1024, INDEXING)
            .await?;
        Ok(walked.ended.succeeded.then_some(copy.epoch))
    }

    /// Begins to start git, which reads both the objects of the push and those of the
    /// repository, and writes to the former.
    pub async fn git(&self, app: &App) -> Result<Invocation> {
        let (Some(folder), Some(copy)) = (&self.folder, &self.copy) else {
            return Err(Error::internal("a push without objects has none to look at"));
        };
        apart(app, folder, copy).await
    }

    /// Whether there is anything new in it.
    pub fn has_objects(&self) -> bool {
        self.pack.is_some()
    }

    /// Bytes that it would add to the repository.
    pub async fn size(&self) -> Result<i64> {
        let (Some(folder), Some(name)) = (&self.folder, &self.pack) else {
            return Ok(0);
        };
        let mut size = 0;
        for ending in ["pack", "idx"] {
            let path = folder.join("pack").join(format!("pack-{name}.{ending}"));
            size += tokio::fs::metadata(path).await.map_err(Error::of_storage)?.len();
        }
        Ok(i64::try_from(size).unwrap_or(i64::MAX))
    }

    /// Begins to start git, which sees the objects of the push alone.
    pub async fn alone(&self, app: &App) -> Result<Invocation> {
        Ok(self.git(app).await?.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", ""))
    }

    /// What is behind some objects; those that are not here are left out.
    pub(crate) async fn tips(&self, app: &App, ids: &[ObjectId]) -> Result<HashMap<ObjectId, Tip>> {
        let asked: String = ids.iter().map(|id| format!("{id}\n{id}^{{}}\n")).collect();
        let most = (asked.len() + 64) * 2;
        let asking = self
            .git(app)
            .await?
            .args(["cat-file", "--batch-check=%(objectname) %(objecttype)"]);
        let answered = asking.ask(asked.into_bytes(), most, PATIENCE).await?;
        answered.ended.check("git cat-file")?;
        let text = String::from_utf8_lossy(&answered.output).into_owned();
        let mut lines = text.lines();
        let mut tips = HashMap::new();
        for id in ids {
            let (one, peeled) = (lines.next().and_then(object), lines.next().and_then(object));
            let Some(((_, kind), (end, _))) = one.zip(peeled) else {
                continue;
            };
            let peeled = (end != *id).then_some(end);
            tips.insert(*id, Tip { is_commit: kind == "commit", peeled });
        }
        Ok(tips)
    }

    /// Stores the pack, if there is one, where everybody finds it.
    pub(crate) async fn store(
        &self, app: &App, repository: &Repository,
    ) -> Result<Option<NewPack>> {
        let (Some(folder), Some(name)) = (&self.folder, &self.pack) else {
            return Ok(None);
        };
        let file = |ending: &str| folder.join("pack").join(format!("pack-{name}.{ending}"));
        let storage = app.blobs().storage(&repository.storage)?;
        let pack = storage.put_file(&file("pack")).await?;
        let index = storage.put_file(&file("idx")).await?;
        Ok(Some(NewPack { name: name.clone(), pack, index }))
    }
}

/// Git with the objects of a repository and those that are kept apart from it.
async fn apart(app: &App, folder: &Path, copy: &LocalCopy) -> Result<Invocation> {
    let invocation = app.kept::<Git>().at(app, copy.folder()).await?;
    Ok(invocation
        .env("GIT_OBJECT_DIRECTORY", folder)
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", copy.folder().join("objects")))
}

/// `ID KIND`, unless there is no such object.
fn object(line: &str) -> Option<(ObjectId, &str)> {
    let (id, kind) = line.split_once(' ')?;
    let is_kind = matches!(kind, "commit" | "tag" | "tree" | "blob");
    is_kind.then_some((id.parse().ok()?, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_without_paths() {
        let said = what_is_wrong("fatal: unable to create '/srv/data/x': No space left");
        assert_eq!(said, "the objects are damaged");
        let of_one = "error: object 1234: hasDotgit: contains '.git'\nfatal: fsck error";
        assert_eq!(what_is_wrong(of_one), "object 1234: hasDotgit: contains '.git'");
    }

    #[test]
    fn answers_about_objects_are_read() {
        let id = "a".repeat(40);
        assert_eq!(object(&format!("{id} commit")).map(|(_, kind)| kind), Some("commit"));
        assert_eq!(object(&format!("{id} missing")), None);
        assert_eq!(object("HEAD ambiguous"), None);
    }
}
