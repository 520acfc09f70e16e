//! What the server writes into its log while people use secrets. It listens to
//! its whole process, so it has one of its own.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

#[allow(dead_code, reason = "the stories use the rest")]
#[path = "stories/identity/browser.rs"]
mod browser;
#[path = "secrecy/jobs.rs"]
mod jobs;
#[path = "secrecy/stored.rs"]
mod stored;

use browser::{Browser, cookie};
use kernel::time::Clock;
use serde_json::json;
use std::io::Write;
use std::sync::{Arc, Mutex, OnceLock};
use testkit::TestServer;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Everything logged in this process.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Log {
    type Writer = Log;
    fn make_writer(&'w self) -> Log {
        self.clone()
    }
}

/// Asks GraphQL with tokens in its address, and with secrets in the query.
async fn ask_graphql(t: &TestServer, token: &str) -> Vec<String> {
    let nobody = t.anonymous();
    let query = "query=%7BcurrentUser%7Bid%7D%7D";
    for (name, value, status) in [
        ("access_token", token, 200),
        ("private_token", token, 200),
        ("access_token", "svpat-tried-in-an-address", 401),
        ("private_token", "svpat-tried-in-an-address", 401),
    ] {
        let path = format!("/api/graphql?{name}={value}&{query}");
        nobody.request(http::Method::GET, &path).await.is(status);
        let body = json!({"query": "{__typename}"});
        nobody.request(http::Method::POST, &path).json(&body).await.is(status);
    }
    let body = json!({
        "query": "query($token:String!){a:echo(text:$token) b:echo(text:\"said in a literal\")}",
        "variables": {"token": "sent as a variable"},
    });
    let post = nobody.request(http::Method::POST, "/api/graphql");
    post.json(&body).await.is(200);
    ["svpat-tried-in-an-address", "said in a literal", "sent as a variable"]
        .map(str::to_owned)
        .to_vec()
}

async fn use_secrets(t: &TestServer) -> Vec<String> {
    let jane = t.user("jane").await;
    let mut secrets = vec!["correct horse battery".to_owned(), "correct+horse".into()];
    let token = jane.token().unwrap_or_default().to_owned();
    t.anonymous().get(format!("/user?private_token={token}")).await.is(200);
    t.anonymous().get(format!("/nothing?access_token={token}")).await.is(404);
    t.anonymous().get(format!("/users/0?private_token={token}")).await.is(404);
    secrets.extend(ask_graphql(t, &token).await);
    let odd = "svpat-guessed-by-somebody";
    t.with_token(odd).get("/user").await.is(401);
    secrets.extend([token, odd.to_owned()]);
    let browser = Browser::open(t, "/users/sign_in").await;
    browser.sign_in("jane", "a wrong password").await.is(422);
    let entered = browser.sign_in("jane", "correct horse battery").await.is(302);
    secrets.push(cookie(&entered, "_service_session").unwrap());
    secrets.push("a wrong password".into());
    let old = jane.post("/personal_access_tokens/self/rotate").await.is(200);
    secrets.push(old.json()["token"].as_str().unwrap().to_owned());
    jane.post("/personal_access_tokens/self/rotate").await.is(401);
    let browser = Browser::open(t, "/users/password/new").await;
    browser.post("/users/password/new", "email=jane%40example.com").await.is(200);
    t.settle().await;
    let mail = t.app().mailer().sent().remove(0);
    let link = mail
        .text
        .split_whitespace()
        .find(|word| word.contains("token="))
        .unwrap()
        .to_owned();
    let token = link.rsplit('=').next().unwrap().to_owned();
    t.anonymous().request(http::Method::GET, &link).await.is(200);
    secrets.push(token);
    let bad = json!({"password": "too-short-but-secret".repeat(10)});
    let refused = t.admin().put("/users/2").json(&bad).await.is(400);
    assert!(!refused.text().contains("secret"), "{refused:?}");
    secrets.push("too-short-but-secret".into());
    secrets.push(t.admin().token().unwrap_or_default().to_owned());
    secrets
}

/// What this process logs from now on; other tests of it may log too.
fn listen() -> Log {
    static LOG: OnceLock<Log> = OnceLock::new();
    let begin = || {
        let log = Log::default();
        // The test's own client logs what it sends; that is not the server.
        let filter = EnvFilter::new("trace,hyper=off,hyper_util=off,reqwest=off,h2=off");
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_ansi(false)
            .with_writer(log.clone())
            .finish();
        tracing::subscriber::set_global_default(subscriber).expect("nobody else listens");
        log
    };
    LOG.get_or_init(begin).clone()
}

#[test]
fn nothing_secret_is_logged() {
    let log = listen();
    testkit::run(async {
        let t = TestServer::sqlite().await;
        let secrets = use_secrets(&t).await;
        let text = log.text();
        assert!(text.contains("/users/sign_in"), "requests are logged: {text}");
        for secret in secrets {
            assert!(!text.contains(&secret), "{secret} is in the log");
        }
    });
}

/// Callers are told that a token is invalid; operators are told why, and
/// which one it was.
#[test]
fn the_log_says_why_a_credential_was_refused() {
    let log = listen();
    testkit::run(async {
        let t = TestServer::sqlite_at(Clock::fixed("2026-05-01T12:00:00Z".parse().unwrap())).await;
        let jane = t.user("jane").await;
        let path = format!("/users/{}/personal_access_tokens", jane.id);
        let make = async |scopes: &str, day: &str| {
            let body = json!({"name": "ci", "scopes": [scopes], "expires_at": day});
            let made = t.admin().post(&path).json(&body).await.is(201);
            let token = made.json()["token"].as_str().unwrap_or_default().to_owned();
            (made.id(), token)
        };
        let (expired, revoked) = (make("api", "2026-05-02").await, make("api", "2026-05-09").await);
        let narrow = make("read_user", "2026-05-09").await;
        let gone = format!("/personal_access_tokens/{}", revoked.0);
        t.admin().delete(gone).await.is(204);
        t.advance(2 * 24 * 3600);
        let unknown = (0, "svpat-of-nobody".to_owned());
        let cases = [
            (&expired, "expired"),
            (&revoked, "revoked"),
            (&narrow, "insufficient_scope"),
            (&unknown, "unknown"),
        ];
        for ((id, token), reason) in cases {
            let request_id = format!("request-{reason}");
            let request = t
                .anonymous()
                .request(http::Method::POST, "/api/graphql")
                .header("x-request-id", &request_id)
                .header("private-token", token)
                .json(&json!({"query": "{currentUser{id}}"}));
            request.await.is(401);
            let text = log.text();
            let told =
                |line: &&str| line.contains("refused a credential") && line.contains(&request_id);
            let line = text.lines().find(told).unwrap_or_else(|| panic!("{reason}: {text}"));
            assert!(line.contains(&format!("reason=\"{reason}\"")), "{line}");
            assert!(*id == 0 || line.contains(&format!("token_id={id}")), "{line}");
            assert!(line.contains("wanted=api read_api"), "{line}");
            assert!(!line.contains(token.as_str()), "{line}");
        }
    });
}
