//! `/admin/users/<username>`: an account, what opens it, and its end.

use super::{NamedUser, named, page};
use crate::access::may_end_two_factor;
use crate::author::Author;
use crate::model::AccessToken;
use crate::pages::navigation::user_tabs;
use crate::pages::tokens::ShownSecret;
use crate::pages::views::AdminUser;
use crate::sessions;
use crate::tokens::{self, Filter, SortBy, State};
use crate::users;
use crate::viewer::Admin;
use crate::{mail_links, password};
use http::Method;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::http::{Flat, Paging, Params, Response, Routes, Text};
use store::Tx;

/// Most tokens that the page shows.
const MAX_TOKENS: i64 = 100;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/admin/users/{username}", show);
    r.page(Method::POST, "/admin/users/{username}/password", new_password)
        .reauthenticated();
    r.page(Method::POST, "/admin/users/{username}/delete", delete).reauthenticated();
}

#[derive(Clone)]
struct UserPage {
    admin: Admin,
    username: String,
    /// A password made just now.
    secret: Option<ShownSecret>,
}

/// What the forms of the page ask for.
#[derive(Clone)]
enum Sent {
    /// A new password, by its hash and as it is shown once.
    Password(String, String),
    Delete(DeleteForm),
}

kernel::params! {
    /// The end of an account.
    pub struct DeleteForm {
        pub user: Flat<NamedUser>,
        /// The user name, typed to be sure.
        pub confirm: Text,
        /// What they wrote goes, too.
        pub hard: Option<bool>,
    }
}

async fn show(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    form::show(&app, UserPage { admin, username: path.0.username, secret: None }).await
}

async fn new_password(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    let page = UserPage { admin, username: path.0.username, secret: None };
    let password = password::random();
    let hash = password::hash(password.clone()).await?;
    form::submit(&app, page, Sent::Password(hash, password)).await
}

async fn delete(app: App, admin: Admin, sent: Params<DeleteForm>) -> Result<Response> {
    let page = UserPage { admin, username: sent.user.username.clone(), secret: None };
    form::submit(&app, page, Sent::Delete(sent.0)).await
}

impl FormPage for UserPage {
    type Form = Sent;
    type View = AdminUser;
    const FIELDS: &'static [&'static str] = &["confirm"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.admin, &self.username, "Users")
    }

    fn view(&self, tx: &mut Tx<'_>, mut page: Page, typed: &Typed<Sent>) -> Result<AdminUser> {
        let user = named(tx, &self.username)?;
        let (user_id, is_self) = (user.id, self.admin.0.user.id == user.id);
        let whole = users::whole(tx, user, None)?;
        page.title = whole.user.name.clone();
        let hard = match &typed.form {
            Some(Sent::Delete(form)) => form.hard.unwrap_or(false),
            _ => false,
        };
        Ok(AdminUser {
            page,
            tabs: user_tabs(&whole.user.username, "Account"),
            secret: self.secret.clone(),
            may_end_two_factor: whole.two_factor && may_end_two_factor(&self.admin.0, &whole.user),
            takes_links: mail_links::may_use(&whole.user, mail_links::Purpose::Password),
            is_self,
            sessions: sessions::list(tx, user_id)?.len(),
            tokens: active_tokens(tx, user_id)?,
            now: tx.now(),
            whole,
            hard,
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, sent: &Sent) -> Result<Outcome<Self>> {
        let by = self.admin.author();
        match sent {
            Sent::Password(hash, password) => {
                self.set_password(tx, &by, hash)?;
                let secret = ShownSecret { name: String::new(), token: password.clone() };
                Ok(Outcome::Shown(UserPage { secret: Some(secret), ..self.clone() }))
            }
            Sent::Delete(form) => {
                let user = named(tx, &self.username)?;
                if form.confirm.trim() != user.username {
                    return Err(Error::invalid("confirm", format!("must be {}", user.username)));
                }
                users::destroy(tx, &by, user.id, form.hard.unwrap_or(false))?;
                Outcome::led("/admin/users", format!("{} is deleted.", user.name))
            }
        }
    }
}

impl UserPage {
    /// Sets a password that has to be changed at the next sign-in.
    fn set_password(&self, tx: &mut Tx<'_>, by: &Author, hash: &str) -> Result<()> {
        let user = named(tx, &self.username)?;
        if user.id == self.admin.0.user.id {
            return Err(Error::forbidden("Change your own password on your profile"));
        }
        if !user.is_human() {
            return Err(Error::forbidden("This account has no password"));
        }
        users::set_password(tx, by, &user, hash, true, None)
    }
}

/// Personal and impersonation tokens that open something, newest first.
fn active_tokens(tx: &mut Tx<'_>, user: i64) -> Result<Vec<AccessToken>> {
    let filter = Filter {
        user_id: Some(user),
        state: Some(State::Active),
        ..Filter::default()
    };
    tokens::page(tx, &filter, SortBy::CreatedDesc, &Paging::first(MAX_TOKENS))
}
