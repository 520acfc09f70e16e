//! `/search`, and the page of the keys.

use crate::kinds::Kind;
use crate::limits;
use askama::Template;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::{self, Chip, Tab};
use kernel::html::{Html, Moment, Page, Pages};
use kernel::http::{Paging, Params, RequestContext, Response, Routes, Text};
use kernel::ids::Reference;
use kernel::search::{COUNT_LIMIT, Found, Hit, Piece, Query};
use planning::access::switches::instance_has_epics;
use spaces::access::Purpose;
use spaces::search::Place;
use std::sync::Arc;
use store::Tx;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/search", search);
    r.page(Method::GET, "/-/help/shortcuts", shortcuts);
}

kernel::params! {
    /// What is searched for, and where.
    pub struct Asked {
        /// Words.
        pub q: Text,
        /// The kind of things shown.
        pub r#type as "type": Text,
        /// Path of a project to search.
        pub project: Text,
        /// Path of a group to search.
        pub group: Text,
    }
}

/// The page of what was found.
#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    page: Page,
    q: String,
    /// Why the text cannot be searched for.
    refusal: String,
    /// The kind that was asked for.
    kind: &'static str,
    project: String,
    group: String,
    /// The place that is searched, which leads to the same search everywhere.
    place: Vec<Chip>,
    is_asked: bool,
    tabs: Vec<Tab>,
    rows: Vec<Row>,
    pages: Pages,
}

struct Row {
    icon: &'static str,
    url: String,
    title: Vec<Piece>,
    snippet: Vec<Piece>,
    place: String,
    place_url: String,
    number: Option<i64>,
    word: String,
    at: Moment,
}

/// What somebody searches for, with where.
struct Search {
    viewer: Viewer,
    asked: Asked,
    query: Query,
    place: Place,
}

async fn search(
    app: App, viewer: Viewer, params: Params<Asked>, paging: Paging, request: Arc<RequestContext>,
) -> Result<Response> {
    let asked = params.0;
    let is_asked = !asked.q.trim().is_empty();
    if is_asked {
        limits::count(&app, &viewer, request.peer).await?;
    }
    let title = match is_asked {
        true => format!("{} · Search", asked.q.trim().chars().take(60).collect::<String>()),
        false => "Search".to_owned(),
    };
    let mut shown = page(&app, &viewer, "Search");
    shown.title = title;
    let (query, refusal) = match Query::parse(&asked.q) {
        Ok(query) => (query, String::new()),
        Err(Error::Parameters(texts)) => (Query::default(), texts.join("; ")),
        Err(other) => return Err(other),
    };
    let view = app.read(move |tx| {
        let place = place(tx, &viewer, &asked)?;
        let search = Search { viewer, asked, query, place };
        if let Some(url) = search.target(tx)? {
            return Err(Error::SeeOther(url));
        }
        let found = search.run(tx, &paging)?;
        Ok(search.view(shown, refusal, is_asked, found))
    });
    Ok(Html::new(&view.await?)?.response())
}

/// Where somebody searches; everywhere, if what they named does not show to them.
fn place(tx: &mut Tx<'_>, viewer: &Viewer, asked: &Asked) -> Result<Place> {
    let named = |path: &Text| Reference::Path(path.to_string());
    let found = match (&asked.project, &asked.group) {
        (project, _) if !project.is_empty() => Place::of_project(tx, viewer, &named(project)),
        (_, group) if !group.is_empty() => Place::of_group(tx, viewer, &named(group)),
        _ => return Ok(Place::Everywhere),
    };
    match found {
        Err(Error::NotFound(_) | Error::Moved(_)) => Ok(Place::Everywhere),
        other => other,
    }
}

/// What one page shows of a search.
struct ResultPage {
    kind: Kind,
    counts: Vec<(Kind, i64)>,
    rows: Vec<Row>,
    pages: Pages,
}

impl Search {
    /// The page of the one thing that a text names: `#12` in a project, `&5` in a group or
    /// a project of it, `acme/anvil#12`, `acme&5`, `acme/anvil`.
    fn target(&self, tx: &mut Tx<'_>) -> Result<Option<String>> {
        let text = self.asked.q.trim();
        if text.contains(char::is_whitespace) {
            return Ok(None);
        }
        if let Some((path, number)) = text.split_once('&') {
            return self.epic(tx, path, number);
        }
        let (path, number) = match text.split_once('#') {
            Some((path, number)) => (path, Some(number)),
            None => (text, None),
        };
        let project = match path {
            "" => None,
            path if path.contains('/') => {
                let project = Reference::Path(path.trim_matches('/').to_owned());
                seen(Place::of_project(tx, &self.viewer, &project))?
            }
            _ => return Ok(None),
        };
        if let Some(number) = number {
            let place = if path.is_empty() {
                Some(&self.place)
            } else {
                project.as_ref()
            };
            return self.issue(tx, place, number);
        }
        match project {
            Some(Place::Project(project, _)) => Ok(Some(format!("/{}", project.full_path))),
            _ if path.is_empty() => Ok(None),
            _ => self.group(tx, path.trim_matches('/')),
        }
    }

