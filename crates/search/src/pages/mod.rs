//! `/search`, and the page of the keys.

mod code_results;
mod comments;
mod shortcuts;

use crate::kinds::{CodeKind, Kind};
use crate::limits;
use askama::Template;
use code::pages::parts::older::PagePart;
use code::search::places::{self, Searched, Wanted};
use code_results::CodeResults;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::ui::{self, Chip, Tab};
use kernel::html::{Html, Moment, Page, Pages};
use kernel::http::{Flat, Paging, Params, RequestContext, Response, Routes, Text};
use kernel::ids::Reference;
use kernel::search::{COUNT_LIMIT, Hit, Piece, Query};
use planning::access::switches::instance_has_epics;
use spaces::access::Purpose;
use spaces::search::Place;
use std::sync::Arc;
use store::Tx;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/search", search);
    shortcuts::routes(r);
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
        /// Branch, tag or commit of the project, of which code is searched.
        pub on_ref as "ref": Text,
        pub part: Flat<PagePart>,
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
    /// What more is asked of code, where it is searched.
    code_form: Option<CodeForm>,
    code: Option<CodeResults>,
}

/// What somebody says of code beside what they search for.
struct CodeForm {
    hint: &'static str,
    /// Branch, tag or commit, where one project is searched.
    ref_name: Option<String>,
}

impl SearchPage {
    /// Help below the text, which of code is more than words.
    fn hint(&self) -> &'static str {
        self.code_form.as_ref().map_or("", |form| form.hint)
    }

    fn ref_name(&self) -> Option<&str> {
        self.code_form.as_ref()?.ref_name.as_deref()
    }
}

