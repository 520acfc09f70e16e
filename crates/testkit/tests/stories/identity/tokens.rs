//! Access tokens, credentials and acting as someone else.

use serde_json::{Value, json};
use testkit::{Client, Reply, TestServer};

async fn token(t: &TestServer, user: i64, body: Value) -> (i64, Client) {
    let made = t
        .admin()
        .post(format!("/users/{user}/personal_access_tokens"))
        .json(&body)
        .await;
    let made = made.is(201);
    let text = made.json()["token"].as_str().unwrap_or_default().to_owned();
    (made.id(), t.with_token(text))
}

#[track_caller]
fn says(reply: &Reply, status: u16, body: Value) {
    assert_eq!((reply.status, reply.json()), (status, body), "{}", reply.asked);
}

const REVOKED: &str = "Token was revoked. You have to re-authorize from the user.";

#[testkit::story]
async fn every_form_of_a_credential_is_accepted(t: TestServer) {
    let jane = t.user("jane").await;
    let text = jane.token().unwrap_or_default();
    assert!(text.starts_with("svpat-"), "{text}");
    for (name, value) in [
        ("PRIVATE-TOKEN", text.to_owned()),
        ("Authorization", format!("Bearer {text}")),
        ("authorization", format!("bearer {text}")),
    ] {
        let reply = t.anonymous().get("/user").header(name, &value).await.is(200);
        assert_eq!(reply.json()["username"], "jane");
    }
    for name in ["private_token", "access_token", "bearer_token"] {
        t.anonymous().get(format!("/user?{name}={text}")).await.is(200);
    }
    let form = format!("private_token={text}&message=hello");
    t.anonymous().put("/user/status").form(form).await.is(200);
}

#[testkit::story]
async fn a_bad_credential_is_never_taken_for_none(t: TestServer) {
    let unauthorized = json!({"message": "401 Unauthorized"});
    says(&t.anonymous().get("/user").await, 401, unauthorized.clone());
    for (name, value) in [
        ("PRIVATE-TOKEN", "unknown"),
        ("Authorization", "Bearer unknown"),
        ("JOB-TOKEN", "unknown"),
    ] {
        let reply = t.anonymous().get("/users").header(name, value).await;
        says(&reply, 401, unauthorized.clone());
    }
    for query in ["private_token=x%00y", "access_token[]=1", "private_token[a]=1", "job_token=1"] {
        t.anonymous().get(format!("/users?{query}")).await.is(401);
    }
    t.anonymous().get("/users?private_token=%FF").await.is(400);
    let long = "x".repeat(4000);
    t.anonymous().get("/users").header("PRIVATE-TOKEN", &long).await.is(401);
}

#[testkit::story]
async fn a_token_does_what_its_scopes_allow(t: TestServer) {
    let jane = t.user("jane").await;
    let reader = t.token_of(jane.id, &["read_user"]).await;
    reader.get("/user").await.is(200);
    reader.get("/users").await.is(200);
    says(
        &reader.get("/personal_access_tokens").await,
        403,
        json!({
            "error": "insufficient_scope",
            "error_description":
                "The request requires higher privileges than provided by the access token.",
            "scope": "api read_api",
        }),
    );
    let read_api = t.token_of(jane.id, &["read_api"]).await;
    read_api.get("/personal_access_tokens").await.is(200);
    let refused = read_api.put("/user/status").json(&json!({"message": "x"})).await.is(403);
    assert_eq!(refused.json()["scope"], "api");
}

#[testkit::story]
async fn a_revoked_or_expired_token_says_so(t: TestServer) {
    let jane = t.user("jane").await;
    let (id, client) = token(&t, jane.id, json!({"name": "a", "scopes": ["api"]})).await;
    t.admin().delete(format!("/personal_access_tokens/{id}")).await.is(204);
    let reply = client.get("/user").await;
    says(&reply, 401, json!({"error": "invalid_token", "error_description": REVOKED}));
    assert!(reply.header("www-authenticate").starts_with("Bearer realm=\"The API\""));

    let (id, client) = token(&t, jane.id, json!({"name": "b", "scopes": ["api"]})).await;
    let expired = t
        .app()
        .write(move |tx| {
            Ok(tx.execute(
                "update access_tokens set expires_at = '2020-01-01' where id = $1",
                (id,),
            )?)
        })
        .await;
    assert_eq!(expired.ok(), Some(1));
    let reply = client.get("/user").await.is(401);
    assert_eq!(
        reply.json()["error_description"],
        "Token is expired. You can either do re-authorization or token refresh."
    );
}

#[testkit::story]
async fn a_blocked_user_has_no_access_and_is_told_why(t: TestServer) {
    let jane = t.user("jane").await;
    t.admin().post(format!("/users/{}/block", jane.id)).await.is(201);
    says(
        &jane.get("/user").await,
        403,
        json!({"message": "403 Forbidden - Your account has been blocked."}),
    );
    t.admin().post(format!("/users/{}/unblock", jane.id)).await.is(201);
    jane.get("/user").await.is(200);
}

