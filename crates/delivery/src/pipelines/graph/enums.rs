//! The closed lists of pipelines and jobs.

use crate::pipelines::status::Status;
use kernel::graph::shape::Leaf;
use kernel::graph::{Graph, item};

pub const STATUS: Leaf<Status> = Leaf::upper("PipelineStatusEnum");
pub const JOB_STATUS: Leaf<Status> = Leaf::upper("CiJobStatus");
pub const SCOPE: &str = "PipelineScopeEnum";

const STATES: &[(&str, &str)] = &[
    ("CREATED", "It is there, and nothing of it was handed out."),
    ("WAITING_FOR_RESOURCE", "Another has what it needs alone."),
    ("PREPARING", "It is about to be handed out."),
    ("PENDING", "It waits for a runner."),
    ("RUNNING", "It runs."),
    ("FAILED", "It failed."),
    ("SUCCESS", "It passed."),
    ("CANCELED", "Somebody ended it."),
    ("CANCELING", "Somebody ended it, and its runner cleans up."),
    ("SKIPPED", "It was left out."),
    ("MANUAL", "It waits for somebody to start it."),
    ("SCHEDULED", "It waits for its time."),
];

pub fn graph(g: &mut Graph) {
    let items = || STATES.iter().map(|(name, about)| item(name, about)).collect();
    g.enumeration("PipelineStatusEnum", "How far a pipeline is.", items());
    g.enumeration("CiJobStatus", "How far a job is.", items());
    let scopes = vec![
        item("RUNNING", "Those that run."),
        item("PENDING", "Those that wait for a runner."),
        item("FINISHED", "Those that have come to an end."),
        item("BRANCHES", "Those of branches."),
        item("TAGS", "Those of tags."),
    ];
    g.enumeration(SCOPE, "Which pipelines, in one word.", scopes);
}
