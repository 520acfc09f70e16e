//! Code in texts, with its words told apart by colour.
//!
//! A scanner of our own, since time must be bounded for whatever people send:
//! it reads each byte a few times at most. The
//! grammars that editors share are made of patterns that backtrack; single
//! lines are known that keep them busy for minutes.

use super::colours::{Coloured, Token};
use super::languages::{Kind, Language, language};

/// Bytes of one block that are coloured at most.
const MAX_CODE: usize = 64 * 1024;
/// Bytes of all blocks of a text that are coloured at most.
pub(super) const BUDGET: usize = 256 * 1024;
/// Bytes in which a single quote must close, or it is an apostrophe.
const MAX_QUOTED: usize = 500;

/// The code as HTML, for who names its language; none where nobody knows it,
/// or it is too long.
pub(super) fn coloured(info: &str, code: &str) -> Option<String> {
    if code.len() > MAX_CODE {
        return None;
    }
    let language = language(info)?;
    let mut scanner = Scanner { code, at: 0, language, out: Coloured::new(code.len()) };
    match language.kind {
        Kind::Code => scanner.whole(Scanner::code),
        Kind::Data => scanner.whole(Scanner::data),
        Kind::Tags => scanner.tags(),
        Kind::Diff => scanner.diff(),
    }
    Some(scanner.out.into_html())
}

struct Scanner<'c> {
    code: &'c str,
    at: usize,
    language: &'static Language,
    out: Coloured,
}

