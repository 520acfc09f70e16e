//! What texts name, as far as it is shown.

use crate::access::{Scope, epics, visible};
use crate::requests::NamedRequest;
use crate::store::epics::TABLES as EPICS;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::access::visible_groups;
use store::{Fragment, FromRow, Tx, sql};

/// An issue, merge request, epic or alert by its place.
#[derive(Debug, Clone, FromRow)]
pub struct Numbered {
    /// Of an epic the group's, with `groups/` before it.
    pub full_path: String,
    pub full_path_folded: String,
    pub iid: i64,
    pub title: String,
}

impl From<NamedRequest> for Numbered {
    fn from(request: NamedRequest) -> Numbered {
        Numbered {
            full_path: request.full_path,
            full_path_folded: request.full_path_folded,
            iid: request.iid,
            title: request.title,
        }
    }
}

/// Issues of these projects, by folded path, and of these numbers that the
/// viewer sees.
pub fn issues(
    tx: &mut Tx<'_>, viewer: &Viewer, paths: &[String], iids: &[i64],
) -> Result<Vec<Numbered>> {
    let mut query = Fragment::new(
        "select projects.full_path, projects.full_path_folded, issues.iid, issues.title
         from issues join projects on projects.id = issues.project_id where",
    );
    query
        .in_list("projects.full_path_folded", paths)
        .raw(" and")
        .in_list("issues.iid", iids)
        .raw(" and ")
        .append(visible(tx, viewer, &Scope::Everywhere));
    Ok(tx.query(query)?)
}

/// Epics of these groups, by folded path, and of these numbers that the viewer sees.
pub fn epics(
    tx: &mut Tx<'_>, viewer: &Viewer, paths: &[String], iids: &[i64],
) -> Result<Vec<Numbered>> {
    let mut query = Fragment::new(&format!(
        "select 'groups/' || namespaces.full_path as full_path, namespaces.full_path_folded,
            epics.iid, epics.title
         from {EPICS} where"
    ));
    query
        .in_list("namespaces.full_path_folded", paths)
        .raw(" and")
        .in_list("epics.iid", iids)
        .raw(" and ")
        .append(epics::visible(tx, viewer));
    Ok(tx.query(query)?)
}

#[derive(Debug, Clone, FromRow)]
pub struct Person {
    pub folded: String,
    pub name: String,
    pub path: String,
}

/// Active users of these folded logins.
pub fn users(tx: &mut Tx<'_>, names: &[String]) -> Result<Vec<Person>> {
    Ok(tx.all(
        sql!(
            "select username_folded as folded, name, username as path from users
             where username_folded in_list($1) and state = 'active'"
        ),
        (names,),
    )?)
}

/// Groups of these folded paths that the viewer sees.
pub fn groups(tx: &mut Tx<'_>, viewer: &Viewer, paths: &[String]) -> Result<Vec<Person>> {
    let mut query = Fragment::new(
        "select namespaces.full_path_folded as folded, namespaces.name,
            'groups/' || namespaces.full_path as path from namespaces where",
    );
    query
        .in_list("namespaces.full_path_folded", paths)
        .raw(" and ")
        .append(visible_groups(tx, viewer));
    Ok(tx.query(query)?)
}
