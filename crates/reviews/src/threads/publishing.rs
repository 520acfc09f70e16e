//! Publishes draft notes: they become notes of one review, of which people are told once.

use super::model::Draft;
use super::rules::{resolves, stand};
use super::store as rows;
use crate::model::{MergeRequest, ReviewState};
use crate::rules::review::said;
use crate::talk::thing;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use planning::access::ProjectAccess;
use planning::rules::comments::{Comment, Direct, Said, Talk};
use planning::rules::topic::Topic;
use planning::store::notes::Note;
use planning::store::threads::Resolves;

/// What is said with a review as a whole.
#[derive(Debug, Clone, Default)]
pub struct Closing {
    pub summary: Option<String>,
    /// Whether the summary is for reporters alone.
    pub internal: bool,
    pub state: Option<ReviewState>,
}

/// What was published so far, and who is told of it in any case.
struct Review<'r> {
    talk: Talk<'r>,
    request: &'r MergeRequest,
    first: Option<Note>,
    direct: Direct,
}

/// Publishes all that the viewer, who may write notes about the merge request, wrote.
pub fn publish_all(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest,
    closing: &Closing,
) -> Result<()> {
    let user_id = viewer.signed_in()?.user.id;
    let drafts = rows::drafts(tx, request.id, user_id)?;
    publish(tx, viewer, here, request, &drafts, closing)
}

/// Publishes these drafts of the viewer, in their order, and what closes the review.
pub fn publish(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest,
    drafts: &[Draft], closing: &Closing,
) -> Result<()> {
    let topic = Topic::Thing(thing(request.id));
    let talk = Talk::new(viewer, here, topic);
    let mut review = Review { talk, request, first: None, direct: Vec::new() };
    // First, for a command in one of them may publish what is left.
    let ids: Vec<i64> = drafts.iter().map(|draft| draft.id).collect();
    rows::delete_drafts(tx, &ids)?;
    for draft in drafts {
        review.publish(tx, draft)?;
    }
    if let Some(summary) = &closing.summary {
        review.say(tx, &comment(summary, closing.internal))?;
    }
    if let Some(state) = closing.state {
        said(tx, viewer, here, request, state)?;
    }
    match review.first {
        Some(first) => talk.tell(tx, first.id, review.direct),
        None => Ok(()),
    }
}

fn comment(body: &str, internal: bool) -> Comment {
    Comment {
        body: body.to_owned(),
        internal,
        created_at: None,
        discussion_id: None,
        begins_thread: false,
    }
}

impl Review<'_> {
    fn say(&mut self, tx: &mut Tx<'_>, comment: &Comment) -> Result<Option<Note>> {
        let (said, direct) = self.talk.write_untold(tx, comment)?;
        self.direct.extend(direct);
        Ok(match said {
            Said::Note(note, _) => {
                self.first.get_or_insert_with(|| (*note).clone());
                Some(*note)
            }
            Said::Commands(_) => None,
        })
    }

    fn publish(&mut self, tx: &mut Tx<'_>, draft: &Draft) -> Result<()> {
        let answered = self.answered(tx, draft)?;
        let stored = draft.stored().filter(|_| answered.is_none());
        let said = Comment {
            discussion_id: answered.clone(),
            begins_thread: stored.is_some(),
            ..comment(&draft.body, false)
        };
        let Some(note) = self.say(tx, &said)? else {
            return Ok(());
        };
        if let Some(stored) = &stored {
            let by = (note.discussion_id.as_str(), note.author_id);
            stand(tx, self.request, by, stored, draft.commit_id.as_deref())?;
        }
        match answered.filter(|_| draft.resolves_discussion) {
            Some(id) => self.resolve(tx, &id),
            None => Ok(()),
        }
    }

    /// The discussion that it answers, if that is still there.
    fn answered(&self, tx: &mut Tx<'_>, draft: &Draft) -> Result<Option<String>> {
        let Some(id) = &draft.discussion_id else {
            return Ok(None);
        };
        match self.talk.discussion(tx, id) {
            Ok(_) => Ok(Some(id.clone())),
            Err(Error::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Resolves what was answered, as far as the viewer may.
    fn resolve(&self, tx: &mut Tx<'_>, discussion_id: &str) -> Result<()> {
        let Talk { viewer, desk, .. } = self.talk;
        match resolves(tx, viewer, desk, self.request.id)? {
            Resolves::All => self.talk.resolve(tx, discussion_id, true),
            Resolves::Own | Resolves::None => Ok(()),
        }
    }
}
