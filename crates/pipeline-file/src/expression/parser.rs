//! From tokens to a tree, weakest operators first.

use regex::Regex;

use super::Invalid;
use super::lexer::Token;

#[derive(Clone, Debug)]
pub(super) enum Term {
    Variable(String),
    Text(String),
    Regex(Regex),
    Null,
    Bool(bool),
    Not(Box<Term>),
    Pair(Operator, Box<Term>, Box<Term>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    NotEqual,
    Fits,
    FitsNot,
}

impl Operator {
    fn of(token: &Token) -> Option<Self> {
        Some(match token {
            Token::Or => Self::Or,
            Token::And => Self::And,
            Token::Equal => Self::Equal,
            Token::NotEqual => Self::NotEqual,
            Token::Fits => Self::Fits,
            Token::FitsNot => Self::FitsNot,
            _ => return None,
        })
    }

    fn strength(self) -> u8 {
        match self {
            Self::Or => 0,
            Self::And => 1,
            _ => 2,
        }
    }
}

pub(super) fn parse(tokens: Vec<Token>) -> Result<Term, Invalid> {
    let mut tokens = tokens.into_iter().peekable();
    let term = pairs(&mut tokens, 0)?;
    match tokens.next() {
        None => Ok(term),
        Some(_) => Err(Invalid),
    }
}

type Tokens = std::iter::Peekable<std::vec::IntoIter<Token>>;

/// Reads operators that are at least so strong, left to right.
fn pairs(tokens: &mut Tokens, strength: u8) -> Result<Term, Invalid> {
    let mut left = single(tokens)?;
    while let Some(operator) = tokens.peek().and_then(Operator::of) {
        if operator.strength() < strength {
            break;
        }
        tokens.next();
        let right = pairs(tokens, operator.strength() + 1)?;
        left = Term::Pair(operator, Box::new(left), Box::new(right));
    }
    Ok(left)
}

fn single(tokens: &mut Tokens) -> Result<Term, Invalid> {
    Ok(match tokens.next().ok_or(Invalid)? {
        Token::Variable(name) => Term::Variable(name),
        Token::Text(text) => Term::Text(text),
        Token::Regex(regex) => Term::Regex(regex),
        Token::Null => Term::Null,
        Token::Bool(flag) => Term::Bool(flag),
        Token::Not => Term::Not(Box::new(single(tokens)?)),
        Token::Open => {
            let inner = pairs(tokens, 0)?;
            match tokens.next() {
                Some(Token::Close) => inner,
                _ => return Err(Invalid),
            }
        }
        _ => return Err(Invalid),
    })
}
