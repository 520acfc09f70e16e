//! `/-/user_settings/emails`: the addresses of one's own account.

use super::OwnThing;
use super::navigation::own_settings;
use super::views::OwnEmails;
use crate::users;
use crate::viewer::SignedInViewer;
use http::Method;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::http::{Params, Response, Routes, Text};
use store::Tx;

const PATH: &str = "/-/user_settings/emails";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, add).reauthenticated();
    r.page(Method::POST, "/-/user_settings/emails/{id}/remove", remove)
        .reauthenticated();
}

kernel::params! {
    /// The form of a new address.
    #[derive(Default)]
    pub struct Form {
        pub email: Text,
    }
}

/// What the forms of the page ask for.
#[derive(Clone)]
enum Sent {
    Add(Form),
    Remove(i64),
}

#[derive(Clone)]
struct Own(SignedInViewer);

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    form::show(&app, Own(viewer)).await
}

async fn add(app: App, viewer: SignedInViewer, form: Params<Form>) -> Result<Response> {
    form::submit(&app, Own(viewer), Sent::Add(form.0)).await
}

async fn remove(app: App, viewer: SignedInViewer, path: Params<OwnThing>) -> Result<Response> {
    form::submit(&app, Own(viewer), Sent::Remove(path.id)).await
}

impl FormPage for Own {
    type Form = Sent;
    type View = OwnEmails;
    const FIELDS: &'static [&'static str] = &["email"];

    fn page(&self, app: &App) -> Page {
        own_settings(super::page(app, &self.0.viewer(), "E-mail addresses"), "E-mail addresses")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Sent>) -> Result<OwnEmails> {
        let user = self.0.0.user.clone();
        Ok(OwnEmails {
            page,
            emails: users::emails(tx, user.id)?,
            user,
            typed: match &typed.form {
                Some(Sent::Add(form)) => form.email.to_string(),
                _ => String::new(),
            },
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, sent: &Sent) -> Result<Outcome<Self>> {
        let own = &self.0.0;
        match sent {
            Sent::Add(form) => {
                let made = users::add_own_email(tx, own, form.email.trim())?;
                let text =
                    format!("A mail with a link to confirm it is on its way to {}.", made.email);
                Outcome::led(PATH, text)
            }
            Sent::Remove(id) => {
                users::remove_own_email(tx, own, *id)?;
                Outcome::led(PATH, "Address removed.")
            }
        }
    }
}
