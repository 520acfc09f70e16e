//! Dates that epics inherit: the earliest start and the latest end of what stands
//! below them, kept with the epic, so that no list works them out.

use crate::model::epics::MOST_LEVELS;
use kernel::error::Result;
use store::{Tx, sql};

/// The epics of some issues.
pub fn of_issues(tx: &mut Tx<'_>, issues: &[i64]) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!("select distinct epic_id from epic_issues where issue_id in_list($1)"),
        (issues,),
    )?)
}

/// The epics that some issues of these milestones are in.
pub fn of_milestones(tx: &mut Tx<'_>, milestones: &[i64]) -> Result<Vec<i64>> {
    Ok(tx.all(
        sql!(
            "select distinct epic_issues.epic_id from epic_issues
             join issues on issues.id = epic_issues.issue_id
             where issues.milestone_id in_list($1)"
        ),
        (milestones,),
    )?)
}

/// Works out anew what these epics inherit, then those above them: a statement for
/// each level.
pub fn refresh(tx: &mut Tx<'_>, mut epics: Vec<i64>) -> Result<()> {
    for _ in 0..=MOST_LEVELS {
        if epics.is_empty() {
            break;
        }
        let above: Vec<i64> = tx.all(
            sql!(
                "update epics set
                    start_on_milestones = (select min(m.start_on) from epic_issues e
                        join issues i on i.id = e.issue_id
                        join milestones m on m.id = i.milestone_id where e.epic_id = epics.id),
                    due_on_milestones = (select max(m.due_on) from epic_issues e
                        join issues i on i.id = e.issue_id
                        join milestones m on m.id = i.milestone_id where e.epic_id = epics.id),
                    start_on_inherited = (select min(below.day) from (
                        select m.start_on as day from epic_issues e
                            join issues i on i.id = e.issue_id
                            join milestones m on m.id = i.milestone_id
                            where e.epic_id = epics.id
                        union all
                        select case when c.start_is_fixed then c.start_on_fixed
                            else c.start_on_inherited end
                            from epics c where c.parent_id = epics.id) as below),
                    due_on_inherited = (select max(below.day) from (
                        select m.due_on as day from epic_issues e
                            join issues i on i.id = e.issue_id
                            join milestones m on m.id = i.milestone_id
                            where e.epic_id = epics.id
                        union all
                        select i.due_on from epic_issues e
                            join issues i on i.id = e.issue_id where e.epic_id = epics.id
                        union all
                        select case when c.due_is_fixed then c.due_on_fixed
                            else c.due_on_inherited end
                            from epics c where c.parent_id = epics.id) as below)
                 where id in_list($1)
                 returning coalesce(parent_id, 0)"
            ),
            (epics,),
        )?;
        epics = above.into_iter().filter(|id| *id > 0).collect();
        epics.sort_unstable();
        epics.dedup();
    }
    Ok(())
}

pub fn refresh_of_issues(tx: &mut Tx<'_>, issues: &[i64]) -> Result<()> {
    let epics = of_issues(tx, issues)?;
    refresh(tx, epics)
}

pub fn refresh_of_milestone(tx: &mut Tx<'_>, milestone: i64) -> Result<()> {
    let epics = of_milestones(tx, &[milestone])?;
    refresh(tx, epics)
}
