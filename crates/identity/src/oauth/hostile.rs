//! What holds of every authorization and token request, whatever its bytes.
//!
//! [`check`] panics where a promise is broken. The fuzz target feeds it; the
//! test below does so with a few thousand made-up requests in every run.

use super::applications::Application;
use super::sent::{Lenient, OauthParams};
use super::{client, pkce, redirect, request};
use http::HeaderValue;
use kernel::time::Timestamp;
use url::Url;

/// Addresses of every kind that may be registered.
const REGISTERED: &str = "https://app.example/cb?tab=1\nhttp://127.0.0.1/cb\nhttp://[::1]:80/\n\
    com.example.app:/cb\nhttp://localhost:3000/";

/// Reads the bytes as every request that takes OAuth parameters would.
pub fn check(bytes: &[u8]) {
    strict_and_lenient_agree(bytes);
    if let Ok(sent) = OauthParams::from_json(bytes) {
        no_value_is_odd(&sent);
    }
    let lenient = Lenient::from_query(bytes);
    no_value_is_odd(&lenient.sent);
    answers_stay_with_the_client(&lenient.sent);
    verifiers_fit_their_challenge_alone(&lenient.sent);
    for confidential in [true, false] {
        requests_ask_for_no_more_than_allowed(bytes, confidential);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        headers_name_a_client_or_nobody(text);
    }
}

fn strict_and_lenient_agree(bytes: &[u8]) {
    let lenient = Lenient::from_query(bytes);
    match OauthParams::from_form(bytes) {
        Ok(sent) => {
            no_value_is_odd(&sent);
            assert_eq!(sent, lenient.sent);
            assert!(lenient.fault.is_none());
        }
        Err(_) => assert!(lenient.fault.is_some()),
    }
}

fn no_value_is_odd(sent: &OauthParams) {
    for value in sent.values() {
        assert!(!value.is_empty() && !value.contains('\0'), "{value:?}");
    }
}

/// An address that counts as registered leads to a registered place, and the
/// answer put into it can be a header and adds no parameter but its own.
fn answers_stay_with_the_client(sent: &OauthParams) {
    let target = request::target(sent);
    if !redirect::is_registered(REGISTERED, &target.redirect_uri) {
        return;
    }
    let place = |text: &str| {
        let url = Url::parse(text).expect("a registered address is one");
        let host = url.host_str().unwrap_or_default().to_owned();
        (url.scheme().to_owned(), host, url.path().to_owned())
    };
    let known: Vec<_> = redirect::lines(REGISTERED).map(place).collect();
    let mut answer = vec![("code", "c")];
    if let Some(state) = &target.state {
        answer.push(("state", state));
    }
    let to = redirect::with_answer(&target.redirect_uri, &answer);
    assert!(known.contains(&place(&to)), "{to:?}");
    assert!(HeaderValue::from_str(&to).is_ok(), "{to:?}");
    let url = Url::parse(&to).expect("an address");
    for (name, value) in answer {
        let found: Vec<String> = url
            .query_pairs()
            .filter(|(key, _)| key == name)
            .map(|(_, value)| value.into_owned())
            .collect();
        assert_eq!(found, [value], "{to:?}");
    }
}

fn verifiers_fit_their_challenge_alone(sent: &OauthParams) {
    let (Some(challenge), Some(verifier)) = (sent.get("code_challenge"), sent.get("code_verifier"))
    else {
        return;
    };
    if pkce::fits(challenge, verifier) {
        assert!(pkce::is_challenge(challenge) && pkce::is_verifier(verifier));
        assert!(!pkce::fits(challenge, &format!("{verifier}~")));
    }
}

fn requests_ask_for_no_more_than_allowed(bytes: &[u8], confidential: bool) {
    let application = application(confidential);
    let Ok(request) = request::check(Lenient::from_query(bytes), &application) else {
        return;
    };
    let allowed = application.scopes();
    assert!(!request.scopes.is_empty());
    assert!(request.scopes.iter().all(|scope| allowed.contains(scope)));
    assert!(confidential || request.challenge.is_some());
    assert!(request.challenge.is_none_or(|text| pkce::is_challenge(&text)));
    assert!(request.max_age.is_none_or(|seconds| seconds >= 0));
    let prompt = request.prompt;
    assert!(!prompt.none || !(prompt.login || prompt.consent || prompt.select_account));
}

fn headers_name_a_client_or_nobody(value: &str) {
    if let Ok(Some(credentials)) = client::basic(value) {
        assert!(value.trim().get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("basic")));
        assert!(credentials.secret.is_none_or(|secret| secret.len() <= value.len()));
    }
}

fn application(confidential: bool) -> Application {
    Application {
        id: 1,
        uid: "a".repeat(64),
        name: "Shop".to_owned(),
        redirect_uris: REGISTERED.to_owned(),
        scopes: "api openid read_user".to_owned(),
        confidential,
        trusted: false,
        dynamic: false,
        password_grant: true,
        owner_type: None,
        owner_id: None,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    /// A parameter as clients and attackers write it.
    fn parameter() -> impl Strategy<Value = String> {
        let name = prop::sample::select(vec![
            "client_id",
            "redirect_uri",
            "response_type",
            "response_mode",
            "state",
            "scope",
            "scope[a]",
            "scope[]",
            "code_challenge",
            "code_challenge_method",
            "code_verifier",
            "nonce",
            "prompt",
            "max_age",
            "root_namespace_id",
            "resource",
            "",
        ]);
        let value = prop_oneof![
            prop::sample::select(vec![
                "code",
                "token",
                "query",
                "form_post",
                "S256",
                "plain",
                "api",
                "openid+api",
                "api+sudo",
                "none",
                "login+consent",
                "none+login",
                "60",
                "-1",
                "1e9",
                "",
                "https://app.example/cb?tab=1",
                "http://127.0.0.1:4711/cb",
                "http://[::1]:9/",
                "https://app.example/cb?tab=1%26code=x",
                "http://127.0.0.1@evil.example/cb",
                "http://127.0.0.1:80.evil.example/cb",
                "com.example.app:/cb",
                "%00",
                "%FF",
                "%0D%0ASet-Cookie:x",
                "ks02i3jdikdo2k0dkfodf3m39rjfjsdk0wk349rj3jrhf",
                "2i0WFA-0AerkjQm4X4oDEhqA17QIAKNjXpagHBXmO_U",
            ])
            .prop_map(str::to_owned),
            "[ -~]{0,60}",
            "\\PC{0,20}",
        ];
        (name, value).prop_map(|(name, value)| format!("{name}={value}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn no_request_breaks_a_promise(parameters in prop::collection::vec(parameter(), 0..12)) {
            super::check(parameters.join("&").as_bytes());
        }

        #[test]
        fn no_bytes_do(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            super::check(&bytes);
        }
    }
}
