//! Whom changes of merge requests are told: to-dos for those named, and mail.

use crate::model::{MergeRequest, State};
use crate::noteable::{noteable, plugged};
use crate::store::{labels, people};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use planning::access::ProjectAccess;
use planning::rules::news::{self, Text, label_subscribers};
use planning::rules::todos;
use planning::rules::topic::Topic;
use planning::tasks::{Event, Reason};

/// Who is told in any case, and why.
type Direct = Vec<(i64, Reason)>;

/// A merge request as it was, with who took part and its labels.
pub struct Before {
    pub request: MergeRequest,
    assignees: Vec<i64>,
    reviewers: Vec<i64>,
    labels: Vec<i64>,
}

impl Before {
    pub fn read(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<Before> {
        Ok(Before {
            assignees: people::assignees_of_one(tx, request.id)?,
            reviewers: reviewers(tx, request.id)?,
            labels: labels::ids_of(tx, request.id)?,
            request: request.clone(),
        })
    }
}

fn reviewers(tx: &mut Tx<'_>, id: i64) -> Result<Vec<i64>> {
    let found = people::reviewers_of_one(tx, id)?;
    Ok(found.into_iter().map(|reviewer| reviewer.user_id).collect())
}

/// Has people told of something that happened to it.
pub fn notify(
    tx: &mut Tx<'_>, actor: Option<i64>, request: &MergeRequest, event: Event, direct: Direct,
) -> Result<()> {
    let topic = Topic::Thing(plugged(tx, request)?);
    news::notify(tx, actor, topic, event, None, direct)
}

/// What it says, with the title behind it: who is named there is not spoken to.
fn text(request: &MergeRequest) -> String {
    format!("{}\n\n{}", request.text(), request.title)
}

/// Gives those whom its text newly names something to do; they and why. What else it names
/// is told so.
fn named(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest, before: &str,
) -> Result<Direct> {
    let text = text(request);
    let said = Text { text: &text, before, note_id: None, internal: false };
    let topic = Topic::Thing(plugged(tx, request)?);
    news::mentioned(tx, viewer, here, topic, said)
}

fn all(users: impl IntoIterator<Item = i64>, reason: Reason) -> Direct {
    users.into_iter().map(|user| (user, reason)).collect()
}

/// Has people told of a new merge request.
pub fn made(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, request: &MergeRequest,
) -> Result<()> {
    let mut direct = named(tx, viewer, here, request, "")?;
    direct.extend(all(people::assignees_of_one(tx, request.id)?, Reason::Assigned));
    direct.extend(all(reviewers(tx, request.id)?, Reason::ReviewRequested));
    let worn = labels::ids_of(tx, request.id)?;
    direct.extend(label_subscribers(tx, worn, &[])?);
    match is_program(viewer) {
        true => Ok(()),
        false => notify(tx, request.author_id, request, Event::New, direct),
    }
}

/// Nobody is told by mail of what programs do.
pub fn is_program(viewer: &Viewer) -> bool {
    viewer.user().is_none_or(|user| user.kind.is_bot())
}

/// Has people told of a change, and takes it from what the viewer has to do.
pub fn changed(
    tx: &mut Tx<'_>, viewer: &Viewer, here: &ProjectAccess, before: Before, after: &MergeRequest,
) -> Result<()> {
    todos::close_for(tx, viewer.user_id(), noteable(after))?;
    let (old, said) = (&before.request, text(&before.request));
    let mut told: Vec<(Event, Direct)> = Vec::new();
    if said != text(after) {
        told.push((Event::Edited, named(tx, viewer, here, after, &said)?));
    }
    if is_program(viewer) {
        return Ok(());
    }
    let worn = labels::ids_of(tx, after.id)?;
    told.push((Event::Labelled, label_subscribers(tx, worn, &before.labels)?));
    // Of these nobody is told but those for whom they are meant.
    told.retain(|(_, direct)| !direct.is_empty());
    if old.state != after.state {
        let event = match after.state {
            State::Closed => Event::Closed,
            _ => Event::Reopened,
        };
        told.push((event, Vec::new()));
    }
    if old.milestone_id != after.milestone_id {
        told.push((Event::Milestone, Vec::new()));
    }
    if old.draft != after.draft {
        told.push((Event::Draft, Vec::new()));
    }
    let assignees = people::assignees_of_one(tx, after.id)?;
    if assignees != before.assignees {
        let both = before.assignees.into_iter().chain(assignees);
        told.push((Event::Reassigned, all(both, Reason::Assigned)));
    }
    let now = reviewers(tx, after.id)?;
    if now != before.reviewers {
        let both = before.reviewers.into_iter().chain(now);
        told.push((Event::Reviewers, all(both, Reason::ReviewRequested)));
    }
    for (event, direct) in told {
        notify(tx, viewer.user_id(), after, event, direct)?;
    }
    Ok(())
}
