//! Releases are made, changed and deleted. Whoever changes one may make its tag.

pub mod evidence;
pub mod links;
pub mod milestones;

use crate::access::{self, Releases};
use crate::model::{CommitSnapshot, MAX_TEXT, Release, name_problem};
use crate::related::Related;
use crate::store::{self, NewRelease};
use crate::tasks::{CollectEvidence, TellRelease};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::http::Patch;
use kernel::ids::Reference;
use kernel::jobs::enqueue_at;
use kernel::time::Timestamp;
use links::{LinkInput, checked_links};
use milestones::Named;
use repositories::edits::{self, NewTag};
use repositories::formats::ref_name::RefName;
use repositories::model::{Ref, Repository};
use repositories::objects::{self, Objects};
use repositories::store::refs;
use serde_json::{Value, json};

kernel::params! {
    /// What can be had with a release.
    #[derive(Default)]
    pub struct AssetsInput {
        /// Links to files and pages.
        pub links: Option<Vec<LinkInput>>,
    }
}

kernel::params! {
    /// A release to be.
    pub struct ReleaseInput {
        /// The tag that it is of.
        pub tag_name: String,
        /// What the tag says, where it is made with the release.
        pub tag_message: Option<String>,
        /// The branch, tag or commit that the tag is made of, where there is none yet.
        pub r#ref as "ref": Option<String>,
        /// What it is called; as its tag unless said.
        pub name: Option<String>,
        /// What there is to say of it, as Markdown.
        pub description: Option<String>,
        /// Titles of the milestones it is for.
        pub milestones: Option<Vec<String>>,
        /// Their ids, in place of titles.
        pub milestone_ids: Option<Vec<i64>>,
        /// When it came out or will; now unless said.
        pub released_at: Option<Timestamp>,
        /// What can be had with it.
        pub assets: Option<AssetsInput>,
    }
}

kernel::params! {
    /// Changes of a release.
    #[derive(Default)]
    pub struct ReleaseChange {
        /// What it is called.
        pub name: Patch<String>,
        /// What there is to say of it, as Markdown.
        pub description: Patch<String>,
        /// When it came out or will.
        pub released_at: Option<Timestamp>,
        /// Titles of the milestones it is for.
        pub milestones: Option<Vec<String>>,
        /// Their ids, in place of titles.
        pub milestone_ids: Option<Vec<i64>>,
    }
}

impl ReleaseChange {
    fn is_empty(&self) -> bool {
        let texts = matches!((&self.name, &self.description), (Patch::Absent, Patch::Absent));
        let named = self.milestones.is_none() && self.milestone_ids.is_none();
        texts && named && self.released_at.is_none()
    }
}

/// 400 with exactly this text.
fn bad(text: impl Into<String>) -> Error {
    Error::Exact(400, json!({"message": text.into()}))
}

/// A refusal whose text and status clients compare, where it is shown to people.
pub fn in_words(error: Error) -> Error {
    match error {
        Error::Exact(400 | 403, body) => {
            Error::BadRequest(body["message"].as_str().unwrap_or_default().to_owned())
        }
        Error::NotFoundText(text) => Error::BadRequest(text),
        other => other,
    }
}

/// A release that may be made, but for its tag.
struct Ready {
    here: Releases,
    repository: Option<Repository>,
    /// Its tag, if that is there.
    tag: Option<Ref>,
    milestones: Vec<i64>,
}

fn ready(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, input: &ReleaseInput,
) -> Result<Ready> {
    let here = access::write(tx, viewer, reference)?;
    let name = tag_name(&input.tag_name)?;
    here.check_tag(tx, viewer, &input.tag_name)?;
    if store::find(tx, here.project.id, &input.tag_name)?.is_some() {
        return Err(exists());
    }
    let named = Named::of(&input.milestones, &input.milestone_ids)?;
    let milestones = milestones::find(tx, &here.project, named)?.unwrap_or_default();
    let repository = here.repository(tx)?;
    let tag = tag(tx, repository.as_ref(), name)?;
    Ok(Ready { here, repository, tag, milestones })
}

