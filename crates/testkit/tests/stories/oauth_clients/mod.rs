//! Stories of the stock Rust clients, `oauth2` and `openidconnect`, on both
//! engines. They speak through a function of ours, so they bring no HTTP
//! stack of their own.

mod oauth;
mod openid;

use oauth2::{HttpRequest, HttpResponse};
use serde_json::json;
use std::future::Future;
use std::pin::Pin;
use testkit::{Browser, TestServer};
use url::Url;

const CALLBACK: &str = "http://127.0.0.1:9/cb";

/// An answer on its way.
type Answer = Pin<Box<dyn Future<Output = Result<HttpResponse, reqwest::Error>> + Send>>;

/// Sends what a client asks, as a proxy with TLS in front of the server does.
fn proxy(t: &TestServer) -> impl Fn(HttpRequest) -> Answer + use<> {
    let client = t.anonymous();
    move |asked| {
        let address = asked.uri().to_string().replacen("https://", "http://", 1);
        let mut request = client.request(asked.method().clone(), address);
        for (name, value) in asked.headers() {
            request = request.header(name.as_str(), value.to_str().expect("text"));
        }
        let request = request.bytes(asked.into_body());
        Box::pin(async move {
            let reply = request.try_send().await?;
            let mut response = HttpResponse::new(reply.body.to_vec());
            *response.status_mut() = reply.status.try_into().expect("a status");
            *response.headers_mut() = reply.headers;
            Ok(response)
        })
    }
}

/// Registers an application: its id, and its secret if it has one.
async fn register(t: &TestServer, scopes: &str, confidential: bool) -> (String, Option<String>) {
    let new = json!({"name": "Shop", "redirect_uri": CALLBACK, "scopes": scopes,
        "confidential": confidential});
    let made = t.admin().post("/applications").json(&new).await.is(201);
    let made = made.json();
    let text = |key: &str| made[key].as_str().map(str::to_owned);
    (text("application_id").expect("an id"), text("secret"))
}

/// Where the user of this browser is sent after pressing «Authorize».
async fn agree(browser: &Browser, address: &Url) -> Url {
    let page = browser.get(address.as_str()).await.is(200);
    let fields: Vec<(&str, String)> = [
        "client_id",
        "redirect_uri",
        "response_type",
        "state",
        "scope",
        "nonce",
        "code_challenge",
        "code_challenge_method",
    ]
    .into_iter()
    .filter_map(|name| Some((name, page.hidden(name)?)))
    .collect();
    let fields: Vec<(&str, &str)> = fields.iter().map(|(n, v)| (*n, v.as_str())).collect();
    let reply = browser.post("/oauth/authorize", &fields).await.is(302);
    Url::parse(reply.header("location")).expect("an address")
}

/// One parameter of an address.
fn answered(back: &Url, name: &str) -> String {
    back.query_pairs()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
        .unwrap_or_else(|| panic!("no {name}: {back}"))
}

/// The user that the API takes a token for, or its refusal.
async fn who_is(t: &TestServer, token: &str) -> Result<String, u16> {
    let reply = t
        .anonymous()
        .get("/user")
        .header("authorization", &format!("Bearer {token}"))
        .await;
    match reply.status {
        200 => Ok(reply.json()["username"].as_str().expect("a name").to_owned()),
        refusal => Err(refusal),
    }
}
