//! What comes due by itself: integrations that have been silent too long,
//! alerts whose time on the shelf is over, alerts that nobody sends any more.

use crate::alerts::limits::AlertLimits;
use crate::alerts::payload::Format;
use crate::alerts::receive::keep::{self, Delivery};
use crate::alerts::rules::alerts as rules;
use crate::alerts::store::{alerts as rows, arrive, integrations, settings};
use crate::tasks::{CloseIncident, Watch};
use jiff::SignedDuration;
use kernel::app::App;
use kernel::error::Result;
use kernel::jobs::{Failure, Job, Run, enqueue_at};

/// Rows one transaction takes.
const BATCH: i64 = 200;

impl Job for Watch {
    const NAME: &'static str = "monitoring.watch_alerts";

    fn dedupe_key(&self) -> Option<String> {
        Some("one".into())
    }

    async fn run(self, run: Run) -> Result<(), Failure> {
        tell_silences(&run.app).await?;
        unshelve(&run.app).await?;
        expire(&run.app).await?;
        Ok(())
    }
}

/// An alert for each integration that has been silent too long; the next
/// delivery ends it.
async fn tell_silences(app: &App) -> Result<()> {
    let silent = app.read(|tx| integrations::silent(tx, BATCH)).await?;
    for (project_id, id) in silent {
        let found = app.read(move |tx| integrations::find(tx, project_id, id)).await?;
        let Some(integration) = found else {
            continue;
        };
        let delivery = Delivery {
            integration_id: None,
            key: None,
            format: Format::Metrics,
            items: vec![arrive::silence(id, &integration.name)],
            log: false,
        };
        keep::keep(app, project_id, delivery).await?;
        app.write(move |tx| integrations::silence_reported(tx, id)).await?;
    }
    Ok(())
}

async fn unshelve(app: &App) -> Result<()> {
    app.write(|tx| {
        let due = rows::shelved_past(tx, BATCH)?;
        if due.is_empty() {
            return Ok(());
        }
        let bot = identity::users::alert_bot(tx)?;
        due.iter().try_for_each(|alert| rules::unshelve(tx, alert, bot))
    })
    .await
}

async fn expire(app: &App) -> Result<()> {
    let limits: AlertLimits = app.settings().get(app).await?;
    if limits.stale_hours == 0 {
        return Ok(());
    }
    let before = app.now().checked_sub(SignedDuration::from_hours(limits.stale_hours));
    let Ok(before) = before else {
        return Ok(());
    };
    app.write(move |tx| {
        let now = tx.now();
        let stale = rows::stale(tx, before, BATCH)?;
        if stale.is_empty() {
            return Ok(());
        }
        let bot = identity::users::alert_bot(tx)?;
        for alert in stale {
            rules::expire(tx, &alert, bot, now)?;
            let setting = settings::of_project(tx, alert.project_id)?;
            if setting.auto_close_incident && alert.issue_id.is_some() {
                enqueue_at(tx, &CloseIncident { alert: alert.id }, now)?;
            }
        }
        Ok(())
    })
    .await
}
