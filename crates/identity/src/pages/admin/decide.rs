//! What administrators do to an account by one button on its page.

use super::{NamedUser, named, url_of};
use crate::author::Author;
use crate::model::User;
use crate::users::{self, Change, Transition};
use crate::viewer::{Admin, SignedIn};
use crate::{sessions, tokens, two_factor};
use http::Method;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::flash;
use kernel::http::{Flat, Params, Response, Routes};
use serde_json::json;
use store::Tx;

pub fn routes(r: &mut Routes) {
    for (verb, to, message) in TRANSITIONS {
        let handler = move |app: App, admin: Admin, path: Params<NamedUser>| {
            change_state(app, admin, path, *to, message)
        };
        r.page(Method::POST, &path(verb), handler);
    }
    r.page(Method::POST, &path("approve"), approve);
    r.page(Method::POST, &path("reject"), reject);
    r.page(Method::POST, &path("disable_two_factor"), end_two_factor)
        .reauthenticated();
    for (verb, is_admin, message) in RIGHTS {
        let handler = move |app: App, admin: Admin, path: Params<NamedUser>| {
            set_admin(app, admin, path, *is_admin, message)
        };
        r.page(Method::POST, &path(verb), handler).reauthenticated();
    }
    r.page(Method::POST, &path("confirm"), confirm);
    r.page(Method::POST, &path("end_sessions"), end_sessions);
    r.page(Method::POST, &path("password_link"), password_link);
    r.page(Method::POST, &path("tokens/{token_id}/revoke"), revoke_token);
}

fn path(verb: &str) -> String {
    format!("/admin/users/{{username}}/{verb}")
}

const TRANSITIONS: &[(&str, Transition, &str)] = &[
    ("block", Transition::Block, "is blocked and signed out everywhere."),
    ("unblock", Transition::Unblock, "may sign in again."),
    ("ban", Transition::Ban, "is banned and signed out everywhere."),
    ("unban", Transition::Unban, "may sign in again."),
    ("deactivate", Transition::Deactivate, "is deactivated until they sign in."),
    ("activate", Transition::Activate, "is active again."),
];

const RIGHTS: &[(&str, bool, &str)] = &[
    ("promote", true, "is an administrator now."),
    ("demote", false, "is no administrator any more."),
];

/// Does something to the user of a page; who they were.
async fn decide(
    app: &App, path: Params<NamedUser>,
    work: impl Fn(&mut Tx<'_>, &User) -> Result<()> + Send + 'static,
) -> Result<User> {
    let name = path.0.username;
    app.write(move |tx| {
        let user = named(tx, &name)?;
        work(tx, &user)?;
        Ok(user)
    })
    .await
}

/// Leads back to the user's page with what happened, or with why it did not.
async fn told(
    app: &App, path: Params<NamedUser>, text: &str,
    work: impl Fn(&mut Tx<'_>, &User) -> Result<()> + Send + 'static,
) -> Result<Response> {
    let back = format!("/admin/users/{}", path.username);
    match decide(app, path, work).await {
        Ok(user) => flash::done(app, &url_of(&user), format!("{} {text}", user.name)),
        Err(Error::Forbidden(reason)) if !reason.is_empty() => {
            flash::refused(app, &back, format!("{}.", reason.trim_end_matches('.')))
        }
        Err(error) => Err(error),
    }
}

async fn change_state(
    app: App, admin: Admin, path: Params<NamedUser>, to: Transition, message: &str,
) -> Result<Response> {
    let by = admin.author();
    let change =
        move |tx: &mut Tx<'_>, user: &User| users::transition(tx, &by, user.id, to).map(drop);
    told(&app, path, message, change).await
}

async fn set_admin(
    app: App, admin: Admin, path: Params<NamedUser>, is_admin: bool, message: &str,
) -> Result<Response> {
    let change = Change { admin: Some(is_admin), ..Change::default() };
    told(&app, path, message, move |tx, user| {
        users::alter(tx, &admin.0, user.id, &change, true).map(drop)
    })
    .await
}

async fn approve(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    let by = admin.author();
    let approve = move |tx: &mut Tx<'_>, user: &User| users::approve(tx, &by, user.id);
    told(&app, path, "is let in.", approve).await
}

async fn reject(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    let by = admin.author();
    let reject = move |tx: &mut Tx<'_>, user: &User| users::reject(tx, &by, user.id);
    let user = decide(&app, path, reject).await?;
    let text = format!("{} is turned away and deleted.", user.name);
    flash::done(&app, "/admin/users?filter=pending", text)
}

async fn end_two_factor(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    let end =
        move |tx: &mut Tx<'_>, user: &User| two_factor::end_for(tx, &admin.0, user.id).map(drop);
    told(&app, path, "signs in with the password alone.", end).await
}

async fn confirm(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    let by = admin.author();
    let confirm = move |tx: &mut Tx<'_>, user: &User| match user.confirmed_at {
        Some(_) => Ok(()),
        None => users::confirm_email(tx, &by, user, None),
    };
    told(&app, path, "counts as who reads mail at that address.", confirm).await
}

/// Ends all sessions; of one's own all but this one.
async fn end_sessions(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    let end = move |tx: &mut Tx<'_>, user: &User| {
        let ended = sessions::revoke_others(tx, user.id, own_session(&admin.0, user))?;
        let by = Author::from(admin.0.as_ref());
        users::record(tx, &by, "session.revoke", user, json!({"ended": ended}))
    };
    told(&app, path, "is signed out of all browsers.", end).await
}

/// The session that asks, where it is the user's own.
fn own_session(admin: &SignedIn, user: &User) -> Option<i64> {
    admin.session_id().filter(|_| admin.user.id == user.id)
}

async fn password_link(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    let by = admin.author();
    let send = move |tx: &mut Tx<'_>, user: &User| users::send_password_link(tx, &by, user);
    told(&app, path, "gets a mail with a link to choose a password.", send).await
}

kernel::params! {
    /// A token on the page of its user.
    pub struct TokenOfUser {
        pub user: Flat<NamedUser>,
        pub token_id: i64,
    }
}

async fn revoke_token(app: App, admin: Admin, path: Params<TokenOfUser>) -> Result<Response> {
    let (by, id) = (admin.author(), path.token_id);
    let revoke = move |tx: &mut Tx<'_>, user: &User| {
        let token = tokens::find(tx, id)?;
        let token = token.filter(|token| token.user_id == user.id);
        users::end_token(tx, &by, &token.found("Personal Access Token")?)
    };
    told(&app, Params(path.0.user.0), "has one token less: it is revoked.", revoke).await
}
