//! To-dos.

use super::notes::Noteable;
use super::pages::{self, List};
use crate::targets;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::graph::{Owned, Window};
use kernel::http::{Paged, Paging};
use kernel::time::Timestamp;
use serde_json::json;
use std::collections::HashMap;
use store::{Fragment, FromRow, Tx, sql};

kernel::choices! {
    pub enum Action as "TodoAction" {
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
    pub enum State as "TodoState" { Pending = "pending", Done = "done" }
}

#[derive(Debug, Clone, FromRow)]
pub struct Todo {
    pub id: i64,
    pub user_id: i64,
    pub author_id: Option<i64>,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub action: Action,
    pub target_type: String,
    pub target_id: i64,
    pub note_id: Option<i64>,
    pub state: State,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Debug, Clone)]
pub struct NewTodo {
    pub user_id: i64,
    pub author_id: Option<i64>,
    pub action: Action,
    pub target: Noteable,
    pub note_id: Option<i64>,
}

/// Adds a to-do, unless the user has the same pending.
pub fn insert(tx: &mut Tx<'_>, todo: &NewTodo) -> Result<Option<Todo>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!(
            "insert into todos (user_id, author_id, project_id, action, target_type, target_id,
                note_id, state, created_at, updated_at, group_id)
             values ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $8,
                (select epics.group_id from epics where epics.id = $6 and $5 = 'Epic'))
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

/// The same of these kinds, for all users.
pub fn finish_kinds(tx: &mut Tx<'_>, target: Noteable, actions: &[Action]) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update todos set state = 'done', updated_at = $4
             where target_type = $1 and target_id = $2 and state = 'pending'
                and action in_list($3)"
        ),
        (target.kind, target.id, names(actions), now),
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

pub fn find(tx: &mut Tx<'_>, user_id: i64, id: i64) -> Result<Option<Todo>> {
    Ok(tx.optional(sql!("select * from todos where user_id = $1 and id = $2"), (user_id, id))?)
}

/// What a list of to-dos is narrowed to; of each list one must match.
#[derive(Debug, Clone, Default)]
pub struct TodoFilter {
    pub states: Option<Vec<State>>,
    pub actions: Option<Vec<Action>>,
    pub author_ids: Option<Vec<i64>>,
    pub project_ids: Option<Vec<i64>>,
    pub group_ids: Option<Vec<i64>>,
    pub kinds: Option<Vec<String>>,
}

/// Condition on `todos`: a user's that pass the filter, about what the viewer
/// may see.
pub fn condition(
    tx: &Tx<'_>, viewer: &Viewer, user_id: i64, filter: &TodoFilter,
) -> Result<Fragment> {
    let mut condition = Fragment::new("todos.user_id = ");
    condition.bind(user_id);
    let states = filter.states.as_ref().map(|all| names(all));
    let actions = filter.actions.as_ref().map(|all| names(all));
    for (column, wanted) in [
        ("todos.state", &states),
        ("todos.action", &actions),
        ("todos.target_type", &filter.kinds),
    ] {
        if let Some(wanted) = wanted {
            condition.raw(" and").in_list(column, wanted.clone());
        }
    }
    for (column, wanted) in [
        ("todos.author_id", &filter.author_ids),
        ("todos.project_id", &filter.project_ids),
    ] {
        if let Some(wanted) = wanted {
            condition.raw(" and").in_list(column, wanted.clone());
        }
    }
    if let Some(groups) = &filter.group_ids {
        condition
            .raw(
                " and (todos.project_id in (select p.id from projects p
                    join namespaces n on n.id = p.namespace_id
                    join namespaces top on n.lineage >= top.lineage
                        and n.lineage < top.lineage || ':' where",
            )
            .in_list("top.id", groups)
            .raw(
                ") or todos.group_id in (select n.id from namespaces n
                    join namespaces top on n.lineage >= top.lineage
                        and n.lineage < top.lineage || ':' where",
            )
            .in_list("top.id", groups)
            .raw("))");
    }
    condition.raw(" and ").append(targets::visible_todos(tx, viewer)?);
    Ok(condition)
}

