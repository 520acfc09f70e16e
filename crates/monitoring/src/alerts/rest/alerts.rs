//! Alerts of a project, for scripts (docs/interface/monitoring.md «Beyond the reference» 8).

use crate::alerts::issues;
use crate::alerts::model::{Alert, Status};
use crate::alerts::payload::flat;
use crate::alerts::related::Related;
use crate::alerts::rules::alerts::{AlertAccess, SHELVED, authorize};
use crate::alerts::store::alerts::{self as rows, Filter, Order, OrderBy};
use crate::rows::Times;
use identity::Caller;
use identity::entities::{UserBasic, basic};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::params::Flat;
use kernel::http::{Created, Ok200, Paged, Paging, Params, RequestContext, Routes};
use kernel::ids::Reference;
use planning::guarded::Writer;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use spaces::Project;
use spaces::access::Purpose;
use std::sync::Arc;
use store::Tx;

const PATH: &str = "/projects/{id}/alert_management/alerts";
const ONE: &str = "/projects/{id}/alert_management/alerts/{alert_iid}";

pub(super) fn routes(r: &mut Routes) {
    r.get(PATH, list).summary("Lists the alerts of a project");
    r.get(ONE, show).summary("Shows an alert");
    r.put(ONE, update)
        .summary("Says what becomes of an alert, or who looks after it");
    r.post(&format!("{ONE}/issue"), create_issue)
        .summary("Makes an incident of an alert");
    r.post(&format!("{ONE}/shelve"), shelve).summary("Ignores an alert for a while");
}

kernel::choices! {
    pub enum Direction { Asc = "asc", Desc = "desc" }
}

kernel::params! {
    pub struct ListAlerts {
        /// The project.
        pub id: Reference,
        /// Only those of these statuses.
        pub status: Option<Vec<Status>>,
        /// Only those in whose title, description, tool or service this is.
        pub search: Option<String>,
        /// Only those that this user looks after.
        pub assignee_username: Option<String>,
        /// What the list is ordered by.
        pub order_by: Option<OrderBy>,
        /// The greatest, latest or worst first, or last.
        pub sort: Option<Direction>,
    }
}

kernel::params! {
    pub struct AlertPath {
        /// The project.
        pub id: Reference,
        /// The alert.
        pub alert_iid: i64,
    }
}

impl AlertPath {
    pub(super) fn authorize(
        &self, tx: &mut Tx<'_>, viewer: &Viewer, purpose: Purpose,
    ) -> Result<AlertAccess> {
        authorize(tx, viewer, &self.id, self.alert_iid, purpose)
    }
}

kernel::params! {
    pub struct UpdateAlert {
        pub at: Flat<AlertPath>,
        /// What becomes of it.
        pub status: Option<Status>,
        /// Who looks after it: the first of these, or nobody.
        pub assignee_ids: Option<Vec<i64>>,
    }
}

kernel::params! {
    pub struct ShelveAlert {
        pub at: Flat<AlertPath>,
        /// For so many seconds; two hours unless given.
        pub duration: Option<i64>,
    }
}

/// An alert.
#[derive(Serialize, JsonSchema)]
pub struct AlertEntity {
    #[serde(flatten)]
    alert: Alert,
    /// Number of the incident about it.
    issue_iid: Option<i64>,
    /// Who looks after it.
    assignees: Vec<UserBasic>,
    #[serde(flatten)]
    times: Times,
    /// Its page.
    web_url: String,
}

/// An alert with what was sent.
#[derive(Serialize, JsonSchema)]
pub struct AlertDetailEntity {
    #[serde(flatten)]
    alert: AlertEntity,
    /// What to do about it, as its sender says.
    runbook: Option<String>,
    /// What was sent first, without nesting.
    details: Map<String, Value>,
}

/// The incident made of an alert.
#[derive(Serialize, JsonSchema)]
pub struct AlertIssueEntity {
    /// Its number in the project.
    issue_iid: i64,
    /// Its page.
    web_url: String,
}

