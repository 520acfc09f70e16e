//! `/-/user_settings/status` and `/admin/users/<username>/status`: what somebody
//! says they are doing.

use super::navigation::{administration, own_settings, user_tabs};
use super::page;
use crate::author;
use crate::author::Author;
use crate::model::User;
use crate::users::{self, Availability, ClearAfter, Status};
use crate::viewer::{Admin, SignedInViewer, Viewer};
use askama::Template;
use http::Method;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::{self, Choice, Tab};
use kernel::html::{Errors, Page};
use kernel::http::{Flat, Params, Response, Routes, Text};
use kernel::time::Timestamp;
use store::Tx;

const OWN: &str = "/-/user_settings/status";
const OF_USER: &str = "/admin/users/{username}/status";

const ENDS: &[(&str, &str)] = &[
    ("", "Until it is changed"),
    ("30_minutes", "For 30 minutes"),
    ("3_hours", "For 3 hours"),
    ("8_hours", "For 8 hours"),
    ("1_day", "For a day"),
    ("3_days", "For 3 days"),
    ("7_days", "For a week"),
    ("30_days", "For 30 days"),
];

/// What somebody says they are doing: one's own, or a user's.
#[derive(Debug, Template)]
#[template(path = "status.html")]
struct StatusPage {
    page: Page,
    /// The pages about a user, for administrators.
    tabs: Vec<Tab>,
    /// Where the form goes.
    url: String,
    form: StatusForm,
    ends: Vec<Choice>,
    /// When the one that is stored ends.
    clear_at: Option<Timestamp>,
    now: Timestamp,
    errors: Errors,
}

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, OWN, show);
    r.page(Method::POST, OWN, save);
    r.page(Method::GET, OF_USER, show_of_user);
    r.page(Method::POST, OF_USER, save_of_user);
}

kernel::params! {
    /// The form; a box that is not ticked is not sent.
    #[derive(Default)]
    pub struct StatusForm {
        /// A few words, at most 100 characters.
        pub message: Text,
        /// Name of an emoji.
        pub emoji: Text,
        pub busy: Option<bool>,
        /// When it is forgotten.
        pub clear_after: Option<ClearAfter>,
    }
}

kernel::params! {
    /// Whose page it is.
    pub struct OfUser {
        pub username: String,
    }
}

kernel::params! {
    pub struct FormOfUser {
        pub user: Flat<OfUser>,
        pub form: Flat<StatusForm>,
    }
}

impl StatusForm {
    fn of(status: Status) -> StatusForm {
        StatusForm {
            busy: Some(status.status_availability == Some(Availability::Busy)),
            message: Text(status.status_message.unwrap_or_default()),
            emoji: Text(status.status_emoji.unwrap_or_default()),
            clear_after: None,
        }
    }

    fn status(&self, tx: &Tx<'_>) -> Status {
        let given = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Status {
            status_emoji: given(self.emoji.trim_matches(':')),
            status_message: given(&self.message),
            status_availability: self.busy.unwrap_or(false).then_some(Availability::Busy),
            status_clear_at: self.clear_after.map(|after| after.end(tx.now())),
        }
    }

    pub fn ends(&self) -> String {
        self.clear_after.map(|after| after.to_string()).unwrap_or_default()
    }
}

/// One's own status, or that of the user of this name.
#[derive(Clone)]
struct OneStatus {
    viewer: Viewer,
    by: Author,
    of: Option<String>,
}

impl OneStatus {
    fn own(viewer: &SignedInViewer) -> OneStatus {
        OneStatus { viewer: viewer.viewer(), by: viewer.author(), of: None }
    }

    fn of_user(admin: &Admin, username: String) -> OneStatus {
        OneStatus {
            viewer: admin.viewer(),
            by: admin.author(),
            of: Some(username),
        }
    }

    fn user(&self, tx: &mut Tx<'_>) -> Result<User> {
        match &self.of {
            Some(username) => users::find_by_username(tx, username)?.found("User"),
            None => Ok(self.viewer.signed_in()?.user.clone()),
        }
    }

    fn path(&self, user: &User) -> String {
        match self.of {
            Some(_) => format!("/admin/users/{}/status", user.username),
            None => OWN.to_owned(),
        }
    }
}

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    form::show(&app, OneStatus::own(&viewer)).await
}

async fn save(app: App, viewer: SignedInViewer, form: Params<StatusForm>) -> Result<Response> {
    form::submit(&app, OneStatus::own(&viewer), form.0).await
}

async fn show_of_user(app: App, admin: Admin, path: Params<OfUser>) -> Result<Response> {
    form::show(&app, OneStatus::of_user(&admin, path.0.username)).await
}

async fn save_of_user(app: App, admin: Admin, sent: Params<FormOfUser>) -> Result<Response> {
    let FormOfUser { user, form } = sent.0;
    form::submit(&app, OneStatus::of_user(&admin, user.0.username), form.0).await
}

impl FormPage for OneStatus {
    type Form = StatusForm;
    type View = StatusPage;
    const FIELDS: &'static [&'static str] = &["message", "emoji", "clear_after"];

    fn page(&self, app: &App) -> Page {
        match &self.of {
            None => own_settings(page(app, &self.viewer, "Status"), "Status"),
            Some(username) => {
                let title = format!("Status of {username}");
                let page = administration(page(app, &self.viewer, &title), "Users");
                page.crumb(username, format!("/admin/users/{username}"))
            }
        }
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<StatusForm>) -> Result<StatusPage> {
        let user = self.user(tx)?;
        let stored = users::status(tx, user.id)?;
        Ok(StatusPage {
            page,
            tabs: match self.of {
                Some(_) => user_tabs(&user.username, "Status"),
                None => Vec::new(),
            },
            url: self.path(&user),
            clear_at: stored.status_clear_at,
            form: typed.form.clone().unwrap_or_else(|| StatusForm::of(stored)),
            ends: Choice::list(ENDS),
            now: tx.now(),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &StatusForm) -> Result<Outcome<Self>> {
        let user = self.user(tx)?;
        let status = form.status(tx);
        users::set_status(tx, user.id, &status)?;
        if self.of.is_some() {
            let nothing = serde_json::json!({});
            author::record(tx, &self.by, "user.set_status", &user, nothing)?;
        }
        let text = match status.is_empty() {
            true => "Status cleared.",
            false => "Status saved.",
        };
        Outcome::led(self.path(&user), text)
    }
}
