//! What a user is a member of and has made.

use crate::hooks;
use crate::store as lists;
use identity::viewer::{Admin, SignedInViewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Ok200, Paged, Paging, Params, Routes};
use schemars::JsonSchema;
use serde::Serialize;
use store::sql;

pub fn routes(r: &mut Routes) {
    r.get("/users/{id}/memberships", of_user)
        .summary("Lists a user's memberships");
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
    app: App,
    _admin: Admin,
    params: Params<ListOfUser>,
    paging: Paging,
) -> Result<Paged<MembershipEntity>> {
    let params = params.0;
    app.read(move |tx| {
        identity::users::find(tx, params.id)?.ok_or(Error::NotFound("User"))?;
        let only = params.kind.map(|kind| match kind {
            MembershipType::Project => "Project",
            MembershipType::Namespace => "Group",
        });
        let today = lists::today(tx);
        let rows: Vec<(i64, String, String, i64)> = tx.all(
            sql!(
                "select m.source_id, coalesce(p.name, n.name, ''), m.source_type, m.access_level
                 from members m
                 left join projects p on m.source_type = 'Project' and p.id = m.source_id
                 left join namespaces n on m.source_type = 'Group' and n.id = m.source_id
                 where m.user_id = $1 and m.requested_at is null
                    and (m.expires_at is null or m.expires_at > $2)
                    and ($3 = '' or m.source_type = $3)
                 order by m.id limit $4 offset $5"
            ),
            (
                params.id,
                &today,
                only.unwrap_or(""),
                paging.fetch(),
                paging.offset(),
            ),
        )?;
        let total: i64 = tx.one(
            sql!(
                "select count(*) from members where user_id = $1 and requested_at is null
                    and (expires_at is null or expires_at > $2)
                    and ($3 = '' or source_type = $3)"
            ),
            (params.id, &today, only.unwrap_or("")),
        )?;
        let page = Paged::numbered(rows, paging, Some(total));
        Ok(page.map(
            |(source_id, source_name, source_type, access_level)| MembershipEntity {
                source_id,
                source_name,
                source_type: if source_type == "Group" {
                    "Namespace".into()
                } else {
                    source_type
                },
                access_level,
            },
        ))
    })
    .await
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
    app: App,
    viewer: SignedInViewer,
    params: Params<OfUser>,
) -> Result<Ok200<AssociationsEntity>> {
    let id = params.0.id;
    app.read(move |tx| {
        identity::users::find(tx, id)?.ok_or(Error::NotFound("User"))?;
        if viewer.0.user.id != id && !viewer.0.user.is_admin {
            return Err(Error::NotFound("User"));
        }
        let today = lists::today(tx);
        let mut count = |kind: &str| -> Result<i64> {
            Ok(tx.one(
                sql!(
                    "select count(*) from members where user_id = $1 and source_type = $2
                        and requested_at is null and (expires_at is null or expires_at > $3)"
                ),
                (id, kind, today.as_str()),
            )?)
        };
        let (groups_count, projects_count) = (count("Group")?, count("Project")?);
        let issues_count = match hooks::get(tx)?.issues_of {
            Some(count) => count(tx, id)?,
            None => 0,
        };
        Ok(Ok200(AssociationsEntity {
            groups_count,
            projects_count,
            issues_count,
            merge_requests_count: 0,
        }))
    })
    .await
}
