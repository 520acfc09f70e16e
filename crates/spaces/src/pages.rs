//! Pages of this room: projects, groups, one group, one project.
//!
//! Groups stand at `/groups/<path>`, projects at `/<path>`; what follows
//! `/-/` belongs to the rooms that register it.

pub mod views;

use crate::access::{self, GUEST, Purpose};
use crate::model::{Namespace, Project, Visibility};
use crate::store as lists;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment, Pages};
use kernel::http::reply::redirect;
use kernel::http::{Asked, Paging, Params, Response, Routes};
use kernel::ids::{Reference, fold};
use kernel::time::Timestamp;
use std::sync::Arc;
use store::{Fragment, Tx};
use views::{GroupRow, ProjectRow, SpaceHead};

/// Declares the pages.
pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/", home);
    r.page(Method::GET, "/groups", groups);
    // A path has any number of parts, which a route cannot say beside the
    // sections that end such paths, so there is one route per length.
    for parts in 1..=MAX_PARTS {
        let place: String = (1..=parts).map(|at| format!("/{{part{at}}}")).collect();
        r.page(Method::GET, &place, show);
        r.page(Method::GET, &format!("/groups{place}"), show);
    }
}

/// Most parts of a path: groups nest 20 deep, and a project stands in one.
const MAX_PARTS: usize = 21;

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
        can_create: false,
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

fn pages(paging: &Paging, total: i64, url: String) -> Pages {
    Pages {
        page: (paging.offset() / paging.per_page) as u64 + 1,
        per_page: paging.per_page as u64,
        total: total as u64,
        url: url.trim_end_matches('?').to_owned(),
    }
}

fn project_row(project: &Project, now: Timestamp, with_namespace: bool) -> ProjectRow {
    ProjectRow {
        namespace: match with_namespace {
            true => project.namespace_full_path.clone(),
            false => String::new(),
        },
        name: project.name.clone(),
        url: format!("/{}", project.full_path),
        description: project.description.clone().unwrap_or_default(),
        visibility: Visibility::of(project.visibility).to_string(),
        is_archived: project.archived,
        role: String::new(),
        last_activity_at: Moment::new(project.last_activity_at, now),
    }
}

fn group_row(group: &Namespace, full: bool) -> GroupRow {
    GroupRow {
        name: if full {
            group.full_name.clone()
        } else {
            group.name.clone()
        },
        url: format!("/groups/{}", group.full_path),
        description: group.description.clone(),
        visibility: Visibility::of(group.visibility).to_string(),
        subgroups: 0,
        projects: 0,
    }
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
            Ok((
                lists::namespaces(tx, &condition, order, limit, offset)?,
                total,
                paging,
            ))
        })
        .await?;
    let mut shown = page(&app, &viewer, "Groups");
    shown.active = "groups";
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("search", &search);
    let view = views::Groups {
        page: shown,
        pages: pages(&paging, total, format!("/groups?{}", query.finish())),
        search,
        can_create: false,
        groups: rows.iter().map(|row| group_row(row, true)).collect(),
    };
    Ok(Html::new(&view)?.response())
}

async fn show(app: App, viewer: Viewer, asked: Arc<Asked>, paging: Paging) -> Result<Response> {
    let raw = asked.uri.path().trim_matches('/');
    let decoded = percent_encoding::percent_decode_str(raw).decode_utf8();
    let space = decoded.map_err(|_| Error::NotFound(""))?.into_owned();
    if let Some(group) = space.strip_prefix("groups/") {
        return show_group(app, viewer, Reference::Path(group.to_owned()), paging).await;
    }
    let reference = Reference::Path(space);
    let asked = (viewer.clone(), reference.clone());
    let found = app
        .read(move |tx| {
            let (viewer, reference) = asked;
            match access::project(tx, &viewer, &reference, Purpose::Read) {
                Ok(project) => {
                    let level = access::level_in_project(tx, &viewer, &project)?;
                    Ok(Some((project, level)))
                }
                Err(Error::NotFound(_)) => Ok(None),
                Err(Error::Moved(id)) => {
                    let id = Reference::Id(id.parse().map_err(Error::internal)?);
                    let project = access::project(tx, &viewer, &id, Purpose::Read)?;
                    Ok(Some((project, -1)))
                }
                Err(other) => Err(other),
            }
        })
        .await?;
    match found {
        Some((project, -1)) => redirect(&format!("/{}", project.full_path)),
        Some((project, level)) => show_project(&app, &viewer, &project, level),
        None => show_group(app, viewer, reference, paging).await,
    }
}

