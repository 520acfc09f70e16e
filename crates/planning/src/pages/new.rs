//! `…/-/issues/new`, and changing an issue's texts.

use super::views::{IssueForm, TypedIssue};
use super::{desk, kinds, lines, words};
use crate::guarded::{self, Writer};
use crate::model::{Issue, IssueKind};
use crate::rules::issues::IssueInput;
use crate::rules::issues::places::found_to_write;
use crate::rules::issues::requests::may_edit;
use http::Method;
use identity::pages::challenge::{Challenge, Solved};
use identity::pages::refusal::outcome;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Html, flash};
use kernel::http::{Params, Patch, RequestContext, Response, Routes};
use spaces::access::Purpose;
use spaces::pages::{Address, PROJECT};
use std::sync::Arc;

pub fn routes(r: &mut Routes) {
    let all = format!("{PROJECT}/-/issues");
    r.page(Method::GET, &format!("{all}/new"), new);
    r.page(Method::POST, &all, create);
    r.page(Method::GET, &format!("{all}/{{issue_iid}}/edit"), edit);
    r.page(Method::POST, &format!("{all}/{{issue_iid}}/edit"), update);
}

kernel::params! {
    /// The form, as it is opened and as it is sent.
    pub struct Form {
        pub title: Option<String>,
        pub description: Option<String>,
        pub kind as "issue_type": Option<IssueKind>,
        /// Titles of labels, told apart by commas.
        pub labels: Option<String>,
        pub confidential: Option<bool>,
    }
}

kernel::params! {
    pub struct EditForm {
        pub issue_iid: i64,
        pub title: Option<String>,
        pub description: Option<String>,
    }
}

impl TypedIssue {
    fn of(form: &Form) -> TypedIssue {
        TypedIssue {
            title: form.title.clone().unwrap_or_default(),
            description: lines(form.description.as_deref()),
            kind: form.kind,
            labels: form.labels.clone().unwrap_or_default(),
            confidential: form.confidential.unwrap_or(false),
            ..TypedIssue::default()
        }
    }
}

async fn new(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<Form>,
) -> Result<Response> {
    let address = Address::of(&asked)?;
    render(&app, viewer.viewer(), address, None, TypedIssue::of(&form)).await
}

/// The form; of an issue that is there, if its number is given.
async fn render(
    app: &App,
    viewer: Viewer,
    address: Address,
    iid: Option<i64>,
    typed: TypedIssue,
) -> Result<Response> {
    let title = match iid {
        None => "New issue",
        Some(_) => "Edit issue",
    };
    let shown = typed.refusal.page(app, &viewer, title);
    let status = typed.refusal.status();
    let view = app
        .read(move |tx| {
            let (space, desk) = desk(tx, &viewer, &address, Purpose::ReadMembers)?;
            desk.writable()?;
            let list = format!("{}/-/issues", space.url());
            let page = space.crumbs(shown, true).crumb("Issues", list.clone());
            let back = match iid {
                None => list.clone(),
                Some(iid) => format!("{list}/{iid}"),
            };
            Ok(IssueForm {
                page,
                title,
                url: match iid {
                    None => list,
                    Some(_) => format!("{back}/edit"),
                },
                back,
                is_new: iid.is_none(),
                can_mark: desk.is_reporter(),
                kinds: kinds(),
                typed,
            })
        })
        .await?;
    let html = Challenge::allow(view.typed.refusal.challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

fn lead(app: &App, issue: &Issue, text: impl Into<String>) -> Result<Response> {
    flash::done(app, &crate::entity::issues::web_path(issue), text)
}

async fn create(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<Form>,
    Solved(solution): Solved,
) -> Result<Response> {
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let project = address.reference.clone();
    let wanted = IssueInput {
        title: Some(form.title.clone().unwrap_or_default()),
        description: Patch::Value(lines(form.description.as_deref())),
        kind: form.kind,
        labels: Some(words(form.labels.as_deref())),
        confidential: Some(form.confidential.unwrap_or(false)),
        ..IssueInput::default()
    };
    let writer = Writer::by_form(viewer.clone(), asked, solution);
    let made = guarded::open(&app, writer, project, wanted, |_, _, issue| Ok(issue)).await;
    match outcome(&app, made, &["title", "description", "labels"]).await? {
        Ok(issue) => lead(&app, &issue, format!("Issue #{} is made.", issue.iid)),
        Err(refusal) => {
            let typed = TypedIssue {
                refusal,
                ..TypedIssue::of(&form)
            };
            render(&app, viewer, address, None, typed).await
        }
    }
}

async fn edit(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<EditForm>,
) -> Result<Response> {
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let (who, at) = (viewer.clone(), address.clone());
    let issue = app.read(move |tx| {
        let (space, _) = desk(tx, &who, &at, Purpose::ReadMembers)?;
        let (desk, issue) = found_to_write(tx, &who, &space.reference(), form.issue_iid)?;
        match may_edit(&who, &desk, &issue) {
            true => Ok(issue),
            false => Err(Error::forbidden("")),
        }
    });
    let issue = issue.await?;
    let typed = TypedIssue {
        title: issue.title,
        description: issue.description.unwrap_or_default(),
        ..TypedIssue::default()
    };
    render(&app, viewer, address, Some(issue.iid), typed).await
}

async fn update(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    form: Params<EditForm>,
    Solved(solution): Solved,
) -> Result<Response> {
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let place = (address.reference.clone(), form.issue_iid);
    let typed = TypedIssue {
        title: form.title.clone().unwrap_or_default(),
        description: lines(form.description.as_deref()),
        ..TypedIssue::default()
    };
    let wanted = IssueInput {
        title: Some(typed.title.clone()),
        description: Patch::Value(typed.description.clone()),
        ..IssueInput::default()
    };
    let writer = Writer::by_form(viewer.clone(), asked, solution);
    let done = guarded::edit(&app, writer, place, wanted, |_, _, issue| Ok(issue)).await;
    match outcome(&app, done, &["title", "description"]).await? {
        Ok(issue) => lead(&app, &issue, "The issue is changed."),
        Err(refusal) => {
            let typed = TypedIssue { refusal, ..typed };
            render(&app, viewer, address, Some(form.issue_iid), typed).await
        }
    }
}
