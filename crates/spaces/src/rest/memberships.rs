//! What a user is a member of and has made.

use crate::hooks;
use crate::model::SourceKind;
use crate::store::members::{self, Held};
use identity::viewer::{Admin, SignedInViewer};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Ok200, Paged, Paging, Params, Routes};
use schemars::JsonSchema;
use serde::Serialize;

pub fn routes(r: &mut Routes) {
    r.get("/users/{id}/memberships", of_user).summary("Lists a user's memberships");
    r.get("/users/{id}/associations_count", associations)
        .summary("Counts what a user has made");
}

kernel::choices! {
    /// What somebody is a member of.
    pub enum MembershipType { Project = "Project", Namespace = "Namespace" }
}

kernel::params! {
    /// A user and a filter of their memberships.
    pub struct ListOfUser {
        /// Id of the user.
        pub id: i64,
        /// Only these.
        pub kind as "type": Option<MembershipType>,
    }
}

/// What a user is a member of.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MembershipEntity {
    source_id: i64,
    source_name: String,
    source_type: String,
    access_level: i64,
}

async fn of_user(
    app: App, _admin: Admin, params: Params<ListOfUser>, paging: Paging,
) -> Result<Paged<MembershipEntity>> {
    Paged::read(&app, paging, move |tx, paging| {
        identity::users::find(tx, params.id)?.found("User")?;
        let only = params.kind.map(|kind| match kind {
            MembershipType::Project => SourceKind::Project,
            MembershipType::Namespace => SourceKind::Group,
        });
        let (rows, total) = members::of_user(tx, params.id, only, paging)?;
        Ok((rows.into_iter().map(entity).collect(), total))
    })
    .await
}

fn entity((source_id, source_name, kind, access_level): Held) -> MembershipEntity {
    MembershipEntity {
        source_id,
        source_name,
        source_type: match kind {
            SourceKind::Project => MembershipType::Project,
            SourceKind::Group => MembershipType::Namespace,
        }
        .to_string(),
        access_level,
    }
}

kernel::params! {
    /// A user.
    pub struct OfUser {
        /// Id of the user.
        pub id: i64,
    }
}

/// How much a user has made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AssociationsEntity {
    groups_count: i64,
    projects_count: i64,
    issues_count: i64,
    merge_requests_count: i64,
}

async fn associations(
    app: App, viewer: SignedInViewer, params: Params<OfUser>,
) -> Result<Ok200<AssociationsEntity>> {
    let id = params.0.id;
    app.read(move |tx| {
        identity::users::find(tx, id)?.found("User")?;
        if viewer.0.user.id != id && !viewer.0.user.is_admin {
            return Err(Error::NotFound("User"));
        }
        Ok(Ok200(AssociationsEntity {
            groups_count: members::count_of_user(tx, id, SourceKind::Group)?,
            projects_count: members::count_of_user(tx, id, SourceKind::Project)?,
            issues_count: match hooks::get(tx)?.issues_of {
                Some(count) => count(tx, id)?,
                None => 0,
            },
            merge_requests_count: match hooks::get(tx)?.requests_of {
                Some(count) => count(tx, id)?,
                None => 0,
            },
        }))
    })
    .await
}
