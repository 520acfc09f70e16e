//! The log of a job as a page shows it. Its bytes are anything: whatever they are, what
//! comes out are lines of text in elements of ours, and not many times as long.

mod ansi;
mod sections;

use ansi::Style;
use sections::{Mark, marks};
use std::borrow::Cow;
use std::fmt::Write;

/// Parts of a log inside of each other; deeper ones are lines as others.
const DEEPEST: usize = 8;

/// A part of a log as markup.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    pub html: String,
    /// Lines that it had, shown or not.
    pub lines: u64,
}

/// A part that was begun and has not ended.
struct Open {
    name: Vec<u8>,
    since: u64,
    /// The piece that says how long it took, once that is known.
    took: usize,
}

struct Writer {
    /// The markup, in pieces of which some are written later.
    pieces: Vec<String>,
    open: Vec<Open>,
    style: Style,
}

/// Lines of a log, the first of which has this number.
pub fn show(bytes: &[u8], first: u64) -> Shown {
    let mut writer = Writer {
        pieces: vec![String::new()],
        open: Vec::new(),
        style: Style::default(),
    };
    let mut lines = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        writer.line(line, first.saturating_add(lines));
        lines += 1;
    }
    while writer.open.pop().is_some() {
        writer.text().push_str("</details>");
    }
    Shown { html: writer.pieces.concat(), lines }
}

/// A line as plain text: without colours, marks of parts, and what was written over.
pub fn plain(line: &[u8]) -> String {
    let mut text = String::new();
    let rest: Vec<u8> = marks(line).filter_map(|(_, rest)| rest).flatten().copied().collect();
    ansi::pieces(visible(&rest), &mut Style::default(), |piece, _| text.push_str(piece));
    text
}

impl Writer {
    fn text(&mut self) -> &mut String {
        let last = self.pieces.len() - 1;
        &mut self.pieces[last]
    }

    fn line(&mut self, line: &[u8], number: u64) {
        let mut begun = None;
        let mut rest: Cow<'_, [u8]> = Cow::Borrowed(&[]);
        let mut has_mark = false;
        for (mark, text) in marks(line) {
            match mark {
                Some(Mark::Start { at, name, collapsed }) if self.open.len() < DEEPEST => {
                    has_mark = true;
                    // One line begins one part: of more, the others are lines of it.
                    if begun.is_none() {
                        begun = Some((at, name, collapsed));
                    }
                }
                Some(Mark::Start { .. }) => has_mark = true,
                Some(Mark::End { at, name }) => {
                    has_mark = true;
                    self.close(at, name);
                }
                None => {}
            }
            if let Some(text) = text {
                match rest.is_empty() {
                    true => rest = Cow::Borrowed(text),
                    false => rest.to_mut().extend_from_slice(text),
                }
            }
        }
        let shown = visible(&rest);
        match begun {
            Some(begun) => self.begin(begun, shown, number),
            None if has_mark && shown.is_empty() => {}
            None => self.plain_line(shown, number),
        }
    }

    fn plain_line(&mut self, line: &[u8], number: u64) {
        let text = self.text();
        let _ = write!(
            text,
            "<div id=\"L{number}\"><a href=\"#L{number}\" aria-label=\"{number}\"></a><code>"
        );
        self.content(line);
        self.text().push_str("</code></div>\n");
    }

    fn begin(&mut self, (at, name, collapsed): (u64, &[u8], bool), line: &[u8], number: u64) {
        let open = if collapsed { "" } else { " open" };
        let text = self.text();
        let _ = write!(
            text,
            "<details{open}><summary id=\"L{number}\"><span class=\"log-number\">{number}</span><code>"
        );
        match line.is_empty() {
            true => {
                let name = String::from_utf8_lossy(name).replace('_', " ");
                escape(&name, self.text());
            }
            false => self.content(line),
        }
        self.text().push_str("</code>");
        self.pieces.push(String::new());
        self.pieces.push("</summary>\n".to_owned());
        let took = self.pieces.len() - 2;
        self.open.push(Open { name: name.to_vec(), since: at, took });
    }

