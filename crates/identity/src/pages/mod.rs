//! The pages of sign-in, one's own settings and the administration of users.

mod admin;
mod admin_mode;
pub mod challenge;
mod emails;
mod follow;
mod mail_links;
pub mod navigation;
mod own_tokens;
mod preferences;
mod profile;
pub mod refusal;
mod second_step;
mod security_keys;
mod sessions;
mod settings;
mod sign_in;
mod sign_up;
mod spam_logs;
pub mod status;
pub mod tokens;
mod two_factor;
pub mod views;

use crate::csrf;
use crate::standing::AdminMode;
use crate::standing::TwoFactorRequirement;
use crate::two_factor::requirement;
use crate::viewer::Viewer;
use kernel::app::App;
use kernel::html::{Notice, Page, instance};
use kernel::http::Routes;

pub fn routes(r: &mut Routes) {
    sign_in::routes(r);
    sign_up::routes(r);
    second_step::routes(r);
    security_keys::routes(r);
    mail_links::routes(r);
    profile::routes(r);
    preferences::routes(r);
    emails::routes(r);
    two_factor::routes(r);
    own_tokens::routes(r);
    sessions::routes(r);
    admin::routes(r);
    admin_mode::routes(r);
    settings::routes(r);
    spam_logs::routes(r);
    status::routes(r);
    follow::routes(r);
}

kernel::params! {
    /// Which of one's own things.
    pub struct OwnThing { pub id: i64 }
}

/// A page with what the layout needs of its viewer.
pub fn page(app: &App, viewer: &Viewer, title: &str) -> Page {
    let mut page = Page { instance: instance::known_name(app), ..Page::new(title) };
    if let Viewer::User(signed_in) = viewer {
        page.viewer = Some(signed_in.as_seen());
        page.csrf = csrf::token(app, signed_in);
        page.flash = signed_in.flash.clone();
        page.notice = notice(signed_in.duty).or_else(|| rights(signed_in.admin_mode));
    }
    page
}

/// What an administrator is told where they have to ask for their rights.
fn rights(mode: AdminMode) -> Option<Notice> {
    let (text, label) = match mode {
        AdminMode::NotNeeded => return None,
        AdminMode::Off => ("Admin mode is off.", "Turn it on"),
        AdminMode::On(_) => ("Admin mode is on.", "Turn it off"),
    };
    Some(Notice {
        text: text.into(),
        label,
        url: crate::standing::AdminMode::PAGE,
    })
}

/// What somebody is told who must set up a second factor.
fn notice(duty: TwoFactorRequirement) -> Option<Notice> {
    match duty {
        TwoFactorRequirement::None => None,
        TwoFactorRequirement::Grace(until) => Some(Notice {
            text: format!(
                "Your account needs two-factor authentication by {}.",
                until.strftime("%-d %b %Y, %H:%M UTC")
            ),
            label: "Set it up",
            url: requirement::PAGE,
        }),
        TwoFactorRequirement::Due => Some(Notice {
            text: "Your account needs two-factor authentication before you can go on.".into(),
            label: "Set it up",
            url: requirement::PAGE,
        }),
    }
}
