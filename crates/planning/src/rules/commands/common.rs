//! What commands do alike, whatever they are about.

use super::carrying::{Done, done, senseless};
use crate::formats::quick_actions::Action;
use crate::model::parse_span;
use crate::rules::times::{Timed, estimate, reset, spend};
use crate::rules::todos;
use crate::store::notes::Noteable;
use crate::store::subscriptions::{self, Target};
use identity::viewer::Viewer;
use kernel::error::Result;
use serde_json::json;
use store::Tx;

/// What concerns the viewer alone: subscriptions to something, which is called so, and
/// to-dos about it.
///
/// # Errors
///
/// For strangers.
pub fn remember(
    tx: &mut Tx<'_>, viewer: &Viewer, (target, about): (Target, Noteable), called: &str,
    action: &Action,
) -> Result<Done> {
    let user_id = viewer.signed_in()?.user.id;
    let sentence = match action.name {
        "subscribe" => format!("Subscribed to this {called}."),
        "unsubscribe" => format!("Unsubscribed from this {called}."),
        "todo" => {
            todos::mark(tx, viewer, about)?;
            return Ok(done("todo_event", "add", "Added a to-do item."));
        }
        _ => {
            todos::close_for(tx, Some(user_id), about)?;
            return Ok(done("todo_event", "done", "Marked to-do item as done."));
        }
    };
    subscriptions::set(tx, user_id, target, about.id, action.name == "subscribe")?;
    Ok(done("subscription_event", action.name, sentence))
}

/// Time that something takes, for who may tell of it.
///
/// # Errors
///
/// For what is no time, or cannot be.
pub fn measure<T: Timed>(
    tx: &mut Tx<'_>, actor: Option<i64>, it: &T, action: &Action,
) -> Result<Done> {
    let said = action.argument.as_str();
    let span = || parse_span(said).ok_or_else(senseless);
    Ok(match action.name {
        "estimate" => {
            let seconds = span()?;
            estimate(tx, actor, it, seconds)?;
            done("time_estimate", seconds, format!("Set time estimate to {said}."))
        }
        "remove_estimate" => {
            estimate(tx, actor, it, 0)?;
            done("time_estimate", 0, "Removed time estimate.")
        }
        "spend" => {
            let seconds = span()?;
            spend(tx, actor, it, (seconds, ""))?;
            let sentence = format!("Added {said} spent time.");
            done("spend_time", json!({"duration": seconds}), sentence)
        }
        _ => {
            reset(tx, actor, it)?;
            done("spend_time", json!({"duration": "reset"}), "Removed spent time.")
        }
    })
}
