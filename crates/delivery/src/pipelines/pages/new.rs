//! `…/-/pipelines/new`: a pipeline is run for a branch or tag, perhaps with variables.

use super::{Here, below, typed_variables};
use crate::pipelines::create::{Creation, create};
use crate::pipelines::model::Source;
use crate::variables::may_override;
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui;
use kernel::html::{Errors, Page};
use kernel::http::{Params, Response, Routes, Text};
use spaces::access::Purpose;
use spaces::pages::{Section, Visit};

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("pipelines/new"), ask);
    r.page(Method::POST, &below("pipelines/new"), run);
}

kernel::params! {
    #[derive(Default)]
    pub struct Form {
        /// The branch or tag.
        pub on_ref as "ref": Text,
        /// One a line.
        pub variables: Text,
    }
}

#[derive(Clone)]
struct NewPage {
    visit: Visit,
    /// As the address has it.
    asked: Form,
}

async fn ask(app: App, visit: Visit, asked: Params<Form>) -> Result<Response> {
    form::show(&app, NewPage { visit, asked: asked.0 }).await
}

async fn run(app: App, visit: Visit, Params(form): Params<Form>) -> Result<Response> {
    let page = NewPage { visit, asked: Form::default() };
    let done = page.run(&app, &form).await;
    form::answer(&app, page, form, done).await
}

impl NewPage {
    async fn run(&self, app: &App, form: &Form) -> Result<Outcome<NewPage>> {
        let (viewer, address) = (self.visit.viewer.clone(), self.visit.address.clone());
        let here = app.read(move |tx| Here::to(tx, &viewer, &address, Purpose::RunPipelines));
        let here = here.await?;
        let on_ref = form.on_ref.trim();
        if on_ref.is_empty() {
            return Err(Error::invalid("ref", "can't be blank"));
        }
        let creation = Creation {
            variables: typed_variables(&form.variables)?,
            ..Creation::new(here.project.id, on_ref, Source::Web)
        };
        match create(app, &self.visit.viewer, creation, None).await? {
            Ok(made) => {
                let to = here.url(&format!("pipelines/{}", made.id));
                Outcome::led(to, "Pipeline begun.")
            }
            Err(refused) => Ok(Outcome::Refused(refused.text)),
        }
    }
}

impl FormPage for NewPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["ref", "variables"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Run pipeline")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        let (viewer, address) = (&self.visit.viewer, &self.visit.address);
        let here = Here::to(tx, viewer, address, Purpose::RunPipelines)?;
        let usual = here.project.default_branch.clone().unwrap_or_default();
        let mut form = typed.form.clone().unwrap_or_else(|| self.asked.clone());
        if form.on_ref.is_empty() && typed.form.is_none() {
            form.on_ref = usual.into();
        }
        Ok(View {
            can_give: may_override(tx, viewer, &here.project)?,
            url: here.url("pipelines"),
            errors: typed.errors.clone(),
            page: here.head.page_below(page, Section::Pipelines),
            form,
        })
    }

    fn change(&self, _: &mut Tx<'_>, _: &Form) -> Result<Outcome<NewPage>> {
        Err(Error::internal("a pipeline begins outside of one transaction"))
    }

    fn refusal(error: Error) -> Error {
        form::rename(error, "base", "variables")
    }
}

#[derive(Template)]
#[template(path = "new_pipeline.html")]
pub struct View {
    page: Page,
    url: String,
    form: Form,
    can_give: bool,
    errors: Errors,
}
