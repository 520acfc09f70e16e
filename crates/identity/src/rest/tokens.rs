//! `/personal_access_tokens` and making them.

use super::users::UserPath;
use crate::author::Author;
use crate::entities::{self, TokenEntity};
use crate::model::{AccessToken, TokenKind, User};
use crate::scopes;
use crate::tokens::{self, Filter, NewToken, Ready, SortBy, State, TokenTimes};
use crate::users;
use crate::viewer::{Admin, Credential, SignedIn, SignedInViewer};
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::time::Date;
use store::Tx;

pub fn routes(r: &mut Routes) {
    r.get("/personal_access_tokens", list).summary("Lists personal access tokens");
    r.get("/personal_access_tokens/self", show_self)
        .scopes(&[])
        .summary("Shows the token that asks");
    r.get("/personal_access_tokens/{id}", show)
        .summary("Shows a personal access token");
    r.post("/personal_access_tokens/self/rotate", rotate_self)
        .reauthenticated()
        .scopes(&["api", "self_rotate"])
        .summary("Rotates the token that asks");
    r.post("/personal_access_tokens/{id}/rotate", rotate)
        .reauthenticated()
        .summary("Rotates a token");
    r.delete("/personal_access_tokens/self", destroy_self)
        .scopes(&[])
        .summary("Revokes the token that asks");
    r.delete("/personal_access_tokens/{id}", destroy).summary("Revokes a token");
    r.post("/user/personal_access_tokens", create_own)
        .reauthenticated()
        .summary("Creates a token of the caller with a narrow scope");
    r.post("/users/{id}/personal_access_tokens", create_for)
        .reauthenticated()
        .summary("Creates a token of a user");
}

kernel::params! {
    pub struct ListTokens {
        pub times: Flat<TokenTimes>,
        /// Revoked or not.
        pub revoked: Option<bool>,
        /// Part of the name.
        pub search: Option<String>,
        /// Whether they open anything.
        pub state: Option<State>,
        /// Of this user; administrators may name any.
        pub user_id: Option<i64>,
        /// Order.
        pub sort: Option<SortBy>,
    }
}

async fn list(
    app: App, viewer: SignedInViewer, params: Params<ListTokens>, paging: Paging,
) -> Result<Paged<TokenEntity>> {
    let caller = &viewer.0.user;
    let user_id = match params.user_id {
        Some(id) if id != caller.id && !caller.is_admin => return Err(Error::Unauthenticated),
        None if !caller.is_admin => Some(caller.id),
        sent => sent,
    };
    let filter = Filter {
        kind: Some(TokenKind::Personal),
        user_id,
        times: Some(params.times.0.clone()),
        revoked: params.revoked,
        search: params.search.clone(),
        state: params.state,
        ..Filter::default()
    };
    let sort = params.sort.unwrap_or(SortBy::CreatedDesc);
    listed(&app, filter, sort, paging).await
}

pub(super) async fn listed(
    app: &App, filter: Filter, sort: SortBy, paging: Paging,
) -> Result<Paged<TokenEntity>> {
    let page = Paged::read(app, paging, move |tx, part| {
        let rows = tokens::page(tx, &filter, sort, part)?;
        Ok((rows, tokens::total(tx, &filter)?))
    });
    let now = app.now();
    Ok(page.await?.map(|row| entities::token(&row, now, None)))
}

kernel::params! {
    pub struct TokenPath {
        /// Id of the token.
        pub id: i64,
    }
}

/// A personal token the caller may see: unknown and foreign ones look alike.
fn visible(tx: &mut Tx<'_>, caller: &SignedIn, id: i64) -> Result<AccessToken> {
    let personal = tokens::find(tx, id)?.filter(|token| token.kind == TokenKind::Personal);
    if caller.user.is_admin {
        return personal.found("Personal Access Token");
    }
    personal
        .filter(|token| token.user_id == caller.user.id)
        .ok_or(Error::Unauthenticated)
}

async fn show(
    app: App, viewer: SignedInViewer, path: Params<TokenPath>,
) -> Result<Ok200<TokenEntity>> {
    let id = path.id;
    let token = app.read(move |tx| visible(tx, &viewer.0, id)).await?;
    Ok(Ok200(entities::token(&token, app.now(), None)))
}

/// The token that asks; a session is none.
fn own(tx: &mut Tx<'_>, caller: &SignedIn) -> Result<AccessToken> {
    let Credential::Token { id, .. } = caller.credential else {
        return Err(Error::BadRequest("only a token can ask about itself".into()));
    };
    tokens::find(tx, id)?.ok_or(Error::Unauthenticated)
}

async fn show_self(app: App, viewer: SignedInViewer) -> Result<Ok200<TokenEntity>> {
    let token = app.read(move |tx| own(tx, &viewer.0)).await?;
    Ok(Ok200(entities::token(&token, app.now(), None)))
}

kernel::params! {
    pub struct RotateSelf {
        /// Last day of the new one; a week from now unless said.
        pub expires_at: Option<Date>,
    }
}

