//! From the text of an expression to its tokens.

use regex::Regex;

use super::Invalid;
use crate::limits::EXPRESSION_TOKENS;
use crate::pattern;

#[derive(Clone, Debug)]
pub(super) enum Token {
    Variable(String),
    Text(String),
    Regex(Regex),
    Null,
    Bool(bool),
    Or,
    And,
    Equal,
    NotEqual,
    Fits,
    FitsNot,
    Not,
    Open,
    Close,
}

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, Invalid> {
    let mut rest = text.trim_start();
    let mut tokens = Vec::new();
    while !rest.is_empty() {
        let (token, after) = token(rest)?;
        tokens.push(token);
        if tokens.len() > EXPRESSION_TOKENS {
            return Err(Invalid);
        }
        rest = after.trim_start();
    }
    Ok(tokens)
}

fn token(rest: &str) -> Result<(Token, &str), Invalid> {
    const FIXED: [(&str, Token); 12] = [
        ("||", Token::Or),
        ("&&", Token::And),
        ("==", Token::Equal),
        ("!=", Token::NotEqual),
        ("=~", Token::Fits),
        ("!~", Token::FitsNot),
        ("!", Token::Not),
        ("(", Token::Open),
        (")", Token::Close),
        ("null", Token::Null),
        ("true", Token::Bool(true)),
        ("false", Token::Bool(false)),
    ];
    for (text, token) in FIXED {
        if let Some(after) = rest.strip_prefix(text) {
            return Ok((token, after));
        }
    }
    if let Some(inner) = rest.strip_prefix("$[[") {
        let (path, after) = inner.split_once("]]").ok_or(Invalid)?;
        return Ok((Token::Variable(path.trim().to_owned()), after));
    }
    match rest.chars().next() {
        Some('$') => variable(rest),
        Some(quote @ ('"' | '\'')) => quoted(rest, quote),
        Some('/') => regex(rest),
        _ => Err(Invalid),
    }
}

fn variable(rest: &str) -> Result<(Token, &str), Invalid> {
    let name = rest.get(1..).unwrap_or_default();
    let end = name
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(name.len());
    match name.split_at_checked(end) {
        Some((name, after)) if !name.is_empty() => Ok((Token::Variable(name.to_owned()), after)),
        _ => Err(Invalid),
    }
}

fn quoted(rest: &str, quote: char) -> Result<(Token, &str), Invalid> {
    let inner = rest.get(1..).unwrap_or_default();
    let (text, after) = inner.split_once(quote).ok_or(Invalid)?;
    Ok((Token::Text(text.to_owned()), after))
}

/// Ends at the first slash without a backslash before it, and has two characters.
fn regex(rest: &str) -> Result<(Token, &str), Invalid> {
    let inner = rest.get(1..).unwrap_or_default();
    let end = inner
        .match_indices('/')
        .map(|(at, _)| at)
        .find(|at| !inner.get(..*at).is_some_and(|before| before.ends_with('\\')))
        .ok_or(Invalid)?;
    let (source, after) = inner.split_at_checked(end).ok_or(Invalid)?;
    let after = after.get(1..).unwrap_or_default();
    let flags = after.len() - after.trim_start_matches(['i', 's', 'm', 'U']).len();
    let (flags, after) = after.split_at_checked(flags).ok_or(Invalid)?;
    if source.chars().count() < 2 {
        return Err(Invalid);
    }
    let regex = pattern::compile(source, flags).ok_or(Invalid)?;
    Ok((Token::Regex(regex), after))
}
