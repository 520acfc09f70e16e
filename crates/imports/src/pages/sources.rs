//! `/projects/import`: where a project comes from.

use super::{LIST, SOURCES};
use crate::run::SourceName;
use crate::settings;
use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Page, ui};
use kernel::http::{Response, Routes};
use store::Tx;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, SOURCES, show);
}

/// A source to choose.
#[derive(Debug)]
struct SourceRow {
    label: &'static str,
    about: &'static str,
    picture: &'static str,
    url: String,
}

impl SourceRow {
    fn of(source: SourceName) -> SourceRow {
        let (label, picture, about) = match source {
            SourceName::ProviderA => (
                "Provider A",
                "project",
                "Repositories of an account, on the public server or on one of your own: code, \
                 wiki, issues, pull requests with their reviews, releases.",
            ),
            SourceName::ProviderBServer => (
                "Provider B Server",
                "project",
                "Repositories of a server: code, pull requests with what was said of them, and \
                 who approved.",
            ),
            SourceName::ProviderBCloud => (
                "Provider B Cloud",
                "project",
                "Repositories of a workspace: code, wiki, issues, pull requests with their comments.",
            ),
            SourceName::ProjectFile => (
                "A project file",
                "file",
                "What a server of this kind wrote, another one or this one.",
            ),
        };
        SourceRow { label, about, picture, url: format!("{SOURCES}/{source}") }
    }

    fn gists() -> SourceRow {
        SourceRow {
            label: "Gists of Provider A",
            about: "They become snippets of yours.",
            picture: "code",
            url: "/-/snippets/import".into(),
        }
    }

    fn git() -> SourceRow {
        SourceRow {
            label: "A repository",
            about: "Branches, tags and large files, by git.",
            picture: "branch",
            url: format!("{SOURCES}/git"),
        }
    }
}

#[derive(Template)]
#[template(path = "import_sources.html")]
struct View {
    page: Page,
    list_url: &'static str,
    sources: Vec<SourceRow>,
}

async fn show(app: App, viewer: SignedInViewer) -> Result<Response> {
    let page = Page {
        active: "projects",
        ..page(&app, &viewer.viewer(), "Import a project")
    };
    let page = page.crumb("Projects", "/projects");
    let sources = app.read(rows).await?;
    Ok(Html::new(&View { page, list_url: LIST, sources })?.response())
}

/// What is not switched off.
fn rows(tx: &mut Tx<'_>) -> Result<Vec<SourceRow>> {
    let mut rows = Vec::new();
    for source in SourceName::ALL {
        if settings::is_on(tx, *source)? {
            rows.push(SourceRow::of(*source));
        }
    }
    if settings::is_on(tx, SourceName::ProviderA)? {
        rows.push(SourceRow::gists());
    }
    if settings::has_git(tx)? {
        rows.push(SourceRow::git());
    }
    Ok(rows)
}
