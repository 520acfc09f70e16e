//! Merges that are ordered before they can be made: by whom, and when they are made or
//! given up.

use super::change::reread;
use super::landed::with_param;
use super::merge::{self, Why};
use super::merge_words::Order;
use super::news::{is_program, notify};
use super::pushed::HEAD_KEY;
use super::remarks::remark;
use super::scene::Scene;
use super::stopped;
use crate::access::may_merge;
use crate::merging::status::DetailedStatus;
use crate::model::MergeRequest;
use crate::noteable::noteable;
use crate::store::{self as rows};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use planning::rules::todos::{self, Action, NewTodo};
use planning::tasks::Event;
use serde_json::{Value, json};
use spaces::model::Project;

/// The key of what was ordered.
const ORDER_KEY: &str = "order";
/// The key of what is waited for.
const STRATEGY_KEY: &str = "auto_merge_strategy";
/// All checks are waited for.
pub const STRATEGY: &str = "merge_when_checks_pass";

/// Has it merged by the viewer once its checks pass; again: with other parameters. The
/// head is what it is now, whether they named it or not.
pub fn set(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, order: &Order) -> Result<()> {
    let mut after = request.clone();
    let is_new = !request.auto_merge;
    after.auto_merge = true;
    after.merge_user_id = viewer.user_id();
    after.merge_error = None;
    after.updated_at = tx.now();
    let ordered = serde_json::to_value(order).map_err(Error::internal)?;
    with_param(&mut after, ORDER_KEY, Some(ordered));
    with_param(&mut after, STRATEGY_KEY, Some(json!(STRATEGY)));
    let head = request.head_id.map(|head| json!(head.to_string()));
    with_param(&mut after, HEAD_KEY, head);
    rows::update(tx, &after)?;
    if !is_new {
        return Ok(());
    }
    let (actor, text) = (viewer.user_id(), "enabled an automatic merge when all merge checks pass");
    remark(tx, request, actor, text)?;
    match is_program(viewer) {
        true => Ok(()),
        false => notify(tx, actor, request, Event::AutoMerge, Vec::new()),
    }
}

/// Takes the order back.
///
/// # Errors
///
/// `Unauthenticated` for who neither made the merge request nor may merge it; 406 where
/// nothing was ordered.
pub fn cancel(
    tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, request: &MergeRequest,
) -> Result<()> {
    let user_id = viewer.signed_in()?.user.id;
    let is_theirs = request.author_id == Some(user_id) && !project.archived;
    if !is_theirs && !may_merge(tx, viewer, project, &request.target_branch)? {
        return Err(Error::Unauthenticated);
    }
    if !request.auto_merge || !request.is_open() {
        let text = "Can't cancel the automatic merge";
        return Err(Error::Exact(406, json!({"message": text})));
    }
    end(tx, request, Some(user_id), "canceled the automatic merge")
}

fn end(tx: &mut Tx<'_>, request: &MergeRequest, by: Option<i64>, text: &str) -> Result<()> {
    let mut after = reread(tx, request.id)?;
    if !after.auto_merge || !after.is_open() {
        return Ok(());
    }
    stopped(&mut after);
    after.updated_at = tx.now();
    rows::update(tx, &after)?;
    remark(tx, request, by, text)
}

fn order_of(request: &MergeRequest) -> Order {
    let ordered = request.merge_params.0.get(ORDER_KEY).cloned();
    let mut order: Order =
        ordered.and_then(|order| serde_json::from_value(order).ok()).unwrap_or_default();
    let head = request.merge_params.0.get(HEAD_KEY).and_then(Value::as_str);
    order.sha = head.map(str::to_owned);
    order
}

/// What is to be done with an order now.
enum Next {
    Merge(Viewer, Order),
    Wait,
}

/// Merges what was ordered and has its checks passed, and gives up what never will.
///
/// # Errors
///
/// `Unavailable` if too many are busy with repositories.
pub async fn go_on(app: &App, id: i64) -> Result<()> {
    match app.write(move |tx| next(tx, id)).await? {
        Next::Wait => Ok(()),
        Next::Merge(viewer, order) => {
            let merged = merge::make(app, &viewer, id, order, Why::Ordered).await;
            match merged {
                Err(Error::Unprocessable(_)) => app.write(move |tx| failed(tx, id)).await,
                Err(Error::Exact(..) | Error::Conflict(_) | Error::Unauthenticated) => Ok(()),
                merged => merged,
            }
        }
    }
}

fn next(tx: &mut Tx<'_>, id: i64) -> Result<Next> {
    let found = rows::by_id(tx, id)?.filter(|one| one.auto_merge && one.is_open());
    let Some(request) = found else {
        return Ok(Next::Wait);
    };
    let user = match request.merge_user_id {
        Some(user) => identity::users::find(tx, user)?,
        None => None,
    };
    let lost = "aborted the automatic merge because who ordered it may not merge any more";
    let Some(user) = user.filter(|user| user.refusal().is_none()) else {
        end(tx, &request, None, lost)?;
        return Ok(Next::Wait);
    };
    let viewer = Viewer::addressed(user);
    let scene = Scene::read(tx, &viewer, id, true)?;
    if !scene.may_merge() {
        end(tx, &request, None, lost)?;
        return Ok(Next::Wait);
    }
    let failing: Vec<DetailedStatus> = scene.facts.failing().collect();
    if failing.is_empty() {
        return Ok(Next::Merge(viewer, order_of(&request)));
    }
    if let Some(never) = failing.iter().find(|one| !one.may_be_awaited()) {
        let text = format!("aborted the automatic merge because of `{never}`");
        end(tx, &request, None, &text)?;
        tell(tx, &request)?;
    }
    Ok(Next::Wait)
}

fn failed(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    let request = reread(tx, id)?;
    end(tx, &request, None, "aborted the automatic merge because the merge failed")?;
    tell(tx, &request)
}

/// Who ordered it has something to do.
fn tell(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<()> {
    let Some(user_id) = request.merge_user_id else {
        return Ok(());
    };
    let todo = NewTodo {
        user_id,
        author_id: None,
        action: Action::Unmergeable,
        target: noteable(request),
        note_id: None,
    };
    todos::create(tx, &todo).map(drop)
}
