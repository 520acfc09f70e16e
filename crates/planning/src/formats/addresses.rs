//! Addresses of issues, merge requests and epics in a piece of text.

use super::references::{LONGEST, Name};
use std::ops::Range;

/// What stands between the path of a project or group and its pages.
const BELOW: &str = "/-/";

/// An address that leads to something with a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub range: Range<usize>,
    /// With the path of its project or group.
    pub name: Name,
    /// What of it is behind the number, in words: ` (diffs)`; empty for the whole.
    pub part: String,
}

/// The addresses in a text that begin with that of the instance.
pub fn addresses(text: &str, own: &str) -> Vec<Address> {
    let (mut found, mut from) = (Vec::new(), 0);
    if own.is_empty() {
        return found;
    }
    while let Some(at) = text[from..].find(own).map(|at| from + at) {
        let behind = at + own.len();
        let rest = &text[behind..];
        let end = rest.find(|c| !is_of_address(c)).unwrap_or(rest.len());
        let rest = rest[..end].trim_end_matches(['.', '?', '#', '&']);
        from = behind + rest.len();
        if let Some((name, part)) = read(rest) {
            found.push(Address { range: at..from, name, part });
        }
    }
    found
}

fn is_of_address(c: char) -> bool {
    let signs = ['/', '-', '_', '.', '#', '?', '=', '&', '%', '+'];
    c.is_ascii_alphanumeric() || signs.contains(&c)
}

/// What an address leads to, as it stands behind that of the instance.
fn read(rest: &str) -> Option<(Name, String)> {
    let (path, rest) = rest.strip_prefix('/')?.split_once(BELOW)?;
    let (kind, rest) = rest.split_once('/')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, behind) = rest.split_at(digits);
    let iid: i64 = number.parse().ok()?;
    let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    if path.len() > LONGEST || !path.chars().all(is_path) {
        return None;
    }
    let name = match (kind, path.strip_prefix("groups/")) {
        ("epics", Some(group)) => Name::Epic(Some(group.to_owned()), iid),
        ("issues", None) if path.contains('/') => Name::Issue(Some(path.to_owned()), iid),
        ("merge_requests", None) if path.contains('/') => {
            Name::MergeRequest(Some(path.to_owned()), iid)
        }
        _ => return None,
    };
    Some((name, part(behind)?))
}

/// What stands behind a number, in words; nothing where it leads somewhere else.
fn part(behind: &str) -> Option<String> {
    let end = behind.find(['?', '#']).unwrap_or(behind.len());
    let (page, rest) = behind.split_at(end);
    let comment = rest.split_once("#note_").map(|(_, id)| id);
    let is_number = |id: &&str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    Some(match (page.trim_end_matches('/'), comment.filter(is_number)) {
        ("" | "/diffs", Some(id)) => format!(" (comment {id})"),
        ("", None) => String::new(),
        ("/diffs", None) => " (diffs)".to_owned(),
        ("/commits", _) => " (commits)".to_owned(),
        ("/pipelines", _) => " (pipelines)".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "https://tenon.example";

    #[test]
    fn addresses_of_the_instance_are_read() {
        let one = |text: &str| {
            let found = addresses(text, OWN);
            found.into_iter().map(|one| (one.name, one.part)).collect::<Vec<_>>()
        };
        let request = |part: &str| {
            vec![(Name::MergeRequest(Some("acme/forge".to_owned()), 5), part.to_owned())]
        };
        for (behind, part) in [
            ("", ""),
            ("/", ""),
            (".", ""),
            ("?x=1", ""),
            ("#top", ""),
            ("#note_12", " (comment 12)"),
            ("/diffs", " (diffs)"),
            ("/diffs?view=inline#note_7)", " (comment 7)"),
            ("/commits", " (commits)"),
            ("/pipelines,", " (pipelines)"),
        ] {
            let text = format!("See {OWN}/acme/forge/-/merge_requests/5{behind} there");
            assert_eq!(one(&text), request(part), "{text}");
        }
        let text = format!("({OWN}/a/b/-/issues/1, {OWN}/groups/a/-/epics/2)");
        let names = one(&text).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        let (issue, epic) = (Some("a/b".to_owned()), Some("a".to_owned()));
        assert_eq!(names, [Name::Issue(issue, 1), Name::Epic(epic, 2)]);
        for none in [
            "https://tenon.example.evil/a/b/-/issues/1",
            "https://tenon.example/a/b/-/issues/1x",
            "https://tenon.example/a/b/-/issues/new",
            "https://tenon.example/a/-/issues/1",
            "https://tenon.example/a/b/-/tree/1",
            "https://tenon.example/a/b/-/issues/99999999999999999999",
            "https://tenon.example/groups/a/-/issues/1",
            "https://tenon.example",
            "http://tenon.example/a/b/-/issues/1",
        ] {
            assert!(one(none).is_empty(), "{none}");
        }
        assert!(addresses("/a/b/-/issues/1", "").is_empty());
    }

    #[test]
    fn long_texts_are_read_in_a_moment() {
        let started = std::time::Instant::now();
        for text in [OWN.repeat(50_000), format!("{OWN}/a/b/-/issues/1 ").repeat(20_000)] {
            addresses(&text, OWN);
        }
        assert!(started.elapsed().as_secs() < 5);
    }
}
