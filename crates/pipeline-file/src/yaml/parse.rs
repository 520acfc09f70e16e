//! From the parser's events to a tree, without recursion and within limits.

use std::collections::HashMap;

use granit_parser::{Event, Options, Parser, ScalarStyle, ScanError, Span, StrInput, Tag};

use super::{Map, NODE_COST, Node, Place, Value, scalar};
use crate::limits::Limits;
use crate::message::{Message, quoted_list};

/// The documents of a file and what is odd about it.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    pub nodes: Vec<Node>,
    pub warnings: Vec<Message>,
}

/// Reads a file: at most two documents, anchors replaced, merge keys merged.
pub(crate) fn parse(text: &str, file: u16, limits: &Limits) -> Result<Documents, Message> {
    if text.len() > limits.file_bytes {
        return Err(Message::new("The provided YAML is too big"));
    }
    let mut options = Options::default();
    options.set_emit_comments(false);
    let mut builder = Builder::new(file, limits);
    for event in Parser::<StrInput>::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| scan_error(&error, file))?;
        builder.take(event, &span)?;
    }
    Ok(builder.documents)
}

fn scan_error(error: &ScanError, file: u16) -> Message {
    let place = place(file, error.marker().line(), error.marker().col());
    let text = format!("{} at line {} column {}", error.info(), place.line, place.column);
    Message::at(place, text)
}

fn place(file: u16, line: usize, column: usize) -> Place {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Place {
        file,
        line: number(line),
        column: number(column).saturating_add(1),
    }
}

/// A list or map whose end has not come yet.
struct Open {
    at: Place,
    anchor: usize,
    /// The tag is `!reference`.
    reference: bool,
    size: usize,
    /// How deep the deepest node below it lies.
    depth: usize,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    Map { map: Map, key: Option<(String, Place)>, merged: Vec<Map> },
}

/// What an alias stands for, with what it counts.
struct Anchored {
    node: Node,
    size: usize,
    depth: usize,
}

struct Builder<'a> {
    file: u16,
    limits: &'a Limits,
    documents: Documents,
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    size: usize,
}

