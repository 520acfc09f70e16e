//! How the arguments of commands are read.

use crate::rules::epics::places::EpicPlace;
use jiff::ToSpan;
use kernel::ids::Reference;
use kernel::time::Date;

/// The epic that `&5` means in a group, or `group&5`.
pub(super) fn epic_place(name: &str, group_id: i64) -> Option<EpicPlace> {
    let (path, number) = name.rsplit_once('&')?;
    let group = match path {
        "" => Reference::Id(group_id),
        path => Reference::Path(path.to_owned()),
    };
    Some(EpicPlace::numbered(group, number.parse().ok()?))
}

/// Names with or without a mark, in quotes where they hold spaces.
pub fn words(text: &str, mark: char) -> Vec<String> {
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
    use super::{epic_place, words};
    use kernel::ids::Reference;

    #[test]
    fn epics_are_named_by_number_and_path() {
        let read = |name: &str| {
            let place = epic_place(name, 7)?;
            let group = match place.group {
                Reference::Id(id) => id.to_string(),
                Reference::Path(path) => path,
            };
            Some((group, place.number))
        };
        assert_eq!(read("&5"), Some(("7".to_owned(), 5)));
        assert_eq!(read("acme/tools&5"), Some(("acme/tools".to_owned(), 5)));
        for text in ["", "5", "&", "&x", "acme#5", "&99999999999999999999"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn names_are_read_with_marks_and_quotes() {
        assert_eq!(words("~bug ~\"To do\", later", '~'), ["bug", "To do", "later"]);
        assert_eq!(words("@jane @joe", '@'), ["jane", "joe"]);
        assert_eq!(words("~\"open", '~'), ["\"open"]);
        assert!(words("~ ,", '~').is_empty());
    }
}
