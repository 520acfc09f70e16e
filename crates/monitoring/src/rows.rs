//! What rows, and stores of rows below an owner, have in common.

use jiff::Timestamp;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use store::FromRow;

/// When a row was written first and last.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema, FromRow)]
pub struct Times {
    /// When it was made.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    /// When it was changed.
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
}

/// Reads rows of a table below an owner, each by a number of its own there:
/// whole, or `only` these columns.
macro_rules! rows_below {
    ($row:ty, $table:literal, $owner:literal, order $order:literal $(, only $columns:expr)?) => {
        pub fn list(tx: &mut Tx<'_>, owner: i64, limit: i64, offset: i64) -> Result<Vec<$row>> {
            Ok(tx.all(
                sql!(
                    "select ", crate::rows::columns!($($columns)?), " from ", $table,
                    " where ", $owner, " = $1 order by ", $order, " limit $2 offset $3"
                ),
                (owner, limit, offset),
            )?)
        }

        pub fn count(tx: &mut Tx<'_>, owner: i64) -> Result<i64> {
            let text = sql!("select count(*) from ", $table, " where ", $owner, " = $1");
            Ok(tx.one(text, (owner,))?)
        }

        /// One page of the rows of an owner, with how many there are.
        pub fn page(
            tx: &mut Tx<'_>,
            owner: i64,
            paging: kernel::http::Paging,
        ) -> Result<kernel::http::Paged<$row>> {
            let rows = list(tx, owner, paging.fetch(), paging.offset())?;
            let total = count(tx, owner)?;
            Ok(kernel::http::Paged::numbered(rows, paging, Some(total)))
        }
    };
    ($row:ty, $table:literal, $owner:literal, number $number:literal $(, only $columns:expr)?) => {
        crate::rows::rows_below!($row, $table, $owner, order $number $(, only $columns)?);

        pub fn find(tx: &mut Tx<'_>, owner: i64, number: i64) -> Result<Option<$row>> {
            Ok(tx.optional(
                sql!(
                    "select ", crate::rows::columns!($($columns)?), " from ", $table,
                    " where ", $owner, " = $1 and ", $number, " = $2"
                ),
                (owner, number),
            )?)
        }

        /// Rows of these ids, of any owner.
        pub fn by_ids(tx: &mut Tx<'_>, ids: &[i64]) -> Result<Vec<$row>> {
            Ok(tx.all(
                sql!(
                    "select ", crate::rows::columns!($($columns)?), " from ", $table,
                    " where id in_list($1) order by id"
                ),
                (ids,),
            )?)
        }
    };
}

/// The columns that are read: all, unless some are named.
macro_rules! columns {
    () => {
        "*"
    };
    ($columns:expr) => {
        $columns
    };
}

pub(crate) use {columns, rows_below};
