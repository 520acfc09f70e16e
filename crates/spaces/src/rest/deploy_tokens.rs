//! Deploy tokens of projects and groups.

use super::members::{both, handlers};
use crate::access::Purpose;
use crate::deploy_tokens::{self as rules, DeployToken, NewDeployToken};
use crate::members::place;
use crate::model::SourceKind;
use identity::viewer::{Admin, Viewer};
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::secrets::Secret;
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;

pub fn routes(r: &mut Routes) {
    r.get("/deploy_tokens", all)
        .summary("Lists the deploy tokens of the instance");
    both!(r, get, "deploy_tokens", list, "Lists deploy tokens");
    both!(r, post, "deploy_tokens", create, "Makes a deploy token");
    both!(
        r,
        get,
        "deploy_tokens/{deploy_token_id}",
        show,
        "Shows a deploy token"
    );
    both!(
        r,
        delete,
        "deploy_tokens/{deploy_token_id}",
        destroy,
        "Deletes a deploy token"
    );
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
    /// Filter of all tokens.
    pub struct ListAll {
        /// Only those that open something, or that do not.
        pub active: Option<bool>,
    }
}

async fn all(
    app: App,
    _admin: Admin,
    params: Params<ListAll>,
    paging: Paging,
) -> Result<Paged<DeployTokenEntity>> {
    let active = params.active;
    app.read(move |tx| {
        let (limit, offset) = (paging.fetch(), paging.offset());
        let (rows, total) = rules::list(tx, None, active, limit, offset)?;
        let now = tx.now();
        Ok(Paged::numbered(rows, paging, Some(total)).map(|row| entity(&row, now, None)))
    })
    .await
}

kernel::params! {
    /// Filter of the tokens of one place.
    pub struct ListTokens {
        /// Id or path of the project or group.
        pub id: Reference,
        /// Only those that open something, or that do not.
        pub active: Option<bool>,
    }
}

handlers!(
    list,
    ListTokens,
    Paged<DeployTokenEntity>,
    |app, viewer, p, kind, paging: Paging| { page(app, viewer, kind, p.0, paging) }
);

async fn page(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: ListTokens,
    paging: Paging,
) -> Result<Paged<DeployTokenEntity>> {
    app.read(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ReadDeployTokens)?;
        let (limit, offset) = (paging.fetch(), paging.offset());
        let source = Some((kind, place.source.id));
        let (rows, total) = rules::list(tx, source, params.active, limit, offset)?;
        let now = tx.now();
        Ok(Paged::numbered(rows, paging, Some(total)).map(|row| entity(&row, now, None)))
    })
    .await
}

kernel::params! {
    /// A new token.
    pub struct CreateToken {
        /// Id or path of the project or group.
        pub id: Reference,
        /// For people.
        pub name: String,
        /// What it allows.
        pub scopes: Vec<String>,
        /// When it ends.
        pub expires_at: Option<Timestamp>,
        /// The user name that goes with it; made unless given.
        pub username: Option<String>,
    }
}

handlers!(
    create,
    CreateToken,
    Created<DeployTokenEntity>,
    |app, viewer, p, kind| { make(app, viewer, kind, p.0) }
);

async fn make(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: CreateToken,
) -> Result<Created<DeployTokenEntity>> {
    app.write(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageDeployTokens)?;
        let new = NewDeployToken {
            name: params.name.clone(),
            username: params.username.clone().filter(|name| !name.is_empty()),
            scopes: params.scopes.clone(),
            expires_at: params.expires_at,
        };
        let (token, secret) = rules::create(tx, &viewer, &place, &new)?;
        Ok(Created(entity(&token, tx.now(), Some(&secret))))
    })
    .await
}

kernel::params! {
    /// One token.
    pub struct OneToken {
        /// Id or path of the project or group.
        pub id: Reference,
        /// The token.
        pub deploy_token_id: i64,
    }
}

handlers!(
    show,
    OneToken,
    Ok200<DeployTokenEntity>,
    |app, viewer, p, kind| one(app, viewer, kind, p.0)
);

async fn one(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: OneToken,
) -> Result<Ok200<DeployTokenEntity>> {
    app.read(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ReadDeployTokens)?;
        let token = rules::find(tx, &place, params.deploy_token_id)?;
        Ok(Ok200(entity(&token, tx.now(), None)))
    })
    .await
}

handlers!(destroy, OneToken, NoContent, |app, viewer, p, kind| end(
    app, viewer, kind, p.0
));

async fn end(app: App, viewer: Viewer, kind: SourceKind, params: OneToken) -> Result<NoContent> {
    app.write(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageDeployTokens)?;
        rules::destroy(tx, &viewer, &place, params.deploy_token_id)?;
        Ok(NoContent)
    })
    .await
}
