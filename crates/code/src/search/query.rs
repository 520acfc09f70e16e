//! What is looked for in code: a text, and in which files.

use kernel::error::{Error, Result};
use kernel::search::{MAX_CHARS, Piece};
use regex::Regex;

/// A text as it stands in lines, and what narrows the files. Letters are the same in any
/// case, those of ASCII, as git compares them.
#[derive(Debug, Clone, Default)]
pub struct CodeQuery {
    text: String,
    filters: Vec<Filter>,
}

/// What a filter looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Name,
    Path,
    Extension,
}

/// `extension:rs`, `-path:vendor/*`.
#[derive(Debug, Clone)]
struct Filter {
    of: Of,
    value: String,
    /// Files like this are left out.
    is_without: bool,
    pattern: Regex,
}

/// What is looked for in messages: a text as it is.
pub fn message(text: &str) -> Result<String> {
    if text.chars().nth(MAX_CHARS).is_some() {
        let text = format!("search is too long (maximum is {MAX_CHARS} characters)");
        return Err(Error::Parameters(vec![text]));
    }
    // Git takes lines for alternatives.
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Ok(text.trim().to_owned())
}

impl CodeQuery {
    /// Reads a text, of which only filters are taken for more than a text.
    pub fn parse(text: &str) -> Result<CodeQuery> {
        let text = message(text)?;
        let (mut words, mut filters) = (Vec::new(), Vec::new());
        for word in text.split(' ') {
            match Filter::read(word)? {
                Some(filter) => filters.push(filter),
                None => words.push(word),
            }
        }
        Ok(CodeQuery { text: words.join(" ").trim().to_owned(), filters })
    }

    /// Nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.filters.is_empty()
    }

    /// Arguments of `git grep` before the commit.
    pub(super) fn arguments(&self) -> Vec<String> {
        match self.text.as_str() {
            // The first line stands for a file that is found by its name.
            "" => ["--max-count=1", "-e", ""].map(str::to_owned).into(),
            // One argument with its name before it: it can be no other option.
            text => vec!["--context=2".into(), format!("-e{text}")],
        }
    }

    /// What stands behind `--`: git takes patterns for alternatives, so that it gets one
    /// of them beside those that leave files out; [`CodeQuery::fits`] tells the rest.
    pub(super) fn patterns(&self) -> Vec<String> {
        let first = self.filters.iter().find(|filter| !filter.is_without);
        let without = self.filters.iter().filter(|filter| filter.is_without);
        first.into_iter().chain(without).map(Filter::pathspec).collect()
    }

    /// Whether the filters let a file pass.
    pub(super) fn fits(&self, path: &str) -> bool {
        let passes = |filter: &Filter| filter.pattern.is_match(path) != filter.is_without;
        self.filters.iter().all(passes)
    }

    /// A line with where it is what was looked for.
    pub fn marked(&self, line: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut add = |text: &str, is_marked: bool| {
            if !text.is_empty() {
                pieces.push(Piece { text: text.to_owned(), is_marked });
            }
        };
        let mut from = 0;
        for at in self.matches(line) {
            add(&line[from..at], false);
            from = at + self.text.len();
            add(&line[at..from], true);
        }
        add(&line[from..], false);
        pieces
    }

    /// Where a line has what was looked for.
    pub(crate) fn matches(&self, line: &str) -> Vec<usize> {
        if self.text.is_empty() {
            return Vec::new();
        }
        let (line, text) = (line.to_ascii_lowercase(), self.text.to_ascii_lowercase());
        line.match_indices(&text).map(|(at, _)| at).collect()
    }
}

impl Filter {
    fn read(word: &str) -> Result<Option<Filter>> {
        let plain = word.strip_prefix('-').unwrap_or(word);
        let (of, value) = match plain.split_once(':') {
            Some((_, "")) => return Ok(None),
            Some(("filename", value)) => (Of::Name, value),
            Some(("path", value)) => (Of::Path, value),
            Some(("extension", value)) => (Of::Extension, value.trim_start_matches('.')),
            _ => return Ok(None),
        };
        let pattern = Regex::new(&expression(of, value)).map_err(Error::internal)?;
        Ok(Some(Filter {
            of,
            value: value.to_owned(),
            is_without: plain.len() < word.len(),
            pattern,
        }))
    }

    /// The same as git takes it. It begins with `:(`, so that it can be nothing else.
    fn pathspec(&self) -> String {
        let mut glob = String::new();
        for c in self.value.chars() {
            if matches!(c, '?' | '[' | ']' | '\\') {
                glob.push('\\');
            }
            glob.push(c);
        }
        let without = if self.is_without { "exclude," } else { "" };
        match self.of {
            Of::Name => format!(":({without}icase,glob)**/{glob}"),
            Of::Path => format!(":({without}icase)*{glob}*"),
            Of::Extension => format!(":({without}icase)*.{glob}"),
        }
    }
}

/// A filter as an expression on paths.
fn expression(of: Of, value: &str) -> String {
    let any = if of == Of::Path { ".*" } else { "[^/]*" };
    let value = regex::escape(value).replace("\\*", any);
    match of {
        Of::Name => format!("(?is)(^|/){value}$"),
        Of::Path => format!("(?is){value}"),
        Of::Extension => format!("(?is)\\.{value}$"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> CodeQuery {
        CodeQuery::parse(text).expect("it is short")
    }

    #[test]
    fn filters_are_taken_out_of_the_text() {
        let query = read("fn  main( extension:.RS -path:vendor/* end");
        assert_eq!(query.text, "fn  main( end");
        assert_eq!(query.patterns(), [":(icase)*.RS", ":(exclude,icase)*vendor/**"]);
        assert!(query.fits("src/a.rs") && !query.fits("my/vendor/a.rs") && !query.fits("ars"));
        let query = read("filename:*.te[s]t path:docs/");
        assert_eq!(query.patterns(), [":(icase,glob)**/*.te\\[s\\]t"]);
        assert!(query.fits("docs/a.te[s]t") && !query.fits("docs/a.te[s]t/b"));
        assert!(!query.fits("a.te[s]t") && query.text.is_empty());
    }

    #[test]
    fn everything_else_is_text() {
        for text in ["--open-files-in-pager=x", "filename:", "lang:rust", "-x", "http://a"] {
            let query = read(text);
            assert_eq!((query.text.as_str(), query.filters.len()), (text, 0));
            assert_eq!(query.arguments()[1], format!("-e{text}"));
        }
        assert_eq!(read("a\nb\0c").text, "a b c");
        assert!(read(" \n ").is_empty() && CodeQuery::parse(&"x".repeat(1001)).is_err());
    }

    #[test]
    fn matches_are_marked_in_any_case() {
        let pieces = read("Fn").marked("fn a() -> FN ü");
        let shown: Vec<_> = pieces.iter().map(|it| (it.text.as_str(), it.is_marked)).collect();
        assert_eq!(shown, [("fn", true), (" a() -> ", false), ("FN", true), (" ü", false)]);
        assert_eq!(read("extension:rs").marked("rs").len(), 1);
    }
}
