//! What the pages of releases show: plain view models of their templates.

use super::form::{LinkTexts, ReleaseTexts};
use crate::access::Releases;
use crate::entity::{Source, evidence_path, sources};
use crate::model::{Evidence, Link, LinkType, Release};
use crate::related::Related;
use askama::Template;
use kernel::html::ui::{self, Choice};
use kernel::html::{Errors, Moment, Page, Pages};
use kernel::time::Timestamp;
use planning::rules::references::Links;

/// `…/-/releases`.
#[derive(Debug, Template)]
#[template(path = "releases.html")]
pub struct List {
    pub page: Page,
    pub url: String,
    pub can_write: bool,
    pub releases: Vec<Shown>,
    pub pages: Pages,
}

/// `…/-/releases/TAG`.
#[derive(Debug, Template)]
#[template(path = "release.html")]
pub struct One {
    pub page: Page,
    pub url: String,
    pub can_write: bool,
    pub can_delete: bool,
    pub row: Shown,
}

/// `…/-/releases/new`.
#[derive(Debug, Template)]
#[template(path = "new_release.html")]
pub struct New {
    pub page: Page,
    pub url: String,
    pub form: ReleaseTexts,
    pub errors: Errors,
}

/// `…/-/releases/TAG/edit`.
#[derive(Debug, Template)]
#[template(path = "edit_release.html")]
pub struct Edit {
    pub page: Page,
    pub url: String,
    pub tag: String,
    pub can_delete: bool,
    pub form: ReleaseTexts,
    pub link: LinkTexts,
    pub links: Vec<Link>,
    pub errors: Errors,
}

impl Edit {
    fn kinds(&self) -> Vec<Choice> {
        kinds()
    }

    /// Something is wrong with a link that is to be added.
    fn is_adding(&self) -> bool {
        let of_link = |(name, _): &(String, Vec<String>)| name.starts_with("link_");
        self.errors.0.iter().any(of_link)
    }
}

fn kinds() -> Vec<Choice> {
    let choice =
        |kind: &LinkType| Choice { value: kind.to_string(), label: word(*kind).to_owned() };
    LinkType::ALL.iter().map(choice).collect()
}

/// What a kind of link is called.
fn word(kind: LinkType) -> &'static str {
    match kind {
        LinkType::Other => "Other",
        LinkType::Runbook => "Runbook",
        LinkType::Image => "Image",
        LinkType::Package => "Package",
    }
}

/// A milestone with how far it is.
#[derive(Debug)]
pub struct Goal {
    pub title: String,
    pub path: String,
    pub done: u64,
    pub total: u64,
}

/// Something that can be had.
#[derive(Debug)]
pub struct Asset {
    pub name: String,
    pub url: String,
    /// Empty for those of no kind.
    pub kind: &'static str,
}

/// Evidence as it is offered.
#[derive(Debug)]
pub struct Proof {
    pub url: String,
    pub name: String,
    pub sha: String,
    pub collected: Moment,
}

/// A release as its reader sees it.
#[derive(Debug)]
pub struct Shown {
    pub id: i64,
    pub name: String,
    /// Its page, tag and commit, for who reads the code.
    pub url: Option<String>,
    pub tag: Option<(String, String)>,
    pub commit: Option<(String, String)>,
    /// Name and page.
    pub author: Option<(String, String)>,
    pub released: Moment,
    pub is_upcoming: bool,
    pub is_historical: bool,
    pub description: String,
    pub assets: Vec<Asset>,
    pub sources: Vec<Source>,
    pub milestones: Vec<Goal>,
    pub evidences: Vec<Proof>,
}

impl Shown {
    pub fn of(
        here: &Releases, release: &Release, related: &Related, links: &Links, now: Timestamp,
    ) -> Shown {
        let project = format!("/{}", here.project.full_path);
        let url = format!("{project}{}", release.path());
        let with_code = here.reads_code.then_some(());
        let tag = || {
            let to = format!("{project}/-/tree/{}", code::entity::in_address(&release.tag));
            (release.tag.clone(), to)
        };
        let commit = release.commit().map(|commit| {
            let to = format!("{project}/-/commit/{}", commit.id);
            (commit.short_id(), to)
        });
        let author = related.author(release);
        Shown {
            id: release.id,
            name: match here.reads_code {
                true => release.name().to_owned(),
                false => release.name_without_tag(),
            },
            tag: with_code.map(|()| tag()),
            commit: with_code.and(commit),
            author: author.map(|user| (user.name.clone(), format!("/{}", user.username))),
            released: Moment::new(release.released_at, now),
            is_upcoming: release.is_upcoming(now),
            is_historical: release.is_historical(),
            description: links.shown(release.text(), text_options(release)),
            assets: related.links(release).into_iter().map(asset).collect(),
            sources: match with_code {
                Some(()) => sources(&here.project, &project, &release.tag),
                None => Vec::new(),
            },
            milestones: goals(here, release, related),
            evidences: match with_code {
                Some(()) => proofs(&project, release, related, now),
                None => Vec::new(),
            },
            url: with_code.map(|()| url),
        }
    }
}

/// Headings of one description are told from those of others.
fn text_options(release: &Release) -> planning::rules::references::TextOptions<'_> {
    planning::rules::references::TextOptions { id: &release.tag, tasks: "" }
}

fn asset(link: &Link) -> Asset {
    Asset {
        name: link.name.clone(),
        url: link.url.clone(),
        kind: match link.link_type {
            LinkType::Other => "",
            kind => word(kind),
        },
    }
}

fn goals(here: &Releases, release: &Release, related: &Related) -> Vec<Goal> {
    let all = related.milestones(here, release).into_iter();
    all.map(|(goal, (opened, closed))| Goal {
        title: goal.title.clone(),
        path: goal.path(),
        done: closed.unsigned_abs(),
        total: (opened + closed).unsigned_abs(),
    })
    .collect()
}

fn proofs(project: &str, release: &Release, related: &Related, now: Timestamp) -> Vec<Proof> {
    let proof = |one: &Evidence| Proof {
        url: format!("{project}{}", evidence_path(release, one.id)),
        name: format!("{}-evidence-{}.json", release.tag, one.id),
        sha: one.sha.clone(),
        collected: Moment::new(one.collected_at, now),
    };
    related.evidences(release).into_iter().map(proof).collect()
}
