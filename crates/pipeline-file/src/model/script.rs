//! Commands: a text, or a list of lists of texts.

use std::sync::Arc;

use crate::check::{At, Report};
use crate::limits::NESTED_LISTS;
use crate::yaml::{Node, Value};

/// The commands of a node, one text each.
pub(super) fn read(at: At<'_>, report: &mut Report) -> Option<Vec<String>> {
    let mut commands = Vec::new();
    if collect(at.node, 0, &mut commands) {
        return Some(commands);
    }
    let text =
        format!("should be a string or a nested array of strings up to {NESTED_LISTS} levels deep");
    at.wrong(report, &text);
    None
}

pub(super) fn shared(at: At<'_>, report: &mut Report) -> Option<Arc<Vec<String>>> {
    read(at, report).map(Arc::new)
}

fn collect(node: &Node, depth: usize, commands: &mut Vec<String>) -> bool {
    match &node.value {
        Value::Text(text) => {
            commands.push(text.clone());
            true
        }
        Value::List(items) if depth < NESTED_LISTS => {
            items.iter().all(|item| collect(item, depth + 1, commands))
        }
        _ => false,
    }
}
