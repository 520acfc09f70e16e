//! Time that is estimated and spent, in the tables of issues and of merge requests alike.

use super::listed::Listed;
use kernel::error::Result;
use store::{Fragment, Tx};

/// Sets the time that a thing is estimated to take, in seconds.
pub fn estimate(tx: &mut Tx<'_>, of: Listed, id: i64, seconds: i64) -> Result<()> {
    let mut change = begun(tx, of);
    change.push(", time_estimate = ", seconds).push(" where id = ", id);
    tx.change_by(change)?;
    Ok(())
}

/// Adds to the time spent on a thing; whether what results is possible.
pub fn spend(tx: &mut Tx<'_>, of: Listed, id: i64, seconds: i64) -> Result<bool> {
    let mut change = begun(tx, of);
    change
        .push(", time_spent = time_spent + ", seconds)
        .push(" where id = ", id)
        .push(" and time_spent + ", seconds)
        .raw(" between 0 and 30000000000");
    Ok(tx.change_by(change)? > 0)
}

/// Forgets the time spent on a thing.
pub fn reset_spent(tx: &mut Tx<'_>, of: Listed, id: i64) -> Result<()> {
    let mut change = begun(tx, of);
    change.push(", time_spent = 0 where id = ", id);
    tx.change_by(change)?;
    Ok(())
}

fn begun(tx: &Tx<'_>, of: Listed) -> Fragment {
    let mut change = Fragment::new(&format!("update {} set updated_at = ", of.table));
    change.bind(tx.now());
    change
}
