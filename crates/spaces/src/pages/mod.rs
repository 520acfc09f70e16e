//! Pages of this room: projects, groups, their members, settings and tokens.
//!
//! Groups stand at `/groups/<path>`, projects at `/<path>`; what follows
//! `/-/` belongs to the rooms that register it. Every form works without a
//! script: it posts, and is led on with a message or shown again with what is
//! wrong.

mod applications;
mod create;
mod invitations;
mod lists;
mod members;
mod place;
mod settings;
mod show;
mod tokens;
pub mod views;

use crate::model::{Namespace, Project, Visibility};
use crate::store::counts;
use http::Method;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::ui::Choice;
use kernel::html::{Moment, Pages};
use kernel::http::routes::Handler;
use kernel::http::{Paging, Routes};
use kernel::time::Timestamp;
pub use place::{Address, Space};
use std::collections::HashMap;
use store::Tx;
use views::{GroupRow, ProjectRow};

/// Most parts of a path: groups nest 20 deep, and a project stands in one.
const MAX_PARTS: usize = 21;

/// Declares the pages.
pub fn routes(r: &mut Routes) {
    invitations::routes(r);
    lists::routes(r);
    create::routes(r);
    show::routes(r);
    members::routes(r);
    settings::routes(r);
    tokens::routes(r);
    applications::routes(r);
}

/// Declares a page of every group and project, below `/-/`.
///
/// A path has any number of parts, which a route cannot say beside the
/// sections that end such paths, so there is one route per length.
pub fn section<A, H: Handler<A>>(r: &mut Routes, method: Method, section: &str, handler: H) {
    for path in sections(section) {
        r.page(method.clone(), &path, handler.clone());
    }
}

/// Declares a page of every group, below `/-/`.
fn group_section<A, H: Handler<A>>(r: &mut Routes, method: Method, section: &str, handler: H) {
    for path in group_sections(section) {
        r.page(method.clone(), &path, handler.clone());
    }
}

/// The addresses of a page of groups and projects.
fn sections(section: &str) -> impl Iterator<Item = String> {
    group_sections(section).chain(places(2).map(move |place| format!("{place}/-/{section}")))
}

/// The addresses of a page of groups.
fn group_sections(section: &str) -> impl Iterator<Item = String> {
    places(1).map(move |place| format!("/groups{place}/-/{section}"))
}

/// The templates of all paths of at least `least` parts.
pub fn places(least: usize) -> impl Iterator<Item = String> {
    (least..=MAX_PARTS).map(|parts| (1..=parts).map(|at| format!("/{{part{at}}}")).collect())
}

fn pages(paging: &Paging, total: i64, url: String) -> Pages {
    Pages {
        page: (paging.offset() / paging.per_page) as u64 + 1,
        per_page: paging.per_page as u64,
        total: total as u64,
        url: url.trim_end_matches('?').to_owned(),
    }
}

fn project_row(project: &Project, now: Timestamp, with_namespace: bool) -> ProjectRow {
    ProjectRow {
        namespace: match with_namespace {
            true => project.namespace_full_path.clone(),
            false => String::new(),
        },
        name: project.name.clone(),
        url: format!("/{}", project.full_path),
        description: project.description.clone().unwrap_or_default(),
        visibility: Visibility::of(project.visibility).to_string(),
        is_archived: project.archived,
        role: String::new(),
        last_activity_at: Moment::new(project.last_activity_at, now),
    }
}

/// How much stands right in each group, as far as the viewer may see it.
struct Counts {
    subgroups: HashMap<i64, i64>,
    projects: HashMap<i64, i64>,
    members: HashMap<i64, i64>,
}

fn counted(tx: &mut Tx<'_>, viewer: &Viewer, groups: &[Namespace]) -> Result<Counts> {
    let ids: Vec<i64> = groups.iter().map(|group| group.id).collect();
    Ok(Counts {
        subgroups: counts::subgroups(tx, viewer, &ids)?,
        projects: counts::projects(tx, viewer, &ids)?,
        members: match viewer {
            Viewer::User(_) => counts::direct_members(tx, &ids)?,
            _ => HashMap::new(),
        },
    })
}

fn group_row(group: &Namespace, counts: &Counts, full: bool) -> GroupRow {
    let of = |counts: &HashMap<i64, i64>| counts.get(&group.id).map_or(0, |n| n.unsigned_abs());
    GroupRow {
        name: if full {
            group.full_name.clone()
        } else {
            group.name.clone()
        },
        url: format!("/groups/{}", group.full_path),
        description: group.description.clone(),
        visibility: Visibility::of(group.visibility).to_string(),
        subgroups: of(&counts.subgroups),
        projects: of(&counts.projects),
        members: of(&counts.members),
    }
}

/// The visibilities there are, up to the widest allowed.
fn visibilities(widest: i64) -> Vec<Choice> {
    let allowed = Visibility::ALL
        .iter()
        .filter(|visibility| visibility.level() <= widest);
    allowed
        .map(|visibility| Choice {
            value: visibility.to_string(),
            label: match visibility {
                Visibility::Private => "Private: members only",
                Visibility::Internal => "Internal: everyone who is signed in",
                Visibility::Public => "Public: everyone",
            }
            .into(),
        })
        .collect()
}
