//! Lists of snippets: one's own, everybody's, those of a person and of a project.

use super::{OWN, SnippetVisit};
use crate::access::{to_create, to_list, visible};
use crate::entity::authors;
use crate::model::Snippet;
use crate::store::{self, Between};
use ::store::{Fragment, Tx};
use askama::Template;
use http::Method;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::{Found, Result};
use kernel::html::ui::{self, Tab};
use kernel::html::{Html, Moment, Page, Pages};
use kernel::http::{Paging, Params, Response, Routes};
use planning::pages::notes::Person;
use spaces::access::{Purpose, may};
use spaces::model::Visibility;
use spaces::pages::{PROJECT, Section, Space};
use std::collections::HashMap;

const EXPLORE: &str = "/explore/snippets";
/// Rows of a page.
const ROWS: i64 = 20;

pub(super) fn routes(r: &mut Routes) {
    r.page(Method::GET, OWN, own);
    r.page(Method::GET, EXPLORE, explore);
    r.page(Method::GET, "/users/{username}/snippets", of_person);
    r.page(Method::GET, &format!("{PROJECT}/-/snippets"), of_project);
}

#[derive(Template)]
#[template(path = "snippets.html")]
struct ListView {
    page: Page,
    tabs: Vec<Tab>,
    rows: Vec<Row>,
    new_url: Option<String>,
    pages: Pages,
}

/// A snippet of a list.
struct Row {
    title: String,
    url: String,
    reference: String,
    visibility: Visibility,
    author: Person,
    /// Its project, where the list is of several.
    project: Option<String>,
    files: u64,
    updated_at: Moment,
}

/// What a list holds, and what stands around it.
struct Listed {
    condition: Fragment,
    url: String,
    page: Page,
    tabs: Vec<Tab>,
    new_url: Option<String>,
    is_of_project: bool,
}

fn read(tx: &mut Tx<'_>, listed: Listed, paging: Paging) -> Result<ListView> {
    let paging = Paging { per_page: paging.per_page.min(ROWS), ..paging };
    let found = store::list(tx, listed.condition, &Between::default(), paging.clone())?;
    let people = authors(tx, &found.items)?;
    let total = found.total().unwrap_or_default();
    let now = tx.now();
    let row = |one: &Snippet| Row {
        title: one.title.clone(),
        url: one.path(),
        reference: one.reference(),
        visibility: one.visibility(),
        author: author(one, &people),
        project: one.project_path.clone().filter(|_| !listed.is_of_project),
        files: one.files().len() as u64,
        updated_at: Moment::new(one.updated_at, now),
    };
    Ok(ListView {
        rows: found.items.iter().map(row).collect(),
        pages: Pages::of(&paging, total, listed.url),
        page: listed.page,
        tabs: listed.tabs,
        new_url: listed.new_url,
    })
}

pub(super) fn author(snippet: &Snippet, people: &HashMap<i64, User>) -> Person {
    Person::of(snippet.author_id.and_then(|id| people.get(&id)))
}

async fn show(
    visit: SnippetVisit, paging: Paging,
    work: impl FnOnce(&mut Tx<'_>, &Viewer) -> Result<Listed> + Send + 'static,
) -> Result<Response> {
    let viewer = visit.viewer.clone();
    let view = visit.app.read(move |tx| {
        let listed = work(tx, &viewer)?;
        read(tx, listed, paging)
    });
    Ok(Html::new(&view.await?)?.response())
}

/// Between one's own and everybody's, for who has some.
fn tabs(viewer: &Viewer, current: &str) -> Vec<Tab> {
    match viewer.user_id() {
        Some(_) => [("Yours", OWN), ("Explore", EXPLORE)]
            .map(|(label, url)| Tab::new(label, url, url == current))
            .into(),
        None => Vec::new(),
    }
}

/// Where the viewer makes one, if they may.
fn new_url(tx: &mut Tx<'_>, viewer: &Viewer) -> Option<String> {
    to_create(tx, viewer, None).is_ok().then(|| format!("{OWN}/new"))
}

/// Those of the viewer; strangers find what is open.
async fn own(visit: SnippetVisit, paging: Paging) -> Result<Response> {
    let Some(user) = visit.viewer.user_id() else {
        return kernel::http::reply::redirect(EXPLORE);
    };
    let page = visit.layout("Snippets");
    show(visit, paging, move |tx, viewer| {
        let mut condition = visible(tx, viewer);
        condition.push(" and snippets.author_id = ", user);
        Ok(Listed {
            condition,
            url: OWN.to_owned(),
            tabs: tabs(viewer, OWN),
            new_url: new_url(tx, viewer),
            is_of_project: false,
            page,
        })
    })
    .await
}

async fn explore(visit: SnippetVisit, paging: Paging) -> Result<Response> {
    let page = visit.layout("Explore snippets");
    show(visit, paging, move |tx, viewer| {
        Ok(Listed {
            condition: visible(tx, viewer),
            url: EXPLORE.to_owned(),
            tabs: tabs(viewer, EXPLORE),
            new_url: new_url(tx, viewer),
            is_of_project: false,
            page,
        })
    })
    .await
}

kernel::params! {
    struct PersonPath {
        /// Their sign-in name.
        pub username: String,
    }
}

async fn of_person(
    visit: SnippetVisit, path: Params<PersonPath>, paging: Paging,
) -> Result<Response> {
    let (app, viewer, username) =
        (visit.app.clone(), visit.viewer.clone(), path.0.username.clone());
    let find = move |tx: &mut Tx<'_>| {
        let user = identity::users::find_by_username(tx, &username)?
            .filter(User::is_human)
            .found("User")?;
        let is_private = identity::users::is_private(tx, &user)?;
        let sees = identity::access::sees_activity_of(&viewer, &user, is_private);
        Ok(Some(user).filter(|_| sees))
    };
    let user = app.read(find).await?.found("User")?;
    let page = visit
        .layout(&format!("Snippets of {}", user.name))
        .crumb(&user.name, format!("/{}", user.username));
    show(visit, paging, move |tx, viewer| {
        let mut condition = visible(tx, viewer);
        condition.push(" and snippets.author_id = ", user.id);
        Ok(Listed {
            condition,
            url: format!("/users/{}/snippets", user.username),
            tabs: Vec::new(),
            new_url: None,
            is_of_project: false,
            page,
        })
    })
    .await
}

async fn of_project(visit: SnippetVisit, paging: Paging) -> Result<Response> {
    let page = visit.layout("Snippets");
    let address = visit.address.clone().found("Project")?;
    show(visit, paging, move |tx, viewer| {
        let space = address.authorize(tx, viewer, Purpose::ReadSnippets)?;
        let (project, level) = to_list(tx, viewer, &space.reference())?;
        let space = Space::Project(project.clone(), level);
        let url = format!("{}/-/snippets", space.url());
        let mut condition = visible(tx, viewer);
        condition.push(" and snippets.project_id = ", project.id);
        let creates = may(tx, viewer, &project, Purpose::CreateSnippet)?;
        Ok(Listed {
            condition,
            tabs: Vec::new(),
            new_url: creates.then(|| format!("{url}/new")),
            is_of_project: true,
            page: space.head(tx, viewer)?.page(page, Section::Snippets),
            url,
        })
    })
    .await
}
