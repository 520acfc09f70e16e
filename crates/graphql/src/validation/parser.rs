//! From tokens to a document. It recurses only into brackets, whose nesting
//! the lexer has bounded.

use super::ast::{
    Argument, Directive, Document, Field, Fragment, Inline, Operation, OperationKind, Selection,
    Spread, Value, Variable,
};
use super::error::{Pos, StaticError};
use super::lexer::{self, Kind, Token};
use kernel::graph::TypeRef;
use std::sync::Arc;

type Parsed<T> = Result<T, StaticError>;

/// Parses a document; the first thing out of place ends it.
pub fn parse(text: &str) -> Parsed<Document> {
    let (tokens, end) = lexer::tokens(text)?;
    if tokens.is_empty() {
        return Err(StaticError::new("parseError", "Unexpected end of document"));
    }
    let mut parser = Parser { tokens, next: 0, end };
    let mut document = Document::default();
    while parser.peek().is_some() {
        parser.definition(&mut document)?;
        if document.schema_definition.is_some() {
            break;
        }
    }
    Ok(document)
}

struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    next: usize,
    end: Pos,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.next).copied()
    }

    fn at(&self, kind: Kind) -> bool {
        self.peek().is_some_and(|token| token.kind == kind)
    }

    fn at_word(&self, word: &str) -> bool {
        self.peek().is_some_and(|token| token.kind == Kind::Name && token.text == word)
    }

    fn pos(&self) -> Pos {
        self.peek().map_or(self.end, |token| token.pos)
    }

    fn refuse<T>(&self, expected: &str) -> Parsed<T> {
        let actual = match self.peek() {
            Some(token) => format!("{} ({:?})", kind_name(&token), token.text),
            None => "(none) (\"\")".to_owned(),
        };
        let pos = self.pos();
        let place = format!("[{}, {}]", pos.line, pos.column);
        let text = format!("Expected {expected}, actual: {actual} at {place}");
        Err(StaticError::new("parseError", text).at(pos))
    }

    fn expect(&mut self, kind: Kind, name: &str) -> Parsed<Token<'t>> {
        match self.peek() {
            Some(token) if token.kind == kind => {
                self.next += 1;
                Ok(token)
            }
            _ => self.refuse(name),
        }
    }

    fn accept(&mut self, kind: Kind) -> bool {
        let found = self.at(kind);
        self.next += usize::from(found);
        found
    }

    fn name(&mut self) -> Parsed<Arc<str>> {
        Ok(self.expect(Kind::Name, "NAME")?.text.into())
    }

    fn definition(&mut self, into: &mut Document) -> Parsed<()> {
        let pos = self.pos();
        let token = self.peek().filter(|token| token.kind == Kind::Name);
        let kind = match token.map(|token| token.text) {
            None if self.at(Kind::LeftBrace) => {
                let selections = self.selections()?;
                into.operations.push(Operation {
                    kind: OperationKind::Query,
                    name: None,
                    pos,
                    variables: Vec::new(),
                    directives: Vec::new(),
                    selections,
                });
                return Ok(());
            }
            Some("fragment") => {
                into.fragments.push(self.fragment()?);
                return Ok(());
            }
            Some("query") => OperationKind::Query,
            Some("mutation") => OperationKind::Mutation,
            Some("subscription") => OperationKind::Subscription,
            Some(
                "schema" | "scalar" | "type" | "enum" | "input" | "union" | "interface" | "extend"
                | "directive",
            ) => {
                into.schema_definition = Some(pos);
                return Ok(());
            }
            _ => {
                return self.refuse("one of SCHEMA, SCALAR, TYPE, ENUM, INPUT, UNION, INTERFACE");
            }
        };
        self.next += 1;
        into.operations.push(self.operation(kind, pos)?);
        Ok(())
    }

    fn operation(&mut self, kind: OperationKind, pos: Pos) -> Parsed<Operation> {
        let name = if self.at(Kind::Name) { Some(self.name()?) } else { None };
        let mut variables = Vec::new();
        if self.accept(Kind::LeftParen) {
            while !self.accept(Kind::RightParen) {
                variables.push(self.variable()?);
            }
        }
        Ok(Operation {
            kind,
            name,
            pos,
            variables,
            directives: self.directives()?,
            selections: self.selections()?,
        })
    }

    fn variable(&mut self) -> Parsed<Variable> {
        let pos = self.pos();
        self.expect(Kind::Dollar, "VAR_SIGN")?;
        let name = self.name()?;
        self.expect(Kind::Colon, "COLON")?;
        let ty = self.ty()?;
        let default = if self.accept(Kind::Equals) {
            Some(self.value(true)?)
        } else {
            None
        };
        Ok(Variable { name, pos, ty, default, directives: self.directives()? })
    }

    fn ty(&mut self) -> Parsed<TypeRef> {
        let ty = if self.accept(Kind::LeftBracket) {
            let inner = self.ty()?;
            self.expect(Kind::RightBracket, "RBRACKET")?;
            inner.list()
        } else {
            TypeRef::Named(self.name()?)
        };
        Ok(if self.accept(Kind::Bang) { ty.required() } else { ty })
    }

    fn fragment(&mut self) -> Parsed<Fragment> {
        let pos = self.pos();
        self.next += 1;
        if self.at_word("on") {
            return self.refuse("NAME");
        }
        let name = self.name()?;
        if !self.at_word("on") {
            return self.refuse("ON");
        }
        self.next += 1;
        Ok(Fragment {
            name,
            pos,
            on: self.name()?,
            directives: self.directives()?,
            selections: self.selections()?,
        })
    }

    fn selections(&mut self) -> Parsed<Vec<Selection>> {
        self.expect(Kind::LeftBrace, "LCURLY")?;
        let mut all = Vec::new();
        while !self.accept(Kind::RightBrace) {
            all.push(self.selection()?);
        }
        Ok(all)
    }

    fn selection(&mut self) -> Parsed<Selection> {
        let pos = self.pos();
        if !self.accept(Kind::Spread) {
            return Ok(Selection::Field(self.field(pos)?));
        }
        if self.at(Kind::Name) && !self.at_word("on") {
            return Ok(Selection::Spread(Spread {
                name: self.name()?,
                pos,
                directives: self.directives()?,
            }));
        }
        let on = if self.at_word("on") {
            self.next += 1;
            Some(self.name()?)
        } else {
            None
        };
        Ok(Selection::Inline(Inline {
            on,
            pos,
            directives: self.directives()?,
            selections: self.selections()?,
        }))
    }

    fn field(&mut self, pos: Pos) -> Parsed<Field> {
        let first = self.name()?;
        let (alias, name) = if self.accept(Kind::Colon) {
            (Some(first), self.name()?)
        } else {
            (None, first)
        };
        Ok(Field {
            alias,
            name,
            pos,
            arguments: self.arguments()?,
            directives: self.directives()?,
            selections: if self.at(Kind::LeftBrace) {
                self.selections()?
            } else {
                Vec::new()
            },
        })
    }

    fn arguments(&mut self) -> Parsed<Vec<Argument>> {
        let mut all = Vec::new();
        if self.accept(Kind::LeftParen) {
            loop {
                all.push(self.argument(false)?);
                if self.accept(Kind::RightParen) {
                    break;
                }
            }
        }
        Ok(all)
    }

    fn argument(&mut self, constant: bool) -> Parsed<Argument> {
        let pos = self.pos();
        let name = self.name()?;
        self.expect(Kind::Colon, "COLON")?;
        Ok(Argument { name, pos, value: self.value(constant)? })
    }

    fn directives(&mut self) -> Parsed<Vec<Directive>> {
        let mut all = Vec::new();
        while self.at(Kind::At) {
            let pos = self.pos();
            self.next += 1;
            all.push(Directive { name: self.name()?, pos, arguments: self.arguments()? });
        }
        Ok(all)
    }

    fn value(&mut self, constant: bool) -> Parsed<Value> {
        let Some(token) = self.peek() else {
            return self.refuse("VALUE");
        };
        self.next += 1;
        Ok(match token.kind {
            Kind::Int => Value::Int(token.text.into()),
            Kind::Float => Value::Float(token.text.into()),
            Kind::Text => match unescaped(&token.text[1..token.text.len() - 1]) {
                Some(text) => Value::Text(text.into()),
                None => return self.malformed(token),
            },
            Kind::Block => Value::Text(block(&token.text[3..token.text.len() - 3]).into()),
            Kind::Name => match token.text {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                "null" => Value::Null,
                name => Value::Enum(name.into()),
            },
            Kind::Dollar if !constant => Value::Variable(self.name()?),
            Kind::LeftBracket => {
                let mut items = Vec::new();
                while !self.accept(Kind::RightBracket) {
                    items.push(self.value(constant)?);
                }
                Value::List(items)
            }
            Kind::LeftBrace => {
                let mut fields = Vec::new();
                while !self.accept(Kind::RightBrace) {
                    fields.push(self.argument(constant)?);
                }
                Value::Object(fields)
            }
            _ => {
                self.next -= 1;
                return self.refuse("VALUE");
            }
        })
    }

    fn malformed<T>(&self, token: Token<'_>) -> Parsed<T> {
        let (line, column) = (token.pos.line, token.pos.column);
        let text = format!(
            "Expected string or block string, actual: a malformed one at [{line}, {column}]"
        );
        Err(StaticError::new("parseError", text).at(token.pos))
    }
}

