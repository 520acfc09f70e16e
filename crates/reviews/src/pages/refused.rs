//! Refusals that programs get as JSON, in words of a page.

use kernel::error::Error;
use serde_json::Value;

/// A refusal as a form can show it: what is only a status for programs gets words, here
/// those for who may not do what was asked.
pub fn spoken(error: Error, not_allowed: &str) -> Error {
    match error {
        Error::Exact(_, body) => Error::Unprocessable(texts(&body["message"])),
        Error::Unauthenticated => Error::forbidden(not_allowed),
        Error::Forbidden(text) if text.is_empty() => Error::forbidden(not_allowed),
        error => error,
    }
}

/// The texts of a message of any shape, in one line.
fn texts(message: &Value) -> String {
    match message {
        Value::String(text) => text.clone(),
        Value::Array(all) => {
            let all: Vec<String> = all.iter().map(texts).collect();
            all.join("; ")
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| format!("{name} {}", texts(value));
            let all: Vec<String> = fields.iter().map(field).collect();
            all.join("; ")
        }
        _ => "That cannot be done now".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn said(error: Error) -> String {
        match spoken(error, "You may not") {
            Error::Unprocessable(text) | Error::Forbidden(text) => text,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn every_refusal_has_words() {
        let exact = |body| said(Error::Exact(422, body));
        assert_eq!(exact(json!({"message": "No"})), "No");
        assert_eq!(exact(json!({"message": ["No", "never"]})), "No; never");
        assert_eq!(exact(json!({"message": {"title": ["is odd"]}})), "title is odd");
        assert_eq!(exact(json!({})), "That cannot be done now");
        assert_eq!(said(Error::Unauthenticated), "You may not");
        assert_eq!(said(Error::forbidden("")), "You may not");
        assert_eq!(said(Error::forbidden("Locked")), "Locked");
    }
}
