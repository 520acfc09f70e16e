//! Lines as they are drawn once, for whoever looks, and what a page puts between them.

use crate::caching::by_bytes;
use crate::diff::{Kind, Line};
use askama::filters::HtmlSafe;
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Bytes of all lines that are remembered.
const ALL: u64 = 32 * 1024 * 1024;

/// The lines of a file as HTML.
#[derive(Debug, Clone, Default)]
pub struct Drawn {
    pub(super) html: String,
    ends: Vec<End>,
}

/// Where a line ends in the HTML.
#[derive(Debug, Clone, Copy)]
struct End {
    kind: Kind,
    old: u32,
    new: u32,
    at: usize,
}

impl Drawn {
    /// Notes that a line ends here.
    pub(super) fn ends(&mut self, line: &Line<'_>) {
        if line.kind != Kind::Remark {
            let at = self.html.len();
            self.ends.push(End { kind: line.kind, old: line.old, new: line.new, at });
        }
    }

    /// The line of these numbers: on the old side one that went, else on the new side.
    fn line(&self, kind: Kind, (old, new): (u32, u32)) -> Option<&End> {
        let is_it = |end: &&End| match kind {
            Kind::Removed => end.kind != Kind::Added && end.old == old,
            _ => end.kind != Kind::Removed && end.new == new,
        };
        self.ends.iter().find(is_it)
    }

    /// The line that these counters name.
    fn named(&self, (old, new): (u32, u32)) -> Option<&End> {
        self.ends.iter().find(|end| (end.old, end.new) == (old, new))
    }
}

/// Files that were drawn lately: what differs of two contents, and how it was drawn.
#[derive(Clone)]
pub(super) struct Recent(Cache<Key, Arc<Drawn>>);

type Key = (ObjectId, ObjectId, String);

impl Default for Recent {
    fn default() -> Recent {
        let size = |key: &Key, drawn: &Arc<Drawn>| {
            key.2.len() + drawn.html.len() + drawn.ends.len() * size_of::<End>()
        };
        Recent(by_bytes(ALL, size))
    }
}

impl Recent {
    pub fn get(&self, key: &Key) -> Option<Arc<Drawn>> {
        self.0.get(key)
    }

    pub fn keep(&self, key: Key, drawn: Arc<Drawn>) {
        self.0.insert(key, drawn);
    }
}

/// Lines with what stands between them.
#[derive(Debug, Clone)]
pub struct DrawnLines {
    drawn: Arc<Drawn>,
    /// HTML, by where it stands.
    between: BTreeMap<usize, String>,
}

impl DrawnLines {
    pub(super) fn of(drawn: Arc<Drawn>) -> DrawnLines {
        DrawnLines { drawn, between: BTreeMap::new() }
    }

    /// The counters of both sides that name a line on the page, if it is among them: on
    /// the old side one that went, else on the new side.
    pub fn find(&self, kind: Kind, numbers: (u32, u32)) -> Option<(u32, u32)> {
        self.drawn.line(kind, numbers).map(|end| (end.old, end.new))
    }

    /// Whether the line that is named by these counters is among them.
    pub fn shows(&self, numbers: (u32, u32)) -> bool {
        self.drawn.named(numbers).is_some()
    }

    /// Puts HTML below the line that is named by these counters, if it is among them.
    pub fn put(&mut self, numbers: (u32, u32), html: &str) {
        if let Some(at) = self.drawn.named(numbers).map(|end| end.at) {
            self.between.entry(at).or_default().push_str(html);
        }
    }
}

impl HtmlSafe for DrawnLines {}

impl fmt::Display for DrawnLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut from = 0;
        for (at, html) in &self.between {
            f.write_str(&self.drawn.html[from..*at])?;
            f.write_str(html)?;
            from = *at;
        }
        f.write_str(&self.drawn.html[from..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_below_a_line_stands_there() {
        let mut drawn = Drawn::default();
        for (kind, old, new) in [
            (Kind::Same, 1, 1),
            (Kind::Removed, 2, 2),
            (Kind::Added, 3, 2),
            (Kind::Same, 3, 3),
        ] {
            drawn.html.push_str(&format!("[{old} {new}]"));
            drawn.ends(&Line { kind, old, new, text: "" });
        }
        let mut lines = DrawnLines::of(Arc::new(drawn));
        assert_eq!(lines.find(Kind::Removed, (2, 9)), Some((2, 2)));
        assert_eq!(lines.find(Kind::Added, (9, 2)), Some((3, 2)));
        assert_eq!(lines.find(Kind::Same, (9, 3)), Some((3, 3)));
        assert_eq!(lines.find(Kind::Same, (4, 4)), None);
        lines.put((2, 2), "<a>");
        lines.put((3, 2), "<b>");
        lines.put((3, 3), "<c>");
        lines.put((3, 3), "<d>");
        lines.put((4, 4), "<e>");
        assert_eq!(lines.to_string(), "[1 1][2 2]<a>[3 2]<b>[3 3]<c><d>");
    }
}
