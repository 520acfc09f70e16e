//! Smaller keys of jobs: retry, parallel, release, id_tokens, inherit.

use std::sync::Arc;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::needs::{self, MatrixFilter};
use crate::check::{At, Fields, Report, child, strings_or_one};
use crate::yaml::{Node, Value};

/// How often a job is tried again, and after what (contract 10.4).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    pub max: u8,
    /// Reasons; none given means always, unless there are exit codes.
    pub when: Vec<String>,
    pub exit_codes: Vec<i64>,
}

const RETRY_REASONS: [&str; 16] = [
    "always",
    "unknown_failure",
    "script_failure",
    "api_failure",
    "stuck_or_timeout_failure",
    "runner_system_failure",
    "runner_unsupported",
    "stale_schedule",
    "job_execution_timeout",
    "archived_failure",
    "unmet_prerequisites",
    "scheduler_failure",
    "data_integrity_failure",
    "missing_dependency_failure",
    "forward_deployment_failure",
    "runner_provisioning_timeout",
];

pub(super) fn retry(at: At<'_>, report: &mut Report) -> Option<Arc<Retry>> {
    if let Value::Int(number) = at.node.value {
        let max = attempts(number).map_err(|text| at.wrong(report, text)).ok()?;
        return Some(Arc::new(Retry { max, ..Retry::default() }));
    }
    if at.node.map().is_none() {
        at.wrong(report, "has to be either an integer or a hash");
        return None;
    }
    let fields = at.map(report, &["max", "when", "exit_codes"])?;
    let max = match fields.get("max").map(|node| &node.value) {
        None => 2,
        Some(Value::Int(number)) => match attempts(*number) {
            Ok(max) => max,
            Err(text) => {
                fields.wrong(report, "max", text);
                0
            }
        },
        Some(_) => {
            fields.wrong(report, "max", "must be an integer");
            0
        }
    };
    let when = fields.strings_or_one(report, "when").unwrap_or_default();
    let unknown: Vec<&str> = when
        .iter()
        .map(String::as_str)
        .filter(|name| !RETRY_REASONS.contains(name))
        .collect();
    if !unknown.is_empty() {
        fields.wrong(report, "when", &format!("contains unknown values: {}", unknown.join(", ")));
    }
    Some(Arc::new(Retry { max, when, exit_codes: exit_codes(&fields, report) }))
}

fn attempts(number: i64) -> Result<u8, &'static str> {
    match number {
        0..=2 => Ok(u8::try_from(number).unwrap_or_default()),
        ..0 => Err("must be greater than or equal to 0"),
        _ => Err("must be less than or equal to 2"),
    }
}

/// A code, or a list of them.
pub(super) fn exit_codes(fields: &Fields<'_>, report: &mut Report) -> Vec<i64> {
    let number = |node: &Node| match node.value {
        Value::Int(code) => Some(code),
        _ => None,
    };
    let codes = match fields.get("exit_codes") {
        None => return Vec::new(),
        Some(Node { value: Value::List(items), .. }) => items.iter().map(number).collect(),
        Some(node) => number(node).map(|code| vec![code]),
    };
    codes.unwrap_or_else(|| {
        fields.wrong(report, "exit_codes", "should be an array of integers or an integer");
        Vec::new()
    })
}

/// How many instances of a job there are (contract 6.4).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parallel {
    Count(u32),
    Matrix(Vec<MatrixFilter>),
}

pub(super) fn parallel(at: At<'_>, report: &mut Report, bridge: bool) -> Option<Parallel> {
    match &at.node.value {
        Value::Int(_) if bridge => {
            at.wrong(report, "cannot use \"parallel: <number>\".");
            None
        }
        Value::Int(number @ 1..=200) => u32::try_from(*number).ok().map(Parallel::Count),
        Value::Int(..1) => {
            at.wrong(report, "must be greater than or equal to 1");
            None
        }
        Value::Int(_) => {
            at.wrong(report, "must be less than or equal to 200");
            None
        }
        Value::Map(_) => {
            let fields = at.map(report, &["matrix"])?;
            fields.required(report, &["matrix"]);
            child!(fields, "matrix", |at| needs::matrix(at, report)).map(Parallel::Matrix)
        }
        _ => {
            at.wrong(report, "should be an integer or a hash");
            None
        }
    }
}

