//! When alerts begin to escalate, and which rules have come due.

use crate::alerts::model::{Alert, Status};
use crate::on_call::model::{Rule, Until};
use crate::on_call::store::{escalations, policies};
use crate::tasks::wake;
use jiff::SignedDuration;
use kernel::error::{Error, Result};
use store::Tx;

/// Has these alerts of a project escalate, if it has a policy: in the
/// transaction that keeps or triggers them, by few statements.
pub fn begin(tx: &mut Tx<'_>, project_id: i64, alerts: &[i64]) -> Result<()> {
    if alerts.is_empty() {
        return Ok(());
    }
    let Some(first) = policies::first_rule(tx, project_id)? else {
        return Ok(());
    };
    let due_at = tx.now().checked_add(SignedDuration::from_secs(first));
    let due_at = due_at.map_err(Error::internal)?;
    escalations::begin(tx, alerts, due_at)?;
    wake(tx, due_at)
}

/// Follows a change of an alert's status: one that was over or that nobody
/// needed to look after, and now is triggered, escalates again. What stops it
/// is looked at when the next rule comes due.
pub fn follow(tx: &mut Tx<'_>, before: &Alert, status: Status) -> Result<()> {
    let rested = matches!(before.status, Status::Resolved | Status::Ignored);
    match rested && status == Status::Triggered {
        true => begin(tx, before.project_id, &[before.id]),
        false => Ok(()),
    }
}

#[derive(Debug, PartialEq, Eq)]
pub struct Step<'r> {
    pub paging: Vec<&'r Rule>,
    /// Rules of so many seconds are done then.
    pub passed: i64,
    /// After how many seconds the next rule is due; none if it is over.
    pub next: Option<i64>,
}

/// What is to be done about an alert of this status that began to escalate
/// `elapsed` seconds ago. `rules` stand in the order they page.
pub fn step(rules: &[Rule], passed: i64, elapsed: i64, status: Status) -> Step<'_> {
    let mut step = Step { paging: Vec::new(), passed, next: None };
    if matches!(status, Status::Resolved | Status::Ignored) {
        return step;
    }
    for rule in rules.iter().filter(|rule| rule.elapsed_seconds > passed) {
        if rule.elapsed_seconds > elapsed {
            step.next = Some(rule.elapsed_seconds);
            break;
        }
        step.passed = rule.elapsed_seconds;
        if rule.until == Until::Resolved || status == Status::Triggered {
            step.paging.push(rule);
        }
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::on_call::model::Target;

    fn rule(id: i64, elapsed_seconds: i64, until: Until) -> Rule {
        Rule {
            id,
            policy_id: 1,
            elapsed_seconds,
            until,
            target: Target::User(id),
        }
    }

    #[test]
    fn rules_page_when_their_time_has_passed() {
        use Status::{Acknowledged, Ignored, Resolved, Triggered};
        let rules = [
            rule(1, 0, Until::Acknowledged),
            rule(2, 0, Until::Resolved),
            rule(3, 60, Until::Acknowledged),
            rule(4, 120, Until::Resolved),
        ];
        for (passed, elapsed, status, paged, then, next) in [
            (-1, 0, Triggered, vec![1, 2], 0, Some(60)),
            (-1, 0, Acknowledged, vec![2], 0, Some(60)),
            (-1, 0, Resolved, vec![], -1, None),
            (-1, 0, Ignored, vec![], -1, None),
            (0, 30, Triggered, vec![], 0, Some(60)),
            (0, 60, Triggered, vec![3], 60, Some(120)),
            (0, 61, Acknowledged, vec![], 60, Some(120)),
            (60, 120, Acknowledged, vec![4], 120, None),
            // What was missed while nothing ran comes at once.
            (-1, 500, Triggered, vec![1, 2, 3, 4], 120, None),
            (120, 500, Triggered, vec![], 120, None),
        ] {
            let step = step(&rules, passed, elapsed, status);
            let ids: Vec<i64> = step.paging.iter().map(|rule| rule.id).collect();
            assert_eq!((ids, step.passed, step.next), (paged, then, next));
        }
        assert_eq!(step(&[], -1, 0, Triggered).next, None);
    }
}
