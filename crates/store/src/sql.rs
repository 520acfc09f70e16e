//! Statement texts: one common dialect, rewritten per engine.

use crate::{Engine, IntoValue, Value};

/// A statement registered by [`sql!`](crate::sql).
pub struct Registered {
    /// The statement.
    pub text: &'static str,
    /// The file it stands in.
    pub file: &'static str,
    /// Its line.
    pub line: u32,
}

inventory::collect!(Registered);

/// Every statement of the program that was written with [`sql!`](crate::sql).
pub fn registered() -> impl Iterator<Item = &'static Registered> {
    inventory::iter::<Registered>.into_iter()
}

/// Names a constant statement, one text or several one after another, and
/// registers it, so one test can prepare every statement of the program on both
/// engines.
#[macro_export]
macro_rules! sql {
    ($($text:expr),+ $(,)?) => {{
        const TEXT: &str = $crate::concat!($($text),+);
        $crate::inventory::submit! {
            $crate::Registered { text: TEXT, file: file!(), line: line!() }
        }
        TEXT
    }};
}

/// A statement built of parts. Texts are the program's own and never come
/// from users; what users say is bound.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fragment {
    text: String,
    values: Vec<Value>,
}

impl Fragment {
    /// Begins with a text that has no parameters yet.
    pub fn new(text: &str) -> Fragment {
        Fragment { text: text.to_owned(), values: Vec::new() }
    }

    /// Appends the text and, after it, the value as the next parameter.
    pub fn push(&mut self, text: &str, value: impl IntoValue) -> &mut Self {
        self.raw(text).bind(value)
    }

