//! `/admin/users/<username>/edit`: what an account says and may.

use super::{NamedUser, named, page, url_of};
use crate::model::User;
use crate::pages::navigation::user_tabs;
use crate::pages::views::EditAdminUser;
use crate::users::{self, Change, Texts, UserInput};
use crate::viewer::Admin;
use http::Method;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::http::{Flat, Params, Patch, Response, Routes, Text};
use store::Tx;

const PATH: &str = "/admin/users/{username}/edit";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, save).reauthenticated();
}

kernel::params! {
    /// The form; a box that is not ticked is not sent. The user name has a name of
    /// its own, for the address has it, too.
    #[derive(Default)]
    pub struct Form {
        pub name: Text,
        pub new_username: Text,
        pub email: Text,
        pub skip_reconfirmation: Option<bool>,
        pub admin: Option<bool>,
        pub external: Option<bool>,
        pub private_profile: Option<bool>,
        pub can_create_group: Option<bool>,
        pub projects_limit: Text,
        pub note: Text,
    }
}

impl Form {
    fn of(user: &User, note: Option<&str>) -> Form {
        Form {
            name: Text(user.name.clone()),
            new_username: Text(user.username.clone()),
            email: Text(user.email.clone()),
            skip_reconfirmation: None,
            admin: Some(user.is_admin),
            external: Some(user.is_external),
            private_profile: user.is_private,
            can_create_group: Some(user.can_create_group),
            projects_limit: Text(user.projects_limit.to_string()),
            note: Text(note.unwrap_or_default().to_owned()),
        }
    }

    /// What becomes of a user; an administrator's own rights stay as they are.
    fn change(&self, user: &User, is_own: bool) -> Result<Change> {
        let limit = self.projects_limit.trim().parse::<i64>();
        let limit =
            limit.map_err(|_| Error::invalid("projects_limit", "must be a whole number"))?;
        let (note, ticked) =
            (self.note.replace("\r\n", "\n"), |box_: Option<bool>| box_.unwrap_or(false));
        Ok(Change {
            username: Some(self.new_username.trim().to_owned()),
            name: Some(self.name.trim().to_owned()),
            email: Some(self.email.trim().to_owned()),
            admin: (!is_own && ticked(self.admin) != user.is_admin).then(|| ticked(self.admin)),
            rest: UserInput {
                external: Some(ticked(self.external)),
                private_profile: Patch::Value(ticked(self.private_profile)),
                projects_limit: Some(limit),
                can_create_group: Some(ticked(self.can_create_group)),
                texts: Flat(Texts(vec![("note", Some(note))])),
                ..UserInput::default()
            },
        })
    }
}

#[derive(Clone)]
struct EditPage {
    admin: Admin,
    username: String,
}

async fn show(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    form::show(&app, EditPage { admin, username: path.0.username }).await
}

kernel::params! {
    /// The form, and whose it is.
    pub struct Sent {
        pub user: Flat<NamedUser>,
        pub form: Flat<Form>,
    }
}

async fn save(app: App, admin: Admin, sent: Params<Sent>) -> Result<Response> {
    let Sent { user, form } = sent.0;
    form::submit(&app, EditPage { admin, username: user.0.username }, form.0).await
}

impl FormPage for EditPage {
    type Form = Form;
    type View = EditAdminUser;
    const FIELDS: &'static [&'static str] =
        &["name", "new_username", "email", "projects_limit", "note"];

    fn page(&self, app: &App) -> Page {
        let title = format!("Edit {}", self.username);
        let page = page(app, &self.admin, &title, "Users");
        page.crumb(&self.username, format!("/admin/users/{}", self.username))
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<EditAdminUser> {
        let user = named(tx, &self.username)?;
        let form = match &typed.form {
            Some(form) => form.clone(),
            None => {
                let whole = users::whole(tx, user.clone(), None)?;
                let form = Form::of(&user, whole.profile.note.as_deref());
                Form { private_profile: Some(whole.is_private), ..form }
            }
        };
        Ok(EditAdminUser {
            page,
            tabs: user_tabs(&user.username, "Edit"),
            is_self: self.admin.0.user.id == user.id,
            user,
            form,
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let user = named(tx, &self.username)?;
        let change = form.change(&user, self.admin.0.user.id == user.id)?;
        let is_confirmed = form.skip_reconfirmation.unwrap_or(false);
        let user = users::alter(tx, &self.admin.0, user.id, &change, is_confirmed)?;
        Outcome::led(url_of(&user), format!("{} is saved.", user.name))
    }

    fn refusal(error: Error) -> Error {
        form::rename(error, "username", "new_username")
    }
}
