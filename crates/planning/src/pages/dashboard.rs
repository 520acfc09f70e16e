//! `/dashboard/issues`: issues of all projects, by what the viewer has to do
//! with them.

use super::list::{ListPage, SORTS, counts, filter, read_rows, sorting};
use super::narrowed::{ListTab, at};
use super::views::IssueRow;
use crate::access::Scope;
use crate::store::issues::filter::IssueFilter;
use crate::store::issues::list as rows;
use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Chip, Choice, Tab};
use kernel::html::{Html, Page, Pages};
use kernel::http::paging::COUNT_LIMIT;
use kernel::http::params::Text;
use kernel::http::{Flat, Paging, Params, Response, Routes};
use std::collections::HashMap;

const PAGE: &str = "/dashboard/issues";

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, PAGE, show);
}

kernel::choices! {
    #[derive(Default)]
    pub enum Whose {
        #[default]
        Assigned = "assigned_to_me",
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
#[template(path = "my_issues.html")]
struct MyIssues {
    page: Page,
    /// This list without anything that narrows it.
    url: String,
    scope: Whose,
    filters: ListPage,
    state: ListTab,
    /// Lists of other issues.
    whose: Vec<Tab>,
    tabs: Vec<Tab>,
    chips: Vec<Chip>,
    sorts: Vec<Choice>,
    is_filtered: bool,
    issues: Vec<IssueRow>,
    pages: Pages,
}

impl Whose {
    fn label(self) -> &'static str {
        match self {
            Whose::Assigned => "Assigned to you",
            Whose::Created => "Created by you",
            Whose::All => "All you can see",
        }
    }

    /// The list without anything that narrows it.
    fn url(self) -> String {
        format!("{PAGE}?scope={self}")
    }

    /// What was typed, without what the list is about already.
    fn typed(self, list: ListPage) -> ListPage {
        match self {
            Whose::Assigned => ListPage { assignee: Text::default(), ..list },
            Whose::Created => ListPage { author: Text::default(), ..list },
            Whose::All => list,
        }
    }

    fn narrow(self, filter: &mut IssueFilter, username: &str) {
        match self {
            Whose::Assigned => filter.is.assignee_usernames = vec![username.to_owned()],
            Whose::Created => filter.is.author_username = Some(username.to_owned()),
            Whose::All => {}
        }
    }
}

async fn show(
    app: App, caller: SignedInViewer, Params(params): Params<MyList>, paging: Paging,
) -> Result<Response> {
    let viewer = caller.viewer();
    let shown = page(&app, &viewer, "Issues").crumb("Home", "/");
    let read = app.read(move |tx| {
        let whose = params.scope.unwrap_or_default();
        let filters = whose.typed(params.list.0);
        let state = filters.state.unwrap_or_default();
        let mut narrowed = filter(&filters, None);
        whose.narrow(&mut narrowed, &caller.0.user.username);
        let everywhere = Scope::Everywhere;
        let found = counts(tx, &viewer, &everywhere, &narrowed)?;
        let total = found.iter().find(|(one, _)| *one == state).map_or(0, |(_, n)| *n);
        let sorting = sorting(&filters);
        let list = rows::list(tx, &viewer, &everywhere, &narrowed, sorting, paging.clone())?;
        let url = whose.url();
        let whose_tab = |one: Whose| Tab::new(one.label(), one.url(), one == whose);
        let tab = |(one, count): &(_, i64)| {
            let to = at(&url, &filters.query(*one, None));
            let tab = Tab::new(one.label(), to, *one == state);
            tab.count_to(count.unsigned_abs(), COUNT_LIMIT.unsigned_abs())
        };
        Ok(MyIssues {
            whose: [Whose::Assigned, Whose::Created, Whose::All].map(whose_tab).to_vec(),
            tabs: found.iter().map(tab).collect(),
            chips: filters.chips(&url, &HashMap::new()),
            sorts: Choice::list(SORTS),
            pages: Pages::of(&paging, total, at(&url, &filters.query(state, None))),
            issues: read_rows(tx, list.items, None)?,
            is_filtered: filters.narrows(),
            scope: whose,
            page: shown,
            state,
            filters,
            url,
        })
    });
    Ok(Html::new(&read.await?)?.response())
}
