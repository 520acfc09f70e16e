//! Which changes of refs a push may make (docs/interface/repositories.md 1.5). One
//! that it may not refuses the whole push.

use crate::formats::commands::Command;
use crate::formats::ref_name::RefName;

/// What a push is judged by.
pub struct PushedTo<'p> {
    /// The default branch, if it is there.
    pub default_branch: Option<&'p RefName>,
    /// What it is the branch of: a project, a wiki, a snippet.
    pub kind: &'p str,
}

/// Why a push is refused, in words for its user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushRefused(pub String);

/// Refuses a push for what it does to refs; what their objects are is looked at later.
pub fn check(to: &PushedTo<'_>, commands: &[Command]) -> Result<(), PushRefused> {
    commands.iter().try_for_each(|command| check_one(to, command))
}

fn check_one(to: &PushedTo<'_>, command: &Command) -> Result<(), PushRefused> {
    let refused = |text: &str| Err(PushRefused(text.to_owned()));
    let Some(name) = &command.name else {
        return refused(&format!("{} is no name that a ref may have.", shown(&command.sent_name)));
    };
    if !name.is_writable() {
        return refused(&format!("{name} is kept by the service and cannot be pushed to."));
    }
    let (is_made, is_deleted) = (command.old.is_zero(), command.new.is_zero());
    if is_deleted && to.default_branch == Some(name) {
        return refused(&format!("The default branch of a {} cannot be deleted.", to.kind));
    }
    if is_made && name.as_branch().is_some_and(is_object_id) {
        return refused("You cannot create a branch with a 40-character hexadecimal branch name.");
    }
    match name.as_tag().filter(|_| is_made) {
        Some(tag) => check_tag(to, tag),
        None => Ok(()),
    }
}

fn check_tag(to: &PushedTo<'_>, tag: &str) -> Result<(), PushRefused> {
    let refused = |text: &str| Err(PushRefused(text.to_owned()));
    if to.default_branch.and_then(RefName::as_branch) == Some(tag) {
        return refused("You cannot use default branch name to create a tag");
    }
    if tag.starts_with("refs/") {
        return refused("You cannot create a tag with a prohibited pattern.");
    }
    match is_object_id(tag) || is_sha256(tag) {
        true => refused("You cannot create a tag with a SHA-1 or SHA-256 tag name."),
        false => Ok(()),
    }
}

fn is_object_id(name: &str) -> bool {
    name.len() == 40 && is_hexadecimal(name)
}

fn is_sha256(name: &str) -> bool {
    name.len() == 64 && is_hexadecimal(name)
}

fn is_hexadecimal(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// What somebody sent, for a line on a terminal.
fn shown(text: &str) -> String {
    let cut: String = text.chars().take(100).collect();
    cut.escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::object_id::ObjectId;

    fn said(name: &str, old: &str, new: &str) -> Option<String> {
        let main = RefName::branch("main").expect("a good name");
        let id = |digit: &str| digit.repeat(40).parse::<ObjectId>().expect("an object");
        let command = Command {
            sent_name: name.to_owned(),
            name: name.parse().ok(),
            old: id(old),
            new: id(new),
        };
        let to = PushedTo { default_branch: Some(&main), kind: "project" };
        check(&to, &[command]).err().map(|PushRefused(text)| text)
    }

    #[test]
    fn branches_and_tags_come_and_go() {
        assert_eq!(said("refs/heads/a", "0", "1"), None);
        assert_eq!(said("refs/heads/main", "1", "2"), None);
        assert_eq!(said("refs/tags/v1", "1", "0"), None);
        assert_eq!(said("refs/notes/commits", "0", "1"), None);
    }

    #[test]
    fn some_changes_are_refused_in_words() {
        for (name, old, new, text) in [
            ("refs/heads/main", "1", "0", "The default branch of a project"),
            (
                &format!("refs/heads/{}", "a".repeat(40)),
                "0",
                "1",
                "You cannot create a branch",
            ),
            (
                &format!("refs/tags/{}", "a".repeat(64)),
                "0",
                "1",
                "You cannot create a tag with a S",
            ),
            ("refs/tags/main", "0", "1", "You cannot use default branch name"),
            ("refs/tags/refs/x", "0", "1", "You cannot create a tag with a prohibited"),
            ("refs/keep-around/x", "0", "1", "refs/keep-around/x is kept"),
            ("refs/merge-requests/1/head", "1", "0", "refs/merge-requests/1/head is kept"),
            ("refs/heads/a\u{1b}[31m", "0", "1", "refs/heads/a\\u{1b}[31m is no name"),
        ] {
            let said = said(name, old, new).unwrap_or_default();
            assert!(said.starts_with(text), "{name}: {said}");
        }
    }
}
