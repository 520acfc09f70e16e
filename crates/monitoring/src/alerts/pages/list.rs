//! `…/-/alert_management`: the alerts of a project.

use super::views::AlertList;
use crate::alerts::model::Status;
use crate::alerts::related::Related;
use crate::alerts::store::alerts::{self as rows, Counts, Filter, Order, OrderBy};
use crate::alerts::store::{history, settings};
use crate::hours::{HOURS, before, last_hours, of_hours};
use crate::on_call::access::READ as READ_ON_CALL;
use crate::on_call::related::now_in;
use identity::pages::page;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{Choice, Tab};
use kernel::html::{Html, Pages};
use kernel::http::params::one_of;
use kernel::http::{Paging, Params, Response};
use spaces::access::Purpose;
use spaces::pages::{Section, Visit};

/// What a tab shows: its value, its text, and which alerts.
type Tabbed = (&'static str, &'static str, &'static [Status]);

const TABS: [Tabbed; 6] = [
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

/// What the list shows: words to look for, a tab, an order.
struct View {
    search: String,
    tab: Tabbed,
    sort: &'static str,
}

impl View {
    fn of(params: &ListPage) -> Result<View> {
        let offered = TABS.map(|(value, label, _)| (value, label));
        let status = one_of("status", params.status.as_deref(), &offered)?;
        Ok(View {
            search: params.search.clone().unwrap_or_default(),
            tab: TABS.into_iter().find(|tab| tab.0 == status).unwrap_or(TABS[0]),
            sort: one_of("sort", params.sort.as_deref(), SORTS)?,
        })
    }

    fn filter(&self) -> Filter {
        Filter {
            statuses: self.tab.2.to_vec(),
            search: self.search.clone(),
            ..Filter::default()
        }
    }

    /// Where the list shows this tab.
    fn address(&self, list: &str, tab: &str) -> String {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("search", &self.search)
            .append_pair("status", tab)
            .append_pair("sort", self.sort)
            .finish();
        format!("{list}?{query}")
    }

    fn tabs(&self, list: &str, counts: &Counts) -> Vec<Tab> {
        let tab = |(value, label, statuses): &Tabbed| {
            let is_open = *value == self.tab.0;
            Tab::new(label, self.address(list, value), is_open)
                .count(counted(counts, statuses).unsigned_abs())
        };
        TABS.iter().map(tab).collect()
    }
}

fn order(sort: &str) -> Order {
    let (by, way) = sort.rsplit_once('_').unwrap_or((sort, "desc"));
    Order {
        by: OrderBy::from_text(by).unwrap_or(OrderBy::StartedAt),
        descending: way != "asc",
    }
}

fn counted(counts: &Counts, statuses: &[Status]) -> i64 {
    match statuses.is_empty() {
        true => counts.all(),
        false => statuses.iter().map(|status| counts.of(*status)).sum(),
    }
}

pub(super) async fn show(
    app: App, visit: Visit, params: Params<ListPage>, paging: Paging,
) -> Result<Response> {
    let list = View::of(&params)?;
    let page = page(&app, &visit.viewer, "Alerts");
    let view = app
        .read(move |tx| {
            let space = visit.authorize(tx, Purpose::ReadAlerts)?;
            let head = space.head(tx, &visit.viewer)?;
            let all = format!("{}/-/alert_management", space.url());
            let filter = list.filter();
            let counts = rows::counts(tx, &[head.id], &filter)?.remove(&head.id);
            let counts = counts.unwrap_or_default();
            let (limit, offset) = (paging.per_page, paging.offset());
            let found = rows::list(tx, head.id, &filter, order(list.sort), limit, offset)?;
            let related = Related::read(tx, &found)?;
            let now = tx.now();
            let sent = history::hours_of_project(tx, head.id, before(now, HOURS))?;
            let hours = match sent.is_empty() {
                true => Vec::new(),
                false => of_hours(&last_hours(now, &sent)),
            };
            let on_call = match spaces::may(tx, &visit.viewer, space.project()?, READ_ON_CALL)? {
                true => now_in(tx, head.id)?,
                false => Vec::new(),
            };
            Ok(AlertList {
                on_call: on_call.into_iter().filter(|one| !one.people.is_empty()).collect(),
                page: head.page(page, Section::Alerts),
                tabs: list.tabs(&all, &counts),
                status: list.tab.0,
                sort: list.sort,
                sorts: Choice::list(SORTS),
                has_any: counts.all() > 0,
                hours,
                external_tool: settings::of_project(tx, head.id)?
                    .external_tool()
                    .map(str::to_owned),
                alerts: found,
                related,
                now,
                pages: Pages::of(
                    &paging,
                    counted(&counts, list.tab.2),
                    list.address(&all, list.tab.0),
                ),
                search: list.search,
                url: all,
                head,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}