kernel::params! {
    pub struct Rotate { pub token: Flat<TokenPath>, pub to: Flat<RotateSelf> }
}

async fn rotate(
    app: App, viewer: SignedInViewer, params: Params<Rotate>,
) -> Result<Ok200<TokenEntity>> {
    let id = params.token.id;
    rotated(app, viewer, params.to.expires_at, move |tx, caller| visible(tx, caller, id)).await
}

async fn rotate_self(
    app: App, viewer: SignedInViewer, params: Params<RotateSelf>,
) -> Result<Ok200<TokenEntity>> {
    if let Credential::Token { kind, .. } = viewer.0.credential
        && kind != TokenKind::Personal
    {
        return Err(Error::MethodNotAllowed(vec![]));
    }
    rotated(app, viewer, params.expires_at, own).await
}

async fn rotated(
    app: App, viewer: SignedInViewer, expires_at: Option<Date>,
    find: impl Fn(&mut Tx<'_>, &SignedIn) -> Result<AccessToken> + Send + 'static,
) -> Result<Ok200<TokenEntity>> {
    let by = viewer.author();
    let made = app
        .write(move |tx| {
            let token = find(tx, &viewer.0)?;
            match tokens::ready_to_rotate(tx, &token)? {
                Ready::Yes => {}
                Ready::Expired => return Ok(None),
                Ready::Reused => {
                    tokens::record(tx, &by, "access_token.reuse", &token)?;
                    return Ok(None);
                }
            }
            let (new, secret) = tokens::rotate(tx, &token, expires_at)?;
            tokens::record(tx, &by, "access_token.rotate", &new)?;
            Ok(Some((new, secret)))
        })
        .await?;
    let (token, secret) = made.ok_or(Error::Unauthenticated)?;
    Ok(Ok200(entities::token(&token, app.now(), Some(&secret))))
}

async fn destroy(app: App, viewer: SignedInViewer, path: Params<TokenPath>) -> Result<NoContent> {
    let id = path.id;
    revoked(app, viewer, move |tx, caller| visible(tx, caller, id)).await
}

async fn destroy_self(app: App, viewer: SignedInViewer) -> Result<NoContent> {
    revoked(app, viewer, own).await
}

async fn revoked(
    app: App, viewer: SignedInViewer,
    find: impl Fn(&mut Tx<'_>, &SignedIn) -> Result<AccessToken> + Send + 'static,
) -> Result<NoContent> {
    let by = viewer.author();
    app.write(move |tx| {
        let token = find(tx, &viewer.0)?;
        users::end_token(tx, &by, &token)
    })
    .await?;
    Ok(NoContent)
}

kernel::params! {
    pub struct TokenInput {
        /// For people.
        pub name: String,
        /// For people.
        pub description: Option<String>,
        /// What it allows. Users who make one for themselves may name `k8s_proxy` and
        /// `self_rotate` only.
        pub scopes: Vec<String>,
        /// Last day.
        pub expires_at: Option<Date>,
    }
}

impl TokenInput {
    fn new_token(self, kind: TokenKind, user: &User) -> NewToken {
        NewToken {
            name: self.name,
            description: self.description,
            scopes: self.scopes,
            expires_at: self.expires_at,
            ..NewToken::of(kind, user)
        }
    }
}

async fn create_own(
    app: App, viewer: SignedInViewer, params: Params<TokenInput>,
) -> Result<Created<TokenEntity>> {
    let allowed = |scope: &String| scopes::SELF_SERVICE.contains(&scope.as_str());
    if !params.scopes.iter().all(allowed) {
        return Err(Error::Parameters(vec!["scopes does not have a valid value".into()]));
    }
    if !viewer.0.user.is_human() {
        return Err(Error::forbidden(""));
    }
    let new = params.0.new_token(TokenKind::Personal, &viewer.0.user);
    made(app, viewer.author(), new).await
}

kernel::params! {
    pub struct CreateFor {
        pub user: Flat<UserPath>,
        pub token: Flat<TokenInput>,
    }
}

async fn create_for(
    app: App, admin: Admin, params: Params<CreateFor>,
) -> Result<Created<TokenEntity>> {
    let new = for_user(&app, params.0, TokenKind::Personal).await?;
    made(app, admin.author(), new).await
}

/// A token to be made for a person that exists.
pub(super) async fn for_user(app: &App, params: CreateFor, kind: TokenKind) -> Result<NewToken> {
    let id = params.user.id;
    let user = app.read(move |tx| users::find(tx, id)?.found("User")).await?;
    if !user.is_human() {
        return Err(Error::forbidden("Tokens of bots belong to their project or group"));
    }
    Ok(params.token.0.new_token(kind, &user))
}

/// Makes the token and shows its text once.
pub(super) async fn made(app: App, by: Author, new: NewToken) -> Result<Created<TokenEntity>> {
    let (token, secret) = app
        .write(move |tx| {
            let (token, secret) = tokens::create(tx, &new)?;
            tokens::record(tx, &by, "access_token.create", &token)?;
            Ok((token, secret))
        })
        .await?;
    Ok(Created(entities::token(&token, app.now(), Some(&secret))))
}
