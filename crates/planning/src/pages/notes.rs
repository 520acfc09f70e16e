//! Notes and what the program tells as pages show them, whatever they are
//! about.

use super::boxes::Tickable;
use crate::access::ProjectAccess;
use crate::model::Label;
use crate::rules::comments::may_change;
use crate::rules::references::Links;
use crate::store::issues::timeline::{Discussion, MOST_COUNTED};
use crate::store::notes::Note;
use askama::Template;
use askama::filters::HtmlSafe;
use identity::entities::load_basic;
use identity::model::User;
use identity::pages::challenge::Challenge;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::{Moment, ui};
use kernel::time::Timestamp;
use std::collections::HashMap;
use store::Tx;

/// Events in a row that are folded into one line.
const FOLDED: usize = 4;

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
#[template(path = "note.html")]
pub struct NoteView {
    /// With its text in Markdown.
    note: Note,
    author: Person,
    html: String,
    /// The form to change it is open, with this text.
    edited: Option<Retry>,
    created_at: Moment,
    may_change: bool,
    url: String,
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
#[template(path = "thread.html")]
pub struct Thread {
    id: String,
    notes: Vec<NoteView>,
    /// Notes of it that are not here, counted to [`MOST_COUNTED`] and one more.
    hidden: u64,
    may_answer: bool,
    /// An answer was refused.
    answer: Option<Retry>,
    url: String,
    csrf: String,
    page: u64,
}

impl HtmlSafe for Thread {}

impl Thread {
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
pub struct Line {
    pub author: Person,
    pub what: What,
    pub created_at: Moment,
    /// The note it is, with an address of its own.
    pub note_id: Option<i64>,
}

#[derive(Debug, Clone)]
pub enum What {
    /// A text, and what it names.
    Done {
        text: String,
        label: Option<Label>,
        /// Title and path of a milestone.
        milestone: Option<(String, String)>,
    },
    /// Safe HTML.
    Told(String),
}

/// What stands in a story.
#[derive(Debug, Clone)]
pub enum Entry {
    Thread(Box<Thread>),
    Line(Box<Line>),
}

/// A story from its first entry to its last, with many lines in a row folded.
#[derive(Debug, Clone, Template)]
#[template(path = "story.html")]
pub struct Story {
    parts: Vec<Part>,
}

impl HtmlSafe for Story {}

#[derive(Debug, Clone)]
enum Part {
    Thread(Box<Thread>),
    Lines(Vec<Line>),
}

impl Story {
    pub fn new(entries: Vec<Entry>) -> Story {
        let mut parts: Vec<Part> = Vec::new();
        for entry in entries {
            match (entry, parts.last_mut()) {
                (Entry::Line(line), Some(Part::Lines(lines))) => lines.push(*line),
                (Entry::Line(line), _) => parts.push(Part::Lines(vec![*line])),
                (Entry::Thread(thread), _) => parts.push(Part::Thread(thread)),
            }
        }
        Story { parts }
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Of nothing that happened, for the page that shows all parts.
    pub fn sample(now: Timestamp) -> Story {
        let person = |name: &str| Person { name: name.into(), login: "mira".into() };
        let line = |text: &str| {
            Entry::Line(Box::new(Line {
                author: person("Mira Lindqvist"),
                what: What::Done { text: text.into(), label: None, milestone: None },
                created_at: Moment::new(now, now),
                note_id: None,
            }))
        };
        let note = |id: i64, name: &str, text: &str| NoteView {
            note: Note {
                id,
                project_id: None,
                noteable_type: String::new(),
                noteable_id: 0,
                discussion_id: "sample".into(),
                in_thread: true,
                body: text.into(),
                author_id: None,
                is_system: false,
                internal: id == 2,
                created_at: now,
                updated_at: now,
            },
            author: person(name),
            html: kernel::markup::render(text),
            edited: None,
            created_at: Moment::new(now, now),
            may_change: true,
            url: "/-/components".into(),
            csrf: String::new(),
            page: 1,
        };
        let thread = Thread {
            id: "sample".into(),
            notes: vec![
                note(1, "Tom Ebele", "It squeaks **only** when cold."),
                note(2, "Mira Lindqvist", "Then oil it."),
            ],
            hidden: 0,
            may_answer: true,
            answer: None,
            url: "/-/components".into(),
            csrf: String::new(),
            page: 1,
        };
        let folded = (0..FOLDED).map(|_| line("changed the title"));
        let mut entries = vec![line("opened this"), Entry::Thread(Box::new(thread))];
        entries.extend(folded);
        Story::new(entries)
    }
}

/// Whose names stand in a folded row of lines.
pub(super) fn who(lines: &[Line]) -> String {
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

/// What a page asks of the notes it shows.
#[derive(Debug, Clone, Default)]
pub struct Open {
    /// The note whose form is open.
    pub note_id: Option<i64>,
    /// What was typed there and refused.
    pub typed: Option<Retry>,
    /// The discussion where an answer was refused.
    pub answer: Option<(String, Retry)>,
}

pub struct NotePage<'a> {
    pub viewer: &'a Viewer,
    pub desk: &'a ProjectAccess,
    /// Address of what the notes are about; forms are sent below it.
    pub url: &'a str,
    pub csrf: &'a str,
    pub page: u64,
    /// The viewer may change what is theirs.
    pub writes: bool,
    pub may_answer: bool,
    pub open: &'a Open,
}

impl NotePage<'_> {
    /// Discussions as entries of a story; what the program wrote is a line.
    pub fn show(&self, tx: &mut Tx<'_>, said: Vec<Discussion>) -> Result<Vec<Entry>> {
        let notes = || said.iter().flat_map(|one| &one.notes);
        let authors: Vec<i64> = notes().filter_map(|note| note.author_id).collect();
        let people = load_basic(tx, &authors)?;
        let texts = notes().map(|note| note.body.as_str());
        let links = Links::find(tx, self.viewer, "", Some(&self.desk.project), texts)?;
        let shown = Shown { page: self, people: &people, links: &links, now: tx.now() };
        Ok(said.into_iter().map(|one| shown.entry(one)).collect())
    }
}

struct Shown<'a> {
    page: &'a NotePage<'a>,
    people: &'a HashMap<i64, User>,
    links: &'a Links,
    now: Timestamp,
}

impl Shown<'_> {
    fn entry(&self, mut said: Discussion) -> Entry {
        match said.notes.as_mut_slice() {
            [only] if only.is_system => Entry::Line(Box::new(self.line(only))),
            _ => Entry::Thread(Box::new(self.thread(said))),
        }
    }

