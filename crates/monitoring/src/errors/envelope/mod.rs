//! Envelopes, read as they arrive: one line of headers, then items of a line
//! of headers and a payload each (docs/interface/monitoring.md 6.3).
//!
//! [`Parser::feed`] takes the bytes in pieces of any size. Only what is used
//! is kept, the first event and the reports of clients; other payloads are
//! passed over, so memory stays bounded whatever is sent.

use super::fault::Fault;
use serde::Deserialize;

/// Longest line of headers, in bytes.
const MAX_HEADERS: usize = 8 * 1024;
/// Largest event, in bytes.
pub const MAX_EVENT: usize = 1 << 20;
/// Largest report of a client that is read, in bytes; larger ones are passed over.
const MAX_REPORT: usize = 16 * 1024;
/// Most items that tell of sessions, and most reports of clients.
const MAX_OF_KIND: usize = 100;
const MAX_ITEMS: usize = 1_000;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// The event's number as the envelope tells it, which wins over the
    /// event's own.
    pub event_id: Option<String>,
    /// The key in the address the client was set up with.
    pub key: Option<String>,
    /// The first event, as JSON.
    pub event: Option<Vec<u8>>,
    /// What clients dropped, as JSON.
    pub reports: Vec<Vec<u8>>,
}

#[derive(Debug)]
pub struct Parser {
    state: State,
    line: Vec<u8>,
    item: Item,
    items: usize,
    sessions: usize,
    reports: usize,
    read: Envelope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Headers,
    /// In or before an item's headers.
    ItemHeaders,
    /// In a payload with so many bytes to come.
    Sized(u64),
    /// Behind such a payload, where a line ends.
    Behind,
    /// In a payload that ends with its line.
    Line,
}

#[derive(Debug, PartialEq, Eq)]
enum Item {
    PassedOver,
    Event(Vec<u8>),
    /// None once it is too large.
    Report(Option<Vec<u8>>),
}

#[derive(Deserialize)]
struct Headers {
    #[serde(default)]
    event_id: super::lenient::Text,
    #[serde(default)]
    dsn: super::lenient::Text,
}

#[derive(Deserialize)]
struct ItemHeaders {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    length: Option<u64>,
}

impl Default for Parser {
    fn default() -> Parser {
        Parser {
            state: State::Headers,
            line: Vec::new(),
            item: Item::PassedOver,
            items: 0,
            sessions: 0,
            reports: 0,
            read: Envelope::default(),
        }
    }
}

impl Parser {
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<(), Fault> {
        while !bytes.is_empty() {
            bytes = match self.state {
                State::Headers | State::ItemHeaders => self.headers(bytes)?,
                State::Sized(left) => self.sized(left, bytes)?,
                State::Line => self.payload_line(bytes)?,
                State::Behind => match bytes {
                    [b'\n', rest @ ..] => {
                        self.state = State::ItemHeaders;
                        rest
                    }
                    _ => return Err(Fault::Malformed("an item is longer than it says")),
                },
            };
        }
        Ok(())
    }

    /// What was read, once nothing more comes.
    pub fn finish(mut self) -> Result<Envelope, Fault> {
        if self.state == State::Headers || !self.line.is_empty() {
            self.end_of_headers()?;
        }
        match self.state {
            State::Sized(left) if left > 0 => Err(Fault::Malformed("an item is cut off")),
            State::Sized(_) | State::Line => {
                self.end_of_payload(State::ItemHeaders);
                Ok(self.read)
            }
            State::Headers | State::ItemHeaders | State::Behind => Ok(self.read),
        }
    }

