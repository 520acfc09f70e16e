//! Git fetches from a server into a repository of its own, which has the objects of the
//! project beside it and is gone afterwards. Of the server nothing is believed: how much it
//! sends, and how long it takes, is bounded.

use super::limits::PullLimits;
use super::numbered::{Numbered, number};
use super::plan::Refs;
use crate::access::Pushing;
use crate::cache::{self, Having, LocalCopy};
use crate::formats::commands::Command;
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::git::{Git, PATIENCE};
use crate::mirrors::failure::told;
use crate::mirrors::remote::Remote;
use crate::mirrors::scope::listed;
use crate::on_disk::pieces;
use crate::receive::limits::PushLimits;
use crate::receive::{self, Received};
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::programs::{Invocation, Running};
use kernel::secrets::random_bytes;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::AsyncWriteExt;

/// Bytes of memory that git may take for what a server tells and sends.
const MEMORY: u64 = 2 << 30;
/// Bytes of the list of refs of a server, and of what else it answers.
const LISTED: usize = 32 * 1024 * 1024;
const ANSWER: usize = 1024 * 1024;
/// Refs up to which each is asked for by itself.
const FEW: usize = 1000;
/// How often it is looked how much has come.
const LOOK: Duration = Duration::from_millis(500);
/// Where refs of the server are while they are fetched.
const THERE: &str = "refs/upstream/";

const NOT_THERE: &str = "git could not fetch from there.";
const TOO_MANY: &str = "The server has more branches and tags than are fetched.";
const TOO_MUCH: &str = "The server sends more than this server takes.";
const TOO_SLOW: &str = "The server did not answer in time.";

/// What git is told of the repository.
const SETTINGS: &str = "\
[core]
	repositoryformatversion = 0
	bare = true
	bigFileThreshold = 32m
	packedGitWindowSize = 16m
	packedGitLimit = 256m
	deltaBaseCacheLimit = 32m
[pack]
	threads = 1
	windowMemory = 64m
[gc]
	auto = 0
[maintenance]
	auto = false
";

/// A text for people where something failed.
pub type Told<T = ()> = Result<Result<T, String>>;

/// A folder that is gone when this is dropped.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let folder = std::mem::take(&mut self.0);
        // On its own thread: it may be large, and this is no place to wait.
        std::thread::spawn(move || {
            std::fs::remove_dir_all(folder).best_effort("remove what was fetched");
        });
    }
}

/// A server, and the repository that git fetches into.
pub struct Upstream<'u> {
    app: &'u App,
    remote: &'u Remote,
    limits: PullLimits,
    /// What comes beside branches and tags.
    numbered: Numbered,
    /// Bytes that may come; 0 for any number.
    most: u64,
    folder: Scratch,
    /// Its objects are beside.
    _copy: LocalCopy,
}

