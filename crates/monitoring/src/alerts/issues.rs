//! Incidents that people make of alerts, past the spam rules, the same way for
//! every interface.

use super::model::Alert;
use super::rules::alerts::{self as rules, authorize};
use super::store::alerts as rows;
use identity::spam::{Guarded, guard};
use kernel::app::App;
use kernel::error::{Found, Result};
use planning::guarded::{Place, Writer};
use planning::model::Issue;
use spaces::Project;
use spaces::access::Purpose;

/// An incident that was made.
#[derive(Debug, Clone)]
pub struct Made {
    pub project: Project,
    /// The alert, with its incident.
    pub alert: Alert,
    pub issue: Issue,
}

/// Makes an incident of the alert of this project and number. How often
/// somebody does so is judged, but not what the alert says: its sender worded
/// that.
pub async fn create(app: &App, by: Writer, (project, iid): Place) -> Result<Guarded<Made>> {
    let (who, at) = (by.viewer.clone(), project.clone());
    app.read(move |tx| {
        let (project, alert) = authorize(tx, &who, &at, iid, Purpose::ManageAlerts)?;
        rules::may_become_issue(&project, &alert)
    })
    .await?;
    let subject = by.subject("create_issue", "", "")?;
    let base_url = app.base_url().to_owned();
    guard(app, &subject, move |tx| {
        let (project, alert) = authorize(tx, &by.viewer, &project, iid, Purpose::ManageAlerts)?;
        let issue = rules::create_issue(tx, &by.viewer, &base_url, &project, &alert)?;
        let alert = rows::by_id(tx, alert.id)?.found("Alert")?;
        Ok(Made {
            project,
            alert,
            issue,
        })
    })
    .await
}
