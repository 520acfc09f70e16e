//! Parameters of OAuth requests, read strictly: each at most once, texts only
//! (RFC 6749 sections 3.1 and 3.2).

use super::refusal::{Refusal, Result};
use axum::body::Body;
use http::header;
use kernel::http::call::read_capped;
use kernel::http::{Call, FromCall};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;

/// Largest body of an OAuth request, in bytes.
const MAX_BODY: usize = 64 * 1024;
/// Parameters that extensions allow to repeat (RFC 8707).
const REPEATABLE: &[&str] = &["resource", "audience"];

/// Parameters that were sent with a value.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct OauthParams(HashMap<String, String>);

/// Parameters of a browser's request: what is wrong with one is told only
/// after the client is known, since the client is told it.
#[derive(Debug)]
pub struct Lenient {
    /// The usable ones; of a repeated one, none.
    pub sent: OauthParams,
    /// The first thing that was wrong.
    pub fault: Option<Refusal>,
}

impl OauthParams {
    /// One parameter; an empty one counts as not sent (RFC 6749 section 3.1).
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// One parameter, or `invalid_request`.
    pub fn required(&self, name: &str) -> Result<&str> {
        self.get(name).ok_or_else(|| Refusal::missing(name))
    }

    fn add(&mut self, name: String, value: String) -> Result<()> {
        if name.contains('\0') || value.contains('\0') {
            return Err(malformed());
        }
        // `scope[a]=b` is the array or hash form of other interfaces.
        let bare = name.split('[').next().unwrap_or_default();
        if bare.len() != name.len() {
            return Err(Refusal::InvalidRequest(format!(
                "The parameter {} must be a text.",
                shown(bare)
            )));
        }
        if REPEATABLE.contains(&name.as_str()) {
            return Ok(());
        }
        if self.0.contains_key(&name) {
            return Err(Refusal::InvalidRequest(format!(
                "The parameter {} is repeated.",
                shown(&name)
            )));
        }
        self.0.insert(name, value);
        Ok(())
    }

    fn done(mut self) -> OauthParams {
        self.0.retain(|_, value| !value.is_empty());
        self
    }

    /// All of them, in no order.
    #[cfg(any(test, fuzzing))]
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(String::as_str)
    }

    /// Reads a query or a form.
    pub fn from_form(bytes: &[u8]) -> Result<OauthParams> {
        let mut sent = OauthParams::default();
        for pair in bytes.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            let (name, value) = decoded(pair)?;
            sent.add(name, value)?;
        }
        Ok(sent.done())
    }

    /// Reads a JSON object of texts; numbers and booleans count as texts.
    pub fn from_json(bytes: &[u8]) -> Result<OauthParams> {
        let Pairs(pairs) = serde_json::from_slice(bytes)
            .map_err(|_| Refusal::InvalidRequest("The body must be a JSON object.".into()))?;
        let mut sent = OauthParams::default();
        for (name, value) in pairs {
            match value {
                Value::Null => {}
                Value::String(text) => sent.add(name, text)?,
                Value::Number(number) => sent.add(name, number.to_string())?,
                Value::Bool(flag) => sent.add(name, flag.to_string())?,
                Value::Array(_) | Value::Object(_) => {
                    sent.add(format!("{name}["), String::new())?
                }
            }
        }
        Ok(sent.done())
    }
}

fn malformed() -> Refusal {
    Refusal::InvalidRequest("A parameter is not valid text.".into())
}

fn decoded(pair: &[u8]) -> Result<(String, String)> {
    let at = pair.iter().position(|byte| *byte == b'=');
    let (name, value) = pair.split_at(at.unwrap_or(pair.len()));
    Ok((decode(name)?, decode(value.strip_prefix(b"=").unwrap_or(value))?))
}

fn decode(bytes: &[u8]) -> Result<String> {
    let spaced: Vec<u8> =
        bytes.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    let decoded: Vec<u8> = percent_encoding::percent_decode(&spaced).collect();
    String::from_utf8(decoded).map_err(|_| malformed())
}

/// A name that is echoed: what a client may have sent, cut to what is harmless.
fn shown(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        .take(64)
        .collect()
}

/// A JSON object with its repeated names.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Pairs;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: MapAccess<'de>>(
                self, mut map: M,
            ) -> std::result::Result<Pairs, M::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// The body of a POST; what the query holds is ignored.
#[derive(Debug)]
pub struct SentBody(pub Result<OauthParams>);

