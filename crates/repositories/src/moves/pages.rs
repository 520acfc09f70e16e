//! `/admin/storages`: what lies where, what is moved, and what was.

use super::containers::{self, Named};
use super::entity::groups;
use super::model::{Container, Kind, State, StorageMove};
use super::rules::{self, Together};
use super::store::{self as rows, Filter, Held};
use crate::storages;
use ::store::Tx;
use askama::Template;
use http::Method;
use identity::pages::navigation::administration;
use identity::viewer::{Admin, Viewer};
use jiff::Timestamp;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::ui::{Badge, Choice, Tab};
use kernel::html::{Errors, Page, Pages, ui};
use kernel::http::params::{Param, one_of};
use kernel::http::{Flat, Paging, Params, Response, Routes, Text};
use kernel::ids::Reference;
use serde_json::Value;
use spaces::access::find_projects;
use std::collections::HashMap;

const PATH: &str = "/admin/storages";
const TITLE: &str = "Storages";
/// Moves that are shown with how far they are.
const SHOWN: i64 = 20;
/// The states that tabs list, and what the tabs are called.
const TABS: &[(&str, &str)] = &[
    ("", "All"),
    ("scheduled", "Waiting"),
    ("started", "Copied"),
    ("finished", "Finished"),
    ("failed", "Failed"),
    ("cleanup failed", "Not cleaned up"),
];
const KINDS: &[(&str, &str)] =
    &[("project", "Projects"), ("group", "Wikis of groups"), ("snippet", "Snippets")];

pub(super) fn routes(r: &mut Routes) {
    r.page(Method::GET, PATH, show);
    r.page(Method::POST, PATH, change);
}

kernel::choices! {
    /// What the forms of the page ask for.
    pub enum Action {
        All = "all",
        One = "one",
        Cancel = "cancel",
        Retry = "retry",
    }
}

kernel::params! {
    /// Which moves are listed.
    pub struct Listed {
        pub state: Option<String>,
    }
}

kernel::params! {
    pub struct Form {
        pub action: Action,
        /// The move that is meant.
        pub storage_move: Option<i64>,
        pub fields: Flat<Fields>,
    }
}

kernel::params! {
    /// What is moved, as it is typed.
    #[derive(Default)]
    pub struct Fields {
        pub kind: Option<Kind>,
        pub source_storage_name: Text,
        pub destination_storage_name: Text,
        pub one_kind: Option<Kind>,
        pub one: Text,
        pub one_destination: Text,
    }
}

impl Fields {
    fn kind(&self) -> Kind {
        self.kind.unwrap_or(Kind::Project)
    }

    fn one_kind(&self) -> Kind {
        self.one_kind.unwrap_or(Kind::Project)
    }

    /// The container that is named.
    fn named(&self, tx: &mut Tx<'_>, viewer: &Viewer) -> Result<Named> {
        let typed = Value::String(self.one.trim().to_owned());
        let reference = Reference::parse(&typed).map_err(|_| Error::NotFound(""))?;
        match (self.one_kind(), &reference) {
            (Kind::Project, _) => containers::project(tx, viewer, &reference),
            (Kind::Group, _) => containers::group(tx, viewer, &reference),
            (Kind::Snippet, Reference::Id(id)) => containers::snippet(tx, *id),
            (Kind::Snippet, Reference::Path(_)) => Err(Error::NotFound("Snippet")),
        }
    }
}

#[derive(Clone)]
struct StoragesPage {
    app: App,
    viewer: Viewer,
    state: &'static str,
    paging: Paging,
}

async fn show(app: App, admin: Admin, listed: Params<Listed>, paging: Paging) -> Result<Response> {
    form::show(&app, StoragesPage::new(&app, &admin, &listed, paging)?).await
}

async fn change(
    app: App, admin: Admin, listed: Params<Listed>, form: Params<Form>, paging: Paging,
) -> Result<Response> {
    form::submit(&app, StoragesPage::new(&app, &admin, &listed, paging)?, form.0).await
}

