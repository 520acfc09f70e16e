//! What the pages of this room show: plain view models of their templates.

use super::admin::{ListForm, edit, new};
use super::challenge::Challenge;
use super::preferences;
use super::settings::fields::SettingsPage;
pub use super::settings::fields::{SettingsField, SettingsSection};
use super::tokens::{ShownSecret, TokenForm, TokenRow};
use crate::entities::Whole;
use crate::model::{AccessToken, User};
use crate::sessions::Session;
use crate::spam::logs::SpamLog;
use crate::two_factor::keys::KeyInfo;
use crate::users::{Email, NewUser};
use askama::Template;
use kernel::html::ui::{self, Choice, Tab};
use kernel::html::{Errors, Page, Pages};
use kernel::time::Timestamp;

/// GET and POST `/users/sign_in`.
#[derive(Debug, Template)]
#[template(path = "sign_in.html")]
pub struct SignIn {
    pub page: Page,
    /// What was typed, after a failed try.
    pub login: String,
    /// Why the last try failed, or empty.
    pub error: String,
    /// Where to go afterwards, or empty.
    pub return_to: String,
    pub remember_me: bool,
    pub may_sign_up: bool,
}

/// GET and POST `/users/sign_up`.
#[derive(Debug, Template)]
#[template(path = "sign_up.html")]
pub struct SignUp {
    pub page: Page,
    pub typed: NewUser,
    pub error: String,
    pub errors: Errors,
    pub challenge: Option<Challenge>,
}

/// GET and POST `/users/sign_in/two_factor`.
#[derive(Debug, Template)]
#[template(path = "second_step.html")]
pub struct SecondStep {
    pub page: Page,
    /// A security key may answer instead.
    pub has_keys: bool,
    pub error: String,
}

/// GET and POST `/-/profile/two_factor_auth/keys`.
#[derive(Debug, Template)]
#[template(path = "security_keys.html")]
pub struct SecurityKeys {
    pub page: Page,
    /// The keys, oldest first.
    pub keys: Vec<KeyInfo>,
    pub now: Timestamp,
    /// Why there can be none at this address, or empty.
    pub unusable: String,
    pub name: String,
    pub errors: Errors,
}

/// The form shown at sign-in when the password must be changed first.
#[derive(Debug, Template)]
#[template(path = "new_password.html")]
pub struct NewPassword {
    pub page: Page,
    pub proof: String,
    pub error: String,
}

/// A page before sign-in with a sentence and perhaps one form: what links in
/// mail lead to.
#[derive(Debug, Template)]
#[template(path = "door.html")]
pub struct Door {
    pub page: Page,
    pub text: String,
    pub error: String,
    /// Where the form posts to; empty for no form.
    pub action: &'static str,
    /// The link's token, or empty.
    pub token: String,
    pub fields: Vec<ui::Field>,
    pub button: &'static str,
}

/// GET and POST `/-/user_settings/profile`; the password form posts to
/// `/-/user_settings/password` (`current_password`, `password`,
/// `password_confirmation`).
#[derive(Debug, Template)]
#[template(path = "profile.html")]
pub struct Profile {
    pub page: Page,
    pub whole: Whole,
    /// Where the picture is, if there is one; another one is posted to
    /// `/-/user_settings/avatar` (`avatar`, or `remove`).
    pub avatar_url: Option<String>,
    pub now: Timestamp,
    pub errors: Errors,
}

/// `/-/user_settings/emails`; removing posts to `…/<id>/remove`.
#[derive(Debug, Template)]
#[template(path = "emails.html")]
pub struct OwnEmails {
    pub page: Page,
    pub user: User,
    /// Beside the primary one.
    pub emails: Vec<Email>,
    /// What was typed and refused.
    pub typed: String,
    pub errors: Errors,
}

/// `/-/user_settings/preferences`.
#[derive(Debug, Template)]
#[template(path = "preferences.html")]
pub struct PreferencesPage {
    pub page: Page,
    pub form: preferences::Form,
    pub themes: Vec<Choice>,
    pub densities: Vec<Choice>,
    pub days: Vec<Choice>,
    /// Names of time zones, the first for none.
    pub zones: Vec<Choice>,
    pub errors: Errors,
}

/// `/-/user_settings/tokens`: list and form (`name`, `description`,
/// `expires_at`, `scopes[]`); revoke posts to `…/tokens/<id>/revoke`, rotate
/// to `…/tokens/<id>/rotate`.
#[derive(Debug, Template)]
#[template(path = "tokens.html")]
pub struct Tokens {
    pub page: Page,
    /// The secret of the token just made, shown this once.
    pub secret: Option<ShownSecret>,
    pub active: Vec<TokenRow>,
    pub inactive: Vec<TokenRow>,
    pub form: TokenForm,
    pub errors: Errors,
    /// What readers of feeds send.
    pub feed_token: String,
}

impl Tokens {
    fn act(&self, verb: &str, id: &i64) -> String {
        format!("/-/user_settings/tokens/{id}/{verb}")
    }

    fn url(&self) -> &'static str {
        "/-/user_settings/tokens"
    }

    /// A person's token has no role of its own.
    fn roles(&self) -> &[Choice] {
        &[]
    }

    fn role(&self) -> &'static str {
        ""
    }
}