impl<'c> Scanner<'c> {
    fn rest(&self) -> &'c str {
        &self.code[self.at..]
    }

    fn take(&mut self, token: Token, length: usize) {
        let end = self.code.len().min(self.at + length);
        if end > self.at {
            self.out.add(token, &self.code[self.at..end]);
        }
        self.at = end;
    }

    /// Goes through the code by a step that takes something each time, or
    /// leaves one character to be taken as it is.
    fn whole(&mut self, step: fn(&mut Scanner<'c>)) {
        while self.at < self.code.len() {
            let before = self.at;
            step(self);
            if self.at == before {
                let one = self.rest().chars().next().map_or(1, char::len_utf8);
                self.take(Token::Plain, one);
            }
        }
        self.out.end();
    }

    fn code(&mut self) {
        if self.comment() || self.text() || self.number() || self.variable() {
            return;
        }
        let word = word(self.rest());
        if word > 0 {
            let token = self.meaning(&self.rest()[..word], &self.rest()[word..]);
            self.take(token, word);
        }
    }

    /// What a word of a program is, by what follows it.
    fn meaning(&self, word: &str, after: &str) -> Token {
        if self.language.knows(word) {
            return Token::Keyword;
        }
        if after.starts_with('(') || after.starts_with("!(") {
            return Token::Function;
        }
        let big = word.starts_with(|c: char| c.is_uppercase());
        if big && self.language.names_types {
            Token::Type
        } else {
            Token::Plain
        }
    }

    /// Keys with values: what stands before a colon or equals sign is a name.
    fn data(&mut self) {
        if self.comment() {
            return;
        }
        let rest = self.rest();
        let text = self.text_length();
        let key = if text > 0 { text } else { key(rest) };
        if key > 0 && is_named(&rest[key..]) {
            return self.take(Token::Name, key);
        }
        if text > 0 {
            return self.take(Token::Text, text);
        }
        if self.number() || self.variable() {
            return;
        }
        if key > 0 {
            let token = match self.language.knows(&rest[..key]) {
                true => Token::Keyword,
                false => Token::Plain,
            };
            self.take(token, key);
        }
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        for (start, end) in self.language.blocks {
            if let Some(within) = rest.strip_prefix(start) {
                let end = within.find(end).map_or(rest.len(), |at| start.len() + at + end.len());
                self.take(Token::Comment, end);
                return true;
            }
        }
        let begins = |mark: &&str| rest.starts_with(*mark) && self.may_comment(mark);
        if !self.language.lines.iter().any(begins) {
            return false;
        }
        self.take(Token::Comment, rest.find('\n').unwrap_or(rest.len()));
        true
    }

    /// A hash begins a comment where a word could begin.
    fn may_comment(&self, mark: &str) -> bool {
        let before = self.code[..self.at].chars().next_back();
        mark != "#" || before.is_none_or(|c| c.is_whitespace() || matches!(c, ';' | '(' | ')'))
    }

    fn text(&mut self) -> bool {
        let length = self.text_length();
        self.take(Token::Text, length);
        length > 0
    }

    /// How long the quoted text is that stands here; none, if none does.
    fn text_length(&self) -> usize {
        let rest = self.rest();
        let Some(quote) = rest.chars().next().filter(|c| self.language.quotes.contains(*c)) else {
            return 0;
        };
        let thrice = ["\"\"\"", "'''"].into_iter().find(|mark| rest.starts_with(mark));
        if let Some(mark) = thrice {
            return rest[3..].find(mark).map_or(rest.len(), |at| at + 6);
        }
        let mut escaped = false;
        for (at, c) in rest.char_indices().skip(1) {
            match c {
                _ if quote == '\'' && at > self.longest_quoted() + 4 => return 0,
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                // A lifetime, or an apostrophe in what is no text.
                '\n' if quote != '`' => return if quote == '\'' { 0 } else { at },
                c if c == quote => return at + 1,
                _ if quote == '\'' && at > self.longest_quoted() => return 0,
                _ => {}
            }
        }
        if quote == '\'' { 0 } else { rest.len() }
    }

    fn longest_quoted(&self) -> usize {
        if self.language.has_lifetimes { 2 } else { MAX_QUOTED }
    }

    fn number(&mut self) -> bool {
        let rest = self.rest();
        let signed = rest.starts_with('-') && self.language.kind == Kind::Data;
        let digits = &rest[usize::from(signed)..];
        let before = self.code[..self.at].chars().next_back();
        if !digits.starts_with(|c: char| c.is_ascii_digit()) || before.is_some_and(joins) {
            return false;
        }
        let bytes = digits.as_bytes();
        // A dot before anything but a digit ends it: a range, a field, a sentence.
        let part = |at: usize| match bytes[at] {
            b'.' => bytes.get(at + 1).is_some_and(u8::is_ascii_digit),
            byte => byte.is_ascii_alphanumeric() || byte == b'_',
        };
        let length = (0..bytes.len()).find(|at| !part(*at)).unwrap_or(bytes.len());
        self.take(Token::Number, length + usize::from(signed));
        true
    }

    /// `$name`, `@name` and the like.
    fn variable(&mut self) -> bool {
        let rest = self.rest();
        let sign = rest.chars().next().filter(|c| self.language.signs.contains(*c));
        let Some(sign) = sign else {
            return false;
        };
        let name = rest[sign.len_utf8()..].trim_start_matches('{');
        let braces = rest.len() - sign.len_utf8() - name.len();
        let length = word(name);
        if length > 0 && braces <= 1 {
            self.take(Token::Name, sign.len_utf8() + braces + length);
        }
        length > 0 && braces <= 1
    }

    fn tags(&mut self) {
        while self.at < self.code.len() {
            if self.comment() {
                continue;
            }
            let rest = self.rest();
            let next = rest.find('<').unwrap_or(rest.len());
            if next > 0 {
                self.take(Token::Plain, next);
                continue;
            }
            self.tag();
        }
        self.out.end();
    }

    /// From an angle to the next one that closes it.
    fn tag(&mut self) {
        let rest = self.rest();
        let signs = rest.find(|c| !matches!(c, '<' | '/' | '?' | '!')).unwrap_or(rest.len());
        self.take(Token::Plain, signs);
        let name = key(self.rest());
        self.take(Token::Keyword, name);
        while self.at < self.code.len() && name > 0 {
            let rest = self.rest();
            if rest.starts_with('>') || rest.starts_with('<') {
                return;
            }
            let text = self.text_length();
            let attribute = key(rest);
            match (text, attribute) {
                (0, 0) => self.take(Token::Plain, rest.chars().next().map_or(1, char::len_utf8)),
                (0, length) => self.take(Token::Name, length),
                (length, _) => self.take(Token::Text, length),
            }
        }
    }

    fn diff(&mut self) {
        for line in self.code.split_inclusive('\n') {
            let token = match line.as_bytes() {
                [b'@', b'@', ..] => Token::Keyword,
                [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'd', b'i', b'f', b'f', ..] => {
                    Token::Name
                }
                [b'+', ..] => Token::Added,
                [b'-', ..] => Token::Removed,
                _ => Token::Plain,
            };
            self.out.add(token, line);
        }
        self.out.end();
    }
}

fn joins(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// How long the word is that a text begins with.
fn word(text: &str) -> usize {
    let begins = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if begins {
        text.find(|c| !joins(c)).unwrap_or(text.len())
    } else {
        0
    }
}

/// The same of a key, which may have dashes and dots.
fn key(text: &str) -> usize {
    let begins = text.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '.'));
    let part = |c: char| joins(c) || matches!(c, '-' | '.' | ':');
    let length = match begins {
        true => text.find(|c| !part(c)).unwrap_or(text.len()),
        false => 0,
    };
    text[..length].trim_end_matches(':').len()
}

