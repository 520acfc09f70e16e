//! The lines of files with their words told apart by colour: classes, no styles, which
//! the policy of pages forbids.
//!
//! The grammars are those that editors share. Their patterns backtrack, and files are
//! known that keep them busy for minutes, so long lines and long files stay plain, a
//! page waits for its colours for a moment only, and few files are read at once.

use crate::caching::by_bytes;
use crate::text::lines;
use kernel::app::App;
use kernel::markup;
use moka::sync::Cache;
use repositories::formats::object_id::ObjectId;
use std::ops::Range;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Bytes of a file that is coloured.
const MOST: usize = 1024 * 1024;
/// Bytes of a line that is coloured.
const LONGEST: usize = 1000;
/// How long a page waits for colours.
const WAIT: Duration = Duration::from_millis(1500);
/// How long a file is worked at.
const WORK: Duration = Duration::from_secs(5);
/// Files that are worked at at the same time.
const SEATS: usize = 2;
/// Bytes of all files that are remembered.
const ALL: u64 = 32 * 1024 * 1024;
/// Bytes of HTML for each byte of a line, beyond which it stays plain.
const GROWTH: usize = 12;

/// The lines of a file as HTML.
pub type Lines = Arc<[Box<str>]>;

/// Files that were coloured lately, by their content and the language of their name.
struct Recent {
    files: Cache<(ObjectId, String), Lines>,
    seats: Arc<Semaphore>,
}

impl Default for Recent {
    fn default() -> Recent {
        let size = |_: &_, lines: &Lines| lines.iter().map(|line| line.len() + 16).sum();
        let seats = Arc::new(Semaphore::new(SEATS));
        Recent { files: by_bytes(ALL, size), seats }
    }
}

static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// The lines of a text of this name; plain where nobody knows the language, or it takes
/// too long.
pub async fn coloured(app: &App, id: ObjectId, name: &str, text: Arc<str>) -> Lines {
    if text.len() > MOST {
        return plain(&text);
    }
    let recent = app.kept::<Recent>();
    let key = (id, ending(name).to_owned());
    if let Some(known) = recent.files.get(&key) {
        return known;
    }
    let (cache, seats) = (recent.files.clone(), recent.seats.clone());
    let (name, worked_at) = (name.to_owned(), text.clone());
    let work = async move {
        let seat = seats.acquire_owned().await.ok()?;
        let worked = tokio::task::spawn_blocking(move || {
            let made: Lines = match syntax(&name, &worked_at) {
                Some(syntax) => by(syntax, &worked_at, Instant::now() + WORK),
                None => plain(&worked_at),
            };
            // What took too long is not tried again.
            cache.insert(key, made.clone());
            drop(seat);
            made
        });
        worked.await.ok()
    };
    let made = timeout(WAIT, work).await.ok().flatten();
    made.unwrap_or_else(|| plain(&text))
}

/// A text for HTML, with the invisible letters that reorder others made visible.
pub(crate) fn escape(text: &str) -> String {
    let is_reordering = |c| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    markup::escape(text).replace(is_reordering, "\u{FFFD}")
}

/// The lines without colours.
pub fn plain(text: &str) -> Lines {
    lines(text).map(|line| escape(line).into_boxed_str()).collect()
}

/// What a language is known by: the end of a name, or all of it.
fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(_, ending)| ending)
}

/// The language of a file, by its name or its first line.
fn syntax(name: &str, text: &str) -> Option<&'static SyntaxReference> {
    let first = text.lines().next().filter(|line| line.len() <= LONGEST);
    let found = SYNTAXES
        .find_syntax_by_extension(name)
        .or_else(|| SYNTAXES.find_syntax_by_extension(ending(name)))
        .or_else(|| SYNTAXES.find_syntax_by_extension(&ending(name).to_ascii_lowercase()))
        .or_else(|| SYNTAXES.find_syntax_by_first_line(first?));
    found.filter(|syntax| syntax.name != "Plain Text")
}

