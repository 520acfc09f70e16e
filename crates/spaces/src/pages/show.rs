//! The first page of a project, of a group and of a person.

use super::code_front::{self, CodeHtml};
use super::moved;
use super::panels::{self, PanelPage};
use super::tree::{self, Tree, TreePage, open_ids};
use super::views::{self, ProjectList};
use super::{Address, GROUP, PROJECT, PathTarget, Section, Space, filtered, project_list, role};
use crate::access::{self, Purpose};
use crate::model::{Namespace, Project, SourceKind};
use crate::rules;
use crate::store::forks as fork_rows;
use crate::store::{self as rows, Breadth, MemberFilter, MemberRow, filters, stars};
use crate::uploads::address;
use http::Method;
use identity::feed_tokens;
use identity::model::User;
use identity::pages::page;
use identity::users::{self, Availability, Status};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Moment};
use kernel::http::reply::redirect;
use kernel::http::{Paging, Params, RequestContext, Response, Routes, Text};
use kernel::markup::{self, Rendering};
use std::sync::Arc;
use store::{Fragment, Tx};

const BY_NAME: &str = "projects.name_folded, projects.id";
/// Most subgroups that a group's page shows.
const MAX_SUBGROUPS: i64 = 100;
/// Members that an overview shows.
const FEW_PEOPLE: i64 = 8;

kernel::params! {
    /// What the page of a group shows of what stands below it.
    #[derive(Default)]
    pub struct Below {
        /// In name or path.
        pub search: Text,
        /// Ids of groups that are unfolded, told apart by commas.
        pub open: Text,
    }
}

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PROJECT, show);
    r.page(Method::GET, GROUP, show);
}

pub(super) async fn show(
    app: App, viewer: Viewer, address: Address, filter: Params<Below>, paging: Paging,
    request: Arc<RequestContext>,
) -> Result<Response> {
    let (asker, wanted) = (viewer.clone(), address.clone());
    let found = app.read(move |tx| PathTarget::find(tx, &asker, wanted)).await;
    let space = match found {
        Ok(PathTarget::Space(space)) => *space,
        Ok(PathTarget::Person(user)) => return show_person(app, viewer, *user, paging).await,
        Err(refusal) => return moved::led(&request.uri, refusal),
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
        Space::Group(group, level) => {
            show_group(app, viewer, group, level, (filter.0, paging)).await
        }
    }
}

/// What somebody says they are doing, in a line; nothing where they say nothing.
fn said(status: &Status) -> String {
    let emoji = status.status_emoji.as_deref().map(|name| format!(":{name}:"));
    let busy = match status.status_availability {
        Some(Availability::Busy) => "(busy)",
        _ => "",
    };
    let message = status.status_message.as_deref().unwrap_or_default();
    let emoji = emoji.map(|name| markup::line(&name)).unwrap_or_default();
    let words = [emoji.as_str(), message, busy];
    let words: Vec<&str> = words.into_iter().filter(|text| !text.is_empty()).collect();
    words.join(" ")
}

