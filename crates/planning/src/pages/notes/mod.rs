//! Notes and what the program tells as pages show them, whatever they are
//! about.

mod sample;
mod standing;

use super::boxes::Tickable;
pub use super::places::{StoryQuery, at};
use crate::access::Desk;
use crate::model::Label;
use crate::rules::comments::{may_change, refused_text};
use crate::rules::references::Links;
use crate::store::issues::timeline::{Discussion, MOST_COUNTED};
use crate::store::notes::Note;
use crate::store::threads::Resolves;
use crate::targets::{self, Beside};
use askama::Template;
use askama::filters::HtmlSafe;
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::challenge::Challenge;
use identity::pages::refusal::Refusal;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use kernel::html::{Moment, ui};
use kernel::markup::line;
use kernel::time::Timestamp;
use std::cell::Cell;
use std::collections::HashMap;
use store::Tx;

/// Events in a row that are folded into one line.
const FOLDED: usize = 4;
/// Bytes of the texts that a page shows whole; the last may go beyond.
const MOST_HTML: usize = 2 * 1024 * 1024;

/// Whoever did something: a person, or somebody who is gone.
#[derive(Debug, Clone, Default)]
pub struct Person {
    pub name: String,
    /// Their sign-in name, or empty.
    pub login: String,
}

impl Person {
    pub fn of(user: Option<&User>) -> Person {
        match user {
            Some(user) => Person { name: user.name.clone(), login: user.username.clone() },
            None => Person { name: "Somebody".into(), login: String::new() },
        }
    }
}

/// A form that was refused: what was typed, and what may be solved after that.
#[derive(Debug, Clone)]
pub struct Retry {
    pub body: String,
    pub challenge: Option<Challenge>,
}

/// One note.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/note.html")]
pub struct NoteView {
    /// With its text in Markdown.
    note: Note,
    author: Person,
    html: String,
    /// More than its text, as safe HTML.
    parts: Vec<String>,
    /// What stands instead of a text that the page has no room for.
    excerpt: Option<String>,
    /// The form to change it is open, with this text.
    edited: Option<Retry>,
    created_at: Moment,
    may_change: bool,
    url: String,
    here: String,
    csrf: String,
    page: u64,
}

impl HtmlSafe for NoteView {}

impl NoteView {
    /// With the form to change it.
    fn opened(mut self, typed: Option<&Retry>) -> NoteView {
        let stored = || Retry { body: self.note.body.clone(), challenge: None };
        self.edited = Some(typed.cloned().unwrap_or_else(stored));
        self
    }
}

/// A note with what answers it.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/thread.html")]
pub struct Thread {
    id: String,
    notes: Vec<NoteView>,
    /// Notes of it that are not here, counted to [`MOST_COUNTED`] and one more.
    hidden: u64,
    may_answer: bool,
    /// An answer was refused.
    answer: Option<Retry>,
    /// What keeps an answer for a review says so.
    draft_label: Option<&'static str>,
    /// What it is about, above its notes: HTML that is safe to show.
    about: Option<String>,
    /// Who resolved it, and when: then it is folded.
    resolved: Option<(Person, Moment)>,
    /// It is to be resolved.
    is_unresolved: bool,
    /// The next one that is to be resolved.
    next: Option<String>,
    is_open: bool,
    may_resolve: bool,
    url: String,
    here: String,
    csrf: String,
    page: u64,
}

impl HtmlSafe for Thread {}

impl Thread {
    /// How many notes are folded.
    fn size(&self) -> u64 {
        self.notes.len() as u64 + self.hidden
    }

    /// How many answers are not here.
    fn rest(&self) -> String {
        match self.hidden {
            1 => "1 more reply".to_owned(),
            some if some <= MOST_COUNTED.unsigned_abs() => format!("{some} more replies"),
            _ => "More than 1,000 replies".to_owned(),
        }
    }

    fn answer_text(&self) -> &str {
        self.answer.as_ref().map_or("", |retry| &retry.body)
    }
}

/// What the program tells that somebody did.
#[derive(Debug, Clone)]
pub struct Activity {
    pub author: Person,
    pub text: ActivityText,
    pub created_at: Moment,
    /// The note it is, with an address of its own.
    pub note_id: Option<i64>,
}

#[derive(Debug, Clone)]
pub enum ActivityText {
    /// A text, and what it names.
    Event {
        text: String,
        label: Option<Label>,
        /// Title and path of a milestone.
        milestone: Option<(String, String)>,
    },
    /// Safe HTML.
    Html(String),
}

/// What stands in a story.
#[derive(Debug, Clone)]
pub enum Entry {
    Thread(Box<Thread>),
    Activity(Box<Activity>),
}

