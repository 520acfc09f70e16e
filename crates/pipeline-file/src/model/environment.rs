//! `environment:` of a job (contract 13.1).

use serde::{Deserialize, Serialize};

use crate::check::{At, Report, seconds};
use crate::environments::Tier;

/// Where a job deploys to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// With variables in it.
    pub name: String,
    pub url: Option<String>,
    pub action: Action,
    /// The job that ends the environment.
    pub on_stop: Option<String>,
    /// A duration, `never`, or with variables in it.
    pub auto_stop_in: Option<String>,
    pub tier: Option<Tier>,
}

/// What a job does to its environment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    #[default]
    Start,
    Prepare,
    Verify,
    Access,
    Stop,
}

impl Action {
    /// The word of the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Prepare => "prepare",
            Self::Verify => "verify",
            Self::Access => "access",
            Self::Stop => "stop",
        }
    }
}

const ACTIONS: [(&str, Action); 5] = [
    ("start", Action::Start),
    ("stop", Action::Stop),
    ("prepare", Action::Prepare),
    ("verify", Action::Verify),
    ("access", Action::Access),
];

pub(super) fn read(at: At<'_>, report: &mut Report) -> Option<Environment> {
    if let Some(name) = at.node.text() {
        check_name(name, at, report);
        let name = name.to_owned();
        let action = Action::Start;
        return Some(Environment {
            name,
            url: None,
            action,
            on_stop: None,
            auto_stop_in: None,
            tier: None,
        });
    }
    if at.node.map().is_none() {
        at.wrong(report, "should be a hash or a string");
        return None;
    }
    let known = [
        "name",
        "url",
        "action",
        "on_stop",
        "auto_stop_in",
        "deployment_tier",
        "kubernetes",
    ];
    let fields = at.map(report, &known)?;
    if let Some(node) = fields.get("kubernetes") {
        let text = format!("{}:kubernetes has no effect on this server", at.path);
        report.warning(node.at, text);
    }
    let name = fields.string(report, "name");
    match &name {
        Some(name) => check_name(name, at, report),
        None if !fields.has("name") => fields.wrong(report, "name", "can't be blank"),
        None => (),
    }
    let url = fields.string(report, "url");
    if url.as_ref().is_some_and(|url| url.chars().count() > 255) {
        fields.wrong(report, "url", "is too long (maximum is 255 characters)");
    }
    let auto_stop_in = fields.get("auto_stop_in").and_then(|node| node.scalar_text());
    if let Some(node) = fields.get("auto_stop_in") {
        let named = node.text().is_some_and(|text| text == "never" || text.contains('$'));
        if !named && seconds(node).is_none() {
            fields.wrong(report, "auto_stop_in", "should be a duration");
        }
    }
    Some(Environment {
        url,
        action: fields.one_of(report, "action", &ACTIONS).unwrap_or_default(),
        on_stop: fields.string(report, "on_stop"),
        auto_stop_in,
        tier: fields.one_of(report, "deployment_tier", &Tier::WORDS),
        name: name?,
    })
}

fn check_name(name: &str, at: At<'_>, report: &mut Report) {
    if name.trim().is_empty() {
        at.field(report, "name", "can't be blank");
    } else if name.chars().count() > 255 {
        at.field(report, "name", "is too long (maximum is 255 characters)");
    } else if !is_written_name(name) {
        at.field(
            report,
            "name",
            "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, \
             but it cannot start or end with '/'",
        );
    }
}

/// Whether a text may name an environment or a resource group before expansion.
pub(super) fn is_written_name(name: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || "_/${}. -".contains(c);
    name.chars().all(known) && !name.starts_with('/') && !name.ends_with('/')
}
