//! `/groups/…/-/placeholders`: people elsewhere whose things were imported into a group, and
//! who they are here.

use crate::people::model::{SourceUser, SourceUserStatus};
use crate::people::rules;
use crate::people::store::{self as rows, Filter};
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::page;
use identity::users;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Badge;
use kernel::html::{Errors, Page, Pages, ui};
use kernel::http::{Paging, Params, Response, Routes, Text};
use spaces::access::Purpose;
use spaces::model::Namespace;
use spaces::pages::{GROUP, Section, SpaceHead, Visit, filtered};
use std::collections::HashMap;

pub const PAGE: &str = "placeholders";

pub fn routes(r: &mut Routes) {
    let path = format!("{GROUP}/-/{PAGE}");
    r.page(Method::GET, &path, show);
    r.page(Method::POST, &path, change);
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action {
        Reassign = "reassign",
        Cancel = "cancel",
        Keep = "keep",
    }
}

kernel::params! {
    /// Which are listed.
    pub struct Listed {
        /// In the login or name there.
        pub search: Text,
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        pub placeholder_id: i64,
        /// Who they are.
        pub username: Text,
    }
}

#[derive(Clone)]
struct PlaceholdersPage {
    visit: Visit,
    search: String,
    paging: Paging,
}

impl PlaceholdersPage {
    fn of(visit: Visit, listed: &Listed, paging: Paging) -> PlaceholdersPage {
        PlaceholdersPage { visit, search: listed.search.trim().to_owned(), paging }
    }

    /// The group, for who owns it.
    fn group(&self, tx: &mut Tx<'_>) -> Result<Namespace> {
        rules::group(tx, &self.visit.viewer, &self.visit.address.reference)
    }
}

async fn show(app: App, visit: Visit, listed: Params<Listed>, paging: Paging) -> Result<Response> {
    form::show(&app, PlaceholdersPage::of(visit, &listed, paging)).await
}

async fn change(
    app: App, visit: Visit, listed: Params<Listed>, sent: Params<Form>, paging: Paging,
) -> Result<Response> {
    form::submit(&app, PlaceholdersPage::of(visit, &listed, paging), sent.0).await
}

impl FormPage for PlaceholdersPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["username"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Placeholders")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let group = self.group(tx)?;
        let space = self.visit.authorize(tx, Purpose::ManageMembers)?;
        let head = space.head(tx, &self.visit.viewer)?;
        let filter = Filter { status: None, search: Some(self.search.clone()) };
        let (mut found, total) = rows::of_group(tx, group.id, &filter, &self.paging)?;
        found.truncate(usize::try_from(self.paging.per_page).unwrap_or(usize::MAX));
        let ids: Vec<i64> = found.iter().flat_map(SourceUser::people).collect();
        let users = load_basic(tx, &ids)?;
        let url = format!("{}/-/{PAGE}", head.url);
        Ok(View {
            page: head.page_below(page, Section::Settings),
            rows: found.into_iter().map(|row| Row::of(row, &users)).collect(),
            pages: Pages::of(&self.paging, total, filtered(&url, &[("search", &self.search)])),
            search: self.search.clone(),
            form: typed.form.clone(),
            errors: typed.errors.clone(),
            url,
            head,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let group = self.group(tx)?;
        let row = rules::find(tx, &group, form.placeholder_id)?;
        let viewer = &self.visit.viewer;
        let text = match form.action {
            Action::Reassign => {
                let name = form.username.trim().trim_start_matches('@');
                let user = users::find_by_username(tx, name)?.found("User")?;
                let row = rules::reassign(tx, viewer, &group, row, &user)?;
                match row.status {
                    SourceUserStatus::AwaitingApproval => format!("{} is asked.", user.name),
                    _ => "What they did becomes yours.".to_owned(),
                }
            }
            Action::Cancel => {
                rules::cancel(tx, viewer, &group, row)?;
                "Nobody is asked any more.".to_owned()
            }
            Action::Keep => {
                rules::keep(tx, viewer, &group, row)?;
                "It stays with the placeholder.".to_owned()
            }
        };
        Outcome::led(format!("/groups/{}/-/{PAGE}", group.full_path), text)
    }

    fn refusal(error: Error) -> Error {
        match error {
            Error::NotFound("User") => Error::invalid("username", "is not found"),
            error => form::rename(error, "user_id", "username"),
        }
    }
}

/// Somebody elsewhere, in the table.
#[derive(Debug)]
struct Row {
    id: i64,
    /// What stands for them is called, or what they are called there.
    name: String,
    username: Option<String>,
    /// Who they are there.
    source: String,
    /// Who they are here, or may be.
    user: Option<String>,
    status: SourceUserStatus,
}

impl Row {
    fn of(row: SourceUser, users: &HashMap<i64, User>) -> Row {
        let user = |id: Option<i64>| id.and_then(|id| users.get(&id));
        let placeholder = user(row.placeholder_id);
        Row {
            id: row.id,
            source: format!("{} at {}", row.username, row.host),
            username: placeholder.map(|user| user.username.clone()),
            name: match placeholder {
                Some(user) => user.name.clone(),
                None => row.name.clone().unwrap_or_else(|| row.username.clone()),
            },
            user: user(row.user_id).map(|user| user.username.clone()),
            status: row.status,
        }
    }

    /// Whether it can be said who they are.
    fn is_open(&self) -> bool {
        self.status.is_open() && self.username.is_some()
    }

    fn may_be_kept(&self) -> bool {
        self.is_open() && self.status != SourceUserStatus::KeepAsPlaceholder
    }

    fn is_asked(&self) -> bool {
        self.status == SourceUserStatus::AwaitingApproval
    }

    fn badge(&self) -> Badge {
        let tone = match self.status {
            SourceUserStatus::PendingReassignment | SourceUserStatus::KeepAsPlaceholder => "plain",
            SourceUserStatus::AwaitingApproval | SourceUserStatus::ReassignmentInProgress => "warn",
            SourceUserStatus::Completed => "good",
            SourceUserStatus::Rejected => "bad",
        };
        ui::badge(self.status.title(), tone)
    }
}

#[derive(Template)]
#[template(path = "placeholders.html")]
struct View {
    page: Page,
    head: SpaceHead,
    url: String,
    rows: Vec<Row>,
    pages: Pages,
    search: String,
    form: Option<Form>,
    errors: Errors,
}

impl View {
    /// What was typed for somebody, and refused.
    fn form_of(&self, row: &Row) -> Option<&Form> {
        self.form.as_ref().filter(|form| form.placeholder_id == row.id)
    }

    fn is_refused(&self, row: &Row) -> bool {
        self.form_of(row).is_some_and(|form| form.action == Action::Reassign)
    }

    fn typed(&self, row: &Row) -> String {
        self.form_of(row).map(|form| form.username.to_string()).unwrap_or_default()
    }

    fn wrong(&self, row: &Row) -> String {
        self.form_of(row).map(|_| self.errors.of("username")).unwrap_or_default()
    }
}
