//! `…/-/merge_requests/<number>/edit`.

use super::form::{Fields, FormView};
use super::texts::{FIELDS, RequestTexts, in_words};
use crate::access::{check_update, desk_to_write, find};
use crate::model::MergeRequest;
use crate::pages::frame::below;
use crate::rules::collaboration::may_allow;
use crate::rules::edit::edit;
use crate::rules::input::Input;
use crate::store::{labels, people};
use ::store::Tx;
use code::visible::visible;
use identity::entities::load_basic;
use identity::pages::refusal::Refusal;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, flash};
use kernel::http::{Flat, Params, Response, Text};
use kernel::ids::Reference;
use planning::access::ProjectAccess;
use spaces::access::{Purpose, find_project};
use spaces::pages::{SpaceHead, Visit};

kernel::params! {
    /// The form of one that is there.
    pub struct EditForm {
        pub merge_request_iid: i64,
        pub target_branch: Text,
        pub texts: Flat<RequestTexts>,
    }
}

kernel::params! {
    pub struct EditPath {
        pub merge_request_iid: i64,
    }
}

/// Finds it for who may change it.
fn found(
    tx: &mut Tx<'_>, visit: &Visit, iid: i64,
) -> Result<(SpaceHead, ProjectAccess, MergeRequest)> {
    let space = visit.authorize(tx, Purpose::DownloadCode)?;
    let here = desk_to_write(tx, &visit.viewer, &space.reference())?;
    let request = find(tx, &visit.viewer, &here, iid)?;
    check_update(tx, &visit.viewer, &here, &request)?;
    Ok((space.head(tx, &visit.viewer)?, here, request))
}

pub async fn show(app: App, visit: Visit, Params(path): Params<EditPath>) -> Result<Response> {
    render(&app, visit, path.merge_request_iid, None, Refusal::default()).await
}

/// The form, with what is stored or with what was typed: the texts, and another target.
async fn render(
    app: &App, visit: Visit, iid: i64, typed: Option<(RequestTexts, String)>, refusal: Refusal,
) -> Result<Response> {
    let shown = refusal.page(app, &visit.viewer, "Edit merge request");
    let status = refusal.status();
    let view = app.read(move |tx| {
        let (head, here, request) = found(tx, &visit, iid)?;
        let (texts, target) = match typed {
            Some((texts, target)) => (texts, target),
            None => (stored(tx, &request)?, request.target_branch.clone()),
        };
        let may_open_fork = may_open_fork(tx, &visit, &here, &request)?;
        let back = request.path();
        Ok(FormView {
            page: below(&head, shown, &request),
            title: "Edit merge request",
            url: format!("{back}/edit"),
            button: "Save",
            source: visible(&request.source_branch).into_owned(),
            target: visible(&request.target_branch).into_owned(),
            target_url: format!("/{}", request.project_path),
            fields: Fields::read(tx, &here, texts, may_open_fork)?,
            refusal,
            new: None,
            target_branch: request.is_open().then_some(target),
            back,
        })
    });
    Ok(Html::new(&view.await?)?.status(status).response())
}

/// What stands in the fields.
fn stored(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<RequestTexts> {
    let assignees = people::assignees_of_one(tx, request.id)?;
    let reviewers = people::reviewers_of_one(tx, request.id)?;
    let reviewers: Vec<i64> = reviewers.iter().map(|one| one.user_id).collect();
    let users = load_basic(tx, &[assignees.as_slice(), &reviewers].concat())?;
    let names = |ids: &[i64]| {
        let known = ids.iter().filter_map(|id| users.get(id));
        known.map(|user| user.username.clone()).collect::<Vec<_>>().join(", ")
    };
    let worn = labels::of_requests(tx, &[request.id])?.remove(&request.id).unwrap_or_default();
    let titles: Vec<String> = worn.into_iter().map(|label| label.title).collect();
    Ok(RequestTexts {
        assignees: names(&assignees).into(),
        reviewers: names(&reviewers).into(),
        labels: titles.join(", ").into(),
        milestone_id: request.milestone_id,
        squash: Some(request.squash),
        remove_source_branch: Some(request.force_remove_source_branch.unwrap_or(false)),
        allow_collaboration: Some(request.allow_collaboration),
        ..RequestTexts::titled(&request.title, request.text().to_owned())
    })
}

/// Whether its source branch can be opened to who merges, by the viewer.
fn may_open_fork(
    tx: &mut Tx<'_>, visit: &Visit, here: &ProjectAccess, request: &MergeRequest,
) -> Result<bool> {
    let source = match request.source_project_id.filter(|_| request.is_from_fork()) {
        Some(id) => find_project(tx, &Reference::Id(id))?,
        None => None,
    };
    match source {
        Some(source) => {
            may_allow(tx, &visit.viewer, &source, &here.project, &request.source_branch)
        }
        None => Ok(false),
    }
}

pub async fn change(app: App, visit: Visit, Params(form): Params<EditForm>) -> Result<Response> {
    let (iid, target) = (form.merge_request_iid, form.target_branch.trim().to_owned());
    let typed = form.texts.0.stored();
    let done = match typed.input(&app).await {
        Ok(input) => {
            let target_branch = Some(target.clone()).filter(|name| !name.is_empty());
            let input = Input { target_branch, ..input };
            let by = visit.clone();
            let written = app.write(move |tx| {
                let (_, here, request) = found(tx, &by, iid)?;
                edit(tx, &by.viewer, &here, &request, input.clone())
            });
            written.await.map_err(in_words)
        }
        Err(error) => Err(error),
    };
    match done {
        Ok(request) => flash::done(&app, &request.path(), "Merge request updated."),
        Err(error) => {
            let refusal = Refusal::of(error, FIELDS)?;
            render(&app, visit, iid, Some((typed, target)), refusal).await
        }
    }
}
