//! Lists of projects.

use super::super::Sort;
use super::super::groups::keyset_unavailable;
use crate::access::{self, Purpose};
use crate::entities::{self, ProjectEntity};
use crate::model::{Project, Visibility};
use crate::store as lists;
use crate::store::filters::ProjectFilter;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Paged, Paging, Params, Routes, Start};
use kernel::ids::Reference;
use kernel::time::{Date, Timestamp};
use serde_json::json;
use store::{Fragment, Tx};

pub fn routes(r: &mut Routes) {
    r.get("/projects", list)
        .summary("Lists the projects the caller may see");
    r.get("/users/{id}/projects", of_user)
        .summary("Lists the projects a user owns");
    r.get("/users/{id}/starred_projects", starred)
        .summary("Lists the projects a user starred");
    r.get("/groups/{id}/projects", of_group)
        .summary("Lists the projects of a group");
}

kernel::choices! {
    /// Orders of projects.
    pub enum ProjectOrder {
        Id = "id",
        Name = "name",
        Path = "path",
        CreatedAt = "created_at",
        UpdatedAt = "updated_at",
        LastActivityAt = "last_activity_at",
        StarCount = "star_count",
        Similarity = "similarity",
        StorageSize = "storage_size",
        RepositorySize = "repository_size",
        PackagesSize = "packages_size",
        WikiSize = "wiki_size",
    }
}

impl ProjectOrder {
    fn column(self) -> &'static str {
        match self {
            ProjectOrder::Id => "projects.id",
            ProjectOrder::Name | ProjectOrder::Similarity => "projects.name_folded",
            ProjectOrder::Path => "projects.full_path_folded",
            ProjectOrder::UpdatedAt => "projects.updated_at",
            ProjectOrder::LastActivityAt => "projects.last_activity_at",
            ProjectOrder::StarCount => "projects.star_count",
            _ => "projects.created_at",
        }
    }
}

