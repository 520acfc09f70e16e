//! What concerns the caller alone: subscriptions and to-dos.

use super::{At, Place, one};
use crate::entity::{SingleEntity, singles};
use crate::rules::places;
use kernel::error::Result;
use kernel::http::{Changed, Routes};
use planning::{Subscribes, mark_todo};

pub(super) fn routes(r: &mut Routes) {
    r.post(&one("/subscribe"), subscription)
        .named("subscribe_to_merge_request")
        .summary("Subscribes the caller to a merge request");
    r.post(&one("/unsubscribe"), subscription)
        .named("unsubscribe_from_merge_request")
        .summary("Ends the caller's subscription to a merge request");
    r.post(&one("/todo"), mark_todo::<Place>)
        .named("merge_requests_mark")
        .summary("Puts a merge request among the caller's to-dos");
}

async fn subscription(at: At, Subscribes(wanted): Subscribes) -> Result<Changed<SingleEntity>> {
    let shown = at.write_own(move |tx, by, _, request| {
        match places::subscribe(tx, &by.viewer, &request, wanted)? {
            true => Ok(singles(&by.app, tx, &by.viewer, std::slice::from_ref(&request))?.pop()),
            false => Ok(None),
        }
    });
    Ok(shown.await?.into())
}