impl<'u> Upstream<'u> {
    /// Prepares to fetch for a repository, which has these refs: branches, tags, and others of
    /// these kinds.
    pub async fn open(
        app: &'u App, remote: &'u Remote, (repository, here): (i64, &Refs), numbered: Numbered,
    ) -> Result<Upstream<'u>> {
        let limits: PullLimits = app.settings().get(app).await?;
        let bytes: PushLimits = app.settings().get(app).await?;
        let copy = cache::copy(app, repository, Having::Objects).await?;
        let name = format!("fetch-{}", hex::encode(random_bytes::<16>()));
        let folder = Scratch(cache::root(app).with_file_name("pushes").join(name));
        let (at, objects) = (folder.0.clone(), copy.folder().join("objects"));
        let refs = packed(here);
        let made = tokio::task::spawn_blocking(move || make(&at, &objects, &refs));
        made.await.map_err(Error::internal)?.map_err(Error::of_storage)?;
        let most = bytes.bytes();
        Ok(Upstream { app, remote, limits, numbered, most, folder, _copy: copy })
    }

    /// Begins to start git, which does not talk to the server.
    async fn git(&self) -> Result<Invocation> {
        self.app.kept::<Git>().at(self.app, &self.folder.0).await
    }

    /// Has git talk to the server; what it answered.
    async fn ask<'a>(
        &self, args: impl IntoIterator<Item = &'a str>, input: String,
        (most, patience): (usize, Duration),
    ) -> Told<String> {
        let git = self.remote.git(self.app, &self.folder.0).await?;
        let git = git.args(args).args(["--", self.remote.url.as_str()]).within_memory(MEMORY);
        let asked = tokio::select! {
            asked = git.ask(input.into_bytes(), most, patience) => asked,
            () = self.outgrown() => return Ok(Err(TOO_MUCH.into())),
        };
        let answered = match asked {
            Ok(answered) => answered,
            Err(Error::TooLarge) => return Ok(Err(TOO_MANY.into())),
            Err(Error::Unavailable(_)) => return Ok(Err(TOO_SLOW.into())),
            Err(error) => return Err(error),
        };
        Ok(match answered.ended.succeeded {
            true => Ok(String::from_utf8_lossy(&answered.output).into_owned()),
            false => Err(told(&answered.ended.said, &self.remote.secrets, NOT_THERE)),
        })
    }

    /// Ends once more has come than may.
    async fn outgrown(&self) {
        loop {
            tokio::time::sleep(LOOK).await;
            let folder = self.folder.0.join("objects");
            let size = tokio::task::spawn_blocking(move || bytes_below(&folder)).await;
            if self.most > 0 && size.is_ok_and(|size| size > self.most) {
                return;
            }
        }
    }

    /// The refs there that may come.
    pub async fn refs(&self) -> Told<Refs> {
        let kinds: &[&str] = match self.numbered.is_empty() {
            true => &["ls-remote", "--refs", "--heads", "--tags"],
            false => &["ls-remote", "--refs"],
        };
        let bounds = (LISTED, self.limits.listing());
        let text = match self.ask(kinds.iter().copied(), String::new(), bounds).await? {
            Ok(text) => text,
            Err(text) => return Ok(Err(text)),
        };
        let mut refs = listed(&text);
        refs.retain(|name, _| self.may_come(name));
        match refs.len() > self.limits.refs {
            true => Ok(Err(TOO_MANY.into())),
            false => Ok(Ok(refs)),
        }
    }

    fn may_come(&self, name: &RefName) -> bool {
        let is_usual = name.as_branch().or(name.as_tag()).is_some();
        is_usual || self.numbered.iter().any(|(there, _)| number(there, name).is_some())
    }

    /// The branch that HEAD stands for there, as far as the server says so.
    pub async fn head(&self) -> Result<Option<RefName>> {
        let git = self.remote.git(self.app, &self.folder.0).await?;
        let git = git.args(["ls-remote", "--symref", "--", self.remote.url.as_str(), "HEAD"]);
        let asked = git.within_memory(MEMORY).ask(Vec::new(), ANSWER, self.limits.listing());
        let Ok(answered) = asked.await else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&answered.output).into_owned();
        Ok(text.lines().find_map(head))
    }

    /// Fetches these; where they point, those of them that are there still.
    pub async fn fetch(&self, wanted: &[RefName]) -> Told<Refs> {
        let args = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--no-recurse-submodules",
            "--stdin",
        ];
        let bounds = (ANSWER, self.limits.fetching());
        if let Err(text) = self.ask(args, refspecs(wanted, self.numbered), bounds).await? {
            return Ok(Err(text));
        }
        let format = "--format=%(objectname)%09refs/%(refname:lstrip=2)";
        let asking = self.git().await?.args(["for-each-ref", format, THERE]);
        let answered = asking.ask(Vec::new(), LISTED, PATIENCE).await?;
        answered.ended.check("git for-each-ref")?;
        let mut found = listed(&String::from_utf8_lossy(&answered.output));
        found.retain(|name, _| wanted.binary_search(name).is_ok());
        Ok(Ok(found))
    }

    /// Whether an object leads to another, or is it.
    pub async fn follows(&self, old: ObjectId, new: ObjectId) -> Result<bool> {
        let args = ["merge-base".to_owned(), "--is-ancestor".to_owned()];
        let asking = self.git().await?.args(args).args([old.to_string(), new.to_string()]);
        Ok(asking.ask(Vec::new(), 1024, PATIENCE).await?.ended.succeeded)
    }

    /// Has the objects come that these commands need, apart from what is here.
    pub async fn gather(
        &self, to: &Pushing, commands: Vec<Command>, here: &Refs,
    ) -> Result<Received> {
        let new: Vec<ObjectId> = commands.iter().map(|one| one.new).collect();
        let mut packing = self.pack(&new, here).await?;
        let pack = packing.stdout().ok_or_else(|| Error::internal("git answers nothing"))?;
        let pack = Box::pin(pieces(pack, |_| {}));
        receive::gather(self.app, to, commands, pack).await
    }

    /// Has git pack what these need and the project lacks.
    async fn pack(&self, new: &[ObjectId], here: &Refs) -> Result<Running> {
        let mut revisions = String::new();
        for id in new {
            let _ = writeln!(revisions, "{id}");
        }
        for id in here.values() {
            let _ = writeln!(revisions, "^{id}");
        }
        let packing = self.git().await?.args([
            "pack-objects",
            "--revs",
            "--stdout",
            "--quiet",
            "--delta-base-offset",
        ]);
        let mut running = packing.start()?;
        if let Some(mut stdin) = running.stdin() {
            stdin.write_all(revisions.as_bytes()).await?;
            stdin.shutdown().await?;
        }
        Ok(running)
    }
}

