//! What people read beside git's own words.

use kernel::error::Error;
use repositories::access::NOT_FOUND;
use serde_json::Value;

/// Lines that git's user reads as from the other side.
fn remote(lines: &str) -> String {
    lines.lines().map(|line| format!("remote: {line}\n")).collect()
}

/// A refusal, framed.
pub(super) fn refusal(text: &str) -> String {
    let bar = "=".repeat(72);
    // What begins so is no error of theirs.
    let kind = if text.starts_with("INFO: ") { "" } else { "ERROR: " };
    remote(&format!("\n{bar}\n\n{kind}{text}\n\n{bar}\n\n"))
}

/// Something that is good to know.
pub(super) fn information(text: &str) -> String {
    remote(&format!("\n{text}\n\n"))
}

/// A project that is elsewhere now.
pub(super) fn moved(from: &str, to: &str, url: &str) -> String {
    let text = format!(
        "Project '{from}' was moved to '{to}'.\n\nPlease update your Git remote:\n\n  \
         git remote set-url origin {url}"
    );
    information(&text)
}

/// The words of an error; those of ours stay with us.
pub(super) fn of(error: Error) -> String {
    match error {
        Error::Exact(_, Value::String(text)) => text,
        Error::Exact(_, body) => body["message"].as_str().unwrap_or("Refused.").to_owned(),
        Error::Forbidden(text) | Error::Unavailable(text) if !text.is_empty() => text,
        Error::NotFound(_) | Error::Unauthenticated => NOT_FOUND.to_owned(),
        Error::TooLarge => "The request is too large.".to_owned(),
        Error::BadRequest(text) => text,
        error => {
            tracing::error!(%error, "a session over SSH failed");
            "The service failed. Please try again later.".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_framed() {
        let bar = format!("remote: {}\n", "=".repeat(72));
        let whole =
            format!("remote: \n{bar}remote: \nremote: ERROR: No.\nremote: \n{bar}remote: \n");
        assert_eq!(refusal("No."), whole);
        assert!(refusal("INFO: Over.").contains("remote: INFO: Over.\n"));
    }
}
