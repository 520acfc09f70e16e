//! `…/-/issues` and `…/-/incidents`: the issues of a project or group.

use super::narrowed::{ListTab, Narrowed, at, by_tab, colors};
use super::notes::Person;
use super::views::{IssueRow, Issues};
use super::{authorized, desk, narrowed};
use crate::access::Scope;
use crate::model::{Issue, IssueKind, IssueState};
use crate::store::issues::filter::{IssueFilter, Marks};
use crate::store::issues::list::{OrderBy, Sorting};
use crate::store::issues::{self as issue_rows};
use crate::store::{labels, listing, milestones};
use http::Method;
use identity::entities::load_basic;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment, Pages};
use kernel::http::params::Text;
use kernel::http::{Call, FromCall, Paging, Params, Response, Routes};
use spaces::access::{Purpose, REPORTER};
use spaces::pages::{Address, Section, Space, section};
use store::Tx;

/// Milestones to choose from.
const MAX_MILESTONES: i64 = 100;

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "issues", show);
    section(r, Method::GET, "incidents", show);
}

kernel::params! {
    /// What a list of issues is narrowed to; empty texts narrow nothing.
    #[derive(Default)]
    pub struct ListPage {
        /// In title or description.
        pub search: Text,
        pub state: Option<ListTab>,
        /// Titles of labels, told apart by commas; all must be there.
        pub labels: Text,
        /// Title of a milestone.
        pub milestone: Text,
        /// Login of the author.
        pub author: Text,
        /// Login of somebody assigned.
        pub assignee: Text,
        pub sort: Option<Sort>,
    }
}

kernel::choices! {
    #[derive(Default)]
    pub enum Sort {
        #[default]
        Newest = "created_desc",
        Oldest = "created_asc",
        Updated = "updated_desc",
        Due = "due_date_asc",
        Popular = "popularity_desc",
        Title = "title_asc",
    }
}

pub(super) const SORTS: &[(&str, &str)] = &[
    ("created_desc", "Newest first"),
    ("created_asc", "Oldest first"),
    ("updated_desc", "Recently updated"),
    ("due_date_asc", "Due soonest"),
    ("popularity_desc", "Most votes"),
    ("title_asc", "Title"),
];

/// The list that a request is about: of all issues, or of one kind.
pub struct Listed(Option<IssueKind>);

impl FromCall for Listed {
    async fn from_call(call: &mut Call) -> Result<Self> {
        let only_incidents = call.route.path.contains("/-/incidents");
        Ok(Listed(only_incidents.then_some(IssueKind::Incident)))
    }
}

impl Listed {
    /// Its part of an address.
    fn path(&self) -> &'static str {
        match self.0 {
            None => "issues",
            Some(_) => "incidents",
        }
    }

    /// A page of it, narrowed and sorted so, below the address of its project
    /// or group.
    pub fn address(&self, space: &str, query: &ListPage, page: u64) -> String {
        let narrowed = query.narrowed();
        let list = format!("{space}/-/{}", self.path());
        let first = at(&list, &narrowed.query(narrowed.state, None));
        match page > 1 {
            true => Pages::new(1, 1, 0, first).url_of(page),
            false => first,
        }
    }
}

impl ListPage {
    pub fn narrowed(&self) -> Narrowed<'_> {
        Narrowed {
            marks: vec![
                ("search", "Search", &self.search),
                ("labels", "Label", &self.labels),
                ("milestone", "Milestone", &self.milestone),
                ("author", "Author", &self.author),
                ("assignee", "Assignee", &self.assignee),
            ],
            state: self.state.unwrap_or_default(),
            sort: self.sort.map(Sort::as_str),
        }
    }

    pub fn sort(&self) -> Sort {
        self.sort.unwrap_or_default()
    }
}

pub(super) fn filter(shown: &ListPage, kind: Option<IssueKind>) -> IssueFilter {
    let ListPage { labels, milestone, author, assignee, .. } = shown;
    IssueFilter {
        state: IssueState::from_text(shown.state.unwrap_or_default().as_str()),
        search: narrowed::text(&shown.search),
        kinds: kind.into_iter().collect(),
        is: Marks {
            alike: narrowed::alike(labels, milestone, author, assignee),
            ..Marks::default()
        },
        ..IssueFilter::default()
    }
}

pub(super) fn sorting(shown: &ListPage) -> Sorting {
    let (by, descending) = match shown.sort() {
        Sort::Newest => (OrderBy::CreatedAt, true),
        Sort::Oldest => (OrderBy::CreatedAt, false),
        Sort::Updated => (OrderBy::UpdatedAt, true),
        Sort::Due => (OrderBy::DueDate, false),
        Sort::Popular => (OrderBy::Popularity, true),
        Sort::Title => (OrderBy::Title, false),
    };
    Sorting { by, descending }
}

