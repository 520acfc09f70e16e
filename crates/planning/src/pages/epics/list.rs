//! The list of a group's epics, with those of the groups below it.

use super::desk;
use super::forms::{EpicSort, EpicsPage, SeenBy};
use super::views::{EpicRow, Epics};
use crate::model::IssueState;
use crate::model::epics::Epic;
use crate::pages::list::{by_tab, colors};
use crate::pages::narrowed::{ListTab, at};
use crate::pages::notes::Person;
use crate::pages::words;
use crate::store::epics::list::{self as rows, EpicFilter, EpicMarks, OrderBy};
use crate::store::epics::progress;
use crate::store::issues::filter::Has;
use crate::store::labels;
use identity::entities::load_basic;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{Choice, Tab};
use kernel::html::{Html, Moment, Pages};
use kernel::http::{Paging, Params, Response};
use spaces::access::Purpose;
use spaces::model::Namespace;
use spaces::pages::{Address, Section};
use store::Tx;

const SORTS: &[(&str, &str)] = &[
    ("created_desc", "Newest first"),
    ("created_asc", "Oldest first"),
    ("updated_desc", "Recently updated"),
    ("title_asc", "Title"),
];

impl EpicsPage {
    fn filter(&self, state: Option<IssueState>) -> EpicFilter {
        let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let titles = words(&self.labels);
        EpicFilter {
            state,
            search: text(&self.search),
            is: EpicMarks {
                labels: (!titles.is_empty()).then_some(Has::This(titles)),
                author_username: text(self.author.trim_start_matches('@')),
                ..EpicMarks::default()
            },
            confidential: self.seen.map(|seen| seen == SeenBy::Reporters),
            descendants: true,
            ..EpicFilter::default()
        }
    }

    fn order(&self) -> (OrderBy, bool) {
        match self.sort() {
            EpicSort::Newest => (OrderBy::CreatedAt, true),
            EpicSort::Oldest => (OrderBy::CreatedAt, false),
            EpicSort::Updated => (OrderBy::UpdatedAt, true),
            EpicSort::Title => (OrderBy::Title, false),
        }
    }
}

pub async fn show(
    app: App, viewer: Viewer, address: Address, Params(params): Params<EpicsPage>, paging: Paging,
) -> Result<Response> {
    let page = identity::pages::page(&app, &viewer, "Epics");
    let view = app
        .read(move |tx| {
            let (space, desk) = desk(tx, &viewer, &address, Purpose::Read)?;
            let state = params.state.unwrap_or_default();
            let count = |tx: &mut Tx<'_>, state| {
                rows::count(tx, &viewer, &desk.group, &params.filter(Some(state)))
            };
            let counts = by_tab(count(tx, IssueState::Opened)?, count(tx, IssueState::Closed)?);
            let total = counts.iter().find(|(one, _)| *one == state).map_or(0, |(_, n)| *n);
            let filter = params.filter(IssueState::from_text(state.as_str()));
            let order = params.order();
            let found = rows::list(tx, &viewer, &desk.group, &filter, order, paging.clone())?;
            let url = format!("{}/-/epics", space.url());
            let narrowed = params.narrowed();
            let tab = |(one, count): &(ListTab, i64)| {
                let to = at(&url, &narrowed.query(*one, None));
                Tab::new(one.label(), to, *one == state).count(count.unsigned_abs())
            };
            let head = space.head(tx, &viewer)?;
            let is_filtered = narrowed.narrows();
            Ok(Epics {
                can_create: desk.plans(),
                can_hide: desk.is_reporter(),
                is_first: !is_filtered && counts[2].1 == 0,
                is_filtered,
                state,
                tabs: counts.iter().map(tab).collect(),
                chips: narrowed.chips(&url, &colors(tx, &space, &params.labels)?),
                sorts: Choice::list(SORTS),
                pages: Pages::of(&paging, total, at(&url, &narrowed.query(state, None))),
                epics: read_rows(tx, &viewer, &desk.group, found.items)?,
                page: head.page(page, Section::Epics),
                url,
                filters: params,
            })
        })
        .await?;
    Ok(Html::new(&view)?.response())
}

fn read_rows(
    tx: &mut Tx<'_>, viewer: &Viewer, group: &Namespace, epics: Vec<Epic>,
) -> Result<Vec<EpicRow>> {
    let ids: Vec<i64> = epics.iter().map(|epic| epic.id).collect();
    let authors: Vec<i64> = epics.iter().filter_map(|epic| epic.author_id).collect();
    let mut worn = labels::of_epics(tx, &ids)?;
    let people = load_basic(tx, &authors)?;
    let far = progress::of(tx, viewer, &ids)?;
    let now = tx.now();
    let row = |epic: Epic| EpicRow {
        reference: epic.reference_from(group.id),
        labels: worn.remove(&epic.id).unwrap_or_default(),
        author: Person::of(epic.author_id.and_then(|id| people.get(&id))),
        created_at: Moment::new(epic.created_at, now),
        progress: far.get(&epic.id).copied().unwrap_or_default(),
        epic,
    };
    Ok(epics.into_iter().map(row).collect())
}
