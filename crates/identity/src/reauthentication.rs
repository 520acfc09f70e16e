//! Whether it is still the same person: who changes passwords, addresses,
//! keys or tokens by session must have shown the password or a second factor
//! within the last hour (docs/interface/identity.md 7). Sign-in counts.
//!
//! Routes say so with `.fresh()`. A page's form that comes too late is
//! answered with a question for the password; that form carries along what
//! was typed and posts to the same address, so nothing is lost. The API
//! refuses and names the page `/users/confirm`.

use crate::author::Author;
use crate::model::User;
use crate::two_factor::{self, keys, totp};
use crate::viewer::{SignedIn, Viewer};
use crate::{csrf, pages, sessions, sign_in};
use askama::Template;
use http::StatusCode;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Html, Page, ui};
use kernel::http::Call;
use kernel::http::params::Source;
use kernel::http::routes::Surface;
use kernel::secrets::Secret;
use serde_json::Value;
use store::Tx;

/// Seconds a proof lasts.
pub const SECONDS: i64 = 3600;
/// The field that holds the password or code.
pub const FIELD: &str = "confirm_password";
/// The field that holds a security key's answer.
pub const KEY_FIELD: &str = "confirm_key";
/// The page that asks, for who is not on the way anywhere.
pub const PAGE: &str = "/users/confirm";

/// The question for a password, a code or a key.
#[derive(Debug, Template)]
#[template(path = "confirm.html")]
pub struct Confirm {
    pub page: Page,
    pub action: String,
    /// What was typed in the form before.
    pub fields: Vec<(String, String)>,
    /// Whether a security key may answer instead.
    pub has_keys: bool,
    /// Why the last try failed, or empty.
    pub error: String,
}

impl Confirm {
    pub async fn new(
        app: &App, viewer: &Viewer, action: String, fields: Vec<(String, String)>,
    ) -> Result<Confirm> {
        let user = viewer.user_id().unwrap_or_default();
        let keys = app.read(move |tx| keys::count(tx, user)).await?;
        Ok(Confirm {
            page: pages::page(app, viewer, "Confirm that it is you"),
            action,
            fields,
            has_keys: keys > 0,
            error: String::new(),
        })
    }
}

/// Asks for a proof, unless there is one or it comes with the request. Tokens
/// are never asked.
pub(crate) async fn check(call: &mut Call, viewer: &Viewer) -> Result<()> {
    let Viewer::User(signed_in) = viewer else {
        return Ok(());
    };
    let Some(id) = signed_in.session_id() else {
        return Ok(());
    };
    let now = call.app.now();
    let is_fresh = |at| now.duration_since(at).as_secs() < SECONDS;
    if signed_in.proved_at.is_some_and(is_fresh) {
        return Ok(());
    }
    if call.route.surface != Surface::Page {
        return Err(Error::forbidden(format!(
            "Confirm that it is you at {} first",
            call.app.url(PAGE)
        )));
    }
    let app = call.app.clone();
    let proof = match (call.text(FIELD).await?, call.text(KEY_FIELD).await?) {
        (Some(typed), _) => {
            Some(proves(&app, &signed_in.user, &signed_in.ip_address, &typed).await?)
        }
        (None, Some(answer)) => Some(key_proves(&app, signed_in, id, answer).await?),
        (None, None) => None,
    };
    if proof == Some(true) {
        return app.write(move |tx| sessions::prove(tx, id)).await;
    }
    let action = call.request.uri.path().to_owned();
    let fields = typed(call).await?;
    let mut question = Confirm::new(&app, viewer, action, fields).await?;
    if proof.is_some() {
        question.error = "That is not right.".to_owned();
    }
    let page = Html::new(&question)?.status(StatusCode::FORBIDDEN);
    Err(Error::Shown(Box::new(page)))
}

/// Whether the text is the user's password or a code of their app. Wrong ones
/// count as at sign-in.
async fn proves(app: &App, user: &User, ip: &str, typed: &str) -> Result<bool> {
    let Some(code) = totp::digits(typed) else {
        return sign_in::is_password(app, user.id, &Secret::new(typed), ip).await;
    };
    let own = app.clone();
    tried(app, user, ip, move |tx, by, user| {
        two_factor::use_code(&own, tx, by, user, &code)
    })
    .await
}

/// Whether a security key's answer is right. Wrong ones count as at sign-in.
async fn key_proves(app: &App, signed_in: &SignedIn, session: i64, answer: String) -> Result<bool> {
    let own = app.clone();
    tried(app, &signed_in.user, &signed_in.ip_address, move |tx, by, user| {
        keys::proves(&own, tx, by, session, user, &answer)
    })
    .await
}

/// Tries a second factor in one transaction, which keeps the count of wrong
/// ones; a locked account takes none.
async fn tried(
    app: &App, user: &User, ip: &str,
    is_right: impl Fn(&mut Tx<'_>, &Author, &User) -> Result<bool> + Send + Sync + 'static,
) -> Result<bool> {
    let (user, ip) = (user.clone(), ip.to_owned());
    let by = Author::at(user.id, &ip);
    app.write(move |tx| {
        sign_in::count(tx, &ip)?;
        let locked = crate::users::find(tx, user.id)?.is_none_or(|user| user.is_locked(tx.now()));
        let right = !locked && is_right(tx, &by, &user)?;
        if !right {
            sign_in::failed(tx, user.id, &ip)?;
        }
        Ok(right)
    })
    .await
}

/// The fields of the form that was sent, but for passwords, which nobody
/// needs to see again.
async fn typed(call: &mut Call) -> Result<Vec<(String, String)>> {
    let mut all: Source = call.merged().await?.clone();
    all.retain(|name, _| name != csrf::FIELD && name != KEY_FIELD && !name.contains("password"));
    let mut fields = Vec::new();
    for (name, value) in all {
        if call.path(&name).is_none() {
            flatten(name, value, &mut fields);
        }
    }
    Ok(fields)
}

fn flatten(name: String, value: Value, into: &mut Vec<(String, String)>) {
    match value {
        Value::Null => {}
        Value::String(text) => into.push((name, text)),
        Value::Array(items) => {
            items.into_iter().for_each(|item| flatten(format!("{name}[]"), item, into))
        }
        Value::Object(parts) => parts
            .into_iter()
            .for_each(|(key, part)| flatten(format!("{name}[{key}]"), part, into)),
        other => into.push((name, other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_carried_along_as_it_was_sent() {
        let mut fields = Vec::new();
        let value = serde_json::json!({"b": ["x", "y"], "c": true, "d": null});
        flatten("a".into(), value, &mut fields);
        let pairs = [("a[b][]", "x"), ("a[b][]", "y"), ("a[c]", "true")];
        assert_eq!(fields, pairs.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
}
