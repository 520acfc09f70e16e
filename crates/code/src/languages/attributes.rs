//! What the file `.gitattributes` at the root says of languages.

use regex::{Regex, RegexSet, RegexSetBuilder};

/// Lines that are read.
const MOST_LINES: usize = 1_000;
/// Bytes that all patterns may take once they are read.
const MAX_COMPILED: usize = 4 << 20;

/// What one line says; what is absent is as the lines before have it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    pub language: Option<String>,
    pub vendored: Option<bool>,
    pub generated: Option<bool>,
    pub documentation: Option<bool>,
    pub detectable: Option<bool>,
}

/// The lines that say something of languages.
#[derive(Debug)]
pub struct Attributes {
    patterns: RegexSet,
    wishes: Vec<Wish>,
}

impl Attributes {
    pub fn read(text: &str) -> Attributes {
        let lines = text.lines().take(MOST_LINES).filter_map(line);
        let (patterns, wishes): (Vec<String>, Vec<Wish>) = lines.unzip();
        let built = RegexSetBuilder::new(patterns).size_limit(MAX_COMPILED).build();
        match built {
            Ok(patterns) => Attributes { patterns, wishes },
            // Too much to be read says nothing.
            Err(_) => Attributes { patterns: RegexSet::empty(), wishes: Vec::new() },
        }
    }

    /// What is said of a path: of several lines the last one that says it.
    pub fn of(&self, path: &str) -> Wish {
        let mut all = Wish::default();
        for at in self.patterns.matches(path) {
            let wish = &self.wishes[at];
            all.language = wish.language.clone().or(all.language);
            all.vendored = wish.vendored.or(all.vendored);
            all.generated = wish.generated.or(all.generated);
            all.documentation = wish.documentation.or(all.documentation);
            all.detectable = wish.detectable.or(all.detectable);
        }
        all
    }
}

/// A pattern, and what stands behind it.
fn line(text: &str) -> Option<(String, Wish)> {
    let mut words = text.split_whitespace();
    let pattern = words.next().filter(|word| !word.starts_with(['#', '!', '"', '[']))?;
    let mut wish = Wish::default();
    for word in words {
        let (is_on, name) = match word.strip_prefix('-') {
            Some(name) => (false, name),
            None => (true, word),
        };
        let (name, value) = name.split_once('=').unwrap_or((name, ""));
        let flag = Some(is_on && value != "false");
        match name {
            "linguist-language" if !value.is_empty() => wish.language = Some(value.to_owned()),
            "linguist-vendored" => wish.vendored = flag,
            "linguist-generated" => wish.generated = flag,
            "linguist-documentation" => wish.documentation = flag,
            "linguist-detectable" => wish.detectable = flag,
            _ => {}
        }
    }
    (wish != Wish::default()).then(|| (pattern_of(pattern), wish))
}

/// A pattern of git's as one for whole paths. Without a slash it is for names anywhere.
fn pattern_of(glob: &str) -> String {
    let is_of_path = glob.trim_end_matches('/').contains('/');
    let mut text = String::from(if is_of_path { "^" } else { "(?:^|/)" });
    let mut rest = glob.trim_start_matches('/');
    while let Some(letter) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("**/") {
            text.push_str("(?:.*/)?");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("**") {
            text.push_str(".*");
            rest = after;
        } else {
            match letter {
                '*' => text.push_str("[^/]*"),
                '?' => text.push_str("[^/]"),
                other => text.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
            }
            rest = &rest[letter.len_utf8()..];
        }
    }
    text.push('$');
    debug_assert!(Regex::new(&text).is_ok(), "{text}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_git_reads_them() {
        let text = "# a comment\n*.inc linguist-language=PHP\n/gen/** linguist-generated\n\
            gen/own.rs -linguist-generated\ndocs/*.rs linguist-documentation=false text\n\
            *.txt text\n*.sql linguist-detectable linguist-vendored=true\n";
        let read = Attributes::read(text);
        assert_eq!(read.of("a/b.inc").language.as_deref(), Some("PHP"));
        assert_eq!(read.of("b.inc").language.as_deref(), Some("PHP"));
        assert_eq!(read.of("gen/a/b.rs").generated, Some(true));
        assert_eq!(read.of("gen/own.rs").generated, Some(false));
        assert_eq!(read.of("other/gen/a.rs").generated, None);
        assert_eq!(read.of("docs/a.rs").documentation, Some(false));
        assert_eq!(read.of("docs/a/b.rs").documentation, None);
        assert_eq!(read.of("x.txt"), Wish::default());
        let sql = read.of("db/x.sql");
        assert_eq!((sql.detectable, sql.vendored), (Some(true), Some(true)));
    }
}
