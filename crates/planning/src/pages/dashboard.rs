//! `/dashboard/issues`: issues of all projects, by what the viewer has to do
//! with them.

use super::list::{ListPage, SORTS, counts, filter, read_rows, sorting};
use super::narrowed::Frame;
use super::views::IssueRow;
use crate::access::Scope;
use crate::model::Issue;
use crate::store::issues::filter::IssueFilter;
use crate::store::listing;
use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::SignedInViewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Choice, Tab};
use kernel::html::{Html, Page};
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
    frame: Frame,
    scope: Whose,
    filters: ListPage,
    /// Lists of other issues.
    whose: Vec<Tab>,
    sorts: Vec<Choice>,
    issues: Vec<IssueRow>,
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
            Whose::Assigned => filter.is.alike.assignee_usernames = vec![username.to_owned()],
            Whose::Created => filter.is.alike.author_username = Some(username.to_owned()),
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
        let mut narrowed = filter(&filters, None);
        whose.narrow(&mut narrowed, &caller.0.user.username);
        let everywhere = Scope::Everywhere;
        let counts = counts(tx, &viewer, &everywhere, &narrowed)?;
        let sorting = sorting(&filters);
        let issues = listing::rows::<Issue>(tx, &viewer, &everywhere, &narrowed, sorting, &paging)?;
        let whose_tab = |one: Whose| Tab::new(one.label(), one.url(), one == whose);
        Ok(MyIssues {
            whose: [Whose::Assigned, Whose::Created, Whose::All].map(whose_tab).to_vec(),
            frame: filters.narrowed().frame(whose.url(), &counts, &HashMap::new(), &paging),
            sorts: Choice::list(SORTS),
            issues: read_rows(tx, issues, None)?,
            scope: whose,
            page: shown,
            filters,
        })
    });
    Ok(Html::new(&read.await?)?.response())
}
