//! `…/-/releases/new`: a release is made, and its tag if that is not there.

use super::form::{self, FIELDS, ReleaseTexts};
use super::views::New;
use super::{Here, below};
use crate::rules;
use http::Method;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::html::form::{FormPage, Outcome, Typed, answer, show};
use kernel::http::params::Text;
use kernel::http::{Params, Response, Routes};
use spaces::pages::{Section, Visit};
use store::Tx;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("/new"), ask);
    r.page(Method::POST, &below("/new"), create);
}

kernel::params! {
    pub struct NewQuery {
        /// A tag that it shall be of.
        pub tag_name: Text,
    }
}

#[derive(Clone)]
struct NewPage {
    visit: Visit,
    tag: String,
}

async fn ask(app: App, visit: Visit, query: Params<NewQuery>) -> Result<Response> {
    show(&app, NewPage { visit, tag: query.tag_name.to_string() }).await
}

async fn create(app: App, visit: Visit, Params(form): Params<ReleaseTexts>) -> Result<Response> {
    let page = NewPage { visit, tag: String::new() };
    let done = page.create(&app, &form).await;
    answer(&app, page, form, done).await
}

impl NewPage {
    async fn create(&self, app: &App, form: &ReleaseTexts) -> Result<Outcome<NewPage>> {
        let (viewer, address) = (self.visit.viewer.clone(), self.visit.address.clone());
        let here = app.read(move |tx| Here::to_write(tx, &viewer, &address)).await?;
        let input = form.input(app.now())?;
        let viewer = &self.visit.viewer;
        let (_, release) = rules::create(app, viewer, &here.space.reference(), input).await?;
        Outcome::led(format!("{}{}", here.head.url, release.path()), "Release created.")
    }
}

impl FormPage for NewPage {
    type Form = ReleaseTexts;
    type View = New;
    const FIELDS: &'static [&'static str] = FIELDS;

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "New release")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<ReleaseTexts>) -> Result<New> {
        let here = Here::to_write(tx, &self.visit.viewer, &self.visit.address)?;
        let branch = match here.releases.repository(tx)? {
            Some(repository) => repository.head.as_branch().unwrap_or_default().to_owned(),
            None => String::new(),
        };
        let first = || ReleaseTexts {
            tag_name: self.tag.clone().into(),
            r#ref: branch.into(),
            ..ReleaseTexts::default()
        };
        Ok(New {
            url: here.url(),
            form: typed.form.clone().unwrap_or_else(first),
            errors: typed.errors.clone(),
            page: here.head.page_below(page, Section::Releases),
        })
    }

    fn change(&self, _: &mut Tx<'_>, _: &ReleaseTexts) -> Result<Outcome<NewPage>> {
        Err(Error::internal("a release is made outside of one transaction"))
    }

    fn refusal(error: Error) -> Error {
        form::refusal(error)
    }
}
