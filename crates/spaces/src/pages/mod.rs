//! Pages of this room: projects, groups, their members, settings and tokens.
//!
//! Groups stand at `/groups/<path>`, projects at `/<path>`; what follows
//! `/-/` belongs to the rooms that register it. Every form works without a
//! script: it posts, and is led on with a message or shown again with what is
//! wrong.

mod applications;
pub mod code_front;
pub mod counts;
mod create;
mod deploy_tokens;
mod forks;
mod front;
mod head;
mod invitations;
pub mod lists;
mod members;
mod memberships;
mod moved;
pub mod panels;
mod place;
mod settings;
mod show;
mod stars;
mod tokens;
mod tree;
mod uploads;
pub mod views;

use crate::access;
use crate::model::{Namespace, Visibility};
use crate::store as rows;
pub use head::{Section, SpaceHead};
use http::Method;
use kernel::error::{Error, Result};
use kernel::html::Pages;
use kernel::html::ui::Choice;
use kernel::http::routes::Handler;
use kernel::http::{Paging, Routes};
use kernel::time::Date;
pub use place::{Address, PathTarget, Space, Visit};
use store::{Fragment, Tx};
use views::ProjectList;

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
    deploy_tokens::routes(r);
    stars::routes(r);
    forks::routes(r);
    memberships::routes(r);
    applications::routes(r);
    uploads::routes(r);
}

/// Declares a page of every group and project, below `/-/`.
pub fn section<A, H: Handler<A> + Clone>(
    r: &mut Routes, method: Method, section: &str, handler: H,
) {
    for path in sections(section) {
        r.page(method.clone(), &path, handler.clone());
    }
}

fn sections(section: &str) -> [String; 2] {
    [group_section(section), format!("{PROJECT}/-/{section}")]
}

fn group_section(section: &str) -> String {
    format!("{GROUP}/-/{section}")
}

/// An address with those of these parameters that are not empty.
pub fn filtered(url: &str, filters: &[(&str, &str)]) -> String {
    let given = filters.iter().filter(|(_, value)| !value.is_empty());
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    match query.extend_pairs(given).finish() {
        query if query.is_empty() => url.to_owned(),
        query => format!("{url}?{query}"),
    }
}

/// One page of the projects that meet a condition.
fn project_list(
    tx: &mut Tx<'_>, condition: &Fragment, order: &str, paging: &Paging, url: String,
) -> Result<ProjectList> {
    let total = rows::count(tx, "projects", condition)?;
    let (limit, offset) = (paging.per_page, paging.offset());
    Ok(ProjectList {
        rows: rows::projects(tx, condition, order, limit, offset)?,
        with_namespace: false,
        now: tx.now(),
        pages: Pages::of(paging, total, url),
    })
}

/// The name of the viewer's role, empty where they have none.
fn role(level: i64) -> String {
    match level {
        access::NONE => String::new(),
        level => access::role_name(level).to_owned(),
    }
}

/// A text as it is stored: browsers send lines with two characters at their end.
fn typed_text(text: &str) -> String {
    text.replace("\r\n", "\n").trim().to_owned()
}

/// The day of the field `expires_at`, none where it is empty.
fn ends_on(text: &str) -> Result<Option<Date>> {
    match text {
        "" => Ok(None),
        text => match text.parse() {
            Ok(day) => Ok(Some(day)),
            Err(_) => Err(Error::invalid("expires_at", "is not a date")),
        },
    }
}

fn choice(namespace: &Namespace) -> Choice {
    Choice {
        value: namespace.id.to_string(),
        label: namespace.full_path.clone(),
    }
}

/// The visibilities there are, up to the widest allowed.
fn visibilities(widest: i64) -> Vec<Choice> {
    let allowed = Visibility::ALL.iter().filter(|visibility| visibility.level() <= widest);
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
