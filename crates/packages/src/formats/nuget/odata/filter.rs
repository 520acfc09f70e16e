//! Conditions and orders of the feed: what old clients write after `$filter`
//! and `$orderby` (OData 2.0, section 4.5).
//!
//! An expression is read into a tree of bounded depth and size, which
//! [`super::eval`] asks of each version. Nothing of it reaches the database.

use kernel::error::{Error, Result};

/// Deepest nesting.
const MAX_DEPTH: usize = 40;
/// Most words of an expression.
const MAX_WORDS: usize = 2_000;

#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Literal(Value),
    Property(Property),
    Call(Function, Vec<Node>),
    Not(Box<Node>),
    Join(Operator, Box<Node>, Box<Node>),
}

/// What an expression comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Truth(bool),
    /// A whole number; of times microseconds.
    Number(i64),
    Text(String),
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $(#[doc = concat!("`", $text, "`")] $variant),* }

        impl $name {
            fn named(text: &str) -> Option<$name> {
                match text { $($text => Some($name::$variant),)* _ => None }
            }
        }
    };
}

words! {
    /// Properties of a version.
    Property {
        Id = "Id",
        Version = "Version",
        NormalizedVersion = "NormalizedVersion",
        Title = "Title",
        Authors = "Authors",
        Description = "Description",
        Summary = "Summary",
        Tags = "Tags",
        IsLatestVersion = "IsLatestVersion",
        IsAbsoluteLatestVersion = "IsAbsoluteLatestVersion",
        IsPrerelease = "IsPrerelease",
        Listed = "Listed",
        DownloadCount = "DownloadCount",
        VersionDownloadCount = "VersionDownloadCount",
        PackageSize = "PackageSize",
        Created = "Created",
        Published = "Published",
        LastUpdated = "LastUpdated",
        LastEdited = "LastEdited",
    }
}

words! {
    /// Functions of texts.
    Function {
        ToLower = "tolower",
        ToUpper = "toupper",
        Trim = "trim",
        Length = "length",
        Concat = "concat",
        SubstringOf = "substringof",
        StartsWith = "startswith",
        EndsWith = "endswith",
        IndexOf = "indexof",
    }
}

words! {
    /// What joins two expressions.
    Operator {
        Or = "or",
        And = "and",
        Equal = "eq",
        Unequal = "ne",
        Less = "lt",
        AtMost = "le",
        Greater = "gt",
        AtLeast = "ge",
    }
}

impl Function {
    /// How many values it takes.
    fn takes(self) -> usize {
        match self {
            Function::ToLower | Function::ToUpper | Function::Trim | Function::Length => 1,
            _ => 2,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    pub(super) of: Node,
    pub(super) descending: bool,
}

/// Reads a condition; blank is none.
pub fn condition(text: &str) -> Result<Option<Node>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let mut words = Words::read("$filter", text)?;
    let node = words.expression(0, 0)?;
    words.end()?;
    Ok(Some(node))
}

/// Reads an order; blank is none.
pub fn order(text: &str) -> Result<Vec<Key>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let mut words = Words::read("$orderby", text)?;
    let mut keys = Vec::new();
    loop {
        let of = words.expression(0, 0)?;
        let descending = words.takes(&Word::Name("desc".into()));
        if !descending {
            words.takes(&Word::Name("asc".into()));
        }
        keys.push(Key { of, descending });
        if !words.takes(&Word::Comma) {
            words.end()?;
            return Ok(keys);
        }
    }
}

