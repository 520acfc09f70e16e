//! `$X`, `${X}` and `%X%` in texts and in the values of other variables.

use indexmap::{IndexMap, IndexSet};

use super::{Variable, Variables};
use crate::graph::components::components;
use crate::message::quoted_list;

/// Bytes one value may grow to, and all of them together.
const VALUE_BYTES: usize = 1 << 20;
const ALL_BYTES: usize = 16 << 20;

/// Why values cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// These variables need each other.
    Circle(Vec<String>),
    /// This one would grow beyond all bounds.
    TooBig(String),
}

impl std::fmt::Display for Expansion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Circle(names) => {
                write!(f, "circular variable reference detected: {}", quoted_list(names))
            }
            Self::TooBig(name) => write!(f, "the variable {name} is too big when expanded"),
        }
    }
}

/// A part of a text.
enum Piece<'a> {
    Plain(&'a str),
    Name { written: &'a str, name: &'a str },
}

/// Splits a text; `$$` stays as it is.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['$', '%']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        pieces.push(Piece::Plain(before));
        let (piece, length) = reference(from);
        pieces.push(piece);
        rest = from.get(length..).unwrap_or_default();
    }
    pieces.push(Piece::Plain(rest));
    pieces
}

/// What begins with a `$` or `%`, and how long it is.
fn reference(from: &str) -> (Piece<'_>, usize) {
    let inner = from.get(1..).unwrap_or_default();
    let found = match from.as_bytes() {
        [b'$', b'$', ..] => return (Piece::Plain(from.get(..2).unwrap_or_default()), 2),
        [b'$', b'{', ..] => {
            let inner = from.get(2..).unwrap_or_default();
            name_at(inner)
                .filter(|name| closed(inner, name, '}'))
                .map(|name| (name, name.len() + 3))
        }
        [b'$', ..] => name_at(inner).map(|name| (name, name.len() + 1)),
        _ => name_at(inner)
            .filter(|name| closed(inner, name, '%'))
            .map(|name| (name, name.len() + 2)),
    };
    match found {
        Some((name, length)) => {
            let written = from.get(..length).unwrap_or_default();
            (Piece::Name { written, name }, length)
        }
        None => (Piece::Plain(from.get(..1).unwrap_or_default()), 1),
    }
}

fn closed(inner: &str, name: &str, end: char) -> bool {
    inner.get(name.len()..).is_some_and(|rest| rest.starts_with(end))
}

fn name_at(text: &str) -> Option<&str> {
    let end = text
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    let name = text.get(..end)?;
    (!name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit())).then_some(name)
}

/// A text with the values of variables in it; unknown names stay as written, and so
/// do those whose value would make it longer than `most` bytes.
pub fn expand_text(text: &str, variables: &Variables, most: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Plain(plain) => out.push_str(plain),
            Piece::Name { written, name } => match variables.get(name) {
                Some(variable) if out.len() + variable.value.len() <= most => {
                    out.push_str(&variable.value);
                }
                _ => out.push_str(written),
            },
        }
    }
    out
}

/// The names of variables in a text.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    pieces(text).into_iter().filter_map(|piece| match piece {
        Piece::Name { name, .. } => Some(name),
        Piece::Plain(_) => None,
    })
}

pub(super) fn expand(variables: &Variables) -> Result<Variables, Expansion> {
    let names: IndexMap<&str, &Variable> =
        variables.iter().map(|variable| (variable.name.as_str(), variable)).collect();
    let edges: Vec<Vec<usize>> =
        names.values().map(|variable| dependencies(variable, &names)).collect();
    let mut done = Variables::default();
    let mut total = 0;
    for part in components(&edges) {
        let members = part.iter().filter_map(|at| names.get_index(*at));
        if part.len() > 1 {
            let names = members.map(|(name, _)| (*name).to_owned()).collect();
            return Err(Expansion::Circle(names));
        }
        for (_, variable) in members {
            let value = value(variable, &done)?;
            total += value.len();
            if total > ALL_BYTES {
                return Err(Expansion::TooBig(variable.name.clone()));
            }
            done.add(Variable { value, ..(*variable).clone() });
        }
    }
    let order = variables.iter().filter_map(|variable| done.get(&variable.name).cloned());
    Ok(Variables::merge(order))
}