impl AlertEntity {
    fn new(app: &App, project: &Project, alert: Alert, related: &Related) -> AlertEntity {
        let assignee = related.assignee(&alert).map(|user| basic(app, user));
        AlertEntity {
            issue_iid: related.issue_iid(&alert),
            web_url: alert.web_url(app.base_url(), &project.full_path),
            assignees: assignee.into_iter().collect(),
            times: alert.times,
            alert,
        }
    }
}

fn detail(app: &App, tx: &mut Tx<'_>, here: AlertAccess) -> Result<AlertDetailEntity> {
    let alert = here.alert;
    let related = Related::read(tx, std::slice::from_ref(&alert))?;
    Ok(AlertDetailEntity {
        runbook: alert.runbook(),
        details: flat::of(&alert.payload),
        alert: AlertEntity::new(app, &here.project, alert, &related),
    })
}

async fn list(
    by: Caller, params: Params<ListAlerts>, paging: Paging,
) -> Result<Paged<AlertEntity>> {
    by.read(move |tx, by| {
        let project = spaces::project(tx, &by.viewer, &params.id, Purpose::ReadAlerts)?;
        let mut filter = Filter {
            statuses: params.status.clone().unwrap_or_default(),
            search: params.search.clone().unwrap_or_default(),
            ..Filter::default()
        };
        let assignee = params.assignee_username.as_deref();
        filter.look_up(tx, assignee.filter(|name| !name.is_empty()))?;
        let order = Order {
            by: params.order_by.unwrap_or(OrderBy::StartedAt),
            descending: params.sort != Some(Direction::Asc),
        };
        let (limit, offset) = (paging.fetch(), paging.offset());
        let found = rows::list(tx, project.id, &filter, order, limit, offset)?;
        let total = rows::count(tx, project.id, &filter)?;
        let related = Related::read(tx, &found)?;
        let page = Paged::numbered(found, paging, Some(total));
        Ok(page.map(|alert| AlertEntity::new(&by.app, &project, alert, &related)))
    })
    .await
}

async fn show(by: Caller, path: Params<AlertPath>) -> Result<Ok200<AlertDetailEntity>> {
    by.read(move |tx, by| {
        let here = path.authorize(tx, &by.viewer, Purpose::ReadAlerts)?;
        Ok(Ok200(detail(&by.app, tx, here)?))
    })
    .await
}

async fn update(by: Caller, params: Params<UpdateAlert>) -> Result<Ok200<AlertDetailEntity>> {
    by.write(move |tx, by| {
        let mut here = params.at.authorize(tx, &by.viewer, Purpose::ManageAlerts)?;
        if let Some(status) = params.status {
            here.set_status(tx, status)?;
        }
        if let Some(users) = &params.assignee_ids {
            let users: Vec<i64> = users.iter().copied().filter(|id| *id > 0).collect();
            here.assign(tx, &users)?;
        }
        Ok(Ok200(detail(&by.app, tx, here)?))
    })
    .await
}

async fn create_issue(
    app: App, viewer: Viewer, request: Arc<RequestContext>, path: Params<AlertPath>,
) -> Result<Created<AlertIssueEntity>> {
    let place = (path.0.id, path.0.alert_iid);
    let by = Writer::by_api(viewer, request);
    let issue = issues::create(&app, by, place).await?.rest()?.issue;
    Ok(Created(AlertIssueEntity {
        issue_iid: issue.iid,
        web_url: planning::entity::issues::web_url(&app, &issue),
    }))
}

async fn shelve(by: Caller, params: Params<ShelveAlert>) -> Result<Ok200<AlertDetailEntity>> {
    by.write(move |tx, by| {
        let mut here = params.at.authorize(tx, &by.viewer, Purpose::ManageAlerts)?;
        here.shelve(tx, params.duration.unwrap_or(SHELVED))?;
        Ok(Ok200(detail(&by.app, tx, here)?))
    })
    .await
}
