//! Every way of saying who asks, and what each may do.

use crate::graphql::{PATH, ask, data, message, posted, refusal};
use http::Method;
use serde_json::{Value, json};

const ME: &str = "{currentUser{username}}";
const WRITE: &str = "mutation{echoCreate(input:{messages:[\"a\"]}){echoes errors}}";

fn me(body: &Value) -> &str {
    body["data"]["currentUser"]["username"].as_str().unwrap_or_default()
}

#[testkit::story]
async fn tokens_come_in_four_ways(t: testkit::TestServer) {
    let (jane, nobody) = (t.user("jane").await, t.anonymous());
    let token = jane.token().expect("a token").to_owned();
    let body = json!({"query": ME});

    let by_header = posted(&nobody, &body).header("private-token", &token).await.is(200);
    let bearer = posted(&nobody, &body).header("authorization", &format!("Bearer {token}"));
    let at = |name: &str| {
        let path = format!("{PATH}?{name}={token}");
        nobody.request(Method::POST, path).json(&body)
    };
    for reply in [by_header, bearer.await, at("access_token").await, at("private_token").await] {
        assert_eq!(me(&reply.is(200).json()), "jane");
    }
    assert_eq!(data(&nobody, ME).await, json!({"currentUser": null}));
}

#[testkit::story]
async fn bad_tokens_are_one_and_the_same_refusal(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let narrow = t.token_of(jane.id, &["read_user"]).await;
    let unknown = t.with_token("unknown");
    for client in [&narrow, &unknown] {
        let reply = posted(client, &json!({"query": ME})).await;
        assert_eq!(refusal(&reply), (401, "Invalid token".into()));
    }
    let job = posted(&t.anonymous(), &json!({"query": ME})).header("job-token", "x").await;
    assert_eq!(refusal(&job), (401, "Invalid token".into()));
    let basic = posted(&t.anonymous(), &json!({"query": ME})).header("authorization", "Basic eDp5");
    assert_eq!(me(&basic.await.is(200).json()), "", "Basic is ignored");
}

#[testkit::story]
async fn tokens_that_ended_are_bad_tokens(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let (revoked, expired) =
        (t.token_of(jane.id, &["api"]).await, t.token_of(jane.id, &["api"]).await);
    revoked.delete("/personal_access_tokens/self").await.is(204);
    let id = expired.get("/personal_access_tokens/self").await.is(200).id();
    t.app()
        .write(move |tx| {
            Ok(tx.execute(
                "update access_tokens set expires_at = '2020-01-01' where id = $1",
                (id,),
            )?)
        })
        .await
        .expect("it ends");
    for ended in [&revoked, &expired] {
        let reply = posted(ended, &json!({"query": ME})).await;
        assert_eq!(refusal(&reply), (401, "Invalid token".into()));
    }
    t.app()
        .write(move |tx| {
            Ok(tx
                .execute("update users set password_expired = $2 where id = $1", (jane.id, true))?)
        })
        .await
        .expect("it ends");
    let reply = posted(&jane, &json!({"query": ME})).await;
    assert_eq!(refusal(&reply), (401, "Invalid token".into()), "an expired password");
}

#[testkit::story]
async fn tokens_of_other_kinds_are_bad_tokens(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let body = json!({"name": "d", "scopes": ["read_package_registry"]});
    let deploy = t.admin().post(project.at("/deploy_tokens")).json(&body).await.is(201).json();
    let deploy = deploy["token"].as_str().expect("a token").to_owned();
    let nobody = t.anonymous();
    let send = |name: &'static str, value: String| {
        posted(&nobody, &json!({"query": ME})).header(name, &value)
    };
    for (name, value) in [
        ("private-token", deploy.clone()),
        ("authorization", format!("Bearer {deploy}")),
        ("deploy-token", deploy.clone()),
    ] {
        let reply = send(name, value).await;
        assert_eq!(refusal(&reply), (401, "Invalid token".into()), "{name}");
    }
}

#[testkit::story]
async fn users_who_may_not_act_may_not_use_it(t: testkit::TestServer) {
    for (name, action) in [("jane", "block"), ("john", "deactivate"), ("mary", "ban")] {
        let user = t.user(name).await;
        // Only who was idle for long can be deactivated.
        let old = "update users set created_at = $2, last_activity_on = null where id = $1";
        let (id, then) = (user.id, t.now() - jiff::SignedDuration::from_hours(24 * 365));
        t.app()
            .write(move |tx| Ok(tx.execute(old, (id, then))?))
            .await
            .expect("it is set");
        t.admin().post(format!("/users/{}/{action}", user.id)).await.is(201);
        let reply = posted(&user, &json!({"query": ME})).await;
        assert_eq!(refusal(&reply), (403, "API not accessible for user".into()), "{action}");
    }
    // A session of theirs is none: browsers keep dead cookies.
    let anna = t.user("anna").await;
    let browser = t.browser("anna").await;
    t.admin().post(format!("/users/{}/block", anna.id)).await.is(201);
    let read = browser.post_bare(PATH, &[("query", ME)]).await.is(200);
    assert_eq!(read.json(), json!({"data": {"currentUser": null}}));
}

