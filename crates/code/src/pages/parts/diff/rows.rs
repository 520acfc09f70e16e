//! The lines of a file that differs, as HTML. There may be thousands, so they are written
//! by hand and in few letters: the numbers stand in attributes, which style sheets show
//! and nobody copies.

use crate::diff::words::changed;
use crate::diff::{Hunk, Kind, Line};
use crate::visible::escaped;
use std::fmt::Write;
use std::ops::Range;
use std::time::Instant;

/// Lines that follow each other and are compared one by one with those that replace them.
const MOST_PAIRS: usize = 100;

pub struct Rows<'r> {
    /// The file's place on the page.
    pub id: &'r str,
    /// When no more words are looked for.
    pub until: Instant,
    pub is_parallel: bool,
}

/// The words of each line that changed.
type Marks = Vec<Vec<Range<usize>>>;

impl Rows<'_> {
    pub fn html(&self, hunks: &[Hunk<'_>]) -> String {
        let mut out = String::new();
        for hunk in hunks {
            let _ = write!(out, "<div class=\"hunk\">{}</div>", escaped(hunk.heading));
            let marks = self.marks(&hunk.lines);
            match self.is_parallel {
                true => self.beside(&mut out, &hunk.lines, &marks),
                false => self.below(&mut out, &hunk.lines, &marks),
            }
        }
        out
    }

    fn marks(&self, lines: &[Line<'_>]) -> Marks {
        let mut marks: Marks = vec![Vec::new(); lines.len()];
        for run in runs(lines) {
            let of = |kind| run.clone().filter(move |at| lines[*at].kind == kind);
            for (old, new) in of(Kind::Removed).zip(of(Kind::Added)).take(MOST_PAIRS) {
                let words = changed(lines[old].text, lines[new].text, self.until);
                if let Some((gone, come)) = words {
                    (marks[old], marks[new]) = (gone, come);
                }
            }
        }
        marks
    }

    fn below(&self, out: &mut String, lines: &[Line<'_>], marks: &Marks) {
        for (line, marks) in lines.iter().zip(marks) {
            self.line(out, line, marks, true);
        }
    }

    fn beside(&self, out: &mut String, lines: &[Line<'_>], marks: &Marks) {
        let mut at = 0;
        let end = std::iter::once(lines.len()..lines.len());
        for run in runs(lines).into_iter().chain(end) {
            for same in at..run.start {
                out.push_str("<div class=\"pair\">");
                self.line(out, &lines[same], &marks[same], true);
                self.line(out, &lines[same], &marks[same], false);
                out.push_str("</div>");
            }
            at = run.end;
            let of = |kind| run.clone().filter(move |at| lines[*at].kind == kind);
            let (mut old, mut new) = (of(Kind::Removed), of(Kind::Added));
            loop {
                let pair = [old.next(), new.next()];
                if pair == [None, None] {
                    break;
                }
                out.push_str("<div class=\"pair\">");
                for side in pair {
                    match side {
                        Some(at) => self.line(out, &lines[at], &marks[at], true),
                        None => out.push_str("<div class=\"none\"></div>"),
                    }
                }
                out.push_str("</div>");
            }
            for remark in of(Kind::Remark) {
                self.line(out, &lines[remark], &marks[remark], true);
            }
        }
    }

    /// A line; only its first place on the page is led to.
    fn line(&self, out: &mut String, line: &Line<'_>, marks: &[Range<usize>], is_first: bool) {
        let (id, old, new) = (self.id, line.old, line.new);
        let (class, label) = match line.kind {
            Kind::Remark => {
                let _ = write!(out, "<div class=\"hunk\">{}</div>", escaped(line.text.trim()));
                return;
            }
            Kind::Same => ("same", format!("Line {new}")),
            Kind::Removed => ("del", format!("Removed line {old}")),
            Kind::Added => ("add", format!("Added line {new}")),
        };
        let place = match is_first {
            true => format!(" id=\"{id}_{old}_{new}\""),
            false => String::new(),
        };
        let number = |name: &str, number: u32, is_there: bool| match is_there {
            true => format!(" data-{name}=\"{number}\""),
            false => String::new(),
        };
        let is_both = !self.is_parallel;
        let has_old = line.kind != Kind::Added && (is_both || is_first);
        let has_new = match line.kind {
            Kind::Removed => false,
            Kind::Added => true,
            _ => is_both || !is_first,
        };
        let numbers = number("o", old, has_old) + &number("n", new, has_new);
        let _ = write!(
            out,
            "<div class=\"{class}\"{place}><a href=\"#{id}_{old}_{new}\" aria-label=\"{label}\" \
             tabindex=\"-1\"{numbers}></a><code>"
        );
        let mut from = 0;
        for range in marks {
            out.push_str(&escaped(&line.text[from..range.start]));
            let _ = write!(out, "<mark>{}</mark>", escaped(&line.text[range.clone()]));
            from = range.end;
        }
        out.push_str(&escaped(&line.text[from..]));
        out.push_str("\n</code></div>");
    }
}

/// Where lines follow each other that only one side has, with what is said of them.
fn runs(lines: &[Line<'_>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..lines.len()).filter(|at| lines[*at].kind != Kind::Same) {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::hunks;
    use std::time::Duration;

    fn shown(text: &str, is_parallel: bool) -> String {
        let until = Instant::now() + Duration::from_secs(60);
        Rows { id: "f", until, is_parallel }.html(&hunks(text, 100).0)
    }

    const TEXT: &str = "@@ -1,3 +1,4 @@ <b>\n same\n-let a = <1>;\n+let a = <2>;\n+more\n\
                        \\ No newline at end of file\n";

    #[test]
    fn lines_stand_below_one_another() {
        let html = shown(TEXT, false);
        assert!(
            html.starts_with("<div class=\"hunk\">@@ -1,3 +1,4 @@ &lt;b&gt;</div>"),
            "{html}"
        );
        let removed = "<div class=\"del\" id=\"f_2_2\"><a href=\"#f_2_2\" \
                       aria-label=\"Removed line 2\" tabindex=\"-1\" data-o=\"2\"></a>\
                       <code>let a = &lt;<mark>1</mark>&gt;;\n</code></div>";
        assert!(html.contains(removed), "{html}");
        assert!(html.contains("id=\"f_3_2\"") && html.contains("<mark>2</mark>"), "{html}");
        assert!(html.contains("data-o=\"1\" data-n=\"1\""), "{html}");
        assert!(html.contains("No newline at end of file"));
    }

    #[test]
    fn lines_stand_beside_each_other() {
        let html = shown(TEXT, true);
        assert_eq!(html.matches("class=\"pair\"").count(), 3);
        assert_eq!(html.matches("id=\"f_1_1\"").count(), 1);
        assert!(
            html.contains("<div class=\"none\"></div><div class=\"add\" id=\"f_3_3\">"),
            "{html}"
        );
    }

    #[test]
    fn what_reorders_letters_is_seen() {
        let html = shown("@@ -1 +1 @@\n-a\u{202e}b\n+c\n", false);
        assert!(html.contains("a\u{fffd}b") && !html.contains('\u{202e}'));
    }
}