fn by(syntax: &SyntaxReference, text: &str, until: Instant) -> Lines {
    let mut painter = Painter::new(syntax);
    let coloured = lines(text).map(|line| {
        let mut out = Pieces::default();
        for (range, class) in painter.line(line, until) {
            out.add(class, &line[range]);
        }
        match out.html.is_empty() {
            true => escape(line).into_boxed_str(),
            false => out.end(line).into_boxed_str(),
        }
    });
    coloured.collect()
}

/// All of a line in its pieces, each with its class; none of one that stays plain.
pub type Colours = Vec<(Range<usize>, &'static str)>;

/// Colours lines that follow each other, one by one.
#[derive(Clone)]
pub struct Painter {
    state: ParseState,
    scopes: ScopeStack,
    has_failed: bool,
}

impl Painter {
    fn new(syntax: &SyntaxReference) -> Painter {
        Painter {
            state: ParseState::new(syntax),
            scopes: ScopeStack::new(),
            has_failed: false,
        }
    }

    /// For lines of a file of this name, if its language is known.
    pub fn of(name: &str) -> Option<Painter> {
        syntax(name, "").map(Painter::new)
    }

    /// The next line. What is long or late stays plain.
    pub fn line(&mut self, line: &str, until: Instant) -> Colours {
        if self.has_failed || line.len() > LONGEST || Instant::now() >= until {
            return Vec::new();
        }
        let Ok(operations) = self.state.parse_line(&format!("{line}\n"), &SYNTAXES) else {
            self.has_failed = true;
            return Vec::new();
        };
        let mut colours = Vec::new();
        let mut from = 0;
        for (at, operation) in operations {
            let at = line.floor_char_boundary(at.min(line.len()));
            if at > from {
                add(&mut colours, from..at, class(&self.scopes));
                from = at;
            }
            if self.scopes.apply(&operation).is_err() {
                self.has_failed = true;
                break;
            }
        }
        if from < line.len() {
            add(&mut colours, from..line.len(), class(&self.scopes));
        }
        colours
    }
}

/// Adds a piece; pieces of one class that follow each other are one.
fn add(colours: &mut Colours, range: Range<usize>, class: &'static str) {
    match colours.last_mut() {
        Some((last, before)) if *before == class => last.end = range.end,
        _ => colours.push((range, class)),
    }
}

/// A line as far as it is written; pieces of one class that follow each other are one.
#[derive(Default)]
struct Pieces {
    html: String,
    last: &'static str,
}

impl Pieces {
    fn add(&mut self, class: &'static str, text: &str) {
        if text.is_empty() {
            return;
        }
        // Blanks have no colour of their own.
        let class = if text.trim().is_empty() { self.last } else { class };
        if class != self.last {
            self.close();
            if !class.is_empty() {
                self.html.push_str("<span class=\"");
                self.html.push_str(class);
                self.html.push_str("\">");
            }
            self.last = class;
        }
        self.html.push_str(&escape(text));
    }

    fn close(&mut self) {
        if !self.last.is_empty() {
            self.html.push_str("</span>");
        }
        self.last = "";
    }

    fn end(mut self, line: &str) -> String {
        self.close();
        match self.html.len() > line.len() * GROWTH + 1024 {
            true => escape(line),
            false => self.html,
        }
    }
}

/// What scopes begin with, and the classes of their words; the first that fits counts.
const CLASSES: &[(&str, &str)] = &[
    ("comment", "hl-comment"),
    ("punctuation.definition.comment", "hl-comment"),
    ("string", "hl-text"),
    ("punctuation.definition.string", "hl-text"),
    ("constant.character.escape", "hl-name"),
    ("constant.numeric", "hl-number"),
    ("constant.language", "hl-number"),
    ("constant", "hl-number"),
    ("keyword.operator", ""),
    ("keyword", "hl-keyword"),
    ("storage.type", "hl-keyword"),
    ("storage", "hl-keyword"),
    ("entity.name.function", "hl-function"),
    ("support.function", "hl-function"),
    ("variable.function", "hl-function"),
    ("entity.name.tag", "hl-keyword"),
    ("entity.other.attribute-name", "hl-name"),
    ("entity.name", "hl-type"),
    ("entity.other.inherited-class", "hl-type"),
    ("support.type.property-name", "hl-name"),
    ("support.type", "hl-type"),
    ("support.class", "hl-type"),
    ("variable.language", "hl-keyword"),
    ("variable.other.readwrite", ""),
    ("variable.parameter", ""),
    ("markup.heading", "hl-keyword"),
    ("markup.inserted", "hl-added"),
    ("markup.deleted", "hl-removed"),
    ("markup.raw", "hl-text"),
    ("markup.underline.link", "hl-name"),
    ("meta.diff.header", "hl-name"),
    ("meta.diff.range", "hl-keyword"),
    ("meta.mapping.key", "hl-name"),
];

static SCOPES: LazyLock<Vec<(Scope, &'static str)>> = LazyLock::new(|| {
    let known = CLASSES.iter().map(|(scope, class)| Some((Scope::new(scope).ok()?, *class)));
    known.flatten().collect()
});