#[testkit::story]
async fn sudo_needs_an_administrator_with_the_scope(t: TestServer) {
    let jane = t.user("jane").await;
    let as_jane = t.admin().get("/user").header("Sudo", "JANE").await.is(200);
    assert_eq!(as_jane.json()["id"], jane.id);
    assert!(as_jane.json().get("is_admin").is_none());
    t.admin().get(format!("/user?sudo={}", jane.id)).await.is(200);
    says(
        &t.admin().get("/user?sudo=nobody").await,
        404,
        json!({"message": "404 User with ID or username 'nobody' Not Found"}),
    );
    says(
        &jane.get("/user?sudo=root").await,
        403,
        json!({"message": "403 Forbidden - Must be admin to use sudo"}),
    );
    t.anonymous().get("/user?sudo=jane").await.is(401);
    let narrow = t.token_of(1, &["api"]).await;
    let refused = narrow.get("/user?sudo=jane").await.is(403);
    assert_eq!(refused.json()["scope"], "sudo");
}

#[testkit::story]
async fn a_rotated_token_replaces_the_old_one(t: TestServer) {
    let jane = t.user("jane").await;
    let (id, old) = token(&t, jane.id, json!({"name": "ci", "scopes": ["api"]})).await;
    let rotated = old.post("/personal_access_tokens/self/rotate").await.is(200);
    let text = rotated.json()["token"].as_str().unwrap_or_default().to_owned();
    let new = t.with_token(text);
    assert_ne!(rotated.id(), id);
    assert_eq!(rotated.json()["name"], "ci");
    let shown = new.get("/personal_access_tokens/self").await.is(200).json();
    assert_eq!((&shown["active"], &shown["revoked"]), (&json!(true), &json!(false)));
    assert!(shown.get("token").is_none());
    let week = t.now().to_zoned(jiff::tz::TimeZone::UTC).date() + jiff::Span::new().days(7);
    assert_eq!(shown["expires_at"], week.to_string());
    old.get("/user").await.is(401);
    new.get("/user").await.is(200);
}

#[testkit::story]
async fn rotating_with_a_revoked_token_ends_its_family(t: TestServer) {
    let jane = t.user("jane").await;
    let (_, old) = token(&t, jane.id, json!({"name": "ci", "scopes": ["api"]})).await;
    let rotated = old.post("/personal_access_tokens/self/rotate").await.is(200);
    let new = t.with_token(rotated.json()["token"].as_str().unwrap_or_default());
    old.post("/personal_access_tokens/self/rotate").await.is(401);
    new.get("/user").await.is(401);
    jane.get("/user").await.is(200);
}

#[testkit::story]
async fn rotating_a_revoked_token_by_id_ends_its_family(t: TestServer) {
    let jane = t.user("jane").await;
    let (id, old) = token(&t, jane.id, json!({"name": "ci", "scopes": ["api"]})).await;
    let rotated = old.post("/personal_access_tokens/self/rotate").await.is(200);
    let new = t.with_token(rotated.json()["token"].as_str().unwrap_or_default());
    jane.post(format!("/personal_access_tokens/{id}/rotate")).await.is(401);
    new.get("/user").await.is(401);
}

