//! `…/-/merge_requests`: the merge requests of a project or group; those of somebody are in
//! [`own`], their rows in [`rows`].

mod own;
pub mod panels;
mod query;
pub mod rows;

use crate::access::{self, Scope};
use crate::model::{MergeRequest, State};
use crate::store::filter::Filter;
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::{self, Choice};
use kernel::html::{Html, Page};
use kernel::http::{Paging, Params, Response, Routes};
use planning::access::ProjectAccess;
use planning::pages::narrowed::{Frame, colors};
use planning::store::listing;
use query::{ListPage, RequestTab, filter, sorting};
use rows::{RequestRow, read_rows};
use spaces::access::Purpose;
use spaces::model::SourceKind;
use spaces::pages::{Address, Section, Space, section};

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "merge_requests", show);
    own::routes(r);
}

#[derive(Debug, Template)]
#[template(path = "merge_request/list.html")]
struct RequestsView {
    page: Page,
    frame: Frame<RequestTab>,
    filters: ListPage,
    sorts: Vec<Choice>,
    can_create: bool,
    requests: Vec<RequestRow>,
}

async fn show(
    app: App, viewer: Viewer, address: Address, Params(filters): Params<ListPage>, paging: Paging,
) -> Result<Response> {
    let page = page(&app, &viewer, "Merge requests");
    let view = app.read(move |tx| {
        let (space, scope) = requests_of(tx, &viewer, &address)?;
        let narrowed = filter(&filters);
        let counts = counts(tx, &viewer, &scope, &narrowed)?;
        let sorting = sorting(&filters);
        let found =
            listing::rows::<MergeRequest>(tx, &viewer, &scope, &narrowed, sorting, &paging)?;
        let url = format!("{}/-/merge_requests", space.url());
        let colors = colors(tx, &space, &filters.labels)?;
        let head = space.head(tx, &viewer)?;
        Ok(RequestsView {
            can_create: can_create(tx, &viewer, &space)?,
            frame: filters.narrowed().frame(url, &counts, &colors, &paging),
            sorts: query::sorts(),
            requests: read_rows(tx, &viewer, found, Some(&space))?,
            page: head.page(page, Section::MergeRequests),
            filters,
        })
    });
    Ok(Html::new(&view.await?)?.response())
}

/// The project or group of an address, and the merge requests that its lists hold.
fn requests_of(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address) -> Result<(Space, Scope)> {
    let purpose = match address.kind {
        SourceKind::Group => Purpose::Read,
        SourceKind::Project => Purpose::DownloadCode,
    };
    let space = address.authorize(tx, viewer, purpose)?;
    let scope = match &space {
        Space::Group(group, _) => Scope::Group(Box::new(group.clone())),
        Space::Project(project, level) if access::shows(project, *level) => {
            let here = ProjectAccess { project: project.clone(), level: *level };
            Scope::Project(Box::new(here))
        }
        Space::Project(..) => return Err(Error::NotFound("")),
    };
    Ok((space, scope))
}

/// Whether the page offers to make one: of a project, to who may there.
fn can_create(tx: &mut Tx<'_>, viewer: &Viewer, space: &Space) -> Result<bool> {
    match space {
        Space::Project(project, _) => access::may_create_in(tx, viewer, project),
        Space::Group(..) => Ok(false),
    }
}

/// How many stand in each tab.
type Counts = [(RequestTab, i64); 4];

fn counts(tx: &mut Tx<'_>, viewer: &Viewer, scope: &Scope, filter: &Filter) -> Result<Counts> {
    let mut count = |state| {
        let filter = Filter { state: Some(state), ..filter.clone() };
        listing::count::<MergeRequest>(tx, viewer, scope, &filter)
    };
    let (opened, merged) = (count(State::Opened)?, count(State::Merged)?);
    let (closed, locked) = (count(State::Closed)?, count(State::Locked)?);
    Ok([
        (RequestTab::Opened, opened),
        (RequestTab::Merged, merged),
        (RequestTab::Closed, closed),
        (RequestTab::All, opened + merged + closed + locked),
    ])
}