async fn show(
    app: App, viewer: Viewer, address: Address, Params(params): Params<ListPage>, paging: Paging,
    listed: Listed,
) -> Result<Response> {
    let kind = listed.0;
    let (title, section) = match kind {
        None => ("Issues", Section::Issues),
        Some(_) => ("Incidents", Section::Incidents),
    };
    let page = identity::pages::page(&app, &viewer, title);
    let view = app
        .read(move |tx| {
            let (space, scope) = issues_of(tx, &viewer, &address)?;
            let wanted = filter(&params, kind);
            let counts = counts(tx, &viewer, &scope, &wanted)?;
            let sorting = sorting(&params);
            let found = listing::rows::<Issue>(tx, &viewer, &scope, &wanted, sorting, &paging)?;
            let url = format!("{}/-/{}", space.url(), listed.path());
            let narrowed = params.narrowed();
            let query = narrowed.query(narrowed.state, None);
            let bulk = at(&format!("{url}/bulk_update"), &query);
            let colors = colors(tx, &space, &params.labels)?;
            let frame = narrowed.frame(url, &counts, &colors, &paging);
            let head = space.head(tx, &viewer)?;
            let is_project = matches!(space, Space::Project(..));
            Ok(Issues {
                can_create: is_project && viewer.user_id().is_some(),
                can_update: may_update(&space, &viewer),
                milestones: match may_update(&space, &viewer) {
                    true => choices(tx, &space)?,
                    false => Vec::new(),
                },
                sorts: Choice::list(SORTS),
                bulk_url: Pages { url: bulk, ..frame.pages.clone() }.here(),
                frame,
                issues: read_rows(tx, found, Some(&space))?,
                page: head.page(page, section),
                head,
                title,
                filters: params,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

/// How many issues stand in each tab.
pub(super) fn counts(
    tx: &mut Tx<'_>, viewer: &Viewer, scope: &Scope, filter: &IssueFilter,
) -> Result<[(ListTab, i64); 3]> {
    let mut count = |state| {
        let filter = IssueFilter { state: Some(state), ..filter.clone() };
        listing::count::<Issue>(tx, viewer, scope, &filter)
    };
    let (opened, closed) = (count(IssueState::Opened)?, count(IssueState::Closed)?);
    Ok(by_tab(opened, closed))
}

/// Whether the viewer may change several issues of a list at once.
fn may_update(space: &Space, viewer: &Viewer) -> bool {
    let archived = matches!(space, Space::Project(project, _) if project.archived);
    viewer.user_id().is_some() && space.level() >= REPORTER && !archived
}

/// Milestones that the issues of a list may get.
fn choices(tx: &mut Tx<'_>, space: &Space) -> Result<Vec<Choice>> {
    let parent = authorized(space).parent;
    let found = milestones::usable(tx, &parent, None, MAX_MILESTONES)?;
    let some = found
        .into_iter()
        .map(|goal| Choice { value: goal.id.to_string(), label: goal.title });
    let none = Choice::list(&[("", "No change"), ("0", "None")]);
    Ok(none.into_iter().chain(some).collect())
}

/// The project or group of an address, and the issues that its lists hold.
pub fn issues_of(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address) -> Result<(Space, Scope)> {
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

/// Issues as rows of the list of a project or group, or of any place.
pub fn read_rows(
    tx: &mut Tx<'_>, issues: Vec<Issue>, space: Option<&Space>,
) -> Result<Vec<IssueRow>> {
    let ids: Vec<i64> = issues.iter().map(|issue| issue.id).collect();
    let milestones_found: Vec<i64> = issues.iter().filter_map(|it| it.milestone_id).collect();
    let mut worn = labels::of_issues(tx, &ids)?;
    let milestones_found = milestones::by_ids(tx, &milestones_found)?;
    let assigned = issue_rows::assignees_of(tx, &ids)?;
    let mut people: Vec<i64> = assigned.values().flatten().copied().collect();
    people.extend(issues.iter().filter_map(|issue| issue.author_id));
    let people = load_basic(tx, &people)?;
    let person = |id: &i64| people.get(id).cloned();
    let now = tx.now();
    let row = |issue: Issue| {
        let to = issue.milestone_id.and_then(|id| milestones_found.get(&id));
        let assigned = assigned.get(&issue.id).into_iter().flatten();
        IssueRow {
            reference: match space {
                Some(Space::Project(..)) => format!("#{}", issue.iid),
                _ => format!("{}#{}", issue.project_path, issue.iid),
            },
            list: match space {
                Some(space) => format!("{}/-/issues", space.url()),
                None => format!("/{}/-/issues", issue.project_path),
            },
            labels: worn.remove(&issue.id).unwrap_or_default(),
            milestone: to.map(|goal| goal.title.clone()),
            assignees: assigned.filter_map(person).collect(),
            author: Person::of(issue.author_id.and_then(|id| people.get(&id))),
            created_at: Moment::new(issue.created_at, now),
            issue,
        }
    };
    Ok(issues.into_iter().map(row).collect())
}
