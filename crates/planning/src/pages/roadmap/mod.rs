//! `/groups/<path>/-/roadmap`: the epics of a group, and of the groups below it, as
//! bars in time.

mod drawn;

use super::narrowed::{self, ListTab, at};
use super::{authorized, words};
use crate::access::switches::need_epics;
use crate::model::IssueState;
use crate::model::epics::Epic;
use crate::store::epics::list::{EpicFilter, EpicMarks};
use crate::store::epics::roadmap::{Asked, progress};
use crate::store::milestones;
use askama::Template;
use http::Method;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::timeline::{Mark, Scale, Span};
use kernel::html::ui::{self, Chip, Choice, Tab, Timeline};
use kernel::html::{Html, Page, Pages};
use kernel::http::params::Text;
use kernel::http::{Paging, Params, Response, Routes};
use kernel::time::date_of;
use spaces::access::Purpose;
use spaces::pages::{Address, GROUP, Section, Space, SpaceHead};
use store::Tx;

/// Epics of one page that stand below those it is a page of.
const MOST_BELOW: usize = 100;
/// Epics without days that are named.
const MOST_UNDATED: i64 = 20;
/// Milestones that are marked.
const MOST_MARKS: i64 = 40;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &format!("{GROUP}/-/roadmap"), show);
}

kernel::choices! {
    #[derive(Default)]
    pub enum Sort {
        #[default]
        Start = "start_date_asc",
        End = "end_date_asc",
    }
}

kernel::params! {
    /// What of the epics is drawn; empty texts narrow nothing.
    #[derive(Default)]
    pub struct Query {
        /// In title or description.
        pub search: Text,
        pub state: Option<ListTab>,
        /// Titles of labels, told apart by commas; all must be there.
        pub labels: Text,
        /// Login of the author.
        pub author: Text,
        pub sort: Option<Sort>,
        pub scale: Option<Scale>,
        /// A day of the first column.
        pub from: Text,
    }
}

/// `/groups/<path>/-/roadmap`.
#[derive(Debug, Template)]
#[template(path = "roadmap.html")]
struct Roadmap {
    page: Page,
    head: SpaceHead,
    url: String,
    query: Query,
    chips: Vec<Chip>,
    scales: Vec<Tab>,
    /// The same for days before and after, with the epics that end before the days and
    /// that begin after them.
    earlier: Option<(String, i64)>,
    later: Option<(String, i64)>,
    now: String,
    timeline: Timeline,
    is_empty: bool,
    /// Epics below the drawn ones that are not.
    is_cut: bool,
    pages: Pages,
    /// Epics without days with their references, and how many there are.
    undated: Vec<(Epic, String)>,
    undated_total: i64,
}

impl Query {
    fn scale(&self) -> Scale {
        self.scale.unwrap_or_default()
    }

    /// The address's query, with other values of some parameters.
    fn with(&self, set: &[(&str, &str)]) -> String {
        let own = [
            ("search", self.search.trim()),
            ("labels", self.labels.trim()),
            ("author", self.author.trim()),
            ("state", self.state.map_or("", |state| state.as_str())),
            ("sort", self.sort.map_or("", |sort| sort.as_str())),
            ("scale", self.scale.map_or("", |scale| scale.as_str())),
            ("from", self.from.trim()),
        ];
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        for (name, value) in own {
            let value = set.iter().find(|(one, _)| *one == name).map_or(value, |(_, other)| other);
            if !value.is_empty() {
                query.append_pair(name, value);
            }
        }
        query.finish()
    }

    /// What narrows the epics, each with the roadmap without it.
    fn chips(&self, url: &str) -> Vec<Chip> {
        let chip = |text: String, name: &str, rest: &str| {
            Chip::new(text, at(url, &self.with(&[(name, rest)])))
        };
        let labels = words(&self.labels);
        let label = |one: &String| {
            let rest = labels.iter().filter(|other| *other != one).cloned();
            chip(format!("Label: {one}"), "labels", &rest.collect::<Vec<_>>().join(","))
        };
        let texts = [("Search", "search", &self.search), ("Author", "author", &self.author)];
        let texts = texts.into_iter().filter(|(.., text)| !text.trim().is_empty());
        texts
            .map(|(title, name, text)| chip(format!("{title}: {}", text.trim()), name, ""))
            .chain(labels.iter().map(label))
            .collect()
    }

