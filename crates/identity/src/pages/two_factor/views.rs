//! What the pages about second factors show.

use crate::model::User;
use askama::Template;
use kernel::html::ui;
use kernel::html::{Errors, Page};
use kernel::time::Timestamp;

/// GET and POST `/-/profile/two_factor_auth`.
#[derive(Debug, Template)]
#[template(path = "two_factor.html")]
pub struct Manage {
    pub page: Page,
    pub demanded: Option<String>,
    /// Where «later» leads, or empty.
    pub later: String,
    pub user: User,
    pub own: Own,
    pub now: Timestamp,
    /// How to set up an app; none when one is, or may not be.
    pub setup: Option<Setup>,
    pub errors: Errors,
}

/// What somebody has set up.
#[derive(Debug)]
pub struct Own {
    /// Since when the app gives codes.
    pub since: Option<Timestamp>,
    /// Any factor is set up.
    pub enabled: bool,
    pub keys: i64,
    /// Recovery codes that still work.
    pub left: i64,
    /// Nobody knows the password, so it cannot be asked for.
    pub automatic: bool,
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
