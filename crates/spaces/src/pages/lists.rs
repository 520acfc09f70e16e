//! `/` and `/groups`: what the viewer may see.

use super::{counted, group_row, pages, project_row, views};
use crate::access::{self, GUEST, Purpose};
use crate::model::Visibility;
use crate::rules;
use crate::store as lists;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::Html;
use kernel::html::ui::Choice;
use kernel::http::{Paging, Params, Response, Routes};
use kernel::ids::fold;
use store::{Fragment, Tx};

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/", home);
    r.page(Method::GET, "/groups", groups);
}

kernel::params! {
    /// Filters of the home page.
    pub struct HomeFilter {
        /// In name or path.
        pub search: Option<String>,
        /// `mine`, `starred` or empty.
        pub scope: Option<String>,
        /// Of this visibility.
        pub visibility: Option<String>,
        /// Order.
        pub sort: Option<String>,
    }
}

async fn home(
    app: App,
    viewer: Viewer,
    params: Params<HomeFilter>,
    paging: Paging,
) -> Result<Response> {
    let filter = params.0;
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let (search, scope) = (text(&filter.search), text(&filter.scope));
    let (visibility, sort) = (text(&filter.visibility), text(&filter.sort));
    let order = match sort.as_str() {
        "name" => "projects.name_folded, projects.id",
        "created" => "projects.created_at desc, projects.id desc",
        _ => "projects.last_activity_at desc, projects.id desc",
    };
    let (asker, asked) = (
        viewer.clone(),
        (search.clone(), scope.clone(), visibility.clone()),
    );
    let (rows, total, paging) = app
        .read(move |tx| {
            let condition = home_condition(tx, &asker, &asked);
            let total = lists::count(tx, "projects", &condition)?;
            let (limit, offset) = (paging.per_page, paging.offset());
            Ok((
                lists::projects(tx, &condition, order, limit, offset)?,
                total,
                paging,
            ))
        })
        .await?;
    let now = app.now();
    let mut shown = page(&app, &viewer, "Projects");
    shown.active = "projects";
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in [
        ("search", &search),
        ("scope", &scope),
        ("visibility", &visibility),
        ("sort", &sort),
    ] {
        if !value.is_empty() {
            query.append_pair(name, value);
        }
    }
    let view = views::Home {
        page: shown,
        pages: pages(&paging, total, format!("/?{}", query.finish())),
        search,
        scope,
        scopes: Choice::list(&[("", "All"), ("mine", "Mine"), ("starred", "Starred")]),
        visibility,
        visibilities: Choice::list(&[
            ("", "Any"),
            ("private", "Private"),
            ("internal", "Internal"),
            ("public", "Public"),
        ]),
        sort,
        sorts: Choice::list(&[
            ("", "Last activity"),
            ("name", "Name"),
            ("created", "Newest"),
        ]),
        can_create: viewer.user().is_some_and(|user| user.is_human()),
        projects: rows.iter().map(|row| project_row(row, now, true)).collect(),
    };
    Ok(Html::new(&view)?.response())
}

fn home_condition(tx: &Tx<'_>, viewer: &Viewer, asked: &(String, String, String)) -> Fragment {
    let (search, scope, visibility) = asked;
    let mut condition = access::visible_projects(tx, viewer, Purpose::Read);
    if !search.is_empty() {
        let pattern = lists::contains(&fold(search));
        condition
            .push(" and (projects.name_folded like ", pattern.as_str())
            .push(
                " escape '\\' or projects.full_path_folded like ",
                pattern.as_str(),
            )
            .raw(" escape '\\')");
    }
    let user_id = viewer.user_id().unwrap_or(-1);
    match scope.as_str() {
        "mine" => {
            condition
                .raw(" and ")
                .append(access::projects_of(tx, user_id, GUEST));
        }
        "starred" => {
            condition
                .push(
                    " and projects.id in (select s.project_id from stars s where s.user_id = ",
                    user_id,
                )
                .raw(")");
        }
        _ => {}
    }
    if let Some(visibility) = Visibility::from_text(visibility) {
        condition.push(" and projects.visibility = ", visibility.level());
    }
    condition
}

kernel::params! {
    /// Filter of groups.
    pub struct GroupsFilter {
        /// In name or path.
        pub search: Option<String>,
    }
}

async fn groups(
    app: App,
    viewer: Viewer,
    params: Params<GroupsFilter>,
    paging: Paging,
) -> Result<Response> {
    let search = params.0.search.unwrap_or_default();
    let (asker, wanted) = (viewer.clone(), search.clone());
    let (rows, total, paging) = app
        .read(move |tx| {
            let mut condition = access::visible_groups(tx, &asker);
            if !wanted.is_empty() {
                let pattern = lists::contains(&fold(&wanted));
                condition
                    .push(" and (namespaces.name_folded like ", pattern.as_str())
                    .push(
                        " escape '\\' or namespaces.full_path_folded like ",
                        pattern.as_str(),
                    )
                    .raw(" escape '\\')");
            }
            let total = lists::count(tx, "namespaces", &condition)?;
            let order = "namespaces.full_path_folded, namespaces.id";
            let (limit, offset) = (paging.per_page, paging.offset());
            let rows = lists::namespaces(tx, &condition, order, limit, offset)?;
            let counts = counted(tx, &asker, &rows)?;
            let rows = rows.iter().map(|row| group_row(row, &counts, true));
            Ok((rows.collect(), total, paging))
        })
        .await?;
    let mut shown = page(&app, &viewer, "Groups");
    shown.active = "groups";
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    if !search.is_empty() {
        query.append_pair("search", &search);
    }
    let view = views::Groups {
        page: shown,
        pages: pages(&paging, total, format!("/groups?{}", query.finish())),
        search,
        can_create: rules::may_create_top_group(&viewer),
        groups: rows,
    };
    Ok(Html::new(&view)?.response())
}