#[testkit::story]
async fn a_second_factor_that_is_due_comes_first_for_sessions(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let browser = t.browser("jane").await;
    let rules = json!({"require_two_factor_authentication": true, "two_factor_grace_period": 0});
    t.admin().put("/application/settings").json(&rules).await.is(200);
    // Asked for the first time, with no time for it: not even once.
    let refused = browser.post_bare(PATH, &[("query", ME)]).await;
    let text = format!(
        "Authentication error: enable 2FA in your profile settings to continue \
        using tenon: {}/-/profile/two_factor_auth",
        t.url()
    );
    assert_eq!(refusal(&refused), (401, text));
    assert_eq!(data(&jane, ME).await["currentUser"]["username"], "jane", "never for tokens");
}

#[testkit::story]
async fn each_use_is_an_activity_of_that_day(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let id = jane.id;
    let day = async || {
        let read = t.app().read(move |tx| {
            Ok(tx.one::<Option<String>>(
                "select cast(last_activity_on as text) from users where id = $1",
                (id,),
            )?)
        });
        read.await.expect("a user")
    };
    assert_eq!(day().await, None);
    data(&jane, ME).await;
    // The request does not wait for that note.
    for _ in 0..600 {
        if day().await.is_some() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("no activity was noted");
}

#[testkit::story]
async fn reading_tokens_do_not_write(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let reader = t.token_of(jane.id, &["read_api"]).await;
    assert_eq!(data(&reader, ME).await["currentUser"]["username"], "jane");
    let done = json!({"echoCreate": {"echoes": ["a"], "errors": []}});
    assert_eq!(data(&jane, WRITE).await, done);
    for refused in [&reader, &t.anonymous()] {
        let answer = ask(refused, WRITE).await;
        assert_eq!(answer["data"], json!({"echoCreate": null}));
        assert!(message(&answer).starts_with("The resource that you are attempting"));
    }
}

#[testkit::story]
async fn a_session_reads_freely_and_writes_from_our_pages_only(t: testkit::TestServer) {
    t.user("jane").await;
    let browser = t.new_browser();
    browser.sign_in("jane").await;
    let page = browser.get("/-/user_settings/tokens").await.is(200);
    let csrf = page.hidden("authenticity_token").expect("a form's token");

    let read = browser.post_bare(PATH, &[("query", ME)]).await.is(200);
    assert_eq!(me(&read.json()), "jane");
    let bad = [("x-csrf-token", "bad")];
    let read = browser.post_with(PATH, &[("query", ME)], &bad).await.is(200);
    assert_eq!(me(&read.json()), "jane");

    let cross = browser.post_bare(PATH, &[("query", WRITE)]).await;
    assert_eq!(refusal(&cross), (422, "Invalid CSRF token".into()));
    let cross = browser.post_with(PATH, &[("query", WRITE)], &bad).await;
    assert_eq!(cross.status, 422);
    let good = [("x-csrf-token", csrf.as_str())];
    let foreign = [("x-csrf-token", csrf.as_str()), ("origin", "https://evil.example")];
    assert_eq!(browser.post_with(PATH, &[("query", WRITE)], &foreign).await.status, 422);
    let ours = browser.post_with(PATH, &[("query", WRITE)], &good).await.is(200);
    assert_eq!(ours.json()["data"]["echoCreate"]["echoes"], json!(["a"]));
}

#[testkit::story]
async fn a_token_wins_over_the_cookie(t: testkit::TestServer) {
    t.user("jane").await;
    let john = t.user("john").await;
    let browser = t.new_browser();
    browser.sign_in("jane").await;
    let token = [("private-token", john.token().expect("a token"))];
    let reply = browser.post_with(PATH, &[("query", WRITE)], &token).await.is(200);
    assert_eq!(reply.json()["data"]["echoCreate"]["errors"], json!([]));
    let reply = browser.post_with(PATH, &[("query", ME)], &token).await.is(200);
    assert_eq!(me(&reply.json()), "john");
}
