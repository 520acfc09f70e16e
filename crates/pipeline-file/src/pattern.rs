//! Regular expressions in the syntax of RE2, run in linear time.
//!
//! The library differs from RE2 where its classes are of Unicode and where a
//! bracket stands inside of brackets; that is written around before it reads it.

use regex::{Regex, RegexBuilder};

/// Bytes of an expression, and those it may take when it is compiled.
const SOURCE_BYTES: usize = 4096;
const COMPILED_BYTES: usize = 256 << 10;

/// Compiles an expression; `flags` are some of `i`, `s`, `m` and `U`.
pub fn compile(source: &str, flags: &str) -> Option<Regex> {
    if source.len() > SOURCE_BYTES {
        return None;
    }
    RegexBuilder::new(&translate(source))
        .case_insensitive(flags.contains('i'))
        .dot_matches_new_line(flags.contains('s'))
        .multi_line(flags.contains('m'))
        .swap_greed(flags.contains('U'))
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(COMPILED_BYTES)
        .build()
        .ok()
}

/// The source and flags of a text of the form `/source/flags`.
pub fn literal(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix('/')?;
    let (source, flags) = rest.rsplit_once('/')?;
    let known = flags.chars().all(|flag| matches!(flag, 'i' | 's' | 'm' | 'U'));
    (known && !source.is_empty()).then_some((source, flags))
}

fn translate(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 16);
    let mut chars = source.chars().peekable();
    let mut inside = false;
    let mut first = false;
    while let Some(c) = chars.next() {
        let was_first = std::mem::take(&mut first);
        match c {
            '\\' => match chars.next() {
                Some(escaped) => escape(&mut out, escaped, inside),
                None => out.push('\\'),
            },
            '[' if inside && chars.peek() == Some(&':') => posix(&mut out, &mut chars),
            '[' if inside => out.push_str("\\["),
            '[' => {
                inside = true;
                first = true;
                out.push('[');
                if let Some(caret) = chars.next_if_eq(&'^') {
                    out.push(caret);
                }
            }
            ']' if inside && was_first => out.push_str("\\]"),
            ']' if inside => {
                inside = false;
                out.push(']');
            }
            '&' | '~' if inside => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// Copies `[:alpha:]`, which keeps its meaning inside of brackets.
fn posix(out: &mut String, chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    out.push('[');
    for c in chars.by_ref() {
        out.push(c);
        if c == ']' {
            break;
        }
    }
}

fn escape(out: &mut String, escaped: char, inside: bool) {
    let class = match escaped {
        'd' => "[:digit:]",
        'D' => "[:^digit:]",
        'w' => "[:word:]",
        'W' => "[:^word:]",
        's' => "[:space:]",
        'S' => "[:^space:]",
        'b' if !inside => return out.push_str("(?-u:\\b)"),
        'B' if !inside => return out.push_str("(?:\\B)"),
        '/' | '<' | '>' | '"' | '\'' => return out.push(escaped),
        _ => {
            out.push('\\');
            return out.push(escaped);
        }
    };
    match inside {
        true => out.push_str(class),
        false => {
            out.push('[');
            out.push_str(class);
            out.push(']');
        }
    }
}

/// The name or expression of refs, and the project it is bound to.
pub(crate) fn of_ref(written: &str) -> (&str, Option<&str>) {
    match written.split_once('@') {
        Some((pattern, project)) => (pattern, Some(project)),
        None => (written, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_mean_what_they_mean_in_re2() {
        for (source, text, holds) in [
            (r"^feature\/x$", "feature/x", true),
            (r"^v\d+\.\d+$", "v1.20", true),
            (r"^\d$", "٣", false),
            (r"[\w.]+@[^\s]", "a.b@c", true),
            (r"[[]", "[", true),
            (r"[]a]", "]", true),
            (r"[[:alpha:]&&[:digit:]]", "&", true),
            (r"\<b\>", "<b>", true),
            (r"\bcat\b", "a cat", true),
        ] {
            let compiled = compile(source, "").unwrap_or_else(|| panic!("{source}"));
            assert_eq!(compiled.is_match(text), holds, "{source}");
        }
        assert!(compile("FEAT", "i").unwrap().is_match("feat"));
        assert!(compile("(?=a)", "").is_none());
        assert!(compile("(", "").is_none());
        assert!(compile("((((((a{100}){100}){100}){100}){100}){100})", "").is_none());
    }
}
