//! `$[[ inputs.x ]]` in keys and values of a file.

use indexmap::IndexMap;

use super::functions;
use crate::message::{Message, Place};
use crate::variables::Variables;
use crate::yaml::{Map, Node, Value};

const OPENS: &str = "$[[";
const CLOSES: &str = "]]";
/// Bytes of one block, bytes of one text, blocks of one file.
const BLOCK_BYTES: usize = 1 << 10;
const TEXT_BYTES: usize = 1 << 20;
const BLOCKS: usize = 10_000;
/// Bytes that a file may grow to.
const FILE_BYTES: usize = 4 << 20;

/// What blocks may name.
#[derive(Default)]
pub(crate) struct Known<'a> {
    pub inputs: IndexMap<String, Value>,
    pub component: IndexMap<String, String>,
    pub variables: Option<&'a Variables>,
}

/// Replaces all blocks below a node.
pub(crate) fn interpolate(node: Node, known: &Known<'_>) -> Result<Node, Message> {
    let mut work = Work { known, blocks: 0, bytes: 0 };
    work.node(node)
}

struct Work<'a> {
    known: &'a Known<'a>,
    blocks: usize,
    bytes: usize,
}

impl Work<'_> {
    /// As deep as the parser lets a file be.
    fn node(&mut self, node: Node) -> Result<Node, Message> {
        let at = node.at;
        let value = match node.value {
            Value::Text(text) if text.contains(OPENS) => self.text(&text, at)?,
            Value::List(items) => self.list(items)?,
            Value::Map(map) => self.map(map)?,
            Value::Reference(path) => {
                let path = path.into_iter().map(|key| self.plain(key, at));
                Value::Reference(path.collect::<Result<_, _>>()?)
            }
            value => value,
        };
        Ok(Node::new(value, at))
    }

    /// A list that stands for an item alone takes the item's place.
    fn list(&mut self, items: Vec<Node>) -> Result<Value, Message> {
        let mut done = Vec::with_capacity(items.len());
        for item in items {
            let was_text = item.text().is_some();
            let item = self.node(item)?;
            match item.value {
                Value::List(inner) if was_text => done.extend(inner),
                _ => done.push(item),
            }
        }
        Ok(Value::List(done))
    }

    fn map(&mut self, map: Map) -> Result<Value, Message> {
        let mut done = Map::with_capacity(map.len());
        for (key, node) in map {
            let key = self.plain(key, node.at)?;
            done.insert(key, self.node(node)?);
        }
        Ok(Value::Map(done))
    }

    fn plain(&mut self, text: String, at: Place) -> Result<String, Message> {
        if !text.contains(OPENS) {
            return Ok(text);
        }
        let value = self.text(&text, at)?;
        Ok(as_text(&value))
    }

    fn text(&mut self, text: &str, at: Place) -> Result<Value, Message> {
        let fail = |text: String| Message::at(at, text);
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, from)) = rest.split_once(OPENS) {
            out.push_str(before);
            let Some((block, after)) = from.split_once(CLOSES) else {
                out.push_str(OPENS);
                rest = from;
                continue;
            };
            self.count(block).map_err(fail)?;
            if block.trim_start().starts_with("matrix.") {
                out.push_str(&format!("{OPENS}{block}{CLOSES}"));
                rest = after;
                continue;
            }
            let value = self.block(block.trim()).map_err(fail)?;
            let alone = out.trim().is_empty() && after.trim().is_empty();
            self.grow(&value, alone).map_err(fail)?;
            if alone {
                return Ok(value);
            }
            out.push_str(&as_text(&value));
            if out.len() > TEXT_BYTES {
                return Err(fail("interpolation: the text is too big".into()));
            }
            rest = after;
        }
        out.push_str(rest);
        Ok(Value::Text(out))
    }

    fn count(&mut self, block: &str) -> Result<(), String> {
        self.blocks += 1;
        match (self.blocks > BLOCKS, block.len() > BLOCK_BYTES) {
            (true, _) => Err("too many interpolation blocks".into()),
            (_, true) => Err("interpolation block is too long".into()),
            _ => Ok(()),
        }
    }

    fn grow(&mut self, value: &Value, alone: bool) -> Result<(), String> {
        self.bytes += match alone {
            true => Node::new(value.clone(), Place::default()).size(),
            false => as_text(value).len(),
        };
        match self.bytes > FILE_BYTES {
            true => Err("The parsed YAML is too big".into()),
            false => Ok(()),
        }
    }

    fn block(&self, block: &str) -> Result<Value, String> {
        let mut parts = block.split('|').map(str::trim);
        let mut value = self.access(parts.next().unwrap_or_default())?;
        let calls: Vec<&str> = parts.collect();
        if calls.len() > 3 {
            return Err("too many functions in interpolation block".into());
        }
        let none = Variables::default();
        for call in calls {
            let Value::Text(text) = &value else {
                return Err(format!("error in `{call}` function: the value is not a string"));
            };
            let variables = self.known.variables.unwrap_or(&none);
            value = Value::Text(functions::apply(call, text, variables)?);
        }
        Ok(value)
    }

    fn access(&self, path: &str) -> Result<Value, String> {
        let (base, indexes) = path.split_once('[').map_or((path, ""), |(base, rest)| (base, rest));
        let unknown = |key: &str| format!("unknown interpolation provided: `{key}` in `{path}`");
        let (scope, name) = base.split_once('.').ok_or_else(|| unknown(base))?;
        let value = match scope {
            "inputs" => self.known.inputs.get(name).cloned(),
            "component" => self.known.component.get(name).cloned().map(Value::Text),
            _ => return Err(unknown(scope)),
        };
        let value = value.ok_or_else(|| unknown(name))?;
        item(value, indexes).ok_or_else(|| format!("array index is out of bounds in `{path}`"))
    }
}

/// Follows `0][1]`, what stands after the first bracket.
fn item(mut value: Value, indexes: &str) -> Option<Value> {
    if indexes.is_empty() {
        return Some(value);
    }
    let indexes: Vec<&str> = indexes.strip_suffix(']')?.split("][").collect();
    if indexes.len() > 5 {
        return None;
    }
    for index in indexes {
        let Value::List(mut items) = value else {
            return None;
        };
        let index: usize = index.trim().parse().ok()?;
        value = (index < items.len()).then(|| items.swap_remove(index).value)?;
    }
    Some(value)
}

/// A value inside of a text; lists as JSON writes them.
fn as_text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::List(items) => {
            let items = items.iter().map(|item| match &item.value {
                Value::Text(text) => format!("{text:?}"),
                value => as_text(value),
            });
            format!("[{}]", items.collect::<Vec<String>>().join(", "))
        }
        Value::Map(map) => {
            let pairs = map.iter().map(|(key, node)| format!("{key:?}: {}", as_text(&node.value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        value => Node::new(value.clone(), Place::default()).scalar_text().unwrap_or_default(),
    }
}