    fn headers<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], Fault> {
        let (line, rest) = split_line(bytes);
        if self.line.len() + line.len() > MAX_HEADERS {
            return Err(Fault::TooLarge("a line of headers"));
        }
        self.line.extend_from_slice(line);
        let Some(rest) = rest else {
            return Ok(&[]);
        };
        // Some clients end with an empty line.
        let is_empty = self.state == State::ItemHeaders && self.line.is_empty();
        if !is_empty {
            self.end_of_headers()?;
        }
        Ok(rest)
    }

    fn end_of_headers(&mut self) -> Result<(), Fault> {
        let line = std::mem::take(&mut self.line);
        if self.state == State::Headers {
            let headers: Headers = object(&line)?;
            self.read.event_id = headers.event_id.0;
            self.read.key = headers.dsn.0.as_deref().and_then(key_of_dsn);
            self.state = State::ItemHeaders;
            return Ok(());
        }
        let headers: ItemHeaders = object(&line)?;
        self.begin_item(&headers)?;
        match headers.length {
            Some(0) => self.end_of_payload(State::Behind),
            Some(length) => self.state = State::Sized(length),
            None => self.state = State::Line,
        }
        Ok(())
    }

    fn begin_item(&mut self, headers: &ItemHeaders) -> Result<(), Fault> {
        self.items += 1;
        match headers.kind.as_str() {
            "event" if self.read.event.is_none() => {
                if headers.length.is_some_and(|length| length > MAX_EVENT as u64) {
                    return Err(Fault::TooLarge("an event"));
                }
                self.item = Item::Event(Vec::new());
            }
            "client_report" => {
                self.reports += 1;
                self.item = Item::Report(Some(Vec::new()));
            }
            "session" | "sessions" => self.sessions += 1,
            _ => {}
        }
        let too_many =
            self.items > MAX_ITEMS || self.sessions > MAX_OF_KIND || self.reports > MAX_OF_KIND;
        if too_many {
            return Err(Fault::TooLarge("the number of items"));
        }
        Ok(())
    }

    fn sized<'b>(&mut self, left: u64, bytes: &'b [u8]) -> Result<&'b [u8], Fault> {
        let here = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
        let (payload, rest) = bytes.split_at(here);
        self.keep(payload)?;
        match left - here as u64 {
            0 => self.end_of_payload(State::Behind),
            left => self.state = State::Sized(left),
        }
        Ok(rest)
    }

    fn payload_line<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], Fault> {
        let (payload, rest) = split_line(bytes);
        self.keep(payload)?;
        let Some(rest) = rest else {
            return Ok(&[]);
        };
        self.end_of_payload(State::ItemHeaders);
        Ok(rest)
    }

    fn keep(&mut self, payload: &[u8]) -> Result<(), Fault> {
        match &mut self.item {
            Item::PassedOver => {}
            Item::Event(kept) => {
                if kept.len() + payload.len() > MAX_EVENT {
                    return Err(Fault::TooLarge("an event"));
                }
                kept.extend_from_slice(payload);
            }
            Item::Report(report) => match report {
                Some(kept) if kept.len() + payload.len() <= MAX_REPORT => {
                    kept.extend_from_slice(payload);
                }
                _ => *report = None,
            },
        }
        Ok(())
    }

    fn end_of_payload(&mut self, next: State) {
        match std::mem::replace(&mut self.item, Item::PassedOver) {
            Item::Event(event) => self.read.event = Some(event),
            Item::Report(Some(report)) => self.read.reports.push(report),
            Item::Report(None) | Item::PassedOver => {}
        }
        self.state = next;
    }
}

/// A line without its end, and what follows it if it ends here.
fn split_line(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    match bytes.iter().position(|byte| *byte == b'\n') {
        Some(at) => (&bytes[..at], Some(&bytes[at + 1..])),
        None => (bytes, None),
    }
}

fn object<'l, T: Deserialize<'l>>(line: &'l [u8]) -> Result<T, Fault> {
    // An array would be taken for a struct as well.
    if !line.trim_ascii_start().starts_with(b"{") {
        return Err(Fault::Malformed("headers are a JSON object"));
    }
    serde_json::from_slice(line).map_err(|_| Fault::Malformed("headers are not readable"))
}

/// The public key in the address that a client was set up with.
fn key_of_dsn(dsn: &str) -> Option<String> {
    let url = url::Url::parse(dsn).ok()?;
    let key = url.username();
    (!key.is_empty()).then(|| key.to_owned())
}

#[cfg(test)]
mod tests;
