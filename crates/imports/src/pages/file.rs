//! `/projects/import/project_file`: a project is made of a file.

use super::account::reason;
use super::{PROGRESS, SOURCES, below_sources, by_path};
use crate::archive::arriving;
use crate::archive::rules::{self, FileCame, Source, Wanted};
use crate::archive::settings::{Deed, count};
use crate::run::SourceName;
use crate::settings;
use askama::Template;
use http::Method;
use identity::Caller;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::html::{Errors, Page, ui};
use kernel::http::params::FromParams;
use kernel::http::{Parts, RequestContext, Response, Routes, Text};
use kernel::ids::Reference;
use serde_json::Map;
use spaces::store::places;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::Tx;

const PATH: &str = "/projects/import/project_file";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, import).streams();
}

kernel::params! {
    /// What the project is to be.
    #[derive(Default)]
    pub struct Form {
        pub path: Text,
        pub name: Text,
        pub namespace: Text,
        pub overwrite: Option<bool>,
    }
}

impl Form {
    fn overwrites(&self) -> bool {
        self.overwrite.unwrap_or(false)
    }

    fn wanted(&self) -> Wanted {
        let given = |text: &Text| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Wanted {
            path: self.path.trim().to_owned(),
            name: given(&self.name),
            namespace: given(&self.namespace).map(Reference::Path),
            overwrite: self.overwrites(),
            overrides: Map::new(),
            user_map: BTreeMap::new(),
        }
    }
}

#[derive(Clone)]
struct FilePage {
    viewer: Viewer,
}

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    app.read(need).await?;
    form::show(&app, FilePage { viewer: viewer.viewer() }).await
}

async fn import(
    app: App, viewer: SignedInViewer, request: Arc<RequestContext>, parts: Parts,
) -> Result<Response> {
    app.read(need).await?;
    let by = Caller { app: app.clone(), viewer: viewer.viewer() };
    let page = FilePage { viewer: by.viewer.clone() };
    if let Err(error) = count(&app, viewer.0.user.id, Deed::Import).await {
        let error = Error::Unprocessable(reason(error)?);
        return form::refused(&app, page, Form::default(), error).await;
    }
    let sent = arriving::read(&app, &request, parts).await?;
    let form = Form::from_params(&sent.fields).map_err(Error::Parameters)?;
    let done = begin(by, &form, sent, &request).await;
    form::answer(&app, page, form, done).await
}

/// Makes the project, and has the file be brought into it.
async fn begin(
    by: Caller, form: &Form, mut sent: arriving::Form, request: &RequestContext,
) -> Result<Outcome<FilePage>> {
    let wanted = form.wanted();
    let file = sent.take_file().map_err(|_| Error::invalid("file", "is missing"))?;
    let home = wanted.namespace.clone();
    // Nothing is kept for who may not make a project there.
    by.clone()
        .read(move |tx, by| rules::namespace(tx, by, home.as_ref()).map(drop))
        .await?;
    let (stored, manifest) = arriving::keep(&by.app, file).await?;
    let source = Source {
        origin: manifest.project.full_path.clone(),
        came: FileCame::Stored(stored),
        manifest: Some(manifest),
        correlation_id: Some(request.request_id.clone()).filter(|id| !id.is_empty()),
    };
    let made = by.write(move |tx, by| rules::begin(tx, by, &wanted, &source)).await?;
    let to = format!("/{}/-/{PROGRESS}", made.full_path);
    Outcome::led(to, format!("{} is being imported.", made.name))
}

fn need(tx: &mut Tx<'_>) -> Result<()> {
    settings::need(tx, SourceName::ProjectFile)
}

impl FormPage for FilePage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["path", "name", "namespace", "file"];

    fn page(&self, app: &App) -> Page {
        below_sources(app, &self.viewer, "Import a project file")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        Ok(View {
            page,
            url: PATH,
            sources_url: SOURCES,
            form: typed.form.clone().unwrap_or_default(),
            places: by_path(&places::for_projects(tx, &self.viewer)?),
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, _: &mut Tx<'_>, _: &Form) -> Result<Outcome<Self>> {
        Err(Error::internal("a file is received outside of transactions"))
    }

    fn refusal(error: Error) -> Error {
        match error {
            Error::NotFound("Namespace") => Error::invalid("namespace", "is not found"),
            Error::BadRequest(text) => Error::invalid("file", text),
            other => other,
        }
    }
}

#[derive(Template)]
#[template(path = "import_file.html")]
struct View {
    page: Page,
    url: &'static str,
    sources_url: &'static str,
    form: Form,
    places: Vec<Choice>,
    errors: Errors,
}
