//! Suggestions on pages: each as a small difference below the note that makes it, with what
//! applies it; and a page on which several are chosen.

use super::batch::{apply_all, by_ids};
use super::fences::{fences, without};
use super::refusal::Refusal;
use super::shown::{Shown, of_notes};
use super::store as rows;
use crate::noteable::MERGE_REQUEST;
use crate::pages::frame::{self, Frame, Tab};
use crate::pages::refused::spoken;
use crate::rules::collaboration::may_push_source;
use crate::store;
use crate::talk::thing;
use crate::threads::store as threads;
use ::store::Tx;
use askama::Template;
use askama::filters::HtmlSafe;
use code::visible::visible;
use http::Method;
use identity::entities::load_basic;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Errors, Page, ui};
use kernel::http::params::Text;
use kernel::http::{Params, Response, Routes};
use planning::pages::notes::Person;
use planning::rules::comments::Talk;
use planning::rules::topic::Topic;
use planning::store::notes::{self, Note};
use planning::targets::Beside;
use spaces::access::Purpose;
use spaces::pages::{PROJECT, Visit};
use std::collections::HashMap;

/// Lines of each side that are shown.
const MOST_LINES: usize = 500;
/// Notes whose suggestions are shown on the page that has all of them.
const MOST_NOTES: i64 = 200;
const NO_PUSH: &str = "You may not push to the source branch, so you cannot apply suggestions";

pub(super) fn routes(r: &mut Routes) {
    let all = format!("{PROJECT}/-/merge_requests/{{merge_request_iid}}/suggestions");
    r.page(Method::GET, &all, show);
    r.page(Method::POST, &format!("{all}/apply"), apply);
}

/// A suggestion as a small difference.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/suggestion.html")]
pub struct SuggestionView {
    id: i64,
    /// The lines that it replaces, in words.
    lines: String,
    removed: Vec<String>,
    added: Vec<String>,
    /// There are more lines than are shown.
    is_cut: bool,
    is_applied: bool,
    /// Why it cannot be applied.
    obstacle: Option<&'static str>,
    /// Where it is applied, by who may, and the token of the form.
    forms: Option<(String, String)>,
}

impl HtmlSafe for SuggestionView {}

impl SuggestionView {
    fn of(shown: &Shown) -> SuggestionView {
        let change = &shown.change;
        let (removed, is_cut) = lines(&change.from_content);
        let (added, is_long) = lines(&change.to_content);
        let is_applied = shown.suggestion.is_applied();
        SuggestionView {
            id: shown.suggestion.id,
            lines: range(shown),
            removed,
            added,
            is_cut: is_cut || is_long,
            is_applied,
            obstacle: shown.refusal.filter(|_| !is_applied).map(Refusal::text),
            forms: None,
        }
    }

    /// With what applies it, where it can be.
    fn applied_at(self, url: &str, csrf: &str) -> SuggestionView {
        let can_be = self.obstacle.is_none() && !self.is_applied;
        let forms = can_be.then(|| (format!("{url}/suggestions"), csrf.to_owned()));
        SuggestionView { forms, ..self }
    }
}

/// The first lines of a text, and whether it has more.
fn lines(text: &str) -> (Vec<String>, bool) {
    let mut lines = text.lines();
    let first = lines.by_ref().take(MOST_LINES).map(|line| visible(line).into_owned());
    let first = first.collect();
    (first, lines.next().is_some())
}

fn range(shown: &Shown) -> String {
    let (from, to) = (shown.change.from_line, shown.change.to_line);
    match from == to {
        true => format!("line {from}"),
        false => format!("lines {from} to {to}"),
    }
}