#[testkit::story]
async fn of_many_rotations_at_once_one_succeeds(t: TestServer) {
    let jane = t.user("jane").await;
    let (_, old) = token(&t, jane.id, json!({"name": "ci", "scopes": ["api"]})).await;
    let tries: Vec<_> = (0..20)
        .map(|_| {
            let old = old.clone();
            testkit::tokio::spawn(async move {
                old.post("/personal_access_tokens/self/rotate").await.status
            })
        })
        .collect();
    let mut won = 0;
    for one in tries {
        match one.await {
            Ok(200) => won += 1,
            Ok(401) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(won, 1);
}

#[testkit::story]
async fn a_token_ends_within_a_year(t: TestServer) {
    let path = "/users/1/personal_access_tokens";
    let far = json!({"name": "a", "scopes": ["api"], "expires_at": "2999-01-01"});
    let refused = t.admin().post(path).json(&far).await.is(400).json();
    let text = refused["message"]["expires_at"][0].as_str().unwrap_or_default().to_owned();
    assert!(text.starts_with("must be before 20"), "{text}");
    let past = json!({"name": "a", "scopes": ["api"], "expires_at": "2020-01-01"});
    t.admin().post(path).json(&past).await.is(400);
    let made = t
        .admin()
        .post(path)
        .json(&json!({"name": "a", "scopes": ["api"]}))
        .await
        .is(201);
    assert!(made.json()["expires_at"].is_string());
    let setting = json!({"require_personal_access_token_expiry": false});
    t.admin().put("/application/settings").json(&setting).await.is(200);
    let made = t
        .admin()
        .post(path)
        .json(&json!({"name": "b", "scopes": ["api"]}))
        .await
        .is(201);
    assert!(made.json()["expires_at"].is_null());
}

#[testkit::story]
async fn a_token_has_known_scopes_of_its_owner(t: TestServer) {
    let jane = t.user("jane").await;
    let path = format!("/users/{}/personal_access_tokens", jane.id);
    for scopes in [json!(["sudo"]), json!(["openid"]), json!(["nonsense"]), json!([])] {
        let body = json!({"name": "a", "scopes": scopes});
        let refused = t.admin().post(&path).json(&body).await.is(400).json();
        assert!(refused["message"]["scopes"].is_array(), "{refused}");
    }
    let missing = t.admin().post(&path).json(&json!({"name": "a"})).await.is(400).json();
    assert_eq!(missing["error"], "scopes is missing");
    jane.post(&path).json(&json!({"name": "a", "scopes": ["api"]})).await.is(403);
    let own = json!({"name": "a", "scopes": ["k8s_proxy"]});
    jane.post("/user/personal_access_tokens").json(&own).await.is(201);
    let wide = json!({"name": "a", "scopes": ["api"]});
    says(
        &jane.post("/user/personal_access_tokens").json(&wide).await.is(400),
        400,
        json!({
            "error": "scopes does not have a valid value",
            "message": "400 Bad request - scopes does not have a valid value",
        }),
    );
}

#[testkit::story]
async fn everyone_sees_their_own_tokens_only(t: TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    let (id, _) = token(&t, john.id, json!({"name": "johns", "scopes": ["api"]})).await;
    let names = jane.get("/personal_access_tokens").await.is(200).each("user_id");
    assert!(names.iter().all(|user| *user == jane.id), "{names:?}");
    jane.get(format!("/personal_access_tokens?user_id={}", john.id)).await.is(401);
    jane.get(format!("/personal_access_tokens/{id}")).await.is(401);
    jane.get("/personal_access_tokens/999999").await.is(401);
    jane.delete(format!("/personal_access_tokens/{id}")).await.is(401);
    t.admin().get("/personal_access_tokens/999999").await.is(404);
    let found = t.admin().get("/personal_access_tokens?search=john&state=active").await.is(200);
    assert_eq!(found.each("id"), [json!(id)]);
    t.admin().get("/personal_access_tokens?sort=upwards").await.is(400);
}

#[testkit::story]
async fn impersonation_is_the_administrators_and_can_be_switched_off(t: TestServer) {
    let jane = t.user("jane").await;
    let path = format!("/users/{}/impersonation_tokens", jane.id);
    let body = json!({"name": "look", "scopes": ["api"]});
    jane.post(&path).json(&body).await.is(403);
    let made = t.admin().post(&path).json(&body).await.is(201);
    assert_eq!(made.json()["impersonation"], true);
    let as_jane = t.with_token(made.json()["token"].as_str().unwrap_or_default());
    assert_eq!(as_jane.get("/user").await.is(200).id(), jane.id);
    let own = jane.get("/personal_access_tokens").await.each("id");
    assert!(!own.contains(&json!(made.id())));
    assert_eq!(
        t.admin().get(format!("{path}?state=active")).await.each("id"),
        [json!(made.id())]
    );
    let off = json!({"impersonation_enabled": false});
    t.admin().put("/application/settings").json(&off).await.is(200);
    as_jane.get("/user").await.is(401);
    t.admin().post(&path).json(&body).await.is(403);
    let on = json!({"impersonation_enabled": true});
    t.admin().put("/application/settings").json(&on).await.is(200);
    t.admin().delete(format!("{path}/{}", made.id())).await.is(204);
    as_jane.get("/user").await.is(401);
    t.admin().get(format!("{path}/999999")).await.is(404);
}

#[testkit::story]
async fn settings_are_administrators_and_checked(t: TestServer) {
    let jane = t.user("jane").await;
    jane.get("/application/settings").await.is(403);
    t.anonymous().get("/application/settings").await.is(401);
    for bad in [
        json!({"personal_access_token_prefix": "a b"}),
        json!({"session_expire_delay": 0}),
        json!({"max_login_attempts": -1}),
        json!({"max_personal_access_token_lifetime": 366}),
    ] {
        t.admin().put("/application/settings").json(&bad).await.is(400);
    }
    let prefix = json!({"personal_access_token_prefix": "acme-"});
    let all = t.admin().put("/application/settings").json(&prefix).await.is(200).json();
    assert_eq!(all["personal_access_token_prefix"], "acme-");
    let client = t.token_of(1, &["api"]).await;
    assert!(client.token().unwrap_or_default().starts_with("acme-"));
}

#[testkit::story]
async fn a_secret_never_comes_back_in_links_or_lists(t: TestServer) {
    let text = t.admin().token().unwrap_or_default().to_owned();
    for n in 0..3 {
        t.user(&format!("user{n}")).await;
    }
    let reply = t
        .anonymous()
        .get(format!("/users?per_page=1&private_token={text}"))
        .await
        .is(200);
    assert!(!reply.header("link").contains(&text));
    assert!(reply.link("next").is_some());
    let list = t.admin().get("/personal_access_tokens").await.is(200);
    assert!(list.each("token").iter().all(Value::is_null));
}
