//! Licences as the SPDX list knows them.

use std::collections::HashMap;
use std::sync::OnceLock;

use ::spdx::identifiers::LICENSES;
use ::spdx::{Expression, ParseMode};

use crate::model::License;

/// Deprecated ids stand in many packages, and mean something; other liberties change what
/// somebody wrote.
const MODE: ParseMode = ParseMode {
    allow_slash_as_or_operator: false,
    allow_imprecise_license_names: false,
    allow_postfix_plus_on_gpl: true,
    allow_deprecated: true,
    allow_unknown: false,
};

/// What a text that stands where a licence is named means: an id, an expression, else a name.
pub fn of_text(text: &str) -> License {
    let text = text.trim();
    if let Some(id) = id_of(text) {
        return License::Id(id.to_owned());
    }
    match expression(text) {
        Some(expression) => License::Expression(expression),
        None => License::Named { name: text.to_owned(), url: None },
    }
}

/// The id of the list that is written so, in whichever case.
pub fn id_of(text: &str) -> Option<&'static str> {
    static IDS: OnceLock<HashMap<String, &'static str>> = OnceLock::new();
    let ids = IDS.get_or_init(|| {
        let all = LICENSES.iter().filter(|license| license.name != "NOASSERTION");
        all.map(|license| (license.name.to_ascii_lowercase(), license.name)).collect()
    });
    ids.get(text.to_ascii_lowercase().as_str()).copied()
}

/// A valid expression, its ids and operators in their own case.
pub fn expression(text: &str) -> Option<String> {
    let text = in_own_case(text.trim());
    // What nobody asserts is no licence, though it stands in the library's list.
    if text.split([' ', '(', ')']).any(|word| word == "NOASSERTION" || word == "NONE") {
        return None;
    }
    match Expression::parse_mode(&text, MODE) {
        Ok(_) => Some(text),
        Err(_) => None,
    }
}

/// Ids and operators of an expression are the same in any case; the list has one of each.
fn in_own_case(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for (index, word) in text.split_whitespace().enumerate() {
        if index > 0 {
            all.push(' ');
        }
        let open = word.len() - word.trim_start_matches('(').len();
        let (before, rest) = word.split_at(open);
        let bare = rest.trim_end_matches(')');
        let after = rest.get(bare.len()..).unwrap_or_default();
        all.push_str(before);
        all.push_str(&word_in_own_case(bare));
        all.push_str(after);
    }
    all
}

fn word_in_own_case(word: &str) -> String {
    for operator in ["AND", "OR", "WITH"] {
        if word.eq_ignore_ascii_case(operator) {
            return operator.to_owned();
        }
    }
    let (bare, plus) = match word.strip_suffix('+') {
        Some(bare) if id_of(word).is_none() => (bare, "+"),
        _ => (word, ""),
    };
    match id_of(bare) {
        Some(id) => format!("{id}{plus}"),
        None => word.to_owned(),
    }
}

/// The full name of an id.
pub fn name(id: &str) -> Option<&'static str> {
    ::spdx::license_id(id).map(|found| found.full_name)
}

/// Where the text of an id of the list can be read.
pub fn page(id: &str) -> String {
    format!("https://spdx.org/licenses/{id}.html")
}

/// The ids that a licence is about: of an expression all that stand in it.
pub fn ids(license: &License) -> Vec<String> {
    match license {
        License::Id(id) => vec![id.clone()],
        License::Named { .. } => Vec::new(),
        License::Expression(text) => match Expression::parse_mode(text, MODE) {
            Ok(parsed) => {
                let mut ids: Vec<String> =
                    parsed.requirements().map(|it| it.req.license.to_string()).collect();
                ids.sort();
                ids.dedup();
                ids
            }
            Err(_) => Vec::new(),
        },
    }
}

/// An id as the list writes it today: those of GNU say whether later versions may be used, too.
pub fn canonical(id: &str) -> String {
    let (bare, later) = match id.strip_suffix('+') {
        Some(bare) => (bare, true),
        None => (id, false),
    };
    let Some(bare) = id_of(bare) else { return id.to_owned() };
    let says = bare.ends_with("-only") || bare.ends_with("-or-later");
    let is_gnu = ::spdx::license_id(bare).is_some_and(::spdx::LicenseId::is_gnu);
    match (is_gnu && !says, later) {
        (true, true) => format!("{bare}-or-later"),
        (true, false) => format!("{bare}-only"),
        (false, _) => id_of(id).unwrap_or(id).to_owned(),
    }
}

