//! What pipelines and jobs have: stages, and a status in words.

use crate::pipelines::entity::DetailedStatus;
use crate::pipelines::status::{Mode, Status, Tally};
use crate::pipelines::store::lists::StageCount;
use kernel::graph::{BOOLEAN, Graph, HasTypeRef, STRING, object};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A stage of a pipeline, with what its jobs are together.
pub struct StageView {
    pub pipeline_id: i64,
    pub index: i64,
    pub name: String,
    pub status: Status,
    /// Where it is shown.
    pub path: String,
}

impl StageView {
    /// The stages of a pipeline, in order.
    pub fn all(counts: &[StageCount], path: &str) -> Vec<Arc<StageView>> {
        let mut stages: BTreeMap<i64, (&StageCount, Tally)> = BTreeMap::new();
        for one in counts {
            let stage = stages.entry(one.stage_index).or_insert_with(|| (one, Tally::default()));
            (0..one.count).for_each(|_| stage.1.add(one.status, one.allow_failure));
        }
        let view = |(index, (one, tally)): (i64, (&StageCount, Tally))| {
            Arc::new(StageView {
                pipeline_id: one.pipeline_id,
                index,
                name: one.stage.clone(),
                status: tally.status(Mode::Stages),
                path: path.to_owned(),
            })
        };
        stages.into_iter().map(view).collect()
    }
}

pub fn graph(g: &mut Graph) {
    let text = "How far something is, in words.";
    g.object::<DetailedStatus>("DetailedStatus", text)
        .value("text", "In one word.", |it| Some(it.text.clone()))
        .value("label", "In a few words.", |it| Some(it.label.clone()))
        .value("group", "What it is shown like.", |it| Some(it.group.clone()))
        .value("icon", "Name of its picture.", |it| Some(it.icon.clone()))
        .value("tooltip", "Said to who points at it.", |it| Some(it.tooltip.clone()))
        .field("hasDetails", BOOLEAN, |it| Some(it.has_details))
        .describe("Whether it leads somewhere.")
        .value("detailsPath", "Where it leads.", |it| Some(it.details_path.clone()));
    g.object::<StageView>("CiStage", "A stage of a pipeline.")
        .field("name", STRING, |it| Some(it.name.clone()))
        .describe("What it is called.")
        .field("status", STRING, |it| Some(it.status.to_string()))
        .describe("What its jobs are together.")
        .field("detailedStatus", object::<DetailedStatus>("DetailedStatus").required(), |it| {
            Arc::new(DetailedStatus::of(it.status, it.path.clone()))
        })
        .describe("The same in words.");
}