fn show_project(app: &App, viewer: &Viewer, project: &Project, level: i64) -> Result<Response> {
    let now = app.now();
    let mut shown = page(app, viewer, &project.name)
        .crumb(&project.namespace_full_name, namespace_url(project));
    shown.active = "projects";
    let view = views::Project {
        page: shown,
        head: SpaceHead {
            kind: "Project",
            id: project.id,
            name: project.name.clone(),
            full_path: project.full_path.clone(),
            url: format!("/{}", project.full_path),
            description: project.description.clone().unwrap_or_default(),
            visibility: Visibility::of(project.visibility).to_string(),
            is_archived: project.archived,
            ..SpaceHead::default()
        },
        topics: project.topics.0.clone(),
        role: if level > 0 {
            access::role_name(level).to_owned()
        } else {
            String::new()
        },
        readme_html: String::new(),
        base_url: app.base_url().to_owned(),
        clone_url: String::new(),
        can_publish: level >= access::DEVELOPER && project.package_registry() != "disabled",
        stars: project.star_count.max(0) as u64,
        created_at: Moment::new(project.created_at, now),
        last_activity_at: Moment::new(project.last_activity_at, now),
    };
    Ok(Html::new(&view)?.response())
}

fn namespace_url(project: &Project) -> String {
    match project.namespace_kind.as_str() {
        "group" => format!("/groups/{}", project.namespace_full_path),
        _ => "/".into(),
    }
}

async fn show_group(
    app: App,
    viewer: Viewer,
    reference: Reference,
    paging: Paging,
) -> Result<Response> {
    let asker = viewer.clone();
    let (group, below, projects, total, paging) = app
        .read(move |tx| {
            let group = access::group(tx, &asker, &reference, Purpose::Read)?;
            let mut children = access::visible_groups(tx, &asker);
            children.push(" and namespaces.parent_id = ", group.id);
            let order = "namespaces.name_folded, namespaces.id";
            let below = lists::namespaces(tx, &children, order, 100, 0)?;
            let mut own = access::visible_projects(tx, &asker, Purpose::Read);
            own.push(" and projects.namespace_id = ", group.id);
            let total = lists::count(tx, "projects", &own)?;
            let order = "projects.name_folded, projects.id";
            let (limit, offset) = (paging.per_page, paging.offset());
            let projects = lists::projects(tx, &own, order, limit, offset)?;
            Ok((group, below, projects, total, paging))
        })
        .await?;
    let now = app.now();
    let url = format!("/groups/{}", group.full_path);
    let mut shown = page(&app, &viewer, &group.name).crumb("Groups", "/groups");
    shown.active = "groups";
    let view = views::Group {
        page: shown,
        head: SpaceHead {
            kind: "Group",
            id: group.id,
            name: group.name.clone(),
            full_path: group.full_path.clone(),
            url: url.clone(),
            description: group.description.clone(),
            visibility: Visibility::of(group.visibility).to_string(),
            ..SpaceHead::default()
        },
        can_create_projects: false,
        can_create_subgroups: false,
        subgroups: below.iter().map(|row| group_row(row, false)).collect(),
        projects: projects
            .iter()
            .map(|row| project_row(row, now, false))
            .collect(),
        pages: pages(&paging, total, url),
        created_at: Moment::new(group.created_at, now),
    };
    Ok(Html::new(&view)?.response())
}
