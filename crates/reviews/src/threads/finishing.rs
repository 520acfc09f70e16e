//! A review is finished: what somebody wrote is published past the spam rules, by whichever
//! interface.

use super::model::Draft;
use super::publishing::{Closing, publish as publish_now};
use super::store as rows;
use crate::model::MergeRequest;
use crate::place::Place;
use ::store::Tx;
use identity::spam::{Guarded, guard};
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use planning::guarded::{NoteablePath, Writer};

/// A draft note of the viewer's own.
pub fn own(tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, id: i64) -> Result<Draft> {
    let user_id = viewer.signed_in()?.user.id;
    rows::draft(tx, request.id, user_id, id)?.found("Draft Note")
}

/// The drafts that are published: one, or all.
fn meant(
    tx: &mut Tx<'_>, viewer: &Viewer, request: &MergeRequest, one: Option<i64>,
) -> Result<Vec<Draft>> {
    match one {
        Some(id) => Ok(vec![own(tx, viewer, request, id)?]),
        None => rows::drafts(tx, request.id, viewer.signed_in()?.user.id),
    }
}

/// Publishes one draft or all of them, with what closes the review.
///
/// # Errors
///
/// Those of [`NoteablePath::authorize`]; `NotFound` of a draft that is not there.
pub async fn publish(
    app: &App, writer: Writer, place: Place, one: Option<i64>, closing: Closing,
) -> Result<Guarded<()>> {
    let (who, there) = (writer.viewer.clone(), place.clone());
    let drafts = app.read(move |tx| {
        let (_, request) = there.authorize(tx, &who)?;
        meant(tx, &who, &request, one)
    });
    let drafts = drafts.await?;
    let said = drafts.iter().map(|draft| draft.body.as_str());
    let texts: Vec<&str> = said.chain(closing.summary.as_deref()).collect();
    let subject = writer.subject("create_note", "", &texts.join("\n\n"))?;
    let judged: Vec<(i64, String)> =
        drafts.iter().map(|draft| (draft.id, draft.body.clone())).collect();
    guard(app, &subject, move |tx| {
        let (here, request) = place.authorize(tx, &writer.viewer)?;
        let mut drafts = meant(tx, &writer.viewer, &request, one)?;
        // What was written meanwhile was not judged.
        drafts
            .retain(|draft| judged.iter().any(|(id, body)| *id == draft.id && *body == draft.body));
        publish_now(tx, &writer.viewer, &here, &request, &drafts, &closing)
    })
    .await
}