/// A text given to a function of the feed: in quotes, or as it is.
pub fn quoted(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    match inner {
        Some(inner) => inner.replace("''", "'"),
        None => text.to_owned(),
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Word {
    Open,
    Close,
    Comma,
    Name(String),
    Value(Value),
}

struct Words {
    of: &'static str,
    words: Vec<Word>,
    at: usize,
}

impl Words {
    fn read(of: &'static str, text: &str) -> Result<Words> {
        let mut words = Vec::new();
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '(' | ')' | ',' => {
                    words.push(match first {
                        '(' => Word::Open,
                        ')' => Word::Close,
                        _ => Word::Comma,
                    });
                    1
                }
                '\'' => {
                    let (text, length) = text_in_quotes(rest).ok_or_else(|| invalid(of))?;
                    words.push(Word::Value(Value::Text(text)));
                    length
                }
                _ => {
                    let ends = |c: char| c.is_whitespace() || "(),'".contains(c);
                    let end = rest.find(ends).unwrap_or(rest.len());
                    let (word, length) =
                        word(&rest[..end], &rest[end..]).ok_or_else(|| invalid(of))?;
                    words.push(word);
                    length
                }
            };
            if words.len() > MAX_WORDS {
                return Err(refused(format!("{of} is too long")));
            }
            rest = rest[length..].trim_start();
        }
        Ok(Words { of, words, at: 0 })
    }

    fn peek(&self) -> Option<&Word> {
        self.words.get(self.at)
    }

    fn next(&mut self) -> Option<Word> {
        let word = self.words.get(self.at).cloned();
        self.at += 1;
        word
    }

    fn takes(&mut self, word: &Word) -> bool {
        let is_next = self.peek() == Some(word);
        self.at += usize::from(is_next);
        is_next
    }

    fn needs(&mut self, word: &Word) -> Result<()> {
        match self.takes(word) {
            true => Ok(()),
            false => Err(invalid(self.of)),
        }
    }

    fn end(&self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(invalid(self.of)),
        }
    }

    /// An expression of operators that bind at least as tightly as `least`:
    /// `or` 0, `and` 1, comparisons 2.
    fn expression(&mut self, least: u8, depth: usize) -> Result<Node> {
        if depth > MAX_DEPTH {
            return Err(refused(format!("{} is nested too deeply", self.of)));
        }
        let mut left = self.operand(depth)?;
        while let Some(operator) = self.operator(least) {
            self.at += 1;
            let right = self.expression(binding(operator) + 1, depth + 1)?;
            left = Node::Join(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn operator(&self, least: u8) -> Option<Operator> {
        let Some(Word::Name(name)) = self.peek() else {
            return None;
        };
        Operator::named(name).filter(|operator| binding(*operator) >= least)
    }

    fn operand(&mut self, depth: usize) -> Result<Node> {
        match self.next() {
            Some(Word::Open) => {
                let inner = self.expression(0, depth + 1)?;
                self.needs(&Word::Close)?;
                Ok(inner)
            }
            Some(Word::Value(value)) => Ok(Node::Literal(value)),
            Some(Word::Name(name)) if name == "not" => {
                let inner = self.expression(2, depth + 1)?;
                Ok(Node::Not(Box::new(inner)))
            }
            Some(Word::Name(name)) if self.takes(&Word::Open) => self.call(&name, depth),
            Some(Word::Name(name)) => {
                let text = || refused(format!("{} names an unknown property {name}", self.of));
                Property::named(&name).map(Node::Property).ok_or_else(text)
            }
            _ => Err(invalid(self.of)),
        }
    }

    /// A function, whose name and opening parenthesis are read.
    fn call(&mut self, name: &str, depth: usize) -> Result<Node> {
        let text = || refused(format!("{} names an unknown function {name}", self.of));
        let function = Function::named(name).ok_or_else(text)?;
        let mut values = Vec::new();
        for number in 0..function.takes() {
            if number > 0 {
                self.needs(&Word::Comma)?;
            }
            values.push(self.expression(0, depth + 1)?);
        }
        self.needs(&Word::Close)?;
        Ok(Node::Call(function, values))
    }
}

fn binding(operator: Operator) -> u8 {
    match operator {
        Operator::Or => 0,
        Operator::And => 1,
        _ => 2,
    }
}

/// The text in quotes at the beginning, doubled ones standing for one, and
/// how many bytes it takes.
fn text_in_quotes(rest: &str) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut inside = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = inside.next() {
        match c {
            '\'' if inside.next_if(|(_, next)| *next == '\'').is_some() => text.push('\''),
            '\'' => return Some((text, at + 1)),
            _ => text.push(c),
        }
    }
    None
}

/// A bare word and how many bytes it takes; `behind` follows it.
fn word(text: &str, behind: &str) -> Option<(Word, usize)> {
    if text == "datetime" && behind.starts_with('\'') {
        let (at, length) = text_in_quotes(behind)?;
        return Some((Word::Value(Value::Number(micros(&at)?)), text.len() + length));
    }
    let word = match text {
        "null" => Word::Value(Value::Null),
        "true" => Word::Value(Value::Truth(true)),
        "false" => Word::Value(Value::Truth(false)),
        _ if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => {
            let number = text.trim_end_matches(['L', 'l']).parse().ok()?;
            Word::Value(Value::Number(number))
        }
        _ => Word::Name(text.to_owned()),
    };
    Some((word, text.len()))
}

/// A time without zone, which is UTC, in microseconds.
fn micros(text: &str) -> Option<i64> {
    let text = text.trim_end_matches('Z');
    let at: jiff::civil::DateTime = text.parse().ok()?;
    let at = at.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(at.timestamp().as_microsecond())
}

fn invalid(of: &str) -> Error {
    refused(format!("{of} is invalid"))
}

fn refused(reason: String) -> Error {
    Error::BadRequest(reason)
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;
