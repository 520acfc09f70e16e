//! What is due later: evidence of releases that come out, mail about new ones, and the
//! commits of those that came from elsewhere.

use crate::access;
use crate::model::{CommitSnapshot, Release};
use crate::rules::evidence;
use crate::store;
use crate::tasks::{CollectEvidence, FindCommits, TellRelease, TellReleaseTo};
use ::store::Tx;
use identity::entities::load_basic;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::ids::Reference;
use kernel::jobs::{Failure, Job, RegistryBuilder, Run, enqueue_at};
use kernel::mail::{Message, Thread};
use planning::mail::{Announcement, called, deliver};
use planning::notifications::recipients::{asked_for, gets_mail};
use planning::notifications::rules::address_for;
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects::{self, Objects};
use repositories::store::refs;
use spaces::access::find_project;
use spaces::model::Project;
use std::collections::HashMap;

/// What people ask for who are told of releases.
const EVENT: &str = "new_release";
/// Releases whose commits are looked for at once.
const BATCH: i64 = 100;

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<CollectEvidence>();
    registry.add::<TellRelease>();
    registry.add::<TellReleaseTo>();
    registry.add::<FindCommits>();
}

impl Job for CollectEvidence {
    const NAME: &'static str = "releases.collect_evidence";

    async fn run(self, run: Run) -> Result<(), Failure> {
        Ok(run.app.write(move |tx| collect(tx, self.release)).await?)
    }
}

/// One that was put off has a job of its own for the other day, and one that has
/// evidence needs no more.
fn collect(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let Some(release) = store::by_id(tx, id)? else {
        return Ok(());
    };
    let is_due = !release.is_upcoming(tx.now());
    if !is_due || !store::evidences::of_releases(tx, &[id])?.is_empty() {
        return Ok(());
    }
    match find_project(tx, &Reference::Id(release.project_id))? {
        Some(project) => evidence::collect(tx, &project, &release),
        None => Ok(()),
    }
}

/// A release and its project, if they are still there.
fn found(tx: &mut Tx<'_>, id: i64) -> Result<Option<(Project, Release)>> {
    let Some(release) = store::by_id(tx, id)? else {
        return Ok(None);
    };
    let project = find_project(tx, &Reference::Id(release.project_id))?;
    Ok(project.map(|project| (project, release)))
}

impl Job for TellRelease {
    const NAME: &'static str = "releases.tell";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let id = self.release;
        let told = run.app.read(move |tx| match found(tx, id)? {
            Some((project, release)) => asked_for(tx, &project, EVENT, release.author_id),
            None => Ok(Vec::new()),
        });
        let (users, app) = (told.await?, run.app.clone());
        app.write(move |tx| {
            let now = tx.now();
            match run.end(tx)? {
                true => users.iter().try_for_each(|user| {
                    enqueue_at(tx, &TellReleaseTo { release: id, user: *user }, now)
                }),
                false => Ok(()),
            }
        })
        .await?;
        Ok(())
    }
}

impl Job for TellReleaseTo {
    const NAME: &'static str = "releases.tell_one";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let app = run.app.clone();
        match run.app.read(move |tx| mail(&app, tx, &self)).await? {
            Some((message, thread)) => deliver(&run.app, message, thread).await,
            None => Ok(()),
        }
    }
}

/// The mail to one of them, as far as they see releases there.
fn mail(app: &App, tx: &mut Tx<'_>, job: &TellReleaseTo) -> Result<Option<(Message, Thread)>> {
    let Some((project, release)) = found(tx, job.release)? else {
        return Ok(None);
    };
    let people: Vec<i64> = [Some(job.user), release.author_id].into_iter().flatten().collect();
    let users = load_basic(tx, &people)?;
    let Some(to) = users.get(&job.user).filter(|user| gets_mail(user)) else {
        return Ok(None);
    };
    let viewer = Viewer::addressed(to.clone());
    let here = match access::read(tx, &viewer, &Reference::Id(project.id)) {
        Err(Error::NotFound(_) | Error::Forbidden(_)) => return Ok(None),
        here => here?,
    };
    let (name, page) = match here.reads_code {
        true => (release.name().to_owned(), release.path()),
        false => (release.name_without_tag(), "/-/releases".to_owned()),
    };
    let actor = release.author_id.and_then(|id| users.get(&id));
    let announcement = Announcement {
        subject: format!("{} | New release: {name}", project.name),
        happened: format!("{} made the release {name} of {}", called(actor), project.full_path),
        link: app.url(&format!("/{}{page}", project.full_path)),
        reason: "you asked to be told of releases",
    };
    let address = address_for(tx, to, &project)?;
    announcement.letter(app, address, actor, &project).map(Some)
}

impl Job for FindCommits {
    const NAME: &'static str = "releases.find_commits";

    fn dedupe_key(&self) -> Option<String> {
        Some(self.project.to_string())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        let (app, project) = (run.app, self.project);
        let mut after = 0;
        while let Some(lacking) = app.read(move |tx| Lacking::read(tx, project, after)).await? {
            after = lacking.last;
            let wanted = lacking.tags;
            let find = move |objects: &Objects| {
                let found = wanted.iter().map(|(release, id)| {
                    let commit = objects.peeled(*id)?;
                    Ok::<_, Error>(commit.map(|it| (*release, CommitSnapshot::from(&it))))
                });
                found.filter_map(Result::transpose).collect::<Result<Vec<_>>>()
            };
            let found = objects::read(&app, &lacking.repository, find).await?;
            let note = move |tx: &mut Tx<'_>| {
                found.iter().try_for_each(|(id, commit)| store::set_commit(tx, *id, commit))
            };
            app.write(note).await?;
        }
        Ok(())
    }
}

/// Some releases whose commits are not known.
struct Lacking {
    repository: Repository,
    /// The id of the last of them.
    last: i64,
    /// What the tags of those lead to that have one.
    tags: Vec<(i64, ObjectId)>,
}

impl Lacking {
    fn read(tx: &mut Tx<'_>, project: i64, after: i64) -> Result<Option<Lacking>> {
        let Some(repository) =
            repositories::store::of_project(tx, project, RepositoryKind::Project)?
        else {
            return Ok(None);
        };
        let releases = store::without_commit(tx, project, after, BATCH)?;
        let Some(last) = releases.last().map(|(id, _)| *id) else {
            return Ok(None);
        };
        let names: Vec<RefName> =
            releases.iter().filter_map(|(_, tag)| RefName::tag(tag).ok()).collect();
        let there: HashMap<RefName, ObjectId> = refs::some(tx, repository.id, &names)?
            .into_iter()
            .map(|one| (one.name, one.peeled_id.unwrap_or(one.object_id)))
            .collect();
        let tags = releases.into_iter().filter_map(|(id, tag)| {
            let name = RefName::tag(&tag).ok()?;
            Some((id, *there.get(&name)?))
        });
        Ok(Some(Lacking { last, tags: tags.collect(), repository }))
    }
}
