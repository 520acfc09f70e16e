//! Projects: lists, one, create, change, star, archive, delete.

use super::Sort;
use super::groups::keyset_unavailable;
use crate::access::{self, GUEST, OWNER, Purpose};
use crate::entities::{self, ProjectEntity};
use crate::model::{Project, Visibility};
use crate::rules::{self, ProjectChange};
use crate::store as lists;
use crate::store::contains;
use identity::entities::{UserBasic, basic};
use identity::model::User;
use identity::viewer::{Admin, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::Patch;
use kernel::http::reply::{empty, json as reply_json};
use kernel::http::serve::check_unmodified;
use kernel::http::{
    Accepted, Asked, Created, Ok200, Paged, Paging, Params, Response, Routes, Start,
};
use kernel::ids::{Reference, fold};
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use std::sync::Arc;
use store::{Fragment, Tx};

pub fn routes(r: &mut Routes) {
    r.get("/projects", list)
        .summary("Lists the projects the caller may see");
    r.get("/users/{id}/projects", of_user)
        .summary("Lists the projects a user owns");
    r.get("/groups/{id}/projects", of_group)
        .summary("Lists the projects of a group");
    r.post("/projects", create).summary("Creates a project");
    r.post("/projects/user/{user_id}", create_for)
        .summary("Creates a project for a user");
    r.get("/projects/{id}", show).summary("Shows a project");
    r.put("/projects/{id}", update).summary("Changes a project");
    r.delete("/projects/{id}", destroy)
        .summary("Deletes a project by a job");
    r.post("/projects/{id}/archive", archive)
        .summary("Makes a project read-only");
    r.post("/projects/{id}/unarchive", unarchive)
        .summary("Makes a project writable");
    r.post("/projects/{id}/star", star)
        .summary("Stars a project");
    r.post("/projects/{id}/unstar", unstar)
        .summary("Takes a star back");
    r.get("/projects/{id}/starrers", starrers)
        .summary("Lists who starred a project");
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
                /// With bytes in use.
                pub statistics: Option<bool>,
                /// Where the repository lies; administrators only.
                pub repository_storage: Option<String>,
            }
        }

        impl $name {
            fn filter(self) -> Filter {
                Filter {
                    membership: self.membership.unwrap_or(false),
                    owned: self.owned.unwrap_or(false),
                    starred: self.starred.unwrap_or(false),
                    archived: self.archived,
                    visibility: self.visibility,
                    search: self.search.filter(|text| !text.is_empty()),
                    search_namespaces: self.search_namespaces.unwrap_or(false),
                    simple: self.simple.unwrap_or(false),
                    topics: self.topic.unwrap_or_default(),
                    min_access_level: self.min_access_level,
                    order: self.order_by,
                    sort: self.sort.unwrap_or(Sort::Desc),
                    id_after: self.id_after,
                    id_before: self.id_before,
                    times: [
                        ("projects.last_activity_at >= ", self.last_activity_after),
                        ("projects.last_activity_at <= ", self.last_activity_before),
                        ("projects.updated_at >= ", self.updated_after),
                        ("projects.updated_at <= ", self.updated_before),
                    ],
                    with_issues: self.with_issues_enabled.unwrap_or(false),
                    with_merge_requests: self.with_merge_requests_enabled.unwrap_or(false),
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
    membership: bool,
    owned: bool,
    starred: bool,
    archived: Option<bool>,
    visibility: Option<Visibility>,
    search: Option<String>,
    search_namespaces: bool,
    simple: bool,
    topics: Vec<String>,
    min_access_level: Option<i64>,
    order: Option<ProjectOrder>,
    sort: Sort,
    id_after: Option<i64>,
    id_before: Option<i64>,
    times: [(&'static str, Option<Timestamp>); 4],
    with_issues: bool,
    with_merge_requests: bool,
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
    let reference = params.id.clone();
    let filter = params.0.filter();
    let handle = app.clone();
    app.read(move |tx| {
        let user = identity::users::by_reference(tx, &reference)?.ok_or(Error::NotFound("User"))?;
        let whole = identity::users::whole(tx, user, None)?;
        if !identity::access::sees_activity(&viewer, &whole) {
            return Err(Error::NotFound("User"));
        }
        let user = whole.user;
        let mut place = Fragment::default();
        place
            .push(
                "projects.namespace_id in
                    (select n.id from namespaces n where n.owner_id = ",
                user.id,
            )
            .raw(")");
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
    let mut condition = access::visible_projects(tx, viewer, Purpose::Read);
    condition.raw(" and (").append(place).raw(")");
    let least = [
        filter.membership.then_some(GUEST),
        filter.owned.then_some(OWNER),
        filter.min_access_level,
    ];
    if let Some(level) = least.into_iter().flatten().max() {
        match viewer.user_id() {
            Some(user_id) => {
                condition
                    .raw(" and ")
                    .append(access::projects_of(tx, user_id, level));
            }
            None => {
                condition.raw(" and false");
            }
        }
    }
    if filter.starred {
        let user_id = viewer.user_id().unwrap_or(-1);
        condition
            .push(
                " and projects.id in (select s.project_id from stars s where s.user_id = ",
                user_id,
            )
            .raw(")");
    }
    if let Some(archived) = filter.archived {
        condition.push(" and projects.archived = ", archived);
    }
    if let Some(visibility) = filter.visibility {
        condition.push(" and projects.visibility = ", visibility.level());
    }
    if let Some(search) = &filter.search {
        search_in(&mut condition, search, filter.search_namespaces);
    }
    for topic in &filter.topics {
        // The text of a JSON list of texts is the same on both engines.
        let quoted = json!(topic).to_string();
        condition
            .push(
                " and cast(projects.topics as text) like ",
                contains(&quoted),
            )
            .raw(" escape '\\'");
    }
    if let Some(id) = filter.id_after {
        condition.push(" and projects.id > ", id);
    }
    if let Some(id) = filter.id_before {
        condition.push(" and projects.id < ", id);
    }
    for (test, at) in filter.times {
        if let Some(at) = at {
            condition.push(&format!(" and {test}"), at);
        }
    }
    if filter.with_issues {
        condition.raw(" and coalesce(projects.features ->> 'issues', '') <> 'disabled'");
    }
    if filter.with_merge_requests {
        condition.raw(" and coalesce(projects.features ->> 'merge_requests', '') <> 'disabled'");
    }
    if filter
        .storage
        .as_deref()
        .is_some_and(|storage| viewer.is_admin() && storage != "default")
    {
        condition.raw(" and false");
    }
    condition
}

fn search_in(condition: &mut Fragment, search: &str, namespaces: bool) {
    let pattern = contains(&fold(search));
    condition
        .push(" and (projects.name_folded like ", pattern.as_str())
        .raw(" escape '\\'");
    if namespaces {
        condition
            .push(" or projects.full_path_folded like ", pattern.as_str())
            .raw(" escape '\\'");
    } else {
        condition
            .push(" or lower(projects.path) like ", pattern.as_str())
            .raw(" escape '\\'");
    }
    condition
        .push(" or lower(projects.description) like ", pattern.as_str())
        .raw(" escape '\\')");
}

kernel::choices! {
    /// Who may use a feature.
    pub enum FeatureLevel {
        Disabled = "disabled",
        Private = "private",
        Enabled = "enabled",
        Public = "public",
    }
}

kernel::choices! {
    /// How branches are joined.
    pub enum MergeMethod { Merge = "merge", RebaseMerge = "rebase_merge", Ff = "ff" }
}

kernel::choices! {
    /// Whether commits are squashed.
    pub enum SquashOption {
        Never = "never",
        Always = "always",
        DefaultOn = "default_on",
        DefaultOff = "default_off",
    }
}

macro_rules! project_fields {
    ($(#[doc = $outer:literal])* $name:ident { $($(#[doc = $doc:literal])* $field:ident: $ty:ty),* $(,)? }
     features { $($feature:ident: $key:literal,)* } switches { $($switch:ident: $of:literal,)* }) => {
        kernel::params! {
            $(#[doc = $outer])*
            pub struct $name {
                $($(#[doc = $doc])* pub $field: $ty,)*
                /// Display name.
                pub name: Option<String>,
                /// Last part of its address.
                pub path: Option<String>,
                /// What it is for.
                pub description: Patch<String>,
                /// Who sees it.
                pub visibility: Option<Visibility>,
                /// The branch shown first.
                pub default_branch: Option<String>,
                /// Topics.
                pub topics: Option<Vec<String>>,
                /// Topics, by their old name.
                pub tag_list: Option<Vec<String>>,
                /// How branches are joined.
                pub merge_method: Option<MergeMethod>,
                /// Whether commits are squashed.
                pub squash_option: Option<SquashOption>,
                /// Users may ask for access.
                pub request_access_enabled: Option<bool>,
                /// The package registry is on.
                pub packages_enabled: Option<bool>,
                $(
                    /// Who may use the feature.
                    pub $feature: Option<FeatureLevel>,
                )*
                $(
                    /// Whether the feature is on; its access level wins.
                    pub $switch: Option<bool>,
                )*
            }
        }

        impl $name {
            fn change(&self) -> ProjectChange {
                let mut change = ProjectChange {
                    name: self.name.clone(),
                    path: self.path.clone(),
                    description: super::groups::text(&self.description),
                    visibility: self.visibility,
                    default_branch: self.default_branch.clone(),
                    topics: self.topics.clone().or_else(|| self.tag_list.clone()),
                    merge_method: self.merge_method.map(|value| value.to_string()),
                    squash_option: self.squash_option.map(|value| value.to_string()),
                    request_access_enabled: self.request_access_enabled,
                    packages_enabled: self.packages_enabled,
                    ..ProjectChange::default()
                };
                $(
                    if let Some(on) = self.$switch {
                        let level = if on { "enabled" } else { "disabled" };
                        change.features.insert($of.to_owned(), level.to_owned());
                    }
                )*
                $(
                    if let Some(level) = self.$feature {
                        change.features.insert($key.to_owned(), level.to_string());
                    }
                )*
                change
            }
        }
    };
    ($(#[doc = $outer:literal])* $name:ident { $($fields:tt)* }) => {
        project_fields! {
            $(#[doc = $outer])* $name { $($fields)* }
            features {
                issues_access_level: "issues",
                repository_access_level: "repository",
                merge_requests_access_level: "merge_requests",
                forking_access_level: "forking",
                wiki_access_level: "wiki",
                builds_access_level: "builds",
                snippets_access_level: "snippets",
                pages_access_level: "pages",
                analytics_access_level: "analytics",
                container_registry_access_level: "container_registry",
                security_and_compliance_access_level: "security_and_compliance",
                releases_access_level: "releases",
                environments_access_level: "environments",
                feature_flags_access_level: "feature_flags",
                infrastructure_access_level: "infrastructure",
                monitor_access_level: "monitor",
                model_experiments_access_level: "model_experiments",
                model_registry_access_level: "model_registry",
                package_registry_access_level: "package_registry",
                requirements_access_level: "requirements",
            }
            switches {
                issues_enabled: "issues",
                merge_requests_enabled: "merge_requests",
                wiki_enabled: "wiki",
                jobs_enabled: "builds",
                snippets_enabled: "snippets",
                container_registry_enabled: "container_registry",
            }
        }
    };
}

project_fields! {
    /// A new project.
    CreateProject {
        /// Where it is to stand; the caller's own namespace unless given.
        namespace_id: Option<i64>,
    }
}
project_fields! {
    /// A new project of another user.
    CreateFor {
        /// Whose.
        user_id: i64,
        /// Where it is to stand; the user's own namespace unless given.
        namespace_id: Option<i64>,
    }
}
project_fields! {
    /// Changes of a project.
    UpdateProject {
        /// Id or path of the project.
        id: Reference,
    }
}

fn own_namespace(tx: &mut Tx<'_>, user_id: i64) -> Result<i64> {
    let found: Option<i64> = tx.optional(
        store::sql!(
            "select id from namespaces where owner_id = $1 and kind = 'user'
                and deletion_scheduled_at is null"
        ),
        (user_id,),
    )?;
    found.ok_or(Error::NotFound("Namespace"))
}

async fn create(
    app: App,
    viewer: Viewer,
    params: Params<CreateProject>,
) -> Result<Created<ProjectEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.write(move |tx| {
        let user = viewer.signed_in()?.user.clone();
        let namespace = match params.namespace_id {
            Some(id) => id,
            None => own_namespace(tx, user.id)?,
        };
        let home = rules::namespace_for_projects(tx, &viewer, &Reference::Id(namespace))?;
        if home.owner_id == Some(user.id) {
            check_limit(tx, &user, home.id)?;
        }
        let made = rules::create_project(tx, &viewer, &home, user.id, &params.change())?;
        entities::one_project(tx, &handle, &viewer, &made, false).map(Created)
    })
    .await
}

fn check_limit(tx: &mut Tx<'_>, user: &User, namespace_id: i64) -> Result<()> {
    let held: i64 = tx.one(
        store::sql!("select count(*) from projects where namespace_id = $1"),
        (namespace_id,),
    )?;
    if held < user.projects_limit {
        return Ok(());
    }
    Err(Error::invalid(
        "limit_reached",
        format!("Your project limit is {} projects.", user.projects_limit),
    ))
}

async fn create_for(
    app: App,
    admin: Admin,
    params: Params<CreateFor>,
) -> Result<Created<ProjectEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.write(move |tx| {
        let viewer = admin.viewer();
        let user = identity::users::find(tx, params.user_id)?.ok_or(Error::NotFound("User"))?;
        let namespace = match params.namespace_id {
            Some(id) => id,
            None => own_namespace(tx, user.id)?,
        };
        let home = rules::namespace_for_projects(tx, &viewer, &Reference::Id(namespace))?;
        let made = rules::create_project(tx, &viewer, &home, user.id, &params.change())?;
        entities::one_project(tx, &handle, &viewer, &made, false).map(Created)
    })
    .await
}

kernel::params! {
    /// One project.
    pub struct ShowProject {
        /// Id or path of the project.
        pub id: Reference,
        /// With bytes in use, for reporters.
        pub statistics: Option<bool>,
    }
}

async fn show(
    app: App,
    viewer: Viewer,
    params: Params<ShowProject>,
) -> Result<Ok200<ProjectEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.read(move |tx| {
        let project = access::project(tx, &viewer, &params.id, Purpose::Read)?;
        let statistics = params.statistics.unwrap_or(false)
            && access::level_in_project(tx, &viewer, &project)? >= access::REPORTER;
        entities::one_project(tx, &handle, &viewer, &project, statistics).map(Ok200)
    })
    .await
}

async fn update(
    app: App,
    viewer: Viewer,
    params: Params<UpdateProject>,
) -> Result<Ok200<ProjectEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.write(move |tx| {
        let project = rules::update_project(tx, &viewer, &params.id, &params.change())?;
        entities::one_project(tx, &handle, &viewer, &project, false).map(Ok200)
    })
    .await
}

kernel::params! {
    /// A project to delete.
    pub struct DestroyProject {
        /// Id or path of the project.
        pub id: Reference,
        /// Needs the full path too; deletion is at once in any case.
        pub permanently_remove: Option<bool>,
        /// The project's full path, as a safeguard.
        pub full_path: Option<String>,
    }
}

async fn destroy(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    params: Params<DestroyProject>,
) -> Result<Accepted> {
    let params = params.0;
    app.write(move |tx| {
        let project = access::project(tx, &viewer, &params.id, Purpose::Destroy)?;
        check_unmodified(&asked, project.updated_at)?;
        if params.permanently_remove.unwrap_or(false)
            && params.full_path.as_deref() != Some(project.full_path.as_str())
        {
            return Err(Error::BadRequest("`full_path` is incorrect.".into()));
        }
        rules::destroy_project(tx, &viewer, &project)?;
        Ok(Accepted)
    })
    .await
}

kernel::params! {
    /// A project.
    pub struct OneProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

async fn archive(
    app: App,
    viewer: Viewer,
    params: Params<OneProject>,
) -> Result<Created<ProjectEntity>> {
    set_archived(app, viewer, params.0.id, true).await
}

async fn unarchive(
    app: App,
    viewer: Viewer,
    params: Params<OneProject>,
) -> Result<Created<ProjectEntity>> {
    set_archived(app, viewer, params.0.id, false).await
}

async fn set_archived(
    app: App,
    viewer: Viewer,
    id: Reference,
    archived: bool,
) -> Result<Created<ProjectEntity>> {
    let handle = app.clone();
    app.write(move |tx| {
        let project = rules::archive_project(tx, &viewer, &id, archived)?;
        entities::one_project(tx, &handle, &viewer, &project, false).map(Created)
    })
    .await
}

async fn star(app: App, viewer: Viewer, params: Params<OneProject>) -> Result<Response> {
    set_starred(app, viewer, params.0.id, true).await
}

async fn unstar(app: App, viewer: Viewer, params: Params<OneProject>) -> Result<Response> {
    set_starred(app, viewer, params.0.id, false).await
}

/// 201 with the project, or 304 when it already was so.
async fn set_starred(app: App, viewer: Viewer, id: Reference, starred: bool) -> Result<Response> {
    let handle = app.clone();
    let changed = app
        .write(
            move |tx| match rules::star_project(tx, &viewer, &id, starred)? {
                Some(project) => {
                    entities::one_project(tx, &handle, &viewer, &project, false).map(Some)
                }
                None => Ok(None),
            },
        )
        .await?;
    match changed {
        Some(entity) => reply_json(http::StatusCode::CREATED, &entity),
        None => Ok(empty(http::StatusCode::NOT_MODIFIED)),
    }
}

kernel::params! {
    /// A project and a search among who starred it.
    pub struct ListStarrers {
        /// Id or path of the project.
        pub id: Reference,
        /// In name or username.
        pub search: Option<String>,
    }
}

/// Somebody who starred a project.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StarrerEntity {
    starred_since: String,
    user: UserBasic,
}

struct Starrer {
    since: Timestamp,
    user: User,
}

impl store::FromRow for Starrer {
    fn from_row(row: &mut store::Row<'_>) -> store::Result<Self> {
        Ok(Starrer {
            since: row.get("starred_since")?,
            user: User::from_row(row)?,
        })
    }
}

async fn starrers(
    app: App,
    viewer: Viewer,
    params: Params<ListStarrers>,
    paging: Paging,
) -> Result<Paged<StarrerEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.read(move |tx| {
        let project = access::project(tx, &viewer, &params.id, Purpose::Read)?;
        let mut condition = Fragment::default();
        condition
            .push(
                "users.id = stars.user_id and stars.project_id = ",
                project.id,
            )
            .raw(" and users.state = 'active'");
        if let Some(search) = params.search.as_deref().filter(|search| !search.is_empty()) {
            let pattern = contains(&fold(search));
            condition
                .push(" and (users.name_folded like ", pattern.as_str())
                .push(
                    " escape '\\' or users.username_folded like ",
                    pattern.as_str(),
                )
                .raw(" escape '\\')");
        }
        let total = lists::count(tx, "stars, users", &condition)?;
        let mut list = Fragment::new(
            "select users.*, stars.created_at as starred_since from stars, users where ",
        );
        list.append(condition);
        list.push(" order by users.id limit ", paging.fetch());
        list.push(" offset ", paging.offset());
        let rows: Vec<Starrer> = tx.query(list)?;
        Ok(
            Paged::numbered(rows, paging, Some(total)).map(|row| StarrerEntity {
                starred_since: wire::text(row.since),
                user: basic(&handle, &row.user),
            }),
        )
    })
    .await
}
