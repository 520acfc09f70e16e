//! Mails as HTML: structure and no colours of ours, so that it reads in the dark as
//! in the light, and nothing that is fetched.

use super::digest::ThreadNews;
use askama::Template;
use kernel::error::{Error, Result};

/// One thing that happened.
#[derive(Template)]
#[template(path = "mail/notification.html")]
pub struct Notification<'m> {
    pub title: String,
    pub happened: String,
    /// Made safe.
    pub said: &'m str,
    pub link: String,
    pub unsubscribe: String,
    pub settings: String,
    pub reason: &'m str,
    pub noun: &'m str,
}

/// What happened to a project.
#[derive(Template)]
#[template(path = "mail/notice.html")]
pub struct Notice<'m> {
    pub title: String,
    pub happened: String,
    pub link: String,
    pub settings: String,
    pub reason: &'m str,
}

/// What happened in a day or a week.
#[derive(Template)]
#[template(path = "mail/digest.html")]
pub struct Digest<'m> {
    pub title: String,
    pub threads: &'m [ThreadNews],
    pub settings: String,
}

pub fn render(view: &impl Template) -> Result<String> {
    view.render().map_err(Error::internal)
}
