//! What the pages of applications show: plain view models of their templates.

use super::applications::{Application, Registration, SecretInfo};
use super::devices::Device;
use super::families::Authorized;
use super::pages::ApplicationsOwner;
use crate::pages::tokens::ScopeBox;
use askama::Template;
use kernel::html::ui;
use kernel::html::{Errors, Page};
use kernel::time::Timestamp;

/// GET `/oauth/authorize`: the user is asked.
#[derive(Debug, Template)]
#[template(path = "oauth/consent.html")]
pub struct Consent {
    pub page: Page,
    pub application: Application,
    /// Who registered it, or empty.
    pub owner: String,
    /// Where the answer goes.
    pub host: String,
    pub scopes: Vec<String>,
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
    pub application: Application,
    /// Who registered it, or empty.
    pub owner: String,
    /// As shown on the device.
    pub user_code: String,
    pub device: Device,
}

#[derive(Debug)]
pub struct ApplicationForm {
    pub action: String,
    pub given: Registration,
    pub may_trust: bool,
    pub scopes: Vec<ScopeBox>,
    pub button: &'static str,
}

/// A list of applications with the form of a new one.
#[derive(Debug, Template)]
#[template(path = "oauth/applications.html")]
pub struct Applications {
    pub page: Page,
    pub place: ApplicationsOwner,
    /// Whether what acts for the viewer is listed, too.
    pub own: bool,
    pub applications: Vec<Application>,
    /// Those that act for the viewer; only on one's own page.
    pub authorized: Vec<Authorized>,
    pub now: Timestamp,
    /// The next page of the list, or empty.
    pub next_url: String,
    pub form: ApplicationForm,
    pub errors: Errors,
}

#[derive(Debug, Template)]
#[template(path = "oauth/application.html")]
pub struct ApplicationPage {
    pub page: Page,
    pub application: Application,
    /// A secret just made, or empty.
    pub secret: String,
    pub secrets: Vec<SecretInfo>,
    pub now: Timestamp,
    pub url: String,
    pub form: ApplicationForm,
    pub errors: Errors,
}

impl ApplicationPage {
    /// How its credentials are framed: a secret that is shown once stands out.
    fn frame(&self) -> &'static str {
        match self.secret.is_empty() {
            true => "",
            false => " secret",
        }
    }
}
