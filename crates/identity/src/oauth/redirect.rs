//! Where applications may be sent back to (RFC 9700 section 2.1: exact
//! comparison; RFC 8252 section 7.3: any port on loopback addresses).

use std::net::IpAddr;
use url::Url;

/// Longest redirect address, in bytes.
const MAX: usize = 2_000;
/// Most redirect addresses of one application.
const MAX_COUNT: usize = 50;
/// Schemes that run or show what they carry.
const FORBIDDEN: &[&str] = &["data", "vbscript", "javascript"];

/// The addresses of a text with one a line.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty())
}

/// Why these addresses cannot be registered; with `allow_http` plain HTTP is
/// taken for every host.
pub fn problem(text: &str, allow_http: bool) -> Option<&'static str> {
    let mut count = 0;
    for uri in lines(text) {
        count += 1;
        if let Some(problem) = problem_of(uri, allow_http) {
            return Some(problem);
        }
    }
    match count {
        0 => Some("can't be blank"),
        1..=MAX_COUNT => None,
        _ => Some("has too many lines (maximum is 50)"),
    }
}

fn problem_of(uri: &str, allow_http: bool) -> Option<&'static str> {
    const INVALID: Option<&str> = Some("must be a valid URI.");
    if uri.len() > MAX || !uri.bytes().all(|byte| byte.is_ascii_graphic()) {
        return INVALID;
    }
    let url = match Url::parse(uri) {
        Ok(url) => url,
        Err(url::ParseError::RelativeUrlWithoutBase) => return Some("must be an absolute URI."),
        Err(_) => return INVALID,
    };
    if FORBIDDEN.contains(&url.scheme()) {
        return Some("is forbidden by the server.");
    }
    if url.fragment().is_some() {
        return Some("cannot contain a fragment.");
    }
    if url.cannot_be_a_base() || url.scheme() == "localhost" {
        return Some("must specify a scheme.");
    }
    if !url.username().is_empty() || url.password().is_some() || uri.contains('\\') {
        return INVALID;
    }
    match url.scheme() {
        "https" if url.host_str().is_none() => INVALID,
        "http" if !allow_http && !is_loopback(&url) => Some("must be an HTTPS/SSL URI."),
        _ => None,
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

pub fn is_registered(registered: &str, sent: &str) -> bool {
    lines(registered).any(|one| matches(one, sent))
}

/// Character by character, but for the port of loopback IP addresses.
fn matches(registered: &str, sent: &str) -> bool {
    registered == sent
        || match (loopback_parts(registered), loopback_parts(sent)) {
            (Some(ours), Some(theirs)) => ours == theirs,
            _ => false,
        }
}

/// Host and what follows the port of `http://` on a loopback IP address.
fn loopback_parts(uri: &str) -> Option<(&str, &str)> {
    let rest = uri.strip_prefix("http://")?;
    let end = match rest.strip_prefix('[') {
        Some(inner) => inner.find(']')? + 2,
        None => rest.find([':', '/', '?', '#', '@']).unwrap_or(rest.len()),
    };
    let (host, rest) = rest.split_at(end);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    if !bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()) {
        return None;
    }
    let rest = match rest.strip_prefix(':') {
        Some(port) => {
            let digits = port.find(|c: char| !c.is_ascii_digit()).unwrap_or(port.len());
            port[..digits].parse::<u16>().ok()?;
            &port[digits..]
        }
        None => rest,
    };
    (rest.is_empty() || rest.starts_with(['/', '?'])).then_some((host, rest))
}

/// What a Content-Security-Policy must allow forms to lead to, so that the
/// redirect after consent is not stopped: the origin, or a private scheme.
pub fn policy_source(uri: &str) -> String {
    match Url::parse(uri) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => url.origin().ascii_serialization(),
        Ok(url) => format!("{}:", url.scheme()),
        Err(_) => String::new(),
    }
}

/// The host people see on the consent page, or the scheme of an installed app.
pub fn shown_host(uri: &str) -> String {
    match Url::parse(uri) {
        Ok(url) => match (url.host_str(), url.port()) {
            (Some(host), Some(port)) => format!("{host}:{port}"),
            (Some(host), None) => host.to_owned(),
            (None, _) => format!("{}:", url.scheme()),
        },
        Err(_) => String::new(),
    }
}

