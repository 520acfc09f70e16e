//! Client keys of a project (docs/interface/monitoring.md 5).

use super::ProjectPath;
use crate::errors::model::ClientKey;
use crate::errors::rules::keys;
use crate::errors::store::keys as rows;
use identity::Caller;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::params::Flat;
use kernel::http::{Created, Ok200, Paged, Paging, Params, Routes};
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::Purpose;

const PATH: &str = "/projects/{id}/error_tracking/client_keys";
const ONE: &str = "/projects/{id}/error_tracking/client_keys/{key_id}";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list).slashed().summary("Lists the client keys of a project");
    r.post(PATH, create).slashed().summary("Makes a client key of a project");
    r.delete(ONE, destroy).slashed().summary("Removes a client key of a project");
}

kernel::params! {
    pub struct KeyPath {
        pub at: Flat<ProjectPath>,
        /// The key.
        pub key_id: i64,
    }
}

/// A client key.
#[derive(Serialize, JsonSchema)]
pub struct ClientKeyEntity {
    #[serde(flatten)]
    key: ClientKey,
    /// What SDKs are set up with.
    tracker_dsn: String,
}

impl ClientKeyEntity {
    fn new(app: &App, key: ClientKey) -> ClientKeyEntity {
        ClientKeyEntity { tracker_dsn: key.dsn(app.base_url()), key }
    }
}

async fn list(
    by: Caller, path: Params<ProjectPath>, paging: Paging,
) -> Result<Paged<ClientKeyEntity>> {
    by.read(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &path.id, Purpose::Update)?;
        let page = rows::page(tx, project.id, paging)?;
        Ok(page.map(|key| ClientKeyEntity::new(&by.app, key)))
    })
    .await
}

async fn create(by: Caller, path: Params<ProjectPath>) -> Result<Created<ClientKeyEntity>> {
    by.write(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &path.id, Purpose::Update)?;
        let key = keys::create(tx, &by.viewer, &project)?;
        Ok(Created(ClientKeyEntity::new(&by.app, key)))
    })
    .await
}

/// Removes one, and shows what it was.
async fn destroy(by: Caller, path: Params<KeyPath>) -> Result<Ok200<ClientKeyEntity>> {
    by.write(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &path.at.id, Purpose::Update)?;
        let key = keys::destroy(&by.app, tx, &by.viewer, &project, path.key_id)?;
        Ok(Ok200(ClientKeyEntity::new(&by.app, key)))
    })
    .await
}
