//! Incidents of alerts: made and closed behind them.

use crate::alerts::model::Status;
use crate::alerts::rules::incidents;
use crate::alerts::store::alerts as rows;
use crate::tasks::{CloseIncident, RaiseIncident};
use kernel::jobs::{Failure, Job, Run};
use planning::store::issues;

impl Job for RaiseIncident {
    const NAME: &'static str = "monitoring.raise_incident";

    async fn run(self, run: Run) -> Result<(), Failure> {
        let base_url = run.app.base_url().to_owned();
        run.app
            .write(move |tx| {
                let found = rows::with_project(tx, self.alert)?;
                let found = found.filter(|(alert, _)| {
                    alert.issue_id.is_none() && alert.status != Status::Resolved
                });
                let Some((alert, project)) = found else {
                    return Ok(());
                };
                if project.archived || project.feature("issues") == "disabled" {
                    return Ok(());
                }
                let bot = identity::users::alert_bot(tx)?;
                incidents::create(tx, &base_url, &project, &alert, bot)?;
                Ok(())
            })
            .await?;
        Ok(())
    }
}

impl Job for CloseIncident {
    const NAME: &'static str = "monitoring.close_incident";

    async fn run(self, run: Run) -> Result<(), Failure> {
        run.app
            .write(move |tx| {
                let alert = rows::by_id(tx, self.alert)?;
                let Some(alert) = alert.filter(|alert| alert.status == Status::Resolved) else {
                    return Ok(());
                };
                let Some(issue_id) = alert.issue_id else {
                    return Ok(());
                };
                let Some(issue) = issues::by_id(tx, issue_id)? else {
                    return Ok(());
                };
                let bot = identity::users::alert_bot(tx)?;
                incidents::close(tx, bot, &issue, &alert)
            })
            .await?;
        Ok(())
    }
}
