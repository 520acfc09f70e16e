//! What texts get beside what Markdown says: headings that are links to
//! themselves, tables that scroll, code with colours, pictures with sizes,
//! boxes to tick.

use super::{Rendering, code, escape, tasks};
use comrak::nodes::{AstNode, NodeList, NodeValue};
use comrak::{Anchorizer, Arena, Node};

/// Bytes of a heading that are in its address.
const MAX_ANCHOR: usize = 80;
/// Headings of one text that can be led to.
const MAX_ANCHORS: usize = 500;
/// Boxes of one text that can be ticked by clicking.
const MAX_BOXES: usize = 500;
/// Characters of what a box is about, as it is told to who does not see it.
const MAX_LABEL: usize = 80;
/// Characters of a line of code that fit on every screen.
const NARROW: usize = 30;

/// The items of task lists that can be ticked, by what they are about.
pub(super) fn dress<'a>(arena: &'a Arena<'a>, root: Node<'a>, to: &Rendering<'_>) -> Vec<String> {
    let mut dresser = Dresser {
        arena,
        to,
        anchors: Anchorizer::new(),
        anchored: 0,
        code: code::BUDGET,
        boxes: Vec::new(),
    };
    let nodes: Vec<Node<'a>> = root.descendants().collect();
    for node in nodes {
        dresser.one(node);
    }
    dresser.boxes
}

enum Part {
    Heading,
    Table,
    /// As HTML.
    Code(String),
    Picture,
    Task,
    Other,
}

struct Dresser<'a, 'd> {
    arena: &'a Arena<'a>,
    to: &'d Rendering<'d>,
    anchors: Anchorizer,
    anchored: usize,
    /// Bytes of code that may still be coloured.
    code: usize,
    boxes: Vec<String>,
}

impl<'a> Dresser<'a, '_> {
    fn one(&mut self, node: Node<'a>) {
        match self.part(node) {
            Part::Heading => self.heading(node),
            Part::Table => {
                node.insert_before(self.raw(TABLE.to_owned()));
                node.insert_after(self.raw("</div>\n".to_owned()));
            }
            Part::Code(html) => node.data_mut().value = NodeValue::Raw(html),
            Part::Picture => self.picture(node),
            Part::Task => self.task(node),
            Part::Other => {}
        }
    }

    /// What a node is, as far as more is done to it here.
    fn part(&mut self, node: Node<'a>) -> Part {
        match &mut node.data_mut().value {
            NodeValue::Heading(heading) => {
                heading.level = heading.level.saturating_add(self.to.lowered).clamp(1, 6);
                Part::Heading
            }
            NodeValue::Table(_) => Part::Table,
            NodeValue::CodeBlock(block) => Part::Code(self.code_block(&block.info, &block.literal)),
            NodeValue::Image(_) => Part::Picture,
            NodeValue::TaskItem(_) => Part::Task,
            NodeValue::FootnoteReference(note) => {
                note.name.insert_str(0, self.to.id);
                Part::Other
            }
            NodeValue::FootnoteDefinition(note) => {
                note.name.insert_str(0, self.to.id);
                Part::Other
            }
            _ => Part::Other,
        }
    }

    fn raw(&self, html: String) -> Node<'a> {
        self.arena.alloc(AstNode::from(NodeValue::Raw(html)))
    }

    /// Makes a heading a link to itself, unless it has links of its own: then it
    /// can only be led to.
    fn heading(&mut self, node: Node<'a>) {
        self.anchored += 1;
        if self.anchored > MAX_ANCHORS {
            return;
        }
        let mut text = text_of(node);
        text.truncate(text.floor_char_boundary(MAX_ANCHOR));
        let anchor = self.anchors.anchorize(&text);
        if anchor.is_empty() {
            return;
        }
        let id = escape(&format!("{}{anchor}", self.to.id));
        let has_links = node.descendants().any(|inner| {
            let value = &inner.data().value;
            matches!(
                value,
                NodeValue::Link(_) | NodeValue::FootnoteReference(_) | NodeValue::HtmlInline(_)
            )
        });
        if has_links {
            node.prepend(self.raw(format!("<a id=\"{id}\"></a>")));
            return;
        }
        node.prepend(self.raw(format!("<a class=\"anchor\" id=\"{id}\" href=\"#{id}\">")));
        node.append(self.raw("</a>".to_owned()));
    }

    fn code_block(&mut self, info: &str, literal: &str) -> String {
        let room = self.code.checked_sub(literal.len());
        let coloured = room.and_then(|_| code::coloured(info, literal));
        if coloured.is_some() {
            self.code -= literal.len();
        }
        // What may scroll must be reachable by keyboard.
        let is_wide = literal.lines().any(|line| line.chars().nth(NARROW).is_some());
        let focus = if is_wide { " tabindex=\"0\"" } else { "" };
        let inner = coloured.unwrap_or_else(|| escape(literal));
        format!("<pre{focus}><code>{inner}</code></pre>\n")
    }

    /// Takes sizes in braces behind a picture as those of the picture.
    fn picture(&self, node: Node<'a>) {
        let Some(next) = node.next_sibling() else {
            return;
        };
        let (sizes, length) = match &next.data().value {
            NodeValue::Text(text) => match sizes(text) {
                Some(found) => found,
                None => return,
            },
            _ => return,
        };
        if let NodeValue::Text(text) = &mut next.data_mut().value {
            *text = text[length..].to_owned().into();
        }
        let alt = text_of(node);
        let html = match &node.data().value {
            NodeValue::Image(link) => {
                let title = match link.title.is_empty() {
                    true => String::new(),
                    false => format!(" title=\"{}\"", escape(&link.title)),
                };
                let (url, alt) = (escape(&link.url), escape(&alt));
                format!("<img src=\"{url}\" alt=\"{alt}\"{title}{sizes}>")
            }
            _ => return,
        };
        node.insert_before(self.raw(html));
        node.detach();
    }

    /// Has a box ticked by who may do that.
    fn task(&mut self, node: Node<'a>) {
        if self.to.tasks.is_empty() || self.boxes.len() >= MAX_BOXES {
            return;
        }
        let is_done = match &node.data().value {
            NodeValue::TaskItem(item) => item.symbol.is_some(),
            _ => return,
        };
        let first = node.first_child().map(text_of).unwrap_or_default();
        self.boxes.push(first.chars().take(MAX_LABEL).collect());
        node.prepend(self.raw(tasks::mark(self.boxes.len() - 1, is_done)));
        node.data_mut().value = NodeValue::Item(NodeList::default());
    }
}

