//! REST of what differs in a merge request.

use super::limits::DiffLimits;
use super::reading::{Extent, Pair, Reading, read};
use super::shown::{Opening, Style, entities, entity, ordered};
use super::{RawForm, raw};
use crate::access;
use crate::entity::versions::{VersionEntity, version};
use crate::entity::{SingleEntity, single};
use crate::model::{MergeRequest, Version, VersionState};
use crate::rest::{ONE, OnePath};
use crate::store::versions;
use ::store::Tx;
use code::diff::generated::{self, Generated};
use code::entity::{CommitDiff, CommitEntity};
use identity::Caller;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Flat, Ok200, Paged, Paging, Params, Response, Routes};
use repositories::diffs::Diffs;
use repositories::formats::object_id::ObjectId;
use repositories::model::{Repository, RepositoryKind};
use repositories::objects;
use repositories::store::refs;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::model::Project;
use std::sync::Arc;

/// Where what differs in a merge request is asked for.
pub fn routes(r: &mut Routes) {
    let one = |rest: &str| format!("{ONE}{rest}");
    r.get(&one("/changes"), changes)
        .summary("Shows a merge request and what it changes");
    r.get(&one("/diffs"), list).summary("Lists what a merge request changes");
    r.get(&one("/raw_diffs"), raw_diffs)
        .summary("Answers with what a merge request changes, as git writes it");
    r.get(&one("/versions/{version_id}"), show_version)
        .summary("Shows a version of a merge request and what it changes");
}

kernel::params! {
    /// How texts are written.
    struct Written {
        /// With the two names before each difference.
        pub unidiff: Option<bool>,
        /// Without changes of how much white space there is.
        pub w: Option<bool>,
    }
}

kernel::params! {
    struct AskChanges {
        pub at: Flat<OnePath>,
        /// All that differs, without the usual limits.
        pub access_raw_diffs: Option<bool>,
        pub written: Flat<Written>,
    }
}

kernel::params! {
    struct AskDiffs {
        pub at: Flat<OnePath>,
        pub written: Flat<Written>,
    }
}

kernel::params! {
    struct OneVersion {
        pub at: Flat<OnePath>,
        /// The version.
        pub version_id: i64,
        /// With the two names before each difference.
        pub unidiff: Option<bool>,
    }
}

impl Written {
    fn reading(&self, extent: Extent) -> Reading {
        Reading { extent, ignores_space: self.w == Some(true) }
    }
}

/// A merge request, and what it changes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MergeRequestChanges")]
struct ChangesEntity {
    #[serde(flatten)]
    request: SingleEntity,
    changes: Vec<CommitDiff>,
    /// There is more than is shown.
    overflow: bool,
}

/// A version of a merge request by itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MergeRequestVersionDetail")]
struct VersionDetail {
    #[serde(flatten)]
    version: VersionEntity,
    /// The newest first.
    commits: Vec<CommitEntity>,
    diffs: Vec<CommitDiff>,
}

/// A merge request of somebody who may see it, and where its files are.
struct Subject {
    project: Project,
    request: MergeRequest,
    repository: Repository,
    version: Option<Version>,
    /// Where the default branch is, which says what files are.
    default: Option<ObjectId>,
    /// The commits of the version, where they were asked for.
    commits: Vec<ObjectId>,
}

impl Subject {
    /// With its newest version.
    async fn newest(by: &Caller, at: OnePath) -> Result<Subject> {
        let viewer = by.viewer.clone();
        by.app
            .read(move |tx| {
                let (project, request) = access::readable(tx, &viewer, &at.id, at.iid)?;
                let version = versions::latest(tx, request.id)?;
                Subject::of(tx, project, request, version, Vec::new())
            })
            .await
    }

    /// With a version, and the names of its commits.
    async fn at_version(by: &Caller, at: OnePath, id: i64) -> Result<(Subject, Version)> {
        let viewer = by.viewer.clone();
        by.app
            .read(move |tx| {
                let (project, request) = access::readable(tx, &viewer, &at.id, at.iid)?;
                let version = versions::by_id(tx, request.id, id)?.found("")?;
                let commits = versions::commits(tx, version.id)?;
                let of = Some(version.clone());
                Ok((Subject::of(tx, project, request, of, commits)?, version))
            })
            .await
    }

    fn of(
        tx: &mut Tx<'_>, project: Project, request: MergeRequest, version: Option<Version>,
        commits: Vec<ObjectId>,
    ) -> Result<Subject> {
        let repository = repositories::store::of_project(tx, project.id, RepositoryKind::Project)?
            .found("Repository")?;
        let default = refs::current(tx, repository.id, &[&repository.head])?;
        let default = default.get(&repository.head).copied();
        Ok(Subject { project, request, repository, version, default, commits })
    }

