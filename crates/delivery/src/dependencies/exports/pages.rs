//! `…/-/dependencies/exports`: the viewer's exports of a project or group, and a form for more.

use super::access::{self, Subject};
use super::model::{Export, ExportType, ParentKind, Status};
use super::rules::{self, Asked};
use super::{sending, store};
use ::store::Tx;
use askama::Template;
use http::{HeaderValue, Method, header};
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::Choice;
use kernel::html::{Errors, Page, Pages, ui};
use kernel::http::{Paging, Params, RequestContext, Response, Routes, Text};
use kernel::time::Timestamp;
use spaces::access::Purpose;
use spaces::pages::{Section, Space, Visit, section};
use std::sync::Arc;

/// After so many seconds a page is asked for again that shows an export being written.
const LOOK_AGAIN: u64 = 5;

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "dependencies/exports", show);
    section(r, Method::POST, "dependencies/exports", create);
    section(r, Method::GET, "dependencies/exports/{export_id}/download", download);
}

kernel::params! {
    pub struct Form {
        pub export_type: Text,
        /// The pipeline whose bill of materials is exported.
        pub pipeline_id: Text,
        pub send_email: Text,
    }
}

#[derive(Clone)]
struct ExportsPage {
    app: App,
    visit: Visit,
    paging: Paging,
}

async fn show(app: App, visit: Visit, paging: Paging) -> Result<Response> {
    let page = ExportsPage { app: app.clone(), visit, paging };
    let looking = page.clone();
    let is_moving = app.read(move |tx| looking.is_moving(tx)).await?;
    let mut response = form::show(&app, page).await?;
    if is_moving {
        response.headers_mut().insert(header::REFRESH, HeaderValue::from(LOOK_AGAIN));
    }
    Ok(response)
}

async fn create(app: App, visit: Visit, form: Params<Form>, paging: Paging) -> Result<Response> {
    form::submit(&app, ExportsPage { app: app.clone(), visit, paging }, form.0).await
}

kernel::params! {
    pub struct OneExport {
        pub export_id: i64,
    }
}

async fn download(
    app: App, viewer: SignedInViewer, request: Arc<RequestContext>, one: Params<OneExport>,
) -> Result<Response> {
    let viewer = viewer.viewer();
    let found = app.read(move |tx| access::own(tx, &viewer, one.export_id)).await?;
    sending::sent(&app, &request, &found.0).await
}

/// A project or group whose dependencies the viewer reads, on a page.
struct Here {
    space: Space,
    subject: Subject,
    url: String,
}

impl ExportsPage {
    fn viewer(&self) -> &Viewer {
        &self.visit.viewer
    }

    fn find(&self, tx: &mut Tx<'_>) -> Result<Here> {
        let space = self.visit.authorize(tx, Purpose::ReadDependencies)?;
        let id = space.reference();
        let subject = match &space {
            Space::Project(..) => access::project(tx, self.viewer(), &id)?,
            Space::Group(..) => access::group(tx, self.viewer(), &id)?,
        };
        let url = format!("{}/-/dependencies/exports", space.url());
        Ok(Here { space, subject, url })
    }

    fn exports(&self, tx: &mut Tx<'_>, here: &Here) -> Result<(Vec<Export>, i64)> {
        let user = self.viewer().signed_in()?.user.id;
        store::of_user(tx, user, here.subject.parent(), &self.paging)
    }

    /// Whether what is shown changes by itself.
    fn is_moving(&self, tx: &mut Tx<'_>) -> Result<bool> {
        let here = self.find(tx)?;
        let (exports, _) = self.exports(tx, &here)?;
        Ok(exports.iter().any(|export| !export.status.has_finished()))
    }

