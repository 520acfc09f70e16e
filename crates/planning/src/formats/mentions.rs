//! Users and groups that a text names.

use super::prose;

/// Most names of one text that count (docs/interface/collaboration.md «Bad input and abuse»).
pub const MOST: usize = 100;

/// One name, without its `@`; with slashes it is a group's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub name: String,
    /// The text begins with it: who is named so is spoken to.
    pub is_addressed: bool,
}

/// The users and groups that a text names outside of code, each once, in order.
pub fn find(text: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let mut at_start = true;
    for line in prose::lines(text).filter(|line| !line.is_code) {
        for (part, is_code) in spans(line.text) {
            if is_code {
                at_start = false;
                continue;
            }
            for (at, _) in part.match_indices('@') {
                let before = part[..at].chars().next_back();
                let is_name_start =
                    before.is_none_or(|c| !(c.is_alphanumeric() || matches!(c, '_' | '/' | '.')));
                let name = name_at(&part[at + 1..]);
                if !is_name_start || name.is_empty() {
                    continue;
                }
                let is_addressed = at_start && part[..at].trim().is_empty();
                if !found.iter().any(|one| one.name.eq_ignore_ascii_case(name)) {
                    found.push(Mention { name: name.to_owned(), is_addressed });
                }
                if found.len() == MOST {
                    return found;
                }
            }
            at_start = at_start && part.trim().is_empty();
        }
    }
    found
}

/// The parts of a line, told apart by whether they stand between backticks.
pub(super) fn spans(line: &str) -> impl Iterator<Item = (&str, bool)> {
    // An odd last part has no closing mark, and so is no code.
    let parts: Vec<&str> = line.split('`').collect();
    let last = parts.len() - 1;
    parts
        .into_iter()
        .enumerate()
        .map(move |(at, part)| (part, at % 2 == 1 && at != last))
}

/// The name of a user or group that a text begins with.
pub(super) fn name_at(text: &str) -> &str {
    let end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')))
        .unwrap_or(text.len());
    // A full stop ends a sentence.
    text[..end].trim_end_matches(['.', '-', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        find(text).into_iter().map(|one| one.name).collect()
    }

    #[test]
    fn names_stand_alone_and_outside_of_code() {
        let text =
            "@jane, see (@joe.smith). mail@host `@code` @group/path\n```\n@block\n```\n@jane @x_y-";
        assert_eq!(names(text), ["jane", "joe.smith", "group/path", "x_y"]);
        assert_eq!(names("`open @a"), ["a"]);
        assert!(names("@ @. @/ no").is_empty());
        assert_eq!(names("@all, @acme/tools/."), ["all", "acme/tools"]);
    }

    #[test]
    fn the_first_name_is_spoken_to() {
        let found = find("  @jane and @joe");
        assert_eq!((found[0].is_addressed, found[1].is_addressed), (true, false));
        assert!(!find("hello @jane")[0].is_addressed);
        assert!(!find("hello\n@jane")[0].is_addressed);
    }

    #[test]
    fn a_crowd_is_cut() {
        let text: String = (0..500).map(|n| format!("@u{n} ")).collect();
        assert_eq!(find(&text).len(), MOST);
    }
}
