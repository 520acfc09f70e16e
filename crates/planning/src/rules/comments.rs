//! Notes that people write about issues and epics, and about things of rooms above.

use super::commands::{self, Outcome, epics as epic_commands};
use super::news::{self, Text, mention};
use super::notes::new_discussion;
use super::todos;
use super::topic::Topic;
use crate::access::Desk;
use crate::formats::quick_actions;
use crate::model::text_error;
use crate::store::issues::timeline::{Discussion, Timeline};
use crate::store::notes::{self as rows, NewNote, Note};
use crate::tasks::{Event, Reason};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::{Paged, Paging};
use kernel::time::Timestamp;
use spaces::access::MAINTAINER;
use spaces::rules::note_activity;
use store::{Fragment, Tx};

#[derive(Debug, Clone)]
pub struct Comment {
    pub body: String,
    pub internal: bool,
    pub created_at: Option<Timestamp>,
    pub discussion_id: Option<String>,
    pub begins_thread: bool,
}

#[derive(Debug, Clone)]
pub enum Said {
    Note(Box<Note>, Option<Outcome>),
    Commands(Outcome),
}

/// Who is told in any case, and why.
pub type Direct = Vec<(i64, Reason)>;

#[derive(Clone, Copy)]
pub struct Talk<'t> {
    pub viewer: &'t Viewer,
    pub desk: Desk<'t>,
    pub topic: Topic<'t>,
}

