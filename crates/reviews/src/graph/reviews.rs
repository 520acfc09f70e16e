//! Mutations of reviews.

use super::change::{At, one, shown};
use crate::rules::reviewers::{ask_again, request_changes, take_changes_back};
use identity::graph::USER_ID;
use kernel::graph::{Graph, HasTypeRef};

kernel::graph_input! {
    struct AskAgain {
        ..at: At,
        /// Who is to review it again.
        user_id: i64 = USER_ID.required(),
    }
}

pub fn graph(g: &mut Graph) {
    let text = "Asks a reviewer of a merge request to look again.";
    one(g, "mergeRequestReviewerRereview", text).handle(|it: AskAgain, context| async move {
        let work = it.at.write(&context, move |tx, viewer, here, request| {
            ask_again(tx, viewer, here, request, it.user_id)?;
            Ok(request.id)
        });
        shown(&context, work.await?).await
    });
    let text = "Says that the caller, who reviews a merge request, wants changes.";
    one(g, "mergeRequestRequestChanges", text).handle(|at: At, context| async move {
        let work = at.write(&context, |tx, viewer, here, request| {
            request_changes(tx, viewer, here, request)?;
            Ok(request.id)
        });
        shown(&context, work.await?).await
    });
    let text = "Says that the caller does not want the changes any more that they wanted.";
    one(g, "mergeRequestDestroyRequestedChanges", text).handle(|at: At, context| async move {
        let work = at.write(&context, |tx, viewer, here, request| {
            take_changes_back(tx, viewer, here, request)?;
            Ok(request.id)
        });
        shown(&context, work.await?).await
    });
}
