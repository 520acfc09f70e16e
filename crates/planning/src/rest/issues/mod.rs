//! Issues: one, create, change, remove, move. Lists are in [`list`], links in
//! [`links`], times in [`time`], what became of them in [`events`].

mod events;
mod links;
pub(super) mod list;
mod time;

use crate::access::{ProjectAccess, Scope, desk};
use crate::entity::issues::{self as entity, IssueEntity, RelatedToIssues};
use crate::guarded::{self, Place, Writer};
use crate::model::Issue;
use crate::rest::Subscribes;
use crate::rules::issues::places::{self, found, found_signed_in, found_to_write, is_subscribed};
use crate::rules::issues::{self as rules, CHANGES, IssueInput, StateEvent, moves};
use crate::store::issues as rows;
use identity::entities::{UserBasic, basic, load_basic};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::conditional::check_unmodified;
use kernel::http::{
    Changed, Created, Flat, NoContent, Ok200, Paged, Paging, Params, RequestContext, Routes,
};
use kernel::ids::Reference;
use kernel::time::Timestamp;
use std::sync::Arc;
use store::Tx;

const BASE: &str = "/projects/{id}/issues";

pub(super) fn routes(r: &mut Routes) {
    list::routes(r);
    let one = |rest: &str| format!("{BASE}/{{issue_iid}}{rest}");
    r.post(BASE, create).summary("Makes an issue");
    r.get("/issues/{id}", show_by_id)
        .summary("Shows an issue by its id, to administrators");
    r.get(&one(""), show).summary("Shows an issue");
    r.put(&one(""), update).summary("Changes an issue");
    r.delete(&one(""), destroy).summary("Deletes an issue");
    r.post(&one("/move"), relocate)
        .summary("Moves an issue to another project");
    r.post(&one("/clone"), duplicate)
        .summary("Copies an issue into a project");
    r.post(&one("/subscribe"), subscription)
        .named("subscribe")
        .summary("Subscribes the caller to an issue");
    r.post(&one("/unsubscribe"), subscription)
        .named("unsubscribe")
        .summary("Ends the caller's subscription to an issue");
    r.get(&one("/participants"), participants)
        .summary("Lists who takes part in an issue");
    r.get(&one("/closed_by"), no_merge_requests)
        .named("closed_by")
        .summary("Lists the merge requests that close an issue");
    r.get(&one("/related_merge_requests"), no_merge_requests)
        .named("related")
        .summary("Lists the merge requests that name an issue");
    time::routes(r);
    links::routes(r);
    events::routes(r);
}

kernel::params! {
    pub struct IssuePath {
        /// Id or path of the project.
        pub id: Reference,
        /// Number of the issue.
        pub issue_iid: i64,
    }
}

kernel::params! {
    pub struct CreateIssue {
        /// Id or path of the project.
        pub id: Reference,
        /// Its title.
        pub title: String,
        pub input: Flat<IssueInput>,
        /// When it was made; for owners.
        pub created_at: Option<Timestamp>,
        /// Its number; for owners.
        pub iid: Option<i64>,
    }
}

kernel::params! {
    pub struct UpdateIssue {
        pub at: Flat<IssuePath>,
        /// Another title.
        pub title: Option<String>,
        pub input: Flat<IssueInput>,
        /// Titles of labels: these no longer.
        pub remove_labels: Option<Vec<String>>,
        /// When it was changed; for owners.
        pub updated_at: Option<Timestamp>,
        /// Close it or open it again.
        pub state_event: Option<StateEvent>,
    }
}

impl IssuePath {
    pub(super) fn place(self) -> Place {
        (self.id, self.issue_iid)
    }
}

/// An issue with all there is to show, rendered after the transaction.
pub(super) struct LoadedIssue {
    issue: Issue,
    around: RelatedToIssues,
    subscribed: bool,
}

impl LoadedIssue {
    pub(super) fn read(
        tx: &mut Tx<'_>,
        viewer: &Viewer,
        desk: ProjectAccess,
        issue: Issue,
    ) -> Result<LoadedIssue> {
        let scope = Scope::Project(Box::new(desk));
        let around = RelatedToIssues::read(tx, viewer, &scope, std::slice::from_ref(&issue))?;
        let subscribed = match viewer.user_id() {
            Some(user_id) => is_subscribed(tx, user_id, &issue)?,
            None => false,
        };
        Ok(LoadedIssue {
            issue,
            around,
            subscribed,
        })
    }

    pub(super) fn entity(&self, app: &App) -> IssueEntity {
        IssueEntity {
            subscribed: Some(self.subscribed),
            ..entity::issue(app, &self.issue, &self.around, false)
        }
    }
}

async fn create(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    Params(params): Params<CreateIssue>,
) -> Result<Created<IssueEntity>> {
    let writer = Writer::by_api(viewer.clone(), asked);
    let wanted = IssueInput {
        title: Some(params.title),
        created_at: params.created_at,
        iid: params.iid,
        ..params.input.0
    };
    let made = guarded::open(&app, writer, params.id, wanted, move |tx, desk, issue| {
        LoadedIssue::read(tx, &viewer, desk, issue)
    });
    Ok(Created(made.await?.rest()?.entity(&app)))
}

async fn show(app: App, viewer: Viewer, path: Params<IssuePath>) -> Result<Ok200<IssueEntity>> {
    let shown = app
        .read(move |tx| {
            let (desk, issue) = found(tx, &viewer, &path.id, path.issue_iid)?;
            LoadedIssue::read(tx, &viewer, desk, issue)
        })
        .await?;
    Ok(Ok200(shown.entity(&app)))
}

