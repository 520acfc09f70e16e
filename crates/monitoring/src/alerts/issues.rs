//! Incidents that people make of alerts, past the spam rules, the same way for
//! every interface.

use super::model::Alert;
use super::rules::alerts::authorize;
use identity::spam::{Guarded, guard};
use kernel::app::App;
use kernel::error::Result;
use planning::guarded::{Place, Writer};
use planning::model::Issue;
use spaces::Project;
use spaces::access::Purpose;

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
    app.read(move |tx| authorize(tx, &who, &at, iid, Purpose::ManageAlerts)?.may_become_issue())
        .await?;
    let subject = by.subject("create_issue", "", "")?;
    let base_url = app.base_url().to_owned();
    guard(app, &subject, move |tx| {
        let mut here = authorize(tx, &by.viewer, &project, iid, Purpose::ManageAlerts)?;
        Ok(Made {
            issue: here.create_issue(tx, &base_url)?,
            project: here.project,
            alert: here.alert,
        })
    })
    .await
}
