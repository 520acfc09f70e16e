//! Releases as JSON, keys in wire order (docs/interface/releases.md «REST»).

mod addresses;

use crate::access::Releases;
use crate::model::{Evidence, Link, LinkType, Release};
use crate::related::{Counted, Related, named};
use code::entity::CommitEntity;
use identity::entities::{UserBasic, basic};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::time::wire;
use planning::entity::milestones::{MilestoneEntity, milestone};
use schemars::JsonSchema;
use serde::Serialize;

pub use addresses::{Addresses, Source, evidence_path, sources, tag_path};

/// The first keys of a release.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SimpleRelease {
    pub name: String,
    /// For who reads the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag_name: Option<String>,
    pub description: Option<String>,
    pub created_at: String,
    pub released_at: String,
    /// It is not out yet.
    pub upcoming_release: bool,
}

/// A milestone with how far it is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReleaseMilestone {
    #[serde(flatten)]
    pub milestone: MilestoneEntity,
    pub issue_stats: IssueStats,
}

/// Issues that who asks sees.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ReleaseIssueStats")]
pub struct IssueStats {
    pub total: i64,
    pub closed: i64,
}

/// Something that can be had with a release.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ReleaseLink")]
pub struct LinkEntity {
    pub id: i64,
    pub name: String,
    pub url: String,
    /// Below the release, if the link has a path there.
    pub direct_asset_url: String,
    pub link_type: LinkType,
}

/// All that can be had with a release.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ReleaseAssets")]
pub struct Assets {
    pub count: usize,
    /// For who reads the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<Source>>,
    pub links: Vec<LinkEntity>,
}

/// What a release was when it came out.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ReleaseEvidence")]
pub struct EvidenceEntity {
    /// SHA-256 of the file.
    pub sha: String,
    pub filepath: String,
    pub collected_at: String,
}

/// A release.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReleaseEntity {
    #[serde(flatten)]
    pub simple: SimpleRelease,
    /// Where it is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description_html: Option<String>,
    pub author: Option<UserBasic>,
    /// For who reads the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<Option<CommitEntity>>,
    pub milestones: Vec<ReleaseMilestone>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag_path: Option<String>,
    pub assets: Assets,
    /// For who reads the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidences: Option<Vec<EvidenceEntity>>,
    #[serde(rename = "_links")]
    pub links: Addresses,
}

/// The first keys of a release of this project.
pub fn simple(app: &App, here: &Releases, release: &Release) -> SimpleRelease {
    SimpleRelease {
        name: match here.reads_code {
            true => release.name().to_owned(),
            false => release.name_without_tag(),
        },
        tag_name: here.reads_code.then(|| release.tag.clone()),
        description: release.description.clone(),
        created_at: wire::text(release.created_at),
        released_at: wire::text(release.released_at),
        upcoming_release: release.is_upcoming(app.now()),
    }
}

/// Where a link leads below its release. The address names the tag.
pub fn link(app: &App, here: &Releases, release: &Release, link: &Link) -> LinkEntity {
    let path = link.filepath.as_ref().filter(|_| here.reads_code);
    let project = here.project.web_url(app.base_url());
    let direct = path.map(|path| format!("{project}{}/downloads{path}", release.path()));
    LinkEntity {
        id: link.id,
        name: link.name.clone(),
        direct_asset_url: direct.unwrap_or_else(|| link.url.clone()),
        url: link.url.clone(),
        link_type: link.link_type,
    }
}

fn goal(app: &App, (goal, (opened, closed)): &Counted) -> ReleaseMilestone {
    ReleaseMilestone {
        milestone: milestone(app, goal),
        issue_stats: IssueStats { total: opened + closed, closed: *closed },
    }
}

fn evidence(project: &str, release: &Release, evidence: &Evidence) -> EvidenceEntity {
    EvidenceEntity {
        sha: evidence.sha.clone(),
        filepath: format!("{project}{}", evidence_path(release, evidence.id)),
        collected_at: wire::text(evidence.collected_at),
    }
}

/// A release of a project, with what is read beside it.
pub fn release(
    app: &App, here: &Releases, release: &Release, related: &Related,
    description_html: Option<String>,
) -> ReleaseEntity {
    let project = here.project.web_url(app.base_url());
    let with_code = here.reads_code.then_some(());
    let links: Vec<LinkEntity> = related
        .links(release)
        .into_iter()
        .map(|one| link(app, here, release, one))
        .collect();
    let sources = with_code.map(|()| sources(&here.project, &project, &release.tag));
    let evidences = related.evidences(release).into_iter();
    let evidences: Vec<EvidenceEntity> =
        evidences.map(|one| evidence(&project, release, one)).collect();
    let commit = release.commit();
    let path = &here.project.full_path;
    ReleaseEntity {
        simple: simple(app, here, release),
        description_html,
        author: related.author(release).map(|user| basic(app, user)),
        milestones: related
            .milestones(here, release)
            .into_iter()
            .map(|one| goal(app, one))
            .collect(),
        commit_path: with_code
            .and(commit.as_ref())
            .map(|commit| format!("/{path}/-/commit/{}", commit.id)),
        tag_path: with_code.map(|()| tag_path(&here.project, &release.tag)),
        commit: with_code.map(|()| commit.map(|commit| CommitEntity::of(&commit, &project))),
        assets: Assets {
            count: links.len() + sources.as_ref().map_or(0, Vec::len),
            sources,
            links,
        },
        evidences: with_code.map(|()| evidences),
        links: Addresses::of(&project, release, here.reads_code),
    }
}

/// Releases of a project as who asks sees them, with their descriptions as HTML if that
/// is wanted.
pub async fn all(
    app: &App, viewer: &Viewer, here: Releases, releases: Vec<Release>, with_html: bool,
) -> Result<Vec<ReleaseEntity>> {
    let (viewer, base) = (viewer.clone(), app.base_url().to_owned());
    let (here, releases, related, names) = app
        .read(move |tx| {
            let related = Related::load(tx, &viewer, &releases)?;
            let names = match with_html {
                true => Some(named(tx, &viewer, &base, &here, &releases)?),
                false => None,
            };
            Ok((here, releases, related, names))
        })
        .await?;
    let texts: Vec<String> = releases.iter().map(|one| one.text().to_owned()).collect();
    let html = match names {
        None => vec![None; releases.len()],
        Some(names) => {
            let _turn = kernel::markup::turn().await?;
            let all = move || -> Result<Vec<Option<String>>> {
                texts.iter().map(|text| names.checked(text).map(Some)).collect()
            };
            tokio::task::spawn_blocking(all).await.map_err(Error::internal)??
        }
    };
    let shown = releases.iter().zip(html);
    Ok(shown.map(|(one, html)| release(app, &here, one, &related, html)).collect())
}

/// One of them.
pub async fn one(
    app: &App, viewer: &Viewer, (here, release): (Releases, Release), with_html: bool,
) -> Result<ReleaseEntity> {
    let mut all = all(app, viewer, here, vec![release], with_html).await?;
    crate::access::found(all.pop())
}