fn is_fixed(variable: &Variable) -> bool {
    variable.raw || variable.file
}

/// The others it names; itself stays as written.
fn dependencies(variable: &Variable, names: &IndexMap<&str, &Variable>) -> Vec<usize> {
    if is_fixed(variable) {
        return Vec::new();
    }
    let named = pieces(&variable.value).into_iter().filter_map(|piece| match piece {
        Piece::Name { name, .. } if name != variable.name => names.get_index_of(name),
        _ => None,
    });
    named.collect::<IndexSet<usize>>().into_iter().collect()
}

fn value(variable: &Variable, done: &Variables) -> Result<String, Expansion> {
    if is_fixed(variable) {
        return Ok(variable.value.clone());
    }
    let mut out = String::new();
    for piece in pieces(&variable.value) {
        let text = match piece {
            Piece::Plain(plain) => plain,
            Piece::Name { written, name } => {
                done.get(name).map_or(written, |variable| variable.value.as_str())
            }
        };
        if out.len() + text.len() > VALUE_BYTES {
            return Err(Expansion::TooBig(variable.name.clone()));
        }
        out.push_str(text);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;

    fn variables(list: &[(&str, &str)]) -> Variables {
        Variables::merge(list.iter().map(|(name, value)| Variable::new(Level::Top, *name, *value)))
    }

    #[test]
    fn values_are_expanded_through_each_other() {
        let list = [
            ("B", "$A-x"),
            ("C", "${B}!"),
            ("A", "job"),
            ("D", "$$A"),
            ("U", "$UNDEF %A% 100%"),
            ("S", "$S:/bin"),
            ("E", "${A"),
        ];
        let expanded = variables(&list).expand().unwrap();
        let value = |name: &str| expanded.get(name).unwrap().value.clone();
        assert_eq!(value("C"), "job-x!");
        assert_eq!(value("D"), "$$A");
        assert_eq!(value("U"), "$UNDEF job 100%");
        assert_eq!(value("S"), "$S:/bin");
        assert_eq!(value("E"), "${A");
        assert_eq!(expanded.iter().next().unwrap().name, "B");
    }

    #[test]
    fn raw_values_are_handed_on_as_they_are() {
        let raw = Variable { raw: true, ..Variable::new(Level::Top, "R", "$A-raw") };
        let all = [Variable::new(Level::Top, "A", "a"), raw, Variable::new(Level::Job, "X", "$R")];
        let expanded = Variables::merge(all).expand().unwrap();
        assert_eq!(expanded.get("X").unwrap().value, "$A-raw");
    }

    #[test]
    fn circles_and_growth_without_end_are_refused() {
        let circle = variables(&[("A", "$B"), ("B", "$A")]).expand().unwrap_err();
        assert_eq!(circle.to_string(), "circular variable reference detected: [\"A\", \"B\"]");
        let mut list = vec![("V0".to_owned(), "x".repeat(100))];
        for n in 1..40 {
            list.push((format!("V{n}"), format!("$V{0}$V{0}", n - 1)));
        }
        let many = list.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let many: Vec<_> = many.collect();
        assert!(matches!(variables(&many).expand(), Err(Expansion::TooBig(_))));
    }

    #[test]
    fn the_stronger_level_wins_whatever_comes_first() {
        let all = [
            Variable::new(Level::Project, "A", "project"),
            Variable::new(Level::Job, "A", "job"),
            Variable::new(Level::Group, "G", "far"),
            Variable::new(Level::Group, "G", "near"),
        ];
        let merged = Variables::merge(all);
        assert_eq!(merged.get("A").unwrap().value, "project");
        assert_eq!(merged.get("G").unwrap().value, "near");
    }
}
