//! `/keys`: the keys of everybody, for administrators.

use crate::entity::AnyKeyEntity;
use crate::formats::public_key;
use crate::model::SshKey;
use crate::store::{deploy, keys as rows};
use ::store::Tx;
use identity::users;
use identity::viewer::Admin;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Ok200, Params, Routes};
use serde_json::json;

/// Most projects that are named of a deploy key.
const MOST_PROJECTS: i64 = 1000;

pub(super) fn routes(r: &mut Routes) {
    r.get("/keys", by_fingerprint).summary("Finds a key by its fingerprint");
    r.get("/keys/{id}", by_id).summary("Shows anybody's key");
}

kernel::params! {
    /// A fingerprint.
    pub struct ByFingerprint {
        /// `SHA256:…`, or MD5 with colons.
        pub fingerprint: String,
    }
}

async fn by_fingerprint(
    app: App, _: Admin, asked: Params<ByFingerprint>,
) -> Result<Ok200<AnyKeyEntity>> {
    let bad = || Error::Exact(400, json!({"message": "Failed to return the key"}));
    let wanted = public_key::fingerprint(&asked.fingerprint).ok_or_else(bad)?;
    entity(&app, move |tx| rows::by_fingerprint(tx, &wanted)).await
}

kernel::params! {
    /// One key.
    pub struct OneKey {
        /// Its id.
        pub id: i64,
    }
}

async fn by_id(app: App, _: Admin, path: Params<OneKey>) -> Result<Ok200<AnyKeyEntity>> {
    entity(&app, move |tx| rows::by_id(tx, path.id)).await
}

async fn entity(
    app: &App, find: impl FnOnce(&mut Tx<'_>) -> Result<Option<SshKey>> + Send + 'static,
) -> Result<Ok200<AnyKeyEntity>> {
    let handle = app.clone();
    let work = move |tx: &mut Tx<'_>| {
        let key = find(tx)?.found("Key")?;
        let user = match key.user_id.or(key.created_by_id) {
            Some(id) => users::find(tx, id)?,
            None => None,
        };
        let projects = deploy::projects(tx, key.id, MOST_PROJECTS)?;
        Ok(Ok200(AnyKeyEntity::of(&handle, &key, user.as_ref(), &projects)))
    };
    app.read(work).await
}
