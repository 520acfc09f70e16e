//! `…/-/alert_management`: the alerts of a project.

use super::pages;
use super::views::{AlertList, AlertRow};
use crate::alerts::model::{Alert, Status};
use crate::alerts::payload::text;
use crate::alerts::related::Related;
use crate::alerts::store::alerts::{self as rows, Counts, Filter, Order, OrderBy};
use crate::alerts::store::{history, settings};
use crate::hours::{HOURS, before, last_hours, of_hours};
use identity::pages::page;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{Choice, Tab};
use kernel::html::{Html, Moment};
use kernel::http::{Paging, Params, Response};
use kernel::time::Timestamp;
use spaces::access::Purpose;
use spaces::pages::Visit;

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
    pub struct ListPage {
        pub search: Option<String>,
        /// Which tab.
        pub status: Option<String>,
        pub sort: Option<String>,
    }
}

fn order(sort: &str) -> Order {
    let (by, way) = sort.rsplit_once('_').unwrap_or((sort, "desc"));
    Order {
        by: OrderBy::from_text(by).unwrap_or(OrderBy::StartedAt),
        descending: way != "asc",
    }
}

fn counted(counts: &Counts, statuses: &[Status]) -> u64 {
    let count = match statuses.is_empty() {
        true => counts.all(),
        false => statuses.iter().map(|status| counts.of(*status)).sum(),
    };
    count.unsigned_abs()
}

impl AlertRow {
    pub(super) fn new(alert: &Alert, related: &Related, project: &str, now: Timestamp) -> AlertRow {
        let issue = related.issue_iid(alert);
        let assignee = related.assignee(alert).map(|user| user.username.clone());
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
            assignee: assignee.unwrap_or_default(),
            is_flapping: alert.flapping && alert.status.is_open(),
            shelved_until: Moment::maybe(alert.shelved_until, now),
        }
    }
}

pub(super) async fn show(
    app: App,
    visit: Visit,
    params: Params<ListPage>,
    paging: Paging,
) -> Result<Response> {
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
    let page = page(&app, &visit.viewer, "Alerts");
    let view = app
        .read(move |tx| {
            let space = visit.authorize(tx, Purpose::ReadAlerts)?;
            let head = space.head(tx, &visit.viewer)?;
            let all = format!("{}/-/alert_management", space.url());
            let counts = rows::counts(tx, &[head.id], &filter)?.remove(&head.id);
            let counts = counts.unwrap_or_default();
            let (limit, offset) = (paging.per_page, paging.offset());
            let found = rows::list(tx, head.id, &filter, order(sort), limit, offset)?;
            let related = Related::read(tx, &found)?;
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
                page: space.crumbs(page, true),
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
                    .map(|one| AlertRow::new(one, &related, space.full_path(), now))
                    .collect(),
                pages: pages(&paging, counted(&counts, tab.2), address_of(tab.0)),
                search: search.clone(),
                url: all.clone(),
                head,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}
