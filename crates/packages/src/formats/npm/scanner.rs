//! A body of JSON read as it arrives: what is small is kept, what is large,
//! the text of an attachment, goes by.
//!
//! Only strings, brackets and keys are told apart here. Everything but the
//! strings that are taken out stays in the envelope, with `""` in their place,
//! so whether it is JSON at all is left to the parser that reads the envelope.

/// Most bytes of a body beside its attachments.
pub const MAX_ENVELOPE: usize = 8 * 1024 * 1024;
/// Deepest nesting.
const MAX_DEPTH: usize = 64;
/// Most bytes of texts that are dropped: manuals and signatures.
const MAX_DROPPED: usize = 16 * 1024 * 1024;

/// What the next bytes are.
#[derive(Debug, PartialEq, Eq)]
pub enum Step<'b> {
    /// All bytes are read.
    Hungry,
    /// The base64 text of a package file begins.
    Begins,
    Text(&'b [u8]),
    Ends,
}

/// Why a body is refused.
pub type Refusal = &'static str;

/// Where in a body we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Between,
    /// In a string that is kept; after a backslash.
    Kept(bool),
    /// In a string that is dropped; after a backslash.
    Dropped(bool),
    /// In the text of a package file.
    Data,
    /// In an escape there, with so many bytes of it read.
    Escape(usize),
}

/// An open object or list.
#[derive(Debug)]
struct Open {
    is_object: bool,
    /// The last key, as it stands in the envelope.
    key: (usize, usize),
}

#[derive(Debug)]
pub struct Scanner {
    envelope: Vec<u8>,
    open: Vec<Open>,
    state: State,
    /// The next string is a key.
    wants_key: bool,
    dropped: usize,
    escape: [u8; 5],
}

impl Default for Scanner {
    fn default() -> Scanner {
        Scanner {
            envelope: Vec::new(),
            open: Vec::new(),
            state: State::Between,
            wants_key: false,
            dropped: 0,
            escape: [0; 5],
        }
    }
}

