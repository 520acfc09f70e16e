//! What the pages of applications show: plain view models of their templates.

use super::scopes;
use askama::Template;
use kernel::html::ui;
use kernel::html::{Errors, Moment, Page};

#[derive(Debug)]
pub struct ScopeLine {
    pub name: String,
    pub description: &'static str,
}

impl ScopeLine {
    pub fn list(scopes: Vec<String>) -> Vec<ScopeLine> {
        let line = |name: String| ScopeLine {
            description: scopes::describe(&name),
            name,
        };
        scopes.into_iter().map(line).collect()
    }
}

/// GET `/oauth/authorize`: the user is asked.
#[derive(Debug, Template)]
#[template(path = "oauth/consent.html")]
pub struct Consent {
    pub page: Page,
    pub name: String,
    /// Who registered it, or empty.
    pub owner: String,
    pub dynamic: bool,
    /// Where the answer goes.
    pub host: String,
    pub scopes: Vec<ScopeLine>,
    pub fields: Vec<(String, String)>,
}

/// A request that cannot be answered to the application.
#[derive(Debug, Template)]
#[template(path = "oauth/error.html")]
pub struct ErrorPage {
    pub page: Page,
    /// The error's code, for developers.
    pub code: &'static str,
    pub text: String,
}

/// The answer as a form (OAuth 2.0 Form Post Response Mode).
#[derive(Debug, Template)]
#[template(path = "oauth/form_post.html")]
pub struct FormPost {
    pub page: Page,
    pub action: String,
    pub host: String,
    pub fields: Vec<(String, String)>,
}

/// GET `/oauth/device`: the user types the code.
#[derive(Debug, Template)]
#[template(path = "oauth/device.html")]
pub struct DeviceForm {
    pub page: Page,
    /// Filled in already, or empty.
    pub user_code: String,
}

/// POST `/oauth/device`: the user decides.
#[derive(Debug, Template)]
#[template(path = "oauth/device_confirm.html")]
pub struct DeviceConfirm {
    pub page: Page,
    pub name: String,
    /// Who registered it, or empty.
    pub owner: String,
    /// As shown on the device.
    pub user_code: String,
    pub ip_address: String,
    pub user_agent: String,
    pub scopes: Vec<ScopeLine>,
}

#[derive(Debug)]
pub struct ApplicationRow {
    pub url: String,
    pub name: String,
    /// `client_id`.
    pub uid: String,
    /// Where it may send users.
    pub hosts: Vec<String>,
    pub confidential: bool,
    /// Users are not asked.
    pub trusted: bool,
}

#[derive(Debug)]
pub struct AuthorizedRow {
    pub name: String,
    /// Where the button posts to.
    pub revoke_url: String,
    pub scopes: Vec<String>,
    pub since: Moment,
    pub last_used_at: Option<Moment>,
}

#[derive(Debug, Default, Clone)]
pub struct ScopeChoice {
    pub name: String,
    pub description: &'static str,
    pub checked: bool,
}

#[derive(Debug, Default)]
pub struct ApplicationForm {
    pub action: String,
    pub name: String,
    pub redirect_uri: String,
    pub confidential: bool,
    pub trusted: bool,
    pub may_trust: bool,
    pub scopes: Vec<ScopeChoice>,
    pub button: &'static str,
}

/// A list of applications with the form of a new one.
#[derive(Debug, Template)]
#[template(path = "oauth/applications.html")]
pub struct Applications {
    pub page: Page,
    pub heading: String,
    /// Whether what acts for the viewer is listed, too.
    pub own: bool,
    /// Rows of links above, with their names.
    pub tabs: Vec<(String, Vec<ui::Tab>)>,
    pub applications: Vec<ApplicationRow>,
    /// Those that act for the viewer; only on one's own page.
    pub authorized: Vec<AuthorizedRow>,
    /// The next page of the list, or empty.
    pub next_url: String,
    pub may_create: bool,
    pub form: ApplicationForm,
    pub errors: Errors,
}

#[derive(Debug)]
pub struct SecretRow {
    pub created_at: Moment,
    pub last_used_at: Option<Moment>,
    /// Set while it is being replaced.
    pub ends_at: Option<Moment>,
}

#[derive(Debug, Template)]
#[template(path = "oauth/application.html")]
pub struct ApplicationPage {
    pub page: Page,
    pub name: String,
    /// `client_id`.
    pub uid: String,
    /// A secret just made, or empty.
    pub secret: String,
    pub confidential: bool,
    pub secrets: Vec<SecretRow>,
    pub url: String,
    pub form: ApplicationForm,
    pub errors: Errors,
}
