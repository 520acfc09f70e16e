//! `/dashboard/todos`: what the viewer has to do.

use super::views::{TodoRow, TodoRows, Todos};
use crate::entity::todos::Beside;
use crate::rules::todos::{self as rules, Action, State, Todo};
use crate::store::todos::{self as rows, TodoFilter};
use http::Method;
use identity::pages::page;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::Tab;
use kernel::html::{Html, Moment, Pages, flash};
use kernel::http::{Paging, Params, Response, Routes};
use store::Tx;

const PAGE: &str = "/dashboard/todos";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PAGE, show);
    r.page(Method::POST, PAGE, change);
}

kernel::params! {
    pub struct ListPage {
        pub state: Option<State>,
    }
}

kernel::choices! {
    pub enum Button { Done = "done", Restore = "restore", AllDone = "all_done" }
}

kernel::params! {
    pub struct Form {
        pub action: Button,
        pub todo_id: Option<i64>,
    }
}

async fn show(
    app: App,
    caller: SignedInViewer,
    params: Params<ListPage>,
    paging: Paging,
) -> Result<Response> {
    let viewer = caller.viewer();
    let state = params.state.unwrap_or(State::Pending);
    let shown = page(&app, &viewer, "To-do list");
    let handle = app.clone();
    let view = app
        .read(move |tx| {
            let user_id = caller.0.user.id;
            let filter = TodoFilter { states: Some(vec![state]), ..TodoFilter::default() };
            let total = rows::count(tx, &viewer, user_id, &filter)?;
            let todos = shown_rows(&handle, tx, &caller, state, paging.clone())?;
            let tab = |label: &str, state_of: State| {
                Tab::new(label, format!("{PAGE}?state={state_of}"), state == state_of)
            };
            Ok(Todos {
                tabs: vec![tab("To do", State::Pending), tab("Done", State::Done)],
                rows: TodoRows {
                    todos,
                    csrf: shown.csrf.clone(),
                    is_pending: state == State::Pending,
                },
                pages: Pages::of(&paging, total, format!("{PAGE}?state={state}")),
                page: shown,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

/// One page of what somebody has to do, or has done.
pub fn shown_rows(
    app: &App,
    tx: &mut Tx<'_>,
    caller: &SignedInViewer,
    state: State,
    paging: Paging,
) -> Result<Vec<TodoRow>> {
    let viewer = caller.viewer();
    let filter = TodoFilter { states: Some(vec![state]), ..TodoFilter::default() };
    let found = rows::list(tx, &viewer, caller.0.user.id, &filter, paging)?;
    let beside = Beside::read(app, tx, &viewer, &found.items)?;
    let now = tx.now();
    let row = |todo: &Todo| TodoRow {
        id: todo.id,
        why: why(todo.action),
        about: beside.summary(app, todo),
        created_at: Moment::new(todo.created_at, now),
    };
    Ok(found.items.iter().map(row).collect())
}

fn why(action: Action) -> &'static str {
    match action {
        Action::Assigned => "assigned you",
        Action::Mentioned => "mentioned you",
        Action::DirectlyAddressed => "spoke to you",
        Action::Marked => "you added this",
        Action::BuildFailed => "a pipeline failed",
        Action::ApprovalRequired => "asks for your approval",
        Action::Unmergeable => "it cannot be merged",
        Action::MergeTrainRemoved => "it was taken off a merge train",
        Action::ReviewRequested => "asks for your review",
    }
}

async fn change(app: App, caller: SignedInViewer, form: Params<Form>) -> Result<Response> {
    let action = form.action;
    app.write(move |tx| {
        let viewer = caller.viewer();
        let which = || form.todo_id.ok_or_else(|| Error::missing("todo_id"));
        match action {
            Button::AllDone => rows::finish_all(tx, caller.0.user.id),
            Button::Done => rules::set_state(tx, &viewer, which()?, State::Done).map(drop),
            Button::Restore => rules::set_state(tx, &viewer, which()?, State::Pending).map(drop),
        }
    })
    .await?;
    match action {
        Button::Done => flash::done(&app, PAGE, "That is done."),
        Button::AllDone => flash::done(&app, PAGE, "Everything is done."),
        Button::Restore => flash::done(&app, PAGE, "That is to be done again."),
    }
}