    /// Appends the text alone.
    pub fn raw(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// Appends the value as the next parameter.
    pub fn bind(&mut self, value: impl IntoValue) -> &mut Self {
        self.values.push(value.into_value());
        self.text.push_str(&format!("${}", self.values.len()));
        self
    }

    /// Appends that the column is one of a list of integers or texts.
    pub fn in_list(&mut self, column: &str, list: impl IntoValue) -> &mut Self {
        self.raw(" ").raw(column).push(" in_list(", list).raw(")")
    }

    /// Appends another fragment, giving its parameters new numbers.
    pub fn append(&mut self, other: Fragment) -> &mut Self {
        let shift = self.values.len();
        if shift == 0 || other.values.is_empty() {
            // No number changes.
            self.text.push_str(&other.text);
        } else {
            for piece in pieces(&other.text) {
                match piece {
                    Piece::Param(number) => self.text.push_str(&format!("${}", number + shift)),
                    piece => self.text.push_str(piece.text()),
                }
            }
        }
        self.values.extend(other.values);
        self
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The values bound so far.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    pub(crate) fn into_parts(self) -> (String, Vec<Value>) {
        (self.text, self.values)
    }
}

/// A lexical piece of a statement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Piece<'a> {
    /// A string or a quoted name, with its quotes.
    Quoted(&'a str),
    /// A comment to the end of its line.
    Comment(&'a str),
    /// A name, a keyword or a number.
    Word(&'a str),
    /// `$N`.
    Param(usize),
    /// White space.
    Space(&'a str),
    /// One other character.
    Other(&'a str),
}

impl<'a> Piece<'a> {
    /// The piece as written; a parameter has none here.
    pub(crate) fn text(self) -> &'a str {
        match self {
            Piece::Quoted(text) | Piece::Comment(text) | Piece::Word(text) => text,
            Piece::Space(text) | Piece::Other(text) => text,
            Piece::Param(_) => "",
        }
    }

    pub(crate) fn is_word(self, word: &str) -> bool {
        matches!(self, Piece::Word(text) if text.eq_ignore_ascii_case(word))
    }
}

/// Cuts a statement into its pieces.
pub(crate) fn pieces(sql: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = sql;
    std::iter::from_fn(move || {
        let (piece, length) = next_piece(rest)?;
        rest = &rest[length..];
        Some(piece)
    })
}

fn next_piece(rest: &str) -> Option<(Piece<'_>, usize)> {
    let first = rest.chars().next()?;
    let span = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if first == '\'' || first == '"' {
        let length = rest[1..].find(first).map_or(rest.len(), |end| end + 2);
        return Some((Piece::Quoted(&rest[..length]), length));
    }
    if rest.starts_with("--") {
        let length = rest.find('\n').unwrap_or(rest.len());
        return Some((Piece::Comment(&rest[..length]), length));
    }
    if first.is_whitespace() {
        let length = span(char::is_whitespace);
        return Some((Piece::Space(&rest[..length]), length));
    }
    if is_word(first) {
        let length = span(is_word);
        return Some((Piece::Word(&rest[..length]), length));
    }
    let digits = rest[1..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| end + 1);
    match (first, rest.get(1..digits).map(str::parse)) {
        ('$', Some(Ok(number))) => Some((Piece::Param(number), digits)),
        _ => Some((Piece::Other(&rest[..first.len_utf8()]), first.len_utf8())),
    }
}

/// Rewrites a statement of the common dialect for one engine.
///
/// SQLite reads `$1` as a name and numbers names by first appearance, so a
/// positional bind would go astray silently: it gets `?1`.
pub(crate) fn translate(sql: &str, engine: Engine) -> String {
    let pieces: Vec<Piece<'_>> = pieces(sql).collect();
    let mut out = String::with_capacity(sql.len() + 32);
    let mut at = 0;
    while at < pieces.len() {
        let rest = &pieces[at..];
        let (taken, text) = list_test(rest, engine)
            .or_else(|| row_lock(rest, engine))
            .or_else(|| micros(rest, engine))
            .unwrap_or_else(|| (1, plain(rest[0], engine)));
        out.push_str(&text);
        at += taken;
    }
    out
}

fn plain(piece: Piece<'_>, engine: Engine) -> String {
    match (piece, engine) {
        (Piece::Param(number), Engine::Sqlite) => format!("?{number}"),
        (Piece::Param(number), Engine::Postgres) => format!("${number}"),
        (piece, _) => piece.text().to_owned(),
    }
}

/// `in_list($N)` or `not in_list($N)` at the start of the pieces.
fn list_test(pieces: &[Piece<'_>], engine: Engine) -> Option<(usize, String)> {
    let negated = pieces[0].is_word("not") && matches!(pieces.get(1), Some(Piece::Space(_)));
    let start = if negated { 2 } else { 0 };
    let [word, Piece::Other("("), Piece::Param(number), Piece::Other(")")] =
        pieces.get(start..start + 4)?
    else {
        return None;
    };
    if !word.is_word("in_list") {
        return None;
    }
    let text = match (engine, negated) {
        (Engine::Sqlite, false) => format!("in (select value from json_each(?{number}))"),
        (Engine::Sqlite, true) => format!("not in (select value from json_each(?{number}))"),
        (Engine::Postgres, false) => format!("= any(${number})"),
        (Engine::Postgres, true) => format!("<> all(${number})"),
    };
    Some((start + 4, text))
}

/// `micros(table.column)`: a time as whole microseconds, which SQLite has already.
fn micros(pieces: &[Piece<'_>], engine: Engine) -> Option<(usize, String)> {
    let [word, Piece::Other("("), table, Piece::Other("."), column, Piece::Other(")")] =
        pieces.get(..6)?
    else {
        return None;
    };
    if !word.is_word("micros") {
        return None;
    }
    let column = format!("{}.{}", table.text(), column.text());
    let text = match engine {
        Engine::Sqlite => column,
        Engine::Postgres => format!("cast(extract(epoch from {column}) * 1000000 as bigint)"),
    };
    Some((6, text))
}

/// ` for update` with an optional ` skip locked`, which SQLite does not need:
/// it has one writer.
fn row_lock(pieces: &[Piece<'_>], engine: Engine) -> Option<(usize, String)> {
    if engine == Engine::Postgres || !pieces[0].is_word("for") {
        return None;
    }
    let phrase = |from: usize, words: [&str; 2]| {
        pieces.get(from).is_some_and(|p| p.is_word(words[0]))
            && matches!(pieces.get(from + 1), Some(Piece::Space(_)))
            && pieces.get(from + 2).is_some_and(|p| p.is_word(words[1]))
    };
    if !phrase(0, ["for", "update"]) {
        return None;
    }
    let taken = if phrase(4, ["skip", "locked"]) { 7 } else { 3 };
    Some((taken, String::new()))
}
