//! Alerts and their integrations in GraphQL (docs/interface/monitoring.md 2.2). The
//! rules and the visible sets are those of REST: what is hidden there is null
//! or left out here.

mod alert;
mod change;
mod enums;
mod integration;
mod lists;
mod read;
mod write;

use read::AlertWithPath;
pub use read::named;

use super::model::Alert;
use super::store::arrive::{ALERT, noteable};
use super::talk::TALK;
use identity::graph::caller;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result as Done};
use kernel::graph::context::Loader;
use kernel::graph::{Context, Fault, GlobalId, Graph, object};
use planning::targets::{Seen, TargetKind};
use serde_json::json;
use spaces::graph::ProjectView as Project;
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

pub const ALERT_ID: GlobalId = GlobalId::new("AlertManagementAlertID", ALERT);
pub const INTEGRATION_ID: GlobalId =
    GlobalId::new("AlertManagementHttpIntegrationID", "AlertManagement::HttpIntegration");

/// Alerts, as notes and to-dos are about them.
pub const KIND: TargetKind = TargetKind {
    name: ALERT,
    visible: read::is_visible,
    read: seen,
    talk: Some(TALK),
};

pub fn graph(g: &mut Graph) {
    INTEGRATION_ID.register(g);
    enums::graph(g);
    alert::graph(g);
    lists::graph(g);
    integration::graph(g);
    change::graph(g);
    write::graph(g);
    g.node::<Alerts, _>(ALERT_ID, object("AlertManagementAlert"));
}

pub struct AlertView {
    pub alert: Alert,
    web_url: String,
}

impl AlertView {
    /// An alert of the project with this path, that the viewer may see.
    pub fn new(app: &App, alert: Alert, project: &str) -> AlertView {
        AlertView { web_url: alert.web_url(app.base_url(), project), alert }
    }
}

/// Alerts by id: those the viewer may see.
pub struct Alerts;

impl Loader for Alerts {
    type Key = i64;
    type Value = Arc<AlertView>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<AlertView>>, Fault> {
        let found = views(context, "alerts.id", ids).await?.into_iter();
        Ok(found.map(|it| (it.alert.id, it)).collect())
    }
}

/// Alerts by the issue that is their incident: those the viewer may see.
pub struct AlertsOfIssues;

impl Loader for AlertsOfIssues {
    type Key = i64;
    type Value = Arc<AlertView>;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, Arc<AlertView>>, Fault> {
        let found = views(context, "alerts.issue_id", ids).await?.into_iter();
        let by_issue = found.filter_map(|it| Some((it.alert.issue_id?, it)));
        Ok(by_issue.collect())
    }
}

/// Alerts of which this column is one of these, and which the viewer may see.
async fn views(
    context: Context, column: &'static str, ids: Vec<i64>,
) -> Result<Vec<Arc<AlertView>>, Fault> {
    let (app, viewer) = caller(&context)?;
    let found = app.read(move |tx| read::visible(tx, &viewer, column, &ids));
    let found = found.await?.into_iter();
    let view = |it: AlertWithPath| Arc::new(AlertView::new(&app, it.alert, &it.full_path));
    Ok(found.map(view).collect())
}

/// Those of these alerts that the viewer may see, as to-dos show them.
fn seen(app: &App, tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Done<HashMap<i64, Seen>> {
    let found = read::visible(tx, viewer, "alerts.id", ids)?.into_iter();
    let seen = found.map(|it| {
        let alert = &it.alert;
        let seen = Seen {
            project_id: Some(alert.project_id),
            title: alert.title.clone(),
            path: alert.path(&it.full_path),
            entity: json!({
                "id": alert.id,
                "iid": alert.iid,
                "project_id": alert.project_id,
                "title": alert.title,
                "severity": alert.severity,
                "status": alert.status,
                "web_url": alert.web_url(app.base_url(), &it.full_path),
            }),
        };
        (alert.id, seen)
    });
    Ok(seen.collect())
}

fn ids(projects: &[Arc<Project>]) -> Vec<i64> {
    projects.iter().map(|it| it.project.id).collect()
}

/// Full paths of projects by their ids.
fn paths(projects: &[Arc<Project>]) -> HashMap<i64, &str> {
    let all = projects.iter().map(|it| &it.project);
    all.map(|it| (it.id, it.full_path.as_str())).collect()
}

/// The notes and to-dos of an alert are about this.
fn about(it: &AlertView) -> planning::Noteable {
    noteable(&it.alert)
}

/// A refusal whose texts are whole sentences, not about a field by its name.
fn sentences(error: Error) -> Fault {
    match error {
        Error::Invalid(fields) => {
            let whole = fields.into_iter().map(|(_, texts)| ("base".to_owned(), texts));
            Error::Invalid(whole.collect()).into()
        }
        other => other.into(),
    }
}
