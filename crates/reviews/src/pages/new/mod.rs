//! `…/-/merge_requests/new`: which branches first, then what is said of them; and
//! `…/-/merge_requests/<number>/edit`.

mod branches;
mod edit;
mod form;
mod places;
mod proposed;
mod templates;
mod texts;

use crate::rules::create::{self as rules, Wanted};
use crate::store::by_id;
use http::Method;
use identity::pages::refusal::Refusal;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::html::flash;
use kernel::http::{Flat, Params, Response, Routes, Text};
use kernel::ids::Reference;
use places::Begun;
use spaces::access::Purpose;
use spaces::pages::{PROJECT, Visit};
use texts::{FIELDS, RequestTexts, in_words};

pub fn routes(r: &mut Routes) {
    let all = format!("{PROJECT}/-/merge_requests");
    let edit = format!("{all}/{{merge_request_iid}}/edit");
    r.page(Method::GET, &format!("{all}/new"), new);
    r.page(Method::POST, &all, create);
    r.page(Method::GET, &edit, edit::show);
    r.page(Method::POST, &edit, edit::change);
}

kernel::params! {
    /// What an address begins a merge request with.
    pub struct NewQuery {
        pub merge_request: Option<Begun>,
        /// Name of the template of its description.
        pub issuable_template: Option<String>,
        /// Other branches are wanted.
        pub change_branches: Option<bool>,
    }
}

kernel::params! {
    /// The form of a new merge request.
    pub struct CreateForm {
        pub source_project_id: Option<i64>,
        pub source_branch: Text,
        pub target_project_id: Option<i64>,
        pub target_branch: Text,
        pub texts: Flat<RequestTexts>,
    }
}

impl CreateForm {
    fn begun(&self) -> Begun {
        Begun {
            source_project_id: self.source_project_id,
            source_branch: self.source_branch.clone(),
            target_project_id: self.target_project_id,
            target_branch: self.target_branch.clone(),
            ..Begun::default()
        }
    }
}

async fn new(app: App, visit: Visit, Params(query): Params<NewQuery>) -> Result<Response> {
    let begun = query.merge_request.unwrap_or_default();
    let is_whole = !begun.source_branch.trim().is_empty();
    if !is_whole || query.change_branches.unwrap_or(false) {
        return branches::render(&app, visit, begun, Refusal::default()).await;
    }
    let asked = proposed::Asked { begun, template: query.issuable_template, typed: None };
    proposed::render(&app, visit, asked, Refusal::default()).await
}

async fn create(app: App, visit: Visit, Params(form): Params<CreateForm>) -> Result<Response> {
    let begun = form.begun();
    let typed = form.texts.0.stored();
    let source = match begun.source_project_id {
        Some(id) => Reference::Id(id),
        None => here(&app, &visit).await?,
    };
    let made = match typed.input(&app).await {
        Ok(input) => {
            let wanted = Wanted {
                source,
                source_branch: begun.source_branch.trim().to_owned(),
                target_project_id: begun.target_project_id,
                target_branch: begun.target_branch.trim().to_owned(),
                input,
            };
            rules::create(&app, &visit.viewer, wanted).await.map_err(in_words)
        }
        Err(error) => Err(error),
    };
    match made {
        Ok(id) => {
            let request = app.read(move |tx| by_id(tx, id)?.found("")).await?;
            let text = format!("Merge request {} created.", request.reference());
            flash::done(&app, &request.path(), text)
        }
        Err(error) => {
            let refusal = Refusal::of(error, FIELDS)?;
            let asked = proposed::Asked { begun, template: None, typed: Some(typed) };
            proposed::render(&app, visit, asked, refusal).await
        }
    }
}

/// The project of the address.
async fn here(app: &App, visit: &Visit) -> Result<Reference> {
    let visit = visit.clone();
    app.read(move |tx| Ok(visit.authorize(tx, Purpose::DownloadCode)?.reference()))
        .await
}
