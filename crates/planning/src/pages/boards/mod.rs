//! `…/-/boards`: issues of a project or group in columns.

mod add;
mod cards;
mod change;
mod moves;
pub mod parts;

use super::list::{ListPage, filter, issues_of};
use super::narrowed::{at, colors};
use super::{authorized, labels};
use crate::access::Scope;
use crate::model::boards::{Columns, Key};
use crate::rules::boards as rules;
use crate::store::boards::cards::Asked;
use crate::store::boards::projects;
use askama::Template;
use http::Method;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Chip, Choice, Tab};
use kernel::html::{Html, Page};
use kernel::http::params::Text;
use kernel::http::{Flat, Params, Response, Routes};
use parts::{Board, Column};
use spaces::access::REPORTER;
use spaces::pages::{Address, Section, Space, section};
use store::Tx;

/// Cards of a column, until more are asked for.
const CARDS: i64 = 20;
/// Most cards of one column: what is below them is found by the list.
const MOST_CARDS: i64 = 200;
/// Projects that a group's board offers for a new issue.
const MOST_PROJECTS: i64 = 100;

pub fn routes(r: &mut Routes) {
    section(r, Method::GET, "boards", show);
    section(r, Method::POST, "boards", change::change);
    section(r, Method::POST, "boards/move", moves::carry);
    section(r, Method::POST, "boards/issues", add::add);
    section(r, Method::GET, "boards/{board_id}", show);
}

kernel::params! {
    /// What of a board is shown.
    #[derive(Default)]
    pub struct BoardQuery {
        /// The board; the first one unless given.
        pub board_id: Option<i64>,
        /// The column that shows more cards than the others, and how many.
        pub more: Text,
        pub cards: Option<i64>,
        pub filters: Flat<ListPage>,
    }
}

impl BoardQuery {
    /// How many cards a column shows.
    fn most(&self, key: Key) -> i64 {
        match self.more.parse::<Key>() {
            Ok(more) if more == key => self.cards.unwrap_or(CARDS).clamp(CARDS, MOST_CARDS),
            _ => CARDS,
        }
    }

    /// What narrows the board: its columns say which issues are open and how they are
    /// sorted.
    fn filters(&self) -> ListPage {
        ListPage { state: None, sort: None, ..self.filters.0.clone() }
    }
}

/// `…/-/boards` and `…/-/boards/<id>`.
#[derive(Debug, Template)]
#[template(path = "boards.html")]
struct BoardPage {
    page: Page,
    /// Where boards are made and changed.
    all: String,
    /// This board without what narrows it.
    url: String,
    tabs: Vec<Tab>,
    filters: ListPage,
    chips: Vec<Chip>,
    can_manage: bool,
    /// There is a row of it.
    is_stored: bool,
    hides: (bool, bool),
    board: Board,
}

/// The board that a request is about, where it stands, and what stands on it.
struct Shown {
    space: Space,
    scope: Scope,
    columns: Columns,
}

impl Shown {
    fn find(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, id: Option<i64>) -> Result<Shown> {
        let (space, scope) = issues_of(tx, viewer, address)?;
        let here = authorized(&space);
        let columns = match id {
            None | Some(0) => rules::first(tx, &here)?,
            Some(id) => rules::find(tx, &here, id)?,
        };
        Ok(Shown { space, scope, columns })
    }

    fn all(&self) -> String {
        format!("{}/-/boards", self.space.url())
    }

    /// Its own address; of a board that is not stored that of all.
    fn url(&self) -> String {
        url_of(&self.all(), self.columns.board.id)
    }
}

fn url_of(all: &str, id: i64) -> String {
    match id {
        0 => all.to_owned(),
        id => format!("{all}/{id}"),
    }
}

async fn show(
    app: App, viewer: Viewer, address: Address, Params(query): Params<BoardQuery>,
) -> Result<Response> {
    let page = identity::pages::page(&app, &viewer, "Boards");
    let view = app.read(move |tx| read(tx, &viewer, &address, &query, page)).await?;
    Ok(Html::new(&view)?.response())
}

