//! SQL of pipelines and jobs. What moves a job is in [`super::jobs`], which alone writes
//! a status.

pub mod jobs;
pub mod lists;
pub mod of_packages;
pub mod of_runners;
pub mod pipelines;
pub mod progress;
pub mod settings;
pub mod variables;

use ::store::{Fragment, Value};

/// Rows of one statement: SQLite binds 32,766 values at most.
const ROWS: usize = 400;

/// Statements that each insert some rows: a text before their values, and one after.
pub(crate) fn inserts<'r>(
    before: &'r str, rows: &'r [Vec<Value>], after: &'r str,
) -> impl Iterator<Item = Fragment> + 'r {
    rows.chunks(ROWS).map(move |rows| {
        let mut statement = Fragment::new(before);
        for (at, row) in rows.iter().enumerate() {
            statement.raw(if at == 0 { " (" } else { ", (" });
            for (at, value) in row.iter().enumerate() {
                statement.raw(if at == 0 { "" } else { ", " }).bind(value);
            }
            statement.raw(")");
        }
        statement.raw(after);
        statement
    })
}
