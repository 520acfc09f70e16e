//! What was fetched becomes part of a project, by the way of pushes.

use super::SEALS;
use super::fetching::{Told, Upstream};
use super::model::PullMirror;
use super::plan::{Plan, Refs, plan};
use crate::access::Pushing;
use crate::edits::command;
use crate::formats::commands::Command;
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::git::Git;
use crate::lfs::bringing::{self, Left, Origin};
use crate::mirrors::failure::{clean, list};
use crate::mirrors::remote::Remote;
use crate::mirrors::scope::Scope;
use crate::model::{Repository, RepositoryKind};
use crate::receive::{self, Landed, Received};
use crate::store::{self, refs};
use ::store::Tx;
use kernel::app::App;
use kernel::error::{Found, Result};
use spaces::model::Project;

/// A run that has begun.
#[derive(Clone)]
pub struct Begun {
    pub mirror: PullMirror,
    pub project: Project,
    /// Where it goes, or why it may not.
    pub to: Result<Pushing, String>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Done {
    /// What went wrong, in words for who maintains the project.
    pub failure: Option<String>,
    /// What was left as it was, in such words.
    pub left: Option<String>,
    /// What the server is known by over SSH.
    pub host_keys: Vec<String>,
}

/// Has a project follow its mirror's repository.
pub async fn follow(app: &App, begun: &Begun) -> Result<Done> {
    let failed = |text: String| Ok(Done { failure: Some(text), ..Done::default() });
    let to = match &begun.to {
        Ok(to) => to,
        Err(text) => return failed(text.clone()),
    };
    let remote = match Remote::open(app, &begun.mirror.server, &SEALS).await? {
        Ok(remote) => remote,
        Err(text) => return failed(text),
    };
    let brought = bring(app, begun, to, &remote).await?;
    let host_keys = remote.host_keys().await;
    Ok(match brought {
        Ok(left) => Done { left: left.told(&remote.secrets), host_keys, failure: None },
        Err(text) => Done { failure: Some(text), host_keys, left: None },
    })
}

/// What there is here.
struct Here {
    repository: Repository,
    refs: Refs,
    scope: Scope,
}

impl Here {
    fn read(tx: &mut Tx<'_>, mirror: &PullMirror, project: &Project) -> Result<Here> {
        let repository = store::of_project(tx, project.id, RepositoryKind::Project)?;
        let repository = repository.found("Repository")?;
        let kinds = ["refs/heads/".to_owned(), "refs/tags/".to_owned()];
        let refs = refs::beginning(tx, repository.id, &kinds)?;
        let only = mirror.only_protected_branches.unwrap_or(false);
        let pattern = mirror.mirror_branch_regex.as_deref();
        Ok(Here {
            scope: Scope::read(tx, project, &repository, only, pattern)?,
            refs: refs.into_iter().map(|it| (it.name, it.object_id)).collect(),
            repository,
        })
    }

    fn has_branches(&self) -> bool {
        self.refs.keys().any(|name| name.as_branch().is_some())
    }

