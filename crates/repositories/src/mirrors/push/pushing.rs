//! Git pushes to a mirror what it lacks: it is asked for its refs, and told of those that
//! differ.

use super::SEALS;
use super::model::RemoteMirror;
use super::plan::{Plan, plan};
use super::rejected::Rejected;
use crate::cache::{self, Having, LocalCopy};
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::git::{Git, PATIENCE};
use crate::mirrors::failure;
use crate::mirrors::remote::Remote;
use crate::mirrors::scope::{Scope, listed};
use crate::model::{Repository, RepositoryKind};
use crate::store::{self, refs};
use ::store::Tx;
use kernel::app::App;
use kernel::error::Result;
use spaces::model::Project;
use std::collections::HashMap;
use std::time::Duration;

/// How long git may take to push.
const PUSHING: Duration = Duration::from_secs(1800);
/// Bytes of the list of refs of a mirror, and of what is told of a push.
const LISTED: usize = 32 * 1024 * 1024;
const ANSWER: usize = 1024 * 1024;
/// Refs of one push.
const AT_ONCE: usize = 200;

/// What came of it.
#[derive(Debug, Default)]
pub struct Done {
    /// What went wrong, in words for who maintains the project.
    pub failure: Option<String>,
    /// What the server is known by over SSH.
    pub host_keys: Vec<String>,
}

/// What there is here.
struct Source {
    repository: Repository,
    refs: Vec<(RefName, ObjectId)>,
    scope: Scope,
}

/// Has a mirror be like the code of its project.
pub async fn push(app: &App, mirror: RemoteMirror, project: Project) -> Result<Done> {
    let remote = match Remote::open(app, &mirror.server, &SEALS).await? {
        Ok(remote) => remote,
        Err(text) => return Ok(Done { failure: Some(text), host_keys: Vec::new() }),
    };
    let keeps = mirror.keep_divergent_refs;
    let read = app.read(move |tx| source(tx, &mirror, &project)).await?;
    // Nothing is taken from a mirror of what is empty.
    let Some(source) = read.filter(|source| !source.refs.is_empty()) else {
        return Ok(Done::default());
    };
    let _seat = app.kept::<Git>().seat().await?;
    let copy = cache::copy(app, source.repository.id, Having::Objects).await?;
    let pusher = Pusher { app, remote: &remote, copy: &copy, keeps };
    let failure = pusher.follow(&source).await?.err();
    Ok(Done { failure, host_keys: remote.host_keys().await })
}

fn source(tx: &mut Tx<'_>, mirror: &RemoteMirror, project: &Project) -> Result<Option<Source>> {
    let Some(repository) = store::of_project(tx, project.id, RepositoryKind::Project)? else {
        return Ok(None);
    };
    let kinds = ["refs/heads/".to_owned(), "refs/tags/".to_owned()];
    let refs = refs::beginning(tx, repository.id, &kinds)?;
    let (only, pattern) = (mirror.only_protected_branches, mirror.mirror_branch_regex.as_deref());
    let scope = Scope::read(tx, project, &repository, only, pattern)?;
    let refs = refs.into_iter().map(|it| (it.name, it.object_id)).collect();
    Ok(Some(Source { repository, refs, scope }))
}

struct Pusher<'p> {
    app: &'p App,
    remote: &'p Remote,
    copy: &'p LocalCopy,
    /// What went another way there stays.
    keeps: bool,
}

/// A text for people where something failed.
type Told = Result<Result<(), String>>;

impl Pusher<'_> {
    async fn follow(&self, source: &Source) -> Told {
        let there = match self.list().await? {
            Ok(there) => there,
            Err(text) => return Ok(Err(text)),
        };
        let Plan { put, gone } = plan(&source.refs, &there, &source.scope);
        let (mut rejected, mut said) = (Rejected::default(), String::new());
        let force = if self.keeps { "" } else { "+" };
        let put = put.iter().map(|(name, id)| format!("{force}{id}:{name}"));
        let gone = self.going(gone, &mut rejected).await?;
        let gone = gone.iter().map(|name| format!(":{name}"));
        // Apart, since a server may refuse all of a push for one ref that it keeps.
        for refs in [put.collect::<Vec<_>>(), gone.collect()] {
            for refs in refs.chunks(AT_ONCE) {
                match self.send(refs, &mut rejected).await? {
                    Ok(more) => said.push_str(&more),
                    Err(text) => return Ok(Err(text)),
                }
            }
        }
        Ok(rejected.told(&said, &self.remote.secrets).map_or(Ok(()), Err))
    }

    /// What git said, for people.
    fn told(&self, said: &str) -> String {
        failure::told(said, &self.remote.secrets, "git could not push there.")
    }

    /// The branches and tags there.
    async fn list(&self) -> Result<Result<HashMap<RefName, ObjectId>, String>> {
        let asking = self.remote.git(self.app, self.copy.folder()).await?;
        let asking = asking.args(["ls-remote", "--heads", "--tags", "--refs", "--"]);
        let asking = asking.args([self.remote.url.as_str()]);
        let answered = asking.ask(Vec::new(), LISTED, PATIENCE).await?;
        match answered.ended.succeeded {
            true => Ok(Ok(listed(&String::from_utf8_lossy(&answered.output)))),
            false => Ok(Err(self.told(&answered.ended.said))),
        }
    }

    /// Those of the refs that are gone here which shall go there: where divergent ones
    /// stay, a ref that leads to what was never here is one.
    async fn going(
        &self, gone: Vec<(RefName, ObjectId)>, rejected: &mut Rejected,
    ) -> Result<Vec<RefName>> {
        if !self.keeps || gone.is_empty() {
            return Ok(gone.into_iter().map(|(name, _)| name).collect());
        }
        let asked: String = gone.iter().map(|(_, id)| format!("{id}\n")).collect();
        let most = asked.len() * 2 + 64;
        let asking = self.app.kept::<Git>().at(self.app, self.copy.folder()).await?;
        let asking = asking.args(["cat-file", "--batch-check=%(objectname) %(objecttype)"]);
        let answered = asking.ask(asked.into_bytes(), most, PATIENCE).await?;
        answered.ended.check("git cat-file")?;
        let answer = String::from_utf8_lossy(&answered.output).into_owned();
        let mut going = Vec::new();
        for ((name, _), line) in gone.into_iter().zip(answer.lines()) {
            match line.ends_with(" missing") {
                true => rejected.kept(&name),
                false => going.push(name),
            }
        }
        Ok(going)
    }

    /// Pushes these refs; what the server said.
    async fn send(
        &self, refs: &[String], rejected: &mut Rejected,
    ) -> Result<Result<String, String>> {
        let pushing = self.remote.git(self.app, self.copy.folder()).await?;
        let pushing = pushing.args(["push", "--porcelain", "--quiet", "--no-verify", "--"]);
        let pushing = pushing.args([self.remote.url.as_str()]).args(refs);
        let answered = pushing.ask(Vec::new(), ANSWER, PUSHING).await?;
        let before = rejected.diverged.len() + rejected.refused.len();
        rejected.read(&String::from_utf8_lossy(&answered.output));
        let is_told = rejected.diverged.len() + rejected.refused.len() > before;
        match answered.ended.succeeded || is_told {
            true => Ok(Ok(answered.ended.said)),
            false => Ok(Err(self.told(&answered.ended.said))),
        }
    }
}
