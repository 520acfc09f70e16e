//! `…/-/alert_management`: the alerts of a project.

use super::views::{AlertList, AlertRow};
use crate::alerts::model::{Alert, Status};
use crate::alerts::payload::text;
use crate::alerts::store::alerts::{self as rows, Counts, Filter, Order, OrderBy};
use crate::alerts::store::{history, settings};
use crate::hours::{HOURS, before, last_hours, of_hours};
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::page;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{Choice, Tab};
use kernel::html::{Html, Moment, Pages};
use kernel::http::{Paging, Params, RequestContext, Response};
use kernel::time::Timestamp;
use spaces::access::Purpose;
use spaces::pages::Address;
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

/// Longest beginning of a description that a row shows, in characters.
const EXCERPT: usize = 200;

/// What the tabs show: their value, their text, and which alerts.
const TABS: &[(&str, &str, &[Status])] = &[
    ("open", "Open", &[Status::Triggered, Status::Acknowledged]),
    ("triggered", "Triggered", &[Status::Triggered]),
    ("acknowledged", "Acknowledged", &[Status::Acknowledged]),
    ("resolved", "Resolved", &[Status::Resolved]),
    ("ignored", "Ignored", &[Status::Ignored]),
    ("all", "All", &[]),
];

const SORTS: &[(&str, &str)] = &[
    ("started_at_desc", "Started last first"),
    ("started_at_asc", "Started first first"),
    ("severity_desc", "Worst first"),
    ("severity_asc", "Least bad first"),
    ("event_count_desc", "Most events first"),
    ("event_count_asc", "Fewest events first"),
    ("status_desc", "Triggered first"),
    ("status_asc", "Ignored first"),
    ("updated_at_desc", "Changed last first"),
    ("updated_at_asc", "Longest unchanged first"),
    ("ended_at_desc", "Ended last first"),
];

kernel::params! {
    /// What the list shows.
    pub struct ListPage {
        /// Words to look for.
        pub search: Option<String>,
        /// Which tab.
        pub status: Option<String>,
        /// The order.
        pub sort: Option<String>,
    }
}

/// The order that a value of the list names.
fn order(sort: &str) -> Order {
    let (by, way) = sort.rsplit_once('_').unwrap_or((sort, "desc"));
    Order {
        by: OrderBy::from_text(by).unwrap_or(OrderBy::StartedAt),
        descending: way != "asc",
    }
}

/// How many alerts a tab shows.
fn counted(counts: &Counts, statuses: &[Status]) -> u64 {
    let count = match statuses.is_empty() {
        true => counts.all(),
        false => statuses.iter().map(|status| counts.of(*status)).sum(),
    };
    count.unsigned_abs()
}

/// What rows of alerts refer to, read by two statements.
pub(super) struct AlertRelated {
    people: HashMap<i64, User>,
    issues: HashMap<i64, i64>,
}

impl AlertRelated {
    pub(super) fn read(tx: &mut Tx<'_>, alerts: &[Alert]) -> Result<AlertRelated> {
        let of = |id: fn(&Alert) -> Option<i64>| alerts.iter().filter_map(id).collect::<Vec<_>>();
        Ok(AlertRelated {
            people: load_basic(tx, &of(|alert| alert.assignee_id))?,
            issues: rows::issue_iids(tx, of(|alert| alert.issue_id))?,
        })
    }

    /// An alert as a row.
    pub(super) fn row(&self, alert: &Alert, project: &str, now: Timestamp) -> AlertRow {
        let assignee = alert.assignee_id.and_then(|id| self.people.get(&id));
        let issue = alert.issue_id.and_then(|id| self.issues.get(&id));
        AlertRow {
            iid: alert.iid,
            title: alert.title.clone(),
            description: text::line(alert.description.as_deref().unwrap_or_default(), EXCERPT),
            url: alert.path(project),
            severity: alert.severity,
            status: alert.status,
            started_at: Moment::new(alert.started_at, now),
            events: alert.events.unsigned_abs(),
            tool: alert.monitoring_tool.clone().unwrap_or_default(),
            issue: issue.map(|iid| (format!("#{iid}"), format!("/{project}/-/issues/{iid}"))),
            assignee: assignee
                .map(|user| user.username.clone())
                .unwrap_or_default(),
            is_flapping: alert.flapping && alert.status.is_open(),
            shelved_until: Moment::maybe(alert.shelved_until, now),
        }
    }
}

pub(super) async fn show(
    app: App,
    viewer: SignedInViewer,
    asked: Arc<RequestContext>,
    params: Params<ListPage>,
    paging: Paging,
) -> Result<Response> {
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
    let search = params.search.clone().unwrap_or_default();
    let wanted = params.status.as_deref().unwrap_or_default();
    let tab = TABS.iter().find(|tab| tab.0 == wanted).unwrap_or(&TABS[0]);
    let wanted = params.sort.as_deref().unwrap_or_default();
    let sort = SORTS.iter().find(|sort| sort.0 == wanted);
    let sort = sort.unwrap_or(&SORTS[0]).0;
    let filter = Filter {
        statuses: tab.2.to_vec(),
        search: search.clone(),
        ..Filter::default()
    };
    let shown = page(&app, &viewer, "Alerts");
    let view = app
        .read(move |tx| {
            let space = address.authorize(tx, &viewer, Purpose::ReadAlerts)?;
            let head = space.head(tx, &viewer)?;
            let all = format!("{}/-/alert_management", space.url());
            let counts = rows::counts(tx, &[head.id], &filter)?.remove(&head.id);
            let counts = counts.unwrap_or_default();
            let (limit, offset) = (paging.per_page, paging.offset());
            let found = rows::list(tx, head.id, &filter, order(sort), limit, offset)?;
            let around = AlertRelated::read(tx, &found)?;
            let now = tx.now();
            let sent = history::hours_of_project(tx, head.id, before(now, HOURS))?;
            let hours = match sent.is_empty() {
                true => Vec::new(),
                false => of_hours(&last_hours(now, &sent)),
            };
            let address_of = |status: &str| {
                let query = url::form_urlencoded::Serializer::new(String::new())
                    .append_pair("search", &search)
                    .append_pair("status", status)
                    .append_pair("sort", sort)
                    .finish();
                format!("{all}?{query}")
            };
            let tabs = TABS.iter().map(|(value, label, statuses)| {
                let count = counted(&counts, statuses);
                Tab::new(label, address_of(value), *value == tab.0).count(count)
            });
            Ok(AlertList {
                page: space.crumbs(shown, true),
                tabs: tabs.collect(),
                status: tab.0,
                sort,
                sorts: Choice::list(SORTS),
                has_any: counts.all() > 0,
                hours,
                external_tool: settings::of_project(tx, head.id)?
                    .external_tool()
                    .map(str::to_owned),
                alerts: found
                    .iter()
                    .map(|one| around.row(one, space.full_path(), now))
                    .collect(),
                pages: Pages {
                    page: (offset / limit.max(1) + 1).unsigned_abs(),
                    per_page: limit.unsigned_abs(),
                    total: counted(&counts, tab.2),
                    url: address_of(tab.0),
                },
                search: search.clone(),
                url: all.clone(),
                head,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}
