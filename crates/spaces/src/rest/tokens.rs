//! Access tokens of projects and groups; each has a bot of its own.

use super::members::{both, handlers};
use crate::access::{MAINTAINER, OWNER, PLANNER, Purpose};
use crate::members::{Place, place};
use crate::model::SourceKind;
use identity::entities::{self, TokenEntity};
use identity::model::{AccessToken, TokenKind};
use identity::tokens::{self, Filter, NewToken, Ready, SortBy, State};
use identity::users::Author;
use identity::viewer::{SignedIn, SourceType, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use kernel::time::{Date, Timestamp};
use store::{Tx, sql};

pub fn routes(r: &mut Routes) {
    both!(r, get, "access_tokens", list, "Lists access tokens");
    both!(
        r,
        post,
        "access_tokens",
        create,
        "Makes an access token and its bot"
    );
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
    .scopes(MAY_ROTATE)
    .summary("Replaces an access token");
    r.post(
        "/groups/{id}/access_tokens/{token_id}/rotate",
        rotate::group,
    )
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

fn source_of(kind: SourceKind, place: &Place) -> (SourceType, i64) {
    match kind {
        SourceKind::Project => (SourceType::Project, place.source.id),
        SourceKind::Group => (SourceType::Group, place.source.id),
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
            source: Some(source_of(kind, &place)),
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

fn refused(reason: &str) -> Error {
    Error::BadRequest(reason.to_owned())
}

async fn make(
    app: App,
    viewer: Viewer,
    kind: SourceKind,
    params: CreateToken,
) -> Result<Created<TokenEntity>> {
    app.write(move |tx| {
        let place = place(tx, &viewer, kind, &params.id, Purpose::ManageTokens)?;
        let signed_in = viewer.signed_in()?;
        if signed_in.bot_source.is_some() {
            return Err(refused("a bot cannot create access tokens"));
        }
        let level = params.access_level.unwrap_or(MAINTAINER);
        let known = [10, PLANNER, 20, 30, MAINTAINER, OWNER].contains(&level);
        if !known {
            let text = "access_level does not have a valid value";
            return Err(Error::Parameters(vec![text.into()]));
        }
        if level > place.level {
            return Err(refused(
                "access level of the token cannot be above your own",
            ));
        }
        let source = source_of(kind, &place);
        let by = Author::from(signed_in);
        let bot = identity::users::create_bot(tx, source, &params.name, &by)?;
        let now = tx.now();
        tx.execute(
            sql!(
                "insert into members (source_type, source_id, user_id, access_level,
                    created_by_id, created_at, updated_at) values ($1, $2, $3, $4, $5, $6, $6)"
            ),
            (kind, place.source.id, bot.id, level, signed_in.user.id, now),
        )?;
        let new = NewToken {
            kind: match kind {
                SourceKind::Project => TokenKind::Project,
                SourceKind::Group => TokenKind::Group,
            },
            user_id: bot.id,
            admin: false,
            source: Some(source),
            access_level: Some(level),
            name: params.name.clone(),
            description: params.description.clone(),
            scopes: params.scopes.clone(),
            expires_at: params.expires_at,
        };
        let (token, secret) = tokens::create(tx, &new)?;
        tokens::record(tx, &by, "access_token.create", &token)?;
        Ok(Created(entities::token(&token, now, Some(&secret))))
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
    let missing = match kind {
        SourceKind::Project => "project Access Token",
        SourceKind::Group => "group Access Token",
    };
    let token = tokens::find_of_source(tx, source_of(kind, &place), token_id)?
        .ok_or(Error::NotFound(missing))?;
    // A token may not be taken over by somebody below its role.
    if token.access_level.is_some_and(|level| level > place.level) {
        return Err(Error::Unauthenticated);
    }
    Ok(token)
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
        let by = Author::from(viewer.signed_in()?);
        identity::users::end_token(tx, &by, &token)?;
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
            let by = Author::from(signed_in);
            let token = to_rotate(tx, &viewer, signed_in, kind, &params)?;
            match tokens::ready_to_rotate(tx, &token)? {
                Ready::Yes => {}
                Ready::Expired => return Ok(None),
                Ready::Reused => {
                    tokens::record(tx, &by, "access_token.reuse", &token)?;
                    identity::users::leave_bot(tx, &by, token.user_id)?;
                    return Ok(None);
                }
            }
            let (new, secret) = tokens::rotate(tx, &token, params.expires_at)?;
            tokens::record(tx, &by, "access_token.rotate", &new)?;
            Ok(Some((new, secret, tx.now())))
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
    let found = tokens::find_of_source(tx, source_of(kind, &place), id)?;
    found.ok_or(Error::MethodNotAllowed(vec![]))
}