impl StoragesPage {
    fn new(app: &App, admin: &Admin, listed: &Listed, paging: Paging) -> Result<StoragesPage> {
        Ok(StoragesPage {
            app: app.clone(),
            viewer: admin.viewer(),
            state: one_of("state", listed.state.as_deref(), TABS)?,
            paging,
        })
    }

    fn filter(&self) -> Filter {
        Filter {
            states: State::from_text(self.state).into_iter().collect(),
            ..Filter::default()
        }
    }

    /// The move that a form names.
    fn meant(&self, tx: &mut Tx<'_>, form: &Form) -> Result<StorageMove> {
        let id = form.storage_move.ok_or_else(|| Error::missing("storage_move"))?;
        rules::find(tx, id)
    }
}

impl FormPage for StoragesPage {
    type Form = Form;
    type View = StoragesView;
    const FIELDS: &'static [&'static str] = &[
        "kind",
        "source_storage_name",
        "destination_storage_name",
        "one",
        "one_destination",
    ];

    fn page(&self, app: &App) -> Page {
        administration(identity::pages::page(app, &self.viewer, TITLE), TITLE)
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<StoragesView> {
        let (mut moves, total) = rows::page(tx, &self.filter(), &self.paging)?;
        moves.truncate(usize::try_from(self.paging.per_page).unwrap_or(usize::MAX));
        let going = Filter {
            states: vec![State::Started, State::Replicated],
            ..Filter::default()
        };
        let (under_way, _) = rows::page(tx, &going, &Paging::first(SHOWN))?;
        let known = self.app.blobs().storage_names();
        let pairs: Vec<(&str, &str)> =
            known.iter().map(|name| (name.as_str(), name.as_str())).collect();
        let by_weight = [("", "By weight")];
        let tab = |(state, label): &(&str, &str)| {
            Tab::new(label, format!("{PATH}?state={state}"), self.state == *state)
        };
        Ok(StoragesView {
            page,
            url: PATH,
            now: tx.now(),
            storages: storages_of(tx, &known)?,
            under_way: shown(tx, under_way)?,
            moves: shown(tx, moves)?,
            tabs: TABS.iter().map(tab).collect(),
            kinds: Choice::list(KINDS),
            names: Choice::list(&pairs),
            destinations: Choice::list(&[by_weight.as_slice(), pairs.as_slice()].concat()),
            form: typed.form.as_ref().map(|form| form.fields.0.clone()).unwrap_or_default(),
            errors: typed.errors.clone(),
            pages: Pages::of(&self.paging, total, format!("{PATH}?state={}", self.state)),
        })
    }

    fn change(&self, tx: &mut Tx<'_>, form: &Form) -> Result<Outcome<Self>> {
        let text = match form.action {
            Action::All => {
                let all = Together {
                    kind: form.fields.kind(),
                    source: form.fields.source_storage_name.to_string(),
                    destination: form.fields.destination_storage_name.to_string(),
                };
                match rules::schedule_all(tx, &self.app, &self.viewer, &all)? {
                    0 => "There is nothing to move.".to_owned(),
                    1 => "One move is scheduled.".to_owned(),
                    count => format!("{count} moves are scheduled."),
                }
            }
            Action::One => {
                let named = form.fields.named(tx, &self.viewer).map_err(in_form)?;
                let to = form.fields.one_destination.to_string();
                let to = Some(to.as_str()).filter(|name| !name.is_empty());
                rules::schedule(tx, &self.app, &self.viewer, &named, to).map_err(in_form)?;
                format!("{} is going to be moved.", named.name)
            }
            Action::Cancel => {
                let row = self.meant(tx, form)?;
                rules::cancel(tx, &self.app, &self.viewer, row)?;
                "The move is canceled.".to_owned()
            }
            Action::Retry => {
                let row = self.meant(tx, form)?;
                rules::retry(tx, &self.app, &self.viewer, row)?;
                "It is tried again.".to_owned()
            }
        };
        Outcome::led(PATH, text)
    }
}

/// A refusal in the words of the form for one.
fn in_form(error: Error) -> Error {
    match error {
        Error::NotFound(_) | Error::Moved(_) => Error::invalid("one", "is not found"),
        error => {
            let error = form::rename(error, "destination_storage_name", "one_destination");
            Kind::ALL
                .iter()
                .fold(error, |error, kind| form::rename(error, kind.as_str(), "one"))
        }
    }
}

