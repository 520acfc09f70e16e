//! Words of a text that lead to what they name.

use comrak::arena_tree::NodeEdge;
use comrak::nodes::{AstNode, NodeLink, NodeValue};
use comrak::{Arena, Node};
use std::ops::Range;

/// Words that lead somewhere.
#[derive(Debug, Clone)]
pub struct Link {
    /// Where they stand in the text, in bytes.
    pub range: Range<usize>,
    /// What is shown instead of them.
    pub text: String,
    /// Where they lead.
    pub url: String,
    /// What is told of it to who points at it; may be empty.
    pub title: String,
}

/// Finds such words in a piece of text, in their order.
pub type Find<'f> = dyn Fn(&str) -> Vec<Link> + 'f;

/// Makes links of what is found in the text, outside of code and other links.
pub(super) fn lead<'a>(arena: &'a Arena<'a>, root: Node<'a>, find: &Find<'_>) {
    for node in texts(root) {
        let text = match &node.data().value {
            NodeValue::Text(text) => text.to_string(),
            _ => continue,
        };
        let links = find(&text);
        if links.is_empty() {
            continue;
        }
        let mut from = 0;
        for link in links {
            node.insert_before(plain(arena, &text[from..link.range.start]));
            from = link.range.end;
            let shown = plain(arena, &link.text);
            let (url, title) = (link.url, link.title);
            let around = NodeValue::Link(Box::new(NodeLink { url, title }));
            let around = arena.alloc(AstNode::from(around));
            around.append(shown);
            node.insert_before(around);
        }
        node.insert_before(plain(arena, &text[from..]));
        node.detach();
    }
}

/// The nodes of text that stand in no link and no picture.
fn texts<'a>(root: Node<'a>) -> Vec<Node<'a>> {
    let (mut found, mut around) = (Vec::new(), 0_usize);
    for edge in root.traverse() {
        let (node, starts) = match edge {
            NodeEdge::Start(node) => (node, true),
            NodeEdge::End(node) => (node, false),
        };
        match node.data().value {
            NodeValue::Link(_) | NodeValue::Image(_) if starts => around += 1,
            NodeValue::Link(_) | NodeValue::Image(_) => around -= 1,
            NodeValue::Text(_) if starts && around == 0 => found.push(node),
            _ => {}
        }
    }
    found
}

fn plain<'a>(arena: &'a Arena<'a>, text: &str) -> Node<'a> {
    let value = NodeValue::Text(text.to_owned().into());
    arena.alloc(AstNode::from(value))
}
