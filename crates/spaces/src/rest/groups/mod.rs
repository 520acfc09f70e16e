//! Groups: lists, one, create, change, delete.

mod listing;

use crate::access::{self, Purpose};
use crate::entities::{self, GroupEntity};
use crate::model::Visibility;
use crate::rules::{self, GroupChange};
use crate::store as lists;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::conditional::check_unmodified;
use kernel::http::params::Patch;
use kernel::http::{Accepted, Created, Ok200, Paged, Paging, Params, RequestContext, Routes};
use kernel::ids::Reference;
pub use listing::keyset_unavailable;
use listing::{ListBelow, ListGroups, below, page};
use std::sync::Arc;
use store::Fragment;

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

macro_rules! group_fields {
    ($(#[doc = $outer:literal])* $name:ident, $required:ty, |$given:ident| $some:expr;
        $(#[doc = $doc:literal])* $own:ident: $ty:ty) => {
        kernel::params! {
            $(#[doc = $outer])*
            pub struct $name {
                $(#[doc = $doc])*
                pub $own: $ty,
                /// Display name.
                pub name: $required,
                /// Last part of its address.
                pub path: $required,
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

        impl $name {
            /// The change that is asked for.
            fn change(&self) -> GroupChange {
                let given = |$given: $required| $some;
                GroupChange {
                    name: given(self.name.clone()),
                    path: given(self.path.clone()),
                    description: text(&self.description),
                    visibility: self.visibility,
                    project_creation_level: self.project_creation_level.map(|l| l.to_string()),
                    subgroup_creation_level: self.subgroup_creation_level.map(|l| l.to_string()),
                    share_with_group_lock: self.share_with_group_lock,
                    require_two_factor: self.require_two_factor_authentication,
                    two_factor_grace_period: self.two_factor_grace_period,
                    emails_enabled: self.emails_enabled,
                    mentions_disabled: self.mentions_disabled,
                    lfs_enabled: self.lfs_enabled,
                    request_access_enabled: self.request_access_enabled,
                    default_branch: self.default_branch.clone(),
                }
            }
        }
    };
}

group_fields! {
    /// A new group.
    CreateGroup, String, |given| Some(given);
    /// The group it is to stand in.
    parent_id: Option<i64>
}
group_fields! {
    /// Changes of a group.
    UpdateGroup, Option<String>, |given| given;
    /// Id or path of the group.
    id: Reference
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
        let group = rules::create_group(tx, &viewer, params.parent_id, &params.change())?;
        entities::one_group(tx, &handle, &viewer, &group).map(Created)
    })
    .await
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
        let group = rules::update_group(tx, &viewer, &params.id, &params.change())?;
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
    asked: Arc<RequestContext>,
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