/// `/-/user_settings/sessions`; ending one posts to `…/<id>/revoke`, ending
/// all others to `…/revoke_others`.
#[derive(Debug, Template)]
#[template(path = "sessions.html")]
pub struct Sessions {
    pub page: Page,
    /// The living sessions, this one first.
    pub sessions: Vec<Session>,
    /// The one that looks.
    pub own: Option<i64>,
    pub now: Timestamp,
}

impl Sessions {
    fn is_current(&self, session: &Session) -> bool {
        Some(session.id) == self.own
    }
}

/// `/admin/users`: search and list.
#[derive(Debug, Template)]
#[template(path = "admin_users.html")]
pub struct AdminUsers {
    pub page: Page,
    pub form: ListForm,
    pub filters: Vec<Choice>,
    pub sorts: Vec<Choice>,
    pub users: Vec<User>,
    /// The viewer, who cannot block themselves.
    pub own_id: i64,
    pub now: Timestamp,
    pub pages: Pages,
}

/// `/admin/users/new`.
#[derive(Debug, Template)]
#[template(path = "admin_user_new.html")]
pub struct NewAdminUser {
    pub page: Page,
    pub form: new::Form,
    pub ways: Vec<Choice>,
    /// The one chosen.
    pub way: String,
    pub errors: Errors,
}

/// `/admin/users/<username>/edit`.
#[derive(Debug, Template)]
#[template(path = "admin_user_edit.html")]
pub struct EditAdminUser {
    pub page: Page,
    pub tabs: Vec<Tab>,
    pub user: User,
    /// The viewer edits themselves and keeps their rights.
    pub is_self: bool,
    pub form: edit::Form,
    pub errors: Errors,
}

/// `/admin/users/<username>/tokens`.
#[derive(Debug, Template)]
#[template(path = "admin_user_token.html")]
pub struct NewUserToken {
    pub page: Page,
    pub tabs: Vec<Tab>,
    pub user: User,
    /// The secret of the token just made, shown this once.
    pub secret: Option<ShownSecret>,
    pub kinds: Vec<Choice>,
    /// The one chosen.
    pub kind: String,
    pub form: TokenForm,
    pub errors: Errors,
}

/// `/admin/users/<username>`; each button posts to an address below it.
#[derive(Debug, Template)]
#[template(path = "admin_user.html")]
pub struct AdminUser {
    pub page: Page,
    pub tabs: Vec<Tab>,
    /// A new password, shown this once.
    pub secret: Option<ShownSecret>,
    pub whole: Whole,
    pub now: Timestamp,
    /// The viewer may remove it.
    pub may_end_two_factor: bool,
    /// They may choose a password by a mailed link.
    pub takes_links: bool,
    /// The viewer looks at themselves and cannot block.
    pub is_self: bool,
    /// How many browsers they are signed in with.
    pub sessions: usize,
    /// Their personal and impersonation tokens that work.
    pub tokens: Vec<AccessToken>,
    /// What they wrote is to go, too, as was ticked in a form that was refused.
    pub hard: bool,
    pub errors: Errors,
}

impl AdminUser {
    /// Where a button posts to.
    fn to(&self, verb: &str) -> String {
        format!("/admin/users/{}/{verb}", self.whole.user.username)
    }

    fn token_url(&self, id: &i64) -> String {
        self.to(&format!("tokens/{id}/revoke"))
    }

    fn is(&self, state: &str) -> bool {
        self.whole.user.state.as_str() == state
    }
}

/// `/-/admin_mode`: one button, which posts there or to `…/leave`.
#[derive(Debug, Template)]
#[template(path = "admin_mode.html")]
pub struct AdminModePage {
    pub page: Page,
    /// Whether administrators have to ask at all.
    pub is_asked: bool,
    /// Whether the session has its rights.
    pub is_on: bool,
    pub hours: i64,
}

/// `/admin/spam_logs`: what was refused; buttons post to `…/<id>/delete` and
/// `…/<id>/block_user`.
#[derive(Debug, Template)]
#[template(path = "admin_spam_logs.html")]
pub struct AdminSpamLogs {
    pub page: Page,
    /// The rows of this page, newest first.
    pub logs: Vec<SpamLog>,
    pub now: Timestamp,
    pub pages: Pages,
}

/// `/admin/settings` and the like: many values in one form, which posts to its
/// own address.
#[derive(Debug, Template)]
#[template(path = "admin_settings.html")]
pub struct AdminSettings {
    pub page: Page,
    pub tab: &'static str,
    pub url: &'static str,
    pub sections: Vec<SettingsSection>,
    pub errors: Errors,
}

/// `/admin/settings`: the pages of the settings, or what a search finds in them.
#[derive(Debug, Template)]
#[template(path = "admin_settings_index.html")]
pub struct SettingsIndex {
    pub page: Page,
    /// What is looked for, or empty.
    pub search: String,
    pub found: Vec<FoundSetting>,
    pub pages: &'static [SettingsPage],
}

/// A setting that a search found.
#[derive(Debug, Clone)]
pub struct FoundSetting {
    /// Page and section.
    pub place: String,
    /// Its field.
    pub url: String,
    pub label: &'static str,
    /// More about it, or empty.
    pub hint: &'static str,
    /// Its value in few words; empty for what is secret or long.
    pub value: String,
}

#[cfg(test)]
mod tests;