fn names<T: ToString>(list: &[T]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

pub fn count(tx: &mut Tx<'_>, viewer: &Viewer, user_id: i64, filter: &TodoFilter) -> Result<i64> {
    let condition = condition(tx, viewer, user_id, filter)?;
    pages::count(tx, &Fragment::new("todos"), &condition)
}

/// To-dos, the newest, among which pending ones are counted.
const LOOKED_AT: i64 = 500;

/// How many of the newest pending to-dos are about what the viewer may see,
/// counted to so many and one more: for every page, so the work is bounded
/// however many there are.
pub fn pending(tx: &mut Tx<'_>, viewer: &Viewer, user_id: i64, most: u64) -> Result<u64> {
    let mut query = Fragment::new(
        "select count(*) from (select 1 from (select * from todos where todos.user_id = ",
    );
    query
        .bind(user_id)
        .push(" and todos.state = 'pending' order by todos.id desc limit ", LOOKED_AT)
        .raw(") as todos where ")
        .append(targets::visible_todos(tx, viewer)?)
        .push(" limit ", most.saturating_add(1).cast_signed())
        .raw(") as counted");
    let count: Option<i64> = tx.query(query)?.into_iter().next();
    Ok(count.unwrap_or(0).unsigned_abs())
}

pub fn pages_of(
    tx: &mut Tx<'_>, viewer: &Viewer, user_id: i64, filter: &TodoFilter, window: &Window,
) -> Result<Vec<Owned<Todo>>> {
    let mut from = Fragment::new(" from todos where ");
    from.append(condition(tx, viewer, user_id, filter)?);
    Ok(tx.query(window.narrow_each("todos.*", "todos.user_id", from))?)
}

/// A page of a user's to-dos about each of these things of one kind.
pub fn pages_about(
    tx: &mut Tx<'_>, user_id: i64, kind: &str, ids: &[i64], state: Option<State>, window: &Window,
) -> Result<Vec<Owned<Todo>>> {
    let mut from = Fragment::new(" from todos where todos.user_id = ");
    from.bind(user_id)
        .push(" and todos.target_type = ", kind)
        .raw(" and")
        .in_list("todos.target_id", ids);
    if let Some(state) = state {
        from.push(" and todos.state = ", state);
    }
    Ok(tx.query(window.narrow_each("todos.*", "todos.target_id", from))?)
}

pub fn by_ids(tx: &mut Tx<'_>, user_id: i64, ids: &[i64]) -> Result<Vec<Todo>> {
    Ok(tx.all(
        sql!("select * from todos where user_id = $1 and id in_list($2) order by id"),
        (user_id, ids),
    )?)
}

pub fn bodies(tx: &mut Tx<'_>, todos: &[Todo]) -> Result<HashMap<i64, String>> {
    let ids: Vec<i64> = todos.iter().filter_map(|todo| todo.note_id).collect();
    Ok(tx.pairs(sql!("select id, body from notes where id in_list($1)"), (ids,))?)
}

/// Projects by id: the id, name, full name of the namespace, path and full path
/// of each.
pub fn projects(
    tx: &mut Tx<'_>, ids: &[i64],
) -> Result<Vec<(i64, String, String, String, String)>> {
    Ok(tx.all(
        sql!(
            "select p.id, p.name, n.full_name, p.path, p.full_path from projects p
             join namespaces n on n.id = p.namespace_id where p.id in_list($1)"
        ),
        (ids,),
    )?)
}

/// Groups by id: the id, name, path and full path of each.
pub fn groups(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<(i64, String, String, String)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(tx.all(
        sql!("select id, name, path, full_path from namespaces where id in_list($1)"),
        (ids,),
    )?)
}

/// Marks what is pending of a user as done, perhaps only about one thing by
/// kind and id; the to-dos.
pub fn finish_those(
    tx: &mut Tx<'_>, user_id: i64, target: Option<&(String, i64)>,
) -> Result<Vec<Todo>> {
    let now = tx.now();
    let mut query = Fragment::new("update todos set state = 'done', updated_at = ");
    query.bind(now).push(" where state = 'pending' and user_id = ", user_id);
    if let Some((kind, id)) = target {
        query.push(" and target_type = ", kind).push(" and target_id = ", *id);
    }
    query.raw(" returning *");
    Ok(tx.query(query)?)
}

/// One page of the viewer's to-dos about what they may see, newest first.
pub fn list(
    tx: &mut Tx<'_>, viewer: &Viewer, user_id: i64, filter: &TodoFilter, paging: Paging,
) -> Result<Paged<Todo>> {
    let condition = condition(tx, viewer, user_id, filter)?;
    let list = List::by_id("todos", "todos.id", condition, true);
    pages::page(tx, list, paging, |todo: &Todo| (json!(todo.id), todo.id))
}
