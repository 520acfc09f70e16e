//! Deploy tokens of projects and groups.

use super::SpaceRequest;
use crate::access::Purpose;
use crate::deploy_tokens::{self as rules, NewDeployToken};
use crate::model::SourceKind;
use crate::store::deploy_tokens::{self as rows, DeployToken};
use identity::viewer::Admin;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::secrets::Secret;
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;
use store::Tx;

/// Those of a project or group, below its address.
pub(super) fn routes(r: &mut Routes) {
    r.get("/deploy_tokens", list).summary("Lists deploy tokens");
    r.post("/deploy_tokens", create).summary("Makes a deploy token");
    r.get("/deploy_tokens/{deploy_token_id}", show).summary("Shows a deploy token");
    r.delete("/deploy_tokens/{deploy_token_id}", destroy)
        .summary("Deletes a deploy token");
}

/// A deploy token; its text only when it is made.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeployTokenEntity {
    id: i64,
    name: String,
    username: String,
    expires_at: Option<String>,
    scopes: Vec<String>,
    revoked: bool,
    expired: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

fn entity(token: &DeployToken, now: Timestamp, secret: Option<&Secret>) -> DeployTokenEntity {
    let scopes = token.scopes.split_whitespace().map(str::to_owned);
    DeployTokenEntity {
        id: token.id,
        name: token.name.clone(),
        username: token.username.clone(),
        expires_at: token.expires_at.map(wire::text),
        scopes: scopes.collect(),
        revoked: token.revoked,
        expired: token.expires_at.is_some_and(|end| end <= now),
        token: secret.map(|secret| secret.expose().to_owned()),
    }
}

kernel::params! {
    /// Filter of tokens.
    pub(super) struct ListTokens {
        /// Only those that open something, or that do not.
        pub active: Option<bool>,
    }
}

pub(super) async fn all(
    app: App, _admin: Admin, params: Params<ListTokens>, paging: Paging,
) -> Result<Paged<DeployTokenEntity>> {
    Paged::read(&app, paging, move |tx, paging| page(tx, None, params.active, paging)).await
}

async fn list(
    at: SpaceRequest, params: Params<ListTokens>, paging: Paging,
) -> Result<Paged<DeployTokenEntity>> {
    let purpose = Purpose::ReadDeployTokens;
    at.list(purpose, paging, move |tx, _, place, paging| {
        page(tx, Some(place.key()), params.active, paging)
    })
    .await
}

fn page(
    tx: &mut Tx<'_>, source: Option<(SourceKind, i64)>, active: Option<bool>, paging: &Paging,
) -> Result<(Vec<DeployTokenEntity>, i64)> {
    let (found, total) = rows::list(tx, source, active, paging)?;
    let now = tx.now();
    let shown = found.iter().map(|row| entity(row, now, None));
    Ok((shown.collect(), total))
}

async fn create(
    at: SpaceRequest, new: Params<NewDeployToken>,
) -> Result<Created<DeployTokenEntity>> {
    at.write(Purpose::ManageDeployTokens, move |tx, _, place| {
        let (token, secret) = rules::create(tx, place, &new)?;
        Ok(Created(entity(&token, tx.now(), Some(&secret))))
    })
    .await
}

kernel::params! {
    /// One token.
    struct OneToken {
        /// The token.
        pub deploy_token_id: i64,
    }
}

async fn show(at: SpaceRequest, params: Params<OneToken>) -> Result<Ok200<DeployTokenEntity>> {
    at.read(Purpose::ReadDeployTokens, move |tx, _, place| {
        let token = rules::find(tx, place, params.deploy_token_id)?;
        Ok(Ok200(entity(&token, tx.now(), None)))
    })
    .await
}

async fn destroy(at: SpaceRequest, params: Params<OneToken>) -> Result<NoContent> {
    at.write(Purpose::ManageDeployTokens, move |tx, _, place| {
        rules::destroy(tx, place, params.deploy_token_id)?;
        Ok(NoContent)
    })
    .await
}
