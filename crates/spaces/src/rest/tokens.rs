//! Access tokens of projects and groups; each has a bot of its own.

use super::SpaceRequest;
use crate::access::Purpose;
use crate::tokens::{self as space_tokens, NewSpaceToken};
use identity::entities::{self, TokenEntity};
use identity::model::AccessToken;
use identity::tokens::{self, Filter, SortBy, State, TokenTimes};
use kernel::error::{Error, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::time::Date;
use store::Tx;

/// Those of a project or group, below its address.
pub(super) fn routes(r: &mut Routes) {
    r.get("/access_tokens", list).summary("Lists access tokens");
    r.post("/access_tokens", create)
        .reauthenticated()
        .summary("Makes an access token and its bot");
    r.get("/access_tokens/{token_id}", show).summary("Shows an access token");
    r.delete("/access_tokens/{token_id}", revoke).summary("Revokes an access token");
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
        pub times: Flat<TokenTimes>,
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
    at: SpaceRequest, params: Params<ListTokens>, paging: Paging,
) -> Result<Paged<TokenEntity>> {
    let Params(params) = params;
    let mut filter = Filter {
        times: Some(params.times.0),
        revoked: params.revoked,
        search: params.search,
        state: params.state,
        ..Filter::default()
    };
    let sort = params.sort.unwrap_or(SortBy::CreatedAsc);
    at.list(Purpose::ManageTokens, paging, move |tx, _, place, paging| {
        filter.source = Some(space_tokens::source_of(place));
        let (total, now) = (tokens::total(tx, &filter)?, tx.now());
        let rows = tokens::page(tx, &filter, sort, paging)?;
        let entity = |token| entities::token(token, now, None);
        Ok((rows.iter().map(entity).collect(), total))
    })
    .await
}

async fn create(at: SpaceRequest, new: Params<NewSpaceToken>) -> Result<Created<TokenEntity>> {
    at.write(Purpose::ManageTokens, move |tx, _, place| {
        let (token, secret) = space_tokens::create(tx, place, &new)?;
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

async fn show(at: SpaceRequest, params: Params<OneToken>) -> Result<Ok200<TokenEntity>> {
    at.read(Purpose::ManageTokens, move |tx, _, place| {
        let token = space_tokens::find(tx, place, params.token_id)?;
        Ok(Ok200(entities::token(&token, tx.now(), None)))
    })
    .await
}

async fn revoke(at: SpaceRequest, params: Params<OneToken>) -> Result<NoContent> {
    at.write(Purpose::ManageTokens, move |tx, at, place| {
        let token = space_tokens::find(tx, place, params.token_id)?;
        space_tokens::revoke(tx, &at.viewer, &token)?;
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

async fn rotate(at: SpaceRequest, params: Params<RotateToken>) -> Result<Ok200<TokenEntity>> {
    let app = at.app.clone();
    let made = app.write(move |tx| {
        let token = to_rotate(tx, &at, &params.token_id)?;
        let made = space_tokens::rotate(tx, &at.viewer, &token, params.expires_at)?;
        Ok(made.map(|(new, secret)| (new, secret, tx.now())))
    });
    let (token, secret, now) = made.await?.ok_or(Error::Unauthenticated)?;
    Ok(Ok200(entities::token(&token, now, Some(&secret))))
}

/// The token that is named; without scope `api` only the caller's own.
fn to_rotate(tx: &mut Tx<'_>, at: &SpaceRequest, named: &str) -> Result<AccessToken> {
    let signed_in = at.viewer.signed_in()?;
    let caller = signed_in.token_id();
    if let ("self", Some(id)) = (named, caller) {
        return own(tx, at, id);
    }
    let unknown = |_| Error::Parameters(vec!["token_id is invalid".into()]);
    let id: i64 = named.parse().map_err(unknown)?;
    if signed_in.bot_source.is_some() && caller == Some(id) {
        return own(tx, at, id);
    }
    if !signed_in.has_scope("api") {
        return Err(Error::InsufficientScope("api".into()));
    }
    let place = at.find(tx, Purpose::ManageTokens)?;
    space_tokens::find(tx, &place, id)
}

/// The caller's own token, if it is one of this project or group.
fn own(tx: &mut Tx<'_>, at: &SpaceRequest, id: i64) -> Result<AccessToken> {
    let place = at.find(tx, Purpose::ReadMembers)?;
    let found = tokens::find_of_source(tx, space_tokens::source_of(&place), id)?;
    found.ok_or(Error::MethodNotAllowed(vec![]))
}