/// Whether what follows a word makes it the name of a value.
fn is_named(after: &str) -> bool {
    let after = after.trim_start_matches([' ', '\t']);
    after.starts_with('=')
        || after.strip_prefix(':').is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with([' ', '\t', '\n', '\r', '"', '[', '{'])
                || rest.starts_with(|c: char| c.is_ascii_digit())
        })
}

#[cfg(test)]
mod tests {
    use super::super::colours::{CLASSES, GROWTH};
    use super::super::escape;
    use super::*;

    fn shown(info: &str, code: &str) -> String {
        let html = coloured(info, code).expect("a known language");
        let short = CLASSES.iter().fold(html, |html, class| {
            html.replace(&format!("<span class=\"{class}\">"), &format!("[{}:", &class[3..4]))
        });
        short.replace("</span>", "]")
    }

    #[test]
    fn words_are_told_apart() {
        for (info, code, expected) in [
            (
                "rust",
                "fn a<'x>(b: Vec<u8>) { 1 }",
                "[k:fn] a&lt;'x&gt;(b: [t:Vec]&lt;[k:u8]&gt;) { [n:1] }",
            ),
            ("rs", "0..n 1.5.a 2.", "[n:0]..n [n:1.5].a [n:2]."),
            ("rs", "let c = 'c'; // \"no\"", "[k:let] c = [t:'c']; [c:// &quot;no&quot;]"),
            (
                "python",
                "def a(): # b\n  '''x\ny'''",
                "[k:def] [f:a](): [c:# b]\n  [t:'''x\ny''']",
            ),
            ("JavaScript", "a(`x\n${1}`)", "[f:a]([t:`x\n${1}`])"),
            (
                "sh",
                "echo \"$A\" $B ${C} a#b",
                "[k:echo] [t:&quot;$A&quot;] [n:$B] [n:${C]} a#b",
            ),
            (
                "json",
                "{\"a\": \"b\", \"c\": -1.5}",
                "{[n:&quot;a&quot;]: [t:&quot;b&quot;], [n:&quot;c&quot;]: [n:-1.5]}",
            ),
            ("yaml", "a-b: true # c", "[n:a-b]: [k:true] [c:# c]"),
            ("toml", "[a]\nb = 'c'", "[a]\n[n:b] = [t:'c']"),
            (
                "html",
                "<!-- a --><p class=\"x\">it's</p>",
                "[c:&lt;!-- a --&gt;]&lt;[k:p] [n:class]=[t:&quot;x&quot;]&gt;it's&lt;/[k:p]&gt;",
            ),
            ("diff", "--- a\n+b\n-c\n d", "[n:--- a\n][a:+b\n][r:-c\n] d"),
            ("sql", "SELECT 1 -- x", "[k:SELECT] [n:1] [c:-- x]"),
            ("c", "/* a", "[c:/* a]"),
        ] {
            assert_eq!(shown(info, code), expected, "{info}");
        }
        assert_eq!(coloured("klingon", "x"), None);
        assert_eq!(coloured("", "x"), None);
    }

    /// Whatever is sent, the text itself stays, and time and size are bounded.
    #[test]
    fn hostile_code_is_cheap_and_stays_itself() {
        let parts = [
            "\"",
            "'",
            "`",
            "\\",
            "/*",
            "*/",
            "//",
            "#",
            "<",
            "<!--",
            "$",
            "${",
            "@",
            "1.",
            "a1 ",
            "- ",
            "+\n",
            "'''",
            "\"\"\"",
            "é",
            "\u{1F600}",
            "$(eval $(shell ",
            "((",
            "a:",
            "=",
        ];
        let kinds = ["rust", "python", "js", "sh", "json", "yaml", "html", "diff", "css", "php"];
        let started = std::time::Instant::now();
        for part in parts {
            let code = part.repeat(20_000 / part.len());
            for info in kinds {
                let html = coloured(info, &code).expect("a known language");
                assert!(html.len() <= code.len() * (GROWTH + 6) + 2048, "{info} {part:?}");
                let bare: String = html
                    .split('<')
                    .enumerate()
                    .map(|(n, piece)| match n {
                        0 => piece,
                        _ => piece.split_once('>').expect("a whole tag").1,
                    })
                    .collect();
                assert_eq!(bare, escape(&code), "{info} {part:?}");
            }
        }
        assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
        assert_eq!(coloured("rust", &"x".repeat(MAX_CODE + 1)), None);
    }
}