impl Scanner {
    /// Reads some of the bytes, and takes them from their beginning.
    pub fn step<'b>(&mut self, input: &mut &'b [u8]) -> Result<Step<'b>, Refusal> {
        while let Some((&byte, rest)) = input.split_first() {
            match self.state {
                State::Between => {
                    *input = rest;
                    self.keep(byte)?;
                    if self.between(byte)? {
                        return Ok(Step::Begins);
                    }
                }
                State::Kept(escaped) => {
                    *input = rest;
                    self.keep(byte)?;
                    self.state = match byte {
                        b'"' if !escaped => self.end_of_kept(),
                        _ => State::Kept(byte == b'\\' && !escaped),
                    };
                }
                State::Dropped(escaped) => {
                    *input = rest;
                    self.state = match byte {
                        b'"' if !escaped => {
                            self.keep(byte)?;
                            State::Between
                        }
                        _ => State::Dropped(byte == b'\\' && !escaped),
                    };
                    self.dropped += 1;
                    if self.dropped > MAX_DROPPED {
                        return Err("the body is too large");
                    }
                }
                State::Data => return self.data(input),
                State::Escape(read) => {
                    *input = rest;
                    if let Some(text) = self.unescaped(read, byte)? {
                        return Ok(Step::Text(text));
                    }
                }
            }
        }
        Ok(Step::Hungry)
    }

    /// The body without the texts taken out, once all of it is read.
    pub fn finish(self) -> Result<Vec<u8>, Refusal> {
        if self.state == State::Between && self.open.is_empty() {
            Ok(self.envelope)
        } else {
            Err("the body ends early")
        }
    }

    fn keep(&mut self, byte: u8) -> Result<(), Refusal> {
        if self.envelope.len() >= MAX_ENVELOPE {
            return Err("the body is too large");
        }
        self.envelope.push(byte);
        Ok(())
    }

    /// Outside of strings; whether the text of a package file begins.
    fn between(&mut self, byte: u8) -> Result<bool, Refusal> {
        match byte {
            b'{' | b'[' => {
                if self.open.len() >= MAX_DEPTH {
                    return Err("the body is nested too deep");
                }
                let is_object = byte == b'{';
                self.open.push(Open { is_object, key: (0, 0) });
                self.wants_key = is_object;
            }
            b'}' | b']' => {
                self.open.pop().ok_or("the body is not JSON")?;
                self.wants_key = false;
            }
            b',' => self.wants_key = self.open.last().is_some_and(|open| open.is_object),
            b':' => self.wants_key = false,
            b'"' => return Ok(self.string_begins()),
            _ => {}
        }
        Ok(false)
    }

    fn string_begins(&mut self) -> bool {
        if self.wants_key {
            self.state = State::Kept(false);
            let at = self.envelope.len();
            if let Some(open) = self.open.last_mut() {
                open.key = (at, at);
            }
            return false;
        }
        self.state = match self.path().as_slice() {
            [b"_attachments", file, b"data"] if file.ends_with(b".tgz") => State::Data,
            [b"_attachments", _, b"data"] | [b"readme"] | [b"versions", _, b"readme"] => {
                State::Dropped(false)
            }
            _ => State::Kept(false),
        };
        self.state == State::Data
    }

    fn end_of_kept(&mut self) -> State {
        let end = self.envelope.len() - 1;
        if let Some(open) = self.open.last_mut().filter(|_| self.wants_key) {
            open.key.1 = end;
        }
        State::Between
    }

    /// The keys that lead here; nothing within lists and far below, where
    /// nothing is taken out.
    fn path(&self) -> Vec<&[u8]> {
        if self.open.len() > 3 || self.open.iter().any(|open| !open.is_object) {
            return Vec::new();
        }
        let key = |open: &Open| &self.envelope[open.key.0..open.key.1];
        self.open.iter().map(key).collect()
    }

    fn data<'b>(&mut self, input: &mut &'b [u8]) -> Result<Step<'b>, Refusal> {
        let end = input.iter().position(|byte| matches!(byte, b'"' | b'\\'));
        let (text, rest) = input.split_at(end.unwrap_or(input.len()));
        *input = rest;
        if !text.is_empty() {
            return Ok(Step::Text(text));
        }
        *input = &rest[1..];
        if rest[0] == b'\\' {
            self.state = State::Escape(0);
            return Ok(Step::Text(&[]));
        }
        self.keep(b'"')?;
        self.state = State::Between;
        Ok(Step::Ends)
    }

    /// The one character that an escape stands for, of those base64 has and
    /// somebody may escape.
    fn unescaped(&mut self, read: usize, byte: u8) -> Result<Option<&'static [u8]>, Refusal> {
        self.escape[read] = byte.to_ascii_lowercase();
        let text: &[u8] = match &self.escape[..=read] {
            b"/" | b"u002f" => b"/",
            b"u002b" => b"+",
            b"u003d" => b"=",
            begun if b"u002b".starts_with(begun) || b"u003d".starts_with(begun) => {
                self.state = State::Escape(read + 1);
                return Ok(None);
            }
            _ => return Err("the attachment is not base64"),
        };
        self.state = State::Data;
        Ok(Some(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The envelope and the texts taken out, of a body that comes in pieces.
    fn scan(body: &[u8], piece: usize) -> Result<(String, Vec<String>), Refusal> {
        let (mut scanner, mut texts) = (Scanner::default(), Vec::new());
        for mut piece in body.chunks(piece) {
            loop {
                match scanner.step(&mut piece)? {
                    Step::Hungry => break,
                    Step::Begins => texts.push(Vec::new()),
                    Step::Text(more) => texts.last_mut().expect("it began").extend(more),
                    Step::Ends => {}
                }
            }
        }
        let texts = texts.into_iter().map(|text| String::from_utf8(text).unwrap());
        let envelope = String::from_utf8_lossy(&scanner.finish()?).into_owned();
        Ok((envelope, texts.collect()))
    }

    const BODY: &str = r#"{"name": "a\"_b", "readme": "x\\\"y", "versions": {"1.0.0":
        {"readme": "z", "dist": {"data": "kept"}}}, "list": [{"data": "kept"}, ["\\"]],
        "_attachments": {"a-1.0.0.tgz": {"data": "QU\/J\u002bD", "length": 4},
        "a-1.0.0.sigstore": {"data": "{\"a\": 1}"}}}"#;

    #[test]
    fn attachments_go_by_and_the_rest_stays() {
        let whole = scan(BODY.as_bytes(), BODY.len()).unwrap();
        assert_eq!(whole.1, ["QU/J+D"]);
        let envelope: serde_json::Value = serde_json::from_str(&whole.0).unwrap();
        assert_eq!(envelope["name"], "a\"_b");
        assert_eq!(envelope["readme"], "");
        assert_eq!(envelope["versions"]["1.0.0"]["readme"], "");
        assert_eq!(envelope["versions"]["1.0.0"]["dist"]["data"], "kept");
        assert_eq!(envelope["list"][0]["data"], "kept");
        assert_eq!(envelope["_attachments"]["a-1.0.0.tgz"]["data"], "");
        assert_eq!(envelope["_attachments"]["a-1.0.0.tgz"]["length"], 4);
        assert_eq!(envelope["_attachments"]["a-1.0.0.sigstore"]["data"], "");
        for piece in 1..40 {
            assert_eq!(scan(BODY.as_bytes(), piece).unwrap(), whole, "{piece}");
        }
    }

    #[test]
    fn what_is_cut_or_deep_is_refused() {
        for end in 0..BODY.len() - 1 {
            let cut = scan(&BODY.as_bytes()[..end], 16);
            assert!(end == 0 || cut.is_err(), "{end}");
        }
        assert!(scan("[".repeat(65).as_bytes(), 16).is_err());
        assert!(scan(b"]", 16).is_err());
        let bad = r#"{"_attachments": {"a.tgz": {"data": "\n"}}}"#;
        assert_eq!(scan(bad.as_bytes(), 16), Err("the attachment is not base64"));
    }

    #[test]
    fn an_envelope_has_an_end() {
        let long = format!("\"{}\"", "a".repeat(MAX_ENVELOPE));
        assert_eq!(scan(long.as_bytes(), 65_536), Err("the body is too large"));
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(
            body in proptest::collection::vec(proptest::sample::select(
                br#"{}[]",:\a0data_attachments.tgz"#.to_vec()), 0..80),
            piece in 1_usize..9,
        ) {
            prop_assert_eq!(scan(&body, piece), scan(&body, 80));
        }
    }
}