impl<'t> Talk<'t> {
    pub fn new(
        viewer: &'t Viewer, desk: impl Into<Desk<'t>>, about: impl Into<Topic<'t>>,
    ) -> Talk<'t> {
        Talk { viewer, desk: desk.into(), topic: about.into() }
    }

    /// Condition: the notes about it that the viewer sees.
    pub fn shown(self, tx: &Tx<'_>) -> Fragment {
        let noteable = self.topic.noteable(self.desk);
        rows::shown(tx, self.viewer, noteable, self.desk.is_reporter())
    }

    /// One page of the discussions about it, by id with their first notes, and the
    /// notes of these.
    pub fn discussions(
        self, tx: &mut Tx<'_>, paging: Paging,
    ) -> Result<(Paged<(String, i64)>, Vec<Note>)> {
        let shown = self.shown(tx);
        let page = rows::discussions(tx, shown, paging)?;
        let ids: Vec<String> = page.items.iter().map(|(id, _)| id.clone()).collect();
        let mut condition = self.shown(tx);
        condition.raw(" and").in_list("notes.discussion_id", ids);
        let notes = rows::select(tx, condition)?;
        Ok((page, notes))
    }

    pub fn find(self, tx: &mut Tx<'_>, id: i64) -> Result<Note> {
        let mut condition = self.shown(tx);
        condition.push(" and notes.id = ", id);
        rows::select(tx, condition)?.pop().found("Note")
    }

    /// The same, which belongs to this discussion if one is named.
    pub fn find_within(
        self, tx: &mut Tx<'_>, id: i64, discussion_id: Option<&str>,
    ) -> Result<Note> {
        let note = self.find(tx, id)?;
        match discussion_id {
            Some(discussion) if note.discussion_id != discussion => Err(Error::NotFound("Note")),
            _ => Ok(note),
        }
    }

    pub fn discussion(self, tx: &mut Tx<'_>, id: &str) -> Result<Vec<Note>> {
        let mut condition = self.shown(tx);
        condition.push(" and notes.discussion_id = ", id);
        let notes = rows::select(tx, condition)?;
        match notes.is_empty() {
            true => Err(Error::NotFound("Discussion")),
            false => Ok(notes),
        }
    }

    /// What was said about it, in its order.
    pub fn timeline(self, tx: &Tx<'_>) -> Timeline {
        let noteable = self.topic.noteable(self.desk);
        Timeline::new(tx, self.viewer, noteable, self.desk.is_reporter())
    }

    /// One page of what was said about it, the latest first, and how many
    /// discussions there are.
    pub fn latest(self, tx: &mut Tx<'_>, paging: &Paging) -> Result<(Vec<Discussion>, i64)> {
        self.timeline(tx).latest(tx, paging)
    }

    /// One page of one discussion.
    pub fn thread(self, tx: &mut Tx<'_>, id: &str, paging: &Paging) -> Result<Discussion> {
        let said = self.timeline(tx).discussion(tx, id, paging)?;
        match said.total {
            0 => Err(Error::NotFound("Thread")),
            _ => Ok(said),
        }
    }

    /// One note of it, without what stands around it.
    pub fn alone(self, tx: &mut Tx<'_>, note_id: i64) -> Result<Discussion> {
        self.timeline(tx).alone(tx, note_id)?.found("Note")
    }

    /// Refuses who is no member where only members may say something.
    pub(super) fn open(self) -> Result<()> {
        match self.topic.is_closed_to(self.desk) {
            true => Err(Error::forbidden("This discussion is locked")),
            false => Ok(()),
        }
    }

    /// The first note of a discussion.
    pub(super) fn beginning(self, tx: &mut Tx<'_>, id: &str) -> Result<Note> {
        let mut condition = self.shown(tx);
        condition.push(" and notes.discussion_id = ", id);
        rows::first(tx, condition)?.found("Discussion")
    }

    /// The first note of a discussion that people may answer: none that the program told.
    pub fn answerable(self, tx: &mut Tx<'_>, id: &str) -> Result<Note> {
        let first = self.beginning(tx, id)?;
        match first.is_system && matches!(self.topic, Topic::Thing(_)) {
            true => Err(Error::BadRequest("Discussion can not be replied to.".into())),
            false => Ok(first),
        }
    }

    /// Writes a note, and has people told of it. Commands in it are carried out as far as
    /// the viewer may, where the thing has any; elsewhere, and where programs write, they
    /// are text.
    pub fn write(self, tx: &mut Tx<'_>, comment: &Comment) -> Result<Said> {
        let (said, direct) = self.write_untold(tx, comment)?;
        if let Said::Note(note, _) = &said {
            self.tell(tx, note.id, direct)?;
        }
        Ok(said)
    }

    /// Has people told by mail of a note, these in any case; not of those of programs.
    pub fn tell(self, tx: &mut Tx<'_>, note_id: i64, direct: Direct) -> Result<()> {
        let author = &self.viewer.signed_in()?.user;
        match author.kind.is_bot() {
            true => Ok(()),
            false => {
                news::notify(tx, Some(author.id), self.topic, Event::Note, Some(note_id), direct)
            }
        }
    }

    /// Writes a note of which nobody is told by mail yet; and who is in any case.
    pub fn write_untold(self, tx: &mut Tx<'_>, comment: &Comment) -> Result<(Said, Direct)> {
        let Talk { viewer, desk, topic } = self;
        let author = &viewer.signed_in()?.user;
        self.open()?;
        if comment.internal && !(desk.is_reporter() && topic.has_internal()) {
            return Err(Error::forbidden(""));
        }
        check(&comment.body)?;
        let first = match &comment.discussion_id {
            Some(id) => Some(self.answerable(tx, id)?),
            None => None,
        };
        let (text, outcome) = self.carry_out(tx, &comment.body)?;
        let outcome = match (text.trim().is_empty(), outcome) {
            (true, Some(outcome)) => return Ok((Said::Commands(outcome), Direct::new())),
            (_, outcome) => outcome,
        };
        if let Some(first) = first.as_ref().filter(|first| !first.in_thread) {
            rows::begin_thread(tx, first.id)?;
        }
        let created_at = comment.created_at.filter(|_| desk.is_owner());
        let created_at = created_at.unwrap_or(tx.now());
        let noteable = topic.noteable(desk);
        let note = rows::insert(
            tx,
            &NewNote {
                noteable,
                author_id: Some(author.id),
                body: text,
                discussion_id: comment.discussion_id.clone().unwrap_or_else(new_discussion),
                in_thread: comment.begins_thread || first.is_some(),
                is_system: false,
                // An answer is for those who see what it answers.
                internal: comment.internal || first.as_ref().is_some_and(|first| first.internal),
                names_issue_id: None,
                created_at,
                // What answers a resolved thread leaves it so.
                resolved: first
                    .map_or((None, None), |first| (first.resolved_at, first.resolved_by_id)),
            },
        )?;
        topic.touch(tx)?;
        topic.said(tx, &note)?;
        if let Some(project) = desk.project() {
            note_activity(tx, project.id)?;
        }
        todos::close_for(tx, Some(author.id), noteable)?;
        let said = Text {
            text: &note.body,
            before: "",
            note_id: Some(note.id),
            internal: note.internal,
        };
        let direct = news::mentioned(tx, viewer, desk, topic, said)?;
        Ok((Said::Note(Box::new(note), outcome), direct))
    }

    /// Takes the commands out of a text and carries them out, where there are any
    /// for such a topic and writer; the text without them.
    fn carry_out(self, tx: &mut Tx<'_>, body: &str) -> Result<(String, Option<Outcome>)> {
        let Talk { viewer, desk, topic } = self;
        let as_it_is = || Ok((body.to_owned(), None));
        if viewer.signed_in()?.user.kind.is_bot() {
            return as_it_is();
        }
        let split = quick_actions::split(body);
        if split.actions.is_empty() {
            return as_it_is();
        }
        let outcome = match (topic, desk) {
            (Topic::Issue(issue), Desk::Project(desk)) => {
                commands::apply(tx, viewer, desk, issue, &split.actions)?.1
            }
            (Topic::Epic(epic), Desk::Group(desk)) => {
                epic_commands::apply(tx, viewer, desk, epic, &split.actions)?.1
            }
            (Topic::Thing(thing), desk) => match thing.talk.commands {
                Some(carry_out) => carry_out(tx, viewer, desk, thing.id, &split.actions)?,
                None => return as_it_is(),
            },
            _ => return as_it_is(),
        };
        Ok((split.text, Some(outcome)))
    }

    /// Refuses to change what the program or somebody else wrote; maintainers may
    /// change any note of people.
    fn changeable(self, note: &Note) -> Result<()> {
        match may_change(self.viewer, self.desk, note) {
            true => Ok(()),
            false => Err(Error::forbidden("")),
        }
    }

    /// Writes another text. Nobody is told by mail; who is named now and was not
    /// before gets something to do.
    pub fn rewrite(self, tx: &mut Tx<'_>, id: i64, body: &str) -> Result<Note> {
        let Talk { viewer, desk, topic } = self;
        let note = self.find(tx, id)?;
        self.changeable(&note)?;
        check(body)?;
        rows::rewrite(tx, note.id, body)?;
        let said = Text {
            text: body,
            before: &note.body,
            note_id: Some(note.id),
            internal: note.internal,
        };
        mention(tx, viewer, desk, topic, said)?;
        let note = self.find(tx, id)?;
        topic.reworded(tx, &note)?;
        Ok(note)
    }

    /// Writes the text that becomes of a note's own.
    pub fn tick(
        self, tx: &mut Tx<'_>, id: i64, change: impl Fn(&str) -> Result<String>,
    ) -> Result<()> {
        let note = self.find(tx, id)?;
        self.changeable(&note)?;
        self.rewrite(tx, id, &change(&note.body)?).map(drop)
    }

    pub fn destroy(self, tx: &mut Tx<'_>, id: i64) -> Result<()> {
        let note = self.find(tx, id)?;
        self.changeable(&note)?;
        self.topic.unsaid(tx, &note)?;
        rows::delete(tx, &note)
    }
}

/// Refuses a body that cannot be kept, in the words that notes have for it.
pub fn check(body: &str) -> Result<()> {
    let problem = match body.trim().is_empty() {
        true => Some("can't be blank"),
        false => text_error(body),
    };
    match problem {
        Some(problem) => Err(Error::BadRequest(format!("{REFUSED}{problem}\"]}}"))),
        None => Ok(()),
    }
}

const REFUSED: &str = "Note {\"note\"=>[\"";

/// What is wrong with a body, if that is why a note was refused: for
/// interfaces that say it in words of their own.
pub fn refused_text(error: &Error) -> Option<&str> {
    match error {
        Error::BadRequest(text) => text.strip_prefix(REFUSED)?.strip_suffix("\"]}"),
        _ => None,
    }
}

/// Whether the viewer may change a note they see, in a project or group that takes
/// changes.
pub fn may_change<'d>(viewer: &Viewer, desk: impl Into<Desk<'d>>, note: &Note) -> bool {
    let own = note.author_id.is_some() && note.author_id == viewer.user_id();
    !note.is_system && (own || desk.into().level() >= MAINTAINER)
}
