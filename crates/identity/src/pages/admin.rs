//! `/admin/users`: the directory for administrators.

use super::views::{AdminUser, AdminUsers};
use crate::access::may_end_two_factor;
use crate::model::{TokenKind, User};
use crate::tokens::{self, Filter as TokenFilter, SortBy, State};
use crate::two_factor;
use crate::users::{self, Filter, Order, OrderBy, Transition};
use crate::viewer::Admin;
use http::Method;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::html::ui::Choice;
use kernel::html::{Html, Page, Pages, flash};
use kernel::http::{Paging, Params, Response, Routes};
use store::Tx;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/admin/users", list);
    r.page(Method::GET, "/admin/users/{username}", show);
    for (verb, to, message) in TRANSITIONS {
        let handler = move |app, admin, path| change_state(app, admin, path, *to, message);
        r.page(Method::POST, &format!("/admin/users/{{username}}/{verb}"), handler);
    }
    r.page(Method::POST, "/admin/users/{username}/approve", approve);
    r.page(Method::POST, "/admin/users/{username}/reject", reject);
    r.page(Method::POST, "/admin/users/{username}/disable_two_factor", end_two_factor)
        .reauthenticated();
}

const TRANSITIONS: &[(&str, Transition, &str)] = &[
    ("block", Transition::Block, "is blocked and signed out everywhere."),
    ("unblock", Transition::Unblock, "may sign in again."),
];

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

async fn show(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    let name = path.0.username;
    let (whole, tokens) = app
        .read(move |tx| {
            let user = users::find_by_username(tx, &name)?.found("User")?;
            let filter = TokenFilter {
                kind: Some(TokenKind::Personal),
                user_id: Some(user.id),
                state: Some(State::Active),
                ..TokenFilter::default()
            };
            let rows = tokens::page(tx, &filter, SortBy::CreatedDesc, &Paging::first(100))?;
            Ok((users::whole(tx, user, None)?, rows))
        })
        .await?;
    let user = &whole.user;
    let view = AdminUser {
        page: page(&app, &admin, &user.name, "Users"),
        may_end_two_factor: whole.two_factor && may_end_two_factor(&admin.0, user),
        is_self: admin.0.user.id == user.id,
        whole,
        now: app.now(),
        tokens,
    };
    Ok(Html::new(&view)?.response())
}

/// Does something to the user of a page; who they were.
async fn decide(
    app: &App,
    path: Params<NamedUser>,
    work: impl Fn(&mut Tx<'_>, i64) -> Result<()> + Send + 'static,
) -> Result<User> {
    let name = path.0.username;
    app.write(move |tx| {
        let user = users::find_by_username(tx, &name)?.found("User")?;
        work(tx, user.id)?;
        Ok(user)
    })
    .await
}

fn done(app: &App, user: &User, text: &str) -> Result<Response> {
    let back = format!("/admin/users/{}", user.username);
    flash::done(app, &back, format!("{} {text}", user.name))
}

async fn change_state(
    app: App,
    admin: Admin,
    path: Params<NamedUser>,
    to: Transition,
    message: &str,
) -> Result<Response> {
    let change =
        move |tx: &mut Tx<'_>, id| users::transition(tx, &admin.author(), id, to).map(drop);
    let user = decide(&app, path, change).await?;
    done(&app, &user, message)
}

async fn approve(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    let approve = move |tx: &mut Tx<'_>, id| users::approve(tx, &admin.author(), id);
    let user = decide(&app, path, approve).await?;
    done(&app, &user, "is let in.")
}

async fn reject(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    let reject = move |tx: &mut Tx<'_>, id| users::reject(tx, &admin.author(), id);
    let user = decide(&app, path, reject).await?;
    let text = format!("{} is turned away and deleted.", user.name);
    flash::done(&app, "/admin/users?filter=pending", text)
}

async fn end_two_factor(app: App, admin: Admin, path: Params<NamedUser>) -> Result<Response> {
    let end = move |tx: &mut Tx<'_>, id| two_factor::end_for(tx, &admin.0, id).map(drop);
    let user = decide(&app, path, end).await?;
    done(&app, &user, "signs in with the password alone.")
}
