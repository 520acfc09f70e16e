//! Lines of a file, each of which can be led to: `#L10`, `#L10-20`.

use crate::highlight::Lines;
use askama::filters::HtmlSafe;
use kernel::markup::escape;
use std::borrow::Cow;
use std::fmt;

/// Letters of a line from which on lines are broken: browsers lay out what is as wide
/// as megabytes for minutes.
const WIDEST: usize = 5000;

/// Some lines. Their numbers are no text, so that what is copied is the file.
#[derive(Debug, Clone)]
pub struct SourceLines {
    /// Names them on the page; empty for what stands beside others.
    id: Cow<'static, str>,
    /// What they are called, where they are read by themselves.
    label: String,
    /// The page of their file, where this is another.
    url: String,
    lines: Lines,
    /// Which of them are shown, from 0.
    range: std::ops::Range<usize>,
    /// The number of the first.
    first: usize,
}

impl SourceLines {
    /// All lines of a file.
    pub fn all(lines: Lines) -> SourceLines {
        let (range, label) = (0..lines.len(), "Content".to_owned());
        SourceLines {
            id: "source".into(),
            label,
            url: String::new(),
            lines,
            range,
            first: 1,
        }
    }

    /// Some of them, beside others of the same file.
    pub fn some(lines: Lines, range: std::ops::Range<usize>) -> SourceLines {
        let end = range.end.min(lines.len());
        let range = range.start.min(end)..end;
        let first = range.start + 1;
        SourceLines {
            id: "".into(),
            label: String::new(),
            range,
            first,
            ..SourceLines::all(lines)
        }
    }

    /// Lines of a file whose page is another, from this number on; `label` tells them
    /// from others.
    pub fn found(label: String, url: String, lines: Lines, first: usize) -> SourceLines {
        SourceLines { id: "".into(), label, url, first, ..SourceLines::all(lines) }
    }

    /// All lines of one of the files of a page, which this names; `label` tells them from
    /// those of the others.
    pub fn named(id: String, label: String, lines: Lines) -> SourceLines {
        SourceLines { id: id.into(), label, ..SourceLines::all(lines) }
    }

    /// What the names of its lines begin with: of several files of a page each has its own.
    fn prefix(&self) -> String {
        match self.id.as_ref() {
            "" | "source" => String::new(),
            named => format!("{named}-"),
        }
    }
}

impl HtmlSafe for SourceLines {}

impl fmt::Display for SourceLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.lines[self.range.clone()];
        let wraps = if shown.iter().any(|line| line.len() > WIDEST) {
            " wraps"
        } else {
            ""
        };
        f.write_str("<div class=\"source")?;
        f.write_str(wraps)?;
        f.write_str("\"")?;
        if !self.id.is_empty() {
            write!(f, " id=\"{}\"", self.id)?;
        }
        // What may scroll must be reachable by keyboard.
        if !self.label.is_empty() {
            write!(f, " role=\"region\" aria-label=\"{}\" tabindex=\"0\"", escape(&self.label))?;
        }
        f.write_str(">")?;
        let (url, prefix) = (escape(&self.url), escape(&self.prefix()));
        for (line, number) in shown.iter().zip(self.first..) {
            let id = match url.is_empty() {
                true => format!(" id=\"{prefix}L{number}\""),
                false => String::new(),
            };
            write!(
                f,
                "<div{id}><a href=\"{url}#{prefix}L{number}\" aria-label=\"{number}\" \
                 tabindex=\"-1\"></a><code>{line}\n</code></div>"
            )?;
        }
        f.write_str("</div>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::highlight::plain;

    #[test]
    fn what_is_copied_is_the_file() {
        let html = SourceLines::all(plain("<a>\n\nb\n")).to_string();
        assert!(html.contains("<div id=\"L1\"><a href=\"#L1\" aria-label=\"1\""), "{html}");
        let text: String = html
            .split('<')
            .filter_map(|piece| piece.split_once('>').map(|(_, text)| text))
            .collect();
        assert_eq!(text, "&lt;a&gt;\n\nb\n");
        let some = SourceLines::some(plain("a\nb\nc"), 1..9).to_string();
        assert!(!some.contains("L1\"") && some.contains("L3\"") && !some.contains("L4\""));
        let found = SourceLines::found("a&b".into(), "/p/-/blob/main/a".into(), plain("x"), 7);
        let named = SourceLines::named("file-2".into(), "b.rs".into(), plain("x"));
        let named = named.to_string();
        assert!(named.contains("<div id=\"file-2-L1\"><a href=\"#file-2-L1\""), "{named}");
        let found = found.to_string();
        assert!(found.contains("aria-label=\"a&#38;b\"") || found.contains("a&amp;b"), "{found}");
        assert!(found.contains("<div><a href=\"/p/-/blob/main/a#L7\""), "{found}");
    }
}
