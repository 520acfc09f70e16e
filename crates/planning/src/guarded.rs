//! Writing issues and notes past the spam rules, the same way for every
//! interface: who may not write is told so before the text is judged, and
//! what passes is written in one transaction.

use crate::access::{Desk, desk_to_write};
use crate::model::Issue;
use crate::rules::comments::{self, Comment, Said};
use crate::rules::issues::places::found_to_write;
use crate::rules::issues::requests::{self, Wanted};
use crate::store::notes::Note;
use identity::spam::captcha::Solution;
use identity::spam::{Actor, Guarded, Subject, guard};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Asked, Patch};
use kernel::ids::Reference;
use std::sync::Arc;
use store::Tx;

/// Who writes, and by which request.
#[derive(Debug, Clone)]
pub struct Writer {
    /// Who.
    pub viewer: Viewer,
    /// The request.
    pub asked: Arc<Asked>,
    /// It came by an API, and not from a form.
    pub via_api: bool,
}

impl Writer {
    /// Somebody who uses an API.
    pub fn by_api(viewer: Viewer, asked: Arc<Asked>) -> Writer {
        Writer {
            viewer,
            asked,
            via_api: true,
        }
    }

    fn subject(&self, action: &'static str, title: &str, text: &str) -> Result<Subject> {
        let (target_type, noun) = match action {
            "create_note" | "update_note" => ("Note", "note"),
            _ => ("Issue", "issue"),
        };
        Ok(Subject {
            actor: Actor::User(Box::new(self.viewer.signed_in()?.user.clone())),
            ip: self.asked.peer.to_string(),
            agent: self
                .asked
                .header(::http::header::USER_AGENT)
                .unwrap_or_default()
                .to_owned(),
            via_api: self.via_api,
            action,
            target_type,
            noun,
            title: title.to_owned(),
            text: text.to_owned(),
            solution: Solution::of(&self.asked.headers),
            solved: false,
        })
    }
}

/// An issue by its project and number.
pub type Place = (Reference, i64);

/// Makes an issue; `then` reads what is told of it.
pub async fn open<T: Send + 'static>(
    app: &App,
    writer: Writer,
    project: Reference,
    wanted: Wanted,
    then: impl Fn(&mut Tx<'_>, Desk, Issue) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, id) = (writer.viewer.clone(), project.clone());
    app.read(move |tx| desk_to_write(tx, &who, &id).map(drop))
        .await?;
    let text = match &wanted.description {
        Patch::Value(text) => text.as_str(),
        _ => "",
    };
    let title = wanted.title.as_deref().unwrap_or_default();
    let subject = writer.subject("create_issue", title, text)?;
    guard(app, &subject, move |tx| {
        let desk = desk_to_write(tx, &writer.viewer, &project)?;
        let issue = requests::open(tx, &writer.viewer, &desk, &wanted)?;
        then(tx, desk, issue)
    })
    .await
}

/// Changes an issue; the texts are judged if they change. Nothing wanted
/// changes nothing.
pub async fn edit<T: Send + 'static>(
    app: &App,
    writer: Writer,
    place: Place,
    wanted: Wanted,
    then: impl Fn(&mut Tx<'_>, Desk, Issue) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, at) = (writer.viewer.clone(), place.clone());
    let before = app
        .read(move |tx| {
            let (desk, issue) = found_to_write(tx, &who, &at.0, at.1)?;
            match requests::may_edit(&who, &desk, &issue) {
                true => Ok(issue),
                false => Err(Error::forbidden("")),
            }
        })
        .await?;
    let rewrites = wanted.rewrites();
    let title = wanted.title.clone().unwrap_or(before.title);
    let text = wanted.description.clone().over(before.description);
    let subject = writer.subject("update_issue", &title, &text.unwrap_or_default())?;
    let change = move |tx: &mut Tx<'_>| {
        let (desk, issue) = found_to_write(tx, &writer.viewer, &place.0, place.1)?;
        let issue = match wanted.is_empty() {
            true => issue,
            false => requests::edit(tx, &writer.viewer, &desk, &issue, &wanted)?,
        };
        // What the change hides from the one who made it still answers them.
        then(tx, desk, issue)
    };
    match rewrites {
        true => guard(app, &subject, change).await,
        false => Ok(Guarded::Made(app.write(change).await?)),
    }
}

/// Writes a note.
pub async fn comment<T: Send + 'static>(
    app: &App,
    writer: Writer,
    place: Place,
    comment: Comment,
    then: impl Fn(&mut Tx<'_>, Issue, Said) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, at) = (writer.viewer.clone(), place.clone());
    app.read(move |tx| found_to_write(tx, &who, &at.0, at.1).map(drop))
        .await?;
    let subject = writer.subject("create_note", "", &comment.body)?;
    guard(app, &subject, move |tx| {
        let (desk, issue) = found_to_write(tx, &writer.viewer, &place.0, place.1)?;
        let said = comments::write(tx, &writer.viewer, &desk, &issue, &comment)?;
        then(tx, issue, said)
    })
    .await
}

/// Writes another text of a note, which belongs to the discussion if one is
/// named.
pub async fn rewrite<T: Send + 'static>(
    app: &App,
    writer: Writer,
    place: Place,
    (note_id, within): (i64, Option<String>),
    body: String,
    then: impl Fn(&mut Tx<'_>, Issue, Note) -> Result<T> + Send + Sync + 'static,
) -> Result<Guarded<T>> {
    let (who, at, inside) = (writer.viewer.clone(), place.clone(), within.clone());
    app.read(move |tx| {
        let (desk, issue) = found_to_write(tx, &who, &at.0, at.1)?;
        comments::find_within(tx, &desk, &issue, note_id, inside.as_deref()).map(drop)
    })
    .await?;
    let subject = writer.subject("update_note", "", &body)?;
    guard(app, &subject, move |tx| {
        let (desk, issue) = found_to_write(tx, &writer.viewer, &place.0, place.1)?;
        comments::find_within(tx, &desk, &issue, note_id, within.as_deref())?;
        let note = comments::rewrite(tx, &writer.viewer, &desk, &issue, note_id, &body)?;
        then(tx, issue, note)
    })
    .await
}
