//! To-dos.

use super::notes::{ISSUE, Noteable};
use super::pages::{self, KeyType, List, Order};
use crate::access::{Scope, visible};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use kernel::time::Timestamp;
use serde_json::json;
use store::{Fragment, Tx, from_row, sql};

kernel::choices! {
    /// Why somebody has something to do.
    pub enum Action {
        Assigned = "assigned",
        Mentioned = "mentioned",
        DirectlyAddressed = "directly_addressed",
        BuildFailed = "build_failed",
        Marked = "marked",
        ApprovalRequired = "approval_required",
        Unmergeable = "unmergeable",
        MergeTrainRemoved = "merge_train_removed",
        ReviewRequested = "review_requested",
    }
}

kernel::choices! {
    /// Whether it is done.
    pub enum State { Pending = "pending", Done = "done" }
}

/// A to-do.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named as the columns")]
pub struct Todo {
    pub id: i64,
    pub user_id: i64,
    pub author_id: Option<i64>,
    pub project_id: Option<i64>,
    pub action: Action,
    pub target_type: String,
    pub target_id: i64,
    pub note_id: Option<i64>,
    pub state: State,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

from_row! {
    Todo {
        id, user_id, author_id, project_id, action, target_type, target_id, note_id, state,
        created_at, updated_at,
    }
}

/// A to-do about to be made.
#[derive(Debug, Clone)]
pub struct NewTodo {
    /// Whose.
    pub user_id: i64,
    /// Who caused it.
    pub author_id: Option<i64>,
    /// Why.
    pub action: Action,
    /// About what.
    pub target: Noteable,
    /// The note that caused it.
    pub note_id: Option<i64>,
}

/// Adds a to-do, unless the user has the same pending.
pub fn insert(tx: &mut Tx<'_>, todo: &NewTodo) -> Result<Option<Todo>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into todos (user_id, author_id, project_id, action, target_type, target_id,
                note_id, state, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $8)
             on conflict do nothing returning *"
        ),
        (
            todo.user_id,
            todo.author_id,
            todo.target.project_id,
            todo.action,
            todo.target.kind,
            todo.target.id,
            todo.note_id,
            now,
        ),
    )?)
}

/// Marks what is pending about something as done, for one user or for all.
pub fn finish(tx: &mut Tx<'_>, user_id: Option<i64>, target: Noteable) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update todos set state = 'done', updated_at = $4
             where target_type = $1 and target_id = $2 and state = 'pending'
                and user_id = coalesce($3, user_id)"
        ),
        (target.kind, target.id, user_id, now),
    )?;
    Ok(())
}

/// Marks one as done, or pending again unless the same is pending.
pub fn set_state(tx: &mut Tx<'_>, todo: &Todo, state: State) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update todos set state = $2, updated_at = $3
             where id = $1 and ($2 = 'done' or not exists (select 1 from todos other
                where other.user_id = todos.user_id and other.target_type = todos.target_type
                    and other.target_id = todos.target_id and other.action = todos.action
                    and other.state = 'pending'))"
        ),
        (todo.id, state, now),
    )?;
    Ok(())
}

/// Marks all of a user as done.
pub fn finish_all(tx: &mut Tx<'_>, user_id: i64) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update todos set state = 'done', updated_at = $2
             where user_id = $1 and state = 'pending'"
        ),
        (user_id, now),
    )?;
    Ok(())
}

/// A to-do of a user.
pub fn find(tx: &mut Tx<'_>, user_id: i64, id: i64) -> Result<Option<Todo>> {
    Ok(tx.optional(
        sql!("select * from todos where user_id = $1 and id = $2"),
        (user_id, id),
    )?)
}

/// What a list of to-dos is narrowed to.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "named as the parameters")]
pub struct Filter {
    pub state: Option<State>,
    pub action: Option<Action>,
    pub author_id: Option<i64>,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub kind: Option<String>,
}

/// One page of the viewer's to-dos about what they may see, newest first.
pub fn list(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    user_id: i64,
    filter: &Filter,
    paging: Paging,
) -> Result<Paged<Todo>> {
    let mut condition = Fragment::new("todos.user_id = ");
    condition.bind(user_id);
    if let Some(state) = filter.state {
        condition.push(" and todos.state = ", state);
    }
    if let Some(action) = filter.action {
        condition.push(" and todos.action = ", action);
    }
    if let Some(author) = filter.author_id {
        condition.push(" and todos.author_id = ", author);
    }
    if let Some(project) = filter.project_id {
        condition.push(" and todos.project_id = ", project);
    }
    if let Some(kind) = &filter.kind {
        condition.push(" and todos.target_type = ", kind);
    }
    if let Some(group) = filter.group_id {
        condition
            .push(
                " and todos.project_id in (select p.id from projects p
                    join namespaces n on n.id = p.namespace_id where n.lineage like ",
                format!("%/{group}/%"),
            )
            .raw(")");
    }
    condition
        .push(" and (todos.target_type <> ", ISSUE)
        .raw(
            " or exists (select 1 from issues join projects on projects.id = issues.project_id
                where issues.id = todos.target_id and ",
        )
        .append(visible(tx, viewer, &Scope::Everywhere))
        .raw("))");
    let list = List {
        select: Fragment::new("select todos.*"),
        from: Fragment::new("todos"),
        condition,
        order: Order {
            by: "todos.id".into(),
            key: Some(KeyType::Int),
            id: "todos.id",
            descending: true,
        },
    };
    pages::page(tx, list, paging, |todo: &Todo| (json!(todo.id), todo.id))
}