impl FromCall for SentBody {
    async fn from_call(call: &mut Call) -> kernel::error::Result<Self> {
        let kind = call
            .request
            .header(header::CONTENT_TYPE)
            .unwrap_or_default()
            .to_ascii_lowercase();
        let body = call.take_body();
        Ok(SentBody(read_body(&kind, body).await))
    }
}

async fn read_body(kind: &str, body: Body) -> Result<OauthParams> {
    let bytes = read_capped(body, MAX_BODY).await.map_err(|_| {
        Refusal::InvalidRequest("The body is cut off or larger than 64 KiB.".into())
    })?;
    if kind.contains("json") {
        OauthParams::from_json(&bytes)
    } else if bytes.is_empty() || kind.starts_with("application/x-www-form-urlencoded") {
        OauthParams::from_form(&bytes)
    } else {
        Err(Refusal::InvalidRequest(
            "The body must be application/x-www-form-urlencoded.".into(),
        ))
    }
}

impl Lenient {
    fn add(&mut self, pair: Result<(String, String)>) {
        let added = pair.and_then(|(name, value)| {
            let result = self.sent.add(name.clone(), value);
            if result.is_err() {
                self.sent.0.remove(&name);
            }
            result
        });
        if let Err(refusal) = added {
            self.fault.get_or_insert(refusal);
        }
    }

    fn new() -> Lenient {
        Lenient { sent: OauthParams::default(), fault: None }
    }

    fn done(mut self) -> Lenient {
        self.sent = self.sent.done();
        self
    }

    /// Reads a query, or a form as it was sent.
    pub fn from_query(bytes: &[u8]) -> Lenient {
        let mut read = Lenient::new();
        for pair in bytes.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            read.add(decoded(pair));
        }
        read.done()
    }
}

/// The query of a page; faults are kept for later.
#[derive(Debug)]
pub struct PageQuery(pub Lenient);

impl FromCall for PageQuery {
    async fn from_call(call: &mut Call) -> kernel::error::Result<Self> {
        let query = call.request.uri.query().unwrap_or_default();
        Ok(PageQuery(Lenient::from_query(query.as_bytes())))
    }
}

/// The form of a page, whose body the gate has read to check its token.
#[derive(Debug)]
pub struct PageForm(pub Lenient);

impl FromCall for PageForm {
    async fn from_call(call: &mut Call) -> kernel::error::Result<Self> {
        if let Some(form) = call.form().await? {
            return Ok(PageForm(Lenient::from_query(&form)));
        }
        let mut read = Lenient::new();
        for (name, value) in call.merged().await? {
            read.add(match value {
                Value::String(text) => Ok((name.clone(), text.clone())),
                _ => Ok((format!("{name}["), String::new())),
            });
        }
        Ok(PageForm(read.done()))
    }
}

#[derive(Debug)]
pub struct SentQuery(pub Result<OauthParams>);

impl FromCall for SentQuery {
    async fn from_call(call: &mut Call) -> kernel::error::Result<Self> {
        let query = call.request.uri.query().unwrap_or_default();
        Ok(SentQuery(OauthParams::from_form(query.as_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(result: Result<OauthParams>) -> bool {
        matches!(result, Err(Refusal::InvalidRequest(_)))
    }

    #[test]
    fn forms_are_read_strictly() {
        let sent = OauthParams::from_form(b"a=1+2&b=%C3%A9&c=&d").unwrap();
        assert_eq!(sent.get("a"), Some("1 2"));
        assert_eq!(sent.get("b"), Some("é"));
        assert_eq!((sent.get("c"), sent.get("d")), (None, None));
        let bad: [&[u8]; 6] =
            [b"a=1&a=2", b"scope[a]=b", b"scope[]=b", b"a=%00", b"a=%FF", b"a=1&a="];
        for form in bad {
            assert!(refused(OauthParams::from_form(form)), "{}", String::from_utf8_lossy(form));
        }
    }

    #[test]
    fn json_is_read_as_strictly() {
        let sent = OauthParams::from_json(br#"{"a":"x","b":5,"c":null,"d":true}"#).unwrap();
        assert_eq!(
            (sent.get("a"), sent.get("b"), sent.get("d")),
            (Some("x"), Some("5"), Some("true"))
        );
        for body in
            [r#"{"a":"1","a":"2"}"#, r#"{"a":["1"]}"#, r#"{"a":{}}"#, "[]", "\"x\"", "{", ""]
        {
            assert!(refused(OauthParams::from_json(body.as_bytes())), "{body}");
        }
    }

    #[test]
    fn repeatable_parameters_may_repeat() {
        assert!(OauthParams::from_form(b"resource=a&resource=b").is_ok());
    }
}