fn kind_name(token: &Token<'_>) -> &'static str {
    match token.kind {
        Kind::LeftBrace => "LCURLY",
        Kind::RightBrace => "RCURLY",
        Kind::LeftParen => "LPAREN",
        Kind::RightParen => "RPAREN",
        Kind::LeftBracket => "LBRACKET",
        Kind::RightBracket => "RBRACKET",
        Kind::Colon => "COLON",
        Kind::Dollar => "VAR_SIGN",
        Kind::At => "DIR_SIGN",
        Kind::Spread => "ELLIPSIS",
        Kind::Equals => "EQUALS",
        Kind::Bang => "BANG",
        Kind::Pipe => "PIPE",
        Kind::Ampersand => "AMP",
        Kind::Name => "IDENTIFIER",
        Kind::Int => "INT",
        Kind::Float => "FLOAT",
        Kind::Text | Kind::Block => "STRING",
        Kind::Unknown => "UNKNOWN_CHAR",
    }
}

/// The text of a quoted string; `None` for an escape that is none.
fn unescaped(raw: &str) -> Option<String> {
    let mut out = String::with_capacity(raw.len());
    let mut letters = raw.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            out.push(letter);
            continue;
        }
        out.push(match letters.next()? {
            '"' => '"',
            '\\' => '\\',
            '/' => '/',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => code_point(&mut letters)?,
            _ => return None,
        });
    }
    Some(out)
}