/// Before a table: it scrolls by itself, and by keyboard.
const TABLE: &str =
    "\n<div class=\"table-scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">\n";

/// The text in and below a node.
pub(super) fn text_of(node: Node<'_>) -> String {
    let mut text = String::new();
    for inner in node.descendants() {
        match &inner.data().value {
            NodeValue::Text(part) => text.push_str(part),
            NodeValue::Code(code) => text.push_str(&code.literal),
            NodeValue::ShortCode(code) => text.push_str(&code.emoji),
            NodeValue::SoftBreak | NodeValue::LineBreak => text.push(' '),
            _ => {}
        }
    }
    text
}

/// The attributes that `{width=75% height=100}` at the start of a text means,
/// and how long it is.
fn sizes(text: &str) -> Option<(String, usize)> {
    let inner = text.strip_prefix('{')?;
    // Sizes are short; nothing further is looked at.
    let end = inner.bytes().take(64).position(|byte| byte == b'}')?;
    let mut attributes = String::new();
    for part in inner[..end].split_ascii_whitespace() {
        let (name, value) = part.split_once('=')?;
        let value = value.trim_matches('"');
        let number = value.strip_suffix("px").or(value.strip_suffix('%')).unwrap_or(value);
        let is_number =
            (1..=4).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
        if !is_number || !matches!(name, "width" | "height") || attributes.contains(name) {
            return None;
        }
        let unit = if value.ends_with('%') { "%" } else { "" };
        attributes.push_str(&format!(" {name}=\"{number}{unit}\""));
    }
    (!attributes.is_empty()).then_some((attributes, end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sizes_are_taken_for_sizes() {
        let taken = |text| sizes(text).map(|(attributes, _)| attributes);
        for (text, attributes) in [
            ("{width=75% height=100} b", " width=\"75%\" height=\"100\""),
            ("{ width=\"20px\" }", " width=\"20\""),
        ] {
            assert_eq!(taken(text).as_deref(), Some(attributes), "{text}");
        }
        for text in [
            "",
            "{}",
            "{width}",
            "{width=1e3}",
            "{width=99999}",
            "{style=1}",
            "{width=1",
            "{width=1 width=2}",
            "{width=1 onload=2}",
            " {width=1}",
        ] {
            assert_eq!(taken(text), None, "{text}");
        }
    }
}
