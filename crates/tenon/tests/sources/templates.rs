//! Pages are made of parts: no page has markup of its own for what a part
//! does, and none repeats what another page has.
//!
//! Parts are the templates in `templates/ui` of a crate, and those that stand
//! in the sources of `kernel::html::ui`. A class is a part's if a part writes
//! it and a style sheet of a part begins a rule with it.

use crate::root;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// Style sheets of what any markup may wear: letters and colours, buttons,
/// columns and spaces.
const LETTERS: &[&str] = &["base", "button", "page"];
/// Style sheets that change parts from outside, or are of no part: the frame of
/// every page, texts of people, what screens and people want otherwise.
const FRAME: &[&str] = &["preferences", "screens", "shell", "text"];

/// Elements that parts alone write: how a table is read aloud on a phone, how
/// a time or a progress is said, stands in one place each.
const ELEMENTS: &[&str] = &["<table", "<td", "<time", "<progress", "<dialog"];

/// What callers of `part::rows` write in a row, as `ui::Row` does by itself: a row
/// may hold what no part knows.
const IN_ROWS: &[&str] = &["row-about", "row-main", "row-side", "row-state", "row-title"];

/// Where a page writes what a part has, and why it must.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "graphql/templates/explorer",
        "field",
        "code without correction, found by its script",
    ),
    ("graphql/templates/explorer", "hint", "belongs to those fields"),
    ("spaces/templates/space", "head", "holds blocks, which no call of a part can"),
];

/// Templates that may share their lines with others, and why.
const ALIKE: &[(&str, &str)] = &[(
    "graphql/templates/graphiql",
    "a page of strangers' scripts under a policy of its own",
)];

/// Lines of markup of a run.
const RUN: usize = 6;

/// The templates of all crates, by path below `crates` without extension.
fn templates() -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        collect(&entry.unwrap().path().join("templates"), "html", &mut found);
    }
    found
}

fn collect(folder: &Path, ending: &str, found: &mut BTreeMap<String, String>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, ending, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            let name = path.strip_prefix(root().join("crates")).unwrap().with_extension("");
            let name = name.to_str().unwrap().replace('\\', "/");
            found.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
}

fn is_part(path: &str) -> bool {
    path.contains("/templates/ui/")
}

/// What begins with one text and ends with another, without them.
fn between<'t>(text: &'t str, begin: &'t str, end: &'t str) -> impl Iterator<Item = &'t str> {
    text.split(begin).skip(1).filter_map(move |rest| Some(rest.split_once(end)?.0))
}

/// A text of a template without what is worked out.
fn fixed(text: &str) -> String {
    let (mut fixed, mut rest) = (String::new(), text);
    while let Some(at) = ["{{", "{%", "{#"].iter().filter_map(|mark| rest.find(mark)).min() {
        let end = match &rest[at..at + 2] {
            "{{" => "}}",
            "{%" => "%}",
            _ => "#}",
        };
        fixed.push_str(&rest[..at]);
        fixed.push(' ');
        rest = rest[at..].split_once(end).map_or("", |(_, after)| after);
    }
    fixed + rest
}

/// The classes that a template writes, as far as they are fixed.
fn classes(text: &str) -> BTreeSet<String> {
    let text = fixed(text);
    let values = between(&text, "class=\"", "\"");
    values.flat_map(|value| value.split_whitespace().map(str::to_owned)).collect()
}

/// The classes that rules of a style sheet begin with.
fn leading(css: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for rule in css.split('{') {
        // What stands before the selectors is the end of the rule before.
        let selectors = rule.rsplit(['}', '/']).next().unwrap_or_default();
        for selector in selectors.split(',') {
            let first = selector.split_whitespace().next().unwrap_or_default();
            if let Some((_, class)) = first.split_once('.') {
                let end = class.find(|char: char| !char.is_alphanumeric() && char != '-');
                found.insert(class[..end.unwrap_or(class.len())].to_owned());
            }
        }
    }
    found
}

/// The classes that belong to parts.
fn of_parts(parts: impl Iterator<Item = String>) -> BTreeSet<String> {
    let mut sheets = BTreeMap::new();
    collect(&root().join("crates/kernel/assets/css"), "css", &mut sheets);
    let (mut own, mut letters) = (BTreeSet::new(), BTreeSet::new());
    for (path, css) in &sheets {
        match path.rsplit('/').next().unwrap_or_default() {
            name if FRAME.contains(&name) => {}
            name if LETTERS.contains(&name) => letters.extend(leading(css)),
            _ => own.extend(leading(css)),
        }
    }
    let written: BTreeSet<String> = parts.flat_map(|text| classes(&text)).collect();
    written
        .into_iter()
        .filter(|class| own.contains(class) && !letters.contains(class))
        .filter(|class| !IN_ROWS.contains(&class.as_str()))
        .collect()
}

/// What a page writes that is a part's.
fn taken<'p>(page: &str, parts: &'p BTreeSet<String>) -> Vec<&'p str> {
    let written = classes(page);
    let mut found: Vec<&str> = parts
        .iter()
        .filter(|class| written.contains(*class))
        .map(String::as_str)
        .collect();
    let markup = fixed(page);
    found.extend(
        ELEMENTS.iter().filter(|element| {
            markup.split(*element).skip(1).any(|rest| rest.starts_with([' ', '>']))
        }),
    );
    found
}

