//! Stories about applications that act for users, on both engines.

mod abuse;
mod codes;
mod consent;
mod devices;
mod final_answers;
mod grants;
mod hostile;
mod openid;
mod registration;
mod tokens;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::{Browser, Reply, TestServer};

const CALLBACK: &str = "https://app.example/cb";
const VERIFIER: &str = "ks02i3jdikdo2k0dkfodf3m39rjfjsdk0wk349rj3jrhf";

/// A registered application.
pub(crate) struct TestApplication {
    id: i64,
    uid: String,
    secret: String,
}

/// Registers an application by the REST interface.
pub(crate) async fn application(
    t: &TestServer, scopes: &str, confidential: bool,
) -> TestApplication {
    let made = t
        .admin()
        .post("/applications")
        .json(&json!({"name": "Shop", "redirect_uri": CALLBACK, "scopes": scopes,
            "confidential": confidential}))
        .await
        .is(201);
    let json = made.json();
    TestApplication {
        id: made.id(),
        uid: json["application_id"].as_str().expect("an id").to_owned(),
        secret: json["secret"].as_str().unwrap_or_default().to_owned(),
    }
}

fn challenge_of(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

/// The address of an authorization request.
fn authorize_path(application: &TestApplication, scope: &str, more: &[(&str, &str)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query
        .append_pair("client_id", &application.uid)
        .append_pair("redirect_uri", CALLBACK)
        .append_pair("response_type", "code")
        .append_pair("state", "a state")
        .append_pair("scope", scope)
        .extend_pairs(more);
    format!("/oauth/authorize?{}", query.finish())
}

/// One parameter of the address that an answer leads to.
fn answered(reply: &Reply, name: &str) -> Option<String> {
    let url = url::Url::parse(reply.header("location")).ok()?;
    url.query_pairs()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
}

/// The fields that a consent page carries on.
fn carried(page: &Reply) -> Vec<(&'static str, String)> {
    [
        "client_id",
        "redirect_uri",
        "response_type",
        "response_mode",
        "state",
        "scope",
        "nonce",
        "code_challenge",
        "code_challenge_method",
    ]
    .into_iter()
    .filter_map(|name| Some((name, page.hidden(name)?)))
    .collect()
}

/// Presses «Authorize».
async fn approve(browser: &Browser, page: &Reply) -> Reply {
    let carried = carried(page);
    let fields: Vec<(&str, &str)> =
        carried.iter().map(|(name, value)| (*name, value.as_str())).collect();
    browser.post("/oauth/authorize", &fields).await
}

/// A code, with consent where it is asked for.
async fn code(browser: &Browser, path: &str) -> String {
    let page = browser.get(path).await;
    let reply = match page.status {
        200 => approve(browser, &page).await,
        _ => page,
    };
    let reply = reply.is(302);
    answered(&reply, "code").unwrap_or_else(|| panic!("no code: {reply:?}"))
}

fn encoded(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish()
}

/// POST of an OAuth endpoint.
async fn post(t: &TestServer, path: &str, fields: &[(&str, &str)]) -> Reply {
    t.anonymous().request(Method::POST, path).form(encoded(fields)).await
}

/// Exchanges a code with the application's secret.
async fn exchange(
    t: &TestServer, application: &TestApplication, code: &str, more: &[(&str, &str)],
) -> Reply {
    let mut fields = vec![
        ("grant_type", "authorization_code"),
        ("client_id", application.uid.as_str()),
        ("code", code),
        ("redirect_uri", CALLBACK),
    ];
    if !application.secret.is_empty() {
        fields.push(("client_secret", &application.secret));
    }
    fields.extend_from_slice(more);
    post(t, "/oauth/token", &fields).await
}

/// Refreshes with the application's secret.
async fn refresh(
    t: &TestServer, application: &TestApplication, token: &str, more: &[(&str, &str)],
) -> Reply {
    let mut fields = vec![
        ("grant_type", "refresh_token"),
        ("client_id", application.uid.as_str()),
        ("refresh_token", token),
    ];
    if !application.secret.is_empty() {
        fields.push(("client_secret", &application.secret));
    }
    fields.extend_from_slice(more);
    post(t, "/oauth/token", &fields).await
}

/// A pair of tokens for the user of this browser.
pub(crate) async fn tokens(
    t: &TestServer, browser: &Browser, application: &TestApplication, scope: &str,
) -> Value {
    let code = code(browser, &authorize_path(application, scope, &[])).await;
    exchange(t, application, &code, &[]).await.is(200).json()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("no {key}: {value}"))
}

/// Asks the API with an access token.
async fn with_bearer(t: &TestServer, path: &str, token: &str) -> Reply {
    t.anonymous()
        .get(path)
        .header("authorization", &format!("Bearer {token}"))
        .await
}

#[track_caller]
fn refused(reply: Reply, status: u16, error: &str) -> Reply {
    let reply = reply.is(status);
    assert_eq!(reply.json()["error"], error, "{reply:?}");
    let polling = ["authorization_pending", "slow_down"].contains(&error);
    let challenge = reply.header("www-authenticate");
    match polling {
        true => assert_eq!(challenge, "", "a device goes on polling"),
        false => assert!(challenge.contains(error)),
    }
    assert_eq!(reply.header("cache-control"), "no-store, no-cache");
    reply
}
