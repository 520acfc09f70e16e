//! What every reader of keys does: paths, messages and the simple types (contract 5.1).

use crate::durations;
use crate::expression::Expression;
use crate::message::{Message, Place};
use crate::yaml::{Map, Node, Value};

/// Messages beyond this help nobody.
const MOST_MESSAGES: usize = 500;

/// What is wrong so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub errors: Vec<Message>,
    pub warnings: Vec<Message>,
    /// Regular expressions that were compiled so far.
    pub regexes: usize,
}

/// Regular expressions that one configuration may hold.
const MOST_REGEXES: usize = 5_000;

impl Report {
    /// Reads a condition, unless there are too many of them.
    pub(crate) fn expression(&mut self, text: &str) -> Option<Expression> {
        if self.regexes > MOST_REGEXES {
            return None;
        }
        let expression = Expression::parse(text).ok()?;
        self.regexes += expression.regexes();
        Some(expression)
    }

    /// Adds an error; as the reference prints them, all in lower case.
    pub(crate) fn error(&mut self, at: Place, text: &str) {
        push(&mut self.errors, Message::at(at, text.to_lowercase()));
    }

    /// Adds a warning, written as it is.
    pub(crate) fn warning(&mut self, at: Place, text: String) {
        push(&mut self.warnings, Message::at(at, text));
    }
}

fn push(messages: &mut Vec<Message>, message: Message) {
    let repeated = messages.last().is_some_and(|last| last.text == message.text);
    if messages.len() < MOST_MESSAGES && !repeated {
        messages.push(message);
    }
}

/// The keys that lead to a node, from the root.
#[derive(Clone, Copy)]
pub(crate) struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    key: &'a str,
}

impl<'a> Path<'a> {
    pub(crate) fn root(key: &'a str) -> Self {
        Self { parent: None, key }
    }

    pub(crate) fn below(&'a self, key: &'a str) -> Path<'a> {
        Path { parent: Some(self), key }
    }
}

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.parent {
            Some(parent) => write!(f, "{parent}:{}", self.key),
            None => f.write_str(self.key),
        }
    }
}

/// A node that is being read, and how one got there.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub node: &'a Node,
    pub path: &'a Path<'a>,
}

impl<'a> At<'a> {
    pub(crate) fn new(node: &'a Node, path: &'a Path<'a>) -> Self {
        Self { node, path }
    }

    /// Says what is wrong with the node itself.
    pub(crate) fn wrong(&self, report: &mut Report, text: &str) {
        self.field(report, "config", text);
    }

    /// Says what is wrong with one of its fields.
    pub(crate) fn field(&self, report: &mut Report, field: &str, text: &str) {
        let field = field.replace('_', " ");
        report.error(self.node.at, &format!("{} {field} {text}", self.path));
    }

    /// The node as a map with no other keys than these.
    pub(crate) fn map(&self, report: &mut Report, known: &[&str]) -> Option<Fields<'a>> {
        let Some(map) = self.node.map() else {
            self.wrong(report, "should be a hash");
            return None;
        };
        let fields = Fields { at: *self, map };
        fields.check_keys(report, known);
        Some(fields)
    }

    pub(crate) fn string(&self, report: &mut Report) -> Option<String> {
        let text = self.node.text();
        if text.is_none() {
            self.wrong(report, "should be a string");
        }
        text.map(str::to_owned)
    }

    pub(crate) fn boolean(&self, report: &mut Report) -> Option<bool> {
        match self.node.value {
            Value::Bool(flag) => Some(flag),
            _ => {
                self.wrong(report, "should be a boolean value");
                None
            }
        }
    }

    pub(crate) fn strings(&self, report: &mut Report) -> Option<Vec<String>> {
        let texts = strings(self.node);
        if texts.is_none() {
            self.wrong(report, "should be an array of strings");
        }
        texts
    }

    /// Seconds, no more than given.
    pub(crate) fn duration(&self, report: &mut Report, most: u64) -> Option<u64> {
        match seconds(self.node) {
            Some(Some(seconds)) if seconds > most => {
                self.wrong(report, "should not exceed the limit");
                None
            }
            Some(seconds) => seconds,
            None => {
                self.wrong(report, "should be a duration");
                None
            }
        }
    }
}

/// A duration written as text or number; nothing inside for none.
pub(crate) fn seconds(node: &Node) -> Option<Option<u64>> {
    match &node.value {
        Value::Text(text) => durations::parse(text).ok(),
        Value::Int(number) => u64::try_from(*number).ok().map(|n| (n > 0).then_some(n)),
        _ => None,
    }
}

