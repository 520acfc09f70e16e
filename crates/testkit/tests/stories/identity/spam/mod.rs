//! What people make is looked at before it is kept.

mod administration;

use http::HeaderMap;
use identity::spam::captcha::Solution;
use identity::spam::{Actor, Guarded, Refused, Subject, guard};
use identity::users;
use kernel::error::Error;
use kernel::http::refusal;
use serde_json::{Value, json};
use store::Tx;
use testkit::service::{Service, challenge, near, set};
use testkit::{TestServer, TestUser};

const FLOOD: &str = "http://a http://b http://c";

fn nothing(_: &mut Tx<'_>) -> kernel::error::Result<()> {
    Ok(())
}

/// An issue that this user is about to make through the API.
async fn issue(t: &TestServer, user: &TestUser, text: &str) -> Subject {
    let id = user.id;
    let found = t.app().read(move |tx| users::find(tx, id)).await.unwrap();
    Subject {
        actor: Actor::User(Box::new(found.expect("a user"))),
        ip: "192.0.2.1".into(),
        agent: "a program".into(),
        via_api: true,
        action: "create_issue",
        target_type: "Issue",
        noun: "issue",
        title: "Hammers".into(),
        text: text.into(),
        solution: None,
        solved: false,
    }
}

fn with_solution(subject: &Subject, id: i64) -> Subject {
    let mut headers = HeaderMap::new();
    headers.insert("x-service-captcha-response", "solved".parse().unwrap());
    headers.insert("x-service-spam-log-id", id.to_string().parse().unwrap());
    let solution = Solution::of(&headers);
    assert!(solution.is_some());
    Subject { solution, ..subject.clone() }
}

/// Status and body as the API answers, or 201 when it was made.
async fn tried(t: &TestServer, subject: &Subject) -> (u16, Value) {
    match guard(t.app(), subject, nothing).await.unwrap().rest() {
        Ok(()) => (201, Value::Null),
        Err(Error::Exact(status, body)) => (status, body),
        Err(other) => (refusal::status(&other).as_u16(), Value::Null),
    }
}

/// The refusal of a challenge.
async fn challenged(t: &TestServer, subject: &Subject) -> i64 {
    match guard(t.app(), subject, nothing).await.unwrap() {
        Guarded::Refused(Refused::Challenge { spam_log_id, .. }) => spam_log_id,
        other => panic!("{other:?}"),
    }
}

async fn rows(t: &TestServer) -> Vec<(String, String, bool)> {
    t.app()
        .read(|tx| {
            Ok(tx.all("select verdict, title, captcha_verified from spam_logs order by id", ())?)
        })
        .await
        .unwrap()
}

#[testkit::story]
async fn spam_is_discarded_and_written_down(t: TestServer) {
    let jane = t.user("jane").await;
    set(&t, json!({"spam_link_limit": 2, "spam_blocked_domains": ["evil.example"]})).await;
    let good = issue(&t, &jane, "see http://a.example").await;
    assert_eq!(tried(&t, &good).await.0, 201);

    let discarded = json!({"message": {
        "error": "Your issue has been recognized as spam and has been discarded."}});
    for text in [FLOOD, "buy at www.evil.example"] {
        let told = tried(&t, &issue(&t, &jane, text).await).await;
        assert_eq!(told, (400, discarded.clone()));
    }
    let (message, extensions) = Refused::Spam { noun: "issue" }.graphql();
    assert_eq!((message, extensions), ("Request denied. Spam detected", json!({"spam": true})));
    let written = rows(&t).await;
    let verdicts: Vec<&str> = written.iter().map(|(verdict, ..)| verdict.as_str()).collect();
    assert_eq!(verdicts, ["challenge", "deny"]);

    let mut long = issue(&t, &jane, &format!("evil.example {}", "ä".repeat(10_000))).await;
    long.title = "x".repeat(1_000);
    assert_eq!(tried(&t, &long).await.0, 400);
    assert_eq!(rows(&t).await[2].1.len(), 255);

    // Administrators are not looked at.
    let root: i64 = 1;
    let root = t.app().read(move |tx| users::find(tx, root)).await.unwrap().unwrap();
    let theirs = Subject {
        actor: Actor::User(Box::new(root)),
        ..issue(&t, &jane, FLOOD).await
    };
    assert_eq!(tried(&t, &theirs).await.0, 201);
}

