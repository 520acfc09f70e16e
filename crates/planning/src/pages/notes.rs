//! Notes as pages show them, whatever they are about.

use super::boxes::Tickable;
use crate::access::ProjectAccess;
use crate::rules::comments::may_change;
use crate::rules::references::Links;
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

pub(super) const SOMEBODY: &str = "Somebody";

#[derive(Debug, Clone, Template)]
#[template(path = "note.html")]
pub struct NoteView {
    /// With its text in Markdown, or as it was typed.
    note: Note,
    author: String,
    name: String,
    html: String,
    is_rewritten: bool,
    /// What may be solved after that.
    challenge: Option<Challenge>,
    created_at: Moment,
    may_change: bool,
    may_answer: bool,
    url: String,
    csrf: String,
    page: u64,
}

impl HtmlSafe for NoteView {}

impl NoteView {
    pub(super) fn rewritten(mut self, body: &str, challenge: Option<&Challenge>) -> NoteView {
        self.note.body = body.to_owned();
        NoteView { challenge: challenge.cloned(), is_rewritten: true, ..self }
    }
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
}

impl NotePage<'_> {
    pub fn show(&self, tx: &mut Tx<'_>, notes: Vec<Note>) -> Result<Vec<NoteView>> {
        let authors: Vec<i64> = notes.iter().filter_map(|note| note.author_id).collect();
        let people = load_basic(tx, &authors)?;
        let texts = notes.iter().map(|note| note.body.as_str());
        let links = Links::find(tx, self.viewer, "", Some(&self.desk.project), texts)?;
        let now = tx.now();
        let view = |note| self.view(note, &people, &links, now);
        Ok(notes.into_iter().map(view).collect())
    }

    fn view(
        &self,
        note: Note,
        people: &HashMap<i64, User>,
        links: &Links,
        now: Timestamp,
    ) -> NoteView {
        let author = note.author_id.and_then(|id| people.get(&id));
        let may_change = self.writes && may_change(self.viewer, self.desk, &note);
        let text = Tickable {
            text: &note.body,
            id: &format!("n{}-", note.id),
            action: may_change.then(|| format!("{}/notes/{}/tasks", self.url, note.id)),
            csrf: self.csrf,
            page: self.page,
        };
        NoteView {
            html: text.html(links),
            author: author.map(|user| user.username.clone()).unwrap_or_default(),
            name: author.map_or(SOMEBODY, |user| user.name.as_str()).to_owned(),
            is_rewritten: false,
            challenge: None,
            created_at: Moment::new(note.created_at, now),
            may_change,
            may_answer: self.may_answer && !note.is_system,
            url: self.url.to_owned(),
            csrf: self.csrf.to_owned(),
            page: self.page,
            note,
        }
    }
}