fn exists() -> Error {
    Error::Conflict("Release already exists".into())
}

fn tag_name(text: &str) -> Result<RefName> {
    RefName::tag(text).map_err(|_| Error::Unprocessable("Tag name invalid".into()))
}

/// A tag of a project, if it is there.
fn tag(tx: &mut Tx<'_>, repository: Option<&Repository>, name: RefName) -> Result<Option<Ref>> {
    match repository {
        Some(repository) => Ok(refs::some(tx, repository.id, &[name])?.pop()),
        None => Ok(None),
    }
}

/// Makes a release, and its tag if that is not there.
pub async fn create(
    app: &App, viewer: &Viewer, reference: &Reference, input: ReleaseInput,
) -> Result<(Releases, Release)> {
    let name = optional_name(input.name.clone())?;
    let description = text(input.description.clone())?;
    let assets = input.assets.clone().unwrap_or_default();
    let links = checked_links(&assets.links.unwrap_or_default())?;
    let find = {
        let (viewer, reference, input) = (viewer.clone(), reference.clone(), input.clone());
        move |tx: &mut Tx<'_>| ready(tx, &viewer, &reference, &input)
    };
    let mut ready = app.read(find.clone()).await?;
    if ready.tag.is_none() {
        make_tag(app, viewer, &ready.here, &input).await?;
        ready = app.read(find.clone()).await?;
    }
    let commit = match (&ready.repository, &ready.tag) {
        (Some(repository), Some(tag)) => {
            let id = tag.peeled_id.unwrap_or(tag.object_id);
            objects::read(app, repository, move |objects: &Objects| objects.peeled(id)).await?
        }
        _ => return Err(Error::Unprocessable("Tag does not exist".into())),
    };
    let (viewer, commit) = (viewer.clone(), commit.as_ref().map(CommitSnapshot::from));
    app.write(move |tx| {
        let ready = find(tx)?;
        let now = tx.now();
        let new = NewRelease {
            project_id: ready.here.project.id,
            tag: input.tag_name.clone(),
            name: name.clone(),
            description: description.clone(),
            commit: commit.clone(),
            author_id: viewer.user_id(),
            released_at: input.released_at.unwrap_or(now),
            created_at: now,
        };
        let id = store::insert(tx, &new)?.ok_or_else(exists)?;
        store::links::insert(tx, id, &links)?;
        store::milestones::set(tx, id, &ready.milestones)?;
        let release = access::found(store::by_id(tx, id)?)?;
        record(tx, &viewer, "release.create", &release)?;
        comes_out(tx, &ready.here, &release)?;
        if !release.is_historical() {
            enqueue_at(tx, &TellRelease { release: id }, now)?;
        }
        Ok((ready.here, release))
    })
    .await
}

async fn make_tag(app: &App, viewer: &Viewer, here: &Releases, input: &ReleaseInput) -> Result<()> {
    let target = input.r#ref.clone().filter(|target| !target.is_empty());
    let target = target.ok_or_else(|| Error::Unprocessable("Ref is not specified".into()))?;
    let message = input.tag_message.clone();
    let tag = NewTag { name: input.tag_name.clone(), target, message };
    match edits::create_tag(app, viewer, &here.project, &tag).await? {
        Ok(_) => Ok(()),
        Err(refused) => Err(Error::Unprocessable(refused.text)),
    }
}

/// Collects evidence of what came out now, and says when that of a future release is
/// due. What was out before it was written down has none.
fn comes_out(tx: &mut Tx<'_>, here: &Releases, release: &Release) -> Result<()> {
    let now = tx.now();
    if release.is_upcoming(now) {
        return enqueue_at(tx, &CollectEvidence { release: release.id }, release.released_at);
    }
    match release.is_historical() {
        true => Ok(()),
        false => evidence::collect(tx, &here.project, release),
    }
}

