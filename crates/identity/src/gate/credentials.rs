//! What credential a request carries, if any.

use crate::{feed_tokens, registry_session, sessions};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{Method, header};
use kernel::error::Result;
use kernel::http::Call;
use kernel::http::bodies::MAX_ANONYMOUS;
use kernel::http::params::Source;
use kernel::http::routes::Surface;
use serde_json::Value;

/// Longest credential looked at, in bytes.
const MAX: usize = 1024;

#[derive(Debug, PartialEq, Eq)]
pub enum SentCredential {
    Nothing,
    /// One that cannot be anything we made.
    Unusable,
    /// The text of an access token of any kind.
    Token(String),
    /// The same where applications' tokens do not go: `PRIVATE-TOKEN` and
    /// `private_token` (docs/interface/identity.md 3).
    Private(String),
    /// A token sent to a registry, whose clients put deploy tokens and passes
    /// wherever they put access tokens.
    Registry(String),
    /// A deploy token; with a user name by Basic.
    Deploy {
        username: Option<String>,
        /// The password, or the header's value.
        token: String,
    },
    /// The token of a job of a pipeline.
    Job(String),
    /// A token of feeds.
    Feed(String),
    Cookie(String),
}

/// A parameter that carries access tokens, and what its text is then.
type Parameter = (&'static str, fn(String) -> SentCredential);

/// All of them, in the order they are tried.
const PARAMETERS: &[Parameter] = &[
    ("access_token", SentCredential::Token),
    ("bearer_token", SentCredential::Token),
    ("private_token", SentCredential::Private),
    ("job_token", SentCredential::Job),
];

/// Finds the credential; of several the first counts, in this order:
/// `Authorization`, the query, the other headers, the body, the session. A
/// blank one, as scripts send it whose variable is not set, counts as none.
/// Pages know sessions only, so that a link with a token in it opens nothing; but those
/// that are feeds, too, know the tokens of feeds.
pub async fn find(call: &mut Call) -> Result<SentCredential> {
    if call.route.surface != Surface::Page {
        let mut sent = in_authorization(call);
        for next in [in_query, in_headers, in_pass, in_feed] {
            if sent == SentCredential::Nothing {
                sent = next(call);
            }
        }
        if sent == SentCredential::Nothing {
            sent = in_body(call).await?;
        }
        if sent != SentCredential::Nothing {
            return Ok(bounded(sent));
        }
    } else if let sent @ SentCredential::Feed(_) = in_page_feed(call).await? {
        return Ok(bounded(sent));
    }
    Ok(match cookie(call, sessions::COOKIE) {
        Some(value) if value.len() <= MAX => SentCredential::Cookie(value),
        _ => SentCredential::Nothing,
    })
}

fn bounded(sent: SentCredential) -> SentCredential {
    let text = match &sent {
        SentCredential::Token(text)
        | SentCredential::Private(text)
        | SentCredential::Registry(text)
        | SentCredential::Job(text)
        | SentCredential::Feed(text)
        | SentCredential::Deploy { token: text, .. } => text,
        _ => return sent,
    };
    if text.len() > MAX || text.contains('\0') {
        SentCredential::Unusable
    } else {
        sent
    }
}

fn in_authorization(call: &Call) -> SentCredential {
    let value = call.request.headers.get(header::AUTHORIZATION);
    value.map_or(SentCredential::Nothing, |value| {
        let names = call.route.registry || call.route.git;
        by_authorization(value.to_str().unwrap_or_default(), names)
    })
}

fn in_query(call: &Call) -> SentCredential {
    named(&call.query)
}

/// The credential among parameters; a list or object is none we made.
fn named(parameters: &Source) -> SentCredential {
    let given = |name: &str| {
        let blank = |value: &Value| {
            value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty())
        };
        parameters.get(name).filter(|value| !blank(value))
    };
    let sent = |(name, kind): &Parameter| Some((given(name)?, *kind));
    match PARAMETERS.iter().find_map(sent) {
        Some((Value::String(text), kind)) => kind(text.clone()),
        Some(_) => SentCredential::Unusable,
        None => SentCredential::Nothing,
    }
}

fn in_headers(call: &Call) -> SentCredential {
    let blank = |value: &&http::HeaderValue| value.as_bytes().trim_ascii().is_empty();
    let header = |name| call.request.headers.get(name).filter(|value| !blank(value));
    let text = |value: &http::HeaderValue| value.to_str().map(|text| text.trim().to_owned());
    if let Some(value) = header("private-token") {
        return text(value).map_or(SentCredential::Unusable, SentCredential::Private);
    }
    if let Some(value) = header("deploy-token").filter(|_| call.route.registry) {
        return text(value).map_or(SentCredential::Unusable, |token| SentCredential::Deploy {
            username: None,
            token,
        });
    }
    if let Some(value) = header("x-nuget-apikey").filter(|_| call.route.registry) {
        return text(value).map_or(SentCredential::Unusable, SentCredential::Registry);
    }
    if let Some(value) = header("job-token") {
        return text(value).map_or(SentCredential::Unusable, SentCredential::Job);
    }
    // GraphQL takes no deploy tokens and says so (docs/interface/graphql.md 2).
    match header("deploy-token").filter(|_| call.route.surface == Surface::Graphql) {
        Some(_) => SentCredential::Unusable,
        None => SentCredential::Nothing,
    }
}

/// A pass within an address that was handed out with it.
fn in_pass(call: &Call) -> SentCredential {
    match call.query("token").filter(|_| call.route.registry) {
        Some(text) if registry_session::is_pass(text) => SentCredential::Registry(text.to_owned()),
        _ => SentCredential::Nothing,
    }
}

