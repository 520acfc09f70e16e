//! `trigger:`: a job that starts another pipeline (contract 12).

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::check::{At, Fields, Report, child};
use crate::yaml::{Node, Value};

/// What is started, and how the job follows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trigger {
    pub target: Target,
    pub strategy: Option<Strategy>,
    pub forward: Forward,
    pub inputs: IndexMap<String, Json>,
}

/// Whose pipeline it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A pipeline of the same commit: what its file includes, as written.
    Child { include: Vec<Json> },
    /// With variables in both.
    Project { project: String, branch: Option<String> },
}

/// How the job takes the status of what it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    Depend,
    Mirror,
}

/// Which variables are handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forward {
    pub yaml_variables: bool,
    pub pipeline_variables: bool,
}

impl Default for Forward {
    fn default() -> Self {
        Self { yaml_variables: true, pipeline_variables: false }
    }
}

const MOST_INCLUDES: usize = 3;

pub(super) fn read(at: At<'_>, report: &mut Report) -> Option<Trigger> {
    if let Some(project) = at.node.text() {
        if project.trim().is_empty() {
            at.wrong(report, "can't be blank");
        }
        let target = Target::Project { project: project.to_owned(), branch: None };
        let inputs = IndexMap::new();
        return Some(Trigger { target, strategy: None, forward: Forward::default(), inputs });
    }
    if at.node.map().is_none() {
        let text = format!("{} has to be either a string or a hash", at.path);
        report.error(at.node.at, &text);
        return None;
    }
    let child = at.node.map().is_some_and(|map| map.contains_key("include"));
    let known: &[&str] = match child {
        true => &["include", "strategy", "forward", "inputs", "project"],
        false => &["project", "branch", "strategy", "forward", "inputs"],
    };
    let fields = at.map(report, known)?;
    fields.excludes(report, "include", &["project"]);
    let strategies = [("depend", Strategy::Depend), ("mirror", Strategy::Mirror)];
    let strategy = fields.one_of(report, "strategy", &strategies);
    let forward = child!(fields, "forward", |at| forward(at, report)).unwrap_or_default();
    let inputs = child!(fields, "inputs", |at| inputs(at, report)).unwrap_or_default();
    let target = match child {
        true => Target::Child { include: includes(&fields, report)? },
        false => {
            if !fields.has("project") {
                fields.wrong(report, "project", "can't be blank");
            }
            let branch = fields.string(report, "branch");
            Target::Project { project: fields.string(report, "project")?, branch }
        }
    };
    Some(Trigger { target, strategy, forward, inputs })
}

fn forward(at: At<'_>, report: &mut Report) -> Option<Forward> {
    let fields = at.map(report, &["yaml_variables", "pipeline_variables"])?;
    let default = Forward::default();
    let mut flag = |key| fields.boolean(report, key);
    Some(Forward {
        yaml_variables: flag("yaml_variables").unwrap_or(default.yaml_variables),
        pipeline_variables: flag("pipeline_variables").unwrap_or(default.pipeline_variables),
    })
}

fn inputs(at: At<'_>, report: &mut Report) -> Option<IndexMap<String, Json>> {
    match at.node.map() {
        Some(map) => Some(map.iter().map(|(name, node)| (name.clone(), node.to_json())).collect()),
        None => {
            at.wrong(report, "should be a hash");
            None
        }
    }
}

fn includes(fields: &Fields<'_>, report: &mut Report) -> Option<Vec<Json>> {
    let node = fields.get("include")?;
    let path = fields.at.path.below("include");
    let at = At::new(node, &path);
    let items: Vec<&Node> = match &node.value {
        Value::List(items) => items.iter().collect(),
        _ => vec![node],
    };
    if items.len() > MOST_INCLUDES {
        at.wrong(report, &format!("is too long (maximum is {MOST_INCLUDES})"));
        return None;
    }
    if !items.iter().all(|item| item.text().is_some() || item.map().is_some()) {
        at.wrong(report, "should be an array of hashes or strings");
        return None;
    }
    Some(items.into_iter().map(Node::to_json).collect())
}
