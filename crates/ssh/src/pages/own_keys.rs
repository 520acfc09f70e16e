//! `/-/user_settings/ssh_keys`: the keys of one's own account.

use super::{beside_fields, ends_on, views};
use crate::model::UsageType;
use crate::rules::{KeyInput, keys as rules};
use crate::store::keys as rows;
use ::store::Tx;
use http::Method;
use identity::pages::navigation::own_settings;
use identity::pages::page;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::http::{Params, Response, Routes, Text, reply};

const PATH: &str = "/-/user_settings/ssh_keys";
/// Where guides of clients send people to add one.
const KNOWN_ELSEWHERE: &str = "/-/profile/keys";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::GET, KNOWN_ELSEWHERE, lead_here);
    r.page(Method::POST, PATH, add).reauthenticated();
    r.page(Method::POST, "/-/user_settings/ssh_keys/{id}/remove", remove)
        .reauthenticated();
}

async fn lead_here() -> Result<Response> {
    reply::redirect(PATH)
}

kernel::params! {
    /// The form of a new key.
    #[derive(Default)]
    pub struct Form {
        pub title: Text,
        pub key: Text,
        /// What it is for.
        pub usage_type: Text,
        /// Last day.
        pub expires_at: Text,
    }
}

kernel::params! {
    /// One of one's keys.
    pub struct OneKey {
        pub id: i64,
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

async fn remove(app: App, viewer: SignedInViewer, path: Params<OneKey>) -> Result<Response> {
    form::submit(&app, Own(viewer), Sent::Remove(path.id)).await
}

impl FormPage for Own {
    type Form = Sent;
    type View = views::OwnKeys;
    const FIELDS: &'static [&'static str] = &["title", "key", "usage_type", "expires_at"];

    fn page(&self, app: &App) -> Page {
        own_settings(page(app, &self.0.viewer(), "SSH keys"), "SSH keys")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Sent>) -> Result<views::OwnKeys> {
        let form = match &typed.form {
            Some(Sent::Add(form)) => form.clone(),
            _ => Form::default(),
        };
        Ok(views::OwnKeys {
            page,
            keys: rows::all_of_user(tx, self.0.0.user.id)?,
            form,
            errors: typed.errors.clone(),
            usages: Choice::list(&[
                ("auth_and_signing", "Signing in and signing"),
                ("auth", "Signing in"),
                ("signing", "Signing"),
            ]),
            now: tx.now(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, sent: &Sent) -> Result<Outcome<Self>> {
        let (by, user) = (self.0.author(), &self.0.0.user);
        match sent {
            Sent::Add(form) => {
                let usage = match &*form.usage_type {
                    "" => UsageType::AuthAndSigning,
                    text => UsageType::from_text(text).ok_or_else(|| {
                        Error::invalid("usage_type", "is not included in the list")
                    })?,
                };
                let input = KeyInput {
                    title: form.title.to_string(),
                    key: form.key.to_string(),
                    expires_at: ends_on(&form.expires_at)?,
                };
                rules::create(tx, &by, user, &input, usage)?;
                Outcome::led(PATH, "Key added.")
            }
            Sent::Remove(id) => {
                rules::destroy(tx, &by, user, *id)?;
                Outcome::led(PATH, "Key removed.")
            }
        }
    }

    fn refusal(error: Error) -> Error {
        beside_fields(error)
    }
}
