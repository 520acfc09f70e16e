//! The entries of `include:`.

use super::{Origin, Source};
use crate::check::{At, Path, Report};
use crate::message::{Message, Place};
use crate::model::include_rules;
use crate::rules::Judge;
use crate::variables::{Variables, expand_text};
use crate::yaml::{Map, Node, Value};

/// A file to include, read from the entry.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub source: Source,
    /// For [`Source::Listing`], what the paths have to fit.
    pub pattern: Option<String>,
    /// The place as it is written.
    pub shown: String,
    pub inputs: Map,
    /// `sha256-…` of a remote file.
    pub integrity: Option<String>,
    pub at: Place,
}

/// What entries are read with.
pub(super) struct Reading<'a> {
    pub origin: &'a Origin,
    pub variables: &'a Variables,
    pub judge: &'a Judge<'a>,
    /// A trigger job started the pipeline, so that artifacts may be included.
    pub child: bool,
}

const KEYS: [&str; 13] = [
    "local",
    "project",
    "file",
    "ref",
    "remote",
    "integrity",
    "cache",
    "template",
    "component",
    "artifact",
    "job",
    "inputs",
    "rules",
];
const KINDS: [&str; 6] = ["local", "project", "remote", "template", "artifact", "component"];

impl Reading<'_> {
    /// The files of `include:`, those left out whose rules do not hold.
    pub(super) fn items(&self, include: &Node) -> Result<Vec<Item>, Message> {
        let entries: Vec<&Node> = match &include.value {
            Value::Null => Vec::new(),
            Value::List(entries) => entries.iter().collect(),
            _ => vec![include],
        };
        let mut items = Vec::new();
        for entry in entries {
            match &entry.value {
                Value::Text(text) => items.push(self.short(text, entry)?),
                Value::Map(map) => items.extend(self.long(map, entry)?),
                // A reference brings its list into the list.
                Value::List(inner) => {
                    for entry in inner {
                        match &entry.value {
                            Value::Text(text) => items.push(self.short(text, entry)?),
                            Value::Map(map) => items.extend(self.long(map, entry)?),
                            _ => return Err(bad_type(entry)),
                        }
                    }
                }
                _ => return Err(bad_type(entry)),
            }
        }
        Ok(items)
    }

    fn expand(&self, text: &str) -> String {
        match self.origin {
            Origin::Public => text.to_owned(),
            Origin::Project { .. } => expand_text(text, self.variables, 4096),
        }
    }

    fn short(&self, text: &str, node: &Node) -> Result<Item, Message> {
        let text = self.expand(text);
        match text.starts_with("http://") || text.starts_with("https://") {
            true => Ok(item(Source::Remote { url: text.clone() }, text, node)),
            false => self.local(text, node),
        }
    }

    fn local(&self, path: String, node: &Node) -> Result<Item, Message> {
        if *self.origin == Origin::Public {
            let text = format!("Local file `{path}` does not have project!");
            return Err(Message::at(node.at, text));
        }
        let clean = path.trim_start_matches('/').to_owned();
        if clean.contains('*') {
            let item = item(Source::Listing, path, node);
            return Ok(Item { pattern: Some(clean), ..item });
        }
        Ok(item(Source::Local { path: clean }, path, node))
    }

    fn long(&self, map: &Map, node: &Node) -> Result<Vec<Item>, Message> {
        let wrong = |text: &str| Message::at(node.at, text);
        let unknown: Vec<&str> =
            map.keys().map(String::as_str).filter(|key| !KEYS.contains(key)).collect();
        if !unknown.is_empty() {
            let text = format!("include config contains unknown keys: {}", unknown.join(", "));
            return Err(wrong(&text));
        }
        if KINDS.iter().filter(|kind| map.contains_key(**kind)).count() != 1 {
            return Err(wrong(
                "Each include must use only one of: `local`, `project`, `remote`, `template`, \
                 `artifact`, `component`",
            ));
        }
        if !self.included(map)? {
            return Ok(Vec::new());
        }
        let inputs = match map.get("inputs").map(|node| &node.value) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Map(inputs)) => inputs.clone(),
            Some(_) => return Err(wrong("include:inputs config should be a hash")),
        };
        let items = self.sources(map, node)?;
        Ok(items.into_iter().map(|item| Item { inputs: inputs.clone(), ..item }).collect())
    }

    fn sources(&self, map: &Map, node: &Node) -> Result<Vec<Item>, Message> {
        let text = |key: &str| self.text(map, key, node);
        if let Some(path) = text("local")? {
            return Ok(vec![self.local(path, node)?]);
        }
        if let Some(project) = text("project")? {
            return self.project(project, text("ref")?, map, node);
        }
        if let Some(url) = text("remote")? {
            let integrity = text("integrity")?;
            let item = item(Source::Remote { url: url.clone() }, url, node);
            return Ok(vec![Item { integrity, ..item }]);
        }
        if let Some(address) = text("component")? {
            return Ok(vec![item(Source::Component { address: address.clone() }, address, node)]);
        }
        if let Some(name) = text("template")? {
            let text = format!("Template file `{name}` is not a valid location!");
            return Err(Message::at(node.at, text));
        }
        if !self.child {
            let text =
                "Including configs from artifacts is only allowed when triggering child pipelines";
            return Err(Message::at(node.at, text));
        }
        let path = text("artifact")?.unwrap_or_default();
        let Some(job) = text("job")? else {
            let text = "Job must be provided when including configs from artifacts";
            return Err(Message::at(node.at, text));
        };
        Ok(vec![item(Source::Artifact { job, path: path.clone() }, path, node)])
    }

    fn text(&self, map: &Map, key: &str, node: &Node) -> Result<Option<String>, Message> {
        match map.get(key).map(|node| &node.value) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Text(text)) => Ok(Some(self.expand(text))),
            Some(_) => Err(Message::at(node.at, format!("include {key} should be a string"))),
        }
    }

    fn project(
        &self, project: String, reference: Option<String>, map: &Map, node: &Node,
    ) -> Result<Vec<Item>, Message> {
        let files = map.get("file").and_then(crate::check::strings_or_one).unwrap_or_default();
        if files.is_empty() {
            let text = "include config must specify the file where to fetch the config from";
            return Err(Message::at(node.at, text));
        }
        let one = |file: &String| {
            let shown = self.expand(file);
            let path = shown.trim_start_matches('/').to_owned();
            let (project, reference) = (project.clone(), reference.clone());
            item(Source::Project { project, reference, path }, shown, node)
        };
        Ok(files.iter().map(one).collect())
    }

    /// Whether the rules of an entry let it in; without rules it always is.
    fn included(&self, map: &Map) -> Result<bool, Message> {
        let Some(node) = map.get("rules").filter(|node| !node.is_null()) else {
            return Ok(true);
        };
        let (include, mut report) = (Path::root("include"), Report::default());
        let path = include.below("rules");
        let rules = include_rules(At::new(node, &path), &mut report).unwrap_or_default();
        if let Some(error) = report.errors.into_iter().next() {
            return Err(error);
        }
        let none = Variables::default();
        let variables = match self.origin {
            Origin::Public => &none,
            Origin::Project { .. } => self.variables,
        };
        for rule in rules {
            let holds = self.judge.holds(&rule.clauses, variables);
            if holds.map_err(|why| Message::at(node.at, format!("include:{why}")))? {
                return Ok(rule.included);
            }
        }
        Ok(false)
    }
}

fn item(source: Source, shown: String, node: &Node) -> Item {
    Item {
        source,
        pattern: None,
        shown,
        inputs: Map::new(),
        integrity: None,
        at: node.at,
    }
}

fn bad_type(node: &Node) -> Message {
    Message::at(node.at, "include config should be an array of hashes or strings")
}
