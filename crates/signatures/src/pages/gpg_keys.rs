//! `/-/user_settings/gpg_keys`: the GPG keys of one's own account.

use crate::rules::{self, Described, KeyInput, NewKey};
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::pages::navigation::own_settings;
use identity::pages::page;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Errors, Page, ui};
use kernel::http::{Params, Response, Routes, Text};
use kernel::time::Timestamp;

const PATH: &str = "/-/user_settings/gpg_keys";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, change).reauthenticated();
}

kernel::choices! {
    enum Action {
        Add = "add",
        Remove = "remove",
        Revoke = "revoke",
    }
}

kernel::params! {
    /// The forms of the page.
    pub struct Form {
        pub action: Action,
        /// The key that is added.
        pub key: Text,
        /// The key that is removed or revoked.
        pub id: Option<i64>,
    }
}

/// What was sent, and the key that was in it.
#[derive(Clone)]
struct Sent {
    form: Form,
    key: Option<NewKey>,
}

#[derive(Clone)]
struct Own(SignedInViewer);

#[derive(Debug, Template)]
#[template(path = "gpg_keys.html")]
pub struct OwnKeys {
    page: Page,
    keys: Vec<Described>,
    typed: String,
    errors: Errors,
    now: Timestamp,
}

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    form::show(&app, Own(viewer)).await
}

async fn change(app: App, viewer: SignedInViewer, form: Params<Form>) -> Result<Response> {
    let form = form.0;
    let key = match form.action {
        Action::Add => rules::read(&KeyInput { key: form.key.to_string() }).await.ok(),
        Action::Remove | Action::Revoke => None,
    };
    form::submit(&app, Own(viewer), Sent { form, key }).await
}

impl FormPage for Own {
    type Form = Sent;
    type View = OwnKeys;
    const FIELDS: &'static [&'static str] = &["key"];

    fn page(&self, app: &App) -> Page {
        own_settings(page(app, &self.0.viewer(), "GPG keys"), "GPG keys")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Sent>) -> Result<OwnKeys> {
        Ok(OwnKeys {
            page,
            keys: rules::described(tx, &self.0.0.user)?,
            typed: typed.form.as_ref().map_or_else(String::new, |sent| sent.form.key.to_string()),
            errors: typed.errors.clone(),
            now: tx.now(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, sent: &Sent) -> Result<Outcome<Self>> {
        let (by, user) = (self.0.author(), &self.0.0.user);
        let id = sent.form.id.unwrap_or_default();
        match sent.form.action {
            Action::Add => {
                let key = sent.key.as_ref().ok_or_else(|| rules::problem(&sent.form.key))?;
                rules::create(tx, &by, user, key)?;
                Outcome::led(PATH, "Key added.")
            }
            Action::Remove => {
                rules::destroy(tx, &by, user, id)?;
                Outcome::led(PATH, "Key removed.")
            }
            Action::Revoke => {
                rules::revoke(tx, &by, user, id)?;
                Outcome::led(PATH, "Key revoked.")
            }
        }
    }
}
