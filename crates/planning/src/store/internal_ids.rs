//! Dense numbers.

use kernel::error::Result;
use store::{Tx, sql};

#[derive(Debug, Clone, Copy)]
pub enum Usage {
    Issues,
    ProjectMilestones,
    GroupMilestones,
    Epics,
    Alerts,
    OnCallSchedules,
    MergeRequests,
}

impl Usage {
    fn name(self) -> &'static str {
        match self {
            Usage::Issues => "issues",
            Usage::ProjectMilestones => "project_milestones",
            Usage::GroupMilestones => "group_milestones",
            Usage::Epics => "epics",
            Usage::Alerts => "alerts",
            Usage::OnCallSchedules => "on_call_schedules",
            Usage::MergeRequests => "merge_requests",
        }
    }
}

/// The next number; it is taken back with the transaction.
pub fn next(tx: &mut Tx<'_>, usage: Usage, source_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "insert into internal_ids (usage, source_id, last) values ($1, $2, 1)
             on conflict (usage, source_id) do update set last = internal_ids.last + 1
             returning last"
        ),
        (usage.name(), source_id),
    )?)
}

/// The first of so many numbers that follow one another; they are taken back
/// with the transaction.
pub fn next_many(tx: &mut Tx<'_>, usage: Usage, source_id: i64, count: i64) -> Result<i64> {
    let last: i64 = tx.one(
        sql!(
            "insert into internal_ids (usage, source_id, last) values ($1, $2, $3)
             on conflict (usage, source_id) do update
             set last = internal_ids.last + excluded.last
             returning last"
        ),
        (usage.name(), source_id, count),
    )?;
    Ok(last - count + 1)
}

/// Counts on from this number, if it is the highest so far.
pub fn reach(tx: &mut Tx<'_>, usage: Usage, source_id: i64, number: i64) -> Result<()> {
    tx.execute(
        sql!(
            "insert into internal_ids (usage, source_id, last) values ($1, $2, $3)
             on conflict (usage, source_id) do update set last =
                case when internal_ids.last < excluded.last
                    then excluded.last else internal_ids.last end"
        ),
        (usage.name(), source_id, number),
    )?;
    Ok(())
}

pub fn forget_project(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    tx.execute(
        sql!(
            "delete from internal_ids
             where source_id = $1
                and usage in ('issues', 'project_milestones', 'alerts', 'on_call_schedules',
                    'merge_requests')"
        ),
        (project_id,),
    )?;
    Ok(())
}
