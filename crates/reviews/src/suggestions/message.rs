//! The message and the author of the commit that applies suggestions. Pure.

/// Longest message, in bytes.
const LONGEST: usize = 1_048_576;
const USUAL: &str = "Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)";

/// Somebody as trailers name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Person<'f> {
    pub name: &'f str,
    pub email: &'f str,
}

/// What variables of a template stand for.
#[derive(Debug, Clone, Copy)]
pub struct MessageFacts<'f> {
    pub branch_name: &'f str,
    /// Of the files that change, each once.
    pub file_paths: &'f [&'f str],
    pub project_name: &'f str,
    pub project_path: &'f str,
    /// Of who applies.
    pub user_full_name: &'f str,
    pub username: &'f str,
    pub suggestions_count: usize,
    /// Who suggested something, but for the author of the commit.
    pub co_authors: &'f [Person<'f>],
}

/// The author of a commit: who suggested all of it, else who applies it.
pub fn author<T: Clone + PartialEq>(suggested_by: &[T], applier: T) -> T {
    match suggested_by.split_first() {
        Some((first, rest)) if rest.iter().all(|other| other == first) => first.clone(),
        _ => applier,
    }
}

/// The message that was given, else that of the project, else the usual one, with its
/// variables replaced. That is done in one pass: what they stand for is not looked at
/// again, and unknown ones stay.
pub fn message(given: Option<&str>, template: Option<&str>, facts: &MessageFacts<'_>) -> String {
    let mut said = [given, template].into_iter().flatten();
    let template = said.find(|text| !text.trim().is_empty()).unwrap_or(USUAL);
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("%{") {
        text.push_str(before);
        let named = after.split_once('}');
        match named.and_then(|(name, behind)| Some((value(name, facts)?, behind))) {
            Some((value, behind)) => {
                text.push_str(&value);
                rest = behind;
            }
            None => {
                text.push_str("%{");
                rest = after;
            }
        }
        if text.len() > LONGEST {
            break;
        }
    }
    text.push_str(rest);
    cut(text)
}

fn value(name: &str, facts: &MessageFacts<'_>) -> Option<String> {
    Some(match name {
        "branch_name" => facts.branch_name.to_owned(),
        "files_count" => facts.file_paths.len().to_string(),
        "file_paths" => facts.file_paths.join(", "),
        "project_name" => facts.project_name.to_owned(),
        "project_path" => facts.project_path.to_owned(),
        "user_full_name" => facts.user_full_name.to_owned(),
        "username" => facts.username.to_owned(),
        "suggestions_count" => facts.suggestions_count.to_string(),
        "co_authored_by" => co_authored_by(facts.co_authors),
        _ => return None,
    })
}

fn co_authored_by(people: &[Person<'_>]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for person in people {
        let (name, email) = (clean(person.name), clean(person.email));
        let line = format!("Co-authored-by: {} <{}>", name.trim(), email.trim());
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.join("\n")
}

/// Without what would end a line or an address.
fn clean(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && !matches!(c, '<' | '>')).collect()
}

fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or_default());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACTS: MessageFacts<'_> = MessageFacts {
        branch_name: "side",
        file_paths: &["a.rs", "b.rs"],
        project_name: "Anvil",
        project_path: "acme/anvil",
        user_full_name: "Ada %{username}",
        username: "ada",
        suggestions_count: 3,
        co_authors: &[
            Person { name: "Bo\n<b>", email: "bo@example.com" },
            Person { name: "Bob", email: "bo@example.com" },
        ],
    };

    #[test]
    fn the_usual_message_counts() {
        assert_eq!(message(None, None, &FACTS), "Apply 3 suggestion(s) to 2 file(s)");
        assert_eq!(message(Some(" "), Some(""), &FACTS), "Apply 3 suggestion(s) to 2 file(s)");
    }

    #[test]
    fn variables_are_replaced_once() {
        let template = "%{user_full_name}: %{file_paths} of %{project_path} (%{x}) %{%{username}";
        let expected = "Ada %{username}: a.rs, b.rs of acme/anvil (%{x}) %{ada";
        assert_eq!(message(None, Some(template), &FACTS), expected);
        assert_eq!(message(Some("Mine"), Some(template), &FACTS), "Mine");
        let people = message(Some("%{co_authored_by}"), None, &FACTS);
        let lines = ["Co-authored-by: Bob <bo@example.com>"];
        assert_eq!(people.lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn messages_are_bounded() {
        let long = "%{file_paths}ä".repeat(200_000);
        assert!(message(Some(&long), None, &FACTS).len() <= LONGEST);
    }

    #[test]
    fn who_suggested_all_is_the_author() {
        assert_eq!(author(&[2, 2], 1), 2);
        assert_eq!(author(&[2, 3], 1), 1);
        assert_eq!(author(&[], 1), 1);
    }
}