/// A story from its first entry to its last, with many lines in a row folded.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/story.html")]
pub struct Story {
    parts: Vec<Part>,
}

impl HtmlSafe for Story {}

#[derive(Debug, Clone)]
enum Part {
    Thread(Box<Thread>),
    Activities(Vec<Activity>),
}

impl Story {
    pub fn new(entries: Vec<Entry>) -> Story {
        let mut parts: Vec<Part> = Vec::new();
        for entry in entries {
            match (entry, parts.last_mut()) {
                (Entry::Activity(line), Some(Part::Activities(lines))) => lines.push(*line),
                (Entry::Activity(line), _) => parts.push(Part::Activities(vec![*line])),
                (Entry::Thread(thread), _) => parts.push(Part::Thread(thread)),
            }
        }
        Story { parts }.linked()
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}

/// Whose names stand in a folded row of lines.
pub(super) fn who(lines: &[Activity]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for line in lines {
        if !names.contains(&line.author.name.as_str()) {
            names.push(&line.author.name);
        }
    }
    match names.as_slice() {
        [one] => (*one).to_owned(),
        [one, other] => format!("{one} and {other}"),
        [one, rest @ ..] => format!("{one} and {} others", rest.len()),
        [] => String::new(),
    }
}

/// A refusal of a note's text, said beside its field.
pub fn noted(error: Error) -> Error {
    match refused_text(&error) {
        Some(problem) => Error::invalid("body", problem),
        None => error,
    }
}

/// What a page asks of the notes it shows.
#[derive(Debug, Clone, Default)]
pub struct Open {
    /// The note whose form is open.
    pub note_id: Option<i64>,
    /// What was typed there and refused.
    pub typed: Option<Retry>,
    /// The discussion where an answer was refused.
    pub answer: Option<(String, Retry)>,
    /// One discussion is shown alone, and so never folded.
    pub is_alone: bool,
    /// Answers may be kept for a review, by a button that says this and sends them to
    /// `/drafts` below the address of the notes.
    pub draft_label: Option<&'static str>,
}

impl Open {
    /// With what is asked of a story.
    pub fn of(asked: &StoryQuery) -> Open {
        Open {
            note_id: asked.edit,
            is_alone: asked.is_part(),
            ..Open::default()
        }
    }

    /// With the form of a note that was refused.
    pub fn edit(note_id: i64, body: String, refusal: &Refusal) -> Open {
        let challenge = refusal.challenge.clone();
        Open {
            note_id: Some(note_id),
            typed: Some(Retry { body, challenge }),
            ..Open::default()
        }
    }

    /// With an answer in this discussion that was refused.
    pub fn answer(discussion_id: String, body: String, refusal: &Refusal) -> Open {
        let challenge = refusal.challenge.clone();
        Open {
            answer: Some((discussion_id, Retry { body, challenge })),
            ..Open::default()
        }
    }
}

pub struct NotePage<'a> {
    pub viewer: &'a Viewer,
    pub desk: Desk<'a>,
    /// Address of what the notes are about; forms are sent below it.
    pub url: &'a str,
    /// Address of the page that shows them, to which a parameter is added.
    pub here: &'a str,
    pub csrf: &'a str,
    pub page: u64,
    /// The viewer may change what is theirs.
    pub writes: bool,
    pub may_answer: bool,
    pub resolves: Resolves,
    pub open: &'a Open,
}

impl NotePage<'_> {
    /// Discussions as entries of a story; what the program wrote is a line.
    pub fn show(&self, tx: &mut Tx<'_>, said: Vec<Discussion>) -> Result<Vec<Entry>> {
        let notes = || said.iter().flat_map(|one| &one.notes);
        let people: Vec<i64> = notes().flat_map(Note::people).collect();
        let people = load_basic(tx, &people)?;
        let texts = notes().map(|note| note.body.as_str());
        let links = Links::find(tx, self.viewer, "", self.desk, texts)?;
        let all: Vec<&Note> = notes().collect();
        let beside = targets::beside(tx, self.viewer, (self.url, self.csrf), &all)?;
        let room = Cell::new(MOST_HTML);
        let reader = NoteReader {
            page: self,
            people: &people,
            links: &links,
            beside: &beside,
            room,
            now: tx.now(),
        };
        Ok(said.into_iter().map(|one| reader.entry(one)).collect())
    }
}

struct NoteReader<'a> {
    page: &'a NotePage<'a>,
    people: &'a HashMap<i64, User>,
    links: &'a Links,
    beside: &'a HashMap<i64, Beside>,
    /// Bytes that are left for texts.
    room: Cell<usize>,
    now: Timestamp,
}

