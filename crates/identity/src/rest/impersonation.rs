//! `/users/:id/impersonation_tokens`: administrators acting as a user.

use super::tokens::{CreateFor, for_user, listed, made};
use super::users::UserPath;
use crate::entities::{self, TokenEntity};
use crate::model::{AccessToken, TokenKind};
use crate::settings::TokenRules;
use crate::tokens::{self, Filter, SortBy, State};
use crate::users;
use crate::viewer::Admin;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use store::Tx;

pub fn routes(r: &mut Routes) {
    r.get("/users/{id}/impersonation_tokens", list)
        .summary("Lists a user's impersonation tokens");
    r.post("/users/{id}/impersonation_tokens", create)
        .reauthenticated()
        .summary("Creates an impersonation token");
    r.get("/users/{id}/impersonation_tokens/{token_id}", show)
        .summary("Shows an impersonation token");
    r.delete("/users/{id}/impersonation_tokens/{token_id}", destroy)
        .summary("Revokes an impersonation token");
}

kernel::choices! {
    pub enum Listed {
        All = "all",
        /// Those that open something.
        Active = "active",
        /// Those that do not.
        Inactive = "inactive",
    }
}

kernel::params! {
    pub struct ListImpersonation {
        pub user: Flat<UserPath>,
        /// Whether they open anything.
        pub state: Option<Listed>,
    }
}

async fn list(
    app: App, _: Admin, params: Params<ListImpersonation>, paging: Paging,
) -> Result<Paged<TokenEntity>> {
    let state = match params.state {
        Some(Listed::Active) => Some(State::Active),
        Some(Listed::Inactive) => Some(State::Inactive),
        Some(Listed::All) | None => None,
    };
    let filter = Filter {
        kind: Some(TokenKind::Impersonation),
        user_id: Some(params.user.id),
        state,
        ..Filter::default()
    };
    let id = params.user.id;
    app.read(move |tx| users::find(tx, id)?.found("User")).await?;
    listed(&app, filter, SortBy::CreatedDesc, paging).await
}

async fn create(app: App, admin: Admin, params: Params<CreateFor>) -> Result<Created<TokenEntity>> {
    let rules: TokenRules = app.settings().get(&app).await?;
    if !rules.impersonation {
        return Err(Error::forbidden("Impersonation is switched off on this instance"));
    }
    let new = for_user(&app, params.0, TokenKind::Impersonation).await?;
    made(app, admin.author(), new).await
}

kernel::params! {
    pub struct ImpersonationPath {
        pub user: Flat<UserPath>,
        /// Id of the token.
        pub token_id: i64,
    }
}

fn of_user(tx: &mut Tx<'_>, user: i64, id: i64) -> Result<AccessToken> {
    users::find(tx, user)?.found("User")?;
    let token = tokens::find(tx, id)?;
    token
        .filter(|token| token.kind == TokenKind::Impersonation && token.user_id == user)
        .found("Impersonation Token")
}

async fn show(app: App, _: Admin, path: Params<ImpersonationPath>) -> Result<Ok200<TokenEntity>> {
    let (user, id) = (path.user.id, path.token_id);
    let token = app.read(move |tx| of_user(tx, user, id)).await?;
    Ok(Ok200(entities::token(&token, app.now(), None)))
}

async fn destroy(app: App, admin: Admin, path: Params<ImpersonationPath>) -> Result<NoContent> {
    let (user, id) = (path.user.id, path.token_id);
    let by = admin.author();
    app.write(move |tx| {
        let token = of_user(tx, user, id)?;
        tokens::revoke(tx, token.id)?;
        tokens::record(tx, &by, "access_token.revoke", &token)
    })
    .await?;
    Ok(NoContent)
}