    fn group(&self, tx: &mut Tx<'_>, path: &str) -> Result<Option<String>> {
        let path = Reference::Path(path.to_owned());
        let group = seen(spaces::access::group(tx, &self.viewer, &path, Purpose::Read))?;
        Ok(group.map(|group| format!("/groups/{}", group.full_path)))
    }

    fn epic(&self, tx: &mut Tx<'_>, path: &str, number: &str) -> Result<Option<String>> {
        let group = match (path, &self.place) {
            ("", Place::Group(group)) => group.full_path.clone(),
            ("", Place::Project(project, _)) => match project.full_path.rsplit_once('/') {
                Some((above, _)) => above.to_owned(),
                None => return Ok(None),
            },
            ("", Place::Everywhere) => return Ok(None),
            (path, _) => path.trim_matches('/').to_owned(),
        };
        let group = seen(Place::of_group(tx, &self.viewer, &Reference::Path(group)))?;
        let (Some(Place::Group(group)), Ok(number)) = (group, number.parse::<i64>()) else {
            return Ok(None);
        };
        if !instance_has_epics(tx)? {
            return Ok(None);
        }
        let place = Place::Group(group.clone());
        let mut found = planning::search::epics(tx, &self.viewer, &place, None, None);
        found
            .condition
            .push(" and epics.iid = ", number)
            .push(" and epics.group_id = ", group.id);
        Ok(found.only(tx)?.map(|hit| Kind::Epics.url(&hit)))
    }

    fn issue(
        &self, tx: &mut Tx<'_>, place: Option<&Place>, number: &str,
    ) -> Result<Option<String>> {
        let (Some(place @ Place::Project(..)), Ok(number)) = (place, number.parse::<i64>()) else {
            return Ok(None);
        };
        let mut found = planning::search::issues(tx, &self.viewer, place, None, None);
        found.condition.push(" and issues.iid = ", number);
        Ok(found.only(tx)?.map(|hit| Kind::Issues.url(&hit)))
    }

    fn found(&self, tx: &Tx<'_>, kind: Kind, few: &Option<Vec<i64>>) -> Found {
        kind.found(tx, &self.viewer, &self.place, few)
    }