impl<'a> Builder<'a> {
    fn new(file: u16, limits: &'a Limits) -> Self {
        Self {
            file,
            limits,
            documents: Documents::default(),
            open: Vec::new(),
            anchors: HashMap::new(),
            size: 0,
        }
    }

    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), Message> {
        let at = place(self.file, span.start.line(), span.start.col());
        match event {
            Event::DocumentStart(..) if self.documents.nodes.len() >= 2 => {
                Err(Message::at(at, "The parsed YAML has too many documents"))
            }
            Event::DocumentStart(..) => {
                self.anchors.clear();
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                let value = scalar_value(&text, style, tag.as_deref(), at)?;
                let size = NODE_COST + text.len();
                self.grow(size, at)?;
                self.complete(Anchored { node: Node::new(value, at), size, depth: 0 }, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                let reference = container_tag(tag.as_deref(), at)?;
                self.begin(Content::List(Vec::new()), anchor, reference, at)
            }
            Event::MappingStart(_, anchor, tag) => {
                let reference = container_tag(tag.as_deref(), at)?;
                if reference {
                    return Err(Message::at(at, "!reference is not valid"));
                }
                let map = Content::Map { map: Map::new(), key: None, merged: Vec::new() };
                self.begin(map, anchor, false, at)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(id) => self.alias(id, at),
            _ => Ok(()),
        }
    }

    fn grow(&mut self, size: usize, at: Place) -> Result<(), Message> {
        self.size = self.size.saturating_add(size);
        match self.size > self.limits.parsed_bytes {
            true => Err(Message::at(at, "The parsed YAML is too big")),
            false => Ok(()),
        }
    }

    fn begin(
        &mut self, content: Content, anchor: usize, reference: bool, at: Place,
    ) -> Result<(), Message> {
        self.grow(NODE_COST, at)?;
        self.check_depth(1, at)?;
        self.open
            .push(Open { at, anchor, reference, size: NODE_COST, depth: 0, content });
        Ok(())
    }

    fn check_depth(&self, below: usize, at: Place) -> Result<(), Message> {
        match self.open.len() + below > self.limits.depth {
            true => Err(Message::at(at, "The parsed YAML is too big")),
            false => Ok(()),
        }
    }

    fn end(&mut self) -> Result<(), Message> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let value = match open.content {
            Content::List(items) if open.reference => Value::Reference(reference(&items, open.at)?),
            Content::List(items) => Value::List(items),
            Content::Map { mut map, merged, .. } => {
                for from in merged {
                    for (key, node) in from {
                        map.entry(key).or_insert(node);
                    }
                }
                Value::Map(map)
            }
        };
        let node = Node::new(value, open.at);
        let done = Anchored { node, size: open.size, depth: open.depth + 1 };
        self.complete(done, open.anchor)
    }

    fn alias(&mut self, id: usize, at: Place) -> Result<(), Message> {
        let Some(anchored) = self.anchors.get(&id) else {
            return Err(Message::at(at, "An alias stands inside of its own anchor"));
        };
        let (size, depth) = (anchored.size, anchored.depth);
        self.grow(size, at)?;
        self.check_depth(depth, at)?;
        let Some(anchored) = self.anchors.get(&id) else {
            return Ok(());
        };
        let node = anchored.node.clone();
        self.complete(Anchored { node, size, depth }, 0)
    }

    /// Puts a finished node where it belongs.
    fn complete(&mut self, done: Anchored, anchor: usize) -> Result<(), Message> {
        let Anchored { node, size, depth } = done;
        if anchor != 0 {
            // Kept beside the tree, so it counts once more.
            self.grow(size, node.at)?;
            self.anchors.insert(anchor, Anchored { node: node.clone(), size, depth });
        }
        let Some(open) = self.open.last_mut() else {
            self.documents.nodes.push(node);
            return Ok(());
        };
        open.size = open.size.saturating_add(size);
        open.depth = open.depth.max(depth);
        match &mut open.content {
            Content::List(items) => items.push(node),
            Content::Map { map, key, merged } => match key.take() {
                None => *key = Some((key_text(&node)?, node.at)),
                Some((name, at)) => put(map, merged, &mut self.documents.warnings, name, at, node),
            },
        }
        Ok(())
    }
}

/// Adds a key, or remembers what a merge key brings.
fn put(
    map: &mut Map, merged: &mut Vec<Map>, warnings: &mut Vec<Message>, name: String, at: Place,
    node: Node,
) {
    if name == "<<" {
        match node.value {
            Value::Map(from) => return merged.push(from),
            Value::List(items) if items.iter().all(|item| item.map().is_some()) => {
                let maps = items.into_iter().filter_map(|item| match item.value {
                    Value::Map(from) => Some(from),
                    _ => None,
                });
                return merged.extend(maps);
            }
            value => {
                map.insert(name, Node::new(value, at));
                return;
            }
        }
    }
    // Where the value stands is told by its key: that is the line people look for.
    let node = Node::new(node.value, at);
    if map.contains_key(&name) && warnings.len() < 100 {
        let text = format!("the key `{name}` is given more than once, the last one counts");
        warnings.push(Message::at(at, text));
    }
    map.insert(name, node);
}

fn key_text(node: &Node) -> Result<String, Message> {
    match &node.value {
        Value::Null => Ok(String::new()),
        _ => node.scalar_text().ok_or_else(|| Message::at(node.at, "Invalid YAML syntax")),
    }
}

