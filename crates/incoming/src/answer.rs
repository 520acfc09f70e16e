//! An answer to a mail: written as a note, or refused in words that its sender reads.

use crate::message::{IncomingFile, IncomingMail};
use crate::receive::{Letter, Outcome};
use crate::refuse::{Refuse, reason};
use crate::store;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::jobs::enqueue_at;
use planning::access::OwnedDesk;
use planning::guarded::{NoteablePath, Writer, comment};
use planning::rules::comments::Comment;
use spaces::members::MembersOf;
use spaces::uploads::{self, Which, model::Upload};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub async fn answer(
    app: &App, mail: IncomingMail, letter: Letter, digest: Vec<u8>,
) -> Result<Outcome> {
    let to = mail.from.clone().unwrap_or_default();
    let user_id = letter.user.id;
    let (taken, of) = (digest.clone(), letter.sent.noteable_type.clone());
    match note(app, mail, letter, digest).await {
        Err(error @ (Error::Unavailable(_) | Error::Internal(_) | Error::Limited(_))) => Err(error),
        Ok(outcome) => Ok(outcome),
        Err(error) => {
            let refuse = Refuse { to, of, reason: reason(&error) };
            app.write(move |tx| {
                if !store::take(tx, &taken, user_id)? {
                    return Ok(Outcome::Repeated);
                }
                let now = tx.now();
                enqueue_at(tx, &refuse, now)?;
                Ok(Outcome::Refused)
            })
            .await
        }
    }
}

/// Writes the note, unless a copy of the mail did meanwhile. Of what becomes no note
/// nothing is kept, so its files go again.
async fn note(app: &App, mail: IncomingMail, letter: Letter, digest: Vec<u8>) -> Result<Outcome> {
    if mail.text.is_empty() && mail.files.is_empty() {
        return Err(Error::invalid("note", "says nothing besides what it quotes"));
    }
    let mut files = Files::of(app, &letter).await?;
    let written = match files.keep(app, mail.files).await {
        Ok(()) => write(app, mail.text, &files, letter, digest).await,
        Err(error) => Err(error),
    };
    if !matches!(written, Ok(Outcome::Noted)) {
        files.remove(app).await;
    }
    written
}

async fn write(
    app: &App, text: String, files: &Files, letter: Letter, digest: Vec<u8>,
) -> Result<Outcome> {
    let said = Comment {
        body: [text, files.shown()].join("\n\n").trim().to_owned(),
        // What few were told is answered among them.
        internal: letter.answered.as_ref().is_some_and(|note| note.internal),
        created_at: None,
        discussion_id: letter.answered.map(|note| note.discussion_id),
        begins_thread: false,
    };
    let user_id = letter.user.id;
    let writer = Writer::by_mail(files.viewer.clone());
    let repeated = Arc::new(AtomicBool::new(false));
    let known = repeated.clone();
    let written = comment(app, writer, letter.spot, said, move |tx, _, _| {
        let is_first = store::take(tx, &digest, user_id)?;
        known.store(!is_first, Ordering::Relaxed);
        match is_first {
            true => Ok(()),
            false => Err(Error::Conflict(String::new())),
        }
    });
    let written = written.await.and_then(|written| written.rest());
    outcome(written, repeated.load(Ordering::Relaxed))
}

/// What became of it. A conflict alone does not make it a copy: it may be one with
/// something else.
fn outcome(written: Result<()>, is_repeated: bool) -> Result<Outcome> {
    match written {
        Err(Error::Conflict(_)) if is_repeated => Ok(Outcome::Repeated),
        written => written.map(|()| Outcome::Noted),
    }
}

/// Files that came with a mail, kept with the project or group.
struct Files {
    viewer: Viewer,
    desk: OwnedDesk,
    kept: Vec<Upload>,
}

impl Files {
    /// Where files of somebody go who may write there.
    async fn of(app: &App, letter: &Letter) -> Result<Files> {
        let viewer = Viewer::addressed(letter.user.clone());
        let (who, at) = (viewer.clone(), letter.spot.clone());
        let desk = app.read(move |tx| at.authorize(tx, &who).map(|(desk, _)| desk)).await?;
        Ok(Files { viewer, desk, kept: Vec::new() })
    }

    fn place<'v>(viewer: &'v Viewer, desk: &OwnedDesk) -> MembersOf<'v> {
        match desk {
            OwnedDesk::Project(desk) => MembersOf::of_project(viewer, &desk.project, desk.level),
            OwnedDesk::Group(desk) => MembersOf::of_group(viewer, &desk.group, desk.level),
        }
    }

    async fn keep(&mut self, app: &App, files: Vec<IncomingFile>) -> Result<()> {
        for file in files {
            let sent = uploads::receive_bytes(app, &file.name, file.bytes).await?;
            let (viewer, desk) = (self.viewer.clone(), self.desk.clone());
            let upload = app.write(move |tx| {
                uploads::add(tx, &Files::place(&viewer, &desk), &sent.name, &sent.stored)
            });
            self.kept.push(upload.await?);
        }
        Ok(())
    }

    /// How a text shows them.
    fn shown(&self) -> String {
        let shown: Vec<String> = self.kept.iter().map(Upload::markdown).collect();
        shown.join("\n\n")
    }

    async fn remove(self, app: &App) {
        let Files { viewer, desk, kept } = self;
        for upload in kept {
            let (viewer, desk) = (viewer.clone(), desk.clone());
            let removed = app.write(move |tx| {
                uploads::remove(tx, &Files::place(&viewer, &desk), &Which::Id(upload.id))
            });
            removed.await.best_effort("remove a file of a mail that became no note");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_with_something_else_is_no_copy() {
        let conflict = || Err(Error::Conflict("Issue(s) already assigned".into()));
        assert!(matches!(outcome(conflict(), true), Ok(Outcome::Repeated)));
        assert!(matches!(outcome(conflict(), false), Err(Error::Conflict(_))));
        assert!(matches!(outcome(Ok(()), false), Ok(Outcome::Noted)));
    }
}
