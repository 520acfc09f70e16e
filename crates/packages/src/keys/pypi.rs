//! Names (PEP 503) and versions (PEP 440) of Python packages.

use regex::Regex;
use std::sync::LazyLock;

/// Longest version, in bytes.
const MAX: usize = 255;

/// The parts of a version in lower case. Numbers have no bounds, so they stay
/// text.
static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    let parts = [
        r"^v?(?:(?<epoch>[0-9]+)!)?",
        r"(?<release>[0-9]+(?:\.[0-9]+)*)",
        r"(?:[-_.]?(?<stage>alpha|a|beta|b|preview|pre|rc|c)[-_.]?(?<stage_number>[0-9]*))?",
        r"(?:-(?<implied>[0-9]+)|(?<post>[-_.]?(?:post|rev|r)[-_.]?(?<post_number>[0-9]*)))?",
        r"(?<dev>[-_.]?dev[-_.]?(?<dev_number>[0-9]*))?",
        r"(?:\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?$",
    ];
    Regex::new(&parts.concat()).expect("the pattern is constant")
});

/// A project's name in lower case, runs of `-`, `_` and `.` as one `-`
/// (PEP 503).
pub fn normalized(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    for c in name.chars() {
        if matches!(c, '-' | '_' | '.') {
            if !key.ends_with('-') {
                key.push('-');
            }
        } else {
            key.extend(c.to_lowercase());
        }
    }
    key
}

/// The version as PEP 440 writes it, if it is one: `v1.0-Alpha` is `1.0a0`.
pub fn normal(text: &str) -> Option<String> {
    written(text, |_| {})
}

/// The same for all spellings that mean one version: `1.0` is `1` too.
pub fn key(text: &str) -> Option<String> {
    written(text, |release| {
        while release.len() > 1 && release.last() == Some(&"0") {
            release.pop();
        }
    })
}

fn written(text: &str, change: impl FnOnce(&mut Vec<&str>)) -> Option<String> {
    if text.len() > MAX {
        return None;
    }
    let text = text.trim().to_ascii_lowercase();
    let parts = VERSION.captures(&text)?;
    let part = |name| parts.name(name).map(|part| part.as_str());
    let mut release: Vec<&str> = part("release")?.split('.').map(number).collect();
    change(&mut release);
    let mut written = release.join(".");
    if let Some(epoch) = part("epoch").map(number).filter(|epoch| *epoch != "0") {
        written.insert_str(0, &format!("{epoch}!"));
    }
    if let Some(stage) = part("stage") {
        let stage = match stage {
            "a" | "alpha" => "a",
            "b" | "beta" => "b",
            _ => "rc",
        };
        written.push_str(stage);
        written.push_str(number(part("stage_number").unwrap_or_default()));
    }
    let post = part("post").and(part("post_number"));
    if let Some(post) = part("implied").or(post) {
        written.push_str(".post");
        written.push_str(number(post));
    }
    if let Some(dev) = part("dev_number") {
        written.push_str(".dev");
        written.push_str(number(dev));
    }
    if let Some(local) = part("local") {
        let parts: Vec<&str> = local.split(['-', '_', '.']).map(local_part).collect();
        written.push('+');
        written.push_str(&parts.join("."));
    }
    Some(written)
}

/// Digits without leading zeros; none are a zero.
fn number(digits: &str) -> &str {
    match digits.trim_start_matches('0') {
        "" => "0",
        rest => rest,
    }
}

fn local_part(part: &str) -> &str {
    let is_number = part.bytes().all(|b| b.is_ascii_digit());
    if is_number { number(part) } else { part }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_of_a_version_are_written_one_way() {
        for (text, wanted) in [
            ("1.0", "1.0"),
            (" V01.2.030 ", "1.2.30"),
            ("1.0-Alpha", "1.0a0"),
            ("1.0.beta_2", "1.0b2"),
            ("1.0c1", "1.0rc1"),
            ("1.0pre3", "1.0rc3"),
            ("1.0-1", "1.0.post1"),
            ("1.0.rev4", "1.0.post4"),
            ("1.0POST", "1.0.post0"),
            ("1.0a1.post2.dev3", "1.0a1.post2.dev3"),
            ("1.0dev", "1.0.dev0"),
            ("0!1.0", "1.0"),
            ("2!1.0", "2!1.0"),
            ("1.0+Ubuntu-1_03", "1.0+ubuntu.1.3"),
            ("2026.11.21", "2026.11.21"),
        ] {
            assert_eq!(normal(text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_no_version_is_none() {
        let long = "1".repeat(256);
        for text in [
            "",
            "x",
            "1.",
            ".1",
            "1..0",
            "1.0-",
            "1.0+",
            "1.0+a..b",
            "1.0 beta x",
            "latest",
            "1.0/2",
            "1.0\n2",
            "1.0*",
            "１.０",
            "1.0a1b2",
            &long,
        ] {
            assert_eq!(normal(text), None, "{text}");
        }
    }

    #[test]
    fn trailing_zeros_do_not_tell_versions_apart() {
        for text in ["1", "1.0", "v1.0.0"] {
            assert_eq!(key(text).as_deref(), Some("1"), "{text}");
        }
        assert_eq!(key("0.0").as_deref(), Some("0"));
        assert_eq!(key("10.0a1").as_deref(), Some("10a1"));
        assert_ne!(key("1.0.post0"), key("1.0"));
    }

    proptest! {
        #[test]
        fn what_is_written_once_is_written_so_again(
            text in "v?([0-3]!)?[0-9]{1,2}(\\.[0-9]{1,2}){0,3}(a|b|rc|\\.post|-)?[0-9]{0,2}(\\.dev[0-9]?)?(\\+[a-z0-9.]{0,4})?"
        ) {
            if let Some(once) = normal(&text) {
                prop_assert_eq!(normal(&once), Some(once.clone()));
                prop_assert_eq!(key(&once), key(&text));
            }
        }

        #[test]
        fn any_text_is_answered(text in ".{0,80}") {
            let _ = (normal(&text), key(&text));
        }
    }
}
