//! How many errors of each status a project has: kept with every change, so
//! that no list counts them.

use crate::errors::model::Status;
use kernel::error::Result;
use std::collections::BTreeMap;
use store::{Tx, sql};

/// Changes of the counts of projects by status, to be written together.
#[derive(Default)]
pub struct Changes(BTreeMap<(i64, &'static str), i64>);

impl Changes {
    /// So many more of a status; fewer where negative.
    pub fn add(&mut self, project_id: i64, status: Status, by: i64) {
        *self.0.entry((project_id, status.as_str())).or_default() += by;
    }

    pub fn moved(&mut self, project_id: i64, from: Status, to: Status) {
        self.add(project_id, from, -1);
        self.add(project_id, to, 1);
    }

    /// Writes them, in the order of their keys so that writers who do the
    /// same at once wait for each other instead of for ever.
    pub fn write(self, tx: &mut Tx<'_>) -> Result<()> {
        for ((project_id, status), by) in self.0 {
            if by == 0 {
                continue;
            }
            tx.execute(
                sql!(
                    "insert into error_tracking_counts (project_id, status, errors_count)
                     values ($1, $2, $3)
                     on conflict (project_id, status) do update
                     set errors_count = error_tracking_counts.errors_count + excluded.errors_count"
                ),
                (project_id, status, by),
            )?;
        }
        Ok(())
    }
}

pub fn of(tx: &mut Tx<'_>, project_id: i64, status: Option<Status>) -> Result<i64> {
    let rows: Vec<(Status, i64)> = tx.all(
        sql!("select status, errors_count from error_tracking_counts where project_id = $1"),
        (project_id,),
    )?;
    let wanted = rows.iter().filter(|row| status.is_none_or(|wanted| wanted == row.0));
    Ok(wanted.map(|row| row.1).sum())
}
