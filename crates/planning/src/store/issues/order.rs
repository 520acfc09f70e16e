//! The order that people bring issues into by hand, one for all boards.

use kernel::error::Result;
use store::{Tx, sql};

/// Where an issue stands, the greatest on top: where somebody put it, or else by
/// its age.
pub const POSITION: &str = "coalesce(issues.relative_position, issues.id * 1048576)";

/// Room between two that nobody moved.
const STEP: i64 = 1 << 20;
/// Least room between two once they are spread.
const LEAST: i64 = 16;
/// How many on each side are spread where there is no room left: rarely more than
/// the first number.
const WIDTHS: [i64; 3] = [100, 2_000, 40_000];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Above,
    Below,
}

/// Puts an issue right above or below another; it stays where it is if that one is
/// gone.
pub fn put(tx: &mut Tx<'_>, id: i64, side: Side, beside: i64) -> Result<()> {
    if id == beside {
        return Ok(());
    }
    for is_spread in [false, true] {
        let Some(at) = position(tx, beside)? else {
            return Ok(());
        };
        if is_spread {
            spread(tx, at)?;
        }
        let at = position(tx, beside)?.unwrap_or(at);
        let next = next(tx, (at, beside), side, id)?;
        if let Some(between) = between(at, next, side) {
            return set(tx, id, between);
        }
    }
    // So many stand at one place that spreading them did not help.
    let at = position(tx, beside)?;
    at.map_or(Ok(()), |at| set(tx, id, at))
}

fn set(tx: &mut Tx<'_>, id: i64, position: i64) -> Result<()> {
    tx.execute(sql!("update issues set relative_position = $2 where id = $1"), (id, position))?;
    Ok(())
}

fn position(tx: &mut Tx<'_>, id: i64) -> Result<Option<i64>> {
    Ok(tx.optional(sql!("select ", POSITION, " from issues where id = $1"), (id,))?)
}

/// Where the next one stands on that side, the one that is moved left out.
fn next(tx: &mut Tx<'_>, (at, id): (i64, i64), side: Side, moved: i64) -> Result<Option<i64>> {
    let statement = match side {
        Side::Above => sql!(
            "select ",
            POSITION,
            " from issues where ",
            POSITION,
            " >= $1 and id <> $3
                and (",
            POSITION,
            " > $1 or id > $2) order by ",
            POSITION,
            ", id limit 1"
        ),
        Side::Below => sql!(
            "select ",
            POSITION,
            " from issues where ",
            POSITION,
            " <= $1 and id <> $3
                and (",
            POSITION,
            " < $1 or id < $2) order by ",
            POSITION,
            " desc, id desc
                limit 1"
        ),
    };
    Ok(tx.optional(statement, (at, id, moved))?)
}

/// The middle between two places, if there is room; half a step beyond the last.
fn between(at: i64, next: Option<i64>, side: Side) -> Option<i64> {
    let next = next.unwrap_or(match side {
        Side::Above => at.saturating_add(STEP),
        Side::Below => at.saturating_sub(STEP),
    });
    let middle = at + (next - at) / 2;
    (middle != at && middle != next).then_some(middle)
}

/// What stands around a place: the lowest and the highest, and how many there are
/// below and above.
type Around = (i64, i64, i64, i64);

/// Makes room around a place: what stands near keeps its order, evenly apart.
fn spread(tx: &mut Tx<'_>, at: i64) -> Result<()> {
    for width in WIDTHS {
        let near: Around = tx.one(
            sql!(
                "select cast(min(near.place) as bigint), cast(max(near.place) as bigint),
                    count(*) filter (where near.place <= $1),
                    count(*) filter (where near.place > $1)
                 from (
                    select * from (select ",
                POSITION,
                " as place from issues where ",
                POSITION,
                " <= $1 order by ",
                POSITION,
                " desc limit $2) as below
                    union all
                    select * from (select ",
                POSITION,
                " as place from issues where ",
                POSITION,
                " > $1 order by ",
                POSITION,
                " limit $2) as above) as near"
            ),
            (at, width),
        )?;
        let (from, step) = room(near, width);
        if step >= LEAST {
            tx.execute(
                sql!(
                    "update issues set relative_position = ranked.place from
                        (select id, $3 + $4 * (row_number() over (order by ",
                    POSITION,
                    ", id) - 1)
                            as place from issues where ",
                    POSITION,
                    " >= $1 and ",
                    POSITION,
                    " <= $2)
                        as ranked
                     where ranked.id = issues.id"
                ),
                (near.0, near.1, from, step),
            )?;
            return Ok(());
        }
    }
    Ok(())
}

/// Where those of a place are to begin, and how far apart they may stand: where none
/// stand beyond them there is as much room as they want.
fn room((low, high, below, above): Around, width: i64) -> (i64, i64) {
    let gaps = (below + above - 1).max(1);
    let step = (high - low) / gaps;
    match (below < width, above < width) {
        _ if step >= LEAST => (low, step),
        (true, _) => (high.saturating_sub(gaps * STEP), STEP),
        (false, true) => (low, STEP),
        (false, false) => (low, step),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_lie_between_neighbours() {
        assert_eq!(between(10, Some(20), Side::Above), Some(15));
        assert_eq!(between(20, Some(10), Side::Below), Some(15));
        assert_eq!(between(10, Some(11), Side::Above), None);
        assert_eq!(between(11, Some(10), Side::Below), None);
        assert_eq!(between(10, Some(10), Side::Above), None);
        assert_eq!(between(0, None, Side::Above), Some(STEP / 2));
        assert_eq!(between(0, None, Side::Below), Some(-STEP / 2));
    }

    #[test]
    fn what_is_spread_stays_between_what_stands_beyond() {
        // Two hundred and one places in a wide stretch.
        assert_eq!(room((0, 200_000, 100, 101), 100), (0, 1000));
        // Nothing stands below, so those reach down; then nothing stands above.
        assert_eq!(room((0, 3, 2, 2), 100), (3 - 3 * STEP, STEP));
        assert_eq!(room((0, 3, 100, 2), 100), (0, STEP));
        // Others stand on both sides: more of them have to be spread.
        assert!(room((0, 199, 100, 100), 100).1 < LEAST);
    }
}
