//! Groups: lists, one, create, change, delete.

use super::Sort;
use crate::access::{self, GUEST, OWNER, Purpose};
use crate::entities::{self, GroupEntity};
use crate::model::{Namespace, Visibility};
use crate::rules::{self, GroupChange};
use crate::store as lists;
use crate::store::filters::search_groups;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::params::Patch;
use kernel::http::serve::check_unmodified;
use kernel::http::{Accepted, Asked, Created, Ok200, Paged, Paging, Params, Routes, Start};
use kernel::ids::{Reference, fold};
use serde_json::json;
use std::sync::Arc;
use store::{Fragment, Tx};

pub fn routes(r: &mut Routes) {
    r.get("/groups", list)
        .summary("Lists the groups the caller may see");
    r.post("/groups", create).summary("Creates a group");
    r.get("/groups/{id}", show).summary("Shows a group");
    r.put("/groups/{id}", update).summary("Changes a group");
    r.delete("/groups/{id}", destroy)
        .summary("Deletes a group by a job");
    r.get("/groups/{id}/subgroups", subgroups)
        .summary("Lists the groups right below a group");
    r.get("/groups/{id}/descendant_groups", descendants)
        .summary("Lists the groups below a group");
}

kernel::choices! {
    /// Orders of groups.
    pub enum GroupOrder { Name = "name", Path = "path", Id = "id", Similarity = "similarity" }
}

kernel::params! {
    /// Filters of a list of groups.
    pub struct ListGroups {
        /// Not these groups.
        pub skip_groups: Option<Vec<i64>>,
        /// All groups the caller may see, not only their own.
        pub all_available: Option<bool>,
        /// In name or path.
        pub search: Option<String>,
        /// What to sort by.
        pub order_by: Option<GroupOrder>,
        /// Direction.
        pub sort: Option<Sort>,
        /// Only groups the caller owns.
        pub owned: Option<bool>,
        /// Only groups where the caller has at least this role.
        pub min_access_level: Option<i64>,
        /// Only groups without a parent.
        pub top_level_only: Option<bool>,
        /// With bytes in use, where the caller owns the group.
        pub statistics: Option<bool>,
        /// Only of this visibility.
        pub visibility: Option<Visibility>,
    }
}

kernel::params! {
    /// A group and filters of the groups below it.
    pub struct ListBelow {
        /// Id or path of the group.
        pub id: Reference,
        /// Not these groups.
        pub skip_groups: Option<Vec<i64>>,
        /// All groups the caller may see, not only their own.
        pub all_available: Option<bool>,
        /// In name or path.
        pub search: Option<String>,
        /// What to sort by.
        pub order_by: Option<GroupOrder>,
        /// Direction.
        pub sort: Option<Sort>,
        /// Only groups the caller owns.
        pub owned: Option<bool>,
        /// Only groups where the caller has at least this role.
        pub min_access_level: Option<i64>,
        /// With bytes in use, where the caller owns the group.
        pub statistics: Option<bool>,
        /// Only of this visibility.
        pub visibility: Option<Visibility>,
    }
}

async fn list(
    app: App,
    viewer: Viewer,
    params: Params<ListGroups>,
    paging: Paging,
) -> Result<Paged<GroupEntity>> {
    let filter = params.0;
    let handle = app.clone();
    app.read(move |tx| page(tx, &handle, &viewer, &filter, paging, Fragment::new("true")))
        .await
}

async fn subgroups(
    app: App,
    viewer: Viewer,
    params: Params<ListBelow>,
    paging: Paging,
) -> Result<Paged<GroupEntity>> {
    below(app, viewer, params.0, paging, true).await
}

async fn descendants(
    app: App,
    viewer: Viewer,
    params: Params<ListBelow>,
    paging: Paging,
) -> Result<Paged<GroupEntity>> {
    below(app, viewer, params.0, paging, false).await
}

