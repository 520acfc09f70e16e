//! Merge requests on the pages that sum up several rooms, and beside all pages of a project
//! or group.

use super::own::Whose;
use super::rows::{RequestRows, read_rows};
use crate::access::{self, Scope};
use crate::model::{MergeRequest, State};
use crate::store::filter::Filter;
use crate::store::list::{OrderBy, Sorting};
use crate::store::pending_from;
use ::store::Tx;
use code::pages::parts::merge_request_url;
use code::visible::visible;
use identity::viewer::Viewer;
use jiff::SignedDuration;
use kernel::error::{Error, Result};
use kernel::html::Moment;
use kernel::html::ui::{self, Panel, Row, icon, panel};
use kernel::http::Paging;
use kernel::time::Timestamp;
use planning::access::ProjectAccess;
use planning::store::listing;
use repositories::formats::ref_name::RefName;
use repositories::model::RepositoryKind;
use repositories::store::{of_project, refs};
use spaces::activity::{PushAction, pushes_since};
use spaces::model::Project;
use spaces::pages::Space;
use spaces::pages::panels::PanelPage;

/// Rows at home; the list has all.
const AT_HOME: i64 = 5;
/// Minutes in which a push is one of late.
const LATE: i64 = 120;
/// Pushes that are looked at.
const MOST_PUSHES: i64 = 10;
/// Branches that are offered.
const MOST_OFFERED: usize = 2;

/// How many are open in a project or group, of what the viewer sees.
pub fn open_here(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space) -> Result<u64> {
    let scope = match space {
        Space::Group(group, _) => Scope::Group(Box::new(group.clone())),
        Space::Project(project, level) => {
            let here = ProjectAccess { project: project.clone(), level: *level };
            Scope::Project(Box::new(here))
        }
    };
    let open = Filter { state: Some(State::Opened), ..Filter::default() };
    Ok(listing::count::<MergeRequest>(tx, viewer, &scope, &open)?.unsigned_abs())
}

/// Whether the viewer makes merge requests of the branches of a project, in that or what it
/// was forked from.
pub fn may_request(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<bool> {
    Ok(has_somewhere(project) && access::may_create_from(tx, viewer, project)?)
}

/// Whether merge requests of its branches go anywhere.
fn has_somewhere(project: &Project) -> bool {
    !project.archived && (access::is_switched_on(project) || project.is_fork())
}

/// Open ones whose review the viewer was asked for.
pub fn reviews(tx: &mut Tx<'_>, viewer: &Viewer, page: PanelPage<'_>) -> Result<Option<Panel>> {
    waiting(tx, viewer, page, ("reviews", "Reviews for you", Whose::Reviews))
}

/// Open ones that are assigned to the viewer.
pub fn assigned(tx: &mut Tx<'_>, viewer: &Viewer, page: PanelPage<'_>) -> Result<Option<Panel>> {
    waiting(tx, viewer, page, ("merge-requests", "Merge requests of yours", Whose::Assigned))
}

/// What waits at home; nothing where nothing does.
fn waiting(
    tx: &mut Tx<'_>, viewer: &Viewer, page: PanelPage<'_>,
    (id, title, whose): (&'static str, &str, Whose),
) -> Result<Option<Panel>> {
    let (PanelPage::Home, Some(user_id)) = (page, viewer.user_id()) else {
        return Ok(None);
    };
    let mut open = Filter { state: Some(State::Opened), ..Filter::default() };
    whose.narrow(&mut open, user_id);
    let updated = Sorting { by: OrderBy::UpdatedAt, descending: true };
    let first = Paging::first(AT_HOME);
    let everywhere = Scope::Everywhere;
    let found = listing::list::<MergeRequest>(tx, viewer, &everywhere, &open, updated, first)?;
    if found.items.is_empty() {
        return Ok(None);
    }
    let total = ui::total(&found);
    let rows = RequestRows { rows: read_rows(tx, viewer, found.items, None)? };
    let panel = panel(id, title, rows).count(total);
    Ok(Some(panel.all("See all of them", whose.url())))
}

/// Branches that the viewer pushed lately, of which there is no merge request yet.
pub fn pushed(tx: &mut Tx<'_>, viewer: &Viewer, page: PanelPage<'_>) -> Result<Option<Panel>> {
    let PanelPage::Overview(Space::Project(project, _), head) = page else {
        return Ok(None);
    };
    if !head.can_push || !has_somewhere(project) {
        return Ok(None);
    }
    let now = tx.now();
    let rows: Vec<Row> = offered(tx, viewer, project)?
        .into_iter()
        .map(|(branch, at)| {
            let url = merge_request_url(&head.url, &branch, None);
            Row::new(icon("branch"), format!("Create a merge request of {}", visible(&branch)))
                .url(Some(url))
                .at("pushed", Moment::new(at, now))
        })
        .collect();
    match rows.is_empty() {
        true => Ok(None),
        false => Ok(Some(panel("pushed", "You pushed lately", ui::rows(rows)))),
    }
}

/// The branches, each with the time of the last push.
fn offered(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project,
) -> Result<Vec<(String, Timestamp)>> {
    let mut branches = pushes(tx, viewer, project)?;
    if branches.is_empty() {
        return Ok(branches);
    }
    let names: Vec<String> = branches.iter().map(|(name, _)| name.clone()).collect();
    let pending = pending_from(tx, project.id, &names)?;
    branches.retain(|(name, _)| !pending.iter().any(|one| one.source_branch == *name));
    let Some(repository) = of_project(tx, project.id, RepositoryKind::Project)? else {
        return Ok(Vec::new());
    };
    let refs_of: Vec<RefName> =
        names.iter().filter_map(|name| RefName::branch(name).ok()).collect();
    let there = refs::current(tx, repository.id, &refs_of.iter().collect::<Vec<_>>())?;
    branches.retain(|(name, _)| there.keys().any(|one| one.as_branch() == Some(name.as_str())));
    branches.truncate(MOST_OFFERED);
    Ok(branches)
}

/// Branches beside the default one that the viewer pushed lately, the last one first.
fn pushes(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<Vec<(String, Timestamp)>> {
    let Some(user_id) = viewer.user_id() else {
        return Ok(Vec::new());
    };
    let late = SignedDuration::from_mins(LATE);
    let since = tx.now().checked_sub(late).map_err(Error::internal)?;
    let found = pushes_since(tx, user_id, project.id, since, MOST_PUSHES)?;
    let mut branches: Vec<(String, Timestamp)> = Vec::new();
    for (push, at) in found {
        let is_there = push.ref_type == "branch" && push.action != PushAction::Removed;
        let Some(name) = push.name.filter(|_| is_there) else {
            continue;
        };
        let is_known = branches.iter().any(|(known, _)| *known == name);
        if !is_known && project.default_branch.as_deref() != Some(name.as_str()) {
            branches.push((name, at));
        }
    }
    Ok(branches)
}