#[test]
fn pages_are_made_of_parts() {
    let templates = templates();
    let mut sources = BTreeMap::new();
    collect(&root().join("crates/kernel/src/html/ui"), "rs", &mut sources);
    let parts = templates.iter().filter(|(path, _)| is_part(path)).map(|(_, text)| text);
    let in_code = sources.values().map(|text| text.split("#[cfg(test)]").next().unwrap());
    let parts = of_parts(parts.cloned().chain(in_code.map(str::to_owned)));
    for class in ["badge", "card", "field", "menu", "note", "tally", "things"] {
        assert!(parts.contains(class), "{class} is a part's: {parts:?}");
    }
    let mut wrong = Vec::new();
    for (path, text) in templates.iter().filter(|(path, _)| !is_part(path)) {
        let is_excepted =
            |what: &&str| EXCEPTIONS.iter().any(|(page, one, _)| page == path && one == what);
        for what in taken(text, &parts).into_iter().filter(|what| !is_excepted(what)) {
            wrong.push(format!("{path}: {what}"));
        }
    }
    assert!(wrong.is_empty(), "markup of parts in pages, call the part: {wrong:#?}");
    for (path, what, why) in EXCEPTIONS {
        let used = templates.get(*path).is_some_and(|text| taken(text, &parts).contains(what));
        assert!(used, "{path} writes no {what} ({why}): take it from the exceptions");
    }
}

/// The elements of a line with their attributes and classes; names, texts and
/// what is worked out do not count, and a line without an element is none.
fn shape(line: &str) -> Option<String> {
    let line = fixed(line);
    let mut shape = String::new();
    for tag in line.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap_or_default();
        let class = between(tag, "class=\"", "\"").next().unwrap_or_default();
        let mut words = tag.split_whitespace();
        let name = words.next().unwrap_or_default();
        let attributes = words.filter_map(|word| Some(word.split_once('=')?.0));
        let attributes: BTreeSet<&str> = attributes.collect();
        shape.push_str(&format!("<{name} {class} {attributes:?}>"));
    }
    (!shape.is_empty()).then_some(shape)
}

/// Runs of lines that stand in two of these templates: where, from which line.
fn repeated(pages: &BTreeMap<String, String>) -> Vec<String> {
    let mut runs: HashMap<Vec<String>, BTreeMap<&str, usize>> = HashMap::new();
    for (path, text) in pages {
        let lines: Vec<(usize, String)> = text
            .lines()
            .enumerate()
            .filter_map(|(at, line)| Some((at + 1, shape(line)?)))
            .collect();
        for run in lines.windows(RUN) {
            let shapes = run.iter().map(|(_, shape)| shape.clone()).collect();
            runs.entry(shapes).or_default().entry(path).or_insert(run[0].0);
        }
    }
    let twice = runs.into_values().filter(|places| places.len() > 1);
    let mut found: Vec<String> = twice.map(|places| format!("{places:?}")).collect();
    found.sort();
    found
}

#[test]
fn no_page_repeats_another() {
    let is_alike = |path: &str| ALIKE.iter().any(|(alike, _)| *alike == path);
    let mut pages = templates();
    pages.retain(|path, _| !is_part(path) && !is_alike(path));
    assert!(pages.len() > 50, "pages are found");
    let found = repeated(&pages);
    assert!(found.is_empty(), "{RUN} lines stand in two pages, make them a part: {found:#?}");
}

/// Every part is looked at on one page.
#[test]
fn the_page_of_parts_shows_every_macro() {
    let templates = templates();
    let shown = &templates["tenon/templates/components"];
    let macros = between(&templates["kernel/templates/ui/parts"], "macro ", "(");
    // It stands behind every sheet with a heading of its own.
    let missing: Vec<&str> = macros
        .filter(|name| *name != "sheet" && *name != "scopes")
        .filter(|name| !shown.contains(&format!("part::{name}(")))
        .collect();
    assert!(missing.is_empty(), "/-/components does not show {missing:?}");
}

#[test]
fn markup_of_a_part_in_a_page_is_found() {
    let parts: BTreeSet<String> = ["card", "tally"].map(str::to_owned).into();
    let none: [&str; 0] = [];
    for (page, expected) in [
        ("<section class=\"card{{ kind }} thin\">", vec!["card"]),
        ("<p class=\"a {% if b %}tally{% endif %}\">", vec!["tally"]),
        ("<table role=\"table\"><time>", vec!["<table", "<time"]),
        ("{% call part::card(\"a\", \"card\") %}<p class=\"cards\">", none.to_vec()),
        ("{{ ui::badge(\"class\", \"tally\") }}<tablet>", none.to_vec()),
    ] {
        assert_eq!(taken(page, &parts), expected, "{page}");
    }
}

#[test]
fn classes_of_parts_begin_a_rule() {
    let css = "/* Cards */\n.card, td.title { a: b }\n@media (x) {\n  .tabs a .name { c: d }\n}";
    let expected = ["card", "tabs", "title"].map(str::to_owned);
    assert_eq!(leading(css), expected.into());
}

#[test]
fn runs_are_found_whatever_their_names() {
    let page = |name: &str| {
        let line = |at: usize| {
            format!("<p class=\"x{at}\" id=\"{name}{at}\">{name}</p>\n{{{{ {name} }}}}\n")
        };
        (0..RUN).map(line).collect::<String>()
    };
    let pages = |one: String, other: String| {
        BTreeMap::from([("one".to_owned(), one), ("other".to_owned(), other)])
    };
    assert_eq!(repeated(&pages(page("a"), page("b"))).len(), 1);
    let shorter = page("b").lines().skip(1).collect::<Vec<_>>().join("\n");
    assert!(repeated(&pages(page("a"), shorter)).is_empty());
    assert!(repeated(&pages(page("a"), page("b").replace("x3", "y"))).is_empty());
}