async fn below(
    app: App,
    viewer: Viewer,
    params: ListBelow,
    paging: Paging,
    children_only: bool,
) -> Result<Paged<GroupEntity>> {
    let handle = app.clone();
    app.read(move |tx| {
        let top = access::group(tx, &viewer, &params.id, Purpose::Read)?;
        let mut place = Fragment::default();
        if children_only {
            place.push("namespaces.parent_id = ", top.id);
        } else {
            place
                .push("namespaces.lineage > ", &top.lineage)
                .push(" and namespaces.lineage < ", format!("{}:", top.lineage));
        }
        let filter = ListGroups {
            skip_groups: params.skip_groups,
            // Inside a visible group everything visible is listed.
            all_available: Some(true),
            search: params.search,
            order_by: params.order_by,
            sort: params.sort,
            owned: params.owned,
            min_access_level: params.min_access_level,
            top_level_only: None,
            statistics: params.statistics,
            visibility: params.visibility,
        };
        page(tx, &handle, &viewer, &filter, paging, place)
    })
    .await
}

fn page(
    tx: &mut Tx<'_>,
    app: &App,
    viewer: &Viewer,
    filter: &ListGroups,
    paging: Paging,
    place: Fragment,
) -> Result<Paged<GroupEntity>> {
    let mut condition = condition(tx, viewer, filter, place);
    let order = filter.order_by.unwrap_or(GroupOrder::Name);
    let direction = filter.sort.unwrap_or(Sort::Asc);
    if paging.is_keyset() && (order != GroupOrder::Name || direction != Sort::Asc) {
        return Err(keyset_unavailable());
    }
    let total = match paging.is_keyset() {
        true => None,
        false => Some(lists::count(tx, "namespaces", &condition)?),
    };
    if let Start::After(Some(keys)) = &paging.start {
        after_name(&mut condition, keys)?;
    }
    let column = match order {
        GroupOrder::Name | GroupOrder::Similarity => "namespaces.name_folded",
        GroupOrder::Path => "namespaces.full_path_folded",
        GroupOrder::Id => "namespaces.id",
    };
    let order = format!("{column} {direction}, namespaces.id {direction}");
    let rows = lists::namespaces(tx, &condition, &order, paging.fetch(), paging.offset())?;
    let mut statistics = match filter.statistics {
        Some(true) => entities::group_statistics(tx, viewer, &rows)?,
        _ => Default::default(),
    };
    let paged = match total {
        Some(_) => Paged::numbered(rows, paging, total),
        None => Paged::keyed(rows, paging, |row: &Namespace| {
            vec![json!(fold(&row.name)), json!(row.id)]
        }),
    };
    Ok(paged.map(|row| {
        let mut entity = entities::group(app, &row);
        entity.statistics = statistics.remove(&row.id);
        entity
    }))
}

fn after_name(condition: &mut Fragment, keys: &[serde_json::Value]) -> Result<()> {
    let (Some(name), Some(id)) = (
        keys.first().and_then(|key| key.as_str()),
        keys.get(1).and_then(|key| key.as_i64()),
    ) else {
        return Err(Error::Parameters(vec![
            "cursor does not have a valid value".into(),
        ]));
    };
    condition
        .push(" and (namespaces.name_folded > ", name)
        .push(" or (namespaces.name_folded = ", name)
        .push(" and namespaces.id > ", id)
        .raw("))");
    Ok(())
}

/// Orders in which pages cannot be found by key.
pub fn keyset_unavailable() -> Error {
    let text = "Keyset pagination is not yet available for this type of request";
    Error::Exact(405, json!({"error": text, "message": text}))
}

fn condition(tx: &Tx<'_>, viewer: &Viewer, filter: &ListGroups, place: Fragment) -> Fragment {
    let mut condition = access::visible_groups(tx, viewer);
    condition.raw(" and (").append(place).raw(")");
    let user_id = viewer.user_id();
    let owned = filter.owned.unwrap_or(false);
    let least = if owned {
        Some(OWNER)
    } else {
        filter.min_access_level
    };
    match (user_id, least) {
        (Some(user_id), Some(level)) => {
            condition
                .raw(" and ")
                .append(access::groups_of(tx, user_id, level));
        }
        (None, Some(_)) => {
            condition.raw(" and false");
        }
        (Some(user_id), None) if !filter.all_available.unwrap_or(viewer.is_admin()) => {
            condition
                .raw(" and ")
                .append(access::groups_joined(tx, user_id, GUEST));
        }
        _ => {}
    }
    search_groups(&mut condition, filter.search.as_deref());
    if let Some(skipped) = &filter.skip_groups {
        condition
            .raw(" and namespaces.id not in_list(")
            .bind(skipped)
            .raw(")");
    }
    if filter.top_level_only.unwrap_or(false) {
        condition.raw(" and namespaces.parent_id is null");
    }
    if let Some(visibility) = filter.visibility {
        condition.push(" and namespaces.visibility = ", visibility.level());
    }
    condition
}