impl NoteReader<'_> {
    fn entry(&self, mut said: Discussion) -> Entry {
        match said.notes.as_mut_slice() {
            [only] if only.is_system => Entry::Activity(Box::new(self.activity(only))),
            _ => Entry::Thread(Box::new(self.thread(said))),
        }
    }

    /// Whoever wrote it; what acts for a program has no page to lead to.
    fn author(&self, note: &Note) -> Person {
        self.person(note.author_id)
    }

    fn person(&self, id: Option<i64>) -> Person {
        let user = id.and_then(|id| self.people.get(&id));
        let person = Person::of(user);
        match user.is_none_or(User::is_human) {
            true => person,
            false => Person { login: String::new(), ..person },
        }
    }

    /// Who resolved the last of those that can be, if all of them are.
    fn resolved(&self, notes: &[Note]) -> Option<(Person, Moment)> {
        let can_be = || notes.iter().filter(|note| note.is_resolvable());
        let last = can_be().max_by_key(|note| note.resolved_at)?;
        let at = last.resolved_at.filter(|_| can_be().all(Note::is_resolved))?;
        Some((self.person(last.resolved_by_id), Moment::new(at, self.now)))
    }

    fn activity(&self, note: &Note) -> Activity {
        Activity {
            author: self.author(note),
            text: ActivityText::Html(self.links.render(&note.body)),
            created_at: Moment::new(note.created_at, self.now),
            note_id: Some(note.id),
        }
    }

    fn thread(&self, said: Discussion) -> Thread {
        let page = self.page;
        let first = said.notes.first();
        let id = first.map(|note| note.discussion_id.clone()).unwrap_or_default();
        let may_resolve = |first: &Note| {
            page.writes && first.is_resolvable() && page.resolves.takes(page.viewer, first)
        };
        let (resolved, may_resolve) = (self.resolved(&said.notes), first.is_some_and(may_resolve));
        let can_be_resolved = said.notes.iter().any(Note::is_resolvable);
        let is_edited = said.notes.iter().any(|note| page.open.note_id == Some(note.id));
        let here = i64::try_from(said.notes.len()).unwrap_or(i64::MAX);
        let answer = page.open.answer.as_ref().filter(|(to, _)| *to == id);
        let is_cut = |note: &Note| said.cut.contains(&note.id);
        let notes = said.notes.into_iter().map(|note| self.note(is_cut(&note), note)).collect();
        Thread {
            notes,
            hidden: said.total.saturating_sub(here).unsigned_abs(),
            may_answer: page.may_answer,
            answer: answer.map(|(_, retry)| retry.clone()),
            draft_label: page.open.draft_label,
            about: None,
            is_unresolved: can_be_resolved && resolved.is_none(),
            next: None,
            resolved,
            is_open: page.open.is_alone || is_edited || answer.is_some(),
            may_resolve,
            url: page.url.to_owned(),
            here: page.here.to_owned(),
            csrf: page.csrf.to_owned(),
            page: page.page,
            id,
        }
    }

    /// A note, of which only the beginning may be here or shown.
    fn note(&self, is_cut: bool, note: Note) -> NoteView {
        let page = self.page;
        let may_change = page.writes && may_change(page.viewer, page.desk, &note);
        let is_open = page.open.note_id == Some(note.id) && may_change;
        let typed = page.open.typed.as_ref();
        let is_folded = (is_cut || self.room.get() == 0) && !(is_open && typed.is_some());
        let (html, excerpt) = match is_folded {
            true => (String::new(), Some(line(&note.body))),
            false => (self.text(&note, may_change), None),
        };
        let beside = self.beside.get(&note.id).filter(|_| !is_folded);
        let parts = beside.map(|beside| beside.parts.clone()).unwrap_or_default();
        let shown = html.len() + parts.iter().map(String::len).sum::<usize>();
        self.room.set(self.room.get().saturating_sub(shown));
        let view = NoteView {
            author: self.author(&note),
            html,
            parts,
            excerpt,
            edited: None,
            created_at: Moment::new(note.created_at, self.now),
            may_change,
            url: page.url.to_owned(),
            here: page.here.to_owned(),
            csrf: page.csrf.to_owned(),
            page: page.page,
            note,
        };
        match is_open && !is_folded {
            true => view.opened(typed),
            false => view,
        }
    }

    fn text(&self, note: &Note, may_change: bool) -> String {
        let page = self.page;
        let beside = self.beside.get(&note.id);
        let text = Tickable {
            text: beside.map_or(&note.body, |beside| &beside.text),
            id: &format!("n{}-", note.id),
            action: may_change.then(|| format!("{}/notes/{}/tasks", page.url, note.id)),
            csrf: page.csrf,
            page: page.page,
        };
        text.html(self.links)
    }
}
