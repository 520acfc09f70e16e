//! What the provider says where it refuses, as people are told it.

use crate::run::Trouble;
use crate::sources::reading;
use crate::upstream::Failed;
use serde::Deserialize;

/// How it says so.
#[derive(Deserialize)]
struct Refusal {
    error: Message,
}

#[derive(Deserialize)]
struct Message {
    message: String,
}

/// A failure in the words of the provider, where it has any.
pub fn told(failed: &Failed) -> String {
    match failed {
        Failed::Status { status, body } => match serde_json::from_str::<Refusal>(body) {
            Ok(refusal) => format!("Error {status}: {}", refusal.error.message),
            Err(_) => format!("Error {status}"),
        },
        other => other.to_string(),
    }
}

/// A failure as imports take it.
pub fn trouble(failed: Failed) -> Trouble {
    reading::trouble(failed, told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_provider_is_heard() {
        let told = |body: &str| told(&Failed::Status { status: 404, body: body.into() });
        let body = r#"{"type": "error", "error": {"message": "Repository a/b not found"}}"#;
        assert_eq!(told(body), "Error 404: Repository a/b not found");
        for body in ["", "<html>", "{}", r#"{"error": "x"}"#] {
            assert_eq!(told(body), "Error 404", "{body}");
        }
    }
}
