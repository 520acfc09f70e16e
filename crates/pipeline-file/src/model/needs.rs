//! `needs:`: what a job waits for and takes files from (contract 6.3).

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::check::{At, Fields, Report, child};
use crate::message::Place;
use crate::yaml::{Node, Value};

/// One entry of `needs:`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// A job of the same pipeline; with a filter only these instances of it.
    Job {
        job: String,
        artifacts: bool,
        optional: bool,
        matrix: Vec<MatrixFilter>,
        at: Place,
    },
    /// Files of a job of another pipeline of the same family.
    Pipeline { pipeline: String, job: Option<String>, artifacts: bool },
    /// Files of the latest successful job of a ref.
    Project {
        project: String,
        job: String,
        reference: String,
        artifacts: bool,
    },
}

/// Values of one entry of `parallel:matrix`, keys in order.
pub type MatrixFilter = IndexMap<String, Vec<String>>;

/// What another project's pipeline is waited for with, in a job without script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mirror(pub String);

/// Needs of a job, and the project that a job without script mirrors.
#[derive(Default)]
pub(super) struct Needs {
    pub list: Vec<Need>,
    pub mirror: Option<Mirror>,
}

/// Needs of other projects and pipelines that a job may have.
const CROSS_PIPELINE: usize = 5;

pub(super) fn read(at: At<'_>, report: &mut Report) -> Option<Needs> {
    let mut needs = Needs::default();
    let path = at.path.below("need");
    match &at.node.value {
        Value::List(items) => {
            for item in items {
                one(At::new(item, &path), report, &mut needs);
            }
        }
        Value::Text(_) | Value::Map(_) => one(at, report, &mut needs),
        _ => {
            at.wrong(report, "can only be a hash or an array");
            return None;
        }
    }
    let crossing = needs.list.iter().filter(|need| !matches!(need, Need::Job { .. })).count();
    if crossing > CROSS_PIPELINE {
        at.wrong(report, &format!("has too many cross-pipeline needs (maximum {CROSS_PIPELINE})"));
    }
    Some(needs)
}

fn one(at: At<'_>, report: &mut Report, needs: &mut Needs) {
    if let Some(job) = at.node.text() {
        let job = job.to_owned();
        let matrix = Vec::new();
        let place = at.node.at;
        needs
            .list
            .push(Need::Job { job, artifacts: true, optional: false, matrix, at: place });
        return;
    }
    let Some(map) = at.node.map() else {
        let text = format!("{} has an unsupported type", at.path);
        return report.error(at.node.at, &text);
    };
    if map.contains_key("project") {
        needs.list.extend(project(at, report));
    } else if map.contains_key("pipeline") && !map.contains_key("job") {
        let fields = at.map(report, &["pipeline"]);
        needs.mirror = fields.and_then(|fields| fields.string(report, "pipeline")).map(Mirror);
    } else if map.contains_key("pipeline") {
        needs.list.extend(pipeline(at, report));
    } else if map.contains_key("job") {
        needs.list.extend(job(at, report));
    } else {
        let text = format!("{} has an unsupported type", at.path);
        report.error(at.node.at, &text);
    }
}

fn job(at: At<'_>, report: &mut Report) -> Option<Need> {
    let fields = at.map(report, &["job", "artifacts", "optional", "parallel"])?;
    let matrix = child!(fields, "parallel", |at| parallel(at, report));
    Some(Need::Job {
        artifacts: fields.boolean(report, "artifacts").unwrap_or(true),
        optional: fields.boolean(report, "optional").unwrap_or(false),
        matrix: matrix.unwrap_or_default(),
        job: name(&fields, report)?,
        at: at.node.at,
    })
}

fn name(fields: &Fields<'_>, report: &mut Report) -> Option<String> {
    if !fields.has("job") {
        fields.wrong(report, "job", "can't be blank");
    }
    fields.string(report, "job")
}

fn pipeline(at: At<'_>, report: &mut Report) -> Option<Need> {
    let fields = at.map(report, &["pipeline", "job", "artifacts"])?;
    Some(Need::Pipeline {
        pipeline: fields.get("pipeline").and_then(Node::scalar_text)?,
        artifacts: fields.boolean(report, "artifacts").unwrap_or(true),
        job: Some(name(&fields, report)?),
    })
}

fn project(at: At<'_>, report: &mut Report) -> Option<Need> {
    let fields = at.map(report, &["project", "job", "ref", "artifacts"])?;
    fields.required(report, &["project", "job", "ref"]);
    Some(Need::Project {
        artifacts: fields.boolean(report, "artifacts").unwrap_or(true),
        project: fields.string(report, "project")?,
        job: fields.string(report, "job")?,
        reference: fields.string(report, "ref")?,
    })
}

fn parallel(at: At<'_>, report: &mut Report) -> Option<Vec<MatrixFilter>> {
    let fields = at.map(report, &["matrix"])?;
    child!(fields, "matrix", |at| matrix(at, report))
}

/// A list of maps whose values are texts, numbers or lists of them.
pub(super) fn matrix(at: At<'_>, report: &mut Report) -> Option<Vec<MatrixFilter>> {
    let Some(items) = at.node.list() else {
        at.wrong(report, "should be an array of hashes");
        return None;
    };
    let mut entries = Vec::new();
    for item in items {
        let Some(map) = item.map().filter(|map| !map.is_empty()) else {
            at.wrong(report, "should be an array of hashes");
            return None;
        };
        let mut entry = MatrixFilter::new();
        for (key, node) in map {
            let Some(values) = values(node) else {
                at.field(
                    report,
                    "config",
                    "variables should be a hash of key value pairs, value can be an array",
                );
                return None;
            };
            entry.insert(key.clone(), values);
        }
        entries.push(entry);
    }
    Some(entries)
}

fn values(node: &Node) -> Option<Vec<String>> {
    let values = match &node.value {
        Value::List(items) => items.iter().map(Node::scalar_text).collect::<Option<Vec<_>>>()?,
        _ => vec![node.scalar_text()?],
    };
    (!values.is_empty()).then_some(values)
}
