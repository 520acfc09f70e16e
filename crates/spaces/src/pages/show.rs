//! The first page of a project, of a group and of a person.

use super::views::{self, GroupList};
use super::{Address, GROUP, PROJECT, Section, Space, group_list, project_list, role};
use crate::access::{self, Purpose};
use crate::model::{Namespace, Project, SourceKind};
use crate::store::{self as lists, filters, stars};
use http::Method;
use identity::model::{User, UserState};
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Html, Moment};
use kernel::http::reply::redirect;
use kernel::http::{Paging, Response, Routes};
use kernel::ids::Reference;
use store::Tx;

const BY_NAME: &str = "projects.name_folded, projects.id";
/// Most subgroups that a group's page shows.
const MAX_SUBGROUPS: i64 = 100;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PROJECT, show);
    r.page(Method::GET, GROUP, show);
}

pub(super) async fn show(
    app: App,
    viewer: Viewer,
    address: Address,
    paging: Paging,
) -> Result<Response> {
    let (asker, wanted) = (viewer.clone(), address.clone());
    let found = app.read(move |tx| find(tx, &asker, wanted)).await?;
    let space = match found {
        PathTarget::Space(space) => *space,
        PathTarget::Person(user) => return show_person(app, viewer, *user, paging).await,
    };
    match space {
        // An old address of a project leads to where it is now, and a group's
        // path alone to the group.
        Space::Project(project, _) if !address.names(&project.full_path) => {
            redirect(&format!("/{}", project.full_path))
        }
        Space::Group(group, _) if address.kind == SourceKind::Project => {
            redirect(&format!("/groups/{}", group.full_path))
        }
        Space::Project(project, level) => show_project(app, viewer, project, level).await,
        Space::Group(group, level) => show_group(app, viewer, group, level, paging).await,
    }
}

enum PathTarget {
    Space(Box<Space>),
    Person(Box<User>),
}

/// The project of this path, else the group, else the person.
fn find(tx: &mut Tx<'_>, viewer: &Viewer, address: Address) -> Result<PathTarget> {
    let not_found = match address.authorize(tx, viewer, Purpose::Read) {
        Err(error @ Error::NotFound(_)) if address.kind == SourceKind::Project => error,
        other => return other.map(|space| PathTarget::Space(Box::new(space))),
    };
    let group = Address { kind: SourceKind::Group, ..address };
    match group.authorize(tx, viewer, Purpose::Read) {
        Err(Error::NotFound(_)) => {}
        other => return other.map(|space| PathTarget::Space(Box::new(space))),
    }
    let Reference::Path(name) = &group.reference else {
        return Err(not_found);
    };
    let shown =
        |user: &User| user.is_human() && (user.state != UserState::Banned || viewer.is_admin());
    let user = identity::users::find_by_username(tx, name)?;
    let user = user.filter(shown).ok_or(not_found)?;
    Ok(PathTarget::Person(Box::new(user)))
}

/// A person with their own projects, as far as the viewer may see them.
async fn show_person(app: App, viewer: Viewer, user: User, paging: Paging) -> Result<Response> {
    let (shown, now) = (page(&app, &viewer, &user.name), app.now());
    let view = app
        .read(move |tx| {
            let mut own = access::visible_projects(tx, &viewer, Purpose::Read);
            own.raw(" and ").append(filters::own_projects(user.id));
            // A private profile hides what the person has.
            let is_private = identity::users::is_private(tx, &user)?;
            let sees = identity::access::sees_activity_of(&viewer, &user, is_private);
            if !sees {
                own.raw(" and false");
            }
            let url = format!("/{}", user.username);
            Ok(views::Person {
                page: shown,
                is_self: viewer.user_id() == Some(user.id),
                projects: project_list(tx, &own, BY_NAME, &paging, url)?,
                joined_at: sees.then(|| Moment::new(user.created_at, now)),
                user,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

async fn show_project(app: App, viewer: Viewer, project: Project, level: i64) -> Result<Response> {
    let (base_url, now) = (app.base_url().to_owned(), app.now());
    let shown = page(&app, &viewer, &project.name);
    let view = app
        .read(move |tx| {
            let head = Space::Project(project.clone(), level).head(tx, &viewer)?;
            let is_starred = match viewer.user().filter(|user| user.is_human()) {
                Some(user) => Some(stars::is_starred(tx, project.id, user.id)?),
                None => None,
            };
            Ok(views::Project {
                is_starred,
                page: head.page(shown, Section::Overview),
                head,
                role: role(level),
                base_url,
                can_publish: access::may(tx, &viewer, &project, Purpose::PublishPackage)?,
                project,
                now,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

async fn show_group(
    app: App,
    viewer: Viewer,
    group: Namespace,
    level: i64,
    paging: Paging,
) -> Result<Response> {
    let (shown, now) = (page(&app, &viewer, &group.name), app.now());
    let view = app
        .read(move |tx| {
            let space = Space::Group(group.clone(), level);
            let mut own = access::visible_projects(tx, &viewer, Purpose::Read);
            own.push(" and projects.namespace_id = ", group.id);
            let may = |tx: &mut Tx<'_>, purpose| access::may_in_group(tx, &viewer, &group, purpose);
            let head = space.head(tx, &viewer)?;
            Ok(views::Group {
                can_create_projects: may(tx, Purpose::CreateProject)?,
                can_create_subgroups: may(tx, Purpose::CreateSubgroup)?,
                subgroups: subgroups(tx, &viewer, &group)?,
                projects: project_list(tx, &own, BY_NAME, &paging, space.url())?,
                created_at: Moment::new(group.created_at, now),
                role: role(level),
                page: head.page(shown, Section::Overview),
                head,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

fn subgroups(tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace) -> Result<GroupList> {
    let mut children = access::visible_groups(tx, viewer);
    children.push(" and namespaces.parent_id = ", group.id);
    let order = "namespaces.name_folded, namespaces.id";
    let below = lists::namespaces(tx, &children, order, MAX_SUBGROUPS, 0)?;
    group_list(tx, viewer, below)
}
