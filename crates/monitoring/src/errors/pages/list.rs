//! `…/-/error_tracking`: the errors of a project.

use super::views::{ErrorList, ErrorRow};
use crate::errors::external::{self, ExternalError, Listed};
use crate::errors::model::{Setting, Status, Tracked};
use crate::errors::store::errors::{self as rows, Filter, Sort};
use crate::errors::store::settings;
use identity::pages::page;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment, Pages};
use kernel::http::{Paging, Params, Response};
use kernel::time::Timestamp;
use spaces::access::Purpose;
use spaces::pages::{Space, Visit};
use std::sync::Arc;

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

kernel::params! {
    pub struct ListPage {
        pub search: Option<String>,
        pub status: Option<String>,
        pub sort: Option<String>,
    }
}

pub(super) fn row(error: &Tracked, project: &str, now: Timestamp) -> ErrorRow {
    ErrorRow {
        name: error.name.clone(),
        description: error.description.clone(),
        actor: error.actor.clone(),
        url: error.path(project),
        level: error.level.clone(),
        status: error.status.as_str().to_owned(),
        has_regressed: error.regressed_at.is_some() && error.status == Status::Unresolved,
        events: error.events_count.unsigned_abs(),
        users: error.users_count.unsigned_abs(),
        last_seen_at: Moment::new(error.last_seen_at, now),
    }
}

pub(super) async fn show(
    app: App,
    visit: Visit,
    params: Params<ListPage>,
    paging: Paging,
) -> Result<Response> {
    let search = params.search.clone().unwrap_or_default();
    let chosen = |sent: &Option<String>, all: &[(&str, &str)]| {
        let sent = sent.as_deref().unwrap_or_default();
        let known = all.iter().find(|(value, _)| *value == sent);
        known.unwrap_or(&all[0]).0.to_owned()
    };
    let status = chosen(&params.status, STATUSES);
    let sort = chosen(&params.sort, SORTS);
    let filter = Filter {
        status: Status::from_text(&status),
        search: search.clone(),
        sort: Sort::from_text(&sort),
    };
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("search", &search)
        .append_pair("status", &status)
        .append_pair("sort", &sort)
        .finish();
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
            let (errors, total) = match &elsewhere {
                Some(elsewhere) => (elsewhere.rows(now), elsewhere.listed.errors.len() as i64),
                None => {
                    let found = rows::list(tx, head.id, &filter, limit, offset)?;
                    let rows = found.iter().map(|one| row(one, space.full_path(), now));
                    (rows.collect(), rows::count(tx, head.id, &filter)?)
                }
            };
            Ok(ErrorList {
                page: space.crumbs(shown, true),
                is_active: setting.is_some_and(|setting| setting.active),
                is_filtered: !search.is_empty() || status != STATUSES[0].0,
                search,
                status,
                statuses: Choice::list(STATUSES),
                sort,
                sorts: Choice::list(SORTS),
                errors,
                external_url: elsewhere
                    .as_ref()
                    .map(|it| it.url.clone())
                    .unwrap_or_default(),
                problem: elsewhere.map(|it| it.problem).unwrap_or_default(),
                pages: Pages {
                    page: (offset / limit.max(1) + 1).unsigned_abs(),
                    per_page: limit.unsigned_abs(),
                    total: total.unsigned_abs(),
                    url: format!("{}/-/error_tracking?{query}", space.url()),
                },
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
struct Elsewhere {
    listed: Arc<Listed>,
    url: String,
    problem: String,
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
        let row = |error: &ExternalError| ErrorRow {
            name: error.title.clone(),
            description: error.message.clone(),
            actor: error.culprit.clone(),
            url: error.url.clone(),
            level: error.level.clone(),
            status: error.status.clone(),
            has_regressed: false,
            events: error.count.unsigned_abs(),
            users: error.users.unsigned_abs(),
            last_seen_at: Moment::new(error.last_seen.parse().unwrap_or(now), now),
        };
        self.listed.errors.iter().map(row).collect()
    }
}
