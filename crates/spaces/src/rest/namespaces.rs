//! Namespaces: groups and users' own, as one list.

use crate::access::{self, GUEST, OWNER};
use crate::entities::{self, NamespaceEntity};
use crate::store as lists;
use crate::store::filters::search_groups;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use store::{Fragment, Tx};

pub fn routes(r: &mut Routes) {
    r.get("/namespaces", list).summary("Lists the caller's namespaces");
    r.get("/namespaces/{id}", show).summary("Shows a namespace");
    r.get("/namespaces/{id}/exists", exists)
        .summary("Tells whether a path is taken");
}

kernel::params! {
    /// Filters of namespaces.
    pub struct ListNamespaces {
        /// In name or path.
        pub search: Option<String>,
        /// Only those the caller owns.
        pub owned_only: Option<bool>,
        /// Only those without a parent.
        pub top_level_only: Option<bool>,
    }
}

async fn list(
    app: App, viewer: SignedInViewer, params: Params<ListNamespaces>, paging: Paging,
) -> Result<Paged<NamespaceEntity>> {
    let handle = app.clone();
    Paged::read(&app, paging, move |tx, paging| {
        let viewer = viewer.viewer();
        let user_id = viewer.signed_in()?.user.id;
        let owned = params.owned_only.unwrap_or(false);
        let mut condition = Fragment::new("namespaces.deletion_scheduled_at is null");
        if owned || !viewer.is_admin() {
            let level = if owned { OWNER } else { GUEST };
            condition
                .push(" and (namespaces.owner_id = ", user_id)
                .raw(" or ")
                .append(access::groups_of(tx, user_id, level))
                .raw(")");
        }
        search_groups(&mut condition, params.search.as_deref());
        if params.top_level_only.unwrap_or(false) {
            condition.raw(" and namespaces.parent_id is null");
        }
        let total = lists::count(tx, "namespaces", &condition)?;
        let (limit, offset) = (paging.fetch(), paging.offset());
        let rows = lists::namespaces(tx, &condition, "namespaces.id", limit, offset)?;
        let shown = rows.iter().map(|row| entities::namespace(&handle, row));
        Ok((shown.collect(), total))
    })
    .await
}

kernel::params! {
    /// One namespace.
    pub struct ShowNamespace {
        /// Id or path.
        pub id: Reference,
    }
}

async fn show(
    app: App, viewer: SignedInViewer, params: Params<ShowNamespace>,
) -> Result<Ok200<NamespaceEntity>> {
    let id = params.0.id;
    let handle = app.clone();
    app.read(move |tx| {
        let viewer = viewer.viewer();
        let found = access::find_namespace(tx, &id)?.found("Namespace")?;
        if access::level_in_group(tx, &viewer, &found)? < GUEST {
            return Err(Error::NotFound("Namespace"));
        }
        Ok(Ok200(entities::namespace(&handle, &found)))
    })
    .await
}

kernel::params! {
    /// A path.
    pub struct PathExists {
        /// The path.
        pub id: String,
        /// The group in which it is looked for; else at the top.
        pub parent_id: Option<i64>,
    }
}

/// Whether a path is taken, and what is free instead.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExistsEntity {
    exists: bool,
    suggests: Vec<String>,
}

async fn exists(
    app: App, viewer: SignedInViewer, params: Params<PathExists>,
) -> Result<Ok200<ExistsEntity>> {
    app.read(move |tx| {
        let viewer = viewer.viewer();
        let exists = is_taken(tx, &viewer, params.parent_id, &params.id)?;
        let mut suggests = Vec::new();
        for number in 1..100 {
            if !exists || !suggests.is_empty() {
                break;
            }
            let candidate = format!("{}{number}", params.id);
            if !is_taken(tx, &viewer, params.parent_id, &candidate)? {
                suggests.push(candidate);
            }
        }
        Ok(Ok200(ExistsEntity { exists, suggests }))
    })
    .await
}

/// Whether the path is taken, as far as the viewer may know: below a group
/// only its members are told.
fn is_taken(tx: &mut Tx<'_>, viewer: &Viewer, parent_id: Option<i64>, path: &str) -> Result<bool> {
    if path.contains('/') {
        return Ok(false);
    }
    let Some(id) = parent_id else {
        return crate::namespaces::is_taken(tx, path);
    };
    match access::find_namespace(tx, &Reference::Id(id))? {
        Some(parent) if access::level_in_group(tx, viewer, &parent)? >= GUEST => {
            crate::namespaces::is_taken(tx, &format!("{}/{path}", parent.full_path))
        }
        _ => Ok(false),
    }
}
