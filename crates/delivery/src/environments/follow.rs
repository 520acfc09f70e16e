//! Environments and deployments go on as their jobs do.

use super::model::{DeploymentStatus, State, is_address};
use super::placed::{self, Placed};
use super::store::{deployments, environments};
use crate::pipelines::status::Status;
use ::store::Tx;
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use pipeline_file::durations;
use pipeline_file::model::Action;

/// How far a deployment is whose job is so far; none where that says nothing of it.
fn as_deployment(status: Status) -> Option<DeploymentStatus> {
    Some(match status {
        Status::Created => DeploymentStatus::Created,
        Status::Running => DeploymentStatus::Running,
        Status::Success => DeploymentStatus::Success,
        Status::Failed => DeploymentStatus::Failed,
        Status::Canceled => DeploymentStatus::Canceled,
        Status::Skipped => DeploymentStatus::Skipped,
        Status::Manual => DeploymentStatus::Blocked,
        Status::WaitingForResource
        | Status::Preparing
        | Status::Pending
        | Status::Canceling
        | Status::Scheduled => return None,
    })
}

/// Jobs have come to this status.
pub fn moved(tx: &mut Tx<'_>, ids: &[i64], status: Status) -> Result<()> {
    let Some(so_far) = as_deployment(status) else {
        return Ok(());
    };
    let jobs = placed::some(tx, ids)?;
    if jobs.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = jobs.iter().map(|job| job.job_id).collect();
    deployments::follow(tx, &ids, so_far)?;
    match status {
        Status::Success => jobs.iter().try_for_each(|job| succeeded(tx, job)),
        Status::Failed | Status::Canceled => {
            let mut stops = jobs.iter().filter(|job| job.said.action == Action::Stop);
            stops.try_for_each(|job| goes_on(tx, job))
        }
        _ => Ok(()),
    }
}

fn succeeded(tx: &mut Tx<'_>, job: &Placed) -> Result<()> {
    let planned = &job.said.environment;
    let named = environments::named(tx, job.project_id, vec![planned.name.clone()])?;
    let Some(environment) = named.into_values().next() else {
        return Ok(());
    };
    let until = planned.auto_stop_in.as_deref().and_then(|text| ends_at(tx.now(), text));
    match (job.said.action, &planned.auto_stop_in) {
        (Action::Start, _) => {
            let url = job.found_url.clone().or_else(|| planned.known_url());
            let url = url.filter(|url| is_address(url));
            environments::deployed(tx, environment.id, url, until)
        }
        (Action::Stop, _) => environments::set_state(tx, environment.id, State::Stopped),
        (Action::Prepare | Action::Verify | Action::Access, Some(_)) => {
            environments::set_auto_stop(tx, environment.id, until)
        }
        (Action::Prepare | Action::Verify | Action::Access, None) => Ok(()),
    }
}

/// When something ends that lasts from now so long; none if it lasts for ever.
fn ends_at(now: Timestamp, lasts: &str) -> Option<Timestamp> {
    let seconds = durations::parse(lasts).ok().flatten()?;
    now.checked_add(SignedDuration::from_secs(i64::try_from(seconds).ok()?)).ok()
}

/// What was to end did not.
fn goes_on(tx: &mut Tx<'_>, job: &Placed) -> Result<()> {
    let name = job.said.environment.name.clone();
    let named = environments::named(tx, job.project_id, vec![name])?;
    let stopping = named.into_values().find(|one| one.state == State::Stopping);
    match stopping {
        Some(environment) => environments::set_state(tx, environment.id, State::Available),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_environments_end_by_themselves() {
        let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let at = |text: &str| ends_at(now, text).map(|at| at.to_string());
        assert_eq!(at("1 day").as_deref(), Some("2026-01-02T12:00:00Z"));
        assert_eq!(at("90 min").as_deref(), Some("2026-01-01T13:30:00Z"));
        for never in ["never", "$LATER", "0", "99999999 years"] {
            assert_eq!(at(never), None, "{never}");
        }
    }
}