#[testkit::story]
async fn too_much_in_a_minute_is_challenged(t: TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    set(&t, json!({"spam_rate_limit_per_minute": 3})).await;
    let hers = issue(&t, &jane, "fine").await;
    for n in 0..5 {
        let expected = if n < 3 { 201 } else { 400 };
        let elsewhere = Subject { ip: format!("192.0.2.{n}"), ..hers.clone() };
        assert_eq!(tried(&t, &elsewhere).await.0, expected, "{n}");
    }
    // By address too, whoever it is.
    let his = Subject { ip: "198.51.100.1".into(), ..issue(&t, &john, "fine").await };
    for _ in 0..3 {
        assert_eq!(tried(&t, &his).await.0, 201);
    }
    let stranger = Actor::Stranger { form: "cookie".into() };
    assert_eq!(tried(&t, &Subject { actor: stranger, ..his }).await.0, 400);
}

#[testkit::story]
async fn a_solved_challenge_opens_the_same_thing_once(t: TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    let verifier = Service::start().await;
    challenge(&t, &verifier).await;
    set(&t, json!({"spam_link_limit": 2, "spam_blocked_domains": ["evil.example"]})).await;
    verifier.answers(json!({"success": true}));
    let flood = issue(&t, &jane, FLOOD).await;
    let (status, body) = tried(&t, &flood).await;
    let id = body["spam_log_id"].as_i64().expect("an id");
    assert_eq!(
        (status, body),
        (
            409,
            json!({
                "needs_captcha_response": true,
                "spam_log_id": id,
                "captcha_site_key": "site-1",
                "message": {"error": "Your issue has been recognized as spam. Please, change the \
                    content or solve the CAPTCHA to proceed."},
            })
        )
    );

    // Not for another user, action, text or id, nor without a solution.
    let hers = with_solution(&flood, id);
    let his = Subject { actor: issue(&t, &john, "").await.actor, ..hers.clone() };
    let snippet = Subject { action: "create_snippet", ..hers.clone() };
    let other = Subject { text: format!("{FLOOD} http://d"), ..hers.clone() };
    let shifted = Subject {
        title: "Hammer".into(),
        text: format!("s{FLOOD}"),
        ..hers.clone()
    };
    for wrong in [his, snippet, other, shifted, with_solution(&flood, id + 1_000), flood.clone()] {
        assert_eq!(tried(&t, &wrong).await.0, 409, "{wrong:?}");
    }
    let denied = issue(&t, &jane, "evil.example").await;
    assert_eq!(tried(&t, &denied).await.0, 400);
    let last: i64 = t
        .app()
        .read(|tx| Ok(tx.one("select max(id) from spam_logs", ())?))
        .await
        .unwrap();
    assert_eq!(tried(&t, &with_solution(&denied, last)).await.0, 400);

    // A wrong solution and a failed try cost nothing.
    verifier.answers(json!({"success": false, "error-codes": ["timeout-or-duplicate"]}));
    assert_eq!(tried(&t, &hers).await.0, 409);
    verifier.says(500, "");
    let unknown = guard(t.app(), &hers, nothing).await;
    assert!(matches!(unknown, Err(Error::Unavailable(_))), "{unknown:?}");
    verifier.answers(json!({"success": true}));
    let fails =
        |_: &mut Tx<'_>| -> kernel::error::Result<()> { Err(Error::Conflict("taken".into())) };
    assert!(matches!(guard(t.app(), &hers, fails).await, Err(Error::Conflict(_))));
    verifier.asked();
    assert_eq!(tried(&t, &hers).await.0, 201);
    let (_, form) = &verifier.asked()[0];
    assert_eq!(form, "secret=private-1&response=solved&remoteip=192.0.2.1");
    assert_eq!(tried(&t, &hers).await.0, 409, "once");
    assert_eq!(rows(&t).await.iter().filter(|row| row.2).count(), 1);
    let refused = Refused::Challenge { noun: "issue", spam_log_id: 42, site_key: "s".into() };
    assert_eq!(
        refused.graphql(),
        (
            "Request denied. Solve CAPTCHA challenge and retry",
            json!({"needsCaptchaResponse": true, "captchaSiteKey": "s", "spamLogId": 42}),
        )
    );
}