/// Which of the defaults or of the variables of the file a job takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Which {
    #[default]
    All,
    None,
    Only(Vec<String>),
}

impl Which {
    pub(crate) fn takes(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            Self::Only(names) => names.iter().any(|known| known == name),
        }
    }
}

/// `inherit:` of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inherit {
    pub default: Which,
    pub variables: Which,
}

pub(super) fn inherit(at: At<'_>, report: &mut Report) -> Option<Inherit> {
    let fields = at.map(report, &["default", "variables"])?;
    Some(Inherit {
        default: child!(fields, "default", |at| which(at, report)).unwrap_or_default(),
        variables: child!(fields, "variables", |at| which(at, report)).unwrap_or_default(),
    })
}

fn which(at: At<'_>, report: &mut Report) -> Option<Which> {
    match &at.node.value {
        Value::Bool(true) => Some(Which::All),
        Value::Bool(false) => Some(Which::None),
        Value::List(_) => at.strings(report).map(Which::Only),
        _ => {
            at.wrong(report, "should be a bool or array of strings");
            None
        }
    }
}

/// A token of a job for other services.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdToken {
    /// With variables in it.
    pub aud: Vec<String>,
}

pub(super) fn id_tokens(at: At<'_>, report: &mut Report) -> Option<Arc<IndexMap<String, IdToken>>> {
    let Some(map) = at.node.map() else {
        at.wrong(report, "should be a hash");
        return None;
    };
    let mut tokens = IndexMap::new();
    for (name, node) in map {
        let path = at.path.below(name);
        let Some(fields) = At::new(node, &path).map(report, &["aud"]) else {
            continue;
        };
        fields.required(report, &["aud"]);
        let aud = fields.get("aud").and_then(strings_or_one);
        if aud.is_none() && fields.has("aud") {
            fields.wrong(report, "aud", "should be an array of strings or a string");
        }
        tokens.insert(name.clone(), IdToken { aud: aud.unwrap_or_default() });
    }
    Some(Arc::new(tokens))
}

/// A release that is made when the job succeeds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    pub tag_name: String,
    pub description: String,
    pub tag_message: Option<String>,
    pub name: Option<String>,
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    pub milestones: Vec<String>,
    pub released_at: Option<String>,
    pub links: Vec<ReleaseLink>,
}

/// A link that a release shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseLink {
    pub name: String,
    pub url: String,
    pub filepath: Option<String>,
    pub link_type: Option<String>,
}

pub(super) fn release(at: At<'_>, report: &mut Report) -> Option<Release> {
    let known = [
        "tag_name",
        "tag_message",
        "name",
        "description",
        "ref",
        "milestones",
        "released_at",
        "assets",
    ];
    let fields = at.map(report, &known)?;
    for key in ["tag_name", "description"] {
        if !fields.has(key) {
            fields.wrong(report, key, "can't be blank");
        }
    }
    let links = child!(fields, "assets", |at| assets(at, report));
    Some(Release {
        tag_message: fields.string(report, "tag_message"),
        name: fields.string(report, "name"),
        reference: fields.string(report, "ref"),
        milestones: fields.strings_or_one(report, "milestones").unwrap_or_default(),
        released_at: fields.string(report, "released_at"),
        links: links.unwrap_or_default(),
        tag_name: fields.string(report, "tag_name")?,
        description: fields.string(report, "description")?,
    })
}

fn assets(at: At<'_>, report: &mut Report) -> Option<Vec<ReleaseLink>> {
    let fields = at.map(report, &["links"])?;
    fields.required(report, &["links"]);
    child!(fields, "links", |at| {
        let Some(items) = at.node.list() else {
            at.wrong(report, "should be an array of hashes");
            return None;
        };
        let path = at.path.below("link");
        Some(items.iter().filter_map(|item| link(At::new(item, &path), report)).collect())
    })
}

fn link(at: At<'_>, report: &mut Report) -> Option<ReleaseLink> {
    let fields = at.map(report, &["name", "url", "filepath", "link_type"])?;
    for key in ["name", "url"] {
        if !fields.has(key) {
            fields.wrong(report, key, "can't be blank");
        }
    }
    Some(ReleaseLink {
        filepath: fields.string(report, "filepath"),
        link_type: fields.string(report, "link_type"),
        name: fields.string(report, "name")?,
        url: fields.string(report, "url")?,
    })
}
