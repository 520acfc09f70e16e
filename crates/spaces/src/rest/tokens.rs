//! Access tokens of projects and groups; each has a bot of its own.

use super::members::{both, handlers};
use crate::access::{MAINTAINER, Purpose};
use crate::members::place;
use crate::model::SourceKind;
use crate::tokens::{self as space_tokens, NewSpaceToken};
use identity::entities::{self, TokenEntity};
use identity::model::AccessToken;
use identity::tokens::{self, Filter, SortBy, State};
use identity::viewer::{SignedIn, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::time::{Date, Timestamp};
use store::Tx;

pub fn routes(r: &mut Routes) {
    both!(r, get, "access_tokens", list, "Lists access tokens");
    r.post("/projects/{id}/access_tokens", create::project)
        .reauthenticated()
        .summary("Makes an access token and its bot");
    r.post("/groups/{id}/access_tokens", create::group)
        .reauthenticated()
        .summary("Makes an access token and its bot");
    both!(
        r,
        get,
        "access_tokens/{token_id}",
        show,
        "Shows an access token"
    );
    both!(
        r,
        delete,
        "access_tokens/{token_id}",
        revoke,
        "Revokes an access token"
    );
    r.post(
        "/projects/{id}/access_tokens/{token_id}/rotate",
        rotate::project,
    )
    .reauthenticated()
    .scopes(MAY_ROTATE)
    .summary("Replaces an access token");
    r.post(
        "/groups/{id}/access_tokens/{token_id}/rotate",
        rotate::group,
    )
    .reauthenticated()
    .scopes(MAY_ROTATE)
    .summary("Replaces an access token");
}

/// The second one lets a token rotate itself only.
const MAY_ROTATE: &[&str] = &["api", "self_rotate"];

kernel::params! {
    /// Filters of tokens.
    pub struct ListTokens {
        /// Id or path of the project or group.
        pub id: Reference,
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

handlers!(
    list,
    ListTokens,
    Paged<TokenEntity>,
    |app, viewer, p, kind, paging: Paging| { page(app, viewer, kind, p.0, paging) }
);

async fn page(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: ListTokens,
    paging: Paging,
) -> Result<Paged<TokenEntity>> {
    app.read(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageTokens)?;
        let filter = Filter {
            source: Some(space_tokens::source_of(&place)),
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
    pub struct CreateToken {
        /// Id or path of the project or group.
        pub id: Reference,
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

handlers!(
    create,
    CreateToken,
    Created<TokenEntity>,
    |app, viewer, p, kind| { make(app, viewer, kind, p.0) }
);

async fn make(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: CreateToken,
) -> Result<Created<TokenEntity>> {
    app.write(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageTokens)?;
        let new = NewSpaceToken {
            name: params.name.clone(),
            description: params.description.clone(),
            scopes: params.scopes.clone(),
            access_level: params.access_level.unwrap_or(MAINTAINER),
            expires_at: params.expires_at,
        };
        let (token, secret) = space_tokens::create(tx, &viewer, &place, &new)?;
        Ok(Created(entities::token(&token, tx.now(), Some(&secret))))
    })
    .await
}

kernel::params! {
    /// One token.
    pub struct OneToken {
        /// Id or path of the project or group.
        pub id: Reference,
        /// The token.
        pub token_id: i64,
    }
}

fn find(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    kind: SourceKind,
    reference: &Reference,
    token_id: i64,
) -> Result<AccessToken> {
    let place = place(tx, viewer, kind, reference, Purpose::ManageTokens)?;
    space_tokens::find(tx, &place, token_id)
}

handlers!(
    show,
    OneToken,
    Ok200<TokenEntity>,
    |app, viewer, p, kind| one(app, viewer, kind, p.0)
);

async fn one(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: OneToken,
) -> Result<Ok200<TokenEntity>> {
    app.read(move |tx| {
        let token = find(tx, &viewer, kind, &params.id, params.token_id)?;
        Ok(Ok200(entities::token(&token, tx.now(), None)))
    })
    .await
}

handlers!(revoke, OneToken, NoContent, |app, viewer, p, kind| end(
    app, viewer, kind, p.0
));

async fn end(app: App, viewer: Viewer, kind: SourceKind, params: OneToken) -> Result<NoContent> {
    app.write(move |tx| {
        let token = find(tx, &viewer, kind, &params.id, params.token_id)?;
        space_tokens::revoke(tx, &viewer, &token)?;
        Ok(NoContent)
    })
    .await
}

kernel::params! {
    /// A token to replace.
    pub struct RotateToken {
        /// Id or path of the project or group.
        pub id: Reference,
        /// The token, or `self`.
        pub token_id: String,
        /// Ends at 00:00 UTC of this day; a week from now unless given.
        pub expires_at: Option<Date>,
    }
}

handlers!(
    rotate,
    RotateToken,
    Ok200<TokenEntity>,
    |app, viewer, p, kind| { replace(app, viewer, kind, p.0) }
);

async fn replace(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: RotateToken,
) -> Result<Ok200<TokenEntity>> {
    let made = app
        .write(move |tx| {
            let signed_in = viewer.signed_in()?;
            let token = to_rotate(tx, &viewer, signed_in, kind, &params)?;
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
    kind: SourceKind,
    params: &RotateToken,
) -> Result<AccessToken> {
    let caller = signed_in.token_id();
    if let ("self", Some(id)) = (params.token_id.as_str(), caller) {
        return own(tx, viewer, kind, &params.id, id);
    }
    let unknown = |_| Error::Parameters(vec!["token_id is invalid".into()]);
    let id: i64 = params.token_id.parse().map_err(unknown)?;
    if signed_in.bot_source.is_some() && caller == Some(id) {
        return own(tx, viewer, kind, &params.id, id);
    }
    if !signed_in.has_scope("api") {
        return Err(Error::InsufficientScope("api".into()));
    }
    find(tx, viewer, kind, &params.id, id)
}

/// The caller's own token, if it is one of this project or group.
fn own(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    kind: SourceKind,
    reference: &Reference,
    id: i64,
) -> Result<AccessToken> {
    let place = place(tx, viewer, kind, reference, Purpose::ReadMembers)?;
    let found = tokens::find_of_source(tx, space_tokens::source_of(&place), id)?;
    found.ok_or(Error::MethodNotAllowed(vec![]))
}
