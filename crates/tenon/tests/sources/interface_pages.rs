//! The pages of docs/interface are true as far as a machine can tell: the
//! tests that their rows name exist, and so do the sections that code cites.

use crate::{root, sources};
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

/// Rows of all tables: none goes without a reason.
const ROWS: usize = 332;

/// Begins every citation.
const PAGES: &str = "docs/interface/";

/// The pages, by the name of their file.
fn pages() -> BTreeMap<String, String> {
    let files = std::fs::read_dir(root().join(PAGES)).unwrap();
    let read = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    files.map(|entry| read(entry.unwrap().path())).collect()
}

/// The cells of a line of a table.
fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.strip_prefix("| ")?.strip_suffix(" |")?;
    let cells = inner.replace("\\|", "\u{0}");
    let cell = |cell: &str| cell.trim().replace('\u{0}', "|");
    Some(cells.split(" | ").map(cell).collect())
}

/// Suites of clients in Python, whose functions are tests, too.
fn suites() -> BTreeMap<String, String> {
    let files = std::fs::read_dir(root().join("tests/clients")).unwrap();
    let paths = files.map(|entry| entry.unwrap().path());
    let scripts = paths.filter(|path| path.extension().is_some_and(|ending| ending == "py"));
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap();
        (format!("tests/clients/{name}"), std::fs::read_to_string(&path).unwrap())
    };
    scripts.map(read).collect()
}

/// Whether `file::name` is a test: a function of that name in a file whose
/// path ends so.
fn exists(test: &str, sources: &BTreeMap<String, String>) -> bool {
    let Some((file, name)) = test.rsplit_once("::") else {
        return false;
    };
    let end = format!("/{file}");
    let functions = [format!("fn {name}("), format!("def {name}(")];
    let mut of_file = sources.iter().filter(|(path, _)| path.ends_with(&end));
    of_file.any(|(_, text)| functions.iter().any(|function| text.contains(function)))
}

#[test]
fn every_row_names_tests_that_exist() {
    let mut sources = sources();
    sources.extend(suites());
    let mut rows = 0;
    for (page, text) in pages() {
        let (mut section, mut named, mut seen) = ("", false, HashSet::new());
        for line in text.lines() {
            if line.starts_with('#') {
                section = line;
            }
            if line.starts_with("|---") {
                continue;
            }
            let Some(cells) = cells(line) else {
                named = false;
                continue;
            };
            let (row, tests) = (&cells[0], &cells[cells.len() - 1]);
            if !named {
                named = tests == "Tests";
                continue;
            }
            let at = format!("{page}, {section}, {row}");
            assert_eq!(cells.len(), 3, "{at}: row, rule, tests");
            assert!(seen.insert((section, row.clone())), "{at} stands twice");
            rows += 1;
            if tests.starts_with("later: ") {
                continue;
            }
            assert!(!tests.is_empty(), "{at} names no test");
            for test in tests.split_whitespace() {
                let test = test.trim_matches('`');
                assert!(exists(test, &sources), "{at}: there is no {test}");
            }
        }
    }
    assert!(rows >= ROWS, "only {rows} rows were found");
}

/// What code cites: a page, and a section by number or by title.
fn citations(text: &str) -> Vec<(&str, &str)> {
    let starts = text.split(PAGES).skip(1);
    starts
        .filter_map(|rest| {
            let (page, rest) = rest.split_once(".md")?;
            if !page.bytes().all(|byte| byte.is_ascii_lowercase()) {
                return None;
            }
            let rest = rest.strip_prefix(' ').unwrap_or_default();
            let section = match rest.strip_prefix('«') {
                Some(title) => title.split('»').next()?,
                None => {
                    let end = rest.find(|char: char| char != '.' && !char.is_ascii_digit());
                    rest[..end.unwrap_or(rest.len())].trim_end_matches('.')
                }
            };
            Some((page, section))
        })
        .collect()
}

#[test]
fn what_code_cites_exists() {
    let pages = pages();
    for (file, text) in sources() {
        for (page, section) in citations(&text) {
            let Some(text) = pages.get(&format!("{page}.md")) else {
                panic!("{file} cites {page}.md");
            };
            let is_cited = |line: &str| {
                let title = line.trim_start_matches('#').trim();
                let numbered = title.split(' ').next().unwrap_or_default();
                title == section || numbered.trim_end_matches('.') == section
            };
            let mut headings = text.lines().filter(|line| line.starts_with('#'));
            let found = section.is_empty() || headings.any(is_cited);
            assert!(found, "{file} cites {page}.md {section}");
        }
    }
}

#[test]
fn citations_are_read() {
    let text = format!("a ({PAGES}graphql.md 6). {PAGES}packages.md «Bad input», {PAGES}x.md.");
    let found = citations(&text);
    assert_eq!(found, [("graphql", "6"), ("packages", "Bad input"), ("x", "")]);
}
