//! Commands that change labels, of issues and epics alike.

use super::arguments::words;
use super::carrying::{Done, done, senseless};
use crate::formats::quick_actions::Action;
use kernel::error::Result;
use serde_json::json;

/// What becomes of the labels of something, by their titles.
pub(super) enum Labels {
    Add(Vec<String>),
    Set(Vec<String>),
    Remove(Vec<String>),
}

/// What `label`, `relabel` and `unlabel` ask for, and what is told of it.
pub(super) fn read(action: &Action) -> Result<(Labels, Done)> {
    let titles = words(&action.argument, '~');
    let named = titles.join(", ");
    let told = |key, sentence: String| done(key, json!(titles), sentence);
    Ok(match (action.name, titles.is_empty()) {
        ("label", false) => {
            let done = told("add_label_ids", format!("Added {named} label(s)."));
            (Labels::Add(titles), done)
        }
        ("relabel", false) => {
            let done = told("label_ids", format!("Replaced all labels with {named} label(s)."));
            (Labels::Set(titles), done)
        }
        ("unlabel", false) => {
            let done = told("remove_label_ids", format!("Removed {named} label(s)."));
            (Labels::Remove(titles), done)
        }
        ("unlabel", true) => {
            let done = told("label_ids", "Removed all labels.".to_owned());
            (Labels::Set(Vec::new()), done)
        }
        _ => return Err(senseless()),
    })
}