macro_rules! project_filters {
    ($(#[doc = $outer:literal])* $name:ident { $($(#[doc = $doc:literal])* $field:ident: $ty:ty),* $(,)? }) => {
        kernel::params! {
            $(#[doc = $outer])*
            pub struct $name {
                $($(#[doc = $doc])* pub $field: $ty,)*
                /// Only projects the caller is a member of.
                pub membership: Option<bool>,
                /// Only projects the caller owns.
                pub owned: Option<bool>,
                /// Only projects the caller starred.
                pub starred: Option<bool>,
                /// Only archived ones, or only others.
                pub archived: Option<bool>,
                /// Only of this visibility.
                pub visibility: Option<Visibility>,
                /// In name, path or description.
                pub search: Option<String>,
                /// Search the namespace's path too.
                pub search_namespaces: Option<bool>,
                /// Fewer fields.
                pub simple: Option<bool>,
                /// Only with all these topics.
                pub topic: Option<Vec<String>>,
                /// Only where the caller has at least this role.
                pub min_access_level: Option<i64>,
                /// What to sort by.
                pub order_by: Option<ProjectOrder>,
                /// Direction.
                pub sort: Option<Sort>,
                /// Only ids above.
                pub id_after: Option<i64>,
                /// Only ids below.
                pub id_before: Option<i64>,
                /// Only active since.
                pub last_activity_after: Option<Timestamp>,
                /// Only inactive since.
                pub last_activity_before: Option<Timestamp>,
                /// Only changed since.
                pub updated_after: Option<Timestamp>,
                /// Only unchanged since.
                pub updated_before: Option<Timestamp>,
                /// Only with issues.
                pub with_issues_enabled: Option<bool>,
                /// Only with merge requests.
                pub with_merge_requests_enabled: Option<bool>,
                /// Only with files in this programming language.
                pub with_programming_language: Option<String>,
                /// Only imported ones.
                pub imported: Option<bool>,
                /// Only those marked for deletion on this day.
                pub marked_for_deletion_on: Option<Date>,
                /// With bytes in use.
                pub statistics: Option<bool>,
                /// Where the repository lies; administrators only.
                pub repository_storage: Option<String>,
            }
        }

        impl $name {
            fn filter(self) -> Filter {
                Filter {
                    shown: ProjectFilter {
                        membership: self.membership.unwrap_or(false),
                        owned: self.owned.unwrap_or(false),
                        starred: self.starred.unwrap_or(false),
                        archived: self.archived,
                        visibility: self.visibility,
                        search: self.search,
                        search_namespaces: self.search_namespaces.unwrap_or(false),
                        topics: self.topic.unwrap_or_default(),
                        min_access_level: self.min_access_level,
                        id_after: self.id_after,
                        id_before: self.id_before,
                        last_activity_after: self.last_activity_after,
                        last_activity_before: self.last_activity_before,
                        updated_after: self.updated_after,
                        updated_before: self.updated_before,
                        with_issues: self.with_issues_enabled.unwrap_or(false),
                        with_merge_requests: self.with_merge_requests_enabled.unwrap_or(false),
                        programming_language: self.with_programming_language,
                        imported: self.imported.unwrap_or(false),
                        marked_for_deletion_on: self.marked_for_deletion_on,
                        ..ProjectFilter::default()
                    },
                    simple: self.simple.unwrap_or(false),
                    order: self.order_by,
                    sort: self.sort.unwrap_or(Sort::Desc),
                    statistics: self.statistics.unwrap_or(false),
                    storage: self.repository_storage,
                }
            }
        }
    };
}

project_filters! {
    /// Filters of projects.
    ListProjects {}
}
project_filters! {
    /// A user and filters of their projects.
    ListOfUser {
        /// Id or name of the user.
        id: Reference,
    }
}
project_filters! {
    /// A group and filters of its projects.
    ListOfGroup {
        /// Id or path of the group.
        id: Reference,
        /// Also projects of the groups below.
        include_subgroups: Option<bool>,
        /// Also projects shared with the group; true unless refused.
        with_shared: Option<bool>,
    }
}

struct Filter {
    shown: ProjectFilter,
    simple: bool,
    order: Option<ProjectOrder>,
    sort: Sort,
    statistics: bool,
    storage: Option<String>,
}

async fn list(
    app: App,
    viewer: Viewer,
    params: Params<ListProjects>,
    paging: Paging,
) -> Result<Paged<ProjectEntity>> {
    let filter = params.0.filter();
    let handle = app.clone();
    app.read(move |tx| page(tx, &handle, &viewer, &filter, paging, Fragment::new("true")))
        .await
}

async fn of_user(
    app: App,
    viewer: Viewer,
    params: Params<ListOfUser>,
    paging: Paging,
) -> Result<Paged<ProjectEntity>> {
    let owned = "projects.namespace_id in (select n.id from namespaces n where n.owner_id = ";
    around_user(app, viewer, params.0, paging, owned).await
}

async fn starred(
    app: App,
    viewer: Viewer,
    params: Params<ListOfUser>,
    paging: Paging,
) -> Result<Paged<ProjectEntity>> {
    let starred = "projects.id in (select s.project_id from stars s where s.user_id = ";
    around_user(app, viewer, params.0, paging, starred).await
}

/// Projects a user has to do with, unless a private profile hides that;
/// `condition` is open until the user's id and a parenthesis follow.
async fn around_user(
    app: App,
    viewer: Viewer,
    params: ListOfUser,
    paging: Paging,
    condition: &'static str,
) -> Result<Paged<ProjectEntity>> {
    let reference = params.id.clone();
    let filter = params.filter();
    let handle = app.clone();
    app.read(move |tx| {
        let user = identity::users::by_reference(tx, &reference)?.ok_or(Error::NotFound("User"))?;
        let whole = identity::users::whole(tx, user, None)?;
        if !identity::access::sees_activity(&viewer, &whole) {
            return Err(Error::NotFound("User"));
        }
        let mut place = Fragment::default();
        place.push(condition, whole.user.id).raw(")");
        page(tx, &handle, &viewer, &filter, paging, place)
    })
    .await
}

async fn of_group(
    app: App,
    viewer: Viewer,
    params: Params<ListOfGroup>,
    paging: Paging,
) -> Result<Paged<ProjectEntity>> {
    let reference = params.id.clone();
    let deep = params.include_subgroups.unwrap_or(false);
    let shared = params.with_shared.unwrap_or(true);
    let filter = params.0.filter();
    let handle = app.clone();
    app.read(move |tx| {
        let group = access::group(tx, &viewer, &reference, Purpose::Read)?;
        let mut place = Fragment::default();
        if deep {
            place
                .push(
                    "(projects.namespace_id in
                        (select n.id from namespaces n where n.lineage >= ",
                    &group.lineage,
                )
                .push(" and n.lineage < ", format!("{}:", group.lineage))
                .raw(")");
        } else {
            place.push("(projects.namespace_id = ", group.id);
        }
        if shared {
            place
                .push(
                    " or projects.id in (select s.source_id from shares s
                        where s.source_type = 'Project' and s.group_id = ",
                    group.id,
                )
                .raw(")");
        }
        place.raw(")");
        page(tx, &handle, &viewer, &filter, paging, place)
    })
    .await
}

fn page(
    tx: &mut Tx<'_>,
    app: &App,
    viewer: &Viewer,
    filter: &Filter,
    paging: Paging,
    place: Fragment,
) -> Result<Paged<ProjectEntity>> {
    let mut condition = condition(tx, viewer, filter, place);
    let keyset = paging.is_keyset();
    let default = if keyset {
        ProjectOrder::Id
    } else {
        ProjectOrder::CreatedAt
    };
    let order = filter.order.unwrap_or(default);
    if keyset && order != ProjectOrder::Id {
        return Err(keyset_unavailable());
    }
    let total = if keyset {
        None
    } else {
        Some(lists::count(tx, "projects", &condition)?)
    };
    if let Start::After(Some(keys)) = &paging.start {
        let last = keys
            .first()
            .and_then(|key| key.as_i64())
            .ok_or_else(|| Error::Parameters(vec!["cursor does not have a valid value".into()]))?;
        let beyond = if filter.sort == Sort::Asc { ">" } else { "<" };
        condition.push(&format!(" and projects.id {beyond} "), last);
    }
    let sort = filter.sort;
    let order = match order {
        ProjectOrder::Id => format!("projects.id {sort}"),
        other => format!("{} {sort}, projects.id {sort}", other.column()),
    };
    let mut rows = lists::projects(tx, &condition, &order, paging.fetch(), paging.offset())?;
    let more = rows.len() as i64 > paging.per_page;
    let beyond = if more { rows.pop() } else { None };
    let shown = entities::projects(tx, app, viewer, &rows, filter.simple, filter.statistics)?;
    rows.extend(beyond);
    let paged = match keyset {
        true => Paged::keyed(rows, paging, |row: &Project| vec![json!(row.id)]),
        false => Paged::numbered(rows, paging, total),
    };
    Ok(paged.replace(|_| shown))
}

fn condition(tx: &Tx<'_>, viewer: &Viewer, filter: &Filter, place: Fragment) -> Fragment {
    let mut condition = filter.shown.condition(tx, viewer);
    condition.raw(" and (").append(place).raw(")");
    let elsewhere = filter.storage.as_deref() != Some("default") && filter.storage.is_some();
    if viewer.is_admin() && elsewhere {
        condition.raw(" and false");
    }
    condition
}