/// Changes a release whose tag is there.
pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, tag_name: &str, change: &ReleaseChange,
) -> Result<(Releases, Release)> {
    let here = access::write(tx, viewer, reference)?;
    let absent = |text: &str| Error::NotFoundText(text.to_owned());
    let repository = here.repository(tx)?;
    let name = RefName::tag(tag_name).ok();
    let tag = name.map(|name| tag(tx, repository.as_ref(), name)).transpose()?.flatten();
    tag.ok_or_else(|| absent("Tag does not exist"))?;
    let release = store::find(tx, here.project.id, tag_name)?;
    let mut release = release.ok_or_else(|| absent("Release does not exist"))?;
    check_change(tx, viewer, &here, tag_name)?;
    if change.is_empty() {
        return Err(bad("params is empty"));
    }
    if let Some(name) = change.name.clone().sent() {
        release.name = optional_name(name)?;
    }
    if let Some(sent) = change.description.clone().sent() {
        release.description = text(sent)?;
    }
    let was = release.released_at;
    release.released_at = change.released_at.unwrap_or(was);
    let named = Named::of(&change.milestones, &change.milestone_ids)?;
    if let Some(milestones) = milestones::find(tx, &here.project, named)? {
        store::milestones::set(tx, release.id, &milestones)?;
    }
    store::update(tx, &release)?;
    if release.released_at != was && release.is_upcoming(tx.now()) {
        comes_out(tx, &here, &release)?;
    }
    record(tx, viewer, "release.update", &release)?;
    Ok((here, access::found(store::by_id(tx, release.id)?)?))
}

/// Refuses who may write releases, but not make this tag.
fn check_change(tx: &mut Tx<'_>, viewer: &Viewer, here: &Releases, tag: &str) -> Result<()> {
    match here.check_tag(tx, viewer, tag) {
        Err(Error::Exact(..)) => Err(Error::forbidden("")),
        other => other,
    }
}

/// A release that the viewer may change in parts.
fn to_change(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, tag: &str,
) -> Result<(Releases, Release)> {
    let here = access::write(tx, viewer, reference)?;
    let release = access::found(store::find(tx, here.project.id, tag)?)?;
    check_change(tx, viewer, &here, tag)?;
    store::touch(tx, release.id)?;
    Ok((here, release))
}

/// Deletes a release, and tells what it was; its tag stays.
pub fn destroy(
    tx: &mut Tx<'_>, viewer: &Viewer, reference: &Reference, tag: &str,
) -> Result<(Releases, Release, Related)> {
    let here = access::write(tx, viewer, reference)?;
    let release = access::found(store::find(tx, here.project.id, tag)?)?;
    match here.check_delete(tx, viewer, tag) {
        Err(Error::Exact(..)) => return Err(Error::forbidden("")),
        other => other?,
    }
    let related = Related::load(tx, viewer, std::slice::from_ref(&release))?;
    store::delete(tx, release.id)?;
    record(tx, viewer, "release.destroy", &release)?;
    Ok((here, release, related))
}

fn record(tx: &mut Tx<'_>, viewer: &Viewer, action: &'static str, release: &Release) -> Result<()> {
    let details: Value = json!({"project_id": release.project_id});
    audit::record(tx, viewer, action, ("Release", release.id, &release.tag), details)
}

/// A name that may be left out.
fn optional_name(name: Option<String>) -> Result<Option<String>> {
    let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    match name.as_deref().and_then(name_problem) {
        Some(problem) => Err(Error::invalid("name", problem)),
        None => Ok(name),
    }
}

fn text(text: Option<String>) -> Result<Option<String>> {
    let is_long = |text: &String| text.chars().count() > MAX_TEXT;
    match text.as_ref().is_some_and(is_long) {
        true => {
            let problem = "is too long (maximum is 1000000 characters)";
            Err(Error::invalid("description", problem))
        }
        false => Ok(text),
    }
}