/// A person with their own projects, as far as the viewer may see them.
async fn show_person(app: App, viewer: Viewer, user: User, paging: Paging) -> Result<Response> {
    let (shown, now) = (page(&app, &viewer, &user.name), app.now());
    let shown = feed_tokens::offer(&app, &viewer, shown, &format!("/{}.atom", user.username));
    let view = app
        .read(move |tx| {
            let mut own = access::visible_projects(tx, &viewer, Purpose::Read);
            own.raw(" and ").append(filters::own_projects(user.id));
            // A private profile hides what the person has.
            let is_private = users::is_private(tx, &user)?;
            let sees = identity::access::sees_activity_of(&viewer, &user, is_private);
            if !sees {
                own.raw(" and false");
            }
            let url = format!("/{}", user.username);
            let me = viewer.user_id().filter(|id| *id != user.id);
            Ok(views::Person {
                page: shown,
                is_followed: match me {
                    Some(me) => Some(users::is_followed(tx, me, user.id)?),
                    None => None,
                },
                status: match viewer {
                    Viewer::User(_) if sees => said(&users::status(tx, user.id)?),
                    _ => String::new(),
                },
                is_self: viewer.user_id() == Some(user.id),
                projects: project_list(tx, &own, BY_NAME, &paging, url)?,
                panels: match sees {
                    true => panels::read(tx, &viewer, PanelPage::Person(&user))?,
                    false => Vec::new(),
                },
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
    let shown = feed_tokens::offer(&app, &viewer, shown, &format!("/{}.atom", project.full_path));
    // For its description.
    let turn = markup::turn().await?;
    let (mut view, front) = app
        .read(move |tx| {
            let space = Space::Project(project.clone(), level);
            let head = space.head(tx, &viewer)?;
            let front = code_front::read(tx, &viewer, &space, &head)?;
            let is_starred = match viewer.user().filter(|user| user.is_human()) {
                Some(user) => Some(stars::is_starred(tx, project.id, user.id)?),
                None => None,
            };
            let view = views::Project {
                code: CodeHtml::default(),
                is_starred,
                page: head.page(shown, Section::Overview),
                about: about(&head.description, SourceKind::Project, project.id),
                panels: panels::read(tx, &viewer, PanelPage::Overview(&space, &head))?,
                menus: panels::menus(tx, &viewer, &space)?,
                people: people(tx, &viewer, &space)?,
                head,
                role: role(level),
                base_url: base_url.clone(),
                can_publish: access::may(tx, &viewer, &project, Purpose::PublishPackage)?,
                can_fork: rules::may_fork(tx, &viewer, &project)?,
                source: fork_rows::sources(tx, &viewer, std::slice::from_ref(&project))?
                    .into_values()
                    .next(),
                project: project.clone(),
                now,
            };
            Ok((view, front))
        })
        .await?;
    drop(turn);
    if let Some(front) = front {
        view.code = front.html(app).await?;
    }
    Ok(Html::new(&view)?.response())
}

/// A description as a part of the page, or nothing.
fn about(text: &str, kind: SourceKind, id: i64) -> String {
    let uploads = address("", kind, id);
    match text.trim() {
        "" => String::new(),
        text => Rendering { lowered: 1, uploads: &uploads, ..Rendering::default() }.html(text),
    }
}

/// Some members, for people.
fn people(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space) -> Result<Vec<MemberRow>> {
    let Viewer::User(_) = viewer else {
        return Ok(Vec::new());
    };
    let source = space.place(viewer).source;
    let all = MemberFilter::default();
    Ok(rows::members(tx, &source, Breadth::All, &all, FEW_PEOPLE, 0)?.0)
}

async fn show_group(
    app: App, viewer: Viewer, group: Namespace, level: i64, (filter, paging): (Below, Paging),
) -> Result<Response> {
    let (shown, now) = (page(&app, &viewer, &group.name), app.now());
    let shown = feed_tokens::offer(&app, &viewer, shown, &format!("/{}.atom", group.full_path));
    // For its description.
    let _turn = markup::turn().await?;
    let view = app
        .read(move |tx| {
            let space = Space::Group(group.clone(), level);
            let search = filter.search.trim();
            let url = filtered(&space.url(), &[("search", search)]);
            let may = |tx: &mut Tx<'_>, purpose| access::may_in_group(tx, &viewer, &group, purpose);
            let head = space.head(tx, &viewer)?;
            let projects = projects_below(tx, &viewer, &group, search);
            let projects = project_list(tx, &projects, BY_NAME, &paging, url)?;
            Ok(views::Group {
                can_create_projects: may(tx, Purpose::CreateProject)?,
                can_create_subgroups: may(tx, Purpose::CreateSubgroup)?,
                about: about(&head.description, SourceKind::Group, group.id),
                subgroups: subgroups(tx, &viewer, &group, &filter)?,
                projects: ProjectList { with_namespace: !search.is_empty(), ..projects },
                panels: panels::read(tx, &viewer, PanelPage::Overview(&space, &head))?,
                menus: panels::menus(tx, &viewer, &space)?,
                people: people(tx, &viewer, &space)?,
                search: search.to_owned(),
                created_at: Moment::new(group.created_at, now),
                role: role(level),
                page: head.page(shown.clone(), Section::Overview),
                head,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

/// Projects right in a group, or those anywhere below it that a search finds.
fn projects_below(tx: &Tx<'_>, viewer: &Viewer, group: &Namespace, search: &str) -> Fragment {
    let mut condition = access::visible_projects(tx, viewer, Purpose::Read);
    condition.raw(" and ");
    match search {
        "" => condition.append(filters::projects_right_in(group.id)),
        search => {
            condition.append(filters::projects_below(group));
            filters::search_projects(&mut condition, search);
            &mut condition
        }
    };
    condition
}

/// Groups right in a group as a tree, or those below it that a search finds.
fn subgroups(tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace, filter: &Below) -> Result<Tree> {
    let search = filter.search.trim();
    let mut condition = access::visible_groups(tx, viewer);
    match search {
        "" => {
            condition.push(" and namespaces.parent_id = ", group.id);
        }
        search => {
            condition
                .push(" and namespaces.lineage > ", &group.lineage)
                .push(" and namespaces.lineage < ", group.lineage_end());
            filters::search_groups(&mut condition, Some(search));
        }
    }
    let order = "namespaces.full_path_folded, namespaces.id";
    let found = rows::namespaces(tx, &condition, order, MAX_SUBGROUPS, 0)?;
    let page = TreePage {
        url: &format!("/groups/{}", group.full_path),
        filters: &[("search", search)],
        open: &open_ids(&filter.open),
        with_parents: !search.is_empty(),
    };
    tree::read(tx, viewer, found, page)
}
