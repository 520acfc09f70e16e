//! The list of a group's epics, with those of the groups below it.

use super::desk;
use super::forms::{EpicSort, EpicsPage, SeenBy};
use super::views::{EpicRow, Epics};
use crate::model::IssueState;
use crate::model::epics::Epic;
use crate::pages::narrowed::{self, by_tab, colors};
use crate::pages::notes::Person;
use crate::store::epics::list::{EpicFilter, EpicMarks, OrderBy, Sorting};
use crate::store::epics::progress;
use crate::store::{labels, listing};
use identity::entities::load_basic;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::Choice;
use kernel::html::{Html, Moment};
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
        EpicFilter {
            state,
            search: narrowed::text(&self.search),
            is: EpicMarks {
                labels: narrowed::labels(&self.labels),
                author_username: narrowed::name(&self.author),
                ..EpicMarks::default()
            },
            confidential: self.seen.map(|seen| seen == SeenBy::Reporters),
            descendants: true,
            ..EpicFilter::default()
        }
    }

    fn sorting(&self) -> Sorting {
        let (by, descending) = match self.sort() {
            EpicSort::Newest => (OrderBy::CreatedAt, true),
            EpicSort::Oldest => (OrderBy::CreatedAt, false),
            EpicSort::Updated => (OrderBy::UpdatedAt, true),
            EpicSort::Title => (OrderBy::Title, false),
        };
        Sorting { by, descending }
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
                listing::count::<Epic>(tx, &viewer, &desk.group, &params.filter(Some(state)))
            };
            let counts = by_tab(count(tx, IssueState::Opened)?, count(tx, IssueState::Closed)?);
            let filter = params.filter(IssueState::from_text(state.as_str()));
            let sorting = params.sorting();
            let found = listing::rows::<Epic>(tx, &viewer, &desk.group, &filter, sorting, &paging)?;
            let url = format!("{}/-/epics", space.url());
            let colors = colors(tx, &space, &params.labels)?;
            let frame = params.narrowed().frame(url, &counts, &colors, &paging);
            let head = space.head(tx, &viewer)?;
            Ok(Epics {
                can_create: desk.plans(),
                can_hide: desk.is_reporter(),
                is_first: !frame.is_filtered && counts[2].1 == 0,
                frame,
                sorts: Choice::list(SORTS),
                epics: read_rows(tx, &viewer, &desk.group, found)?,
                page: head.page(page, Section::Epics),
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
