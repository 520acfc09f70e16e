//! Access tokens of projects and groups; each has a bot of its own.

use super::SpaceRef;
use crate::access::{MAINTAINER, Purpose};
use crate::tokens::{self as space_tokens, NewSpaceToken};
use identity::entities::{self, TokenEntity};
use identity::model::AccessToken;
use identity::tokens::{self, Filter, SortBy, State};
use identity::viewer::{SignedIn, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::time::{Date, Timestamp};
use store::Tx;

/// Those of a project or group, below its address.
pub(super) fn routes(r: &mut Routes) {
    r.get("/access_tokens", list).summary("Lists access tokens");
    r.post("/access_tokens", create)
        .reauthenticated()
        .summary("Makes an access token and its bot");
    r.get("/access_tokens/{token_id}", show)
        .summary("Shows an access token");
    r.delete("/access_tokens/{token_id}", revoke)
        .summary("Revokes an access token");
    r.post("/access_tokens/{token_id}/rotate", rotate)
        .reauthenticated()
        .scopes(MAY_ROTATE)
        .summary("Replaces an access token");
}

/// The second one lets a token rotate itself only.
const MAY_ROTATE: &[&str] = &["api", "self_rotate"];

kernel::params! {
    /// Filters of tokens.
    struct ListTokens {
        /// Made after.
        pub created_after: Option<Timestamp>,
        /// Made before.
        pub created_before: Option<Timestamp>,
        /// Used after.
        pub last_used_after: Option<Timestamp>,
        /// Used before.
        pub last_used_before: Option<Timestamp>,
        /// Ending after.
        pub expires_after: Option<Date>,
        /// Ending before.
        pub expires_before: Option<Date>,
        /// Only those that open something, or that do not.
        pub state: Option<State>,
        /// Only revoked ones, or only others.
        pub revoked: Option<bool>,
        /// In the name.
        pub search: Option<String>,
        /// Order.
        pub sort: Option<SortBy>,
    }
}

async fn list(
    app: App,
    viewer: Viewer,
    space: SpaceRef,
    params: Params<ListTokens>,
    paging: Paging,
) -> Result<Paged<TokenEntity>> {
    let Params(params) = params;
    let mut filter = Filter {
        created_after: params.created_after,
        created_before: params.created_before,
        last_used_after: params.last_used_after,
        last_used_before: params.last_used_before,
        expires_after: params.expires_after,
        expires_before: params.expires_before,
        revoked: params.revoked,
        search: params.search,
        state: params.state,
        ..Filter::default()
    };
    let sort = params.sort.unwrap_or(SortBy::CreatedAsc);
    app.read(move |tx| {
        let place = space.find(tx, &viewer, Purpose::ManageTokens)?;
        filter.source = Some(space_tokens::source_of(&place));
        let total = tokens::total(tx, &filter)?;
        let rows = tokens::page(tx, &filter, sort, &paging)?;
        let now = tx.now();
        let page = Paged::numbered(rows, paging, Some(total));
        Ok(page.map(|token| entities::token(&token, now, None)))
    })
    .await
}

kernel::params! {
    /// A new token.
    struct CreateToken {
        /// For people.
        pub name: String,
        /// For people.
        pub description: Option<String>,
        /// What it allows.
        pub scopes: Vec<String>,
        /// Role of its bot; maintainer unless given.
        pub access_level: Option<i64>,
        /// Ends at 00:00 UTC of this day.
        pub expires_at: Option<Date>,
    }
}

async fn create(
    app: App,
    viewer: Viewer,
    space: SpaceRef,
    params: Params<CreateToken>,
) -> Result<Created<TokenEntity>> {
    let Params(params) = params;
    let new = NewSpaceToken {
        name: params.name,
        description: params.description,
        scopes: params.scopes,
        access_level: params.access_level.unwrap_or(MAINTAINER),
        expires_at: params.expires_at,
    };
    app.write(move |tx| {
        let place = space.find(tx, &viewer, Purpose::ManageTokens)?;
        let (token, secret) = space_tokens::create(tx, &viewer, &place, &new)?;
        Ok(Created(entities::token(&token, tx.now(), Some(&secret))))
    })
    .await
}

kernel::params! {
    /// One token.
    struct OneToken {
        /// The token.
        pub token_id: i64,
    }
}

fn find(tx: &mut Tx<'_>, viewer: &Viewer, space: &SpaceRef, token_id: i64) -> Result<AccessToken> {
    let place = space.find(tx, viewer, Purpose::ManageTokens)?;
    space_tokens::find(tx, &place, token_id)
}

async fn show(
    app: App,
    viewer: Viewer,
    space: SpaceRef,
    params: Params<OneToken>,
) -> Result<Ok200<TokenEntity>> {
    app.read(move |tx| {
        let token = find(tx, &viewer, &space, params.token_id)?;
        Ok(Ok200(entities::token(&token, tx.now(), None)))
    })
    .await
}

async fn revoke(
    app: App,
    viewer: Viewer,
    space: SpaceRef,
    params: Params<OneToken>,
) -> Result<NoContent> {
    app.write(move |tx| {
        let token = find(tx, &viewer, &space, params.token_id)?;
        space_tokens::revoke(tx, &viewer, &token)?;
        Ok(NoContent)
    })
    .await
}

kernel::params! {
    /// A token to replace.
    struct RotateToken {
        /// The token, or `self`.
        pub token_id: String,
        /// Ends at 00:00 UTC of this day; a week from now unless given.
        pub expires_at: Option<Date>,
    }
}

async fn rotate(
    app: App,
    viewer: Viewer,
    space: SpaceRef,
    params: Params<RotateToken>,
) -> Result<Ok200<TokenEntity>> {
    let made = app
        .write(move |tx| {
            let signed_in = viewer.signed_in()?;
            let token = to_rotate(tx, &viewer, signed_in, &space, &params.token_id)?;
            let made = space_tokens::rotate(tx, &viewer, &token, params.expires_at)?;
            Ok(made.map(|(new, secret)| (new, secret, tx.now())))
        })
        .await?;
    let (token, secret, now) = made.ok_or(Error::Unauthenticated)?;
    Ok(Ok200(entities::token(&token, now, Some(&secret))))
}

/// The token that is named; without scope `api` only the caller's own.
fn to_rotate(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    signed_in: &SignedIn,
    space: &SpaceRef,
    named: &str,
) -> Result<AccessToken> {
    let caller = signed_in.token_id();
    if let ("self", Some(id)) = (named, caller) {
        return own(tx, viewer, space, id);
    }
    let unknown = |_| Error::Parameters(vec!["token_id is invalid".into()]);
    let id: i64 = named.parse().map_err(unknown)?;
    if signed_in.bot_source.is_some() && caller == Some(id) {
        return own(tx, viewer, space, id);
    }
    if !signed_in.has_scope("api") {
        return Err(Error::InsufficientScope("api".into()));
    }
    find(tx, viewer, space, id)
}

/// The caller's own token, if it is one of this project or group.
fn own(tx: &mut Tx<'_>, viewer: &Viewer, space: &SpaceRef, id: i64) -> Result<AccessToken> {
    let place = space.find(tx, viewer, Purpose::ReadMembers)?;
    let found = tokens::find_of_source(tx, space_tokens::source_of(&place), id)?;
    found.ok_or(Error::MethodNotAllowed(vec![]))
}
