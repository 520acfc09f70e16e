//! `/dashboard/merge_requests`: merge requests of all projects, by what the viewer has to
//! do with them.

use super::counts;
use super::query::{self, ListPage, RequestTab, filter, sorting};
use super::rows::{RequestRow, read_rows};
use crate::access::Scope;
use crate::model::{MergeRequest, State};
use crate::store::filter::Filter;
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Choice, Tab};
use kernel::html::{Html, Page};
use kernel::http::paging::COUNT_LIMIT;
use kernel::http::params::Text;
use kernel::http::{Flat, Paging, Params, Response, Routes};
use planning::pages::narrowed::Frame;
use planning::store::issues::filter::Has;
use planning::store::listing;
use std::collections::HashMap;

pub const PAGE: &str = "/dashboard/merge_requests";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PAGE, show);
}

kernel::choices! {
    #[derive(Default)]
    pub enum Whose {
        #[default]
        Assigned = "assigned_to_me",
        Reviews = "reviews_for_me",
        Created = "created_by_me",
        All = "all",
    }
}

kernel::params! {
    pub struct MyList {
        pub scope: Option<Whose>,
        pub list: Flat<ListPage>,
    }
}

#[derive(Debug, Template)]
#[template(path = "merge_request/my_list.html")]
struct MyRequests {
    page: Page,
    frame: Frame<RequestTab>,
    scope: Whose,
    filters: ListPage,
    /// Lists of other merge requests.
    whose: Vec<Tab>,
    sorts: Vec<Choice>,
    requests: Vec<RequestRow>,
}

impl Whose {
    fn label(self) -> &'static str {
        match self {
            Whose::Assigned => "Assigned to you",
            Whose::Reviews => "Reviews for you",
            Whose::Created => "Created by you",
            Whose::All => "All you can see",
        }
    }

    /// The list without anything that narrows it.
    pub fn url(self) -> String {
        format!("{PAGE}?scope={self}")
    }

    /// What was typed, without what the list is about already.
    fn typed(self, list: ListPage) -> ListPage {
        match self {
            Whose::Assigned => ListPage { assignee: Text::default(), ..list },
            Whose::Reviews => ListPage { reviewer: Text::default(), ..list },
            Whose::Created => ListPage { author: Text::default(), ..list },
            Whose::All => list,
        }
    }

    /// Narrows a filter to what the list of somebody is about.
    pub fn narrow(self, filter: &mut Filter, user_id: i64) {
        match self {
            Whose::Assigned => filter.is.alike.assignee = Some(Has::This(user_id)),
            Whose::Reviews => filter.is.reviewer = Some(Has::This(user_id)),
            Whose::Created => filter.is.alike.author_id = Some(user_id),
            Whose::All => {}
        }
    }

    /// How many open ones the list of somebody holds.
    pub fn open(self, tx: &mut Tx<'_>, viewer: &Viewer, user_id: i64) -> Result<i64> {
        let mut open = Filter { state: Some(State::Opened), ..Filter::default() };
        self.narrow(&mut open, user_id);
        listing::count::<MergeRequest>(tx, viewer, &Scope::Everywhere, &open)
    }
}

/// Tabs of all lists, with how many open ones are in those of the viewer alone.
fn lists(tx: &mut Tx<'_>, viewer: &Viewer, user_id: i64, current: Whose) -> Result<Vec<Tab>> {
    let mut tabs = Vec::new();
    for one in [Whose::Assigned, Whose::Reviews, Whose::Created] {
        let open = one.open(tx, viewer, user_id)?.unsigned_abs();
        let tab = Tab::new(one.label(), one.url(), one == current);
        tabs.push(tab.count_to(open, COUNT_LIMIT.unsigned_abs()));
    }
    tabs.push(Tab::new(Whose::All.label(), Whose::All.url(), current == Whose::All));
    Ok(tabs)
}

async fn show(
    app: App, caller: SignedInViewer, Params(params): Params<MyList>, paging: Paging,
) -> Result<Response> {
    let viewer = caller.viewer();
    let page = page(&app, &viewer, "Merge requests").crumb("Home", "/");
    let view = app.read(move |tx| {
        let (scope, user_id) = (params.scope.unwrap_or_default(), caller.0.user.id);
        let filters = scope.typed(params.list.0);
        let mut narrowed = filter(&filters);
        scope.narrow(&mut narrowed, user_id);
        let everywhere = Scope::Everywhere;
        let counts = counts(tx, &viewer, &everywhere, &narrowed)?;
        let sorting = sorting(&filters);
        let found =
            listing::rows::<MergeRequest>(tx, &viewer, &everywhere, &narrowed, sorting, &paging)?;
        Ok(MyRequests {
            whose: lists(tx, &viewer, user_id, scope)?,
            frame: filters.narrowed().frame(scope.url(), &counts, &HashMap::new(), &paging),
            sorts: query::sorts(),
            requests: read_rows(tx, &viewer, found, None)?,
            page,
            scope,
            filters,
        })
    });
    Ok(Html::new(&view.await?)?.response())
}
