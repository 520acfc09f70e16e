//! `…/-/error_tracking`: the errors of a project.

use super::views::{ErrorList, ErrorRow};
use crate::errors::external::{self, ExternalError, Listed};
use crate::errors::model::{Setting, Status};
use crate::errors::reading;
use crate::errors::store::errors::{self as rows, Filter, Sort};
use crate::errors::store::settings;
use crate::hours::{Bar, of_days, of_hours};
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment, Pages};
use kernel::http::params::one_of;
use kernel::http::{Paging, Params, Response};
use kernel::time::Timestamp;
use spaces::access::Purpose;
use spaces::pages::{Section, Space, Visit};
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

const STATUSES: &[(&str, &str)] = &[
    ("unresolved", "Open"),
    ("resolved", "Resolved"),
    ("ignored", "Ignored"),
    ("any", "Any"),
];
const SORTS: &[(&str, &str)] = &[
    ("last_seen", "Last seen"),
    ("first_seen", "First seen"),
    ("frequency", "Most events"),
];

/// Times that the line beside an error is about, the first unless asked.
const SPANS: &[(&str, &str)] = &[("14d", "Last 14 days"), ("24h", "Last 24 hours")];

kernel::params! {
    pub struct ListPage {
        pub search: Option<String>,
        pub status: Option<String>,
        pub sort: Option<String>,
        pub span: Option<String>,
    }
}

/// What the list shows: words to look for, a status, an order, which time is
/// drawn.
#[derive(Debug)]
pub struct Chosen {
    pub search: String,
    pub status: &'static str,
    pub sort: &'static str,
    pub span: &'static str,
}

impl Chosen {
    fn of(params: ListPage) -> Result<Chosen> {
        Ok(Chosen {
            status: one_of("status", params.status.as_deref(), STATUSES)?,
            sort: one_of("sort", params.sort.as_deref(), SORTS)?,
            span: one_of("span", params.span.as_deref(), SPANS)?,
            search: params.search.unwrap_or_default(),
        })
    }

    fn filter(&self) -> Filter {
        Filter {
            status: Status::from_text(self.status),
            search: Some(self.search.clone()),
            sort: Sort::from_text(self.sort),
        }
    }

    fn query(&self) -> String {
        url::form_urlencoded::Serializer::new(String::new())
            .append_pair("search", &self.search)
            .append_pair("status", self.status)
            .append_pair("sort", self.sort)
            .append_pair("span", self.span)
            .finish()
    }

    pub(super) fn is_filtered(&self) -> bool {
        !self.search.is_empty() || self.status != STATUSES[0].0
    }

    pub(super) fn statuses(&self) -> Vec<Choice> {
        Choice::list(STATUSES)
    }

    pub(super) fn sorts(&self) -> Vec<Choice> {
        Choice::list(SORTS)
    }

    pub(super) fn spans(&self) -> Vec<Choice> {
        Choice::list(SPANS)
    }

    /// What the lines beside the errors show.
    pub(super) fn drawn(&self) -> &'static str {
        if self.is_hourly() {
            "Events in the last 24 hours"
        } else {
            "Events in the last 14 days"
        }
    }

    fn is_hourly(&self) -> bool {
        self.span == SPANS[1].0
    }

    /// The lines of these errors, by one statement.
    fn lines(&self, tx: &mut Tx<'_>, ids: Vec<i64>) -> Result<HashMap<i64, Vec<(String, u64)>>> {
        let (bars, labelled): (_, fn(&[Bar]) -> Vec<(String, u64)>) = match self.is_hourly() {
            true => (reading::hours(tx, ids)?, of_hours),
            false => (reading::few_days(tx, ids)?, of_days),
        };
        Ok(bars.into_iter().map(|(id, bars)| (id, labelled(&bars))).collect())
    }
}

pub(super) async fn show(
    app: App, visit: Visit, params: Params<ListPage>, paging: Paging,
) -> Result<Response> {
    let chosen = Chosen::of(params.0)?;
    let filter = chosen.filter();
    let shown = page(&app, &visit.viewer, "Errors");
    let elsewhere = match setting(&app, visit.clone()).await? {
        Some(setting) if setting.active && !setting.integrated => {
            Some(Elsewhere::ask(&app, &setting, &filter).await?)
        }
        _ => None,
    };
    let view = app
        .read(move |tx| {
            let space = visit.authorize(tx, Purpose::ReadErrors)?;
            let head = space.head(tx, &visit.viewer)?;
            let setting = settings::of_project(tx, head.id)?;
            let (limit, offset) = (paging.per_page, paging.offset());
            let now = tx.now();
            let (errors, total): (Vec<ErrorRow>, i64) = match &elsewhere {
                Some(elsewhere) => (elsewhere.rows(now), elsewhere.listed.errors.len() as i64),
                None => {
                    let found = rows::list(tx, head.id, &filter, limit, offset)?;
                    let ids = found.iter().map(|error| error.id).collect();
                    let mut lines = chosen.lines(tx, ids)?;
                    let rows = found.into_iter().map(|error| ErrorRow {
                        url: error.path(space.full_path()),
                        state: (error.status.label().to_owned(), error.status.tone()),
                        last_seen_at: Moment::new(error.last_seen_at, now),
                        line: lines.remove(&error.id).unwrap_or_default(),
                        error,
                    });
                    (rows.collect(), rows::count(tx, head.id, &filter)?)
                }
            };
            Ok(ErrorList {
                page: head.page(shown, Section::Errors),
                is_active: setting.is_some_and(|setting| setting.active),
                errors,
                pages: Pages::of(
                    &paging,
                    total,
                    format!("{}/-/error_tracking?{}", space.url(), chosen.query()),
                ),
                chosen,
                elsewhere,
                head,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

/// How the project of an address tracks errors.
async fn setting(app: &App, visit: Visit) -> Result<Option<Setting>> {
    app.read(move |tx| {
        let space = visit.authorize(tx, Purpose::ReadErrors)?;
        match &space {
            Space::Project(project, _) => settings::of_project(tx, project.id),
            Space::Group(..) => Ok(None),
        }
    })
    .await
}

/// What a tracker elsewhere told, or why it told nothing.
#[derive(Debug)]
pub struct Elsewhere {
    listed: Arc<Listed>,
    /// Its pages, or empty.
    pub url: String,
    pub problem: String,
}

impl Elsewhere {
    async fn ask(app: &App, setting: &Setting, filter: &Filter) -> Result<Elsewhere> {
        let (listed, problem) = match external::list(app, setting, filter, None).await {
            Ok(listed) => (listed, String::new()),
            Err(Error::Exact(_, body)) => {
                let text = body["message"].as_str().unwrap_or_default().to_owned();
                (Arc::default(), text)
            }
            Err(error) => return Err(error),
        };
        Ok(Elsewhere {
            listed,
            url: setting.external_url().unwrap_or_default(),
            problem,
        })
    }

    fn rows(&self, now: Timestamp) -> Vec<ErrorRow> {
        let row = |one: &ExternalError| ErrorRow {
            error: one.error.clone(),
            url: one.url.clone(),
            state: (one.status.clone(), "plain"),
            line: Vec::new(),
            last_seen_at: Moment::new(one.last_seen.parse().unwrap_or(now), now),
        };
        self.listed.errors.iter().map(row).collect()
    }
}