struct Row {
    icon: &'static str,
    url: String,
    title: Vec<Piece>,
    snippet: Vec<Piece>,
    place: String,
    place_url: String,
    /// How people name it there.
    reference: String,
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
    let read = app.read(move |tx| {
        let place = place(tx, &viewer, &asked)?;
        let search = Search { viewer, asked, query, place };
        if search.code_kind().is_none()
            && let Some(url) = search.target(tx)?
        {
            return Err(Error::SeeOther(url));
        }
        let found = Found {
            things: search.run(tx, &paging)?,
            ..search.code(tx, is_asked)?
        };
        Ok((search, found))
    });
    let (search, found) = read.await?;
    let code = match (search.code_kind(), is_asked && refusal.is_empty()) {
        (Some(kind), true) => Some(search.results(&app, kind, &found.searched).await?),
        _ => None,
    };
    let view = search.view(shown, refusal, is_asked, found, code);
    Ok(Html::new(&view)?.response())
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

/// What was found, and where code is searched.
#[derive(Default)]
struct Found {
    things: Option<ResultPage>,
    /// The viewer may read code there.
    has_code: bool,
    searched: Vec<Searched>,
}

/// What one page shows of a search.
struct ResultPage {
    /// None where code is shown.
    kind: Option<Kind>,
    counts: Vec<(Kind, i64)>,
    rows: Vec<Row>,
    pages: Pages,
}

impl Search {
    /// The page of the one thing that a text names: `#12` or `!12` in a project, `&5` in a
    /// group or a project of it, `acme/anvil#12`, `acme/anvil!12`, `acme&5`, `acme/anvil`.
    fn target(&self, tx: &mut Tx<'_>) -> Result<Option<String>> {
        let text = self.asked.q.trim();
        if text.contains(char::is_whitespace) {
            return Ok(None);
        }
        if let Some((path, number)) = text.split_once('&') {
            return self.epic(tx, path, number);
        }
        let (path, one) = match (text.split_once('#'), text.split_once('!')) {
            (Some((path, number)), _) => (path, Some((Kind::Issues, number))),
            (None, Some((path, number))) => (path, Some((Kind::MergeRequests, number))),
            (None, None) => (text, None),
        };
        let project = match path {
            "" => None,
            path if path.contains('/') => {
                let project = Reference::Path(path.trim_matches('/').to_owned());
                seen(Place::of_project(tx, &self.viewer, &project))?
            }
            _ => return Ok(None),
        };
        if let Some((kind, number)) = one {
            let place = if path.is_empty() {
                Some(&self.place)
            } else {
                project.as_ref()
            };
            return self.numbered(tx, kind, place, number);
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

    /// The issue or merge request of this number in a project.
    fn numbered(
        &self, tx: &mut Tx<'_>, kind: Kind, place: Option<&Place>, number: &str,
    ) -> Result<Option<String>> {
        let (Some(place @ Place::Project(..)), Ok(number)) = (place, number.parse::<i64>()) else {
            return Ok(None);
        };
        let viewer = &self.viewer;
        let (mut found, column) = match kind {
            Kind::MergeRequests => {
                let found = reviews::search::merge_requests(tx, viewer, place, None);
                (found, "merge_requests.iid")
            }
            _ => (planning::search::issues(tx, viewer, place, None, None), "issues.iid"),
        };
        found.condition.push(&format!(" and {column} = "), number);
        Ok(found.only(tx)?.map(|hit| kind.url(&hit)))
    }

    fn source(
        &self, tx: &Tx<'_>, kind: Kind, few: &Option<Vec<i64>>,
    ) -> Result<kernel::search::Found> {
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
            counts.push((kind, self.source(tx, kind, &few)?.count(tx, &self.query)?));
        }
        if self.code_kind().is_some() {
            let (rows, pages) = Default::default();
            return Ok(Some(ResultPage { kind: None, counts, rows, pages }));
        }
        let first = counts.iter().find(|(_, count)| *count > 0).map(|(kind, _)| *kind);
        let asked = Kind::from_text(&self.asked.r#type).filter(is_there);
        let kind = asked.or(first).unwrap_or(Kind::Issues);
        let found = self.source(tx, kind, &few)?;
        let hits = found.rows::<Hit>(tx, found.source.hit, &self.query, false, paging)?;
        let now = tx.now();
        let shown: Vec<&Hit> = hits.iter().take(paging.per_page.unsigned_abs() as usize).collect();
        let rows = match kind {
            Kind::Notes => self.comments(tx, &shown, now)?,
            _ => shown.iter().map(|hit| self.row(kind, hit, now)).collect(),
        };
        let counted = counts.iter().find(|(of, _)| *of == kind).map_or(0, |(_, count)| *count);
        // Past what is counted, pages lead on one by one.
        let total = match hits.len() as i64 {
            0 => counted,
            some => counted.min(COUNT_LIMIT).max(paging.offset() + some),
        };
        Ok(Some(ResultPage {
            kind: Some(kind),
            counts,
            rows,
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
            reference: match hit.number.filter(|_| kind != Kind::Milestones) {
                Some(number) => format!("{}{number}", kind.sign()),
                None => String::new(),
            },
            word: hit.word.clone().unwrap_or_default(),
            at: Moment::new(hit.at, now),
        }
    }

    /// The kind of code that was asked for.
    fn code_kind(&self) -> Option<CodeKind> {
        CodeKind::from_text(&self.asked.r#type)
    }

    /// Whether code can be searched there, and the repositories if it is.
    fn code(&self, tx: &mut Tx<'_>, is_asked: bool) -> Result<Found> {
        let (viewer, place) = (&self.viewer, &self.place);
        let ref_name = Some(self.asked.on_ref.trim().to_owned());
        let wanted = Wanted { ref_name, with_archived: false };
        Ok(Found {
            things: None,
            has_code: places::is_open(tx, viewer, place)?,
            searched: match self.code_kind() {
                Some(_) if is_asked => places::read(tx, viewer, place, &wanted)?,
                _ => Vec::new(),
            },
        })
    }

    async fn results(
        &self, app: &App, kind: CodeKind, searched: &[Searched],
    ) -> Result<CodeResults> {
        let url = self.url(kind.as_str(), true);
        CodeResults::read(app, kind, searched, &self.asked, url).await
    }

    /// What is asked of code beside the text.
    fn code_form(&self) -> Option<CodeForm> {
        let hint = match self.code_kind()? {
            CodeKind::Blobs => {
                "filename:, path: and extension: narrow the files; * stands for anything, and \
                 a dash before leaves files out."
            }
            CodeKind::Commits => "A part of a message, or the first digits of a commit.",
        };
        let ref_name = match self.place {
            Place::Project(..) => Some(self.asked.on_ref.trim().to_owned()),
            Place::Everywhere | Place::Group(_) => None,
        };
        Some(CodeForm { hint, ref_name })
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
                let on_ref = self.asked.on_ref.trim();
                if CodeKind::from_text(kind).is_some() && !on_ref.is_empty() {
                    query.append_pair("ref", on_ref);
                }
            }
            Place::Group(group) if is_there => {
                query.append_pair("group", &group.full_path);
            }
            _ => {}
        }
        query.finish()
    }

    fn view(
        &self, page: Page, refusal: String, is_asked: bool, found: Found, code: Option<CodeResults>,
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
        let (mut tabs, rows, pages) = match found.things {
            None => Default::default(),
            Some(found) => (self.tabs(&found), found.rows, found.pages),
        };
        if is_asked && refusal.is_empty() && found.has_code {
            tabs.extend(self.code_tabs());
        }
        let code_kind = self.code_kind().map(CodeKind::as_str);
        let kind = Kind::from_text(&self.asked.r#type).map(Kind::as_str);
        SearchPage {
            q: self.asked.q.to_string(),
            kind: code_kind.or(kind).unwrap_or_default(),
            code_form: self.code_form(),
            code,
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
        let is_shown = |kind: Kind| found.kind == Some(kind);
        let shown = found.counts.iter().filter(|(kind, count)| *count > 0 || is_shown(*kind));
        let tab = |(kind, count): &(Kind, i64)| {
            let url = self.url(kind.as_str(), true);
            let tab = Tab::new(kind.label(), url, is_shown(*kind));
            tab.count_to(count.unsigned_abs(), COUNT_LIMIT.unsigned_abs())
        };
        shown.map(tab).collect()
    }

    /// Tabs of code, which nobody counts before it is searched.
    fn code_tabs(&self) -> impl Iterator<Item = Tab> {
        let tab = move |kind: &CodeKind| {
            let url = self.url(kind.as_str(), true);
            Tab::new(kind.label(), url, self.code_kind() == Some(*kind))
        };
        CodeKind::ALL.iter().map(tab)
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
