//! Commands that change labels, alike for all that has any.

use super::arguments::words;
use super::carrying::{Done, done, senseless};
use crate::formats::quick_actions::Action;
use crate::rules::labelling::Labelling;
use kernel::error::Result;
use serde_json::json;

/// What `label`, `relabel` and `unlabel` ask for, and what is told of it.
pub fn read(action: &Action) -> Result<(Labelling, Done)> {
    let titles = words(&action.argument, '~');
    let named = titles.join(", ");
    let told = |key, sentence: String| done(key, json!(titles), sentence);
    Ok(match (action.name, titles.is_empty()) {
        ("label", false) => {
            let done = told("add_label_ids", format!("Added {named} label(s)."));
            (Labelling::also(titles), done)
        }
        ("relabel", false) => {
            let done = told("label_ids", format!("Replaced all labels with {named} label(s)."));
            (Labelling::these(titles), done)
        }
        ("unlabel", false) => {
            let done = told("remove_label_ids", format!("Removed {named} label(s)."));
            (Labelling::without(titles), done)
        }
        ("unlabel", true) => {
            let done = told("label_ids", "Removed all labels.".to_owned());
            (Labelling::these(Vec::new()), done)
        }
        _ => return Err(senseless()),
    })
}
