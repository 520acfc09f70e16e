//! What the page of an error shows of one of its events: the stack with lines
//! of source, tags, and what led there. Read again from the payload, with
//! bounds on everything.

use super::fault::Fault;
use super::lenient::{Flag, Instant, Last, Maybe, Pairs, Short, Text, Values, Whole};
use super::payload::{self, Chain, LogEntry};
use super::threads::Threads;
use flate2::read::ZlibDecoder;
use jiff::Timestamp;
use serde::Deserialize;
use std::io::Read;

/// Largest payload that is read, in bytes.
const MAX_PAYLOAD: u64 = 2 << 20;
/// Frames of an exception that are shown, the innermost.
const MAX_FRAMES: usize = 100;
/// Lines of source on each side of a frame's own.
const MAX_LINES: usize = 10;
/// Steps that led to an event, the last ones.
const MAX_STEPS: usize = 30;
const MAX_PAIRS: usize = 50;
/// Longest line of source and value of a tag, in characters.
const MAX_TEXT: usize = 500;

/// Text of which little is shown.
type Brief = Short<MAX_TEXT>;

#[derive(Debug, Default)]
pub struct Detail {
    /// The exceptions, the one that was raised first.
    pub exceptions: Vec<Raised>,
    /// Where a message was told, the outermost call first, if its client says.
    pub aside: Vec<StackFrame>,
    /// The whole message, where there is one.
    pub message: Option<String>,
    pub tags: Vec<(String, String)>,
    pub user: Vec<(String, String)>,
    /// Method and address of the request.
    pub request: Option<String>,
    pub sdk: String,
    pub server_name: Brief,
    pub steps: Vec<Step>,
}

