//! `/` of somebody who is signed in: what waits for them, and where they work.

use askama::Template;
use http::Method;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Panel};
use kernel::html::{Html, Page};
use kernel::http::{Paging, Params, RequestContext, Response, Routes};
use kernel::time::Timestamp;
use planning::pages::todos::shown_rows;
use planning::pages::views::TodoRows;
use planning::rules::todos::State;
use spaces::access::{GUEST, Purpose, projects_of, visible_projects};
use spaces::model::Project;
use spaces::pages::lists::projects;
use spaces::pages::panels::{self, PanelPage};
use spaces::pages::views::HomeFilter;
use std::sync::Arc;
use store::{Tx, sql};

/// Rows of each part; the part's own page has all.
const ROWS: i64 = 8;

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    page: Page,
    panels: Vec<Panel>,
    todos: TodoRows,
    /// How many there are, as lists count them.
    todo_count: String,
    projects: Vec<Project>,
    /// What an administrator does first, until all is done.
    steps: Vec<Step>,
    now: Timestamp,
}

/// One of the first things to do on a new instance.
struct Step {
    label: &'static str,
    url: &'static str,
    is_done: bool,
}

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/", show);
}

/// Strangers find the projects that are open to them, as does who filters.
async fn show(
    app: App, viewer: Viewer, request: Arc<RequestContext>, params: Params<HomeFilter>,
    paging: Paging,
) -> Result<Response> {
    match &viewer {
        Viewer::User(signed_in) if request.uri.query().is_none() => {
            own(app, SignedInViewer(signed_in.clone())).await
        }
        _ => projects(app, viewer, params, paging).await,
    }
}

async fn own(app: App, caller: SignedInViewer) -> Result<Response> {
    let mut page = identity::pages::page(&app, &caller.viewer(), "Home");
    page.active = "home";
    let handle = app.clone();
    let view = app.read(move |tx| read(&handle, tx, &caller, page)).await?;
    Ok(Html::new(&view)?.response())
}

fn read(app: &App, tx: &mut Tx<'_>, caller: &SignedInViewer, page: Page) -> Result<Home> {
    let (viewer, user) = (caller.viewer(), &caller.0.user);
    let todos = shown_rows(app, tx, caller, State::Pending, Paging::first(ROWS))?;
    Ok(Home {
        panels: panels::read(tx, &viewer, PanelPage::Home)?,
        todo_count: ui::total(&todos),
        todos: TodoRows {
            todos: todos.items,
            csrf: page.csrf.clone(),
            is_pending: true,
        },
        projects: recent(tx, &viewer, user.id)?,
        steps: match user.is_admin {
            true => first_steps(tx)?,
            false => Vec::new(),
        },
        now: tx.now(),
        page,
    })
}

/// The projects of somebody in which something happened last.
fn recent(tx: &mut Tx<'_>, viewer: &Viewer, user_id: i64) -> Result<Vec<Project>> {
    let mut condition = visible_projects(tx, viewer, Purpose::Read);
    condition.raw(" and ").append(projects_of(tx, user_id, GUEST));
    let order = "projects.last_activity_at desc, projects.id desc";
    spaces::store::projects(tx, &condition, order, ROWS, 0)
}

/// What a new instance needs first; nothing once all of it is done.
fn first_steps(tx: &mut Tx<'_>) -> Result<Vec<Step>> {
    let mut is_done = |statement| Ok::<bool, kernel::error::Error>(tx.one(statement, ())?);
    let steps = vec![
        Step {
            label: "Create a group for your team",
            url: "/groups/new",
            is_done: is_done(sql!("select exists (select 1 from namespaces where kind = 'group')"))?,
        },
        Step {
            label: "Create a project",
            url: "/projects/new",
            is_done: is_done(sql!("select exists (select 1 from projects)"))?,
        },
        Step {
            label: "Add the people you work with",
            url: "/admin/users",
            is_done: is_done(sql!(
                "select count(*) > 1 from
                    (select 1 from users where kind = 'human' and state = 'active' limit 2) as people"
            ))?,
        },
        Step {
            label: "Create an access token for your tools",
            url: "/-/user_settings/tokens",
            is_done: is_done(sql!(
                "select exists (select 1 from access_tokens where not revoked)"
            ))?,
        },
    ];
    match steps.iter().all(|step| step.is_done) {
        true => Ok(Vec::new()),
        false => Ok(steps),
    }
}
