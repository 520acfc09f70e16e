//! `/admin/users/new`: an account made by an administrator.

use super::{page, url_of};
use crate::pages::views::NewAdminUser;
use crate::password;
use crate::settings::SignIn;
use crate::users::{self, NewUser, Texts, UserInput};
use crate::viewer::Admin;
use http::Method;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::{Flat, Params, Response, Routes, Text};
use store::Tx;

const PATH: &str = "/admin/users/new";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, create).reauthenticated();
}

kernel::choices! {
    /// How the new user comes to a password.
    #[derive(Default)]
    pub enum Way {
        #[default]
        Link = "link",
        Password = "password",
    }
}

const WAYS: &[(&str, &str)] =
    &[("link", "Mail a link to set one"), ("password", "The password below")];

kernel::params! {
    /// The form; a box that is not ticked is not sent.
    #[derive(Default)]
    pub struct Form {
        pub name: Text,
        pub username: Text,
        pub email: Text,
        pub way: Option<Way>,
        pub password: Text,
        pub skip_confirmation: Option<bool>,
        pub admin: Option<bool>,
        pub external: Option<bool>,
        pub note: Text,
    }
}

impl Form {
    fn is_mailed(&self) -> bool {
        self.way.unwrap_or_default() == Way::Link
    }

    /// The user without a password.
    fn user(&self) -> NewUser {
        let note = self.note.replace("\r\n", "\n");
        let note = Some(note).filter(|note| !note.trim().is_empty());
        NewUser {
            username: self.username.trim().to_owned(),
            name: self.name.trim().to_owned(),
            email: self.email.trim().to_owned(),
            password_automatic: self.is_mailed(),
            admin: self.admin.unwrap_or(false),
            confirmed: !self.is_mailed() && self.skip_confirmation.unwrap_or(false),
            rest: UserInput {
                external: Some(self.external.unwrap_or(false)),
                texts: Flat(Texts(vec![("note", note)])),
                ..UserInput::default()
            },
            ..NewUser::default()
        }
    }

    /// The user with a password, unless something is wrong with either.
    async fn checked(&self) -> Result<NewUser> {
        let new = self.user();
        let password = match self.is_mailed() {
            true => password::random(),
            false => self.password.to_string(),
        };
        users::check_new(&new, &password)?;
        Ok(NewUser { password_hash: password::hash(password).await?, ..new })
    }
}

#[derive(Clone)]
struct NewUserPage {
    admin: Admin,
    new: NewUser,
}

async fn show(app: App, admin: Admin) -> Result<Response> {
    form::show(&app, NewUserPage { admin, new: NewUser::default() }).await
}

async fn create(app: App, admin: Admin, sent: Params<Form>) -> Result<Response> {
    let sent = sent.0;
    match sent.checked().await {
        Ok(new) => form::submit(&app, NewUserPage { admin, new }, sent).await,
        Err(error) => {
            let page = NewUserPage { admin, new: NewUser::default() };
            form::refused(&app, page, sent, error).await
        }
    }
}

impl FormPage for NewUserPage {
    type Form = Form;
    type View = NewAdminUser;
    const FIELDS: &'static [&'static str] = &["name", "username", "email", "password", "note"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.admin, "New user", "Users")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<NewAdminUser> {
        let form = match &typed.form {
            Some(form) => form.clone(),
            None => {
                let rules: SignIn = kernel::settings::read(tx)?;
                Form { external: Some(rules.new_users_external), ..Form::default() }
            }
        };
        Ok(NewAdminUser {
            page,
            way: form.way.unwrap_or_default().to_string(),
            ways: Choice::list(WAYS),
            form,
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let by = self.admin.author();
        let user = users::make(tx, &by, &self.new, form.is_mailed())?;
        let mail = match (form.is_mailed(), self.new.confirmed) {
            (true, _) => " A link to choose a password is mailed to them.",
            (false, false) => " A link to confirm the address is mailed to them.",
            (false, true) => "",
        };
        Outcome::led(url_of(&user), format!("User created: {}.{mail}", user.name))
    }
}
