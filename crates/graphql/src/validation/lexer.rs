//! From text to tokens, in one pass that also bounds their number and the
//! nesting of brackets, before anything recursive sees the document.

use super::error::{Pos, StaticError};

/// Most tokens of a document.
pub const MAX_TOKENS: usize = 5_000;
/// Deepest nesting of brackets.
pub const MAX_NESTING: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    LeftBrace,
    RightBrace,
    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    Colon,
    Dollar,
    At,
    Spread,
    Equals,
    Bang,
    Pipe,
    Ampersand,
    Name,
    Int,
    Float,
    Text,
    Block,
    /// What no document may contain.
    Unknown,
}

/// One token and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Token<'t> {
    pub kind: Kind,
    /// As it was written, quotes included.
    pub text: &'t str,
    /// Its first character.
    pub pos: Pos,
}

/// All tokens and where the text ends, or the limit that was passed.
pub fn tokens(text: &str) -> Result<(Vec<Token<'_>>, Pos), StaticError> {
    let mut lexer = Lexer { text, at: 0, line: 1, column: 1 };
    let mut found = Vec::new();
    let mut nesting = 0usize;
    while let Some(token) = lexer.next() {
        match token.kind {
            Kind::LeftBrace | Kind::LeftParen | Kind::LeftBracket => nesting += 1,
            Kind::RightBrace | Kind::RightParen | Kind::RightBracket => {
                nesting = nesting.saturating_sub(1);
            }
            _ => {}
        }
        if nesting > MAX_NESTING {
            let text = format!("Query has brackets nested more than {MAX_NESTING} deep");
            return Err(StaticError::new("documentTooDeep", text).at(token.pos));
        }
        if found.len() == MAX_TOKENS {
            let text = format!("Query has more than {MAX_TOKENS} tokens");
            return Err(StaticError::new("documentTooLarge", text).at(token.pos));
        }
        found.push(token);
    }
    Ok((found, lexer.pos()))
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    column: u32,
}

impl<'t> Lexer<'t> {
    fn pos(&self) -> Pos {
        Pos { line: self.line, column: self.column }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Moves over `bytes` of text, counting lines and characters.
    fn advance(&mut self, bytes: usize) -> &'t str {
        let passed = &self.text[self.at..self.at + bytes];
        for letter in passed.chars() {
            if letter == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.at += bytes;
        passed
    }

    fn skip_ignored(&mut self) {
        loop {
            let rest = self.rest();
            let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | ',' | '\u{feff}');
            let space = rest.len() - rest.trim_start_matches(blank).len();
            if space > 0 {
                self.advance(space);
            } else if rest.starts_with('#') {
                let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
                self.advance(end);
            } else {
                return;
            }
        }
    }

    fn next(&mut self) -> Option<Token<'t>> {
        self.skip_ignored();
        let rest = self.rest();
        let first = rest.chars().next()?;
        let pos = self.pos();
        let (kind, length) = match first {
            '{' => (Kind::LeftBrace, 1),
            '}' => (Kind::RightBrace, 1),
            '(' => (Kind::LeftParen, 1),
            ')' => (Kind::RightParen, 1),
            '[' => (Kind::LeftBracket, 1),
            ']' => (Kind::RightBracket, 1),
            ':' => (Kind::Colon, 1),
            '$' => (Kind::Dollar, 1),
            '@' => (Kind::At, 1),
            '=' => (Kind::Equals, 1),
            '!' => (Kind::Bang, 1),
            '|' => (Kind::Pipe, 1),
            '&' => (Kind::Ampersand, 1),
            '.' if rest.starts_with("...") => (Kind::Spread, 3),
            '"' => string(rest),
            '_' | 'a'..='z' | 'A'..='Z' => {
                let name = |c: char| c == '_' || c.is_ascii_alphanumeric();
                (Kind::Name, rest.find(|c| !name(c)).unwrap_or(rest.len()))
            }
            '-' | '0'..='9' => number(rest),
            other => (Kind::Unknown, other.len_utf8()),
        };
        let text = self.advance(length);
        Some(Token { kind, text, pos })
    }
}

fn string(rest: &str) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    if rest.starts_with("\"\"\"") {
        let mut at = 3;
        while at < bytes.len() {
            if rest[at..].starts_with("\\\"\"\"") {
                at += 4;
            } else if rest[at..].starts_with("\"\"\"") {
                return (Kind::Block, at + 3);
            } else {
                at += rest[at..].chars().next().map_or(1, char::len_utf8);
            }
        }
        return (Kind::Unknown, rest.len());
    }
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return (Kind::Text, at + 1),
            b'\n' | b'\r' => return (Kind::Unknown, at),
            b'\\' if at + 1 < bytes.len() && bytes[at + 1].is_ascii() => at += 2,
            _ => at += 1,
        }
    }
    (Kind::Unknown, rest.len())
}

/// Number of bytes and whether it is a whole number; what a number may not
/// be followed by makes it unknown.
fn number(rest: &str) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let digits = |mut at: usize| {
        let from = at;
        while at < bytes.len() && bytes[at].is_ascii_digit() {
            at += 1;
        }
        (at, at - from)
    };
    let start = usize::from(bytes[0] == b'-');
    let (mut at, count) = digits(start);
    let mut kind = Kind::Int;
    if count == 0 || (count > 1 && bytes[start] == b'0') {
        return (Kind::Unknown, at.max(1));
    }
    if bytes.get(at) == Some(&b'.') {
        let (end, count) = digits(at + 1);
        if count == 0 {
            return (Kind::Unknown, end);
        }
        (kind, at) = (Kind::Float, end);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let (end, count) = digits(at + 1 + sign);
        if count == 0 {
            return (Kind::Unknown, end);
        }
        (kind, at) = (Kind::Float, end);
    }
    match bytes.get(at) {
        Some(b'.' | b'_' | b'a'..=b'z' | b'A'..=b'Z') => (Kind::Unknown, at + 1),
        _ => (kind, at),
    }
}

/// The text with every literal replaced, for the log.
pub fn masked(text: &str) -> String {
    let Ok((all, _)) = tokens(text) else {
        return String::new();
    };
    let mut out = String::with_capacity(text.len());
    let mut word = false;
    for token in all {
        let is_word = matches!(
            token.kind,
            Kind::Name | Kind::Int | Kind::Float | Kind::Spread | Kind::Dollar | Kind::At
        );
        let sticks = word && is_word && !out.ends_with(['$', '@', '.']);
        if sticks {
            out.push(' ');
        }
        out.push_str(match token.kind {
            Kind::Text | Kind::Block => "\"…\"",
            Kind::Int | Kind::Float => "0",
            _ => token.text,
        });
        word = is_word;
    }
    out
}
