//! What stores of rows below an owner have in common.

/// Reads rows of a table below an owner, each by a number of its own there.
macro_rules! rows_below {
    ($row:ty, $table:literal, $owner:literal, order $order:literal) => {
        /// One page of the rows of an owner.
        pub fn list(tx: &mut Tx<'_>, owner: i64, limit: i64, offset: i64) -> Result<Vec<$row>> {
            Ok(tx.all(
                sql!(concat!(
                    "select * from ", $table, " where ", $owner, " = $1 order by ", $order,
                    " limit $2 offset $3"
                )),
                (owner, limit, offset),
            )?)
        }

        /// How many rows an owner has.
        pub fn count(tx: &mut Tx<'_>, owner: i64) -> Result<i64> {
            let text = sql!(concat!("select count(*) from ", $table, " where ", $owner, " = $1"));
            Ok(tx.one(text, (owner,))?)
        }
    };
    ($row:ty, $table:literal, $owner:literal, number $number:literal) => {
        crate::rows::rows_below!($row, $table, $owner, order $number);

        /// The row of this number below an owner.
        pub fn find(tx: &mut Tx<'_>, owner: i64, number: i64) -> Result<Option<$row>> {
            Ok(tx.optional(
                sql!(concat!(
                    "select * from ", $table, " where ", $owner, " = $1 and ", $number, " = $2"
                )),
                (owner, number),
            )?)
        }

        /// Rows of these ids, of any owner.
        pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<$row>> {
            Ok(tx.all(
                sql!(concat!("select * from ", $table, " where id in_list($1) order by id")),
                (ids,),
            )?)
        }
    };
}

pub(crate) use rows_below;
