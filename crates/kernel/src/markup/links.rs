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

/// Makes links of what is found in the text, outside of code and other links. An address
/// that is found as a whole is shown as what is found.
pub(super) fn lead<'a>(arena: &'a Arena<'a>, root: Node<'a>, find: &Find<'_>) {
    for node in root.descendants() {
        if let Some(url) = address(node) {
            rename(node, &url, find);
        }
    }
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

/// Shows an address that is found as a whole as what is found.
fn rename(node: &AstNode<'_>, url: &str, find: &Find<'_>) {
    let mut found = find(url).into_iter();
    let (Some(one), None) = (found.next(), found.next()) else {
        return;
    };
    if one.range != (0..url.len()) {
        return;
    }
    if let Some(text) = node.first_child() {
        text.data_mut().value = NodeValue::Text(one.text.into());
    }
    if let NodeValue::Link(link) = &mut node.data_mut().value {
        link.url = one.url;
        link.title = one.title;
    }
}

/// Where a link leads that shows that whole address and nothing else.
fn address(node: &AstNode<'_>) -> Option<String> {
    let url = match &node.data().value {
        NodeValue::Link(link) if link.url.contains("://") => link.url.clone(),
        _ => return None,
    };
    let text = node.first_child()?;
    let is_alone = node.last_child().is_some_and(|last| text.same_node(last));
    let shows_it = match &text.data().value {
        NodeValue::Text(text) => text.as_ref() == url.as_str(),
        _ => false,
    };
    (is_alone && shows_it).then_some(url)
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