    fn run(&self, tx: &mut Tx<'_>, paging: &Paging) -> Result<Option<ResultPage>> {
        if self.query.is_empty() {
            return Ok(None);
        }
        let few = self.place.few(tx, &self.viewer)?;
        let has_epics = instance_has_epics(tx)?;
        let is_there = |kind: &Kind| has_epics || *kind != Kind::Epics;
        let mut counts = Vec::new();
        for kind in Kind::ALL.iter().copied().filter(is_there) {
            counts.push((kind, self.found(tx, kind, &few).count(tx, &self.query)?));
        }
        let first = counts.iter().find(|(_, count)| *count > 0).map(|(kind, _)| *kind);
        let asked = Kind::from_text(&self.asked.r#type).filter(is_there);
        let kind = asked.or(first).unwrap_or(Kind::Issues);
        let found = self.found(tx, kind, &few);
        let hits = found.rows::<Hit>(tx, found.source.hit, &self.query, false, paging)?;
        let now = tx.now();
        let shown = hits.iter().take(paging.per_page.unsigned_abs() as usize);
        let counted = counts.iter().find(|(of, _)| *of == kind).map_or(0, |(_, count)| *count);
        // Past what is counted, pages lead on one by one.
        let total = match hits.len() as i64 {
            0 => counted,
            some => counted.min(COUNT_LIMIT).max(paging.offset() + some),
        };
        Ok(Some(ResultPage {
            kind,
            counts,
            rows: shown.map(|hit| self.row(kind, hit, now)).collect(),
            pages: Pages::of(paging, total, self.url(kind.as_str(), true)),
        }))
    }

    fn row(&self, kind: Kind, hit: &Hit, now: kernel::time::Timestamp) -> Row {
        let own = matches!(kind, Kind::Projects | Kind::Groups | Kind::People);
        let place_url = match (own, kind) {
            (true, _) => kind.url(hit),
            (false, _) => format!("/{}", hit.place),
        };
        let place = match kind {
            Kind::People => format!("@{}", hit.place),
            _ => hit.place.trim_start_matches("groups/").to_owned(),
        };
        Row {
            icon: kind.icon(),
            url: kind.url(hit),
            title: self.query.marked(&hit.title),
            snippet: self.query.snippet(hit.body.as_deref().unwrap_or_default()),
            place,
            place_url,
            number: hit.number.filter(|_| kind != Kind::Milestones),
            word: hit.word.clone().unwrap_or_default(),
            at: Moment::new(hit.at, now),
        }
    }

    /// The address of this search for things of a kind, there or everywhere.
    fn url(&self, kind: &str, is_there: bool) -> String {
        let path = String::from("/search?");
        let start = path.len();
        let mut query = url::form_urlencoded::Serializer::for_suffix(path, start);
        query.append_pair("q", &self.asked.q);
        if !kind.is_empty() {
            query.append_pair("type", kind);
        }
        match &self.place {
            Place::Project(project, _) if is_there => {
                query.append_pair("project", &project.full_path);
            }
            Place::Group(group) if is_there => {
                query.append_pair("group", &group.full_path);
            }
            _ => {}
        }
        query.finish()
    }

    fn view(
        &self, page: Page, refusal: String, is_asked: bool, found: Option<ResultPage>,
    ) -> SearchPage {
        let (project, group) = match &self.place {
            Place::Everywhere => Default::default(),
            Place::Project(project, _) => (project.full_path.clone(), String::new()),
            Place::Group(group) => (String::new(), group.full_path.clone()),
        };
        let chip = |path: &String| {
            Chip::new(format!("in {path}"), self.url(&self.asked.r#type, false))
                .about(format!("Search everywhere instead of in {path}"))
        };
        let place = [&project, &group].into_iter().filter(|path| !path.is_empty());
        let (tabs, rows, pages) = match found {
            None => (Vec::new(), Vec::new(), Pages::default()),
            Some(found) => (self.tabs(&found), found.rows, found.pages),
        };
        SearchPage {
            q: self.asked.q.to_string(),
            kind: Kind::from_text(&self.asked.r#type).map_or("", Kind::as_str),
            page,
            refusal,
            place: place.map(chip).collect(),
            project,
            group,
            is_asked,
            tabs,
            rows,
            pages,
        }
    }

    /// A tab for each kind that has matches, and for the one shown.
    fn tabs(&self, found: &ResultPage) -> Vec<Tab> {
        let shown = found.counts.iter().filter(|(kind, count)| *count > 0 || *kind == found.kind);
        let tab = |(kind, count): &(Kind, i64)| {
            let url = self.url(kind.as_str(), true);
            let tab = Tab::new(kind.label(), url, *kind == found.kind);
            tab.count_to(count.unsigned_abs(), COUNT_LIMIT.unsigned_abs())
        };
        shown.map(tab).collect()
    }
}

/// What was looked up, if it shows to the viewer.
fn seen<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Error::NotFound(_) | Error::Moved(_)) => Ok(None),
        Err(other) => Err(other),
    }
}

/// The page of the keys.
#[derive(Template)]
#[template(path = "shortcuts.html")]
struct Shortcuts {
    page: Page,
    groups: Vec<KeyGroup>,
}

struct KeyGroup {
    title: &'static str,
    /// Keys with spaces between them, and what they do.
    keys: Vec<(Vec<&'static str>, &'static str)>,
}

const EVERYWHERE: &[(&str, &str)] = &[
    ("/", "Search"),
    ("Ctrl K", "Search; on a Mac ⌘ K"),
    ("?", "This page"),
    ("g h", "Home"),
    ("g t", "To-do list"),
    ("Esc", "Close a menu"),
];

const IN_PROJECTS: &[(&str, &str)] = &[
    ("g o", "Overview"),
    ("g f", "Files"),
    ("g i", "Issues"),
    ("g p", "Packages"),
    ("g e", "Errors"),
    ("g a", "Alerts"),
    ("g m", "Members"),
    ("c", "New issue, on pages that have a button for it"),
];

const IN_LISTS: &[(&str, &str)] =
    &[("j", "Next row"), ("k", "Previous row"), ("Enter", "Open the row")];

const IN_CODE: &[(&str, &str)] = &[
    ("t", "Find a file"),
    ("y", "The same at its commit, which stays what it is"),
    ("b", "Who wrote which line"),
];

async fn shortcuts(app: App, viewer: Viewer) -> Result<Response> {
    let group = |title, keys: &[(&'static str, &'static str)]| KeyGroup {
        title,
        keys: keys.iter().map(|(keys, what)| (keys.split(' ').collect(), *what)).collect(),
    };
    let groups = vec![
        group("Everywhere", EVERYWHERE),
        group("In a project or group", IN_PROJECTS),
        group("In a list", IN_LISTS),
        group("In files", IN_CODE),
    ];
    let page = page(&app, &viewer, "Keyboard shortcuts");
    Ok(Html::new(&Shortcuts { page, groups })?.response())
}