/// The address with `answer` added to its query; a parameter of the same name
/// that was there is replaced.
pub fn with_answer(uri: &str, answer: &[(&str, &str)]) -> String {
    let (path, query) = uri.split_once('?').unwrap_or((uri, ""));
    let name = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    let mut parts: Vec<String> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !answer.iter().any(|(key, _)| name(pair) == *key))
        .map(str::to_owned)
        .collect();
    parts.extend(answer.iter().map(|(key, value)| {
        let value: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
        format!("{key}={value}")
    }));
    format!("{path}?{}", parts.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registration_says_what_is_wrong() {
        for (uri, wrong) in [
            ("", "can't be blank"),
            ("https://app.example/cb#x", "cannot contain a fragment."),
            ("/cb", "must be an absolute URI."),
            ("app.example", "must be an absolute URI."),
            ("https://", "must be a valid URI."),
            ("https://a b/", "must be a valid URI."),
            ("https://me@app.example/", "must be a valid URI."),
            ("javascript:alert(1)", "is forbidden by the server."),
            ("data:text/html,x", "is forbidden by the server."),
            ("vbscript:x", "is forbidden by the server."),
            ("localhost:3000/cb", "must specify a scheme."),
            ("mailto:me@example.com", "must specify a scheme."),
            ("urn:ietf:wg:oauth:2.0:oob", "must specify a scheme."),
            ("http://app.example/cb", "must be an HTTPS/SSL URI."),
            ("http://localhost.evil.example/", "must be an HTTPS/SSL URI."),
        ] {
            assert_eq!(problem(uri, false), Some(wrong), "{uri}");
        }
        for good in [
            "https://app.example/cb?x=1",
            "http://localhost:3000/cb",
            "http://127.0.0.1",
            "http://127.8.9.1/cb",
            "http://[::1]:8080/",
            "com.example.app:/cb",
            "myapp://callback",
            "https://a.example/\nhttps://b.example/",
        ] {
            assert_eq!(problem(good, false), None, "{good}");
        }
        assert_eq!(problem("http://app.example/cb", true), None);
        assert_eq!(
            problem("https://a.example\nhttp://b.example", false),
            Some("must be an HTTPS/SSL URI.")
        );
    }

    #[test]
    fn only_the_port_of_loopback_addresses_is_free() {
        let registered =
            "https://app.example/cb\nhttp://127.0.0.1/cb\nhttp://[::1]:1/\nhttp://localhost/cb";
        for good in [
            "https://app.example/cb",
            "http://127.0.0.1/cb",
            "http://127.0.0.1:49152/cb",
            "http://[::1]:65535/",
            "http://localhost/cb",
        ] {
            assert!(is_registered(registered, good), "{good}");
        }
        for bad in [
            "https://app.example/CB",
            "https://APP.example/cb",
            "https://app.example/cb/",
            "https://app.example/cb/../x",
            "https://app.example:8443/cb",
            "https://app.example/cb?x=1",
            "https://app.example/cb#x",
            "https://app.example%2fcb",
            "https://evil@app.example/cb",
            "https://app.example@evil.example/cb",
            "http://localhost:3000/cb",
            "http://127.0.0.2/cb",
            "http://127.0.0.1:99999/cb",
            "http://127.0.0.1:1@evil.example/cb",
            "http://127.0.0.1@evil.example/cb",
            "http://127.0.0.1.evil.example/cb",
            "http://127.0.0.1:80/other",
            "http://127.0.0.1:/cb\\",
            "https://127.0.0.1/cb",
            "",
        ] {
            assert!(!is_registered(registered, bad), "{bad}");
        }
        assert!(is_registered("http://127.0.0.1", "http://127.0.0.1:5123"));
        assert!(!is_registered("http://127.0.0.1", "http://127.0.0.1:5123/"));
    }

    #[test]
    fn the_answer_replaces_parameters_of_its_own_names() {
        assert_eq!(
            with_answer(
                "https://a.example/cb?keep=%20x&code=old",
                &[("code", "n w"), ("state", "a&b=c")]
            ),
            "https://a.example/cb?keep=%20x&code=n+w&state=a%26b%3Dc"
        );
        assert_eq!(with_answer("app:/cb", &[("code", "1")]), "app:/cb?code=1");
    }

    #[test]
    fn the_policy_names_the_origin_or_the_scheme() {
        assert_eq!(policy_source("https://app.example:8443/cb?x=1"), "https://app.example:8443");
        assert_eq!(policy_source("com.example.app:/cb"), "com.example.app:");
    }
}
