//! Lists of projects.

use super::super::Caller;
use super::super::groups::{keyset_unavailable, unknown_cursor};
use crate::access::{self, Purpose};
use crate::entities::{self, ProjectEntity};
use crate::hooks;
use crate::model::{Project, Sort};
use crate::store as lists;
use crate::store::filters::{self, ListProjects, ProjectOrder};
use kernel::error::{Error, Found, Result};
use kernel::http::{Flat, Paged, Paging, Params, Routes, Start};
use kernel::ids::Reference;
use serde_json::json;
use store::{Fragment, Tx};

pub fn routes(r: &mut Routes) {
    r.get("/projects", list).summary("Lists the projects the caller may see");
    type OfUser = Params<ListOfUser>;
    let own = |by, of: OfUser, paging| around_user(by, of.0, paging, filters::own_projects);
    r.get("/users/{id}/projects", own)
        .named("of_user")
        .summary("Lists the projects a user owns");
    let starred = |by, of: OfUser, paging| around_user(by, of.0, paging, filters::starred_projects);
    r.get("/users/{id}/starred_projects", starred)
        .named("starred")
        .summary("Lists the projects a user starred");
    r.get("/groups/{id}/projects", of_group)
        .summary("Lists the projects of a group");
    r.get("/projects/{id}/forks", forks).summary("Lists the forks of a project");
}

kernel::params! {
    /// A user and filters of their projects.
    struct ListOfUser {
        /// Id or name of the user.
        pub id: Reference,
        pub filter: Flat<ListProjects>,
    }
}

kernel::params! {
    /// A group and filters of its projects.
    struct ListOfGroup {
        /// Id or path of the group.
        pub id: Reference,
        /// Also projects of the groups below.
        pub include_subgroups: Option<bool>,
        /// Also projects shared with the group; true unless refused.
        pub with_shared: Option<bool>,
        pub filter: Flat<ListProjects>,
    }
}

async fn list(
    by: Caller, params: Params<ListProjects>, paging: Paging,
) -> Result<Paged<ProjectEntity>> {
    by.read(move |tx, by| page(tx, by, &params, paging, Fragment::new("true")))
        .await
}

/// Projects a user has to do with, unless a private profile hides that.
async fn around_user(
    by: Caller, params: ListOfUser, paging: Paging, condition: fn(i64) -> Fragment,
) -> Result<Paged<ProjectEntity>> {
    by.read(move |tx, by| {
        let user = identity::users::by_reference(tx, &params.id)?.found("User")?;
        let whole = identity::users::whole(tx, user, None)?;
        if !identity::access::sees_activity(&by.viewer, &whole) {
            return Err(Error::NotFound("User"));
        }
        let place = condition(whole.user.id);
        page(tx, by, &params.filter, paging, place)
    })
    .await
}

async fn of_group(
    by: Caller, params: Params<ListOfGroup>, paging: Paging,
) -> Result<Paged<ProjectEntity>> {
    by.read(move |tx, by| {
        let group = access::group(tx, &by.viewer, &params.id, Purpose::Read)?;
        let mut place = match params.include_subgroups.unwrap_or(false) {
            true => filters::projects_below(&group),
            false => filters::projects_right_in(group.id),
        };
        if params.with_shared.unwrap_or(true) {
            let shared = filters::projects_shared_with(group.id);
            place.raw(" or ").append(shared);
        }
        page(tx, by, &params.filter, paging, place)
    })
    .await
}

kernel::params! {
    /// A project and filters of its forks.
    struct ListForks {
        /// Id or path of the project.
        pub id: Reference,
        pub filter: Flat<ListProjects>,
    }
}

async fn forks(
    by: Caller, params: Params<ListForks>, paging: Paging,
) -> Result<Paged<ProjectEntity>> {
    by.read(move |tx, by| {
        let source = access::project(tx, &by.viewer, &params.id, Purpose::Read)?;
        page(tx, by, &params.filter, paging, filters::forks_of(source.id))
    })
    .await
}

fn page(
    tx: &mut Tx<'_>, by: &Caller, list: &ListProjects, paging: Paging, place: Fragment,
) -> Result<Paged<ProjectEntity>> {
    let mut condition = list.condition(tx, &by.viewer);
    condition.raw(" and (").append(place).raw(")");
    let elsewhere = list.repository_storage.as_deref();
    if let (true, Some(storage)) = (by.viewer.is_admin(), elsewhere) {
        match hooks::get(tx)?.code_lies_in {
            Some(lies_in) => condition.raw(" and ").append(lies_in(storage)),
            None => condition.raw(" and false"),
        };
    }
    let keyset = paging.is_keyset();
    let default = match keyset {
        true => ProjectOrder::Id,
        false => ProjectOrder::CreatedAt,
    };
    let order = list.order_by.unwrap_or(default);
    if keyset && order != ProjectOrder::Id {
        return Err(keyset_unavailable());
    }
    let total = match keyset {
        true => None,
        false => Some(lists::count(tx, "projects", &condition)?),
    };
    let sort = list.sort.unwrap_or(Sort::Desc);
    if let Start::After(Some(keys)) = &paging.start {
        let last = keys.first().and_then(|key| key.as_i64());
        let last = last.ok_or_else(unknown_cursor)?;
        let beyond = if sort == Sort::Asc { ">" } else { "<" };
        condition.push(&format!(" and projects.id {beyond} "), last);
    }
    let order = match order {
        ProjectOrder::Id => format!("projects.id {sort}"),
        other => format!("{} {sort}, projects.id {sort}", other.column()),
    };
    let mut rows = lists::projects(tx, &condition, &order, paging.fetch(), paging.offset())?;
    let more = rows.len() as i64 > paging.per_page;
    let beyond = if more { rows.pop() } else { None };
    let (simple, statistics) = (list.simple == Some(true), list.statistics == Some(true));
    let shown = entities::projects(tx, by, &rows, simple, statistics)?;
    rows.extend(beyond);
    let paged = match keyset {
        true => Paged::keyed(rows, paging, |row: &Project| vec![json!(row.id)]),
        false => Paged::numbered(rows, paging, total),
    };
    Ok(paged.replace(|_| shown))
}
