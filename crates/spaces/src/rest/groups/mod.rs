//! Groups: lists, one, create, change, delete.

mod listing;

use super::{Caller, Safeguard, change_group};
use crate::access::{self, Purpose};
use crate::entities::{self, GroupEntity};
use crate::rules::{self, GroupChange, GroupFields};
use crate::store::{self as lists, filters};
use kernel::error::Result;
use kernel::http::conditional::check_unmodified;
use kernel::http::{Accepted, Created, Flat, Ok200, Paged, Paging, Params, RequestContext, Routes};
use kernel::ids::Reference;
use listing::{ListBelow, ListGroups, below, page};
pub use listing::{keyset_unavailable, unknown_cursor};
use std::sync::Arc;
use store::Fragment;

pub fn routes(r: &mut Routes) {
    r.get("/groups", list).summary("Lists the groups the caller may see");
    r.post("/groups", create).summary("Creates a group");
    r.get("/groups/{id}", show).summary("Shows a group");
    r.put("/groups/{id}", update).summary("Changes a group");
    r.delete("/groups/{id}", destroy).summary("Deletes a group by a job");
    r.get("/groups/{id}/subgroups", subgroups)
        .summary("Lists the groups right below a group");
    r.get("/groups/{id}/descendant_groups", descendants)
        .summary("Lists the groups below a group");
}

async fn list(
    by: Caller, params: Params<ListGroups>, paging: Paging,
) -> Result<Paged<GroupEntity>> {
    by.read(move |tx, by| page(tx, by, &params, paging, Fragment::new("true")))
        .await
}

async fn subgroups(
    by: Caller, params: Params<ListBelow>, paging: Paging,
) -> Result<Paged<GroupEntity>> {
    below(by, params.0, paging, true).await
}

async fn descendants(
    by: Caller, params: Params<ListBelow>, paging: Paging,
) -> Result<Paged<GroupEntity>> {
    below(by, params.0, paging, false).await
}

kernel::params! {
    /// A new group.
    struct CreateGroup {
        /// The group it is to stand in.
        pub parent_id: Option<i64>,
        /// Display name.
        pub name: String,
        /// Last part of its address.
        pub path: String,
        pub fields: Flat<GroupFields>,
    }
}

kernel::params! {
    /// Changes of a group.
    struct UpdateGroup {
        /// Id or path of the group.
        pub id: Reference,
        pub change: Flat<GroupChange>,
    }
}

async fn create(by: Caller, params: Params<CreateGroup>) -> Result<Created<GroupEntity>> {
    let Params(new) = params;
    let change = GroupChange {
        name: Some(new.name),
        path: Some(new.path),
        fields: new.fields,
    };
    let made =
        change_group(by, move |tx, viewer| rules::create_group(tx, viewer, new.parent_id, &change));
    made.await.map(Created)
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

async fn show(by: Caller, params: Params<ShowGroup>) -> Result<Ok200<GroupEntity>> {
    by.read(move |tx, by| {
        let group = access::group(tx, &by.viewer, &params.id, Purpose::Read)?;
        let mut entity = entities::one_group(tx, by, &group)?;
        if params.statistics.unwrap_or(false) {
            let rows = std::slice::from_ref(&group);
            entity.statistics = entities::group_statistics(tx, &by.viewer, rows)?.remove(&group.id);
        }
        if params.with_projects.unwrap_or(true) {
            let mut read = |place: Fragment| -> Result<_> {
                let mut condition = access::visible_projects(tx, &by.viewer, Purpose::Read);
                condition.raw(" and ").append(place);
                let rows = lists::projects(tx, &condition, "projects.id desc", 100, 0)?;
                entities::projects(tx, by, &rows, false, false)
            };
            entity.projects = Some(read(filters::projects_right_in(group.id))?);
            entity.shared_projects = Some(read(filters::projects_shared_with(group.id))?);
        }
        Ok(Ok200(entity))
    })
    .await
}

async fn update(by: Caller, params: Params<UpdateGroup>) -> Result<Ok200<GroupEntity>> {
    let Params(new) = params;
    let changed =
        change_group(by, move |tx, viewer| rules::update_group(tx, viewer, &new.id, &new.change));
    changed.await.map(Ok200)
}

kernel::params! {
    /// A group to delete.
    struct DestroyGroup {
        /// Id or path of the group.
        pub id: Reference,
        pub safeguard: Flat<Safeguard>,
    }
}

async fn destroy(
    by: Caller, request: Arc<RequestContext>, params: Params<DestroyGroup>,
) -> Result<Accepted> {
    by.write(move |tx, by| {
        let group = access::group(tx, &by.viewer, &params.id, Purpose::Destroy)?;
        check_unmodified(&request, group.updated_at)?;
        params.safeguard.check(&group.full_path)?;
        rules::destroy_group(tx, &by.viewer, &group)?;
        Ok(Accepted)
    })
    .await
}