    /// The default branch, if it is there.
    fn default_branch(&self) -> Option<&RefName> {
        Some(&self.repository.head).filter(|name| self.refs.contains_key(name))
    }
}

/// What was left as it was.
#[derive(Default)]
struct Stayed {
    diverged: Vec<RefName>,
    refused: Vec<RefName>,
    /// Why some did not move.
    kept: Vec<(RefName, String)>,
    files: Left,
}

impl Stayed {
    fn told(&self, secrets: &[String]) -> Option<String> {
        let names = |refs: &[RefName]| list(refs.iter().map(RefName::to_string));
        let mut sentences = Vec::new();
        if !self.diverged.is_empty() {
            let refs = names(&self.diverged);
            sentences.push(format!("Some branches have diverged and were not updated: {refs}"));
        }
        if !self.refused.is_empty() {
            let refs = names(&self.refused);
            sentences.push(format!("Some refs have names that are not taken here: {refs}"));
        }
        if !self.kept.is_empty() {
            let one = |(name, why): &(RefName, String)| format!("{name} ({why})");
            let refs = list(self.kept.iter().map(one));
            sentences.push(format!("Some refs could not be updated: {refs}"));
        }
        if let Some(why) = &self.files.why {
            let count = self.files.count;
            sentences.push(format!("Large files that could not be brought: {count}, as {why}"));
        }
        match sentences.is_empty() {
            true => None,
            false => Some(clean(&sentences.join(". "), secrets)),
        }
    }
}

async fn bring(app: &App, begun: &Begun, to: &Pushing, remote: &Remote) -> Told<Stayed> {
    let (mirror, project) = (begun.mirror.clone(), begun.project.clone());
    let here = app.read(move |tx| Here::read(tx, &mirror, &project)).await?;
    let seat = app.kept::<Git>().seat().await?;
    let upstream = Upstream::open(app, remote, (to.repository_id, &here.refs), &[]).await?;
    let there = match upstream.refs().await? {
        Ok(there) => there,
        Err(text) => return Ok(Err(text)),
    };
    let Plan { wanted, refused } = plan(&here.refs, &there, &here.scope, here.default_branch());
    let mut stayed = Stayed { refused, ..Stayed::default() };
    if wanted.is_empty() {
        return Ok(Ok(stayed));
    }
    if !here.has_branches() {
        begin_with(app, begun, to, upstream.head().await?).await?;
    }
    let fetched = match upstream.fetch(&wanted).await? {
        Ok(fetched) => fetched,
        Err(text) => return Ok(Err(text)),
    };
    let overwrites = begun.mirror.overwrites_diverged_branches;
    let mut commands = Vec::new();
    for name in wanted {
        let Some(new) = fetched.get(&name).copied() else {
            continue;
        };
        let old = here.refs.get(&name).copied().unwrap_or(ObjectId::ZERO);
        let is_kept = !overwrites && name.as_branch().is_some() && !old.is_zero();
        if old == new {
            continue;
        }
        match is_kept && !upstream.follows(old, new).await? {
            true => stayed.diverged.push(name),
            false => commands.push(command(name, old, new)),
        }
    }
    // The next takes one of its own.
    drop(seat);
    match commands.is_empty() {
        true => Ok(Ok(stayed)),
        false => take(app, begun, (to, remote), (&upstream, &here.refs), commands, stayed).await,
    }
}

/// A repository that nothing was pushed to begins with the branch that stands first there,
/// unless the project wishes for another.
async fn begin_with(app: &App, begun: &Begun, to: &Pushing, head: Option<RefName>) -> Result<()> {
    let Some(head) = head.filter(|_| begun.project.default_branch.is_none()) else {
        return Ok(());
    };
    let id = to.repository_id;
    app.write(move |tx| store::set_head(tx, id, &head)).await
}

async fn take(
    app: &App, begun: &Begun, (to, remote): (&Pushing, &Remote),
    (upstream, here): (&Upstream<'_>, &Refs), commands: Vec<Command>, mut stayed: Stayed,
) -> Told<Stayed> {
    let names: Vec<RefName> = commands.iter().filter_map(|one| one.name.clone()).collect();
    let received = upstream.gather(to, commands, here).await?;
    stayed.files = large_files(app, &begun.project, remote, &received).await?;
    Ok(settled(app, to, &received, names).await?.map(|kept| Stayed { kept, ..stayed }))
}

/// Makes what has come a part of the repository; the refs that stay as they are, each with
/// the reason.
pub(super) async fn settled(
    app: &App, to: &Pushing, received: &Received, names: Vec<RefName>,
) -> Told<Vec<(RefName, String)>> {
    let results = match receive::settle(app, to, received).await? {
        Landed::Refs(results) => results,
        Landed::Refused(text) => return Ok(Err(text)),
        Landed::BadObjects(text) => {
            return Ok(Err(format!("What the server sent is not taken: {text}.")));
        }
    };
    let each = names.into_iter().zip(results);
    Ok(Ok(each.filter_map(|(name, result)| Some((name, result.err()?))).collect()))
}

/// Brings the large files that new objects lead to. What cannot be brought does not keep
/// anything else.
async fn large_files(
    app: &App, project: &Project, remote: &Remote, received: &Received,
) -> Result<Left> {
    let is_http = matches!(remote.url.scheme(), "http" | "https");
    match received.objects() {
        Some(quarantine) if is_http && project.lfs_enabled => {
            let authorization = remote.authorization.as_deref();
            let from = Origin { url: &remote.url, authorization };
            bringing::bring(app, project.id, quarantine, from).await
        }
        _ => Ok(Left::default()),
    }
}