/// A list of texts.
pub(crate) fn strings(node: &Node) -> Option<Vec<String>> {
    node.list()?.iter().map(|item| item.text().map(str::to_owned)).collect()
}

/// A text, or a list of them.
pub(crate) fn strings_or_one(node: &Node) -> Option<Vec<String>> {
    match node.text() {
        Some(text) => Some(vec![text.to_owned()]),
        None => strings(node),
    }
}

/// The keys of a map that is being read; a key with null is as good as none.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    pub at: At<'a>,
    map: &'a Map,
}

impl<'a> Fields<'a> {
    fn check_keys(&self, report: &mut Report, known: &[&str]) {
        let unknown: Vec<(&String, &Node)> =
            self.map.iter().filter(|(key, _)| !known.contains(&key.as_str())).collect();
        if let Some((_, first)) = unknown.first() {
            let names: Vec<&str> = unknown.iter().take(50).map(|(key, _)| key.as_str()).collect();
            let text =
                format!("{} config contains unknown keys: {}", self.at.path, names.join(", "));
            report.error(first.at, &text);
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Node> {
        self.map.get(key).filter(|node| !node.is_null())
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &'a str> {
        self.map.keys().map(String::as_str)
    }

    /// Reads a field whose messages stand on this path: `jobs:a when …`.
    fn own<T>(
        &self, report: &mut Report, key: &str, text: &str, read: impl Fn(&'a Node) -> Option<T>,
    ) -> Option<T> {
        let node = self.get(key)?;
        let value = read(node);
        if value.is_none() {
            self.wrong(report, key, text);
        }
        value
    }

    /// Says what is wrong with a field, at the line of its key.
    pub(crate) fn wrong(&self, report: &mut Report, key: &str, text: &str) {
        let node = self.get(key).unwrap_or(self.at.node);
        At::new(node, self.at.path).field(report, key, text);
    }

    pub(crate) fn string(&self, report: &mut Report, key: &str) -> Option<String> {
        self.own(report, key, "should be a string", |node| node.text().map(str::to_owned))
    }

    pub(crate) fn boolean(&self, report: &mut Report, key: &str) -> Option<bool> {
        self.own(report, key, "should be a boolean value", |node| match node.value {
            Value::Bool(flag) => Some(flag),
            _ => None,
        })
    }

    pub(crate) fn strings(&self, report: &mut Report, key: &str) -> Option<Vec<String>> {
        self.own(report, key, "should be an array of strings", strings)
    }

    pub(crate) fn strings_or_one(&self, report: &mut Report, key: &str) -> Option<Vec<String>> {
        let text = "should be an array of strings or a string";
        self.own(report, key, text, strings_or_one)
    }

    /// One of some words.
    pub(crate) fn one_of<T: Copy>(
        &self, report: &mut Report, key: &str, words: &[(&str, T)],
    ) -> Option<T> {
        let names: Vec<&str> = words.iter().map(|(name, _)| *name).collect();
        let text = format!("should be one of: {}", names.join(", "));
        self.own(report, key, &text, |node| word(node, words))
    }

    /// Must not be written together with these others.
    pub(crate) fn excludes(&self, report: &mut Report, key: &str, others: &[&str]) {
        let both: Vec<&str> = others.iter().copied().filter(|other| self.has(other)).collect();
        if self.has(key) && !both.is_empty() {
            let text = format!(
                "these keys cannot be used together: {}",
                [&[key], &both[..]].concat().join(", ")
            );
            self.at.wrong(report, &text);
        }
    }

    pub(crate) fn required(&self, report: &mut Report, keys: &[&str]) {
        let missing: Vec<&str> = keys.iter().copied().filter(|key| !self.has(key)).collect();
        if !missing.is_empty() {
            self.at.wrong(report, &format!("missing required keys: {}", missing.join(", ")));
        }
    }
}

/// The value that a word of a list stands for.
pub(crate) fn word<T: Copy>(node: &Node, words: &[(&str, T)]) -> Option<T> {
    let text = node.text()?;
    words.iter().find(|(name, _)| *name == text).map(|(_, value)| *value)
}

/// Reads what stands below a key on a path of its own: `jobs:a:image config …`.
macro_rules! child {
    ($fields:expr, $key:literal, |$at:ident| $read:expr) => {
        match $fields.get($key) {
            Some(node) => {
                let path = $fields.at.path.below($key);
                let $at = $crate::check::At::new(node, &path);
                $read
            }
            None => None,
        }
    };
}
pub(crate) use child;
