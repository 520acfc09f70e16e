//! Issues: one, create, change, remove, move. Lists are in [`list`], links in
//! [`links`], what became of them in [`events`].

mod events;
mod links;
pub(super) mod list;

use crate::access::{ProjectAccess, Scope, desk};
use crate::entity::issues::{self as entity, IssueEntity, RelatedToIssues};
use crate::guarded::{self, Place, Writer};
use crate::model::Issue;
use crate::rest::Subscribes;
use crate::rest::about::{Named, RequestAbout, Wish};
use crate::rules::issues::places::{self, found, found_signed_in, found_to_write, is_subscribed};
use crate::rules::issues::{self as rules, CHANGES, IssueInput, StateEvent, moves};
use crate::store::awards::Awardable;
use crate::store::issues as rows;
use identity::caller::Caller;
use identity::entities::{UserBasic, basic, load_basic};
use identity::viewer::Viewer;
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
    r.post(&one("/move"), relocate).summary("Moves an issue to another project");
    r.post(&one("/clone"), duplicate).summary("Copies an issue into a project");
    r.post(&one("/subscribe"), subscription)
        .named("subscribe")
        .summary("Subscribes the caller to an issue");
    r.post(&one("/unsubscribe"), subscription)
        .named("unsubscribe")
        .summary("Ends the caller's subscription to an issue");
    r.get(&one("/participants"), participants)
        .summary("Lists who takes part in an issue");
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

/// The issue that a request is about, and who asks.
pub(super) type IssueRequest = RequestAbout<Place>;

impl Named for Place {
    type Path = IssuePath;

    fn at(path: IssuePath, _: &str) -> Place {
        (path.id, path.issue_iid)
    }

    fn find(&self, tx: &mut Tx<'_>, viewer: &Viewer, wish: Wish) -> Result<(ProjectAccess, Issue)> {
        let (project, iid) = self;
        match wish {
            Wish::See => found(tx, viewer, project, *iid),
            Wish::Write => found_to_write(tx, viewer, project, *iid),
            Wish::WriteOwn => found_signed_in(tx, viewer, project, *iid),
        }
    }

    fn iid(issue: &Issue) -> Option<i64> {
        Some(issue.iid)
    }

    fn awardable(issue: &Issue) -> Awardable {
        Awardable::Issue(issue.id)
    }
}

/// An issue with all there is to show.
fn whole(tx: &mut Tx<'_>, by: &Caller, desk: ProjectAccess, issue: &Issue) -> Result<IssueEntity> {
    let scope = Scope::Project(Box::new(desk));
    let around = RelatedToIssues::read(tx, &by.viewer, &scope, std::slice::from_ref(issue))?;
    let subscribed = match by.viewer.user_id() {
        Some(user_id) => is_subscribed(tx, user_id, issue)?,
        None => false,
    };
    Ok(IssueEntity {
        subscribed: Some(subscribed),
        ..entity::issue(&by.app, issue, &around, false)
    })
}

/// The same of one that may be in another project.
fn elsewhere(tx: &mut Tx<'_>, by: &Caller, issue: &Issue) -> Result<IssueEntity> {
    let desk = desk(tx, &by.viewer, &Reference::Id(issue.project_id))?;
    whole(tx, by, desk, issue)
}

async fn create(
    by: Caller, request: Arc<RequestContext>, Params(params): Params<CreateIssue>,
) -> Result<Created<IssueEntity>> {
    let writer = Writer::by_api(by.viewer.clone(), request);
    let wanted = IssueInput {
        title: Some(params.title),
        created_at: params.created_at,
        iid: params.iid,
        ..params.input.0
    };
    let app = by.app.clone();
    let made = guarded::open(&app, writer, params.id, wanted, move |tx, desk, issue| {
        whole(tx, &by, desk, &issue)
    });
    Ok(Created(made.await?.rest()?))
}