/// `XXXX` with an optional second half of a pair, or `{X…}`.
fn code_point(letters: &mut std::str::Chars<'_>) -> Option<char> {
    if letters.as_str().starts_with('{') {
        let (inside, rest) = letters.as_str()[1..].split_once('}')?;
        *letters = rest.chars();
        let plain =
            (1..=8).contains(&inside.len()) && inside.bytes().all(|b| b.is_ascii_hexdigit());
        return char::from_u32(u32::from_str_radix(inside, 16).ok().filter(|_| plain)?);
    }
    let high = four(letters)?;
    if !(0xd800..0xdc00).contains(&high) {
        return char::from_u32(high);
    }
    let rest = letters.as_str().strip_prefix("\\u")?;
    *letters = rest.chars();
    let low = four(letters).filter(|low| (0xdc00..0xe000).contains(low))?;
    char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
}

fn four(letters: &mut std::str::Chars<'_>) -> Option<u32> {
    let mut number = 0;
    for _ in 0..4 {
        number = number * 16 + letters.next()?.to_digit(16)?;
    }
    Some(number)
}

/// The text of a block string: common indentation and blank edges removed.
fn block(raw: &str) -> String {
    let raw = raw.replace("\\\"\"\"", "\"\"\"");
    let lines: Vec<&str> = raw.lines().collect();
    let blank = |line: &str| line.trim_matches([' ', '\t']).is_empty();
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let common = lines.iter().skip(1).filter(|line| !blank(line)).map(|line| indent(line)).min();
    let cut = lines.iter().enumerate().map(|(index, line)| match common {
        Some(common) if index > 0 => line.get(common..).unwrap_or_default(),
        _ => line,
    });
    let cut: Vec<&str> = cut.collect();
    let first = cut.iter().position(|line| !blank(line));
    let last = cut.iter().rposition(|line| !blank(line));
    match (first, last) {
        (Some(first), Some(last)) => cut[first..=last].join("\n"),
        _ => String::new(),
    }
}
