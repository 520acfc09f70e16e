//! What logs must not tell.

use crate::place::{Place, Server, project};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use testkit::{Client, run};

/// Every way a token can come in by, at the most talkative level an operator
/// may choose.
#[test]
fn no_log_tells_a_token() {
    run(async {
        let place = Place::sqlite().with("TENON_LOG", "debug");
        let server = place.serve();
        let token = place.token();
        let client = server.client(&token);
        let path = format!("{}/packages/generic/hammer/1.0/a", project(&client).await);
        client.put(&path).bytes("x").await.is(201);
        let nobody = Client::of(&server.url, "wrong-token-of-nobody");
        nobody.get(&path).await.is(401);
        let both = STANDARD.encode(format!("root:{token}"));
        let bare = format!("{}/api/v4{path}", server.url);
        let get = |url: String| client.request(http::Method::GET, url);
        for name in ["private_token", "access_token", "token", "job_token"] {
            get(format!("{bare}?{name}={token}")).await;
            get(format!("{}/api/v4/nowhere?{name}={token}", server.url)).await.is(404);
        }
        let key = key_of_alerts(&client, &server).await;
        for (name, value) in [
            ("authorization", format!("Basic {both}")),
            ("authorization", format!("Bearer {token}")),
            ("deploy-token", token.clone()),
            ("job-token", token.clone()),
        ] {
            client.get(&path).header(name, &value).await;
        }

        let (_, said) = server.terminate();

        assert!(!said.is_empty(), "debug says something");
        let secrets = [token.as_str(), both.as_str(), "wrong-token-of-nobody"];
        for secret in secrets.into_iter().chain(key.iter().map(String::as_str)) {
            let told: Vec<&String> = said.iter().filter(|line| line.contains(secret)).collect();
            assert!(told.is_empty(), "{told:#?}");
        }
    });
}

/// Sends alerts with the key of an integration in every way that is taken, and
/// in one that is not; the key as it was sent.
async fn key_of_alerts(client: &Client, server: &Server) -> Vec<String> {
    let all = "/projects/acme%2Fanvil/alert_management/http_integrations";
    let body = json!({"name": "Pager", "active": true});
    let made = client.post(all).json(&body).await.is(201).json();
    let text = |key: &str| made[key].as_str().expect("a text").to_owned();
    let (url, key) = (text("url"), text("token"));
    let path = url.split_once("/acme/").map(|(_, rest)| format!("/acme/{rest}"));
    let path = path.expect("an address of the project");
    let basic = STANDARD.encode(format!(":{key}"));
    let nobody = Client::nobody(&server.url);
    for (value, status) in [
        (format!("Bearer {key}"), 200),
        (format!("Basic {basic}"), 200),
        (format!("Bearer {key}x"), 401),
    ] {
        let sent = nobody.request(http::Method::POST, &path);
        let sent = sent.header("authorization", &value).json(&json!({"title": "a"}));
        sent.await.is(status);
    }
    let asked = nobody.request(http::Method::POST, format!("{path}?token={key}"));
    asked.json(&json!({"title": "a"})).await.is(401);
    vec![key, basic]
}