async fn show(at: IssueRequest) -> Result<Ok200<IssueEntity>> {
    let shown = at.read(|tx, by, desk, issue| whole(tx, by, desk, &issue));
    shown.await.map(Ok200)
}

kernel::params! {
    /// An issue of the whole instance.
    pub struct IssueId {
        /// Id of the issue.
        pub id: i64,
    }
}

async fn show_by_id(by: Caller, path: Params<IssueId>) -> Result<Ok200<IssueEntity>> {
    by.read(move |tx, by| {
        by.viewer.admin()?;
        let issue = rows::by_id(tx, path.id)?.found("")?;
        elsewhere(tx, by, &issue).map(Ok200)
    })
    .await
}

async fn update(
    IssueRequest { caller, place }: IssueRequest, request: Arc<RequestContext>,
    Params(params): Params<UpdateIssue>,
) -> Result<Ok200<IssueEntity>> {
    let writer = Writer::by_api(caller.viewer.clone(), request);
    let mut wanted = IssueInput {
        title: params.title,
        updated_at: params.updated_at,
        state_event: params.state_event,
        ..params.input.0
    };
    wanted.wears.remove_labels = params.remove_labels.unwrap_or_default();
    let (app, nothing) = (caller.app.clone(), wanted.is_empty());
    let shown = guarded::edit(&app, writer, place, wanted, move |tx, desk, issue| {
        whole(tx, &caller, desk, &issue)
    });
    let shown = shown.await?.rest()?;
    match nothing {
        true => Err(Error::none_of(CHANGES)),
        false => Ok(Ok200(shown)),
    }
}

async fn destroy(at: IssueRequest, request: Arc<RequestContext>) -> Result<NoContent> {
    at.write(move |tx, by, desk, issue| {
        if desk.is_owner() {
            check_unmodified(&request, issue.updated_at)?;
        }
        moves::destroy(tx, &by.viewer, &desk, &issue)?;
        Ok(NoContent)
    })
    .await
}

kernel::params! {
    pub struct MoveIssue {
        /// Id of the project it goes to.
        pub to_project_id: i64,
    }
}

kernel::params! {
    pub struct CloneIssue {
        /// Id of the project the copy goes to.
        pub to_project_id: i64,
        /// Copy the notes, too.
        pub with_notes: Option<bool>,
    }
}

async fn relocate(at: IssueRequest, params: Params<MoveIssue>) -> Result<Created<IssueEntity>> {
    at.write(move |tx, by, from, issue| {
        let made = moves::relocate(tx, &by.viewer, &from, &issue, params.to_project_id)?;
        elsewhere(tx, by, &made).map(Created)
    })
    .await
}

async fn duplicate(at: IssueRequest, params: Params<CloneIssue>) -> Result<Created<IssueEntity>> {
    at.write(move |tx, by, from, issue| {
        let (to, notes) = (params.to_project_id, params.with_notes.unwrap_or(false));
        let made = moves::duplicate(tx, &by.viewer, &from, &issue, to, notes)?;
        elsewhere(tx, by, &made).map(Created)
    })
    .await
}

async fn subscription(
    at: IssueRequest, Subscribes(wanted): Subscribes,
) -> Result<Changed<IssueEntity>> {
    let shown = at.write_own(move |tx, by, desk, issue| {
        match places::subscribe(tx, &by.viewer, &issue, wanted)? {
            true => whole(tx, by, desk, &issue).map(Some),
            false => Ok(None),
        }
    });
    Ok(shown.await?.into())
}

async fn participants(at: IssueRequest, paging: Paging) -> Result<Paged<UserBasic>> {
    at.read(move |tx, by, desk, issue| {
        let ids = rules::participants(tx, &issue, desk.is_reporter())?;
        let users = load_basic(tx, &ids)?;
        let shown = ids.iter().filter_map(|id| users.get(id));
        let shown = shown.map(|user| basic(&by.app, user)).collect();
        Ok(Paged::of_whole(shown, paging))
    })
    .await
}
