//! Patterns of paths as `fnmatch` reads them, with pathname, dotmatch and extglob
//! (contract 6.1), and the wider `**` of includes (contract 2).

use regex::Regex;

/// What `**` means where no slash follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// As `*`: within a folder.
    Rules,
    /// Anything, slashes too.
    Includes,
}

/// A compiled pattern that a whole path has to fit.
#[derive(Clone, Debug)]
pub struct Glob(Regex);

/// Bytes of a pattern; a longer one fits nothing.
const LONGEST: usize = 4096;

impl Glob {
    pub fn new(pattern: &str, dialect: Dialect) -> Option<Self> {
        if pattern.len() > LONGEST {
            return None;
        }
        let source = format!("(?s)\\A(?:{})\\z", Writer::new(pattern, dialect).write());
        let compiled = regex::RegexBuilder::new(&source).size_limit(1 << 20).build();
        compiled.ok().map(Self)
    }

    pub fn fits(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

/// Whether a path is a pattern at all.
pub(crate) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{', '\\'])
}

struct Writer<'a> {
    rest: &'a str,
    dialect: Dialect,
    out: String,
    /// Nothing of the current folder's name has been read.
    at_start: bool,
    /// For each brace that is open, whether it began with a folder's name.
    braces: Vec<bool>,
}

impl<'a> Writer<'a> {
    fn new(rest: &'a str, dialect: Dialect) -> Self {
        Self {
            rest,
            dialect,
            out: String::new(),
            at_start: true,
            braces: Vec::new(),
        }
    }

    fn write(mut self) -> String {
        while let Some(c) = self.rest.chars().next() {
            let starts = self.at_start;
            self.at_start = false;
            match c {
                '*' => self.stars(starts),
                '?' => self.step(1, "[^/]"),
                '[' => self.set(),
                '{' if closes(self.rest) => {
                    self.step(1, "(?:");
                    self.braces.push(starts);
                    self.at_start = starts;
                }
                ',' if !self.braces.is_empty() => {
                    self.step(1, "|");
                    self.at_start = self.braces.last().copied().unwrap_or(false);
                }
                '}' if !self.braces.is_empty() => {
                    self.step(1, ")");
                    self.braces.pop();
                }
                '\\' if self.rest.len() > 1 => {
                    self.step(1, "");
                    self.plain();
                }
                '/' => {
                    self.step(1, "/");
                    self.at_start = true;
                }
                _ => self.plain(),
            }
        }
        self.out
    }

    /// Writes what the next `bytes` of the pattern mean.
    fn step(&mut self, bytes: usize, meaning: &str) {
        self.out.push_str(meaning);
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    fn plain(&mut self) {
        if let Some(c) = self.rest.chars().next() {
            let meaning = regex::escape(c.encode_utf8(&mut [0; 4]));
            self.step(c.len_utf8(), &meaning);
        }
    }

    fn stars(&mut self, starts: bool) {
        let count = self.rest.bytes().take_while(|b| *b == b'*').count();
        let folders = self.rest.get(count..).is_some_and(|rest| rest.starts_with('/'));
        match (count >= 2, starts && folders, self.dialect) {
            (true, true, _) => {
                self.step(count + 1, "(?:[^/]+/)*");
                self.at_start = true;
            }
            (true, false, Dialect::Includes) => self.step(count, ".*"),
            _ => self.step(count, "[^/]*"),
        }
    }

    /// `[a-z]`, `[^a]` or `[!a]`; without an end it is a plain bracket.
    fn set(&mut self) {
        let inner = self.rest.get(1..).unwrap_or_default();
        let (negated, inner) = match inner.strip_prefix(['^', '!']) {
            Some(inner) => (true, inner),
            None => (false, inner),
        };
        let Some(end) = inner.find(']').filter(|end| *end > 0) else {
            return self.plain();
        };
        let members = inner.get(..end).unwrap_or_default();
        let mut set = String::from(if negated { "[^/" } else { "[" });
        for c in members.chars() {
            if matches!(c, '[' | '&' | '~' | '^' | '\\') {
                set.push('\\');
            }
            set.push(c);
        }
        set.push(']');
        let bytes = 1 + usize::from(negated) + end + 1;
        match Regex::new(&set).is_ok() {
            true => self.step(bytes, &set),
            false => self.plain(),
        }
    }
}

/// Whether the brace that stands first has its end.
fn closes(text: &str) -> bool {
    let mut open = 0_usize;
    for c in text.chars() {
        match c {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            _ => (),
        }
        if open == 0 {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whole_paths() {
        for (pattern, path, fits) in [
            ("*.rs", "a.rs", true),
            ("*.rs", "src/a.rs", false),
            ("**/*.rs", "a.rs", true),
            ("**/*.rs", "src/deep/a.rs", true),
            ("src/**/*", "src/a/b", true),
            ("src/**/*", "src", false),
            ("src/**", "src/a", true),
            ("src/**", "src/a/b", false),
            ("**/.hidden", "a/.hidden", true),
            ("*", ".env", true),
            ("{a,b}/*.{rs,md}", "b/x.md", true),
            ("{a,**/b}.txt", "x/y/b.txt", true),
            ("a?c", "a/c", false),
            ("[a-c].txt", "b.txt", true),
            ("[^a].txt", "a.txt", false),
            ("[^a]b", "/b", false),
            ("a[.txt", "a[.txt", true),
            ("{a", "{a", true),
            (r"\*", "*", true),
            (r"\*", "x", false),
        ] {
            let glob = Glob::new(pattern, Dialect::Rules).unwrap();
            assert_eq!(glob.fits(path), fits, "{pattern} {path}");
        }
        let wide = Glob::new("ci/**.yml", Dialect::Includes).unwrap();
        assert!(wide.fits("ci/a/b.yml"));
        assert!(!Glob::new("ci/*.yml", Dialect::Includes).unwrap().fits("ci/a/b.yml"));
    }
}
