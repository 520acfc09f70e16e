//! Moves of groups and projects.

use super::{Caller, change_group, change_project};
use crate::entities::{GroupEntity, ProjectEntity};
use crate::rules;
use kernel::error::Result;
use kernel::http::{Created, Ok200, Params, Routes};
use kernel::ids::Reference;

pub fn routes(r: &mut Routes) {
    r.post("/groups/{id}/transfer", group).summary("Moves a group");
    r.put("/projects/{id}/transfer", project).summary("Moves a project");
}

kernel::params! {
    /// A group to move.
    pub struct TransferGroup {
        /// Id or path of the group.
        pub id: Reference,
        /// Below which; to the top unless given.
        pub group_id: Option<i64>,
    }
}

async fn group(by: Caller, params: Params<TransferGroup>) -> Result<Created<GroupEntity>> {
    let moved = change_group(by, move |tx, viewer| {
        rules::transfer_group(tx, viewer, &params.id, params.group_id)
    });
    moved.await.map(Created)
}

kernel::params! {
    /// A project to move.
    pub struct TransferProject {
        /// Id or path of the project.
        pub id: Reference,
        /// Id or path of where to.
        pub namespace: Reference,
    }
}

async fn project(by: Caller, params: Params<TransferProject>) -> Result<Ok200<ProjectEntity>> {
    let moved = change_project(by, move |tx, viewer| {
        rules::transfer_project(tx, viewer, &params.id, &params.namespace)
    });
    moved.await.map(Ok200)
}
