//! To-dos of the caller.

use super::issues::IssuePath;
use crate::entity::todos::{Beside, TodoEntity, todo};
use crate::rules::issues::noteable;
use crate::rules::issues::places::found_signed_in;
use crate::rules::todos::{self as rules, Action, State, Todo};
use crate::store::todos::{self as rows, Filter};
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Changed, NoContent, Ok200, Paged, Paging, Params, Routes};
use store::Tx;

pub(super) fn routes(r: &mut Routes) {
    r.get("/todos", list)
        .summary("Lists what the caller has to do");
    r.post("/todos/mark_as_done", finish_all)
        .summary("Marks all of the caller's to-dos as done");
    r.post("/todos/{id}/mark_as_done", finish)
        .summary("Marks a to-do as done");
    r.post("/projects/{id}/issues/{issue_iid}/todo", mark)
        .summary("Puts an issue among the caller's to-dos");
}

kernel::choices! {
    pub enum Kind {
        Issue = "Issue",
        MergeRequest = "MergeRequest",
        Commit = "Commit",
        Epic = "Epic",
        Design = "DesignManagement::Design",
        Alert = "AlertManagement::Alert",
    }
}

kernel::params! {
    pub struct ListTodos {
        /// Only for this reason.
        pub action: Option<Action>,
        /// Only caused by this user.
        pub author_id: Option<i64>,
        /// Only of this project.
        pub project_id: Option<i64>,
        /// Only of projects below this group.
        pub group_id: Option<i64>,
        /// In this state; `pending` unless told.
        pub state: Option<State>,
        /// Only about these.
        pub kind as "type": Option<Kind>,
    }
}

kernel::params! {
    pub struct TodoPath {
        /// Id of the to-do.
        pub id: i64,
    }
}

async fn list(
    app: App,
    caller: SignedInViewer,
    params: Params<ListTodos>,
    paging: Paging,
) -> Result<Paged<TodoEntity>> {
    let only = |id: Option<i64>| id.map(|id| vec![id]);
    let filter = Filter {
        states: Some(vec![params.state.unwrap_or(State::Pending)]),
        actions: params.action.map(|action| vec![action]),
        author_ids: only(params.author_id),
        project_ids: only(params.project_id),
        group_ids: only(params.group_id),
        kinds: params.kind.map(|kind| vec![kind.to_string()]),
    };
    let handle = app.clone();
    let (page, beside) = app
        .read(move |tx| {
            let viewer = caller.viewer();
            let page = rows::list(tx, &viewer, caller.0.user.id, &filter, paging)?;
            let beside = Beside::read(&handle, tx, &viewer, &page.items)?;
            Ok((page, beside))
        })
        .await?;
    Ok(page.map(|one| todo(&app, &one, &beside)))
}

async fn finish(
    app: App,
    caller: SignedInViewer,
    path: Params<TodoPath>,
) -> Result<Ok200<TodoEntity>> {
    let handle = app.clone();
    let (done, beside) = app
        .write(move |tx| {
            let done = rules::set_state(tx, &caller.viewer(), path.id, State::Done)?;
            shown(&handle, tx, &caller.viewer(), done)
        })
        .await?;
    Ok(Ok200(todo(&app, &done, &beside)))
}

async fn finish_all(app: App, caller: SignedInViewer) -> Result<NoContent> {
    app.write(move |tx| {
        rows::finish_all(tx, caller.0.user.id)?;
        Ok(NoContent)
    })
    .await
}

async fn mark(app: App, viewer: Viewer, path: Params<IssuePath>) -> Result<Changed<TodoEntity>> {
    let handle = app.clone();
    let made = app
        .write(move |tx| {
            let (_, issue) = found_signed_in(tx, &viewer, &path.id, path.issue_iid)?;
            match rules::mark(tx, &viewer, noteable(&issue))? {
                Some(made) => shown(&handle, tx, &viewer, made).map(Some),
                None => Ok(None),
            }
        })
        .await?;
    Ok(made.map(|(made, beside)| todo(&app, &made, &beside)).into())
}

fn shown(app: &App, tx: &mut Tx<'_>, viewer: &Viewer, made: Todo) -> Result<(Todo, Beside)> {
    let beside = Beside::read(app, tx, viewer, std::slice::from_ref(&made))?;
    Ok((made, beside))
}
