//! Whether merge requests can be merged, and what stands in the way.

use super::enums::{CHECK, CHECK_STATUS, DETAILED};
use super::{ById, keys, of_each};
use crate::entity::facts::{demands, facts, lacks_target};
use crate::entity::{Base, Related};
use crate::merging::checks::{Check, checks};
use crate::merging::status::{Facts, PipelineEnd};
use crate::model::MergeRequest;
use crate::rules::auto_merge::STRATEGY;
use kernel::graph::context::Loader;
use kernel::graph::{BOOLEAN, Context, Fault, Graph, HasTypeRef, STRING, object};
use std::collections::HashMap;
use std::sync::Arc;

/// What decides about the merge of a merge request.
struct Judged {
    facts: Facts,
    checks: Vec<Arc<Check>>,
    lacks_target: bool,
}

struct Judgements;

impl Loader for Judgements {
    type Key = ById;
    type Value = Arc<Judged>;

    async fn load(context: Context, keys: Vec<ById>) -> Result<HashMap<ById, Arc<Judged>>, Fault> {
        of_each(&context, keys, |tx, viewer, requests| {
            let around = Related::read(tx, viewer, Base::Project, requests)?;
            let now = tx.now();
            let judged = requests.iter().map(|request| {
                let facts = facts(request, &around, now);
                let checks = checks(&facts, demands(request, &around));
                let checks = checks.into_iter().map(Arc::new).collect();
                let lacks_target = lacks_target(request, &around);
                (request.id, Arc::new(Judged { facts, checks, lacks_target }))
            });
            Ok(judged.collect())
        })
        .await
    }
}

/// What is told of each merge request of a level.
async fn told<T>(
    requests: Vec<Arc<MergeRequest>>, context: Context, of: fn(&Judged) -> T,
) -> Result<Vec<T>, Fault> {
    let found = context.load::<Judgements>(keys(&requests)).await?;
    let told = |key: ById| -> Result<T, Fault> {
        Ok(of(found.get(&key).ok_or_else(Fault::not_available)?))
    };
    keys(&requests).into_iter().map(told).collect()
}

pub fn graph(g: &mut Graph) {
    g.object::<Check>(
        "MergeRequestMergeabilityCheck",
        "Something that is looked at before a merge.",
    )
    .field("identifier", CHECK.required(), |it| it.identifier)
    .describe("What.")
    .field("status", CHECK_STATUS.required(), |it| it.status)
    .describe("How it is.");
    g.on::<MergeRequest>("MergeRequest")
        .level("detailedMergeStatus", DETAILED, |requests, _, context| {
            told(requests, context, |it| Some(it.facts.status()))
        })
        .describe("The first thing that stands in the way of its merge.")
        .level("mergeable", BOOLEAN.required(), |requests, _, context| {
            told(requests, context, |it| it.facts.failing().next().is_none())
        })
        .describe("Whether it can be merged now.")
        .level("mergeableDiscussionsState", BOOLEAN, |requests, _, context| {
            told(requests, context, |it| Some(!it.facts.has_open_threads))
        })
        .describe("Whether all discussions are resolved that have to be.")
        .level("shouldBeRebased", BOOLEAN.required(), |requests, _, context| {
            told(requests, context, |it| it.lacks_target)
        })
        .describe("Whether the source has to have what the target has, and lacks it.")
        .level(
            "availableAutoMergeStrategies",
            STRING.required().list(),
            |requests, _, context| told(requests, context, |it| Some(strategies(&it.facts))),
        )
        .describe("What a merge of it can wait for.")
        .level(
            "mergeabilityChecks",
            object::<Check>("MergeRequestMergeabilityCheck").required().list().required(),
            |requests, _, context| told(requests, context, |it| it.checks.clone()),
        )
        .describe("All that is looked at before a merge, and how it is.");
}

fn strategies(facts: &Facts) -> Vec<String> {
    let has_open_pipeline = facts.pipelines.end == Some(PipelineEnd::Open);
    match facts.may_wait(has_open_pipeline) {
        true => vec![STRATEGY.to_owned()],
        false => Vec::new(),
    }
}
