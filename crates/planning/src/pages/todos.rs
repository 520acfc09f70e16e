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
use kernel::http::paging::COUNT_LIMIT;
use kernel::http::{Paged, Paging, Params, Response, Routes};
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
    app: App, caller: SignedInViewer, params: Params<ListPage>, paging: Paging,
) -> Result<Response> {
    let viewer = caller.viewer();
    let state = params.state.unwrap_or(State::Pending);
    let shown = page(&app, &viewer, "To-do list");
    let handle = app.clone();
    let view = app
        .read(move |tx| {
            let user_id = caller.0.user.id;
            let other = match state {
                State::Pending => State::Done,
                State::Done => State::Pending,
            };
            let others = rows::count(tx, &viewer, user_id, &in_state(other))?.unsigned_abs();
            let found = shown_rows(&handle, tx, &caller, state, paging.clone())?;
            let here = found.counted();
            let tab = |label: &str, of: State| {
                let count = if of == state { here } else { others };
                let tab = Tab::new(label, format!("{PAGE}?state={of}"), of == state);
                tab.count_to(count, COUNT_LIMIT.unsigned_abs())
            };
            Ok(Todos {
                tabs: vec![tab("Pending", State::Pending), tab("Done", State::Done)],
                rows: TodoRows {
                    todos: found.items,
                    csrf: shown.csrf.clone(),
                    is_pending: state == State::Pending,
                },
                pages: Pages::of(&paging, here.cast_signed(), format!("{PAGE}?state={state}")),
                page: shown,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

/// One page of what somebody has to do, or has done.
pub fn shown_rows(
    app: &App, tx: &mut Tx<'_>, caller: &SignedInViewer, state: State, paging: Paging,
) -> Result<Paged<TodoRow>> {
    let viewer = caller.viewer();
    let found = rows::list(tx, &viewer, caller.0.user.id, &in_state(state), paging)?;
    let beside = Beside::read(app, tx, &viewer, &found.items)?;
    let now = tx.now();
    let row = |todo: &Todo| {
        let mut about = beside.summary(app, todo);
        // «You added this» names who did already.
        if todo.action == Action::Marked {
            about.author.clear();
        }
        TodoRow {
            id: todo.id,
            why: why(todo.action),
            icon: icon(todo.action),
            about,
            created_at: Moment::new(todo.created_at, now),
        }
    };
    Ok(found.replace(|todos| todos.iter().map(row).collect()))
}

fn in_state(state: State) -> TodoFilter {
    TodoFilter { states: Some(vec![state]), ..TodoFilter::default() }
}

fn icon(action: Action) -> &'static str {
    match action {
        Action::Assigned => "user",
        Action::Mentioned | Action::DirectlyAddressed => "comment",
        Action::Marked => "plus",
        Action::BuildFailed | Action::Unmergeable | Action::MergeTrainRemoved => "warn",
        Action::ApprovalRequired | Action::ReviewRequested => "members",
    }
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
