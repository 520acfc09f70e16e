//! `release_milestones`.

use kernel::error::Result;
use store::{Fragment, Tx, sql};

/// Which milestones some releases are for, as pairs of release and milestone.
pub fn of_releases(tx: &mut Tx<'_>, releases: &[i64]) -> Result<Vec<(i64, i64)>> {
    Ok(tx.all(
        sql!(
            "select release_id, milestone_id from release_milestones
             where release_id in_list($1) order by milestone_id"
        ),
        (releases,),
    )?)
}

/// Says which milestones a release is for.
pub fn set(tx: &mut Tx<'_>, release_id: i64, milestones: &[i64]) -> Result<()> {
    tx.execute(sql!("delete from release_milestones where release_id = $1"), (release_id,))?;
    if milestones.is_empty() {
        return Ok(());
    }
    let mut query =
        Fragment::new("insert into release_milestones (release_id, milestone_id) values ");
    for (at, milestone) in milestones.iter().enumerate() {
        query
            .raw(if at == 0 { "(" } else { ", (" })
            .bind(release_id)
            .push(", ", *milestone)
            .raw(")");
    }
    tx.change_by(query)?;
    Ok(())
}

/// Lets releases that were for some milestones be for another one.
pub fn replaced(tx: &mut Tx<'_>, old: &[i64], by: i64) -> Result<()> {
    tx.execute(
        sql!(
            "insert into release_milestones (release_id, milestone_id)
             select distinct release_id, cast($2 as bigint) from release_milestones
             where milestone_id in_list($1)
             on conflict (release_id, milestone_id) do nothing"
        ),
        (old, by),
    )?;
    Ok(())
}
