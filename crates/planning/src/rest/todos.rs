//! To-dos of the caller.

use super::about::{Named, RequestAbout};
use crate::entity::todos::{Beside, TodoEntity, todo};
use crate::guarded::Place;
use crate::rules::todos::{self as rules, Action, State, Todo};
use crate::store::todos::{self as rows, TodoFilter};
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Changed, NoContent, Ok200, Paged, Paging, Params, Routes};
use store::Tx;

pub(super) fn routes(r: &mut Routes) {
    r.get("/todos", list).summary("Lists what the caller has to do");
    r.post("/todos/mark_as_done", finish_all)
        .summary("Marks all of the caller's to-dos as done");
    r.post("/todos/{id}/mark_as_done", finish).summary("Marks a to-do as done");
    r.post("/projects/{id}/issues/{issue_iid}/todo", mark::<Place>)
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
    app: App, caller: SignedInViewer, params: Params<ListTodos>, paging: Paging,
) -> Result<Paged<TodoEntity>> {
    let only = |id: Option<i64>| id.map(|id| vec![id]);
    let filter = TodoFilter {
        states: Some(vec![params.state.unwrap_or(State::Pending)]),
        actions: params.action.map(|action| vec![action]),
        author_ids: only(params.author_id),
        project_ids: only(params.project_id),
        group_ids: only(params.group_id),
        kinds: params.kind.map(|kind| vec![kind.to_string()]),
    };
    app.clone()
        .read(move |tx| {
            let viewer = caller.viewer();
            let page = rows::list(tx, &viewer, caller.0.user.id, &filter, paging)?;
            let beside = Beside::read(&app, tx, &viewer, &page.items)?;
            Ok(page.map(|one| todo(&app, &one, &beside)))
        })
        .await
}

async fn finish(
    app: App, caller: SignedInViewer, path: Params<TodoPath>,
) -> Result<Ok200<TodoEntity>> {
    app.clone()
        .write(move |tx| {
            let done = rules::set_state(tx, &caller.viewer(), path.id, State::Done)?;
            shown(&app, tx, &caller.viewer(), &done).map(Ok200)
        })
        .await
}

async fn finish_all(app: App, caller: SignedInViewer) -> Result<NoContent> {
    app.write(move |tx| {
        rows::finish_all(tx, caller.0.user.id)?;
        Ok(NoContent)
    })
    .await
}

/// Puts something among the caller's to-dos.
pub async fn mark<N: Named>(at: RequestAbout<N>) -> Result<Changed<TodoEntity>> {
    let made = at.write_own(|tx, by, access, found| {
        let target = N::topic(&found).noteable(N::desk(&access));
        match rules::mark(tx, &by.viewer, target)? {
            Some(made) => shown(&by.app, tx, &by.viewer, &made).map(Some),
            None => Ok(None),
        }
    });
    Ok(made.await?.into())
}

fn shown(app: &App, tx: &mut Tx<'_>, viewer: &Viewer, one: &Todo) -> Result<TodoEntity> {
    let beside = Beside::read(app, tx, viewer, std::slice::from_ref(one))?;
    Ok(todo(app, one, &beside))
}
