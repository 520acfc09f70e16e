//! Conditions of rules: `$CI_COMMIT_BRANCH =~ /^feature/ && $X != null` (contract 9).

mod lexer;
mod parser;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use regex::Regex;

use crate::pattern;
use parser::Term;

/// A text that is no expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid;

/// Where expressions find variables.
pub trait Lookup {
    fn lookup(&self, name: &str) -> Option<&str>;
}

impl<F: Fn(&str) -> Option<&'static str>> Lookup for F {
    fn lookup(&self, name: &str) -> Option<&str> {
        self(name)
    }
}

/// A condition that was read.
#[derive(Clone, Debug)]
pub struct Expression(Term);

/// Regular expressions that variables hold, compiled once each.
#[derive(Debug, Default)]
pub(crate) struct Regexes {
    known: RefCell<HashMap<String, Option<Regex>>>,
    exhausted: Cell<bool>,
    /// Bytes that were looked through.
    read: Cell<usize>,
}

/// Expressions out of variables that one pipeline may compile.
const MOST_REGEXES: usize = 2_000;
/// Bytes that the conditions of one pipeline may look through.
const MOST_READ: usize = 256 << 20;

impl Regexes {
    /// Whether a text of the form `/…/` fits; nothing if it is no such text.
    fn fits(&self, written: &str, text: &str) -> Option<bool> {
        let (source, flags) = pattern::literal(written)?;
        let mut known = self.known.borrow_mut();
        if let Some(regex) = known.get(written) {
            return Some(regex.as_ref().is_some_and(|regex| regex.is_match(text)));
        }
        if known.len() >= MOST_REGEXES {
            self.exhausted.set(true);
            return Some(false);
        }
        let regex = pattern::compile(source, flags);
        let fits = regex.as_ref().is_some_and(|regex| regex.is_match(text));
        known.insert(written.to_owned(), regex);
        Some(fits)
    }

    /// Whether a text of this length may be looked through as well.
    fn may_read(&self, bytes: usize) -> bool {
        self.read.set(self.read.get().saturating_add(bytes));
        let may = self.read.get() <= MOST_READ;
        if !may {
            self.exhausted.set(true);
        }
        may
    }

    /// There were more than may be compiled or read, so that answers do not count.
    pub(crate) fn exhausted(&self) -> bool {
        self.exhausted.get()
    }
}

/// What a term comes to.
#[derive(Clone, Debug)]
enum Value<'a> {
    Null,
    Bool(bool),
    Text(&'a str),
    Regex(&'a Regex),
}

impl Expression {
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        parser::parse(lexer::tokens(text)?).map(Self)
    }

    /// Whether the condition holds.
    pub fn holds(&self, variables: &dyn Lookup) -> bool {
        self.holds_with(variables, &Regexes::default())
    }

    pub(crate) fn holds_with(&self, variables: &dyn Lookup, regexes: &Regexes) -> bool {
        evaluate(&self.0, variables, regexes).stands_for_true()
    }

    /// How many regular expressions were compiled to read it.
    pub(crate) fn regexes(&self) -> usize {
        self.terms().filter(|term| matches!(term, Term::Regex(_))).count()
    }

    fn terms(&self) -> impl Iterator<Item = &Term> {
        let mut waiting = vec![&self.0];
        std::iter::from_fn(move || {
            let term = waiting.pop()?;
            match term {
                Term::Not(inner) => waiting.push(inner),
                Term::Pair(_, left, right) => waiting.extend([&**left, &**right]),
                _ => (),
            }
            Some(term)
        })
    }

    /// The variables it names.
    pub fn names(&self) -> Vec<&str> {
        self.terms()
            .filter_map(|term| match term {
                Term::Variable(name) => Some(name.as_str()),
                _ => None,
            })
            .collect()
    }
}