/// What these notes suggest, by their ids, as their pages show it; `url` is the address of
/// the merge request. For `planning::targets::Threads`.
pub fn beside(
    tx: &mut Tx<'_>, viewer: &Viewer, (url, csrf): (&str, &str), notes: &[&Note],
) -> Result<HashMap<i64, Beside>> {
    let shown = shown(tx, notes)?;
    let mut rights: HashMap<i64, bool> = HashMap::new();
    let mut found = HashMap::new();
    for note in notes {
        let Some(shown) = shown.get(&note.id) else { continue };
        let id = note.noteable_id;
        let may_apply = match rights.get(&id) {
            Some(known) => *known,
            None => may_apply(tx, viewer, id)?,
        };
        rights.insert(id, may_apply);
        let views = shown.iter().map(SuggestionView::of).map(|view| match may_apply {
            true => view.applied_at(url, csrf),
            false => view,
        });
        let parts = views.map(|view| view.render().map_err(Error::internal));
        let text = match shown.len() == fences(&note.body).len() {
            true => without(&note.body),
            false => note.body.clone(),
        };
        found.insert(note.id, Beside { text, parts: parts.collect::<Result<_>>()? });
    }
    Ok(found)
}

fn shown(tx: &mut Tx<'_>, notes: &[&Note]) -> Result<HashMap<i64, Vec<Shown>>> {
    let suggesting = notes.iter().filter(|note| note.in_thread && note.body.contains("suggestion"));
    let mut ids: Vec<String> = suggesting.map(|note| note.discussion_id.clone()).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let threads = threads::of_discussions(tx, &ids)?;
    of_notes(tx, &threads, notes)
}

fn may_apply(tx: &mut Tx<'_>, viewer: &Viewer, request_id: i64) -> Result<bool> {
    if viewer.user_id().is_none() {
        return Ok(false);
    }
    match store::by_id(tx, request_id)? {
        Some(request) => may_push_source(tx, viewer, &request),
        None => Ok(false),
    }
}

kernel::params! {
    struct Chosen {
        /// Number of the merge request.
        pub merge_request_iid: i64,
        /// The suggestions that are ticked.
        pub ids: Option<Vec<i64>>,
    }
}

kernel::params! {
    /// What is applied, and how the commit is called.
    #[derive(Default)]
    pub struct BatchForm {
        pub ids: Option<Vec<i64>>,
        pub commit_message: Text,
    }
}

/// The page on which several are chosen.
#[derive(Clone)]
pub struct Batch {
    app: App,
    visit: Visit,
    iid: i64,
    chosen: Vec<i64>,
}

/// A suggestion that may be chosen.
struct Item {
    id: i64,
    label: String,
    is_chosen: bool,
    view: SuggestionView,
}

#[derive(Template)]
#[template(path = "suggestions.html")]
pub struct View {
    page: Page,
    frame: Frame,
    url: String,
    items: Vec<Item>,
    /// What became of some in the newest version is not known yet.
    waits: bool,
    may_apply: bool,
    message: String,
    errors: Errors,
}

async fn show(app: App, visit: Visit, Params(asked): Params<Chosen>) -> Result<Response> {
    let batch = Batch::new(&app, visit, asked);
    form::show(&app, batch).await
}

async fn apply(
    app: App, visit: Visit, Params(asked): Params<Chosen>, Params(sent): Params<BatchForm>,
) -> Result<Response> {
    let batch = Batch::new(&app, visit, asked);
    let done = batch.apply(&sent).await;
    form::answer(&app, batch, sent, done).await
}

impl Batch {
    fn new(app: &App, visit: Visit, asked: Chosen) -> Batch {
        let mut chosen = asked.ids.unwrap_or_default();
        chosen.sort_unstable();
        chosen.dedup();
        Batch {
            app: app.clone(),
            visit,
            iid: asked.merge_request_iid,
            chosen,
        }
    }

