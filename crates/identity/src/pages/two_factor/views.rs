//! What the pages about second factors show.

use askama::Template;
use kernel::html::ui;
use kernel::html::{Errors, Moment, Page};

/// GET and POST `/-/profile/two_factor_auth`.
#[derive(Debug, Template)]
#[template(path = "two_factor.html")]
pub struct Manage {
    pub page: Page,
    pub demanded: Option<String>,
    /// Where «later» leads, or empty.
    pub later: String,
    pub email: String,
    pub is_confirmed: bool,
    /// Since when the app gives codes.
    pub since: Option<Moment>,
    /// Any factor is set up.
    pub enabled: bool,
    pub keys: u64,
    /// Recovery codes that still work.
    pub left: u64,
    pub asks_password: bool,
    /// How to set up an app; none when one is, or may not be.
    pub setup: Option<Setup>,
    pub errors: Errors,
}

#[derive(Debug)]
pub struct Setup {
    /// The secret, sealed.
    pub sealed: String,
    /// The secret, to be typed.
    pub written: String,
    /// Units of a side of the picture.
    pub size: i32,
    pub path: String,
}

/// Recovery codes that were just made.
#[derive(Debug, Template)]
#[template(path = "recovery_codes.html")]
pub struct Codes {
    pub page: Page,
    pub codes: Vec<String>,
    /// They again, for the file.
    pub sealed: String,
}
