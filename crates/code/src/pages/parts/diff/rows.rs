//! The lines of a file that differs, as HTML. There may be thousands, so they are written
//! by hand and in few letters: the numbers stand in attributes, which style sheets show
//! and nobody copies.

use super::drawn::Drawn;
use super::gaps::Gaps;
use crate::diff::words::changed;
use crate::diff::{Hunk, Kind, Line};
use crate::highlight::{Colours, Painter};
use crate::visible::escaped;
use kernel::markup::escape;
use std::fmt::Write;
use std::ops::Range;
use std::time::Instant;

/// Lines that follow each other and are compared one by one with those that replace them.
const MOST_PAIRS: usize = 100;
/// A line with more colours than this, and one for so many of its bytes, stays plain.
const MOST_COLOURS: usize = 8;

pub struct Rows<'r> {
    /// The file's place on the page.
    pub id: &'r str,
    /// Its name, which tells its language.
    pub name: &'r str,
    /// When no more words are looked for.
    pub until: Instant,
    pub is_parallel: bool,
    /// What stands before the name of a line in the address where it is remarked on, for
    /// who may do that.
    pub remark_at: Option<&'r str>,
    /// The address of the file with all of its lines, if there are more.
    pub whole_at: Option<&'r str>,
}

/// The words of each line that changed.
type Marks = Vec<Vec<Range<usize>>>;

impl<'r> Rows<'r> {
    /// Of a file with nothing around its lines.
    pub fn bare(id: &'r str, name: &'r str, until: Instant) -> Rows<'r> {
        Rows {
            id,
            name,
            until,
            is_parallel: false,
            remark_at: None,
            whole_at: None,
        }
    }
}

impl Rows<'_> {
    pub fn draw(&self, hunks: &[Hunk<'_>]) -> Drawn {
        let mut drawn = Drawn::default();
        let mut gaps = Gaps::new(self.whole_at);
        let painter = Painter::of(self.name);
        for hunk in hunks {
            let gap = gaps.before(hunk);
            let _ = write!(drawn.html, "<div class=\"hunk\">{gap}{}</div>", escaped(hunk.heading));
            let texts = self.texts(&hunk.lines, painter.clone());
            match self.is_parallel {
                true => self.beside(&mut drawn, &hunk.lines, &texts),
                false => self.below(&mut drawn, &hunk.lines, &texts),
            }
        }
        let gap = gaps.behind();
        if !gap.is_empty() {
            let _ = write!(drawn.html, "<div class=\"hunk\">{gap}</div>");
        }
        drawn
    }

    /// What stands in each line, as HTML.
    pub fn texts(&self, lines: &[Line<'_>], mut painter: Option<Painter>) -> Vec<String> {
        let marks = self.marks(lines);
        // What went is read on from where it went.
        let (mut gone, mut none): (Option<Painter>, Option<Painter>) = (None, None);
        let text = |(line, marks): (&Line<'_>, &Vec<Range<usize>>)| {
            let reader = match line.kind {
                Kind::Remark => &mut none,
                Kind::Removed => {
                    gone = gone.take().or_else(|| painter.clone());
                    &mut gone
                }
                Kind::Added => &mut painter,
                Kind::Same => {
                    gone = None;
                    &mut painter
                }
            };
            let colours = reader.as_mut().map(|reader| reader.line(line.text, self.until));
            let mut out = String::with_capacity(line.text.len() + 16);
            words(&mut out, line.text, marks, &colours.unwrap_or_default());
            out
        };
        lines.iter().zip(&marks).map(text).collect()
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

    fn below(&self, drawn: &mut Drawn, lines: &[Line<'_>], texts: &[String]) {
        for (line, text) in lines.iter().zip(texts) {
            self.line(&mut drawn.html, line, text, true);
            drawn.ends(line);
        }
    }

    fn beside(&self, drawn: &mut Drawn, lines: &[Line<'_>], texts: &[String]) {
        let mut at = 0;
        let end = std::iter::once(lines.len()..lines.len());
        for run in runs(lines).into_iter().chain(end) {
            for same in at..run.start {
                self.twice(drawn, &lines[same], &texts[same]);
            }
            at = run.end;
            let of = |kind| run.clone().filter(move |at| lines[*at].kind == kind);
            let (mut old, mut new) = (of(Kind::Removed), of(Kind::Added));
            loop {
                let pair = [old.next(), new.next()];
                if pair == [None, None] {
                    break;
                }
                drawn.html.push_str("<div class=\"pair\">");
                for side in pair {
                    match side {
                        Some(at) => self.line(&mut drawn.html, &lines[at], &texts[at], true),
                        None => drawn.html.push_str("<div class=\"none\"></div>"),
                    }
                }
                drawn.html.push_str("</div>");
                pair.into_iter().flatten().for_each(|at| drawn.ends(&lines[at]));
            }
            for remark in of(Kind::Remark) {
                self.line(&mut drawn.html, &lines[remark], &texts[remark], true);
            }
        }
    }

    /// A line that both sides have, beside itself.
    pub fn twice(&self, drawn: &mut Drawn, line: &Line<'_>, text: &str) {
        drawn.html.push_str("<div class=\"pair\">");
        self.line(&mut drawn.html, line, text, true);
        self.line(&mut drawn.html, line, text, false);
        drawn.html.push_str("</div>");
        drawn.ends(line);
    }

    /// A line with what stands in it as HTML; only its first place on the page is led to.
    pub fn line(&self, out: &mut String, line: &Line<'_>, text: &str, is_first: bool) {
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
            "<div class=\"{class}\"{place}><a href=\"#{id}_{old}_{new}\" \
             aria-label=\"{label}\" tabindex=\"-1\"{numbers}></a>"
        );
        // Of a line beside itself the new side is remarked on.
        let is_remarked = line.kind != Kind::Same || is_both || !is_first;
        if let Some(at) = self.remark_at.filter(|_| is_remarked) {
            let _ = write!(
                out,
                "<a class=\"say\" href=\"{}{id}_{old}_{new}#{id}_{old}_{new}\" \
                 aria-label=\"Comment on {}\"></a>",
                escape(at),
                label.to_ascii_lowercase()
            );
        }
        let _ = write!(out, "<code>{text}\n</code></div>");
    }
}

/// A text with some parts marked, in its colours.
fn words(out: &mut String, text: &str, marks: &[Range<usize>], colours: &Colours) {
    let is_gaudy = colours.len() > text.len() / MOST_COLOURS + MOST_COLOURS;
    let colours = if is_gaudy { &[][..] } else { &colours[..] };
    let mut from = 0;
    for range in marks {
        coloured(out, text, from..range.start, colours);
        out.push_str("<mark>");
        coloured(out, text, range.clone(), colours);
        out.push_str("</mark>");
        from = range.end;
    }
    coloured(out, text, from..text.len(), colours);
}

fn coloured(
    out: &mut String, text: &str, part: Range<usize>, colours: &[(Range<usize>, &'static str)],
) {
    let mut from = part.start;
    for (range, class) in colours {
        let piece = range.start.max(from)..range.end.min(part.end);
        if piece.is_empty() {
            continue;
        }
        from = piece.end;
        let shown = escaped(&text[piece]);
        match class.is_empty() || shown.trim().is_empty() {
            true => out.push_str(&shown),
            false => {
                let _ = write!(out, "<span class=\"{class}\">{shown}</span>");
            }
        }
    }
    out.push_str(&escaped(&text[from..part.end]));
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
#[path = "rows_tests.rs"]
mod tests;