    async fn apply(&self, sent: &BatchForm) -> Result<Outcome<Batch>> {
        if self.chosen.is_empty() {
            return Err(Error::Unprocessable("Choose a suggestion".into()));
        }
        let at = self.clone();
        let to = self.app.read(move |tx| at.check(tx)).await?;
        let message = sent.commit_message.replace("\r\n", "\n");
        let message = Some(message).filter(|message| !message.trim().is_empty());
        apply_all(&self.app, &self.visit.viewer, &self.chosen, message).await?;
        let done = match self.chosen.len() {
            1 => "Suggestion applied.".to_owned(),
            many => format!("{many} suggestions applied."),
        };
        Outcome::led(to, done)
    }

    /// That all are of this merge request; where to go from here.
    fn check(&self, tx: &mut Tx<'_>) -> Result<String> {
        let Visit { viewer, address } = &self.visit;
        let found = frame::find(tx, viewer, address, self.iid, Purpose::DownloadCode)?;
        let (shown, notes) = by_ids(tx, &self.chosen)?;
        let is_own = shown.iter().all(|one| one.request_id == found.request.id);
        if !is_own || shown.len() != self.chosen.len() {
            return Err(Error::NotFound(""));
        }
        let url = found.url();
        Ok(match notes.first() {
            Some(note) => format!("{url}#note_{}", note.id),
            None => url,
        })
    }

    /// What may be chosen, and whether there may be more in a moment.
    fn items(&self, tx: &mut Tx<'_>, found: &frame::Found) -> Result<(Vec<Item>, bool)> {
        let viewer = &self.visit.viewer;
        let topic = Topic::Thing(thing(found.request.id));
        let open = rows::open_notes(tx, MERGE_REQUEST, found.request.id, MOST_NOTES)?;
        let mut seen = Talk::new(viewer, &found.here, topic).shown(tx);
        seen.raw(" and").in_list("notes.id", &open);
        let notes = notes::select(tx, seen)?;
        let people: Vec<i64> = notes.iter().filter_map(|note| note.author_id).collect();
        let people = load_basic(tx, &people)?;
        let mut shown = shown(tx, &notes.iter().collect::<Vec<_>>())?;
        let (mut items, mut waits) = (Vec::new(), false);
        for note in &notes {
            let author = note.author_id.and_then(|id| people.get(&id));
            let author = Person::of(author).name;
            let of_note = shown.remove(&note.id).unwrap_or_default();
            waits |= of_note.iter().any(|one| one.refusal == Some(Refusal::Behind));
            for one in of_note.iter().filter(|one| one.refusal.is_none()) {
                items.push(Item {
                    id: one.suggestion.id,
                    label: format!("{}, {}, by {author}", visible(&one.change.path), range(one)),
                    is_chosen: self.chosen.contains(&one.suggestion.id),
                    view: SuggestionView::of(one),
                });
            }
        }
        Ok((items, waits))
    }
}

impl FormPage for Batch {
    type Form = BatchForm;
    type View = View;
    const FIELDS: &'static [&'static str] = &["ids", "commit_message"];

    fn page(&self, app: &App) -> Page {
        page(app, &self.visit.viewer, "Suggestions")
    }

    fn view(&self, tx: &mut Tx<'_>, page: Page, typed: &Typed<BatchForm>) -> Result<View> {
        let Visit { viewer, address } = &self.visit;
        let found = frame::find(tx, viewer, address, self.iid, Purpose::DownloadCode)?;
        let frame = Frame::new(tx, viewer, &found, Tab::Changes)?;
        let url = frame.url().to_owned();
        let form = typed.form.clone().unwrap_or_default();
        let (items, waits) = self.items(tx, &found)?;
        Ok(View {
            page: found.page_below(tx, viewer, page)?,
            items,
            waits,
            may_apply: may_push_source(tx, viewer, &found.request)?,
            message: form.commit_message.to_string(),
            errors: typed.errors.clone(),
            frame,
            url,
        })
    }

    fn change(&self, _: &mut Tx<'_>, _: &BatchForm) -> Result<Outcome<Self>> {
        Err(Error::internal("suggestions are applied outside of a transaction"))
    }

    fn refusal(error: Error) -> Error {
        spoken(error, NO_PUSH)
    }
}
