//! `extends`: a job over its bases, maps merged deep.

use std::collections::HashMap;

use super::Budget;
use crate::check::strings_or_one;
use crate::limits::EXTENDS_LEVELS;
use crate::message::{Message, Place};
use crate::yaml::{Map, Node, Value, merge_deep};

/// Replaces every job that extends others by what comes of it.
pub(crate) fn extend(root: Map, budget: &mut Budget) -> Result<Map, Message> {
    let mut work = Work { root: &root, budget, done: HashMap::new(), above: Vec::new() };
    for (name, node) in &root {
        if node.map().is_some_and(|map| map.contains_key("extends")) {
            work.job(name)?;
        }
    }
    let mut done = work.done;
    let mut root = root;
    for (name, node) in &mut root {
        if let Some(merged) = done.remove(name) {
            node.value = Value::Map(merged.map);
        }
    }
    Ok(root)
}

struct Merged {
    map: Map,
    /// Levels of bases below it.
    levels: usize,
}

struct Work<'a> {
    root: &'a Map,
    budget: &'a mut Budget,
    done: HashMap<String, Merged>,
    /// The jobs that wait for the current one.
    above: Vec<String>,
}

impl Work<'_> {
    /// Goes no deeper than the levels allowed.
    fn job(&mut self, name: &str) -> Result<usize, Message> {
        if let Some(merged) = self.done.get(name) {
            return Ok(merged.levels);
        }
        let Some(Node { value: Value::Map(own), at }) = self.root.get(name) else {
            return Ok(0);
        };
        let wrong = |text: &str| Message::at(*at, format!("{name}: {text}"));
        let bases = match own.get("extends").filter(|node| !node.is_null()) {
            None => return Ok(0),
            Some(node) => strings_or_one(node).ok_or_else(|| bad_type(name, node.at))?,
        };
        self.check_bases(&bases, &wrong)?;
        if self.above.iter().any(|above| above == name) {
            return Err(wrong("circular dependency detected in `extends`"));
        }
        if self.above.len() >= EXTENDS_LEVELS {
            return Err(wrong("nesting too deep in `extends`"));
        }
        self.above.push(name.to_owned());
        let mut levels = 0;
        for base in &bases {
            levels = levels.max(self.job(base)? + 1);
        }
        self.above.pop();
        if levels + self.above.len() > EXTENDS_LEVELS {
            return Err(wrong("nesting too deep in `extends`"));
        }
        let map = self.merge(&bases, own, *at)?;
        self.done.insert(name.to_owned(), Merged { map, levels });
        Ok(levels)
    }

    fn check_bases(
        &self, bases: &[String], wrong: &dyn Fn(&str) -> Message,
    ) -> Result<(), Message> {
        let names = |picked: &dyn Fn(&&String) -> bool| {
            let names: Vec<&str> = bases.iter().filter(picked).map(String::as_str).collect();
            (!names.is_empty()).then(|| names.join(", "))
        };
        if let Some(unknown) = names(&|base| !self.root.contains_key(base.as_str())) {
            return Err(wrong(&format!("unknown keys in `extends` ({unknown})")));
        }
        let is_map = |base: &str| self.root.get(base).is_some_and(|node| node.map().is_some());
        if let Some(invalid) = names(&|base| !is_map(base)) {
            return Err(wrong(&format!("invalid base hashes in `extends` ({invalid})")));
        }
        Ok(())
    }

    fn merge(&mut self, bases: &[String], own: &Map, at: Place) -> Result<Map, Message> {
        let mut merged = Map::new();
        for base in bases {
            let map = match self.done.get(base) {
                Some(done) => Some(&done.map),
                None => self.root.get(base).and_then(Node::map),
            };
            if let Some(map) = map {
                let node = Node::new(Value::Map(map.clone()), at);
                self.budget.spend(node.size(), at)?;
                if let Value::Map(map) = node.value {
                    merge_deep(&mut merged, map);
                }
            }
        }
        merge_deep(&mut merged, own.clone());
        Ok(merged)
    }
}

fn bad_type(name: &str, at: Place) -> Message {
    let text = format!("jobs:{name} extends should be an array of strings or a string");
    Message::at(at, text.to_lowercase())
}
