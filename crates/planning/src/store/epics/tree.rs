//! Epics that stand below epics, in their order.

use super::TABLES;
use crate::access::epics::visible;
use crate::model::epics::{Epic, MOST_LEVELS};
use crate::store::pages::{self, KeyType, List, Order};
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::http::{Paged, Paging};
use serde_json::json;
use store::{Fragment, Tx, sql};

/// Room between two that follow one another.
pub const STEP: i64 = 1024;

/// Where something goes in an order.
#[derive(Debug, Clone, Copy)]
pub enum Move {
    /// Right after this one.
    After(i64),
    /// Right before this one.
    Before(i64),
}

/// The place beside one of others, which are sorted; nothing within if there is
/// no room, nothing at all if that one is not among them.
pub fn place_between(others: &[(i64, i64)], to: Move) -> Option<Option<i64>> {
    let at = |id: i64| others.iter().position(|(one, _)| *one == id);
    let (before, after) = match to {
        Move::After(id) => {
            let found = at(id)?;
            (Some(others[found].1), others.get(found + 1).map(|one| one.1))
        }
        Move::Before(id) => {
            let found = at(id)?;
            let before = found.checked_sub(1).map(|one| others[one].1);
            (before, Some(others[found].1))
        }
    };
    Some(match (before, after) {
        (Some(before), Some(after)) => {
            let middle = before + (after - before) / 2;
            (middle > before && middle < after).then_some(middle)
        }
        (Some(before), None) => Some(before.saturating_add(STEP)),
        (None, Some(after)) => Some(after.saturating_sub(STEP)),
        (None, None) => Some(STEP),
    })
}

/// One page of what stands right below an epic and the viewer may see.
pub fn children(
    tx: &mut Tx<'_>, viewer: &Viewer, epic_id: i64, paging: Paging,
) -> Result<Paged<Epic>> {
    let mut condition = Fragment::new("epics.parent_id = ");
    condition.bind(epic_id).raw(" and ").append(visible(tx, viewer));
    let list = List {
        select: Fragment::new(store::concat!("select ", Epic::COLUMNS)),
        from: Fragment::new(TABLES),
        condition,
        order: Order {
            by: "epics.relative_position".into(),
            key: Some(KeyType::Int),
            id: "epics.id",
            descending: false,
        },
    };
    pages::page(tx, list, paging, |epic: &Epic| (json!(epic.relative_position), epic.id))
}

/// Puts an epic at the end of those below another, or below none.
pub fn put(tx: &mut Tx<'_>, id: i64, parent_id: Option<i64>) -> Result<()> {
    tx.execute(
        sql!(
            "update epics set parent_id = $2, relative_position =
                (select coalesce(max(last.relative_position), 0) + $3 from epics last
                 where last.parent_id = $2)
             where id = $1"
        ),
        (id, parent_id, STEP),
    )?;
    Ok(())
}

/// Puts an epic before or after others of the same parent; whether these are there.
pub fn place(tx: &mut Tx<'_>, parent_id: i64, id: i64, to: Move) -> Result<bool> {
    let spread = sql!(
        "update epics set relative_position = ranked.place * $2 from
            (select id, row_number() over (order by relative_position, id) as place
             from epics where parent_id = $1) as ranked
         where ranked.id = epics.id"
    );
    for is_spread in [false, true] {
        if is_spread {
            tx.execute(spread, (parent_id, STEP))?;
        }
        let others: Vec<(i64, i64)> = tx.all(
            sql!(
                "select id, relative_position from epics
                 where parent_id = $1 and id <> $2 order by relative_position, id"
            ),
            (parent_id, id),
        )?;
        match place_between(&others, to) {
            None => return Ok(false),
            Some(Some(position)) => {
                tx.execute(
                    sql!("update epics set relative_position = $2 where id = $1"),
                    (id, position),
                )?;
                return Ok(true);
            }
            // There is no room: once all are spread there is.
            Some(None) => {}
        }
    }
    Ok(false)
}

/// An epic and those above it, the nearest first.
pub fn line(tx: &mut Tx<'_>, id: i64) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "with recursive line (id, parent_id, level) as (
                select id, parent_id, 1 from epics where id = $1
                union all
                select e.id, e.parent_id, line.level + 1 from line
                    join epics e on e.id = line.parent_id where line.level <= $2
             )
             select id from line order by level"
        ),
        (id, MOST_LEVELS),
    )?)
}

/// How many levels an epic and what stands below it have.
pub fn levels(tx: &mut Tx<'_>, id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "with recursive below (id, level) as (
                select id, 1 from epics where id = $1
                union all
                select e.id, below.level + 1 from below
                    join epics e on e.parent_id = below.id where below.level <= $2
             )
             select cast(max(level) as bigint) from below"
        ),
        (id, MOST_LEVELS),
    )?)
}

/// Whether an epic that is not confidential stands right below another.
pub fn has_open_one(tx: &mut Tx<'_>, epic_id: i64) -> Result<bool> {
    let found: Option<i64> = tx.optional(
        sql!("select id from epics where parent_id = $1 and not confidential limit 1"),
        (epic_id,),
    )?;
    Ok(found.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lie_between_neighbours() {
        let others = [(1, 10), (2, 20), (3, 21)];
        assert_eq!(place_between(&others, Move::After(1)), Some(Some(15)));
        assert_eq!(place_between(&others, Move::Before(1)), Some(Some(10 - STEP)));
        assert_eq!(place_between(&others, Move::After(3)), Some(Some(21 + STEP)));
        // There is no number between 20 and 21.
        assert_eq!(place_between(&others, Move::After(2)), Some(None));
        assert_eq!(place_between(&others, Move::Before(9)), None);
    }
}