kernel::params! {
    /// An issue of the whole instance.
    pub struct IssueId {
        /// Id of the issue.
        pub id: i64,
    }
}

async fn show_by_id(app: App, viewer: Viewer, path: Params<IssueId>) -> Result<Ok200<IssueEntity>> {
    let shown = app
        .read(move |tx| {
            viewer.admin()?;
            let issue = rows::by_id(tx, path.id)?.found("")?;
            let desk = desk(tx, &viewer, &Reference::Id(issue.project_id))?;
            LoadedIssue::read(tx, &viewer, desk, issue)
        })
        .await?;
    Ok(Ok200(shown.entity(&app)))
}

async fn update(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    Params(params): Params<UpdateIssue>,
) -> Result<Ok200<IssueEntity>> {
    let writer = Writer::by_api(viewer.clone(), asked);
    let wanted = IssueInput {
        title: params.title,
        remove_labels: params.remove_labels.unwrap_or_default(),
        updated_at: params.updated_at,
        state_event: params.state_event,
        ..params.input.0
    };
    let nothing = wanted.is_empty();
    let place = params.at.0.place();
    let shown = guarded::edit(&app, writer, place, wanted, move |tx, desk, issue| {
        LoadedIssue::read(tx, &viewer, desk, issue)
    });
    let shown = shown.await?.rest()?;
    match nothing {
        true => Err(Error::none_of(CHANGES)),
        false => Ok(Ok200(shown.entity(&app))),
    }
}

async fn destroy(
    app: App,
    viewer: Viewer,
    asked: Arc<RequestContext>,
    path: Params<IssuePath>,
) -> Result<NoContent> {
    app.write(move |tx| {
        let (desk, issue) = found_to_write(tx, &viewer, &path.id, path.issue_iid)?;
        if desk.is_owner() {
            check_unmodified(&asked, issue.updated_at)?;
        }
        moves::destroy(tx, &viewer, &desk, &issue)?;
        Ok(NoContent)
    })
    .await
}

kernel::params! {
    pub struct MoveIssue {
        pub at: Flat<IssuePath>,
        /// Id of the project it goes to.
        pub to_project_id: i64,
    }
}

kernel::params! {
    pub struct CloneIssue {
        pub at: Flat<IssuePath>,
        /// Id of the project the copy goes to.
        pub to_project_id: i64,
        /// Copy the notes, too.
        pub with_notes: Option<bool>,
    }
}

async fn relocate(
    app: App,
    viewer: Viewer,
    params: Params<MoveIssue>,
) -> Result<Created<IssueEntity>> {
    let shown = app
        .write(move |tx| {
            let (from, issue) = found_to_write(tx, &viewer, &params.at.id, params.at.issue_iid)?;
            let made = moves::relocate(tx, &viewer, &from, &issue, params.to_project_id)?;
            let there = desk(tx, &viewer, &Reference::Id(made.project_id))?;
            LoadedIssue::read(tx, &viewer, there, made)
        })
        .await?;
    Ok(Created(shown.entity(&app)))
}

async fn duplicate(
    app: App,
    viewer: Viewer,
    params: Params<CloneIssue>,
) -> Result<Created<IssueEntity>> {
    let shown = app
        .write(move |tx| {
            let (from, issue) = found_to_write(tx, &viewer, &params.at.id, params.at.issue_iid)?;
            let notes = params.with_notes.unwrap_or(false);
            let made = moves::duplicate(tx, &viewer, &from, &issue, params.to_project_id, notes)?;
            let there = desk(tx, &viewer, &Reference::Id(made.project_id))?;
            LoadedIssue::read(tx, &viewer, there, made)
        })
        .await?;
    Ok(Created(shown.entity(&app)))
}

async fn subscription(
    app: App,
    viewer: Viewer,
    path: Params<IssuePath>,
    Subscribes(wanted): Subscribes,
) -> Result<Changed<IssueEntity>> {
    let shown = app
        .write(move |tx| {
            let (desk, issue) = found_signed_in(tx, &viewer, &path.id, path.issue_iid)?;
            match places::subscribe(tx, &viewer, &issue, wanted)? {
                true => LoadedIssue::read(tx, &viewer, desk, issue).map(Some),
                false => Ok(None),
            }
        })
        .await?;
    Ok(shown.map(|shown| shown.entity(&app)).into())
}

async fn participants(
    app: App,
    viewer: Viewer,
    path: Params<IssuePath>,
    paging: Paging,
) -> Result<Paged<UserBasic>> {
    let handle = app.clone();
    app.read(move |tx| {
        let (desk, issue) = found(tx, &viewer, &path.id, path.issue_iid)?;
        let ids = rules::participants(tx, &issue, desk.is_reporter())?;
        let users = load_basic(tx, &ids)?;
        let shown = ids.iter().filter_map(|id| users.get(id));
        let shown = shown.map(|user| basic(&handle, user)).collect();
        Ok(Paged::of_whole(shown, paging))
    })
    .await
}

/// Projects have no merge requests.
async fn no_merge_requests(
    app: App,
    viewer: Viewer,
    path: Params<IssuePath>,
    paging: Paging,
) -> Result<Paged<serde_json::Value>> {
    app.read(move |tx| {
        found(tx, &viewer, &path.id, path.issue_iid)?;
        Ok(Paged::numbered(Vec::new(), paging, Some(0)))
    })
    .await
}
