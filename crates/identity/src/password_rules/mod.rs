//! Which passwords people may choose: long enough, and nothing that is tried
//! first. A short list of our own is enough for that; how strong the rest are
//! is not guessed.

use crate::model::User;
use crate::password;
use crate::users::NewUser;
use std::collections::HashSet;
use std::sync::LazyLock;

/// As clients of the reference know it.
const COMMON: &str = "must not contain commonly used combinations of words and letters";
/// Shortest part of a name that a password may not contain, in characters.
const SHORTEST_PART: usize = 4;
/// Digits and signs around a common word that make no other password of it.
const MOST_AROUND: usize = 6;
/// Shortest run along a track that counts as one.
const SHORTEST_RUN: usize = 3;
/// Runs that a password may not consist of; with more it is a pattern of its own.
const MOST_RUNS: usize = 3;

/// Words that are common as passwords or within them, in small letters.
static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("common.txt").lines();
    lines.filter(|line| !line.starts_with('#')).collect()
});

/// What fingers run along.
const TRACKS: &[&str] = &[
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "qwertyuiop",
    "qwertzuiop",
    "azertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "yxcvbnm",
    "1q2w3e4r5t6y7u8i9o0p",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "qazwsxedcrfvtgbyhnujmikolp",
    "!@#$%^&*()",
];

/// Whose password it is to be: it may not be made of what everybody knows.
#[derive(Debug, Clone, Copy)]
pub struct Person<'p> {
    pub username: &'p str,
    pub name: &'p str,
    pub email: &'p str,
}

impl<'p> From<&'p User> for Person<'p> {
    fn from(user: &'p User) -> Person<'p> {
        Person {
            username: &user.username,
            name: &user.name,
            email: &user.email,
        }
    }
}

impl<'p> From<&'p NewUser> for Person<'p> {
    fn from(new: &'p NewUser) -> Person<'p> {
        Person { username: &new.username, name: &new.name, email: &new.email }
    }
}

/// Why this person cannot have this password.
pub fn problem<'p>(password: &str, person: impl Into<Person<'p>>) -> Option<&'static str> {
    let lower = password.to_lowercase();
    password::problem(password).or_else(|| {
        let guessed = names(&lower, person.into()) || is_common(&lower);
        guessed.then_some(COMMON)
    })
}

/// Whether it contains a name of the person, or a part of one.
fn names(lower: &str, person: Person<'_>) -> bool {
    let local = person.email.split('@').next().unwrap_or_default();
    [person.username, person.name, local].iter().any(|name| {
        let name = name.to_lowercase();
        let parts = name.split(|c: char| !c.is_alphanumeric());
        parts
            .chain([name.as_str()])
            .filter(|part| part.chars().count() >= SHORTEST_PART)
            .any(|part| lower.contains(part))
    })
}

fn is_common(lower: &str) -> bool {
    let unit = repeated(lower);
    let core = lower.trim_matches(|c: char| !c.is_alphabetic());
    let core = if lower.len() - core.len() <= MOST_AROUND {
        core
    } else {
        lower
    };
    unit.chars().count() < SHORTEST_RUN
        || is_runs(lower)
        || [lower, unit, core, repeated(core)]
            .into_iter()
            .any(|text| WORDS.contains(text) || WORDS.contains(plain(text).as_str()))
}

/// The shortest text that this one is a repetition of.
fn repeated(text: &str) -> &str {
    let repeats =
        |end: &usize| text.len().is_multiple_of(*end) && text[*end..] == text[..text.len() - *end];
    let ends = text.char_indices().map(|(at, _)| at).skip(1);
    ends.filter(|end| text.is_char_boundary(text.len() - end))
        .find(repeats)
        .map_or(text, |end| &text[..end])
}

/// Whether it is nothing but a few runs along tracks, such as `qwerty123`.
fn is_runs(lower: &str) -> bool {
    let mut rest = lower;
    for _ in 0..MOST_RUNS {
        let run = longest_run(rest);
        if run.chars().count() < SHORTEST_RUN {
            return false;
        }
        rest = &rest[run.len()..];
        if rest.is_empty() {
            return true;
        }
    }
    false
}

/// The longest beginning that is a part of a track, in either direction.
fn longest_run(text: &str) -> &str {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    let run = ends.take_while(|end| {
        let part = &text[..*end];
        let back: String = part.chars().rev().collect();
        let along = |track: &&str| track.contains(part) || track.contains(&back);
        TRACKS.iter().any(along)
    });
    &text[..run.last().unwrap_or(0)]
}

/// Letters in place of the digits and signs that stand for them.
fn plain(text: &str) -> String {
    let letter = |c| match c {
        '0' => 'o',
        '1' | '!' | '|' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        '9' => 'g',
        c => c,
    };
    text.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const JANE: Person<'_> = Person {
        username: "jane.d-miller",
        name: "Jane Ó Briain",
        email: "first.contact@example.com",
    };

    #[test]
    fn what_is_tried_first_is_refused() {
        for weak in [
            "password",
            "PASSWORD",
            "Passw0rd",
            "P@ssw0rd123!",
            "12345678",
            "9876543210",
            "1234567890",
            "11111111",
            "abababab",
            "abcdefgh",
            "qwertyuiop",
            "qwertz12345",
            "1q2w3e4r5t",
            "1qaz2wsx",
            "!@#$%^&*",
            "abc12345",
            "asdfasdf",
            "iloveyou",
            "Sunshine1!",
            "letmein123",
            "admin1234",
            "welcome2026!",
            "trustno1",
            "passwordpassword",
            "ßßßßßßßß",
        ] {
            assert_eq!(problem(weak, JANE), Some(COMMON), "{weak}");
        }
    }

    #[test]
    fn what_is_a_persons_own_is_refused() {
        for own in
            ["jane.d-miller", "xxJANExx99", "the miller's wife", "my first car", "o briain 1"]
        {
            assert_eq!(problem(own, JANE), Some(COMMON), "{own}");
        }
        let short = Person { username: "bo", name: "Bo Li", email: "bo@li.example" };
        assert_eq!(problem("bold libertine", short), None);
    }

    #[test]
    fn other_passwords_are_nobodys_business() {
        for good in [
            "correct horse battery",
            "given by an admin",
            "kangaroo2571",
            "dragon4815162342",
            "xk7#m2qp",
            "password of my aunt",
            "ünïcödé wörds",
        ] {
            assert_eq!(problem(good, JANE), None, "{good}");
        }
    }

    #[test]
    fn the_length_comes_first() {
        assert_eq!(problem("1234567", JANE), password::problem("1234567"));
        assert!(problem(&"a".repeat(129), JANE).is_some_and(|text| text != COMMON));
    }

    #[test]
    fn the_list_is_in_small_letters_and_in_order() {
        let lines: Vec<&str> = include_str!("common.txt").lines().skip(2).collect();
        assert!(lines.is_sorted_by(|a, b| a < b), "sorted, each once");
        assert!(lines.iter().all(|line| *line == line.to_lowercase()));
    }
}