kernel::choices! {
    /// Who may create projects.
    pub enum ProjectCreation {
        NoOne = "noone",
        Owner = "owner",
        Maintainer = "maintainer",
        Developer = "developer",
        Administrator = "administrator",
    }
}

kernel::choices! {
    /// Who may create groups.
    pub enum SubgroupCreation { Owner = "owner", Maintainer = "maintainer" }
}

kernel::params! {
    /// A new group.
    pub struct CreateGroup {
        /// Display name.
        pub name: String,
        /// Last part of its address.
        pub path: String,
        /// The group it is to stand in.
        pub parent_id: Option<i64>,
        /// What it is for.
        pub description: Option<String>,
        /// Who sees it.
        pub visibility: Option<Visibility>,
        /// Who may create projects in it.
        pub project_creation_level: Option<ProjectCreation>,
        /// Who may create groups in it.
        pub subgroup_creation_level: Option<SubgroupCreation>,
        /// Projects in it cannot be shared.
        pub share_with_group_lock: Option<bool>,
        /// Members need two factors.
        pub require_two_factor_authentication: Option<bool>,
        /// Hours they have to set up the second.
        pub two_factor_grace_period: Option<i64>,
        /// Sends mail.
        pub emails_enabled: Option<bool>,
        /// Cannot be mentioned.
        pub mentions_disabled: Option<bool>,
        /// Large files.
        pub lfs_enabled: Option<bool>,
        /// Users may ask for access.
        pub request_access_enabled: Option<bool>,
        /// Of its new projects.
        pub default_branch: Option<String>,
    }
}

kernel::params! {
    /// Changes of a group.
    pub struct UpdateGroup {
        /// Id or path of the group.
        pub id: Reference,
        /// Display name.
        pub name: Option<String>,
        /// Last part of its address.
        pub path: Option<String>,
        /// What it is for.
        pub description: Patch<String>,
        /// Who sees it.
        pub visibility: Option<Visibility>,
        /// Who may create projects in it.
        pub project_creation_level: Option<ProjectCreation>,
        /// Who may create groups in it.
        pub subgroup_creation_level: Option<SubgroupCreation>,
        /// Projects in it cannot be shared.
        pub share_with_group_lock: Option<bool>,
        /// Members need two factors.
        pub require_two_factor_authentication: Option<bool>,
        /// Hours they have to set up the second.
        pub two_factor_grace_period: Option<i64>,
        /// Sends mail.
        pub emails_enabled: Option<bool>,
        /// Cannot be mentioned.
        pub mentions_disabled: Option<bool>,
        /// Large files.
        pub lfs_enabled: Option<bool>,
        /// Users may ask for access.
        pub request_access_enabled: Option<bool>,
        /// Of its new projects.
        pub default_branch: Option<String>,
    }
}

fn creation(params: &CreateGroup) -> GroupChange {
    GroupChange {
        name: Some(params.name.clone()),
        path: Some(params.path.clone()),
        description: params.description.clone(),
        visibility: params.visibility,
        project_creation_level: params.project_creation_level.map(|l| l.to_string()),
        subgroup_creation_level: params.subgroup_creation_level.map(|l| l.to_string()),
        share_with_group_lock: params.share_with_group_lock,
        require_two_factor: params.require_two_factor_authentication,
        two_factor_grace_period: params.two_factor_grace_period,
        emails_enabled: params.emails_enabled,
        mentions_disabled: params.mentions_disabled,
        lfs_enabled: params.lfs_enabled,
        request_access_enabled: params.request_access_enabled,
        default_branch: params.default_branch.clone(),
    }
}

fn change(params: &UpdateGroup) -> GroupChange {
    GroupChange {
        name: params.name.clone(),
        path: params.path.clone(),
        description: text(&params.description),
        visibility: params.visibility,
        project_creation_level: params.project_creation_level.map(|l| l.to_string()),
        subgroup_creation_level: params.subgroup_creation_level.map(|l| l.to_string()),
        share_with_group_lock: params.share_with_group_lock,
        require_two_factor: params.require_two_factor_authentication,
        two_factor_grace_period: params.two_factor_grace_period,
        emails_enabled: params.emails_enabled,
        mentions_disabled: params.mentions_disabled,
        lfs_enabled: params.lfs_enabled,
        request_access_enabled: params.request_access_enabled,
        default_branch: params.default_branch.clone(),
    }
}

