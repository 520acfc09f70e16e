//! The pages that links in mail lead to, and the one that asks for such a
//! mail. Opening a link changes nothing; the button on its page does.

use super::sign_in::{OwnForm, bound_page};
use super::views::Door;
use crate::author::Author;
use crate::mail_links::{self, Purpose};
use crate::model::User;
use crate::tasks::SendLink;
use crate::users;
use crate::{attempts, password, password_rules, sign_in};
use http::{HeaderValue, Method, StatusCode, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::{Field, input};
use kernel::html::{Html, Page, flash};
use kernel::http::{Params, RequestContext, Response, Routes};
use std::sync::Arc;
use store::Tx;

/// Mails with a link that one account gets in an hour.
const PER_ACCOUNT: i64 = 3;
const HOUR: i64 = 3600;
const ENDED: &str = "This link has expired or was used. Ask for a new one.";

pub fn routes(r: &mut Routes) {
    for (path, purpose) in [
        ("/users/password/new", Purpose::Password),
        ("/users/confirmation/new", Purpose::Confirm),
    ] {
        let show = move |app: App, request| ask(app, request, purpose);
        r.page(Method::GET, path, show).unchecked();
        let send = move |app: App, sent| send(app, sent, purpose);
        r.page(Method::POST, path, send).unchecked();
    }
    for (path, purpose) in [
        ("/users/password/edit", Purpose::Password),
        ("/users/unlock", Purpose::Unlock),
        ("/users/confirmation", Purpose::Confirm),
    ] {
        let open = move |app: App, request, link| opened(app, request, link, purpose);
        r.page(Method::GET, path, open).unchecked();
    }
    r.page(Method::POST, "/users/password/edit", set).unchecked();
    r.page(Method::POST, "/users/unlock", unlock).unchecked();
    r.page(Method::POST, "/users/confirmation", confirm).unchecked();
}

/// Shows the page with a form bound to this browser. Its address may hold a
/// token, so it is told to nobody.
pub(super) fn show(
    app: &App, request: &RequestContext, mut door: Door, status: StatusCode,
) -> Result<Response> {
    let (page, bound) = bound_page(app, request, door.page.title);
    door.page = page;
    let mut response = bound.answer(app, Html::new(&door)?.status(status))?;
    let no_referrer = HeaderValue::from_static("no-referrer");
    response.headers_mut().insert(header::REFERRER_POLICY, no_referrer);
    Ok(response)
}

pub(super) fn door(title: &str, text: &str) -> Door {
    Door {
        page: Page::new(title),
        text: text.to_owned(),
        error: String::new(),
        action: "",
        token: String::new(),
        fields: Vec::new(),
        button: "",
    }
}

/// The page that asks where to send a link for this purpose.
async fn ask(app: App, request: Arc<RequestContext>, purpose: Purpose) -> Result<Response> {
    let (action, title, text) = match purpose {
        Purpose::Confirm => (
            "/users/confirmation/new",
            "Confirm your address",
            "Enter the address of your account. If it is not confirmed yet, a mail with a new \
             link will be sent to it.",
        ),
        _ => (
            "/users/password/new",
            "Forgot your password?",
            "Enter the address of your account. A mail with a link to choose a new password will \
             be sent to it.",
        ),
    };
    let form = Door {
        action,
        fields: vec![input("email", "E-mail", "").kind("email").autocomplete("email").required()],
        button: "Send the link",
        ..door(title, text)
    };
    show(&app, &request, form, StatusCode::OK)
}

kernel::params! {
    pub struct SendForm {
        pub email: Option<String>,
    }
}

/// Answers alike whether the account exists or not.
async fn send(
    app: App, OwnForm(request, form): OwnForm<Params<SendForm>>, purpose: Purpose,
) -> Result<Response> {
    let (ip, email) = (request.peer.to_string(), form.0.email.unwrap_or_default());
    // Counted in a transaction of its own: a refusal must count, too.
    app.write(move |tx| sign_in::count(tx, &ip)).await?;
    app.write(move |tx| ask_for_link(tx, &email, purpose)).await?;
    let told = door(
        "Look into your mail",
        "If the address belongs to an account, a mail with a link is on its way to it.",
    );
    show(&app, &request, told, StatusCode::OK)
}

fn ask_for_link(tx: &mut Tx<'_>, email: &str, purpose: Purpose) -> Result<()> {
    let done = |user: &User| purpose == Purpose::Confirm && user.confirmed_at.is_some();
    let user = users::find_by_email(tx, email)?
        .filter(|user| mail_links::may_use(user, purpose) && !done(user));
    let Some(user) = user else {
        return Ok(());
    };
    match attempts::count(tx, &format!("mail_link:{}", user.id), PER_ACCOUNT, HOUR) {
        Ok(()) => {}
        // Saying so would tell that the account exists.
        Err(Error::Limited(_)) => return Ok(()),
        Err(error) => return Err(error),
    }
    let now = tx.now();
    kernel::jobs::enqueue_at(tx, &SendLink::new(user.id, purpose), now)
}

fn new_password(token: &str, error: String) -> Door {
    let secret = |name: &str, label: &str| -> Field {
        input(name, label, "").kind("password").autocomplete("new-password").required()
    };
    Door {
        error,
        action: "/users/password/edit",
        token: token.to_owned(),
        fields: vec![
            secret("password", "New password").hint("8 to 128 characters"),
            secret("password_confirmation", "The same again"),
        ],
        button: "Set password",
        ..door("Choose a new password", "Afterwards you sign in with it.")
    }
}

/// Whose token it is, without using it up; refused if it opens nothing.
async fn check(app: &App, purpose: Purpose, token: &str) -> Result<User> {
    let token = token.to_owned();
    let found = app.read(move |tx| mail_links::find(tx, purpose, &token));
    let user = found.await?.map(|(_, user)| user);
    user.ok_or_else(|| Error::forbidden(ENDED))
}

kernel::params! {
    /// The address of a link: its token by the name that its purpose has for it.
    pub struct Link {
        pub reset_password_token: Option<String>,
        pub unlock_token: Option<String>,
        pub confirmation_token: Option<String>,
    }
}

/// The page that a link leads to, while it works.
async fn opened(
    app: App, request: Arc<RequestContext>, link: Params<Link>, purpose: Purpose,
) -> Result<Response> {
    let link = link.0;
    let token = match purpose {
        Purpose::Password => link.reset_password_token,
        Purpose::Unlock => link.unlock_token,
        Purpose::Confirm => link.confirmation_token,
    };
    let token = token.unwrap_or_default();
    check(&app, purpose, &token).await?;
    let page = match purpose {
        Purpose::Password => new_password(&token, String::new()),
        Purpose::Unlock => Door {
            action: "/users/unlock",
            token,
            button: "Unlock",
            ..door("Unlock your account", "Afterwards you can sign in again.")
        },
        Purpose::Confirm => Door {
            action: "/users/confirmation",
            token,
            button: "Confirm",
            ..door("Confirm your address", "Confirm that this e-mail address is yours.")
        },
    };
    show(&app, &request, page, StatusCode::OK)
}

kernel::params! {
    pub struct SetForm {
        pub token: String,
        pub password: String,
        pub password_confirmation: String,
    }
}

async fn set(app: App, OwnForm(request, form): OwnForm<Params<SetForm>>) -> Result<Response> {
    let ip = request.peer.to_string();
    app.write(move |tx| sign_in::count(tx, &ip)).await?;
    let user = check(&app, Purpose::Password, &form.token).await?;
    let problem = match password_rules::problem(&form.password, &user) {
        Some(problem) => Some(format!("The password {problem}.")),
        None if form.password != form.password_confirmation => {
            Some("The two passwords differ.".to_owned())
        }
        None => None,
    };
    if let Some(problem) = problem {
        let page = new_password(&form.token, problem);
        return show(&app, &request, page, StatusCode::UNPROCESSABLE_ENTITY);
    }
    let hash = password::hash(form.password.clone()).await?;
    let token = form.0.token;
    let by_link = used(&request, Purpose::Password, token, move |tx, by, user, _| {
        users::set_password(tx, by, user, &hash, false, None)?;
        users::confirm_email(tx, by, user, None)
    });
    app.write(by_link).await?;
    flash::done(&app, "/users/sign_in", "Your new password is set: sign in with it.")
}

/// Uses a link up and does what it is for.
fn used(
    request: &RequestContext, purpose: Purpose, token: String,
    work: impl Fn(&mut Tx<'_>, &Author, &User, Option<i64>) -> Result<()> + Send + 'static,
) -> impl Fn(&mut Tx<'_>) -> Result<()> + Send + 'static {
    let ip = request.peer.to_string();
    move |tx| {
        let found = mail_links::take(tx, purpose, &token)?;
        let (link, user) = found.ok_or_else(|| Error::forbidden(ENDED))?;
        let by = Author::at(user.id, &ip);
        work(tx, &by, &user, link.email_id)
    }
}

kernel::params! {
    /// The button on the page of a link.
    pub struct Press { pub token: String }
}

async fn unlock(app: App, OwnForm(request, form): OwnForm<Params<Press>>) -> Result<Response> {
    let by_link = used(&request, Purpose::Unlock, form.0.token, |tx, by, user, _| {
        sign_in::unlock(tx, by, user)
    });
    app.write(by_link).await?;
    flash::done(&app, "/users/sign_in", "Your account is unlocked.")
}

async fn confirm(app: App, OwnForm(request, form): OwnForm<Params<Press>>) -> Result<Response> {
    let by_link = used(&request, Purpose::Confirm, form.0.token, users::confirm_email);
    app.write(by_link).await?;
    flash::done(&app, "/users/sign_in", "Your address is confirmed.")
}