fn scalar_value(
    text: &str, style: ScalarStyle, tag: Option<&Tag>, at: Place,
) -> Result<Value, Message> {
    match tag.map(Tag::core_suffix) {
        Some(Some("str")) => return Ok(Value::Text(text.to_string())),
        Some(None) if tag.is_some_and(|tag| tag.parts() == ("", "!")) => {
            return Ok(Value::Text(text.to_string()));
        }
        Some(None) => {
            let text = match tag.map(Tag::original) {
                Some(tag) if tag == "!reference" => format!("!reference {text:?} is not valid"),
                tag => format!("Unknown tag: {}", tag.unwrap_or_default()),
            };
            return Err(Message::at(at, text));
        }
        _ => (),
    }
    if style != ScalarStyle::Plain {
        return Ok(Value::Text(text.to_string()));
    }
    scalar::resolve(text)
        .map_err(|class| Message::at(at, format!("Tried to load unspecified class: {class}")))
}

/// Whether a list is a `!reference`; other tags than those of the core are refused.
fn container_tag(tag: Option<&Tag>, at: Place) -> Result<bool, Message> {
    match tag {
        None => Ok(false),
        Some(tag) if tag.original() == "!reference" => Ok(true),
        Some(tag) if tag.core_suffix().is_some() => Ok(false),
        Some(tag) => Err(Message::at(at, format!("Unknown tag: {}", tag.original()))),
    }
}

fn reference(items: &[Node], at: Place) -> Result<Vec<String>, Message> {
    let path: Option<Vec<String>> =
        items.iter().map(|item| item.text().map(str::to_owned)).collect();
    path.filter(|path| !path.is_empty()).ok_or_else(|| {
        let seen: Vec<String> = items.iter().filter_map(Node::scalar_text).collect();
        Message::at(at, format!("!reference {} is not valid", quoted_list(&seen)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Documents, Message> {
        parse(text, 0, &Limits::default())
    }

    #[test]
    fn anchors_and_merge_keys_give_way_to_own_keys() {
        let text = "base: &b {x: 1, y: [1]}\nc: &c {x: 5, w: 3}\na: {<<: [*b, *c], y: [2]}\n";
        let documents = read(text).unwrap();
        let map = documents.nodes[0].map().unwrap()["a"].map().unwrap();
        assert_eq!(map["x"].value, Value::Int(1));
        assert_eq!(map["y"].list().unwrap().len(), 1);
        assert_eq!(map["y"].list().unwrap()[0].value, Value::Int(2));
        assert_eq!(map["w"].value, Value::Int(3));
        assert!(!map.contains_key("<<"));
    }

    #[test]
    fn a_key_given_twice_is_a_warning_with_its_line() {
        let documents = read("a: 1\nb: 2\na: 3\n").unwrap();
        assert_eq!(documents.nodes[0].map().unwrap()["a"].value, Value::Int(3));
        assert_eq!(documents.warnings[0].at.unwrap().line, 3);
    }

    #[test]
    fn bombs_depth_and_tags_are_refused() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for n in 1..12 {
            let alias = format!("*a{}", n - 1);
            bomb += &format!("a{n}: &a{n} [{}]\n", [alias.as_str(); 10].join(", "));
        }
        assert_eq!(read(&bomb).unwrap_err().text, "The parsed YAML is too big");
        let deep = "[".repeat(101) + &"]".repeat(101);
        assert_eq!(read(&deep).unwrap_err().text, "The parsed YAML is too big");
        assert!(read(&("[".repeat(99) + &"]".repeat(99))).is_ok());
        assert_eq!(read("a: !ruby/object x").unwrap_err().text, "Unknown tag: !ruby/object");
        assert!(read("a: &a [*a]").is_err());
        assert!(read("a: !!str 012").is_ok());
        let date = read("a: 2024-01-01").unwrap_err();
        assert_eq!(date.text, "Tried to load unspecified class: Date");
    }

    #[test]
    fn a_syntax_error_says_where() {
        let error = read("a: 1\nb: [1,\n").unwrap_err();
        assert!(error.text.contains(" at line "), "{error}");
        assert!(error.at.unwrap().line >= 2);
    }

    #[test]
    fn two_documents_are_read_and_a_third_is_not() {
        assert_eq!(read("spec: {}\n---\na: 1\n").unwrap().nodes.len(), 2);
        assert!(read("a\n---\nb\n---\nc\n").is_err());
    }
}