#[derive(Debug)]
pub struct Raised {
    pub kind: String,
    pub value: String,
    /// Where it was, the outermost call first.
    pub frames: Vec<StackFrame>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct StackFrame {
    pub function: Brief,
    module: Brief,
    filename: Brief,
    abs_path: Brief,
    /// The line, from 1.
    #[serde(rename = "lineno")]
    pub line: Whole,
    /// The column, from 1.
    #[serde(rename = "colno")]
    pub column: Whole,
    in_app: Flag,
    pre_context: Last<Text, MAX_LINES>,
    context_line: Text,
    post_context: Last<Text, MAX_LINES>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Step {
    timestamp: Instant,
    pub category: Brief,
    pub message: Brief,
    pub level: Brief,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct DetailPayload {
    exception: Chain<StackFrame, MAX_FRAMES>,
    message: Text,
    logentry: Maybe<LogEntry>,
    tags: Pairs<MAX_PAIRS>,
    user: Pairs<MAX_PAIRS>,
    request: Maybe<Request>,
    sdk: Maybe<Sdk>,
    server_name: Brief,
    breadcrumbs: Values<Step, MAX_STEPS>,
    threads: Threads<Trace>,
}

type Trace = payload::Trace<StackFrame, MAX_FRAMES>;
type Exception = payload::Exception<StackFrame, MAX_FRAMES>;

#[derive(Default, Deserialize)]
#[serde(default)]
struct Request {
    method: Text,
    url: Text,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sdk {
    name: Text,
    version: Text,
}

/// A payload as it was sent, as far as it is read.
pub fn inflate(packed: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut payload = Vec::new();
    ZlibDecoder::new(packed)
        .take(MAX_PAYLOAD)
        .read_to_end(&mut payload)
        .map_err(|_| Fault::Malformed("the payload is broken"))?;
    Ok(payload)
}

impl Detail {
    pub fn unpack(packed: &[u8]) -> Result<Detail, Fault> {
        Detail::parse(&inflate(packed)?)
    }

    pub fn parse(payload: &[u8]) -> Result<Detail, Fault> {
        let sent: DetailPayload = serde_json::from_slice(payload)
            .map_err(|_| Fault::Malformed("the event is not readable"))?;
        let told = sent.exception.0.into_iter().rev().filter(Exception::is_told);
        let mut exceptions: Vec<Raised> = told.map(Raised::from).collect();
        let aside = sent.threads.into_stack();
        let aside = aside.map(Trace::into_frames).unwrap_or_default();
        let aside = match exceptions.first_mut() {
            Some(raised) if raised.frames.is_empty() => {
                raised.frames = aside;
                Vec::new()
            }
            Some(_) => Vec::new(),
            None => aside,
        };
        let entry = sent.logentry.0.unwrap_or_default();
        let message = entry.formatted.0.or(entry.message.0).or(sent.message.0);
        let sdk = sent.sdk.0.unwrap_or_default();
        let request = sent.request.0.unwrap_or_default();
        Ok(Detail {
            exceptions,
            aside,
            message: message.filter(|text| !text.trim().is_empty()),
            tags: cut_pairs(sent.tags),
            user: cut_pairs(sent.user),
            request: request.url.filled().map(|url| {
                let method = request.method.filled().unwrap_or("GET");
                cut(&format!("{method} {url}"))
            }),
            sdk: [sdk.name.filled(), sdk.version.filled()]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" "),
            server_name: sent.server_name,
            steps: sent.breadcrumbs.into_vec(),
        })
    }

    /// The stack of the exception that was raised or the message that was
    /// told, the outermost call first.
    pub fn stack(&self) -> &[StackFrame] {
        match self.exceptions.first() {
            Some(raised) => &raised.frames,
            None => &self.aside,
        }
    }
}

impl From<Exception> for Raised {
    fn from(sent: Exception) -> Raised {
        Raised {
            kind: cut(sent.kind.filled().unwrap_or("Error")),
            value: cut(sent.value.filled().unwrap_or_default()),
            frames: sent.stacktrace.0.map(Trace::into_frames).unwrap_or_default(),
        }
    }
}

impl StackFrame {
    /// The file, or the module where there is none.
    pub fn file(&self) -> &str {
        let all = [&self.filename, &self.abs_path, &self.module];
        all.into_iter().find(|one| !one.is_empty()).map_or("", |one| one)
    }

    /// Whether it is the program's own code, not a library's.
    pub fn is_in_app(&self) -> bool {
        self.in_app.0.unwrap_or(true)
    }

    /// Whether this line of its source is the frame's own.
    pub fn is_own(&self, number: &i64) -> bool {
        self.line.0 == Some(*number)
    }

    /// Its own line of source, where its number is known, too.
    pub fn own_line(&self) -> Option<String> {
        self.line.0.and(self.context_line.0.as_deref()).map(cut)
    }

    /// The lines around its own, numbered.
    pub fn source(&self) -> Vec<(i64, String)> {
        let (Some(own), Some(line)) = (self.own_line(), self.line.0) else {
            return Vec::new();
        };
        let text = |line: &Text| cut(line.0.as_deref().unwrap_or_default());
        let before = self.pre_context.0.iter().map(text);
        let first = line.saturating_sub(before.len() as i64);
        let own = std::iter::once(own);
        let after = self.post_context.0.iter().map(text);
        (first..).zip(before.chain(own).chain(after)).collect()
    }
}

impl Step {
    pub fn at(&self) -> Option<Timestamp> {
        self.timestamp.0
    }
}

fn cut_pairs(pairs: Pairs<MAX_PAIRS>) -> Vec<(String, String)> {
    let cut_both = |(key, value): (String, String)| (cut(&key), cut(&value));
    pairs.0.into_iter().map(cut_both).collect()
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::ingest::pack;
    use serde_json::json;

    fn detail(value: serde_json::Value) -> Detail {
        Detail::unpack(&pack(value.to_string().as_bytes())).unwrap()
    }

    #[test]
    fn the_stack_has_its_lines_of_source() {
        let frame = json!({"function": "f", "filename": "a.py", "lineno": 7, "colno": 3,
            "in_app": false, "pre_context": ["five", "six"], "context_line": "seven",
            "post_context": ["eight"]});
        for exception in [
            json!({"values": [{"type": "Cause"}, {"type": "E", "value": "v", "stacktrace": {"frames": [frame]}}]}),
            json!([{"type": "Cause"}, {"type": "E", "value": "v", "stacktrace": {"frames": [frame]}}]),
        ] {
            let read = detail(json!({"exception": exception}));
            assert_eq!(read.exceptions[0].kind, "E");
            assert_eq!(read.exceptions[1].kind, "Cause");
            let place = &read.stack()[0];
            assert_eq!(
                (place.file(), place.line.0, place.column.0, place.is_in_app()),
                ("a.py", Some(7), Some(3), false)
            );
            let source = place.source();
            let lines: Vec<_> = source.iter().map(|(n, text)| (*n, text.as_str())).collect();
            assert_eq!(lines, [(5, "five"), (6, "six"), (7, "seven"), (8, "eight")]);
        }
        let alone =
            detail(json!({"exception": {"type": "E", "stacktrace": {"frames": [frame, null]}}}));
        assert_eq!(alone.stack().len(), 1);
    }

    #[test]
    fn a_stack_beside_the_exception_is_its_own() {
        let stack = |name: &str| json!({"frames": [{"function": name, "filename": "a.rs"}]});
        let threads = json!({"values": [{"stacktrace": stack("idle")},
            {"current": true, "stacktrace": stack("work")}]});
        let names = |read: &Detail| {
            let names = read.stack().iter().map(|place| place.function.0.clone());
            names.collect::<Vec<_>>()
        };
        let raised = json!({"exception": [{"type": "E"}], "threads": threads});
        assert_eq!(names(&detail(raised)), ["work"]);
        let told = json!({"message": "m", "threads": threads});
        assert_eq!(names(&detail(told)), ["work"]);
        let own =
            json!({"exception": [{"type": "E", "stacktrace": stack("own")}], "threads": threads});
        assert_eq!(names(&detail(own)), ["own"]);
        assert!(detail(json!({"message": "m", "threads": 7})).stack().is_empty());
    }

    #[test]
    fn what_led_there_is_read_in_both_forms() {
        let crumb = json!({"timestamp": 1769872245, "category": "http", "message": "GET /", "level": "info"});
        for crumbs in [json!([crumb]), json!({"values": [crumb]})] {
            let read = detail(json!({"message": "m", "breadcrumbs": crumbs, "tags": [["a", "b"]]}));
            let at = read.steps[0].at().map(|at| at.to_string());
            assert_eq!(at.as_deref(), Some("2026-01-31T15:10:45Z"));
            assert_eq!((&*read.steps[0].message, read.tags.len()), ("GET /", 1));
            assert_eq!(read.message.as_deref(), Some("m"));
        }
    }

    #[test]
    fn odd_parts_show_nothing() {
        let odd =
            detail(json!({"exception": 7, "tags": 7, "user": null, "request": [], "sdk": "x",
            "breadcrumbs": {"values": 3}, "server_name": {}}));
        assert!(odd.exceptions.is_empty() && odd.steps.is_empty() && odd.request.is_none());
        let frames = json!([{"lineno": i64::MIN, "context_line": "x", "pre_context": ["a"]}]);
        let odd = detail(json!({"exception": [{"type": "E", "stacktrace": {"frames": frames}}]}));
        assert_eq!(odd.stack()[0].source().len(), 2);
    }
}