/// All storages: those there are, and those that are named by rows alone.
fn storages_of(tx: &mut Tx<'_>, known: &[String]) -> Result<Vec<StorageRow>> {
    let (held, weights) = (rows::held(tx)?, storages::weight_of_each(tx)?);
    let unknown = held.iter().map(|one| &one.storage).filter(|name| !known.contains(name));
    let names = known.iter().chain(unknown);
    let row = |name: &String| {
        let there = held.iter().find(|one| one.storage == *name).cloned();
        let Held { repositories, bytes, .. } = there.unwrap_or_default();
        StorageRow {
            name: name.clone(),
            is_known: known.contains(name),
            weight: weights.get(name).copied().unwrap_or_default(),
            repositories,
            bytes: bytes.unsigned_abs(),
        }
    };
    Ok(names.map(row).collect())
}

/// Moves with what their containers are called.
fn shown(tx: &mut Tx<'_>, moves: Vec<StorageMove>) -> Result<Vec<MoveRow>> {
    let of = |kind: Kind| -> Vec<i64> {
        let all = moves.iter().map(StorageMove::container);
        all.filter(|one| one.kind() == kind).map(Container::id).collect()
    };
    let mut names: HashMap<Container, (String, String)> = HashMap::new();
    for one in find_projects(tx, &of(Kind::Project))? {
        let url = one.web_url("");
        names.insert(Container::Project(one.id), (one.full_path, url));
    }
    for one in groups(tx, &of(Kind::Group))? {
        let url = one.web_url("");
        names.insert(Container::Group(one.id), (one.full_path, url));
    }
    for one in containers::snippets(tx, &of(Kind::Snippet))? {
        names.insert(Container::Snippet(one.id), (one.title, one.path));
    }
    Ok(moves.into_iter().map(|one| MoveRow::new(one, &names)).collect())
}

/// A storage in the table.
#[derive(Debug)]
pub struct StorageRow {
    name: String,
    is_known: bool,
    weight: i64,
    repositories: i64,
    bytes: u64,
}

/// A move in a list.
#[derive(Debug)]
pub struct MoveRow {
    of: StorageMove,
    /// What is moved, and where that is shown.
    name: String,
    url: String,
}

impl MoveRow {
    fn new(of: StorageMove, names: &HashMap<Container, (String, String)>) -> MoveRow {
        let gone = || ("gone".to_owned(), String::new());
        let (name, url) = names.get(&of.container()).cloned().unwrap_or_else(gone);
        MoveRow { of, name, url }
    }

    fn done(&self) -> u64 {
        self.of.bytes_done.unsigned_abs()
    }

    fn total(&self) -> u64 {
        self.of.bytes_total.unsigned_abs()
    }

    fn badge(&self) -> Badge {
        let tone = match self.of.state {
            State::Initial | State::Scheduled => "plain",
            State::Started | State::Replicated => "warn",
            State::Finished => "good",
            State::Failed | State::CleanupFailed => "bad",
        };
        ui::badge(self.of.state, tone)
    }

    fn way(&self) -> String {
        format!("{} → {}", self.of.source, self.of.destination)
    }

    /// How long nothing could be written.
    fn read_only(&self) -> Option<String> {
        let ms = self.of.read_only_ms?;
        Some(match ms {
            ..1000 => format!("{ms} ms"),
            _ => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        })
    }

    fn may_cancel(&self) -> bool {
        self.of.state.may_fail()
    }

    fn may_retry(&self) -> bool {
        matches!(self.of.state, State::Failed | State::CleanupFailed)
    }
}

/// The page.
#[derive(Debug, Template)]
#[template(path = "storages.html")]
pub struct StoragesView {
    page: Page,
    url: &'static str,
    now: Timestamp,
    storages: Vec<StorageRow>,
    under_way: Vec<MoveRow>,
    moves: Vec<MoveRow>,
    tabs: Vec<Tab>,
    kinds: Vec<Choice>,
    names: Vec<Choice>,
    destinations: Vec<Choice>,
    form: Fields,
    errors: Errors,
    pages: Pages,
}
