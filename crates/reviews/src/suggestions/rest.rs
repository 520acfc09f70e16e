//! REST of suggestions.

use super::batch::{apply_all, by_ids};
use super::shown::SuggestionEntity;
use identity::Caller;
use kernel::error::{Found, Result};
use kernel::http::{Ok200, Params, Routes};

pub(super) fn routes(r: &mut Routes) {
    r.put("/suggestions/{id}/apply", apply_one)
        .named("apply_suggestion")
        .summary("Applies what a note suggests by a commit on the source branch");
    r.put("/suggestions/batch_apply", apply_many)
        .named("apply_suggestions")
        .summary("Applies what notes suggest by one commit on the source branch");
}

kernel::params! {
    struct ApplyOne {
        /// Id of the suggestion.
        pub id: i64,
        /// Message of the commit.
        pub commit_message: Option<String>,
    }
}

kernel::params! {
    struct ApplyMany {
        /// Ids of the suggestions, all of one branch.
        pub ids: Vec<i64>,
        /// Message of the commit.
        pub commit_message: Option<String>,
    }
}

async fn apply_one(by: Caller, asked: Params<ApplyOne>) -> Result<Ok200<SuggestionEntity>> {
    let Params(ApplyOne { id, commit_message }) = asked;
    let applied = applied(by, vec![id], commit_message).await?;
    applied.into_iter().next().found("").map(Ok200)
}

async fn apply_many(by: Caller, asked: Params<ApplyMany>) -> Result<Ok200<Vec<SuggestionEntity>>> {
    let Params(ApplyMany { ids, commit_message }) = asked;
    applied(by, ids, commit_message).await.map(Ok200)
}

/// Applies suggestions; as they are then.
async fn applied(
    by: Caller, ids: Vec<i64>, message: Option<String>,
) -> Result<Vec<SuggestionEntity>> {
    apply_all(&by.app, &by.viewer, &ids, message).await?;
    by.read(move |tx, _| Ok(by_ids(tx, &ids)?.0.iter().map(|one| one.entity()).collect()))
        .await
}
