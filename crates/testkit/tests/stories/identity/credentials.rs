//! Every form of a credential, several at once, and how often use is noted.

use crate::identity::browser::{Browser, cookie, field};
use base64::Engine as _;
use kernel::time::Clock;
use serde_json::json;
use testkit::{Client, TestServer};

fn basic(user: &str, password: &str) -> String {
    let text = format!("{user}:{password}");
    format!("Basic {}", base64::engine::general_purpose::STANDARD.encode(text))
}

/// Who the server takes the request for.
async fn caller(request: testkit::Request) -> String {
    let json = request.await.is(200).json();
    json["username"].as_str().unwrap_or_default().to_owned()
}

fn clock() -> Clock {
    Clock::fixed("2026-05-01T12:00:00Z".parse().unwrap())
}

/// A token's use is noted beside the request: waits for it.
async fn noted(t: &TestServer, id: i64, before: Option<i64>) -> i64 {
    for _ in 0..600 {
        if let Some(at) = last_used(t, id).await.filter(|at| Some(*at) != before) {
            return at;
        }
        testkit::tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the use was never noted");
}

async fn last_used(t: &TestServer, id: i64) -> Option<i64> {
    let at = t.app().read(move |tx| {
        let row: (Option<jiff::Timestamp>,) =
            tx.one("select last_used_at from access_tokens where id = $1", (id,))?;
        Ok(row.0)
    });
    at.await.unwrap().map(|at| at.as_second())
}

/// Requests in between leave the note alone; one after ten minutes renews it.
async fn notes_every_ten_minutes(t: TestServer) {
    let jane = t.user("jane").await;
    let body = json!({"name": "ci", "scopes": ["api"]});
    let path = format!("/users/{}/personal_access_tokens", jane.id);
    let made = t.admin().post(path).json(&body).await.is(201);
    let client = t.with_token(made.json()["token"].as_str().unwrap_or_default());
    assert_eq!(made.json()["last_used_at"], serde_json::Value::Null);
    client.get("/user").await.is(200);
    let first = noted(&t, made.id(), None).await;
    assert_eq!(first, t.now().as_second());
    t.advance(599);
    for _ in 0..5 {
        client.get("/user").await.is(200);
    }
    // A later note is written after these requests, so the first would show.
    t.advance(1);
    client.get("/user").await.is(200);
    let second = noted(&t, made.id(), Some(first)).await;
    assert_eq!(second, first + 600);
    let shown = client.get("/personal_access_tokens/self").await.is(200).json();
    assert_eq!(shown["last_used_at"], "2026-05-01T12:10:00.000Z");
    assert_eq!(shown["last_used_ips"], json!(["127.0.0.1"]));
}

#[test]
fn use_is_noted_every_ten_minutes_on_sqlite() {
    testkit::run(async { notes_every_ten_minutes(TestServer::sqlite_at(clock()).await).await });
}

#[test]
fn use_is_noted_every_ten_minutes_on_postgres() {
    testkit::run(async {
        if let Some(server) = TestServer::postgres_at(clock()).await {
            notes_every_ten_minutes(server).await;
        }
    });
}

#[testkit::story]
async fn of_several_credentials_the_first_in_order_counts(t: TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    let text = |client: &Client| client.token().unwrap_or_default().to_owned();
    let (hers, his) = (text(&jane), text(&john));
    let ask = |path: String| t.anonymous().get(path);
    let bearer = format!("Bearer {hers}");
    assert_eq!(
        caller(
            ask("/user".into())
                .header("authorization", &bearer)
                .header("private-token", &his)
        )
        .await,
        "jane"
    );
    assert_eq!(
        caller(ask(format!("/user?private_token={his}")).header("authorization", &bearer)).await,
        "jane"
    );
    assert_eq!(
        caller(ask(format!("/user?access_token={hers}&private_token={his}"))).await,
        "jane"
    );
    assert_eq!(
        caller(ask(format!("/user?private_token={hers}")).header("private-token", &his)).await,
        "jane"
    );
    // The first one counts even where a later one would do.
    ask("/user".into())
        .header("authorization", "Bearer unknown")
        .header("private-token", &his)
        .await
        .is(401);
    ask("/user?access_token=unknown".into())
        .header("private-token", &his)
        .await
        .is(401);
    // A token beside a session acts as the token, without a form's proof.
    let browser = Browser::open(&t, "/users/sign_in").await;
    let entered = browser.sign_in("john", "correct horse battery").await.is(302);
    let session = cookie(&entered, "_service_session").unwrap();
    let cookie = format!("_service_session={session}");
    assert_eq!(caller(jane.get("/user").header("cookie", &cookie)).await, "jane");
    jane.put("/user/status")
        .header("cookie", &cookie)
        .json(&json!({"message": "x"}))
        .await
        .is(200);
    assert_eq!(t.admin().get("/users/john/status").await.json()["message"], "");
    ask("/user".into())
        .header("cookie", &cookie)
        .header("private-token", "bad")
        .await
        .is(401);
    let body = format!("private_token={hers}&message=body");
    t.anonymous().put("/user/status").form(body).await.is(200);
    assert_eq!(t.admin().get("/users/jane/status").await.json()["message"], "body");
    let json = json!({"access_token": hers, "message": "json"});
    t.anonymous().put("/user/status").json(&json).await.is(200);
    t.anonymous()
        .put("/user/status")
        .json(&json!({"private_token": 5}))
        .await
        .is(401);
}

#[testkit::story]
async fn registries_take_tokens_as_passwords_and_ask_for_them(t: TestServer) {
    let project = t.project("acme/anvil").await;
    project.generic_package("hammer", "1.0").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let token = jane.token().unwrap_or_default();
    let file = project.at("/packages/generic/hammer/1.0/hammer.txt");
    let get = |header: &str, value: &str| t.anonymous().get(&file).header(header, value);
    get("authorization", &basic("any name", token)).await.is(200);
    get("authorization", &basic("", token)).await.is(200);
    get("authorization", &format!("Bearer {token}")).await.is(200);
    get("private-token", token).await.is(200);
    t.anonymous().get(format!("{file}?private_token={token}")).await.is(200);
    // The account's password opens no API, and jobs there are none yet.
    for (header, value) in [
        ("authorization", basic("jane", "correct horse battery")),
        ("authorization", basic("jane", "")),
        ("authorization", "Basic !".into()),
        ("authorization", "Bearer unknown".into()),
        ("private-token", "unknown".into()),
        ("deploy-token", token.into()),
        ("job-token", token.into()),
        ("job-token", "unknown".into()),
    ] {
        let refused = get(header, &value).await.is(401);
        let asks = refused.headers.get_all("www-authenticate").iter();
        let asks: Vec<_> = asks.filter_map(|value| value.to_str().ok()).collect();
        assert!(asks.contains(&"Basic realm=\"Service\""), "{header}: {value}: {asks:?}");
    }
    t.anonymous().get(format!("{file}?job_token=x")).await.is(401);
    // Elsewhere Basic is no credential at all.
    let none = t
        .anonymous()
        .get("/user")
        .header("authorization", &basic("jane", token))
        .await
        .is(401);
    assert_eq!(none.header("www-authenticate"), "");
    // What ended says so, and still asks.
    let id = jane.get("/personal_access_tokens/self").await.id();
    t.admin().delete(format!("/personal_access_tokens/{id}")).await.is(204);
    let ended = get("authorization", &basic("jane", token)).await.is(401);
    assert_eq!(ended.json()["error"], "invalid_token");
    assert_eq!(ended.headers.get_all("www-authenticate").iter().count(), 2);
}

#[testkit::story]
async fn a_token_learns_what_it_may_enter(t: TestServer) {
    let (anvil, plan) = (t.project("acme/anvil").await, t.project("other/plan").await);
    let tools = t.group("acme/tools").await;
    let jane = t.user("jane").await;
    anvil.add(&jane, 30).await;
    tools.add(&jane, 10).await;
    let path = "/personal_access_tokens/self/associations";
    let all = jane.get(path).await.is(200).json();
    let ids = |list: &serde_json::Value| -> Vec<i64> {
        let all = list.as_array().unwrap().iter();
        all.filter_map(|one| one["id"].as_i64()).collect()
    };
    assert_eq!((ids(&all["groups"]), ids(&all["projects"])), (vec![tools.id], vec![anvil.id]));
    let developer = jane.get(format!("{path}?min_access_level=30")).await.is(200).json();
    assert_eq!(
        (ids(&developer["groups"]), ids(&developer["projects"])),
        (vec![], vec![anvil.id])
    );
    assert!(!all.to_string().contains(&plan.path));
    t.anonymous().get(path).await.is(401);
    jane.get(format!("{path}?min_access_level=x")).await.is(400);
}

#[testkit::story]
async fn sudo_runs_with_the_targets_rights_and_no_others(t: TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    let secret = t.project("acme/secret").await;
    let as_jane = |path: String| t.admin().get(path).header("sudo", "jane");
    as_jane(secret.at("")).await.is(404);
    as_jane("/application/settings".into()).await.is(403);
    let form = format!("sudo={}&message=by+root", jane.id);
    t.admin().put("/user/status").form(form).await.is(200);
    assert_eq!(jane.get("/user/status").await.json()["message"], "by root");
    t.admin().get("/user?sudo=").await.is(200);
    let forbidden = "403 Forbidden - Must be admin to use sudo";
    assert_eq!(
        john.get("/user").header("sudo", "jane").await.is(403).json()["message"],
        forbidden
    );
    // A session cannot; nor can it become somebody who may not act.
    let made_admin = json!({"admin": true});
    t.admin().put(format!("/users/{}", john.id)).json(&made_admin).await.is(200);
    let browser = Browser::open(&t, "/users/sign_in").await;
    let entered = browser.sign_in("john", "correct horse battery").await.is(302);
    let session = format!("_service_session={}", cookie(&entered, "_service_session").unwrap());
    let refused = t.anonymous().get("/user?sudo=jane").header("cookie", &session).await.is(403);
    assert_eq!(
        refused.json()["message"],
        "403 Forbidden - Must be authenticated using an OAuth \
        or personal access token to use sudo"
    );
    t.admin().post(format!("/users/{}/block", jane.id)).await.is(201);
    as_jane("/user".into()).await.is(403);
    for nobody in ["0", "-1", "999999", "%00", "jane%0d%0aX-Injected:%201"] {
        let reply = t.admin().get(format!("/user?sudo={nobody}")).await;
        assert!(matches!(reply.status, 400 | 404), "{reply:?}");
        assert_eq!(reply.header("x-injected"), "");
    }
}

#[testkit::story]
async fn a_session_is_for_this_origin_only(t: TestServer) {
    t.user("jane").await;
    let browser = Browser::open(&t, "/users/sign_in").await;
    let entered = browser.sign_in("jane", "correct horse battery").await.is(302);
    let session = format!("_service_session={}", cookie(&entered, "_service_session").unwrap());
    let page = t
        .anonymous()
        .at("/-/user_settings/tokens")
        .header("cookie", &session)
        .await
        .is(200);
    let csrf = field(&page, "authenticity_token");
    let put = |origin: &str| {
        t.anonymous()
            .put("/user/status")
            .header("cookie", &session)
            .header("x-csrf-token", &csrf)
            .header("origin", origin)
            .json(&json!({"message": "x"}))
    };
    put(&t.url()).await.is(200);
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        put(origin).await.is(401);
        let read = t.anonymous().get("/user").header("cookie", &session).header("origin", origin);
        assert_eq!(read.await.header("access-control-allow-credentials"), "");
    }
    // Another session's proof is none.
    let browser = Browser::open(&t, "/users/sign_in").await;
    let again = browser.sign_in("jane", "correct horse battery").await.is(302);
    let other = format!("_service_session={}", cookie(&again, "_service_session").unwrap());
    let crossed = t
        .anonymous()
        .put("/user/status")
        .header("cookie", &other)
        .header("x-csrf-token", &csrf);
    crossed.json(&json!({"message": "x"})).await.is(401);
}

#[testkit::story]
async fn of_a_hundred_rotations_at_once_one_succeeds(t: TestServer) {
    let jane = t.user("jane").await;
    let body = json!({"name": "ci", "scopes": ["api"]});
    let path = format!("/users/{}/personal_access_tokens", jane.id);
    let made = t.admin().post(path).json(&body).await.is(201);
    let old = t.with_token(made.json()["token"].as_str().unwrap_or_default());
    let tries: Vec<_> = (0..100)
        .map(|_| {
            let old = old.clone();
            testkit::tokio::spawn(
                async move { old.post("/personal_access_tokens/self/rotate").await },
            )
        })
        .collect();
    let mut won = Vec::new();
    for one in tries {
        let reply = one.await.unwrap();
        match reply.status {
            200 => won.push(reply),
            401 => {}
            _ => panic!("{reply:?}"),
        }
    }
    assert_eq!(won.len(), 1);
    // The losers showed a token that was revoked by then: the family ends.
    let new = t.with_token(won[0].json()["token"].as_str().unwrap_or_default());
    new.get("/user").await.is(401);
    let left = jane.get("/personal_access_tokens?state=active&search=ci").await.is(200);
    assert_eq!(left.json(), json!([]));
}
