//! `variables:` of the file, of jobs and of rules (contract 8.1).

use serde::{Deserialize, Serialize};

use crate::check::{At, Report, strings};
use crate::variables::{Level, Variable, is_name};
use crate::yaml::{Node, Value};

/// A variable as the file gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileVariable {
    pub name: String,
    pub value: String,
    /// `expand: false`.
    pub raw: bool,
    /// Offered to who starts a pipeline by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

impl FileVariable {
    pub(crate) fn plain(name: &str, value: String) -> Self {
        let name = name.to_owned();
        Self {
            name,
            value,
            raw: false,
            description: None,
            options: Vec::new(),
        }
    }

    /// As a variable of a level.
    pub fn at_level(&self, level: Level) -> Variable {
        Variable {
            raw: self.raw,
            ..Variable::new(level, &self.name, &self.value)
        }
    }
}

/// Where variables stand, which says what they may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Site {
    Top,
    Job,
    Rule,
}

impl Site {
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Top => &["value", "description", "expand", "options"],
            Self::Job => &["value", "expand"],
            Self::Rule => &[],
        }
    }
}

pub(super) fn read(at: At<'_>, report: &mut Report, site: Site) -> Option<Vec<FileVariable>> {
    let Some(map) = at.node.map() else {
        at.wrong(report, "should be a hash");
        return None;
    };
    let mut variables = Vec::with_capacity(map.len());
    for (name, node) in map {
        let path = at.path.below(name);
        let at = At::new(node, &path);
        if !is_name(name) {
            at.wrong(report, "should be named with letters, digits and underscores");
        }
        variables.extend(one(name, at, report, site));
    }
    Some(variables)
}

fn one(name: &str, at: At<'_>, report: &mut Report, site: Site) -> Option<FileVariable> {
    if let Some(value) = at.node.scalar_text() {
        return Some(FileVariable::plain(name, value));
    }
    let Some(map) = at.node.map() else {
        let text = match site {
            Site::Rule => "must be a string",
            _ => "variable definition must be either a string or a hash",
        };
        at.wrong(report, text);
        return None;
    };
    if site == Site::Rule {
        at.wrong(report, "must be a string");
        return None;
    }
    let unknown: Vec<&str> = map
        .keys()
        .map(String::as_str)
        .filter(|key| !site.keys().contains(key))
        .collect();
    if !unknown.is_empty() {
        at.wrong(report, &format!("uses invalid data keys: {}", unknown.join(", ")));
        return None;
    }
    let value = match map.get("value") {
        None => String::new(),
        Some(Node { value: Value::Null, .. }) => String::new(),
        Some(node) => match node.scalar_text() {
            Some(value) => value,
            None => {
                at.field(report, "config value", "must be an alphanumeric string");
                return None;
            }
        },
    };
    let raw = match map.get("expand").map(|node| &node.value) {
        None | Some(Value::Null) => false,
        Some(Value::Bool(expand)) => !expand,
        Some(_) => {
            at.field(report, "config expand", "should be a boolean value");
            false
        }
    };
    let options = match map.get("options").filter(|node| !node.is_null()).map(strings) {
        None => Vec::new(),
        Some(Some(options)) if options.contains(&value) => options,
        Some(Some(_)) => {
            at.wrong(report, "value must be present in options");
            Vec::new()
        }
        Some(None) => {
            at.field(report, "config options", "should be an array of strings");
            Vec::new()
        }
    };
    let description = map.get("description").and_then(Node::scalar_text);
    Some(FileVariable { name: name.to_owned(), value, raw, description, options })
}