impl Value<'_> {
    /// How a term counts that stands alone: blank text is false, "false" is true.
    fn stands_for_true(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(flag) => *flag,
            Self::Text(text) => !text.trim().is_empty(),
            Self::Regex(_) => true,
        }
    }

    /// How a term counts before `&&` and `||`: only null and false are false.
    fn is_given(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    fn text(&self) -> &str {
        match self {
            Self::Null => "",
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
            Self::Text(text) => text,
            Self::Regex(regex) => regex.as_str(),
        }
    }

    fn equals(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bool(_), Self::Text(_)) | (Self::Text(_), Self::Bool(_)) => {
                self.text() == other.text()
            }
            (Self::Bool(left), Self::Bool(right)) => left == right,
            (Self::Text(left), Self::Text(right)) => left == right,
            (Self::Null, Self::Null) => true,
            _ => false,
        }
    }
}

/// Parentheses are bounded by the number of tokens, and so is this recursion.
fn evaluate<'a>(term: &'a Term, variables: &'a dyn Lookup, regexes: &Regexes) -> Value<'a> {
    use parser::Operator;
    match term {
        Term::Variable(name) => variables.lookup(name).map_or(Value::Null, Value::Text),
        Term::Text(text) => Value::Text(text),
        Term::Regex(regex) => Value::Regex(regex),
        Term::Null => Value::Null,
        Term::Bool(flag) => Value::Bool(*flag),
        Term::Not(inner) => Value::Bool(!evaluate(inner, variables, regexes).stands_for_true()),
        Term::Pair(operator, left, right) => {
            let left = evaluate(left, variables, regexes);
            let right = || evaluate(right, variables, regexes);
            match operator {
                Operator::Or if left.is_given() => left,
                Operator::And if !left.is_given() => left,
                Operator::Or | Operator::And => right(),
                Operator::Equal => Value::Bool(left.equals(&right())),
                Operator::NotEqual => Value::Bool(!left.equals(&right())),
                Operator::Fits => Value::Bool(fits(&left, &right(), regexes)),
                Operator::FitsNot => Value::Bool(!fits(&left, &right(), regexes)),
            }
        }
    }
}

/// `=~`: a text that is no expression has to contain the left side.
fn fits(left: &Value<'_>, right: &Value<'_>, regexes: &Regexes) -> bool {
    if !regexes.may_read(left.text().len()) {
        return false;
    }
    match right {
        Value::Null => false,
        Value::Regex(regex) => regex.is_match(left.text()),
        Value::Bool(_) => right.text().contains(left.text()),
        Value::Text(text) => {
            regexes.fits(text, left.text()).unwrap_or_else(|| text.contains(left.text()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(name: &str) -> Option<&'static str> {
        match name {
            "E" => Some(""),
            "S" => Some("set"),
            "B" => Some("feature/x"),
            "P" => Some("/^feat/"),
            _ => None,
        }
    }

    #[test]
    fn expressions_come_to_what_the_contract_lists() {
        for text in [
            "$S",
            "\"false\"",
            "$NONE == null",
            "$E == \"\"",
            "!$NONE",
            "$B =~ $P",
            "$B !~ $NONE",
            "\"a\" == \"b\" && \"c\" == \"c\" || \"d\" == \"d\"",
            "/abc/",
            "$B =~ /feature\\/x/",
            "$E && $S",
            "$S || $E",
            "$NONE || $S",
            "\"23\" =~ \"1234\"",
            "true == \"true\"",
            "($S && $NONE) || $B == 'feature/x'",
            "$B =~ /^FEAT/i",
            "$S\n&& $B",
        ] {
            assert!(Expression::parse(text).unwrap().holds(&variables), "{text}");
        }
        for text in [
            "$E",
            "$E == null",
            "$NONE == \"\"",
            "$NONE =~ /x+/",
            "false",
            "!$S == \"x\"",
            "$E || $S",
            "\"  \"",
            "$B =~ $NONE",
            "$NONE && $S",
        ] {
            assert!(!Expression::parse(text).unwrap().holds(&variables), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        let many = vec!["$A"; 60].join(" && ");
        let deep = "(".repeat(99) + "$A";
        for text in [
            "$B =~ /x/",
            "${B}",
            "$B = \"x\"",
            "$B == feature",
            "($S",
            "$S $S",
            "",
            "$",
            "\"a",
            "/ab",
            "$A &&",
            "== $A",
            ")",
            "()",
            "$B =~ /(ab/",
            "! ",
            &many,
            &deep,
        ] {
            assert_eq!(Expression::parse(text).err(), Some(Invalid), "{text}");
        }
    }
}