/// The class of what stands within these scopes, by the innermost that has one.
fn class(scopes: &ScopeStack) -> &'static str {
    let of = |scope: &Scope| {
        let mut known = SCOPES.iter();
        known.find(|(known, _)| known.is_prefix_of(*scope)).map(|(_, class)| *class)
    };
    scopes.scopes.iter().rev().find_map(of).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, text: &str) -> Vec<String> {
        let syntax = syntax(name, text).expect("a known language");
        let lines = by(syntax, text, Instant::now() + Duration::from_secs(60));
        let short = |line: &str| line.replace("<span class=\"hl-", "[").replace("</span>", "]");
        lines.iter().map(|line| short(line)).collect()
    }

    #[test]
    fn words_are_told_apart() {
        let lines = shown("a.rs", "fn main() { // <x>\r\n    let a = \"b\";\r\n}\r\n");
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("[keyword\">fn ][function\">main]"), "{lines:?}");
        assert!(lines[0].ends_with("[comment\">// &lt;x&gt;]"), "{lines:?}");
        assert!(lines[1].contains("[text\">&quot;b&quot;]"), "{lines:?}");
        let block = shown("a.c", "/* one\ntwo */ int x;");
        assert_eq!(block[0], "[comment\">/* one]");
        assert!(block[1].starts_with("[comment\">two */ ]"), "{block:?}");
        assert!(syntax("x", "#!/usr/bin/env python3\n").is_some());
        assert!(syntax("Dockerfile", "").is_some());
        assert!(syntax("a.unheard-of", "plain").is_none());
    }

    #[test]
    fn what_is_shown_is_the_text_itself() {
        let text = "<script>alert(\"&\")</script>\n\t'x' \u{e9}\u{1F600}\nno end \"";
        for name in ["a.html", "a.js", "a.md", "a.py", "a.yaml", "a.json", "a.sh", "Makefile"] {
            let syntax = syntax(name, text).expect("a known language");
            let lines = by(syntax, text, Instant::now() + Duration::from_secs(60));
            for (line, html) in super::lines(text).zip(lines.iter()) {
                let bare: String = html
                    .split('<')
                    .map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text))
                    .collect();
                assert_eq!(bare, escape(line), "{name}");
            }
        }
    }

    #[test]
    fn long_lines_and_late_ones_stay_plain() {
        let syntax = syntax("a.js", "").expect("a known language");
        let long = format!("let a = \"{}\";\nlet b = 1;", "x".repeat(LONGEST));
        let lines = by(syntax, &long, Instant::now() + Duration::from_secs(60));
        assert!(!lines[0].contains("<span") && lines[1].contains("<span"), "{:?}", lines[1]);
        let late = by(syntax, &long, Instant::now());
        assert!(late.iter().all(|line| !line.contains("<span")));
    }
}