/// The token in the address of a feed.
fn in_feed(call: &Call) -> SentCredential {
    match call.route.feed {
        true => of_feed(call),
        false => SentCredential::Nothing,
    }
}

/// The same of a page that was asked for as a feed, as its handler will read it, too.
async fn in_page_feed(call: &mut Call) -> Result<SentCredential> {
    let asked = call.route.also_feed && of_feed(call) != SentCredential::Nothing;
    match asked && call.text("format").await?.as_deref() == Some("atom") {
        true => Ok(of_feed(call)),
        false => Ok(SentCredential::Nothing),
    }
}

fn of_feed(call: &Call) -> SentCredential {
    match call
        .query(feed_tokens::PARAMETER)
        .map(str::trim)
        .filter(|text| !text.is_empty())
    {
        Some(text) => SentCredential::Feed(text.to_owned()),
        None => SentCredential::Nothing,
    }
}

fn by_authorization(value: &str, registry: bool) -> SentCredential {
    let (scheme, rest) = value.trim().split_once(' ').unwrap_or((value.trim(), ""));
    if scheme.eq_ignore_ascii_case("bearer") {
        let text = rest.trim().to_owned();
        return match registry {
            _ if text.is_empty() => SentCredential::Nothing,
            true => SentCredential::Registry(text),
            false => SentCredential::Token(text),
        };
    }
    if !registry || !scheme.eq_ignore_ascii_case("basic") {
        return SentCredential::Nothing;
    }
    let decoded = STANDARD
        .decode(rest.trim())
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    match decoded.as_deref().and_then(|text| text.split_once(':')) {
        Some(("", "")) => SentCredential::Nothing,
        Some((_, "")) => SentCredential::Unusable,
        Some((username, password)) => SentCredential::Deploy {
            username: Some(username.to_owned()),
            token: password.to_owned(),
        },
        None => SentCredential::Unusable,
    }
}

async fn in_body(call: &mut Call) -> Result<SentCredential> {
    let with_body = matches!(call.request.method, Method::POST | Method::PUT | Method::PATCH);
    if !with_body || call.route.streams || is_looked_at_later(call) {
        return Ok(SentCredential::Nothing);
    }
    Ok(named(call.merged().await?))
}

/// Whether a body is too large to be read before it is known who sends it, or
/// may be while there is a session to ask first.
fn is_looked_at_later(call: &Call) -> bool {
    match call.body_size() {
        Some(size) => size > MAX_ANONYMOUS as u64,
        None => cookie(call, sessions::COOKIE).is_some(),
    }
}

fn cookie(call: &Call, name: &str) -> Option<String> {
    cookie_of(call.request.headers.get_all(header::COOKIE).iter(), name)
}

pub fn cookie_of<'h>(
    mut headers: impl Iterator<Item = &'h http::HeaderValue>, name: &str,
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
        let token = |text: &str| SentCredential::Token(text.to_owned());
        assert_eq!(by_authorization("Bearer abc", false), token("abc"));
        assert_eq!(by_authorization("bearer  abc ", true), SentCredential::Registry("abc".into()));
        for blank in ["Bearer", "Bearer ", "bearer  "] {
            assert_eq!(by_authorization(blank, false), SentCredential::Nothing, "{blank}");
            assert_eq!(by_authorization(blank, true), SentCredential::Nothing, "{blank}");
        }
        assert_eq!(by_authorization("Digest abc", true), SentCredential::Nothing);
        assert_eq!(by_authorization("Basic YTpi", false), SentCredential::Nothing);
        assert_eq!(
            by_authorization("Basic YTpiOmM=", true),
            SentCredential::Deploy { username: Some("a".into()), token: "b:c".into() }
        );
        assert_eq!(by_authorization("Basic Og==", true), SentCredential::Nothing);
        // The third has a name and no password.
        for bad in ["Basic", "Basic !!", "Basic YTo=", "Basic YWI=", "Basic /w=="] {
            assert_eq!(by_authorization(bad, true), SentCredential::Unusable, "{bad}");
        }
    }

    #[test]
    fn parameters_say_what_their_token_may_be() {
        let given = |name: &str| {
            let value = Value::String("abc".into());
            named(&Source::from_iter([(name.to_owned(), value)]))
        };
        assert_eq!(given("access_token"), SentCredential::Token("abc".into()));
        assert_eq!(given("bearer_token"), SentCredential::Token("abc".into()));
        assert_eq!(given("private_token"), SentCredential::Private("abc".into()));
        assert_eq!(given("job_token"), SentCredential::Job("abc".into()));
        assert_eq!(given("token"), SentCredential::Nothing);
    }

    #[test]
    fn a_blank_parameter_is_none() {
        for name in ["access_token", "bearer_token", "private_token", "job_token"] {
            for blank in [Value::Null, "".into(), " ".into()] {
                let source = Source::from_iter([(name.to_owned(), blank)]);
                assert_eq!(named(&source), SentCredential::Nothing, "{name}");
            }
        }
        let source = [("access_token", ""), ("private_token", "abc")];
        let source = source.map(|(name, text)| (name.to_owned(), Value::from(text)));
        assert_eq!(named(&Source::from_iter(source)), SentCredential::Private("abc".into()));
    }

    #[test]
    fn overlong_tokens_are_unusable() {
        for bad in ["x".repeat(MAX + 1), "a\0b".into()] {
            assert_eq!(bounded(SentCredential::Token(bad)), SentCredential::Unusable);
        }
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let value =
            http::HeaderValue::from_static("a=1; x_service_session=no; _service_session=yes");
        assert_eq!(cookie_of([&value].into_iter(), sessions::COOKIE), Some("yes".into()));
        assert_eq!(cookie_of([&value].into_iter(), "b"), None);
    }
}
