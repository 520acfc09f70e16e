//! What a deleted user made, under somebody else's name: some rows at a time.

use kernel::error::Result;
use store::Tx;

/// A statement for [`hand_over`](crate::handing::hand_over): the user of a column becomes
/// another.
#[macro_export]
macro_rules! give {
    ($table:literal, $column:literal) => {
        ::store::sql!(
            "update ",
            $table,
            " set ",
            $column,
            " = $2 where id in
                (select id from ",
            $table,
            " where ",
            $column,
            " = $1 limit $3)"
        )
    };
}

/// Runs these statements up to one that finds rows; how many it changed, 0 once none is
/// left.
///
/// # Errors
///
/// What the database refuses.
pub fn hand_over(
    tx: &mut Tx<'_>, statements: &[&str], (from, to): (i64, Option<i64>), limit: i64,
) -> Result<i64> {
    for statement in statements {
        let moved = tx.execute(*statement, (from, to, limit))?;
        if moved > 0 {
            return Ok(i64::try_from(moved).unwrap_or(i64::MAX));
        }
    }
    Ok(0)
}