    fn filter(&self) -> EpicFilter {
        EpicFilter {
            state: IssueState::from_text(self.state.unwrap_or_default().as_str()),
            search: narrowed::text(&self.search),
            is: EpicMarks {
                labels: narrowed::labels(&self.labels),
                author_id: None,
                author_username: narrowed::name(&self.author),
            },
            descendants: true,
            ..EpicFilter::default()
        }
    }

    /// How many of its own fields the filter uses.
    fn filters(&self) -> usize {
        let fields = [!self.labels.trim().is_empty(), !self.author.trim().is_empty()];
        let state = self.state.is_some_and(|state| state != ListTab::default());
        fields.into_iter().chain([state]).filter(|is_set| *is_set).count()
    }
}

impl Roadmap {
    fn states(&self) -> Vec<Choice> {
        Choice::list(&[("opened", "Open"), ("closed", "Closed"), ("all", "All")])
    }

    fn sorts(&self) -> Vec<Choice> {
        Choice::list(&[("start_date_asc", "By start"), ("end_date_asc", "By end")])
    }
}

async fn show(
    app: App, viewer: Viewer, address: Address, Params(query): Params<Query>, paging: Paging,
) -> Result<Response> {
    let page = identity::pages::page(&app, &viewer, "Roadmap");
    let asked = (query, paging);
    let view = app.read(move |tx| read(tx, (&viewer, &address), asked, page)).await?;
    Ok(Html::new(&view)?.response())
}

fn read(
    tx: &mut Tx<'_>, (viewer, address): (&Viewer, &Address), (query, paging): (Query, Paging),
    page: Page,
) -> Result<Roadmap> {
    let space = address.authorize(tx, viewer, Purpose::Read)?;
    let Space::Group(group, _) = &space else {
        return Err(Error::NotFound("Group"));
    };
    need_epics(tx, group)?;
    let today = date_of(tx.now());
    let span = Span::of(query.scale(), &query.from, page.preferences().first_day, today);
    let filter = query.filter();
    let asked = Asked {
        viewer,
        group,
        filter: &filter,
        days: span.days(),
        by_end: query.sort.unwrap_or_default() == Sort::End,
    };
    let (roots, total) = asked.roots(tx, &paging)?;
    let (below, is_cut) = asked.below(tx, &roots, MOST_BELOW)?;
    let (undated, undated_total) = asked.undated(tx, MOST_UNDATED)?;
    let outside = asked.outside(tx)?;
    let ids: Vec<i64> = roots.iter().chain(&below).map(|epic| epic.id).collect();
    let done = progress(tx, viewer, &ids)?;
    let is_empty = roots.is_empty();
    let rows = drawn::rows(roots, below, &done, group.id);
    let parent = authorized(&space).parent;
    let goals = milestones::due_between(tx, &parent, span.days(), MOST_MARKS)?;
    let marks = goals
        .into_iter()
        .filter_map(|goal| Some(Mark { day: goal.due_on?, url: goal.path(), title: goal.title }));
    let url = format!("{}/-/roadmap", space.url());
    let from = |times: i64, epics: i64| {
        Some((at(&url, &query.with(&[("from", &span.moved(times)?)])), epics))
    };
    let scale = |(scale, label): &(Scale, &str)| {
        let set = [("scale", scale.as_str()), ("from", "")];
        Tab::new(label, at(&url, &query.with(&set)), *scale == query.scale())
    };
    let head = space.head(tx, viewer)?;
    Ok(Roadmap {
        page: head.page(page, Section::Roadmap),
        head,
        chips: query.chips(&url),
        scales: Scale::NAMED.iter().map(scale).collect(),
        earlier: from(-1, outside.0),
        later: from(1, outside.1),
        now: at(&url, &query.with(&[("from", "")])),
        timeline: Timeline::new("Epics", &span, rows, marks.collect()),
        is_empty,
        is_cut,
        pages: Pages::of(&paging, total, at(&url, &query.with(&[]))),
        undated: undated
            .into_iter()
            .map(|epic| {
                let reference = epic.reference_from(group.id);
                (epic, reference)
            })
            .collect(),
        undated_total,
        url,
        query,
    })
}