/// What git is told to fetch.
fn refspecs(wanted: &[RefName], numbered: Numbered) -> String {
    let kinds = numbered.iter().map(|(there, _)| *there);
    let names: Vec<&str> = match wanted.len() > FEW {
        true => ["refs/heads/*", "refs/tags/*"].into_iter().chain(kinds).collect(),
        false => wanted.iter().map(RefName::as_str).collect(),
    };
    let line = |name: &&str| {
        let rest = name.strip_prefix("refs/")?;
        Some(format!("+{name}:{THERE}{rest}\n"))
    };
    names.iter().filter_map(line).collect()
}

/// `ref: refs/heads/main`, and what it is of.
fn head(line: &str) -> Option<RefName> {
    let name = line.strip_prefix("ref: ")?.strip_suffix("\tHEAD")?;
    name.parse().ok().filter(|name: &RefName| name.as_branch().is_some())
}

/// Refs as git has them in a file: what the server need not send again.
fn packed(refs: &Refs) -> String {
    let mut lines: Vec<String> = refs.iter().map(|(name, id)| format!("{id} {name}\n")).collect();
    lines.sort_unstable();
    lines.concat()
}

/// Makes an empty repository beside the objects of another.
fn make(folder: &Path, objects: &Path, refs: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(folder.join("objects/info"))?;
    std::fs::create_dir_all(folder.join("objects/pack"))?;
    std::fs::create_dir_all(folder.join("refs"))?;
    let beside = format!("{}\n", objects.display());
    std::fs::write(folder.join("objects/info/alternates"), beside)?;
    std::fs::write(folder.join("config"), SETTINGS)?;
    std::fs::write(folder.join("packed-refs"), refs)?;
    std::fs::write(folder.join("HEAD"), "ref: refs/heads/main\n")
}

fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| {
        let kind = entry.file_type().ok()?;
        match kind.is_dir() {
            true => Some(bytes_below(&entry.path())),
            false => Some(entry.metadata().ok()?.len()),
        }
    });
    sizes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<RefName> {
        (0..count).map(|n| RefName::branch(&format!("b{n}")).expect("a name")).collect()
    }

    #[test]
    fn few_are_asked_for_one_by_one_and_many_at_once() {
        let said = refspecs(&names(2), &[]);
        assert_eq!(
            said,
            "+refs/heads/b0:refs/upstream/heads/b0\n+refs/heads/b1:refs/upstream/heads/b1\n"
        );
        let usual = "+refs/heads/*:refs/upstream/heads/*\n+refs/tags/*:refs/upstream/tags/*\n";
        assert_eq!(refspecs(&names(FEW + 1), &[]), usual);
        const MORE: Numbered = &[("refs/pull/*/head", "refs/merge-requests/*/head")];
        let also = "+refs/pull/*/head:refs/upstream/pull/*/head\n";
        assert_eq!(refspecs(&names(FEW + 1), MORE), format!("{usual}{also}"));
    }

    #[test]
    fn the_branch_of_a_head_is_read() {
        let branch = RefName::branch("next").ok();
        assert_eq!(head("ref: refs/heads/next\tHEAD"), branch);
        for line in ["abc\tHEAD", "ref: refs/heads/next\trefs/x/HEAD", "ref: refs/tags/v\tHEAD"] {
            assert_eq!(head(line), None, "{line}");
        }
    }
}
