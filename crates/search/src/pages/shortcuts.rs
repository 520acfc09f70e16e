//! The page of the keys.

use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::{Html, Page, ui};
use kernel::http::{Response, Routes};

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/-/help/shortcuts", shortcuts);
}

/// The page of the keys.
#[derive(Template)]
#[template(path = "shortcuts.html")]
struct Shortcuts {
    page: Page,
    groups: Vec<KeyGroup>,
}

struct KeyGroup {
    title: &'static str,
    /// Keys with spaces between them, and what they do.
    keys: Vec<(Vec<&'static str>, &'static str)>,
}

const EVERYWHERE: &[(&str, &str)] = &[
    ("/", "Search"),
    ("Ctrl K", "Search; on a Mac ⌘ K"),
    ("?", "This page"),
    ("g h", "Home"),
    ("g t", "To-do list"),
    ("Esc", "Close a menu"),
];

const IN_PROJECTS: &[(&str, &str)] = &[
    ("g o", "Overview"),
    ("g f", "Files"),
    ("g i", "Issues"),
    ("g m", "Merge requests"),
    ("g p", "Packages"),
    ("g e", "Errors"),
    ("g a", "Alerts"),
    ("g u", "Members"),
    ("c", "New issue or merge request, on pages that have a button for it"),
];

const ON_THINGS: &[(&str, &str)] = &[("e", "Edit it"), ("n", "First thread to resolve")];

const IN_LISTS: &[(&str, &str)] =
    &[("j", "Next row"), ("k", "Previous row"), ("Enter", "Open the row")];

const IN_CODE: &[(&str, &str)] = &[
    ("t", "Find a file"),
    ("y", "The same at its commit, which stays what it is"),
    ("b", "Who wrote which line"),
];

const IN_CHANGES: &[(&str, &str)] = &[
    ("j", "Next file"),
    ("k", "Previous file"),
    ("n", "Next open thread"),
    ("p", "Previous open thread"),
    ("v", "Mark a file as viewed"),
    ("f", "Show or hide the list of files"),
    ("Enter", "Comment on a line"),
];

async fn shortcuts(app: App, viewer: Viewer) -> Result<Response> {
    let group = |title, keys: &[(&'static str, &'static str)]| KeyGroup {
        title,
        keys: keys.iter().map(|(keys, what)| (keys.split(' ').collect(), *what)).collect(),
    };
    let groups = vec![
        group("Everywhere", EVERYWHERE),
        group("In a project or group", IN_PROJECTS),
        group("In a list", IN_LISTS),
        group("On an issue or merge request", ON_THINGS),
        group("In files", IN_CODE),
        group("In the changes of a merge request", IN_CHANGES),
    ];
    let page = page(&app, &viewer, "Keyboard shortcuts");
    Ok(Html::new(&Shortcuts { page, groups })?.response())
}
