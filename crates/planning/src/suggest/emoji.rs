//! Emoji by their short names.

use super::{MOST, Suggestion};
use emojis::Emoji;

/// Names that begin with the text, then names that hold it; the value is a
/// short name without its colons.
pub fn named(typed: &str) -> Vec<Suggestion> {
    let all = || emojis::iter().flat_map(|one| one.shortcodes().map(move |name| (one, name)));
    let begins = all().filter(|(_, name)| name.starts_with(typed));
    let holds = all().filter(|(_, name)| !name.starts_with(typed) && name.contains(typed));
    let most = usize::try_from(MOST).unwrap_or_default();
    begins.chain(holds).take(most).map(suggestion).collect()
}

fn suggestion((one, name): (&Emoji, &str)) -> Suggestion {
    Suggestion {
        value: name.to_owned(),
        label: format!("{} {name}", one.as_str()),
        ..Suggestion::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_begin_so_come_first() {
        let found = named("tada");
        assert_eq!((found[0].value.as_str(), found[0].label.as_str()), ("tada", "🎉 tada"));
        let found = named("heart");
        assert_eq!(found.len(), 10);
        assert!(found[0].value.starts_with("heart"));
        assert!(named("no such name").is_empty());
    }
}
