//! `…/-/error_tracking`: the errors of a project.

use super::views::{ErrorList, ErrorRow};
use crate::errors::model::{Status, Tracked};
use crate::errors::store::errors::{self as rows, Filter, Sort};
use crate::errors::store::settings;
use identity::pages::page;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment, Pages};
use kernel::http::{Asked, Paging, Params, Response};
use kernel::time::Timestamp;
use spaces::access::Purpose;
use spaces::pages::Address;
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
    /// What the list shows.
    pub struct ListPage {
        /// Words to look for.
        pub search: Option<String>,
        /// Only these.
        pub status: Option<String>,
        /// The order.
        pub sort: Option<String>,
    }
}

/// An error as a row.
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
    viewer: SignedInViewer,
    asked: Arc<Asked>,
    params: Params<ListPage>,
    paging: Paging,
) -> Result<Response> {
    let (viewer, address) = (viewer.viewer(), Address::of(&asked)?);
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
    let shown = page(&app, &viewer, "Errors");
    let view = app
        .read(move |tx| {
            let space = address.enter(tx, &viewer, Purpose::ReadErrors)?;
            let head = space.head(tx, &viewer)?;
            let setting = settings::of_project(tx, head.id)?;
            let (limit, offset) = (paging.per_page, paging.offset());
            let found = rows::list(tx, head.id, &filter, limit, offset)?;
            let total = rows::count(tx, head.id, &filter)?;
            let now = tx.now();
            Ok(ErrorList {
                page: space.crumbs(shown, true),
                is_active: setting.is_some_and(|setting| setting.active),
                is_filtered: !search.is_empty() || status != STATUSES[0].0,
                search,
                status,
                statuses: Choice::list(STATUSES),
                sort,
                sorts: Choice::list(SORTS),
                errors: found
                    .iter()
                    .map(|one| row(one, space.full_path(), now))
                    .collect(),
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