fn read(
    tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, query: &BoardQuery, mut page: Page,
) -> Result<BoardPage> {
    let shown = Shown::find(tx, viewer, address, query.board_id)?;
    let here = authorized(&shown.space);
    let stored = rules::all(tx, &here)?;
    let filters = query.filters();
    let (all, url) = (shown.all(), shown.url());
    let current = shown.columns.board.id;
    let tab = |board: &crate::model::boards::Board| {
        Tab::new(&board.name, url_of(&all, board.id), board.id == current)
    };
    let can_manage = labels::may_manage(viewer, &here);
    let board = columns(tx, viewer, &shown, query, (&page.csrf, can_manage))?;
    page.title.clone_from(&shown.columns.board.name);
    let head = shown.space.head(tx, viewer)?;
    let colors = colors(tx, &shown.space, &filters.labels)?;
    Ok(BoardPage {
        page: head.page_below(page, Section::Boards),
        tabs: match stored.len() {
            0 | 1 => Vec::new(),
            _ => stored.iter().map(tab).collect(),
        },
        chips: filters.narrowed().chips(&url, &colors),
        filters,
        can_manage,
        is_stored: current > 0,
        hides: (shown.columns.board.hide_backlog_list, shown.columns.board.hide_closed_list),
        board,
        all,
        url,
    })
}

/// The columns with their cards, as the viewer may work with them.
fn columns(
    tx: &mut Tx<'_>, viewer: &Viewer, shown: &Shown, query: &BoardQuery,
    (csrf, can_manage): (&str, bool),
) -> Result<Board> {
    let filters = query.filters();
    let narrowed = filter(&filters, None);
    let asked = Asked {
        viewer,
        scope: &shown.scope,
        filter: &narrowed,
        columns: &shown.columns,
    };
    let keys = shown.columns.keys();
    let counts = asked.counts(tx, &keys)?;
    let found = asked.cards(tx, &keys, |key| query.most(key))?;
    let mut cards = cards::read(tx, viewer, &shown.space, found)?;
    let projects = projects::open_to(tx, viewer, &shown.scope, MOST_PROJECTS)?;
    let narrows = filters.narrowed().query(Default::default(), None);
    let url = shown.url();
    let column = |key: Key| {
        let cards = cards.remove(&key.number()).unwrap_or_default();
        let count = counts.get(&key.number()).copied().unwrap_or_default();
        let more = (cards.len() as i64) < count.cards.min(MOST_CARDS);
        let further = format!("more={key}&cards={}", query.most(key) + CARDS);
        Column {
            more: more.then(|| at(&at(&url, &narrows), &further)),
            is_cut: count.cards > MOST_CARDS,
            may_add: may_add(viewer, &shown.space, key, !projects.is_empty()),
            ..Column::new(&shown.columns, key, cards, count)
        }
    };
    let all = shown.all();
    Ok(Board {
        name: shown.columns.board.name.clone(),
        id: shown.columns.board.id,
        move_url: at(&format!("{all}/move"), &narrows),
        add_url: at(&format!("{all}/issues"), &narrows),
        list_url: at(&format!("{}/-/issues", shown.space.url()), &narrows),
        columns: keys.into_iter().map(column).collect(),
        projects: projects.iter().map(choice).collect(),
        csrf: csrf.to_owned(),
        manage_url: can_manage.then_some(all),
    })
}

fn choice((id, path): &(i64, String)) -> Choice {
    Choice { value: id.to_string(), label: path.clone() }
}

/// Whether the viewer makes issues in a column: in Open who makes issues at all, in
/// those of labels who sets labels.
fn may_add(viewer: &Viewer, space: &Space, key: Key, has_projects: bool) -> bool {
    match (key, space) {
        (Key::Closed, _) => false,
        (_, Space::Group(..)) => has_projects,
        (_, Space::Project(project, _)) if project.archived => false,
        (Key::Open, Space::Project(..)) => viewer.user_id().is_some(),
        (Key::List(_), Space::Project(_, level)) => {
            viewer.user_id().is_some() && *level >= REPORTER
        }
    }
}
