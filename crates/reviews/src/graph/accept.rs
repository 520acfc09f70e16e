//! The mutation that merges.

use super::change::{At, Changed, in_words, one, shown};
use super::enums::said;
use crate::access::{desk_signed_in, find};
use crate::merging::status::DetailedStatus;
use crate::rules::merge::{Wanted, accept};
use crate::rules::merge_words::Order;
use identity::graph::caller;
use kernel::error::Error;
use kernel::graph::{BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, STRING, named};
use serde_json::Value as Json;

kernel::graph_input! {
    struct Accept {
        ..at: At,
        /// The head as the caller knows it: of another one nothing is merged.
        sha: String = STRING.required(),
        /// When it is merged; at once where nothing is said.
        strategy: Option<String> = named("MergeStrategyEnum"),
        /// Whether its commits become one.
        squash: Option<bool> = BOOLEAN => false,
        /// Message of the commit of the merge.
        commit_message: Option<String> = STRING,
        /// Message of the one commit in place of many.
        squash_commit_message: Option<String> = STRING,
        /// Whether the source branch goes with the merge.
        should_remove_source_branch: Option<bool> = BOOLEAN,
    }
}

pub fn graph(g: &mut Graph) {
    let text = "Merges a merge request, or has it merged once its checks pass.";
    one(g, "mergeRequestAccept", text).handle(merge);
}

/// What is pushed stays, whatever becomes of the rest of a request.
pub fn alone(context: &Context) -> Result<(), Fault> {
    match context.request.atomic {
        true => {
            let text = "Code cannot be changed in a request whose mutations are undone together";
            Err(Fault::argument(text))
        }
        false => Ok(()),
    }
}

async fn merge(it: Accept, context: Context) -> Result<Done<Changed>, Fault> {
    alone(&context)?;
    let (app, viewer) = caller(&context)?;
    let ((project, iid), who) = (it.at.place(), viewer.clone());
    let found = app.read(move |tx| {
        let here = desk_signed_in(tx, &who, &project)?;
        Ok(find(tx, &who, &here, iid)?.id)
    });
    let id = found.await?;
    let wanted = Wanted {
        order: Order {
            sha: Some(it.sha),
            merge_commit_message: it.commit_message,
            squash_commit_message: it.squash_commit_message,
        },
        squash: it.squash,
        should_remove_source_branch: it.should_remove_source_branch,
        auto_merge: it.strategy.is_some(),
    };
    let errors = match accept(&app, &viewer, id, wanted).await {
        Ok(()) => Vec::new(),
        Err(error) => refusals(error)?,
    };
    // Who is refused sees how it is now.
    Ok(Done { errors, ..shown(&context, id).await? })
}

/// Why it was not merged, in sentences, where the caller may know.
fn refusals(error: Error) -> Result<Vec<String>, Fault> {
    match &error {
        Error::Conflict(text) | Error::Unprocessable(text) | Error::BadRequest(text) => {
            Ok(vec![text.clone()])
        }
        Error::Exact(405, body) => {
            let checks = body.get("failing_checks").and_then(Json::as_array);
            let named =
                |check: &Json| DetailedStatus::from_text(check.get("identifier")?.as_str()?);
            let failing = checks.into_iter().flatten().filter_map(named);
            let texts = failing.map(|status| said(status).to_owned());
            Ok(["This merge request cannot be merged.".to_owned()]
                .into_iter()
                .chain(texts)
                .collect())
        }
        _ => Err(in_words(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merging::accepting::Refusal;

    #[test]
    fn all_that_stands_in_the_way_is_said() {
        let failing = vec![DetailedStatus::Draft, DetailedStatus::NotApproved];
        let errors = refusals(Refusal::NotMergeable(failing).into()).unwrap_or_default();
        let expected = [
            "This merge request cannot be merged.",
            "It is a draft.",
            "Approvals are missing.",
        ];
        assert_eq!(errors, expected);
        let moved = refusals(Refusal::HeadMoved("ab".to_owned()).into()).unwrap_or_default();
        assert_eq!(moved, ["SHA does not match HEAD of source branch: ab"]);
        assert!(refusals(Refusal::NotAllowed.into()).is_err());
    }
}