/// Null empties a text.
pub fn text(patch: &Patch<String>) -> Option<String> {
    match patch {
        Patch::Absent => None,
        Patch::Null => Some(String::new()),
        Patch::Value(text) => Some(text.clone()),
    }
}

async fn create(
    app: App,
    viewer: Viewer,
    params: Params<CreateGroup>,
) -> Result<Created<GroupEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.write(move |tx| {
        let made = rules::create_group(tx, &viewer, params.parent_id, &creation(&params));
        let group = made.map_err(failed_to_save)?;
        entities::one_group(tx, &handle, &viewer, &group).map(Created)
    })
    .await
}

/// The form in which clients expect an unusable new group.
fn failed_to_save(error: Error) -> Error {
    let Error::Invalid(fields) = error else {
        return error;
    };
    let fields: serde_json::Map<String, serde_json::Value> = fields
        .into_iter()
        .map(|(name, messages)| (name, json!(messages)))
        .collect();
    let message = format!("Failed to save group {}", serde_json::Value::Object(fields));
    Error::Exact(400, json!({"message": message}))
}

kernel::params! {
    /// One group.
    pub struct ShowGroup {
        /// Id or path of the group.
        pub id: Reference,
        /// With its projects, at most 100; true unless refused.
        pub with_projects: Option<bool>,
        /// With bytes in use, for owners.
        pub statistics: Option<bool>,
    }
}

async fn show(app: App, viewer: Viewer, params: Params<ShowGroup>) -> Result<Ok200<GroupEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.read(move |tx| {
        let group = access::group(tx, &viewer, &params.id, Purpose::Read)?;
        let mut entity = entities::one_group(tx, &handle, &viewer, &group)?;
        if params.statistics.unwrap_or(false) {
            let rows = std::slice::from_ref(&group);
            entity.statistics = entities::group_statistics(tx, &viewer, rows)?.remove(&group.id);
        }
        if params.with_projects.unwrap_or(true) {
            let mut own = access::visible_projects(tx, &viewer, Purpose::Read);
            own.push(" and projects.namespace_id = ", group.id);
            let mut shared = access::visible_projects(tx, &viewer, Purpose::Read);
            shared
                .raw(" and projects.id in (select s.source_id from shares s ")
                .push(
                    "where s.source_type = 'Project' and s.group_id = ",
                    group.id,
                )
                .raw(")");
            let mut read = |condition: &Fragment| -> Result<_> {
                let rows = lists::projects(tx, condition, "projects.id desc", 100, 0)?;
                entities::projects(tx, &handle, &viewer, &rows, false, false)
            };
            entity.projects = Some(read(&own)?);
            entity.shared_projects = Some(read(&shared)?);
        }
        Ok(Ok200(entity))
    })
    .await
}

async fn update(
    app: App,
    viewer: Viewer,
    params: Params<UpdateGroup>,
) -> Result<Ok200<GroupEntity>> {
    let params = params.0;
    let handle = app.clone();
    app.write(move |tx| {
        let group = rules::update_group(tx, &viewer, &params.id, &change(&params))?;
        entities::one_group(tx, &handle, &viewer, &group).map(Ok200)
    })
    .await
}

kernel::params! {
    /// A group to delete.
    pub struct DestroyGroup {
        /// Id or path of the group.
        pub id: Reference,
        /// Needs the full path too; deletion is at once in any case.
        pub permanently_remove: Option<bool>,
        /// The group's full path, as a safeguard.
        pub full_path: Option<String>,
    }
}

async fn destroy(
    app: App,
    viewer: Viewer,
    asked: Arc<Asked>,
    params: Params<DestroyGroup>,
) -> Result<Accepted> {
    let params = params.0;
    app.write(move |tx| {
        let group = access::group(tx, &viewer, &params.id, Purpose::Destroy)?;
        check_unmodified(&asked, group.updated_at)?;
        if params.permanently_remove.unwrap_or(false)
            && params.full_path.as_deref() != Some(group.full_path.as_str())
        {
            return Err(Error::BadRequest("`full_path` is incorrect.".into()));
        }
        rules::destroy_group(tx, &viewer, &group)?;
        Ok(Accepted)
    })
    .await
}
