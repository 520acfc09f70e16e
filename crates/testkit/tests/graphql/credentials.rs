//! Every way of saying who asks, and what each may do.

use crate::{PATH, ask, data, message, posted, refusal};
use http::Method;
use serde_json::{Value, json};
use testkit::both_engines;

const ME: &str = "{currentUser{username}}";
const WRITE: &str = "mutation{echoCreate(input:{messages:[\"a\"]}){echoes errors}}";

fn me(body: &Value) -> &str {
    body["data"]["currentUser"]["username"]
        .as_str()
        .unwrap_or_default()
}

both_engines! {
    async fn tokens_come_in_four_ways(t: TestServer) {
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

    async fn bad_tokens_are_one_and_the_same_refusal(t: TestServer) {
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

    async fn blocked_users_may_not_use_it(t: TestServer) {
        let jane = t.user("jane").await;
        t.admin().post(format!("/users/{}/block", jane.id)).await.is(201);
        let reply = posted(&jane, &json!({"query": ME})).await;
        assert_eq!(refusal(&reply), (403, "API not accessible for user".into()));
    }

    async fn reading_tokens_do_not_write(t: TestServer) {
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

    async fn a_session_reads_freely_and_writes_from_our_pages_only(t: TestServer) {
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

    async fn a_token_wins_over_the_cookie(t: TestServer) {
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
}
