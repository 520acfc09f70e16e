//! `/-/snippets/import`: gists of an account become snippets of the viewer.

use super::account::reason;
use crate::gists;
use crate::run::SourceName;
use crate::settings;
use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Errors, Page, ui};
use kernel::http::{Params, Response, Routes, Text};
use store::Tx;

const PATH: &str = "/-/snippets/import";
const SNIPPETS: &str = "/-/snippets";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, import);
}

kernel::params! {
    pub struct Form {
        /// What proves there who asks.
        pub secret: Text,
    }
}

#[derive(Clone)]
struct GistsPage {
    viewer: Viewer,
}

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    app.read(need).await?;
    form::show(&app, GistsPage { viewer: viewer.viewer() }).await
}

async fn import(app: App, viewer: SignedInViewer, sent: Params<Form>) -> Result<Response> {
    app.read(need).await?;
    let page = GistsPage { viewer: viewer.viewer() };
    let done = match sent.secret.trim() {
        "" => Err(Error::invalid("secret", "can't be blank")),
        // Upstream is asked, outside of transactions.
        secret => gists::begin(&app, &page.viewer, secret).await,
    };
    let done = match done {
        Ok(()) => Outcome::led(
            SNIPPETS,
            "Your gists are on their way. What does not come is told by mail.",
        ),
        Err(error @ Error::Invalid(_)) => Err(error),
        Err(error) => reason(error).and_then(|reason| Err(Error::invalid("secret", reason))),
    };
    form::answer(&app, page, sent.0, done).await
}

fn need(tx: &mut Tx<'_>) -> Result<()> {
    settings::need(tx, SourceName::ProviderA)
}

impl FormPage for GistsPage {
    type Form = Form;
    type View = View;
    const FIELDS: &'static [&'static str] = &["secret"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.viewer, "Import gists").crumb("Snippets", SNIPPETS)
    }

    fn view(&self, _: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<View> {
        Ok(View {
            page,
            url: PATH,
            snippets_url: SNIPPETS,
            errors: typed.errors.clone(),
        })
    }

    fn change(&self, _: &mut Tx<'_>, _: &Form) -> Result<Outcome<Self>> {
        Err(Error::internal("another server is asked outside of transactions"))
    }
}

#[derive(Template)]
#[template(path = "import_gists.html")]
struct View {
    page: Page,
    url: &'static str,
    snippets_url: &'static str,
    errors: Errors,
}