    /// Ends the part of this name, and those inside of it.
    fn close(&mut self, at: u64, name: &[u8]) {
        let Some(depth) = self.open.iter().rposition(|open| open.name == name) else {
            return;
        };
        let (since, took) = (self.open[depth].since, self.open[depth].took);
        self.pieces[took] =
            format!("<span class=\"log-took\">{}</span>", clock(at.saturating_sub(since)));
        for _ in depth..self.open.len() {
            self.text().push_str("</details>");
        }
        self.open.truncate(depth);
    }

    fn content(&mut self, line: &[u8]) {
        let mut style = self.style;
        let text = self.text();
        ansi::pieces(line, &mut style, |piece, style| match style.classes() {
            classes if classes.is_empty() => escape(piece, text),
            classes => {
                let _ = write!(text, "<span class=\"{classes}\">");
                escape(piece, text);
                text.push_str("</span>");
            }
        });
        self.style = style;
    }
}

/// What of a line is seen in the end: a carriage return begins it anew.
fn visible(line: &[u8]) -> &[u8] {
    let line = match line.iter().rposition(|byte| *byte != b'\r') {
        Some(last) => &line[..=last],
        None => return &[],
    };
    match line.iter().rposition(|byte| *byte == b'\r') {
        Some(at) => &line[at + 1..],
        None => line,
    }
}

fn escape(text: &str, into: &mut String) {
    for letter in text.chars() {
        match letter {
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '&' => into.push_str("&amp;"),
            '"' => into.push_str("&quot;"),
            '\'' => into.push_str("&#39;"),
            other => into.push(other),
        }
    }
}

