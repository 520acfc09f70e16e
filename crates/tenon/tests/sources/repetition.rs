//! How much of the code says again what stands elsewhere.
//!
//! The measure: of each file under `crates/*/src` the lines up to its tests,
//! without comments, blank lines, imports and lone brackets; names and numbers
//! count as the same, texts do not. A line repeats if it is in a run of six
//! that stands elsewhere, too. Lists of fields do not count, nor attributes: a
//! struct of six fields looks like any other, and with them two lines of three
//! that repeated were fields, so that the bound said little of what is done.

use crate::sources;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Lines of a run.
const RUN: usize = 6;
/// Lines of a thousand that may repeat, about as many as did when fields were
/// last counted out (54 before imports came). More than this is code to say once.
const MAX_IN_THOUSAND: usize = 56;

#[test]
fn little_is_said_again() {
    let files: BTreeMap<String, Vec<String>> = sources()
        .into_iter()
        .filter(|(path, _)| path.starts_with("crates/") && path.contains("/src/"))
        .map(|(path, text)| (path, shapes(&text)))
        .collect();
    let mut runs: HashMap<&[String], Vec<(&str, usize)>> = HashMap::new();
    for (path, lines) in &files {
        for (at, run) in lines.windows(RUN).enumerate() {
            runs.entry(run).or_default().push((path, at));
        }
    }
    let again = runs.into_values().filter(|places| places.len() > 1);
    let lines = again
        .flatten()
        .flat_map(|(path, at)| (at..at + RUN).map(move |line| (path, line)));
    let repeated = lines.collect::<HashSet<_>>().len();
    let all: usize = files.values().map(Vec::len).sum();
    assert!(
        repeated * 1000 <= all * MAX_IN_THOUSAND,
        "{repeated} of {all} lines repeat a shape: more than {MAX_IN_THOUSAND} of a thousand"
    );
}

/// The lines that count, with their names and numbers folded.
fn shapes(text: &str) -> Vec<String> {
    let (mut shapes, mut in_import) = (Vec::new(), false);
    let before_tests = text.lines().take_while(|line| !line.contains("#[cfg(test)]"));
    for line in before_tests.map(str::trim) {
        let is_import = in_import || begins_import(line);
        in_import = is_import && !line.ends_with(';');
        let is_said = line.chars().any(char::is_alphanumeric) && !line.starts_with("//");
        if is_said && !is_import && !is_field(line) {
            shapes.push(shape(line));
        }
    }
    shapes
}

/// Whether it declares or gives a field by a mere type or name, or is an attribute.
fn is_field(line: &str) -> bool {
    let bare = line.strip_prefix("pub").map_or(line, |rest| match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')').map_or(rest, |(_, rest)| rest),
        None => rest,
    });
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#');
    let field = bare.trim_start().strip_suffix(',').and_then(|rest| rest.split_once(": "));
    let is_named = field
        .is_some_and(|(name, what)| name.chars().all(is_plain) && !what.contains(['=', '(', '{']));
    line.starts_with("#[") || is_named
}

fn begins_import(line: &str) -> bool {
    let head = line.split("use ").next().unwrap_or_default();
    line != head && (head.is_empty() || head.starts_with("pub"))
}

fn shape(line: &str) -> String {
    let (mut shape, mut in_text, mut in_name) = (String::new(), false, false);
    for char in line.chars() {
        let is_name = !in_text && (char.is_alphanumeric() || char == '_');
        in_text ^= char == '"';
        match (is_name, in_name) {
            (true, true) => {}
            (true, false) => shape.push('n'),
            (false, _) => shape.push(char),
        }
        in_name = is_name;
    }
    shape
}

#[test]
fn names_are_folded_and_texts_are_not() {
    assert_eq!(shape("let a_b = of(12, \"a b\");"), "n n = n(n, \"a b\");");
    let text = "use a::{\n    b,\n};\n// why\npub fn x() {\n}\n#[cfg(test)]\nmod tests {";
    assert_eq!(shapes(text), ["n n n() {"]);
}

#[test]
fn fields_are_told_from_what_is_done() {
    for field in ["pub x: i64,", "pub(crate) r#type: Option<String>,", "x: row.x,", "#[nested]"] {
        assert!(is_field(field), "{field}");
    }
    for other in ["x: of(row),", "let x: i64 = 1;", "match x {", "x => y,", "call(x, y: z),"] {
        assert!(!is_field(other), "{other}");
    }
}
