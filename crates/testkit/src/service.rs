//! A service elsewhere that the server asks: it answers what a story says and
//! keeps what it was sent.

use crate::{Browser, TestServer};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Debug)]
pub struct Service {
    pub url: String,
    answer: Arc<Mutex<(u16, String)>>,
    asked: Arc<Mutex<Vec<(HeaderMap, String)>>>,
}

async fn take(
    State(service): State<Service>, headers: HeaderMap, body: String,
) -> (StatusCode, String) {
    locked(&service.asked).push((headers, body));
    let (status, text) = locked(&service.answer).clone();
    (StatusCode::from_u16(status).expect("a status"), text)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Service {
    /// Starts on a free port of this machine.
    pub async fn start() -> Service {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let service = Service {
            url: format!("http://{}/ask", listener.local_addr().expect("an address")),
            answer: Arc::new(Mutex::new((200, "{}".into()))),
            asked: Arc::default(),
        };
        let router = Router::new().route("/ask", post(take)).with_state(service.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        service
    }

    /// What it answers from now on.
    pub fn answers(&self, value: Value) {
        *locked(&self.answer) = (200, value.to_string());
    }

    /// What it answers from now on, whatever that is.
    pub fn says(&self, status: u16, text: &str) {
        *locked(&self.answer) = (status, text.to_owned());
    }

    /// What it was asked since the last time.
    pub fn asked(&self) -> Vec<(HeaderMap, String)> {
        std::mem::take(&mut locked(&self.asked))
    }
}

pub async fn set(t: &TestServer, settings: Value) {
    let put = t.admin().put("/application/settings").json(&settings);
    put.await.is(200);
}

/// Lets the server call this machine.
pub async fn near(t: &TestServer) {
    set(t, json!({"outbound_local_requests_allowlist": ["127.0.0.1"]})).await;
}

/// A challenge that this service verifies.
pub async fn challenge(t: &TestServer, service: &Service) {
    near(t).await;
    let settings = json!({"captcha_enabled": true, "captcha_site_key": "site-1",
        "captcha_private_key": "private-1", "captcha_verify_url": service.url,
        "captcha_script_url": "https://widgets.example/api.js"});
    set(t, settings).await;
}

/// Sends a form that is taken for spam; the id of the refusal, beside which
/// the form is shown again with what was typed and one [`challenge`].
pub async fn refused(browser: &Browser, path: &str, fields: &[(&str, &str)]) -> String {
    let answer = browser.post(path, fields).await.is(422);
    let page = answer.text();
    assert!(page.contains("solve the CAPTCHA"), "{page}");
    assert_eq!(page.matches("data-sitekey=\"site-1\"").count(), 1, "{page}");
    let long = |name: &str| matches!(name, "description" | "body");
    for (_, text) in fields.iter().filter(|(name, _)| long(name)) {
        assert!(page.contains(&format!("{text}</textarea>")), "{page}");
    }
    let policy = answer.header("content-security-policy");
    assert!(policy.contains("script-src 'self' https://widgets.example"), "{policy}");
    let field = page.split("name=\"spam_log_id\" value=\"").nth(1);
    let value = field.and_then(|rest| rest.split('"').next());
    value.expect("the id of the refusal").to_owned()
}

/// Sends it, solves the challenge and sends it again; where that leads.
pub async fn solved(browser: &Browser, path: &str, fields: &[(&str, &str)]) -> String {
    let id = refused(browser, path, fields).await;
    let solution = [("spam_log_id", id.as_str()), ("g-recaptcha-response", "solved")];
    let sent = browser.post(path, &[fields, &solution].concat()).await;
    sent.is(303).header("location").to_owned()
}