#[testkit::story]
async fn of_many_tries_with_one_id_one_succeeds(t: TestServer) {
    let jane = t.user("jane").await;
    let verifier = Service::start().await;
    challenge(&t, &verifier).await;
    set(&t, json!({"spam_link_limit": 2})).await;
    verifier.answers(json!({"success": true}));
    let flood = issue(&t, &jane, FLOOD).await;
    let hers = with_solution(&flood, challenged(&t, &flood).await);
    let tries: Vec<_> = (0..30)
        .map(|_| {
            let (app, hers) = (t.app().clone(), hers.clone());
            tokio::spawn(async move { guard(&app, &hers, nothing).await })
        })
        .collect();
    let mut made = 0;
    for one in tries {
        match one.await.unwrap().unwrap() {
            Guarded::Made(()) => made += 1,
            Guarded::Refused(refused) => assert!(matches!(refused, Refused::Challenge { .. })),
        }
    }
    assert_eq!(made, 1);
}

#[testkit::story]
async fn an_external_checker_decides(t: TestServer) {
    let jane = t.user("jane").await;
    let checker = Service::start().await;
    near(&t).await;
    set(
        &t,
        json!({"spam_check_endpoint_enabled": true, "spam_check_api_key": "key-1",
        "spam_check_endpoint_url": checker.url}),
    )
    .await;
    let fine = issue(&t, &jane, "fine").await;
    for (verdict, status) in
        [("allow", 201), ("NOOP", 201), ("conditional_allow", 400), ("disallow", 400)]
    {
        checker.answers(json!({"verdict": verdict, "reason": "so\r\nit is"}));
        assert_eq!(tried(&t, &fine).await.0, status, "{verdict}");
    }
    let (headers, body) = &checker.asked()[0];
    assert_eq!(headers["authorization"], "Bearer key-1");
    let asked: Value = serde_json::from_str(body).unwrap();
    assert_eq!(
        (&asked["action"], &asked["description"], &asked["user"]["username"]),
        (&json!("create_issue"), &json!("fine"), &json!("jane"))
    );

    // Without a usable answer things pass, or do not: as administrators chose.
    for (status, text) in
        [(500, ""), (200, "<html>"), (200, "{\"verdict\":\"maybe\"}"), (200, "{}")]
    {
        checker.says(status, text);
        assert_eq!(tried(&t, &fine).await.0, 201, "{text}");
    }
    set(&t, json!({"spam_check_fail_open": false})).await;
    let closed = guard(t.app(), &fine, nothing).await;
    assert!(matches!(closed, Err(Error::Unavailable(_))), "{closed:?}");

    // A local address is called only where administrators allow it.
    checker.asked();
    set(&t, json!({"outbound_local_requests_allowlist": []})).await;
    assert!(guard(t.app(), &fine, nothing).await.is_err());
    assert!(checker.asked().is_empty());

    near(&t).await;
    checker.answers(json!({"verdict": "block_user"}));
    jane.get("/user").await.is(200);
    assert_eq!(tried(&t, &fine).await.0, 400);
    jane.get("/user").await.is(403);
    let stranger = Subject { actor: Actor::Stranger { form: "f".into() }, ..fine };
    assert_eq!(tried(&t, &stranger).await.0, 400);
}

#[testkit::story(noon)]
async fn an_id_of_a_refusal_ends_after_an_hour(t: TestServer) {
    let jane = t.user("jane").await;
    let verifier = Service::start().await;
    challenge(&t, &verifier).await;
    set(&t, json!({"spam_link_limit": 2})).await;
    verifier.answers(json!({"success": true}));
    let flood = issue(&t, &jane, FLOOD).await;
    let (first, second) = (challenged(&t, &flood).await, challenged(&t, &flood).await);
    t.advance(3_599);
    assert_eq!(tried(&t, &with_solution(&flood, first)).await.0, 201);
    t.advance(2);
    assert_eq!(tried(&t, &with_solution(&flood, second)).await.0, 409);
}
