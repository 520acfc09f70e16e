//! `…/-/issues/new`, and changing an issue's texts.

use super::issue::actions::{assignees, typed};
use super::issue::fields;
use super::views::IssueForm;
use super::{desk, kinds, lines, words};
use crate::guarded::{self, Writer};
use crate::model::{Issue, IssueKind};
use crate::rules::issues::places::found_to_write;
use crate::rules::issues::requests::may_edit;
use crate::rules::issues::{Assignees, IssueInput};
use crate::rules::labelling::Labelling;
use http::Method;
use identity::pages::challenge::{Challenge, Solved};
use identity::pages::refusal::{Refusal, outcome};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::{Html, flash};
use kernel::http::params::Text;
use kernel::http::{Flat, Params, Patch, RequestContext, Response, Routes};
use spaces::access::Purpose;
use spaces::pages::{PROJECT, Section, Visit};
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
    #[derive(Default)]
    pub struct IssueTexts {
        pub title: Text,
        pub description: Text,
        pub kind as "issue_type": Option<IssueKind>,
        /// Titles of labels, told apart by commas.
        pub labels: Text,
        /// User names, told apart by commas.
        pub assignees: Text,
        /// Id of a milestone; 0 for none.
        pub milestone_id: Option<i64>,
        pub due_date: Text,
        pub confidential: Option<bool>,
    }
}

kernel::params! {
    pub struct EditForm {
        pub issue_iid: i64,
        pub title: Text,
        pub description: Text,
    }
}

async fn new(app: App, visit: Visit, Params(form): Params<IssueTexts>) -> Result<Response> {
    let description = lines(&form.description).into();
    let typed = IssueTexts { description, ..form };
    render(&app, visit, None, typed, Refusal::default()).await
}

/// The form; of an issue that is there, if its number is given.
async fn render(
    app: &App, visit: Visit, iid: Option<i64>, typed: IssueTexts, refusal: Refusal,
) -> Result<Response> {
    let title = match iid {
        None => "New issue",
        Some(_) => "Edit issue",
    };
    let shown = refusal.page(app, &visit.viewer, title);
    let status = refusal.status();
    let view = app
        .read(move |tx| {
            let (space, desk) = desk(tx, &visit.viewer, &visit.address, Purpose::ReadMembers)?;
            desk.writable()?;
            let list = format!("{}/-/issues", space.url());
            let page = space.head(tx, &visit.viewer)?.page_below(shown, Section::Issues);
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
                milestones: match iid.is_none() && desk.is_reporter() {
                    true => fields::choices(tx, &desk, None)?,
                    false => Vec::new(),
                },
                kinds: kinds(),
                typed,
                refusal,
            })
        })
        .await?;
    let html = Challenge::allow(view.refusal.challenge.as_ref(), Html::new(&view)?);
    Ok(html.status(status).response())
}

fn lead(app: &App, issue: &Issue, text: impl Into<String>) -> Result<Response> {
    flash::done(app, &issue.path(), text)
}

async fn create(
    app: App, visit: Visit, request: Arc<RequestContext>, Params(form): Params<IssueTexts>,
    Solved(solution): Solved,
) -> Result<Response> {
    let form = IssueTexts { description: lines(&form.description).into(), ..form };
    let project = visit.address.reference.clone();
    let writer = Writer::by_form(visit.viewer.clone(), request, solution);
    let made = match wanted(&app, &form).await {
        Ok(wanted) => guarded::open(&app, writer, project, wanted, |_, _, issue| Ok(issue)).await,
        Err(error) => Err(error),
    };
    let fields = ["title", "description", "labels", "assignees", "due_date"];
    match outcome(&app, made, &fields).await? {
        Ok(issue) => lead(&app, &issue, format!("Issue #{} created.", issue.iid)),
        Err(refusal) => render(&app, visit, None, form, refusal).await,
    }
}

async fn wanted(app: &App, form: &IssueTexts) -> Result<IssueInput> {
    Ok(IssueInput {
        title: Some(form.title.0.clone()),
        description: Patch::Value(form.description.0.clone()),
        kind: form.kind,
        wears: Flat(Labelling::these(words(&form.labels))),
        assignees: match form.assignees.trim() {
            "" => Assignees::default(),
            names => assignees(app, names).await?,
        },
        milestone_id: form.milestone_id.filter(|id| *id != 0).map_or(Patch::Absent, Patch::Value),
        due_on: typed("due_date", form.due_date.trim(), "is no date")?,
        confidential: Some(form.confidential.unwrap_or(false)),
        ..IssueInput::default()
    })
}

async fn edit(app: App, visit: Visit, form: Params<EditForm>) -> Result<Response> {
    let by = visit.clone();
    let issue = app.read(move |tx| {
        let (space, _) = desk(tx, &by.viewer, &by.address, Purpose::ReadMembers)?;
        let (desk, issue) = found_to_write(tx, &by.viewer, &space.reference(), form.issue_iid)?;
        match may_edit(&by.viewer, &desk, &issue) {
            true => Ok(issue),
            false => Err(Error::forbidden("")),
        }
    });
    let issue = issue.await?;
    let typed = IssueTexts {
        title: issue.title.into(),
        description: issue.description.unwrap_or_default().into(),
        ..IssueTexts::default()
    };
    render(&app, visit, Some(issue.iid), typed, Refusal::default()).await
}

async fn update(
    app: App, visit: Visit, request: Arc<RequestContext>, Params(form): Params<EditForm>,
    Solved(solution): Solved,
) -> Result<Response> {
    let place = (visit.address.reference.clone(), form.issue_iid);
    let description = lines(&form.description);
    let wanted = IssueInput {
        title: Some(form.title.0.clone()),
        description: Patch::Value(description.clone()),
        ..IssueInput::default()
    };
    let writer = Writer::by_form(visit.viewer.clone(), request, solution);
    let done = guarded::edit(&app, writer, place, wanted, |_, _, issue| Ok(issue)).await;
    match outcome(&app, done, &["title", "description"]).await? {
        Ok(issue) => lead(&app, &issue, "Issue updated."),
        Err(refusal) => {
            let typed = IssueTexts {
                title: form.title,
                description: description.into(),
                ..IssueTexts::default()
            };
            render(&app, visit, Some(form.issue_iid), typed, refusal).await
        }
    }
}
