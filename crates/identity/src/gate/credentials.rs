//! What credential a request carries, if any.

use crate::{pass, sessions};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{Method, header};
use kernel::error::Result;
use kernel::http::Call;
use kernel::http::params::Source;
use kernel::http::routes::Surface;
use serde_json::Value;

/// Longest credential looked at, in bytes.
const MAX: usize = 1024;

/// One credential of a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Sent {
    /// None.
    Nothing,
    /// One that cannot be anything we made.
    Unusable,
    /// The text of an access token of any kind.
    Token(String),
    /// The same where applications' tokens do not go: `PRIVATE-TOKEN` and
    /// `private_token` (contract «Using credentials on the APIs»).
    Private(String),
    /// A token sent to a registry, whose clients put deploy tokens and passes
    /// wherever they put access tokens.
    Registry(String),
    /// A deploy token; with a user name by Basic.
    Deploy {
        /// The user name.
        username: Option<String>,
        /// The password, or the header's value.
        token: String,
    },
    /// The session cookie.
    Cookie(String),
}

/// A parameter that carries access tokens, and what its text is then.
type Parameter = (&'static str, fn(String) -> Sent);

/// All of them, in the order they are tried.
const PARAMETERS: &[Parameter] = &[
    ("access_token", Sent::Token),
    ("bearer_token", Sent::Token),
    ("private_token", Sent::Private),
];

/// Finds the credential; of several the first counts, in this order:
/// `Authorization`, the query, the other headers, the body, the session. A
/// blank one, as scripts send it whose variable is not set, counts as none.
/// Pages know sessions only, so that a link with a token in it opens nothing.
pub async fn find(call: &mut Call) -> Result<Sent> {
    if call.route.surface != Surface::Page {
        let mut sent = in_authorization(call);
        for next in [in_query, in_headers, in_pass] {
            if sent == Sent::Nothing {
                sent = next(call);
            }
        }
        if sent == Sent::Nothing {
            sent = in_body(call).await?;
        }
        if sent != Sent::Nothing {
            return Ok(bounded(sent));
        }
    }
    Ok(match cookie(call, sessions::COOKIE) {
        Some(value) if value.len() <= MAX => Sent::Cookie(value),
        _ => Sent::Nothing,
    })
}

fn bounded(sent: Sent) -> Sent {
    let text = match &sent {
        Sent::Token(text)
        | Sent::Private(text)
        | Sent::Registry(text)
        | Sent::Deploy { token: text, .. } => text,
        _ => return sent,
    };
    if text.len() > MAX || text.contains('\0') {
        Sent::Unusable
    } else {
        sent
    }
}

fn in_authorization(call: &Call) -> Sent {
    let value = call.asked.headers.get(header::AUTHORIZATION);
    value.map_or(Sent::Nothing, |value| {
        by_authorization(value.to_str().unwrap_or_default(), call.route.registry)
    })
}

fn in_query(call: &Call) -> Sent {
    named(&call.query)
}

/// The credential among parameters; a list or object is none we made.
fn named(parameters: &Source) -> Sent {
    let given = |name: &str| {
        let blank = |value: &Value| {
            value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
        };
        parameters.get(name).filter(|value| !blank(value))
    };
    let sent = |(name, kind): &Parameter| Some((given(name)?, *kind));
    match PARAMETERS.iter().find_map(sent) {
        Some((Value::String(text), kind)) => kind(text.clone()),
        Some(_) => Sent::Unusable,
        // No job runs yet, so no job token is known.
        None if given("job_token").is_some() => Sent::Unusable,
        None => Sent::Nothing,
    }
}

fn in_headers(call: &Call) -> Sent {
    let blank = |value: &&http::HeaderValue| value.as_bytes().trim_ascii().is_empty();
    let header = |name| call.asked.headers.get(name).filter(|value| !blank(value));
    let text = |value: &http::HeaderValue| value.to_str().map(|text| text.trim().to_owned());
    if let Some(value) = header("private-token") {
        return text(value).map_or(Sent::Unusable, Sent::Private);
    }
    if let Some(value) = header("deploy-token").filter(|_| call.route.registry) {
        return text(value).map_or(Sent::Unusable, |token| Sent::Deploy {
            username: None,
            token,
        });
    }
    if let Some(value) = header("x-nuget-apikey").filter(|_| call.route.registry) {
        return text(value).map_or(Sent::Unusable, Sent::Registry);
    }
    // GraphQL takes no deploy tokens and says so (contract/graphql.md section 2).
    let deploy = header("deploy-token").filter(|_| call.route.surface == Surface::Graphql);
    match header("job-token").or(deploy) {
        Some(_) => Sent::Unusable,
        None => Sent::Nothing,
    }
}

/// A pass within an address that was handed out with it.
fn in_pass(call: &Call) -> Sent {
    match call.query("token").filter(|_| call.route.registry) {
        Some(text) if pass::is_pass(text) => Sent::Registry(text.to_owned()),
        _ => Sent::Nothing,
    }
}

fn by_authorization(value: &str, registry: bool) -> Sent {
    let (scheme, rest) = value.trim().split_once(' ').unwrap_or((value.trim(), ""));
    if scheme.eq_ignore_ascii_case("bearer") {
        let text = rest.trim().to_owned();
        return match registry {
            _ if text.is_empty() => Sent::Nothing,
            true => Sent::Registry(text),
            false => Sent::Token(text),
        };
    }
    if !registry || !scheme.eq_ignore_ascii_case("basic") {
        return Sent::Nothing;
    }
    let decoded = STANDARD
        .decode(rest.trim())
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    match decoded.as_deref().and_then(|text| text.split_once(':')) {
        Some(("", "")) => Sent::Nothing,
        Some((_, "")) => Sent::Unusable,
        Some((username, password)) => Sent::Deploy {
            username: Some(username.to_owned()),
            token: password.to_owned(),
        },
        None => Sent::Unusable,
    }
}

async fn in_body(call: &mut Call) -> Result<Sent> {
    let with_body = matches!(
        call.asked.method,
        Method::POST | Method::PUT | Method::PATCH
    );
    if !with_body || call.route.streams {
        return Ok(Sent::Nothing);
    }
    Ok(named(call.merged().await?))
}

fn cookie(call: &Call, name: &str) -> Option<String> {
    cookie_of(call.asked.headers.get_all(header::COOKIE).iter(), name)
}

/// One cookie out of the request's headers.
pub fn cookie_of<'h>(
    mut headers: impl Iterator<Item = &'h http::HeaderValue>,
    name: &str,
) -> Option<String> {
    headers.find_map(|value| {
        let pairs = value.to_str().ok()?.split(';');
        pairs
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(key, value)| *key == name && !value.is_empty())
            .map(|(_, value)| value.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authorization_is_read_by_its_scheme() {
        let token = |text: &str| Sent::Token(text.to_owned());
        assert_eq!(by_authorization("Bearer abc", false), token("abc"));
        assert_eq!(
            by_authorization("bearer  abc ", true),
            Sent::Registry("abc".into())
        );
        for blank in ["Bearer", "Bearer ", "bearer  "] {
            assert_eq!(by_authorization(blank, false), Sent::Nothing, "{blank}");
            assert_eq!(by_authorization(blank, true), Sent::Nothing, "{blank}");
        }
        assert_eq!(by_authorization("Digest abc", true), Sent::Nothing);
        assert_eq!(by_authorization("Basic YTpi", false), Sent::Nothing);
        assert_eq!(
            by_authorization("Basic YTpiOmM=", true),
            Sent::Deploy {
                username: Some("a".into()),
                token: "b:c".into()
            }
        );
        assert_eq!(by_authorization("Basic Og==", true), Sent::Nothing);
        // The third has a name and no password.
        for bad in [
            "Basic",
            "Basic !!",
            "Basic YTo=",
            "Basic YWI=",
            "Basic /w==",
        ] {
            assert_eq!(by_authorization(bad, true), Sent::Unusable, "{bad}");
        }
    }

    #[test]
    fn parameters_say_what_their_token_may_be() {
        let given = |name: &str| {
            let value = Value::String("abc".into());
            named(&Source::from_iter([(name.to_owned(), value)]))
        };
        assert_eq!(given("access_token"), Sent::Token("abc".into()));
        assert_eq!(given("bearer_token"), Sent::Token("abc".into()));
        assert_eq!(given("private_token"), Sent::Private("abc".into()));
        assert_eq!(given("job_token"), Sent::Unusable);
        assert_eq!(given("token"), Sent::Nothing);
    }

    #[test]
    fn a_blank_parameter_is_none() {
        for name in ["access_token", "bearer_token", "private_token", "job_token"] {
            for blank in [Value::Null, "".into(), " ".into()] {
                let source = Source::from_iter([(name.to_owned(), blank)]);
                assert_eq!(named(&source), Sent::Nothing, "{name}");
            }
        }
        let source = [("access_token", ""), ("private_token", "abc")];
        let source = source.map(|(name, text)| (name.to_owned(), Value::from(text)));
        assert_eq!(
            named(&Source::from_iter(source)),
            Sent::Private("abc".into())
        );
    }

    #[test]
    fn overlong_tokens_are_unusable() {
        for bad in ["x".repeat(MAX + 1), "a\0b".into()] {
            assert_eq!(bounded(Sent::Token(bad)), Sent::Unusable);
        }
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let value =
            http::HeaderValue::from_static("a=1; x_service_session=no; _service_session=yes");
        assert_eq!(
            cookie_of([&value].into_iter(), sessions::COOKIE),
            Some("yes".into())
        );
        assert_eq!(cookie_of([&value].into_iter(), "b"), None);
    }
}