    /// What a form of a project or group asks for: of a pipeline of the project, if it says
    /// so.
    fn asked(&self, tx: &mut Tx<'_>, here: &Here, form: &Form) -> Result<Asked> {
        let wrong = |field, text| Err(Error::invalid(field, text));
        let Some(export_type) = ExportType::from_text(form.export_type.trim()) else {
            return wrong("export_type", "is not included in the list");
        };
        let own = here.subject.parent();
        let parent = if export_type.fits(own.kind) {
            own
        } else if own.kind == ParentKind::Project && export_type.fits(ParentKind::Pipeline) {
            let Ok(id) = form.pipeline_id.trim().trim_start_matches('#').parse() else {
                return wrong("pipeline_id", "is not the number of a pipeline");
            };
            match access::pipeline(tx, self.viewer(), id) {
                Ok(Subject::Pipeline(of, pipeline)) if of.id == own.id => {
                    Subject::Pipeline(of, pipeline).parent()
                }
                Ok(_) | Err(Error::NotFound(_)) => {
                    return wrong("pipeline_id", "is no pipeline of this project");
                }
                Err(other) => return Err(other),
            }
        } else {
            return wrong("export_type", "is not included in the list");
        };
        Ok(Asked {
            user_id: self.viewer().signed_in()?.user.id,
            parent,
            export_type,
            send_email: !form.send_email.is_empty(),
        })
    }
}

impl FormPage for ExportsPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["export_type", "pipeline_id"];

    fn page(&self, app: &App) -> Page {
        identity::pages::page(app, self.viewer(), "Exports of dependencies")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let here = self.find(tx)?;
        let (mut exports, total) = self.exports(tx, &here)?;
        exports.truncate(usize::try_from(self.paging.per_page).unwrap_or(usize::MAX));
        let is_moving = exports.iter().any(|export| !export.status.has_finished());
        let head = here.space.head(tx, self.viewer())?;
        let form = typed.form.clone();
        let kind = here.subject.parent().kind;
        Ok(View {
            page: head.page_below(page, Section::Dependencies),
            rows: exports,
            pages: Pages::of(&self.paging, total, here.url.clone()),
            types: types(kind),
            has_pipelines: kind == ParentKind::Project,
            is_moving,
            is_adding: form.is_some(),
            form,
            errors: typed.errors.clone(),
            now: tx.now(),
            url: here.url,
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let here = self.find(tx)?;
        let asked = self.asked(tx, &here, form)?;
        match rules::create(tx, self.app.jobs(), asked) {
            Ok(_) => Outcome::led(here.url, "The export is being written."),
            Err(Error::Limited(_)) => {
                let text = "Five of your exports are being written. Wait until one is finished.";
                Err(Error::Unprocessable(text.to_owned()))
            }
            Err(other) => Err(other),
        }
    }
}

fn types(kind: ParentKind) -> Vec<Choice> {
    let mut all = ExportType::of(kind).to_vec();
    if kind == ParentKind::Project {
        all.extend(ExportType::of(ParentKind::Pipeline));
    }
    let choice = |one: ExportType| Choice { value: one.to_string(), label: one.label().to_owned() };
    all.into_iter().map(choice).collect()
}

#[derive(Template)]
#[template(path = "dependency_exports.html")]
pub struct View {
    page: Page,
    url: String,
    rows: Vec<Export>,
    pages: Pages,
    types: Vec<Choice>,
    has_pipelines: bool,
    is_moving: bool,
    is_adding: bool,
    form: Option<Form>,
    errors: Errors,
    now: Timestamp,
}

impl View {
    fn typed(&self, which: fn(&Form) -> &Text) -> String {
        self.form.as_ref().map(|form| which(form).to_string()).unwrap_or_default()
    }

    fn typed_type(&self) -> String {
        self.typed(|form| &form.export_type)
    }

    fn typed_pipeline(&self) -> String {
        self.typed(|form| &form.pipeline_id)
    }

    fn typed_email(&self) -> bool {
        !self.typed(|form| &form.send_email).is_empty()
    }
}

impl Export {
    fn tone(&self) -> &'static str {
        match self.status {
            Status::Created | Status::Running => "warn",
            Status::Finished => "good",
            Status::Failed => "bad",
        }
    }
}
