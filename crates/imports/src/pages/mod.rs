//! Pages of imports: where a project comes from ([`sources`]), the repositories of an account
//! elsewhere ([`account`]), one repository ([`git`]), a file ([`file`]), or gists ([`gists`]);
//! what the viewer had brought ([`list`]) and how far one import is ([`progress`]); the project
//! as a file ([`export`]); who is who of those that came along ([`people`], [`asked`]).

mod account;
mod asked;
mod export;
mod file;
mod gists;
mod git;
mod list;
mod people;
mod progress;
mod shown;
mod sources;

use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::html::Page;
use kernel::html::ui::Choice;
use kernel::http::Routes;
use spaces::model::Namespace;

/// Where something comes from is chosen there.
const SOURCES: &str = "/projects/import";
/// What the viewer had brought.
const LIST: &str = "/projects/imports";
/// How far an import is, below its project.
const PROGRESS: &str = "import";

pub fn routes(r: &mut Routes) {
    sources::routes(r);
    account::routes(r);
    git::routes(r);
    gists::routes(r);
    file::routes(r);
    list::routes(r);
    progress::routes(r);
    export::routes(r);
    people::routes(r);
    asked::routes(r);
}

/// A page below the one on which a source is chosen.
fn below_sources(app: &App, viewer: &Viewer, title: &str) -> Page {
    let page = Page { active: "projects", ..page(app, viewer, title) };
    page.crumb("Projects", "/projects").crumb("Import a project", SOURCES)
}

/// Namespaces to choose from, by their full paths.
fn by_path(places: &[Namespace]) -> Vec<Choice> {
    let choice =
        |one: &Namespace| Choice { value: one.full_path.clone(), label: one.full_path.clone() };
    places.iter().map(choice).collect()
}
