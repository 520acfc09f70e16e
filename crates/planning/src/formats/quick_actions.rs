//! Commands in what people write: `/close`, each on a line of its own.

use super::prose;

const MOST: usize = 100;

/// Every command there is (docs/interface/collaboration.md 5.6); one that a thing does not
/// have does nothing there, and leaves the text all the same.
const NAMES: &[&str] = &[
    "approve",
    "assign",
    "assign_reviewer",
    "award",
    "blocked_by",
    "blocks",
    "child_epic",
    "clear_weight",
    "clone",
    "close",
    "confidential",
    "copy_metadata",
    "create_merge_request",
    "done",
    "draft",
    "due",
    "duplicate",
    "epic",
    "estimate",
    "label",
    "lock",
    "merge",
    "milestone",
    "move",
    "parent_epic",
    "promote",
    "promote_to_incident",
    "react",
    "ready",
    "reassign",
    "reassign_reviewer",
    "rebase",
    "relabel",
    "relate",
    "remove_child_epic",
    "remove_due_date",
    "remove_epic",
    "remove_estimate",
    "remove_milestone",
    "remove_parent_epic",
    "remove_time_spent",
    "reopen",
    "request_changes",
    "request_review",
    "reviewer",
    "severity",
    "spend",
    "submit_review",
    "subscribe",
    "tag",
    "target_branch",
    "title",
    "todo",
    "unapprove",
    "unassign",
    "unassign_reviewer",
    "unlabel",
    "unlock",
    "unsubscribe",
    "weight",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    pub name: &'static str,
    pub argument: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    pub text: String,
    pub actions: Vec<Action>,
}

/// Takes the commands out of a text. Lines of code and unknown commands stay.
pub fn split(text: &str) -> Split {
    let mut actions = Vec::new();
    let mut kept = Vec::new();
    for line in prose::lines(text) {
        match action(line.text).filter(|_| !line.is_code && actions.len() < MOST) {
            Some(action) => actions.push(action),
            None => kept.push(line.text),
        }
    }
    let text = match actions.is_empty() {
        true => text.to_owned(),
        false => kept.join("\n").trim().to_owned(),
    };
    Split { text, actions }
}

/// The first word that stands where a command does and is none: `/bogus`, but no
/// path.
pub fn unknown(text: &str) -> Option<&str> {
    let plain = prose::lines(text).filter(|line| !line.is_code);
    let words = plain.filter_map(|line| line.text.split_whitespace().next());
    let mut words = words.filter(|word| word.starts_with('/') && action(word).is_none());
    words.find(|word| {
        let letters = &word.as_bytes()[1..];
        let is_letter = |byte: &u8| byte.is_ascii_lowercase() || *byte == b'_';
        (2..=40).contains(&letters.len()) && letters.iter().all(is_letter)
    })
}

fn action(line: &str) -> Option<Action> {
    let rest = line.trim_end().strip_prefix('/')?;
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let name = NAMES.iter().find(|name| name.eq_ignore_ascii_case(&rest[..end]))?;
    Some(Action { name, argument: rest[end..].trim().to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn commands_are_taken_out() {
        let found =
            split("Fixed.\n/close\n/Label ~\"To do\" ~bug\n/unknown\n```\n/reopen\n```\nBye");
        assert_eq!(found.text, "Fixed.\n/unknown\n```\n/reopen\n```\nBye");
        let names: Vec<_> = found.actions.iter().map(|one| one.name).collect();
        assert_eq!(names, ["close", "label"]);
        assert_eq!(found.actions[1].argument, "~\"To do\" ~bug");
        assert_eq!(split("a\r\nb\n").text, "a\r\nb\n");
        assert_eq!(split("/close").text, "");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[/@`~ \n\ta-z]{0,200}") {
            let found = split(&text);
            prop_assert!(found.text.len() <= text.len());
            crate::formats::mentions::find(&text);
            crate::formats::tasks::count(&text);
        }
    }
}
