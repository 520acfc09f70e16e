//! The messages that a merge request is merged with, unless other ones are given.

use super::standing::Rights;
use super::{ById, keys};
use crate::model::MergeRequest;
use crate::rules::default_words;
use crate::rules::merge_words::Messages;
use identity::graph::caller;
use kernel::graph::context::Loader;
use kernel::graph::{Context, Fault, Graph, STRING};
use std::collections::HashMap;
use std::sync::Arc;

/// Messages of those that the caller may merge: they may name addresses of people.
struct Words;

impl Loader for Words {
    type Key = ById;
    type Value = Messages;

    async fn load(context: Context, keys: Vec<ById>) -> Result<HashMap<ById, Messages>, Fault> {
        let rights = context.load::<Rights>(keys.clone()).await?;
        let merged = keys.into_iter().filter(|key| rights.get(key).is_some_and(|it| it.merges()));
        let merged: Vec<ById> = merged.collect();
        let requests = merged.iter().map(|key| (*key.0).clone()).collect();
        let (app, viewer) = caller(&context)?;
        let found = default_words::of(&app, &viewer, requests).await?;
        let of = |key: ById| {
            let messages = found.get(&key.0.id)?.clone();
            Some((key, messages))
        };
        Ok(merged.into_iter().filter_map(of).collect())
    }
}

pub fn graph(g: &mut Graph) {
    g.on::<MergeRequest>("MergeRequest")
        .level("defaultMergeCommitMessage", STRING, |requests, _, context| {
            said(requests, context, |it| &it.merge)
        })
        .describe("The message of its merge unless another is given, for who may merge it.")
        .git()
        .level("defaultSquashCommitMessage", STRING, |requests, _, context| {
            said(requests, context, |it| &it.squash)
        })
        .describe("The message of its commits as one, likewise.")
        .git();
}

async fn said(
    requests: Vec<Arc<MergeRequest>>, context: Context, of: fn(&Messages) -> &String,
) -> Result<Vec<Option<String>>, Fault> {
    let found = context.load::<Words>(keys(&requests)).await?;
    let said = |key: ById| found.get(&key).map(|messages| of(messages).clone());
    Ok(keys(&requests).into_iter().map(said).collect())
}
