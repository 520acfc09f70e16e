//! How the arguments of commands are read.

use jiff::ToSpan;
use kernel::time::Date;

/// Names with or without a mark, in quotes where they hold spaces.
pub(super) fn words(text: &str, mark: char) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let bare = rest.trim_start_matches(mark);
        let (word, left) = match bare.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            Some(quoted) => quoted,
            None => {
                let end = bare.find([' ', '\t', ',']).unwrap_or(bare.len());
                bare.split_at(end)
            }
        };
        if !word.is_empty() {
            found.push(word.to_owned());
        }
        rest = left;
    }
    found
}

pub(super) fn day(text: &str, today: Date) -> Option<Date> {
    match text.to_ascii_lowercase().as_str() {
        "today" => Some(today),
        "tomorrow" => today.checked_add(1.day()).ok(),
        date => date.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn names_are_read_with_marks_and_quotes() {
        assert_eq!(words("~bug ~\"To do\", later", '~'), ["bug", "To do", "later"]);
        assert_eq!(words("@jane @joe", '@'), ["jane", "joe"]);
        assert_eq!(words("~\"open", '~'), ["\"open"]);
        assert!(words("~ ,", '~').is_empty());
    }
}
