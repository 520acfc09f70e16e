//! `/projects` and `/groups`: what the viewer may see. Strangers find the
//! projects at `/`, too.

use super::tree::{self, TreePage, open_ids};
use super::views::{self, HomeFilter, ProjectList};
use super::{filtered, front, project_list};
use crate::access::{self, GUEST, Purpose};
use crate::model::Visibility;
use crate::rules;
use crate::store as lists;
use crate::store::filters::{search_groups, search_projects, starred_projects};
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::Choice;
use kernel::html::{Html, Page, Pages};
use kernel::http::params::one_of;
use kernel::http::{Paging, Params, Response, Routes, Text};
use store::{Fragment, Tx};

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PROJECTS, projects);
    r.page(Method::GET, "/groups", groups);
}

const PROJECTS: &str = "/projects";
const SCOPES: &[(&str, &str)] = &[("", "All"), ("mine", "Mine"), ("starred", "Starred")];
const VISIBILITIES: &[(&str, &str)] = &[
    ("", "Any"),
    ("private", "Private"),
    ("internal", "Internal"),
    ("public", "Public"),
];
const SORTS: &[(&str, &str)] = &[
    ("", "Last activity"),
    ("name", "Name"),
    ("created", "Newest"),
    ("stars", "Most stars"),
];

/// The projects that the viewer may see.
pub async fn projects(
    app: App, viewer: Viewer, params: Params<HomeFilter>, paging: Paging,
) -> Result<Response> {
    let Params(filter) = params;
    if viewer.user().is_none() {
        return front::show(&app, filter.search.to_string(), paging).await;
    }
    one_of("scope", Some(&filter.scope), SCOPES)?;
    one_of("visibility", Some(&filter.visibility), VISIBILITIES)?;
    let order = match one_of("sort", Some(&filter.sort), SORTS)? {
        "name" => "projects.name_folded, projects.id",
        "created" => "projects.created_at desc, projects.id desc",
        "stars" => "projects.star_count desc, projects.id desc",
        _ => "projects.last_activity_at desc, projects.id desc",
    };
    let url = filtered(
        PROJECTS,
        &[
            ("search", &filter.search),
            ("scope", &filter.scope),
            ("visibility", &filter.visibility),
            ("sort", &filter.sort),
        ],
    );
    let page = Page { active: "projects", ..page(&app, &viewer, "Projects") };
    let view = app.read(move |tx| {
        let mut condition = access::visible_projects(tx, &viewer, Purpose::Read);
        search_projects(&mut condition, &filter.search);
        narrow(tx, &mut condition, &viewer, &filter);
        let projects = project_list(tx, &condition, order, &paging, url)?;
        Ok(views::Home {
            page,
            url: PROJECTS,
            filter,
            scopes: Choice::list(SCOPES),
            visibilities: Choice::list(VISIBILITIES),
            sorts: Choice::list(SORTS),
            can_create: viewer.user().is_some_and(|user| user.is_human()),
            projects: ProjectList { with_namespace: true, ..projects },
        })
    });
    Ok(Html::new(&view.await?)?.response())
}

/// Leaves of the projects those of a scope and a visibility.
fn narrow(tx: &Tx<'_>, condition: &mut Fragment, viewer: &Viewer, filter: &HomeFilter) {
    let user_id = viewer.user_id().unwrap_or(-1);
    let of_scope = match &*filter.scope {
        "mine" => Some(access::projects_of(tx, user_id, GUEST)),
        "starred" => Some(starred_projects(user_id)),
        _ => None,
    };
    if let Some(of_scope) = of_scope {
        condition.raw(" and ").append(of_scope);
    }
    if let Some(visibility) = Visibility::from_text(&filter.visibility) {
        condition.push(" and projects.visibility = ", visibility.level());
    }
}

kernel::params! {
    /// Filter of groups.
    pub struct GroupsFilter {
        /// In name or path.
        pub search: Text,
        /// Ids of groups that are unfolded, told apart by commas.
        pub open: Text,
    }
}

/// Groups that stand in none the viewer may see.
fn topmost(tx: &Tx<'_>, condition: &mut Fragment, viewer: &Viewer) {
    condition
        .raw(
            " and (namespaces.parent_id is null or namespaces.parent_id not in
                (select namespaces.id from namespaces where ",
        )
        .append(access::visible_groups(tx, viewer))
        .raw("))");
}

/// As a tree, or those that a search finds in a row.
async fn groups(
    app: App, viewer: Viewer, params: Params<GroupsFilter>, paging: Paging,
) -> Result<Response> {
    let Params(filter) = params;
    let search = filter.search.trim().to_owned();
    let open = open_ids(&filter.open);
    let page = Page { active: "groups", ..page(&app, &viewer, "Groups") };
    let view = app.read(move |tx| {
        let mut condition = access::visible_groups(tx, &viewer);
        match search.is_empty() {
            true => topmost(tx, &mut condition, &viewer),
            false => search_groups(&mut condition, Some(&search)),
        }
        let total = lists::count(tx, "namespaces", &condition)?;
        let order = "namespaces.full_path_folded, namespaces.id";
        let (limit, offset) = (paging.per_page, paging.offset());
        let rows = lists::namespaces(tx, &condition, order, limit, offset)?;
        let pages = Pages::of(&paging, total, filtered("/groups", &[("search", &search)]));
        let this_page = pages.page.to_string();
        let shown = TreePage {
            url: "/groups",
            filters: &[("search", &search), ("page", &this_page)],
            open: &open,
            with_parents: !search.is_empty(),
        };
        Ok(views::Groups {
            page,
            groups: tree::read(tx, &viewer, rows, shown)?,
            pages,
            search: search.clone(),
            can_create: rules::may_create_top_group(&viewer),
        })
    });
    Ok(Html::new(&view.await?)?.response())
}
