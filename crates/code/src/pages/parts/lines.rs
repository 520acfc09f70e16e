//! Lines of a file, each of which can be led to: `#L10`, `#L10-20`.

use crate::highlight::Lines;
use askama::filters::HtmlSafe;
use std::fmt;

/// Letters of a line from which on lines are broken: browsers lay out what is as wide
/// as megabytes for minutes.
const WIDEST: usize = 5000;

/// Some lines. Their numbers are no text, so that what is copied is the file.
#[derive(Debug, Clone)]
pub struct SourceLines {
    /// Names them on the page; empty for what stands beside others.
    id: &'static str,
    lines: Lines,
    /// Which of them are shown, from 0.
    range: std::ops::Range<usize>,
}

impl SourceLines {
    /// All lines of a file.
    pub fn all(lines: Lines) -> SourceLines {
        let range = 0..lines.len();
        SourceLines { id: "source", lines, range }
    }

    /// Some of them, beside others of the same file.
    pub fn some(lines: Lines, range: std::ops::Range<usize>) -> SourceLines {
        let end = range.end.min(lines.len());
        SourceLines { id: "", lines, range: range.start.min(end)..end }
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
        match self.id {
            "" => f.write_str("\">")?,
            // What may scroll must be reachable by keyboard.
            id => {
                write!(f, "\" id=\"{id}\" role=\"region\" aria-label=\"Content\" tabindex=\"0\">")?
            }
        }
        for (line, number) in shown.iter().zip(self.range.start + 1..) {
            write!(
                f,
                "<div id=\"L{number}\"><a href=\"#L{number}\" aria-label=\"{number}\" \
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
    }
}