/// Seconds as people read them: `1:05`.
pub fn clock(seconds: u64) -> String {
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        hours => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn html(text: &str) -> String {
        show(text.as_bytes(), 1).html
    }

    fn line(number: u64, content: &str) -> String {
        format!(
            "<div id=\"L{number}\"><a href=\"#L{number}\" aria-label=\"{number}\"></a>\
             <code>{content}</code></div>\n"
        )
    }

    #[test]
    fn lines_are_numbered_and_escaped() {
        let shown = show(b"a <b>\nc & \"d\"", 7);
        let wanted = line(7, "a &lt;b&gt;") + &line(8, "c &amp; &quot;d&quot;");
        assert_eq!(shown, Shown { html: wanted, lines: 2 });
        assert_eq!(show(b"", 1), Shown::default());
        assert_eq!(show(b"a\n", 1).lines, 1);
    }

    #[test]
    fn colours_are_classes_and_last_until_they_are_ended() {
        for (text, wanted) in [
            ("\x1b[31mred\x1b[0m plain", "<span class=\"a-f1\">red</span> plain"),
            ("\x1b[32;1mok\x1b[0;m", "<span class=\"a-b a-f2\">ok</span>"),
            ("\x1b[0Ka\x1b[Kb", "ab"),
            ("\x1b[38;5;196mx", "<span class=\"a-f1\">x</span>"),
            ("\x1b[48;2;0;0;0mx\x1b[49my", "<span class=\"a-g0\">x</span>y"),
            ("\x1b]8;;http://a\x07link\x1b]8;;\x07", "link"),
            ("\x1b[999;;;mx", "x"),
            ("\x1b[31", ""),
            ("\x1b", ""),
            ("a\x07\x00b\tc", "ab\tc"),
        ] {
            assert_eq!(html(text), line(1, wanted), "{text:?}");
        }
        let two = html("\x1b[31ma\nb\x1b[0m");
        assert!(two.contains("<span class=\"a-f1\">b</span>"), "{two}");
    }

    #[test]
    fn what_is_written_over_is_not_shown() {
        for (text, wanted) in [("10%\r20%\r100%\r\n", "100%"), ("a\r\n", "a"), ("\r\n", "")] {
            assert_eq!(html(text), line(1, wanted), "{text:?}");
        }
        assert_eq!(plain(b"\x1b[31m10%\r<b>\x1b[0m\r"), "<b>");
    }

    #[test]
    fn parts_are_folded() {
        let text = "section_start:100:prepare_it\r\x1b[0KGet ready\nwork\n\
                    section_end:165:prepare_it\r\x1b[0K\nafter";
        let wanted = "<details open><summary id=\"L1\"><span class=\"log-number\">1</span>\
                      <code>Get ready</code><span class=\"log-took\">1:05</span></summary>\n"
            .to_owned()
            + &line(2, "work")
            + "</details>"
            + &line(4, "after");
        assert_eq!(html(text), wanted);
        let folded = html("section_start:1:a[collapsed=true]\r\x1b[0K");
        assert!(folded.starts_with("<details><summary"), "{folded}");
        assert!(folded.ends_with("</summary>\n</details>"), "{folded}");
        // One that ends ends those inside of it; one that never began ends nothing.
        let nested = html(
            "section_start:1:a\r\nsection_start:2:b\r\nsection_end:3:a\r\nsection_end:4:b\r\nx",
        );
        assert!(nested.ends_with(&format!("</details></details>{}", line(5, "x"))), "{nested}");
        let word = "<img>";
        let named = html(&format!("section_start:1:{word}\r"));
        assert!(!named.contains(word), "{named}");
        let both = html("section_end:2:a\r\x1b[0Ksection_start:3:b\r\x1b[0Kb");
        assert!(both.contains("<code>b</code>"), "{both}");
    }

    /// Markup without the elements and attributes that a log has.
    fn without_ours(html: &str) -> String {
        let mut rest = String::new();
        for (at, piece) in html.split('<').enumerate() {
            if at == 0 {
                rest.push_str(piece);
                continue;
            }
            let (tag, text) = piece.split_once('>').expect("a whole element");
            let ours = ["div id=\"L", "/div", "a href=\"#L", "/a", "code", "/code"]
                .iter()
                .chain(&["details", "/details", "summary id=\"L", "/summary"])
                .chain(&["span class=\"a-", "span class=\"log-", "/span"]);
            assert!(ours.into_iter().any(|one| tag.starts_with(one)), "{tag}");
            assert!(!tag.contains(['\'', '&']) && tag.matches('"').count() <= 4, "{tag}");
            rest.push_str(text);
        }
        rest
    }

    /// Bytes of which a log is made, and any others.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let known = prop_oneof![
            Just(b"\x1b[".to_vec()),
            Just(b"\x1b[31;1m".to_vec()),
            Just(b"section_start:1:a\r\x1b[0K".to_vec()),
            Just(b"section_end:2:a\r\x1b[0K".to_vec()),
            Just(b"section_start:9:<b>[collapsed=true]\r".to_vec()),
            Just(b"</code></div><script>".to_vec()),
            Just(b"\r".to_vec()),
            Just(b"\n".to_vec()),
            prop::collection::vec(any::<u8>(), 0..12),
            "[ -~]{0,12}".prop_map(String::into_bytes),
        ];
        prop::collection::vec(known, 0..40).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn no_bytes_are_markup(bytes in bytes()) {
            let shown = show(&bytes, 1);
            let rest = without_ours(&shown.html);
            prop_assert!(!rest.contains(['<', '>', '"', '\'']), "{}", rest);
            let (opened, closed) = ("<details", "</details>");
            prop_assert_eq!(
                shown.html.matches(opened).count(),
                shown.html.matches(closed).count()
            );
            prop_assert!(shown.html.len() <= 120 * bytes.len(), "{}", shown.html.len());
            prop_assert!(!plain(&bytes).contains('\x1b'));
        }
    }
}
