//! Incidents that people make of alerts, past the spam rules, the same way for
//! every interface.

use super::model::Alert;
use super::rules::alerts::{self as rules, enter};
use super::store::alerts as rows;
use crate::spam;
use identity::spam::{Guarded, guard};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::ids::Reference;
use planning::model::Issue;
use spaces::Project;
use spaces::access::Purpose;

/// An incident that was made.
#[derive(Debug, Clone)]
pub struct Made {
    /// The project.
    pub project: Project,
    /// The alert, with its incident.
    pub alert: Alert,
    /// The incident.
    pub issue: Issue,
}

/// Makes an incident of the alert of this project and number.
pub async fn create(
    app: &App,
    viewer: &Viewer,
    (project, iid): (Reference, i64),
) -> Result<Guarded<Made>> {
    let (who, at) = (viewer.clone(), project.clone());
    app.read(move |tx| {
        let (project, alert) = enter(tx, &who, &at, iid, Purpose::ManageAlerts)?;
        rules::may_become_issue(&project, &alert)
    })
    .await?;
    let subject = spam::issue(viewer, "")?;
    let (viewer, base_url) = (viewer.clone(), app.base_url().to_owned());
    guard(app, &subject, move |tx| {
        let (project, alert) = enter(tx, &viewer, &project, iid, Purpose::ManageAlerts)?;
        let issue = rules::create_issue(tx, &viewer, &base_url, &project, &alert)?;
        let alert = rows::by_id(tx, alert.id)?.found("Alert")?;
        Ok(Made {
            project,
            alert,
            issue,
        })
    })
    .await
}
