//! What pages say about refusals: what happened, and what to do about it.

use http::StatusCode;

/// Heading and advice, for who looks at this path.
pub(super) fn words(
    status: StatusCode, path: &str, is_signed_in: bool,
) -> (&'static str, &'static str) {
    match status.as_u16() {
        400 => ("This request cannot be read", "Check what you entered and try again."),
        401 => ("Please sign in", "This page is for signed-in people."),
        403 => ("You may not do this", who_may(path, is_signed_in)),
        404 if is_signed_in => (
            "Nothing here",
            "The address may be mistyped, or it leads to something you may not see.",
        ),
        404 => (
            "Nothing here",
            "The address may be mistyped, or the page is private and you are not signed in.",
        ),
        405 => ("This address does not take that", "Go back and use the form on the page."),
        409 => ("Someone was faster", "Reload the page and look at its present state first."),
        412 => (
            "This has changed meanwhile",
            "Reload the page and look at its present state first.",
        ),
        413 => ("Too large", "The file or text is larger than this server takes."),
        422 => ("This cannot be accepted", "Go back, reload the page and send the form again."),
        429 => ("Too many requests", "Wait a minute and try again."),
        503 => ("Back in a moment", "The server is busy or being updated. Try again shortly."),
        code if (400..500).contains(&code) => {
            ("This request cannot be answered", "Check the address and try again.")
        }
        _ => (
            "Something failed on our side",
            "It has been written to the log. If it happens again, tell your administrator.",
        ),
    }
}

/// Who could help somebody who may not do this.
fn who_may(path: &str, is_signed_in: bool) -> &'static str {
    let is_below = |area: &str| path == area || path.starts_with(&format!("{area}/"));
    if is_below("/admin") {
        return "Only administrators may.";
    }
    if !is_signed_in {
        return "If you have an account, sign in.";
    }
    // What follows `/-/` alone belongs to nobody's project.
    match ["/users", "/oauth", "/-"].into_iter().any(is_below) {
        true => "If you think you should be able to, tell your administrator.",
        false => "Ask an owner of the project or group for a higher role.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_fits_the_place() {
        let said = |code, path, is_signed_in| {
            let status = StatusCode::from_u16(code).expect("a status");
            words(status, path, is_signed_in).1
        };
        assert!(said(403, "/acme/anvil/-/settings", true).contains("owner of the project"));
        assert!(said(403, "/administrata/anvil", true).contains("owner of the project"));
        for path in ["/admin", "/admin/users", "/users/sign_up", "/-/user_settings/tokens"] {
            for is_signed_in in [true, false] {
                assert!(!said(403, path, is_signed_in).contains("owner"), "{path}");
            }
        }
        assert!(said(403, "/users/sign_up", false).contains("sign in"));
        assert!(!said(404, "/x", true).contains("not signed in"));
        assert!(said(404, "/x", false).contains("not signed in"));
    }
}
