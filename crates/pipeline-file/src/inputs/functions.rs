//! What may follow a value in `$[[ inputs.x | truncate(0, 8) ]]`.

use crate::variables::{Variables, expand_text};

/// Bytes of what variables may make of a value.
const MOST_BYTES: usize = 1 << 16;

/// Applies one function to a text.
pub(super) fn apply(call: &str, text: &str, variables: &Variables) -> Result<String, String> {
    match call {
        "expand_vars" => expand_vars(text, variables),
        "posix_escape" => Ok(posix_escape(text)),
        _ => match truncate_arguments(call) {
            Some((offset, length)) => Ok(text.chars().skip(offset).take(length).collect()),
            None => Err(format!(
                "no function matching `{call}`: check that the function name, arguments, and \
                 types are correct"
            )),
        },
    }
}

fn truncate_arguments(call: &str) -> Option<(usize, usize)> {
    let inner = call.strip_prefix("truncate(")?.strip_suffix(')')?;
    let (offset, length) = inner.split_once(',')?;
    Some((offset.trim().parse().ok()?, length.trim().parse().ok()?))
}

/// Values are taken as they are: what they name in turn is not expanded.
fn expand_vars(text: &str, variables: &Variables) -> Result<String, String> {
    let masked = variables.iter().find(|variable| {
        let name = &variable.name;
        variable.masked
            && [format!("${name}"), format!("${{{name}}}")].iter().any(|written| {
                text.match_indices(written.as_str())
                    .any(|(at, _)| ends(text, at + written.len()))
            })
    });
    match masked {
        None => Ok(expand_text(text, variables, MOST_BYTES)),
        Some(variable) => Err(format!(
            "variable expansion error: masked variables cannot be expanded: {}",
            variable.name
        )),
    }
}

fn ends(text: &str, at: usize) -> bool {
    let next = text.get(at..).and_then(|rest| rest.chars().next());
    text.get(..at).is_some_and(|before| before.ends_with('}'))
        || !next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// One word for a shell.
fn posix_escape(text: &str) -> String {
    if text.is_empty() {
        return "''".into();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("'\n'"),
            'A'..='Z' | 'a'..='z' | '0'..='9' => out.push(c),
            '_' | '-' | '.' | ',' | ':' | '+' | '/' | '@' => out.push(c),
            _ => {
                out.push('\\');
                out.push(c);
            }
        }
    }
    out
}
