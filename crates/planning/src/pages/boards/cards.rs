//! The cards of a board, read for all columns at once.

use super::parts::Card;
use crate::model::Issue;
use crate::pages::list::read_rows;
use crate::store::boards::projects;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::pages::Space;
use std::collections::{BTreeSet, HashMap};
use store::Tx;

/// Issues by column, as cards.
pub fn read(
    tx: &mut Tx<'_>, viewer: &Viewer, space: &Space, found: HashMap<i64, Vec<Issue>>,
) -> Result<HashMap<i64, Vec<Card>>> {
    let (owners, issues): (Vec<i64>, Vec<Issue>) = found
        .into_iter()
        .flat_map(|(owner, issues)| issues.into_iter().map(move |issue| (owner, issue)))
        .unzip();
    let places: BTreeSet<i64> = issues.iter().map(|issue| issue.project_id).collect();
    let places: Vec<i64> = places.into_iter().collect();
    let movable = match viewer.user_id() {
        Some(_) => projects::movable(tx, viewer, &places)?,
        None => Default::default(),
    };
    let mut cards: HashMap<i64, Vec<Card>> = HashMap::new();
    for (owner, row) in owners.into_iter().zip(read_rows(tx, issues, Some(space))?) {
        let may_move = movable.contains(&row.issue.project_id);
        cards.entry(owner).or_default().push(Card { row, may_move });
    }
    Ok(cards)
}
