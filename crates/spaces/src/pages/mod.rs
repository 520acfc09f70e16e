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
pub use place::{Address, Space, Visit};
use std::collections::HashMap;
use store::Tx;
use views::{GroupRow, ProjectRow};

/// How the address of a page of projects begins; alone it also takes the
/// paths of users and groups.
pub const PROJECT: &str = "/{*project}";
/// How the address of a page of groups begins.
pub const GROUP: &str = "/groups/{*group}";

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
pub fn section<A, H: Handler<A> + Clone>(
    r: &mut Routes,
    method: Method,
    section: &str,
    handler: H,
) {
    for path in sections(section) {
        r.page(method.clone(), &path, handler.clone());
    }
}

/// The addresses of a page of groups and projects.
fn sections(section: &str) -> [String; 2] {
    [group_section(section), format!("{PROJECT}/-/{section}")]
}

/// The address of a page of groups.
fn group_section(section: &str) -> String {
    format!("{GROUP}/-/{section}")
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
