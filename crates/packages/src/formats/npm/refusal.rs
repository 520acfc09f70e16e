//! Refusals as npm clients read them: `message` as everywhere, and `error`,
//! which they show (docs/interface/packages.md 2.4).

use crate::access;
use kernel::error::{Error, Result};
use kernel::http::Response;
use serde_json::json;

pub fn for_client(error: Error, is_stranger: bool) -> Result<Response> {
    access::for_client(error, is_stranger).map_err(worded)
}

fn worded(error: Error) -> Error {
    match error {
        Error::Forbidden(reason) if reason.is_empty() => exact(403, "Forbidden", "Unauthorized"),
        Error::Forbidden(reason) => exact(403, "Forbidden", &reason),
        Error::BadRequest(reason) => exact(400, "Bad request", &reason),
        Error::TooLarge => exact(400, "Bad request", "File is too large."),
        Error::NotFound(thing) if !thing.is_empty() => {
            let mut text = thing.to_lowercase();
            if let Some(first) = text.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            Error::Exact(
                404,
                json!({
                    "message": format!("404 {thing} Not Found"),
                    "error": format!("{text} not found"),
                }),
            )
        }
        other => other,
    }
}

fn exact(status: u16, name: &str, reason: &str) -> Error {
    let reason = match reason {
        "File is too large" => "File is too large.",
        other => other,
    };
    Error::Exact(
        status,
        json!({"message": format!("{status} {name} - {reason}"), "error": reason}),
    )
}

/// Two publishers that got in each other's way too often.
pub fn leased(error: Error) -> Error {
    match error {
        Error::Unavailable(_) => {
            Error::BadRequest("Could not obtain package lease. Please try again.".into())
        }
        other => other,
    }
}

pub fn taken() -> Error {
    Error::forbidden("Package already exists.")
}
