//! `…/-/issues` and `…/-/incidents`: the issues of a project or group.

use super::views::{IssueRow, Issues};
use super::{desk, words};
use crate::access::Scope;
use crate::model::{Issue, IssueKind, IssueState};
use crate::store::issues::filter::{Filter, Has, Marks};
use crate::store::issues::list::{self as rows, OrderBy, Sorting};
use crate::store::issues::{self as issue_rows};
use crate::store::{labels, milestones};
use http::Method;
use identity::entities::load_basic;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment, Pages};
use kernel::http::params::Text;
use kernel::http::{Call, FromCall, Paging, Params, Response, Routes};
use spaces::access::Purpose;
use spaces::pages::{Address, Section, Space, section};
use store::Tx;

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "issues", show);
    section(r, Method::GET, "incidents", show);
}

kernel::params! {
    /// What a list of issues is narrowed to; empty texts narrow nothing.
    pub struct ListPage {
        /// In title or description.
        pub search: Text,
        /// `opened`, `closed` or `all`.
        pub state: Text,
        /// Titles of labels, told apart by commas; all must be there.
        pub labels: Text,
        /// Title of a milestone.
        pub milestone: Text,
        /// Login of the author.
        pub author: Text,
        /// Login of somebody assigned.
        pub assignee: Text,
        pub sort: Text,
    }
}

const SORTS: &[(&str, &str)] = &[
    ("created_desc", "Newest"),
    ("created_asc", "Oldest"),
    ("updated_desc", "Last changed"),
    ("due_date_asc", "Due first"),
    ("popularity_desc", "Most wanted"),
    ("title_asc", "Title"),
];

const STATES: &[(&str, &str)] = &[("opened", "Open"), ("closed", "Closed"), ("all", "All")];

struct Listed(Option<IssueKind>);

impl FromCall for Listed {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let only_incidents = call.route.path.ends_with("/incidents");
        Ok(Listed(only_incidents.then_some(IssueKind::Incident)))
    }
}

impl ListPage {
    /// The same, in a state and an order that there are.
    fn known(mut self) -> ListPage {
        for (pairs, value) in [(STATES, &mut self.state), (SORTS, &mut self.sort)] {
            if !pairs.iter().any(|(one, _)| *one == &**value) {
                *value = Text(pairs[0].0.to_owned());
            }
        }
        self
    }

    /// Whether they hide issues beyond their state.
    fn narrows(&self) -> bool {
        let texts = [&self.search, &self.labels, &self.milestone, &self.author, &self.assignee];
        &*self.state != "opened" || texts.iter().any(|text| !text.trim().is_empty())
    }
}

fn filter(shown: &ListPage, kind: Option<IssueKind>) -> Filter {
    let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let labels = words(&shown.labels);
    Filter {
        state: IssueState::from_text(&shown.state),
        search: text(&shown.search),
        kinds: kind.into_iter().collect(),
        is: Marks {
            labels: (!labels.is_empty()).then_some(Has::This(labels)),
            milestone: text(&shown.milestone).map(|title| Has::This(vec![title])),
            author_username: text(shown.author.trim_start_matches('@')),
            assignee_usernames: text(shown.assignee.trim_start_matches('@')).into_iter().collect(),
            ..Marks::default()
        },
        ..Filter::default()
    }
}

fn sorting(shown: &ListPage) -> Sorting {
    let (by, order) = shown.sort.rsplit_once('_').unwrap_or(("", ""));
    Sorting {
        by: match by {
            "updated" => OrderBy::UpdatedAt,
            "due_date" => OrderBy::DueDate,
            "popularity" => OrderBy::Popularity,
            "title" => OrderBy::Title,
            _ => OrderBy::CreatedAt,
        },
        descending: order == "desc",
    }
}

fn query(shown: &ListPage) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in [
        ("search", &shown.search),
        ("state", &shown.state),
        ("labels", &shown.labels),
        ("milestone", &shown.milestone),
        ("author", &shown.author),
        ("assignee", &shown.assignee),
        ("sort", &shown.sort),
    ] {
        if !value.is_empty() {
            query.append_pair(name, value);
        }
    }
    query.finish()
}

async fn show(
    app: App,
    viewer: Viewer,
    address: Address,
    Params(params): Params<ListPage>,
    paging: Paging,
    Listed(kind): Listed,
) -> Result<Response> {
    let (title, path, section) = match kind {
        None => ("Issues", "issues", Section::Issues),
        Some(_) => ("Incidents", "incidents", Section::Incidents),
    };
    let page = identity::pages::page(&app, &viewer, title);
    let view = app
        .read(move |tx| {
            let filters = params.known();
            let (space, scope) = scope(tx, &viewer, &address)?;
            let filter = filter(&filters, kind);
            let total = rows::count(tx, &viewer, &scope, &filter)?;
            let found =
                rows::list(tx, &viewer, &scope, &filter, sorting(&filters), paging.clone())?;
            let url = format!("{}/-/{path}", space.url());
            let head = space.head(tx, &viewer)?;
            Ok(Issues {
                can_create: matches!(space, Space::Project(..)) && viewer.user_id().is_some(),
                is_filtered: filters.narrows(),
                states: Choice::list(STATES),
                sorts: Choice::list(SORTS),
                pages: Pages::of(&paging, total, format!("{url}?{}", query(&filters))),
                issues: read_rows(tx, found.items, &space)?,
                page: head.page(page, section),
                head,
                title,
                url,
                filters,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

fn scope(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address) -> Result<(Space, Scope)> {
    match address.authorize(tx, viewer, Purpose::Read)? {
        Space::Group(group, level) => {
            let scope = Scope::Group(Box::new(group.clone()));
            Ok((Space::Group(group, level), scope))
        }
        Space::Project(..) => {
            let (space, desk) = desk(tx, viewer, address, Purpose::Read)?;
            Ok((space, Scope::Project(Box::new(desk))))
        }
    }
}

pub fn read_rows(tx: &mut Tx<'_>, issues: Vec<Issue>, space: &Space) -> Result<Vec<IssueRow>> {
    let ids: Vec<i64> = issues.iter().map(|issue| issue.id).collect();
    let milestones_found: Vec<i64> = issues.iter().filter_map(|it| it.milestone_id).collect();
    let mut worn = labels::of_issues(tx, &ids)?;
    let milestones_found = milestones::by_ids(tx, &milestones_found)?;
    let assigned = issue_rows::assignees_of(tx, &ids)?;
    let mut people: Vec<i64> = assigned.values().flatten().copied().collect();
    people.extend(issues.iter().filter_map(|issue| issue.author_id));
    let people = load_basic(tx, &people)?;
    let name = |id: &i64| people.get(id).map(|user| user.username.clone());
    let now = tx.now();
    let row = |issue: Issue| {
        let to = issue.milestone_id.and_then(|id| milestones_found.get(&id));
        let assigned = assigned.get(&issue.id).into_iter().flatten();
        IssueRow {
            reference: match space {
                Space::Project(..) => format!("#{}", issue.iid),
                Space::Group(..) => format!("{}#{}", issue.project_path, issue.iid),
            },
            labels: worn.remove(&issue.id).unwrap_or_default(),
            milestone: to.map(|goal| goal.title.clone()),
            assignees: assigned.filter_map(name).collect(),
            author: issue.author_id.as_ref().and_then(name),
            created_at: Moment::new(issue.created_at, now),
            issue,
        }
    };
    Ok(issues.into_iter().map(row).collect())
}