/// Whether an expression can be fulfilled with licences of which the function says that they
/// may be used: of `A OR B` one is enough, of `A AND B` both are needed. The function is
/// given each as it stands there, with its exception.
pub fn fulfilled(text: &str, mut may: impl FnMut(&str) -> bool) -> bool {
    match Expression::parse_mode(text, MODE) {
        Ok(parsed) => parsed.evaluate(|requirement| may(&requirement.to_string())),
        Err(_) => may(text),
    }
}

/// Several licences of one component as an expression; names that no list knows become
/// references, which the function is told of as (reference, name).
pub fn joined(licenses: &[License], mut reference: impl FnMut(&str, &str)) -> Option<String> {
    let several = licenses.len() > 1;
    let parts: Vec<String> = licenses
        .iter()
        .map(|license| match license {
            License::Id(id) => id.clone(),
            License::Expression(text) if several && text.contains(' ') => format!("({text})"),
            License::Expression(text) => text.clone(),
            License::Named { name, .. } => {
                let made = reference_of(name);
                reference(&made, name);
                made
            }
        })
        .collect();
    match parts.is_empty() {
        true => None,
        false => Some(parts.join(" AND ")),
    }
}

/// `LicenseRef-…` of a name: readable, and different for different names.
pub fn reference_of(name: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '.' || letter == '-';
    let mut readable = String::new();
    for letter in name.chars().take(48) {
        match plain(letter) {
            true => readable.push(letter),
            false if readable.ends_with('-') => {}
            false => readable.push('-'),
        }
    }
    let readable = readable.trim_matches('-');
    match name.len() <= 48 && name.chars().all(plain) && readable == name {
        true => format!("LicenseRef-{name}"),
        false => format!("LicenseRef-{readable}-{:08x}", checksum(name)),
    }
}

/// FNV: the same on every machine and in every version.
fn checksum(text: &str) -> u32 {
    text.bytes()
        .fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_expressions_and_names_are_told_apart() {
        assert_eq!(of_text("MIT"), License::Id("MIT".into()));
        assert_eq!(of_text(" apache-2.0 "), License::Id("Apache-2.0".into()));
        assert_eq!(
            of_text("mit or (apache-2.0 with LLVM-exception)"),
            License::Expression("MIT OR (Apache-2.0 WITH LLVM-exception)".into())
        );
        assert_eq!(of_text("GPL-2.0+"), License::Id("GPL-2.0+".into()));
        for name in ["BSD", "MIT and", "Apache License, Version 2.0", "((", "NOASSERTION"] {
            assert!(matches!(of_text(name), License::Named { .. }), "{name}");
        }
    }

    #[test]
    fn an_expression_is_fulfilled_by_what_may_be_used() {
        let may = |id: &str| id == "MIT";
        assert!(fulfilled("MIT OR GPL-3.0-only", may));
        assert!(!fulfilled("MIT AND GPL-3.0-only", may));
        assert!(!fulfilled("nothing that parses (", may));
    }

    #[test]
    fn names_become_references_that_differ() {
        assert_eq!(reference_of("Custom-1.0"), "LicenseRef-Custom-1.0");
        let (one, other) = (reference_of("My Licence"), reference_of("My/Licence"));
        assert!(one.starts_with("LicenseRef-My-Licence-") && one != other);
        let named = License::Named { name: "Own".into(), url: None };
        let all = [License::Expression("MIT OR ISC".into()), named];
        let mut seen = Vec::new();
        let text = joined(&all, |reference, name| seen.push(format!("{reference}={name}")));
        assert_eq!(text.as_deref(), Some("(MIT OR ISC) AND LicenseRef-Own"));
        assert_eq!(seen, ["LicenseRef-Own=Own"]);
        assert!(expression(&text.expect("made")).is_some());
    }

    #[test]
    fn ids_of_an_expression_are_all_of_it() {
        let expression = License::Expression("MIT OR (ISC AND MIT)".into());
        assert_eq!(ids(&expression), ["ISC", "MIT"]);
        assert_eq!(name("MIT"), Some("MIT License"));
    }
}