    fn author(&self, note: &Note) -> Person {
        Person::of(note.author_id.and_then(|id| self.people.get(&id)))
    }

    fn line(&self, note: &Note) -> Line {
        Line {
            author: self.author(note),
            what: What::Told(self.links.render(&note.body)),
            created_at: Moment::new(note.created_at, self.now),
            note_id: Some(note.id),
        }
    }

    fn thread(&self, said: Discussion) -> Thread {
        let page = self.page;
        let id = said.notes.first().map(|note| note.discussion_id.clone()).unwrap_or_default();
        let here = i64::try_from(said.notes.len()).unwrap_or(i64::MAX);
        let answer = page.open.answer.as_ref().filter(|(to, _)| *to == id);
        Thread {
            notes: said.notes.into_iter().map(|note| self.note(note)).collect(),
            hidden: said.total.saturating_sub(here).unsigned_abs(),
            may_answer: page.may_answer,
            answer: answer.map(|(_, retry)| retry.clone()),
            url: page.url.to_owned(),
            csrf: page.csrf.to_owned(),
            page: page.page,
            id,
        }
    }

    fn note(&self, note: Note) -> NoteView {
        let page = self.page;
        let may_change = page.writes && may_change(page.viewer, page.desk, &note);
        let text = Tickable {
            text: &note.body,
            id: &format!("n{}-", note.id),
            action: may_change.then(|| format!("{}/notes/{}/tasks", page.url, note.id)),
            csrf: page.csrf,
            page: page.page,
        };
        let view = NoteView {
            author: self.author(&note),
            html: text.html(self.links),
            edited: None,
            created_at: Moment::new(note.created_at, self.now),
            may_change,
            url: page.url.to_owned(),
            csrf: page.csrf.to_owned(),
            page: page.page,
            note,
        };
        match page.open.note_id == Some(view.note.id) && view.may_change {
            true => view.opened(page.open.typed.as_ref()),
            false => view,
        }
    }
}