    /// What differs; nothing before the first version, and once the files of a version are
    /// gone.
    async fn diffs(&self, app: &App, reading: Reading) -> Result<Arc<Diffs>> {
        let has_files = |version: &&Version| version.state != VersionState::WithoutFiles;
        let Some(version) = self.version.as_ref().filter(has_files) else {
            return Ok(Arc::default());
        };
        let (old, new) = (version.base_id, version.head_id);
        read(app, Pair { repository: self.repository.id, old, new }, reading).await
    }

    async fn generated(&self, app: &App) -> Result<Generated> {
        match self.default {
            Some(commit) => generated::of(app, &self.repository, commit).await,
            None => Ok(Generated::default()),
        }
    }

    /// All that differs, as clients see it; also whether there is more.
    async fn shown(
        &self, app: &App, reading: Reading, (opening, unidiff): (Opening, bool),
    ) -> Result<(Vec<CommitDiff>, bool)> {
        let diffs = self.diffs(app, reading).await?;
        let overflow = diffs.overflow;
        let generated = self.generated(app).await?;
        let made = tokio::task::spawn_blocking(move || {
            entities(&diffs, opening, Style { unidiff, generated: &generated })
        });
        Ok((made.await.map_err(Error::internal)?, overflow))
    }
}

async fn changes(by: Caller, asked: Params<AskChanges>) -> Result<Ok200<ChangesEntity>> {
    let Params(AskChanges { at, access_raw_diffs, written }) = asked;
    let subject = Subject::newest(&by, at.0).await?;
    let limits: DiffLimits = by.app.settings().get(&by.app).await?;
    let (extent, opening) = match access_raw_diffs {
        Some(true) => (Extent::Whole, Opening::All),
        _ => (Extent::Limited, Opening::Some(limits)),
    };
    let style = (opening, written.unidiff == Some(true));
    let (changes, overflow) = subject.shown(&by.app, written.reading(extent), style).await?;
    let Subject { project, request, .. } = subject;
    let request = single(&by.app, &by.viewer, &project, request).await?;
    Ok(Ok200(ChangesEntity { request, changes, overflow }))
}

async fn list(by: Caller, asked: Params<AskDiffs>, paging: Paging) -> Result<Paged<CommitDiff>> {
    let Params(AskDiffs { at, written }) = asked;
    let subject = Subject::newest(&by, at.0).await?;
    let diffs = subject.diffs(&by.app, written.reading(Extent::Limited)).await?;
    let generated = subject.generated(&by.app).await?;
    let unidiff = written.unidiff == Some(true);
    let made = tokio::task::spawn_blocking(move || page(&diffs, &generated, unidiff, paging));
    made.await.map_err(Error::internal)
}

fn page(diffs: &Diffs, generated: &Generated, unidiff: bool, paging: Paging) -> Paged<CommitDiff> {
    let files = ordered(diffs);
    let total = i64::try_from(files.len()).unwrap_or(i64::MAX);
    let skipped = usize::try_from(paging.offset()).unwrap_or(usize::MAX);
    let most = usize::try_from(paging.per_page).unwrap_or_default();
    let style = Style { unidiff, generated };
    let here = files.into_iter().skip(skipped).take(most);
    Paged::part(here.map(|file| entity(file, false, style)).collect(), paging, total)
}

async fn raw_diffs(by: Caller, asked: Params<OnePath>) -> Result<Response> {
    let subject = Subject::newest(&by, asked.0).await?;
    let version = subject.version.found("")?;
    let (base, head) = (version.base_id, version.head_id);
    raw(&by.app, subject.repository.id, base, head, RawForm::Plain).await
}

async fn show_version(by: Caller, asked: Params<OneVersion>) -> Result<Ok200<VersionDetail>> {
    let Params(OneVersion { at, version_id, unidiff }) = asked;
    let (subject, found) = Subject::at_version(&by, at.0, version_id).await?;
    let style = (Opening::All, unidiff == Some(true));
    let (diffs, _) = subject.shown(&by.app, Reading::of(Extent::Whole), style).await?;
    let ids = subject.commits;
    let commits = objects::read(&by.app, &subject.repository, move |objects| objects.commits(&ids));
    let web_url = subject.project.web_url(by.app.base_url());
    let commits = commits.await?.iter().map(|commit| CommitEntity::of(commit, &web_url)).collect();
    Ok(Ok200(VersionDetail { version: version(&found), commits, diffs }))
}
