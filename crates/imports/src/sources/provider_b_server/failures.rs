//! What the server says where it refuses, as people are told it.

use crate::run::Trouble;
use crate::sources::reading;
use crate::upstream::Failed;
use serde::Deserialize;

/// How it says so.
#[derive(Deserialize)]
struct Refusal {
    errors: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    message: String,
}

/// A failure in the words of the server, where it has any.
pub fn told(failed: &Failed) -> String {
    match failed {
        Failed::Status { status, body } => match message(body) {
            Some(message) => format!("Error {status}: {message}"),
            None => format!("Error {status}"),
        },
        other => other.to_string(),
    }
}

fn message(body: &str) -> Option<String> {
    let refusal: Refusal = serde_json::from_str(body).ok()?;
    refusal.errors.into_iter().next().map(|error| error.message)
}

/// A failure as imports take it.
pub fn trouble(failed: Failed) -> Trouble {
    reading::trouble(failed, told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_heard() {
        let told = |body: &str| told(&Failed::Status { status: 404, body: body.into() });
        let body = r#"{"errors": [{"context": null, "message": "No such project"}]}"#;
        assert_eq!(told(body), "Error 404: No such project");
        for body in ["", "<html>", "{}", r#"{"errors": []}"#] {
            assert_eq!(told(body), "Error 404", "{body}");
        }
    }
}
