//! Stores what sources bring, in the transaction of its page. Each writer skips what came
//! before, writes it anew where it changed in an import that goes on and on, and notes what
//! came in the [`ledger`].

mod code;
mod planning;
pub mod reviews;
pub mod texts;

pub use self::reviews::{Prepared, finish, prepare};

use crate::ledger;
use crate::model::{Kind, Object, On};
use crate::people::People;
use crate::run::{Import, SourceName};
use ::planning::access::Parent;
use ::planning::store::notes::{ISSUE, MERGE_REQUEST, Noteable};
use ::planning::transfer::{label_title, line, prose, write as plans};
use kernel::error::{Error, Result};
use spaces::model::Project;
use std::collections::{HashMap, HashSet};
use store::Tx;

/// Labels of one thing that are read.
const MOST_LABELS: usize = 200;

/// What writers share while the objects of a page are written.
pub struct Desk<'a> {
    pub import: &'a Import,
    pub project: &'a Project,
    /// What git says of them.
    pub prepared: &'a Prepared,
    pub people: People,
    parent: Parent,
    labels: HashMap<String, i64>,
    milestones: HashMap<String, i64>,
}

impl<'a> Desk<'a> {
    /// What it holds is of this transaction, and of no part of it that is undone.
    ///
    /// # Errors
    ///
    /// What the database refuses.
    pub fn open(
        tx: &mut Tx<'_>, import: &'a Import, project: &'a Project, prepared: &'a Prepared,
    ) -> Result<Desk<'a>> {
        Ok(Desk {
            import,
            project,
            prepared,
            people: People::of_project(tx, import, project)?,
            parent: Parent::Project(Box::new(project.clone())),
            labels: HashMap::new(),
            milestones: HashMap::new(),
        })
    }

    /// The project, as labels and milestones belong to it.
    pub fn parent(&self) -> &Parent {
        &self.parent
    }

    /// What things that come say they are from; nothing of those of files.
    pub fn imported_from(&self) -> Option<&'static str> {
        match self.import.source {
            SourceName::ProjectFile => None,
            source => Some(source.as_str()),
        }
    }

    /// The labels of these names; those that are not there are made.
    ///
    /// # Errors
    ///
    /// What the database refuses.
    pub fn labels(&mut self, tx: &mut Tx<'_>, names: &[String]) -> Result<Vec<i64>> {
        names.iter().take(MOST_LABELS).map(|name| self.label(tx, name)).collect()
    }

    /// The label of this name, made where there is none.
    ///
    /// # Errors
    ///
    /// What the database refuses.
    pub fn label(&mut self, tx: &mut Tx<'_>, name: &str) -> Result<i64> {
        let title = label_title(name);
        if let Some(id) = self.labels.get(&title) {
            return Ok(*id);
        }
        let id = plans::label_named(tx, &self.parent, &title)?;
        self.labels.insert(title, id);
        Ok(id)
    }

    /// The milestone of this title, made where there is none.
    ///
    /// # Errors
    ///
    /// What the database refuses.
    pub fn milestone(&mut self, tx: &mut Tx<'_>, title: Option<&str>) -> Result<Option<i64>> {
        let Some(title) = title.map(line) else {
            return Ok(None);
        };
        if let Some(id) = self.milestones.get(&title) {
            return Ok(Some(*id));
        }
        let id = plans::milestone_named(tx, &self.parent, &title)?;
        self.milestones.insert(title, id);
        Ok(Some(id))
    }

    /// A description or note as it stands here: names lead to who or what they meant there,
    /// or nowhere.
    ///
    /// # Errors
    ///
    /// What the database refuses.
    pub fn text(&self, tx: &mut Tx<'_>, text: &str) -> Result<String> {
        let text = prose(text);
        let requests = match self.import.source {
            SourceName::ProjectFile => return Ok(text),
            // What has a number there is a pull request, or both share their numbers.
            SourceName::ProviderA | SourceName::ProviderBServer => {
                texts::requests_of(tx, self, &text)?
            }
            // Issues and pull requests have numbers of their own each.
            SourceName::ProviderBCloud => HashSet::new(),
        };
        let is_request = |number: i64| requests.contains(&number);
        let username = |login: &str| self.people.username(login).map(str::to_owned);
        Ok(texts::rewritten(&text, &self.import.origin, is_request, username))
    }

    /// The id here of what came with this key.
    ///
    /// # Errors
    ///
    /// What the database refuses.
    pub fn known(&self, tx: &mut Tx<'_>, kind: Kind, key: &str) -> Result<Option<i64>> {
        ledger::local(tx, self.import.id, kind, key)
    }

    /// Notes that something came.
    ///
    /// # Errors
    ///
    /// What the database refuses.
    pub fn note(&self, tx: &mut Tx<'_>, kind: Kind, key: &str, id: i64) -> Result<()> {
        ledger::note(tx, self.import.id, kind, key, id)
    }

    /// The issue or merge request that notes and events are about.
    ///
    /// # Errors
    ///
    /// `Unprocessable` where it did not come.
    pub fn noteable(&self, tx: &mut Tx<'_>, on: On) -> Result<Noteable> {
        let (kind, noteable, sign, number) = match on {
            On::Issue(number) => (Kind::Issue, ISSUE, '#', number),
            On::MergeRequest(number) => (Kind::PullRequest, MERGE_REQUEST, '!', number),
        };
        let id = self.known(tx, kind, &number.to_string())?;
        let id = id.ok_or_else(|| {
            Error::Unprocessable(format!("What it is about, {sign}{number}, did not come"))
        })?;
        Ok(Noteable { kind: noteable, id, project_id: Some(self.project.id) })
    }
}

/// Writes an object.
///
/// # Errors
///
/// Why it cannot be written; nothing of it is left then, if the caller undoes the part.
pub fn write(tx: &mut Tx<'_>, desk: &mut Desk<'_>, object: &Object) -> Result<()> {
    match object {
        Object::Label(label) => planning::label(tx, desk, label),
        Object::Milestone(milestone) => planning::milestone(tx, desk, milestone),
        Object::Release(found) => code::release(tx, desk, found),
        Object::Member(member) => code::member(tx, desk, member),
        Object::MergeRequest(request) => reviews::request(tx, desk, request),
        Object::Review(review) => reviews::review(tx, desk, review),
        Object::Issue(issue) => planning::issue(tx, desk, issue),
        Object::Note(note) => match note.on {
            On::Issue(_) => planning::note(tx, desk, note),
            On::MergeRequest(_) => reviews::note(tx, desk, note),
        },
        Object::CodeNote(note) => reviews::code_note(tx, desk, note),
        Object::Event(event) => match event.on {
            On::Issue(_) => planning::event(tx, desk, event),
            On::MergeRequest(_) => reviews::event(tx, desk, event),
        },
        Object::ProtectedBranch(branch) => code::protected_branch(tx, desk, branch),
    }
}
