//! `/admin/users`: the directory for administrators, and what they do to
//! accounts.

mod decide;
pub mod edit;
pub mod new;
mod tokens;
mod user;

use super::views::AdminUsers;
use crate::model::User;
use crate::users::{self, Filter, Order, OrderBy};
use crate::viewer::Admin;
use http::Method;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::html::ui::Choice;
use kernel::html::{Html, Page, Pages};
use kernel::http::params::one_of;
use kernel::http::{Paging, Params, Response, Routes};
use store::Tx;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/admin/users", list);
    new::routes(r);
    edit::routes(r);
    user::routes(r);
    decide::routes(r);
    tokens::routes(r);
}

const FILTERS: &[(&str, &str)] = &[
    ("", "Everyone"),
    ("active", "Active"),
    ("admins", "Administrators"),
    ("external", "External"),
    ("blocked", "Blocked"),
    ("pending", "Waiting for approval"),
    ("two_factor", "With a second factor"),
    ("no_two_factor", "Without a second factor"),
    ("bots", "Bots"),
];

const SORTS: &[(&str, &str)] = &[
    ("", "Newest first"),
    ("oldest", "Oldest first"),
    ("name", "Name"),
    ("username", "Username"),
];

kernel::params! {
    pub struct ListForm {
        /// Part of a name, or a whole e-mail.
        pub search: Option<String>,
        pub filter: Option<String>,
        pub sort: Option<String>,
    }
}

impl ListForm {
    /// Refuses what the fields do not offer.
    fn check(&self) -> Result<()> {
        one_of("filter", self.filter.as_deref(), FILTERS)?;
        one_of("sort", self.sort.as_deref(), SORTS).map(drop)
    }

    fn conditions(&self) -> Filter {
        let mut filter = Filter {
            search: self.search.clone(),
            search_private: true,
            exclude_internal: true,
            ..Filter::default()
        };
        match self.filter.as_deref() {
            Some("active") => filter.active = Some(true),
            Some("admins") => filter.admins = true,
            Some("external") => filter.external = Some(true),
            Some("blocked") => filter.blocked = true,
            Some("pending") => filter.pending = true,
            Some("two_factor") => filter.two_factor = Some(true),
            Some("no_two_factor") => {
                filter.two_factor = Some(false);
                filter.humans = Some(true);
            }
            Some("bots") => filter.humans = Some(false),
            _ => {}
        }
        filter
    }

    fn order(&self) -> Order {
        let (by, ascending) = match self.sort.as_deref() {
            Some("oldest") => (OrderBy::Id, true),
            Some("name") => (OrderBy::Name, true),
            Some("username") => (OrderBy::Username, true),
            _ => (OrderBy::Id, false),
        };
        Order { by, ascending }
    }

    fn url(&self) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in
            [("search", &self.search), ("filter", &self.filter), ("sort", &self.sort)]
        {
            if let Some(value) = value.as_ref().filter(|value| !value.is_empty()) {
                query.append_pair(name, value);
            }
        }
        let query = query.finish();
        if query.is_empty() {
            "/admin/users".into()
        } else {
            format!("/admin/users?{query}")
        }
    }
}

pub(super) fn page(app: &App, admin: &Admin, title: &str, link: &str) -> Page {
    super::navigation::administration(super::page(app, &admin.viewer(), title), link)
}

async fn list(app: App, admin: Admin, form: Params<ListForm>, paging: Paging) -> Result<Response> {
    form.check()?;
    let (filter, order, asked) = (form.conditions(), form.order(), paging.clone());
    let (rows, total) = app
        .read(move |tx| Ok((users::page(tx, &filter, order, &asked)?, users::total(tx, &filter)?)))
        .await?;
    let view = AdminUsers {
        page: page(&app, &admin, "Users", "Users"),
        filters: Choice::list(FILTERS),
        sorts: Choice::list(SORTS),
        users: rows.into_iter().take(paging.per_page as usize).collect(),
        own_id: admin.0.user.id,
        now: app.now(),
        pages: Pages::of(&paging, total, form.url()),
        form: form.0,
    };
    Ok(Html::new(&view)?.response())
}

kernel::params! {
    pub struct NamedUser {
        pub username: String,
    }
}

/// The user of a page.
fn named(tx: &mut Tx<'_>, username: &str) -> Result<User> {
    users::find_by_username(tx, username)?.found("User")
}

fn url_of(user: &User) -> String {
    format!("/admin/users/{}", user.username)
}
