//! Texts as they are written there: who and what they name, in our words.

use regex::{Captures, Regex};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Bytes of a text that is read; a longer one stays as it is.
const LONGEST: usize = 1024 * 1024;

static MENTION: LazyLock<Regex> = LazyLock::new(|| pattern(r"@\{([0-9A-Za-z:_-]{1,100})\}"));
static REQUEST: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bpull request #([0-9]{1,9})\b"));
static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(^|\s)(https?://[^\s()<>\[\]]+?)/(pull-requests|issues)/([0-9]{1,9})",
        r"(?:/[^\s/#?()<>\[\].,;:!]*)?($|[\s.,;:!?])",
    ))
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns are well-formed")
}

/// What is known of who and what texts name.
#[derive(Debug, Clone, Copy)]
pub struct Words<'w> {
    /// Where people look at the repository there.
    pub web_url: &'w str,
    /// What those are called who are named by their account.
    pub names: &'w HashMap<String, String>,
}

/// Whether a text names somebody.
pub fn names_somebody(text: &str) -> bool {
    text.contains("@{")
}

impl Words<'_> {
    /// A text in our words; nothing where there is none.
    pub fn of(&self, text: Option<&str>) -> String {
        let text = text.unwrap_or_default();
        if text.len() > LONGEST {
            return text.to_owned();
        }
        let text = MENTION.replace_all(text, |found: &Captures<'_>| self.mention(found));
        let text = REQUEST.replace_all(&text, "!$1");
        ADDRESS
            .replace_all(&text, |found: &Captures<'_>| self.address(found))
            .into_owned()
    }

    /// Who can be named in one word is; others are told by their names.
    fn mention(&self, found: &Captures<'_>) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        match self.names.get(&found[1]) {
            Some(name) if name.chars().all(is_plain) => format!("@{name}"),
            Some(name) => name.clone(),
            None => found[0].to_owned(),
        }
    }

    /// The address of an issue or pull request of the same repository is what we call that.
    fn address(&self, found: &Captures<'_>) -> String {
        if !found[2].eq_ignore_ascii_case(self.web_url) {
            return found[0].to_owned();
        }
        let sign = if &found[3] == "issues" { '#' } else { '!' };
        format!("{}{sign}{}{}", &found[1], &found[4], &found[5])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_name_who_and_what_is_here() {
        let names = HashMap::from([
            ("557058:a-1".to_owned(), "ada".to_owned()),
            ("5b".to_owned(), "Ben Hur".to_owned()),
        ]);
        let words = Words { web_url: "https://host.example/ws/tool", names: &names };
        let web = "https://host.example/ws/tool";
        for (text, expected) in [
            (
                "Ask @{557058:a-1} or @{5b}, not @{x}".to_owned(),
                "Ask @ada or Ben Hur, not @{x}",
            ),
            ("As in pull request #7 and #8".to_owned(), "As in !7 and #8"),
            (format!("See {web}/issues/4/the-title."), "See #4."),
            (format!("{web}/pull-requests/12"), "!12"),
            (format!("[it]({web}/issues/4)"), "[it](https://host.example/ws/tool/issues/4)"),
            (
                "https://host.example/ws/x/issues/4".to_owned(),
                "https://host.example/ws/x/issues/4",
            ),
        ] {
            assert_eq!(words.of(Some(&text)), expected);
        }
        assert_eq!(words.of(None), "");
        assert!(names_somebody("@{a}") && !names_somebody("@a"));
    }
}
