//! SQL of this room.

pub mod awards;
pub mod boards;
pub mod ends;
pub mod epics;
pub mod internal_ids;
pub mod issues;
pub mod items;
pub mod labels;
pub mod linked_pairs;
pub mod listed;
pub mod listing;
pub mod milestones;
pub mod notes;
pub mod pages;
pub mod people;
pub mod places;
pub mod references;
pub mod searched;
pub mod subscriptions;
pub mod taking_part;
pub mod texts;
pub mod threads;
pub mod times;
pub mod todos;
pub mod upkeep;

use kernel::ids::fold;
use store::Fragment;

/// Adds ` and (…)`: one of these folded columns contains the text.
pub fn contains(sql: &mut Fragment, columns: &[&str], text: &str) {
    let pattern = spaces::store::contains(&fold(text));
    sql.raw(" and (");
    for (at, column) in columns.iter().enumerate() {
        let or = if at == 0 { "" } else { " or " };
        sql.push(&format!("{or}{column} like "), pattern.as_str()).raw(" escape '\\'");
    }
    sql.raw(")");
}
