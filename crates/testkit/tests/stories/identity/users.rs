//! Users: directory, administration, following, status.

use serde_json::{Value, json};

fn keys(value: &Value) -> Vec<String> {
    value.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default()
}

#[testkit::story]
async fn a_user_is_shown_in_as_much_detail_as_the_caller_may_see(t: testkit::TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    let public = john.get(format!("/users/{}", jane.id)).await.is(200).json();
    let basic = [
        "id",
        "username",
        "public_email",
        "name",
        "state",
        "locked",
        "avatar_url",
        "web_url",
    ];
    assert_eq!(keys(&public)[..8], basic);
    assert_eq!(
        keys(&public)[8..],
        [
            "created_at",
            "bio",
            "location",
            "linkedin",
            "twitter",
            "discord",
            "provider_a",
            "website_url",
            "organization",
            "job_title",
            "pronouns",
            "bot",
            "work_information",
            "followers",
            "following",
            "is_followed",
            "local_time",
        ]
    );
    let own = jane.get("/user").await.is(200).json();
    assert_eq!(
        keys(&own)[25..],
        [
            "email",
            "last_sign_in_at",
            "confirmed_at",
            "last_activity_on",
            "theme_id",
            "color_scheme_id",
            "projects_limit",
            "current_sign_in_at",
            "identities",
            "can_create_group",
            "can_create_project",
            "two_factor_enabled",
            "external",
            "private_profile",
            "commit_email",
        ]
    );
    let whole = t.admin().get(format!("/users/{}", jane.id)).await.is(200).json();
    assert_eq!(
        keys(&whole)[40..],
        [
            "is_admin",
            "note",
            "current_sign_in_ip",
            "last_sign_in_ip",
            "sign_in_count",
            "namespace_id",
            "created_by",
            "email_reset_offered_at",
        ]
    );
    assert_eq!(whole["created_by"]["username"], "root");
    let refused = t.anonymous().get(format!("/users/{}", jane.id)).await.is(403);
    assert_eq!(refused.json(), json!({"message": "403 Forbidden - Not authorized!"}));
    let absent = john.get("/users/999999").await.is(404).json();
    assert_eq!(absent, json!({"message": "404 User Not Found"}));
}

#[testkit::story]
async fn a_private_profile_hides_its_numbers(t: testkit::TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    let path = format!("/users/{}", jane.id);
    t.admin().put(&path).json(&json!({"private_profile": true})).await.is(200);
    let hidden = john.get(&path).await.is(200).json();
    for key in ["created_at", "followers", "following"] {
        assert!(hidden.get(key).is_none(), "{key}");
    }
    john.get(format!("{path}/followers")).await.is(404);
    jane.get(format!("{path}/followers")).await.is(200);
    assert!(jane.get(&path).await.is(200).json()["followers"].is_number());
    t.admin().put(&path).json(&json!({"private_profile": null})).await.is(200);
    assert!(john.get(&path).await.is(200).json()["followers"].is_number());
}

#[testkit::story]
async fn users_are_filtered_and_ordered(t: testkit::TestServer) {
    for name in ["anna", "berta", "clara"] {
        t.user(name).await;
    }
    let names = |query: &str| {
        let request = t.admin().get(format!("/users?{query}"));
        async move {
            let all = request.await.is(200).each("username");
            all.iter().filter_map(|n| n.as_str().map(str::to_owned)).collect::<Vec<_>>()
        }
    };
    assert_eq!(names("").await, ["clara", "berta", "anna", "root"]);
    assert_eq!(names("username=BERTA").await, ["berta"]);
    assert_eq!(names("search=ert").await, ["berta"]);
    assert_eq!(names("search=anna@example.com").await, ["anna"]);
    assert_eq!(names("search=%25").await, [""; 0]);
    assert_eq!(names("admins=true").await, ["root"]);
    assert_eq!(names("order_by=name&sort=asc&per_page=2").await, ["root", "anna"]);
    assert_eq!(names("order_by=username&sort=asc").await, ["anna", "berta", "clara", "root"]);
    let id = t.admin().get("/users?username=clara").await.each("id")[0].clone();
    t.admin().post(format!("/users/{id}/block")).await.is(201);
    assert_eq!(names("blocked=true").await, ["clara"]);
    assert_eq!(names("exclude_active=true").await, ["clara"]);
    assert_eq!(names("active=true").await, ["berta", "anna", "root"]);
    assert_eq!(names("created_after=2999-01-01").await, [""; 0]);
    assert_eq!(names("extern_uid=1&provider=x").await, [""; 0]);
    assert_eq!(names("exclude_humans=true").await, [""; 0]);
    assert_eq!(names("two_factor=enabled").await, [""; 0]);
    for bad in [
        "order_by=password_hash",
        "sort=up",
        "extern_uid=1",
        "page=0",
        "per_page=x",
        "created_after=yesterday",
        "page=99999999999999999999999",
    ] {
        t.admin().get(format!("/users?{bad}")).await.is(400);
    }
}

#[testkit::story]
async fn users_are_paged_by_key_in_every_order(t: testkit::TestServer) {
    for n in 0..5 {
        t.user(&format!("user{n}")).await;
    }
    for order in ["id", "name", "username", "created_at", "updated_at"] {
        for sort in ["asc", "desc"] {
            let first = format!("/users?pagination=keyset&per_page=2&order_by={order}&sort={sort}");
            let mut reply = t.admin().get(first).await.is(200);
            let mut seen = reply.each("id");
            assert!(reply.header("x-total").is_empty());
            while let Some(next) = reply.link("next") {
                reply = t.admin().request(http::Method::GET, next).await.is(200);
                seen.extend(reply.each("id"));
            }
            let path = format!("/users?order_by={order}&sort={sort}");
            assert_eq!(seen, t.admin().get(path).await.each("id"), "{order} {sort}");
        }
    }
    t.admin().get("/users?pagination=keyset&cursor=forged").await.is(400);
}

#[testkit::story]
async fn everyone_else_sees_basic_users_in_the_list(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let list = jane.get("/users").await.is(200).json();
    assert_eq!(keys(&list[0]).len(), 8);
    let by_mail = jane.get("/users?search=admin@example.com").await.is(200).json();
    assert_eq!(by_mail, json!([]));
    let refused = t.anonymous().get("/users").await.is(403);
    assert_eq!(
        refused.json(),
        json!({"message": "403 Forbidden - Not authorized to access /api/v4/users"})
    );
    let found = t.anonymous().get("/users?username=JANE").await.is(200);
    assert_eq!(found.each("username"), ["jane"]);
    assert_eq!(keys(&found.json()[0]).len(), 8);
}

#[testkit::story]
async fn a_user_is_made_with_every_problem_told(t: testkit::TestServer) {
    let bad = json!({"username": "a/b", "name": "", "email": "nobody", "password": "short"});
    let told = t.admin().post("/users").json(&bad).await.is(400).json();
    assert_eq!(keys(&told["message"]), ["username", "name", "email", "password"]);
    let missing = t.admin().post("/users").json(&json!({"username": "x1"})).await.is(400).json();
    assert_eq!(missing["error"], "email is missing, name is missing");
    let jane = t.user("jane").await;
    let again = json!({"username": "JANE", "name": "J", "email": "other@example.com",
        "password": "correct horse"});
    t.admin().post("/users").json(&again).await.is(409);
    let again = json!({"username": "other", "name": "J", "email": "Jane@Example.com",
        "password": "correct horse"});
    let taken = t.admin().post("/users").json(&again).await.is(409).json();
    assert_eq!(taken, json!({"message": "Email has already been taken"}));
    let random = json!({"username": "bo", "name": "B", "email": "b@example.com",
        "force_random_password": true});
    t.admin().post("/users").json(&random).await.is(201);
    jane.post("/users").json(&random).await.is(403);
    t.anonymous().post("/users").json(&random).await.is(401);
}

#[testkit::story]
async fn hostile_names_are_refused_or_kept_as_text(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let path = format!("/users/{}", jane.id);
    for bad in [
        json!({"name": "a\r\nBcc: x@example.com"}),
        json!({"name": "x\u{0}y"}),
        json!({"bio": "x".repeat(256)}),
        json!({"website_url": "javascript:alert(1)"}),
        json!({"name": {"a": "b"}}),
        json!({"username": "admin"}),
    ] {
        t.admin().put(&path).json(&bad).await.is(400);
    }
    let name = "<script>alert(1)</script>";
    let kept = t.admin().put(&path).json(&json!({"name": name})).await.is(200);
    assert_eq!(kept.json()["name"], name);
    for id in ["-1", "0", "99999999999999999999", "%252F", "%2e%2e", "1%00"] {
        let reply = t.admin().get(format!("/users/{id}")).await;
        assert!(matches!(reply.status, 400 | 404), "{reply:?}");
    }
}

#[testkit::story]
async fn states_change_as_they_may(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let at = |verb: &str| format!("/users/{}/{verb}", jane.id);
    jane.post(at("block")).await.is(403);
    t.admin().post(at("deactivate")).await.is(403);
    t.admin().post(at("ban")).await.is(201);
    t.admin().post(at("ban")).await.is(403);
    t.admin().post(at("unblock")).await.is(403);
    t.admin().post(at("unban")).await.is(201);
    t.admin().post(at("approve")).await.is(409);
    t.admin().post(at("reject")).await.is(409);
    t.admin().post("/users/1/block").await.is(403);
    t.admin().post("/users/999999/block").await.is(404);
    let wait = jane.id;
    let done = t
        .app()
        .write(move |tx| {
            Ok(tx.execute(
                "update users set state = 'blocked_pending_approval' where id = $1",
                (wait,),
            )?)
        })
        .await;
    assert_eq!(done.ok(), Some(1));
    let approved = t.admin().post(at("approve")).await.is(201).json();
    assert_eq!(approved, json!({"message": "Success"}));
    jane.get("/user").await.is(200);
}

#[testkit::story]
async fn a_deleted_user_is_gone_with_their_tokens(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    jane.delete(format!("/users/{}", jane.id)).await.is(403);
    t.admin().delete("/users/1").await.is(403);
    t.admin().delete(format!("/users/{}", jane.id)).await.is(204);
    t.admin().get(format!("/users/{}", jane.id)).await.is(404);
    t.admin().delete(format!("/users/{}", jane.id)).await.is(404);
    jane.get("/user").await.is(401);
    let internal = t.admin().get("/users?exclude_internal=true").await.is(200);
    assert_eq!(internal.each("username"), [json!("root")]);
}

#[testkit::story]
async fn users_follow_each_other(t: testkit::TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    let path = format!("/users/{}", jane.id);
    assert_eq!(john.post(format!("{path}/follow")).await.is(201).id(), jane.id);
    john.post(format!("{path}/follow")).await.is(304);
    let seen = john.get(&path).await.is(200).json();
    assert_eq!((&seen["followers"], &seen["is_followed"]), (&json!(1), &json!(true)));
    assert_eq!(jane.get(format!("{path}/followers")).await.each("id"), [json!(john.id)]);
    let followed = jane.get(format!("/users/{}/following", john.id)).await.is(200);
    assert_eq!(followed.each("id"), [json!(jane.id)]);
    john.post(format!("{path}/unfollow")).await.is(201);
    john.post(format!("{path}/unfollow")).await.is(304);
    jane.post(format!("{path}/follow")).await.is(304);
    t.anonymous().post(format!("{path}/follow")).await.is(401);
}

#[testkit::story]
async fn a_status_is_said_and_escaped(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let said = json!({"emoji": "coffee", "message": "<b>out</b>", "availability": "busy"});
    let status = jane.put("/user/status").json(&said).await.is(200).json();
    assert_eq!(
        status,
        json!({"emoji": "coffee", "message": "<b>out</b>",
        "availability": "busy", "message_html": "&lt;b&gt;out&lt;/b&gt;",
        "clear_status_at": null})
    );
    assert_eq!(t.admin().get("/users/jane/status").await.is(200).json(), status);
    let kept = jane.patch("/user/status").json(&json!({"message": "in"})).await.is(200).json();
    assert_eq!((&kept["emoji"], &kept["message"]), (&json!("coffee"), &json!("in")));
    jane.put("/user/status")
        .json(&json!({"message": "x".repeat(101)}))
        .await
        .is(400);
    jane.put("/user/status").json(&json!({"availability": "asleep"})).await.is(400);
    let reset = jane.put("/user/status").json(&json!({})).await.is(200).json();
    assert_eq!(reset["message"], "");
}

#[testkit::story]
async fn every_change_is_audited(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let path = format!("/users/{}", jane.id);
    t.admin().put(&path).json(&json!({"note": "kept"})).await.is(200);
    t.admin().post(format!("{path}/block")).await.is(201);
    let id = jane.id;
    let actions = t
        .app()
        .read(move |tx| {
            Ok(tx.all::<String>(
                "select action from audit_records where target_type = 'User' and target_id = $1
             order by id",
                (id,),
            )?)
        })
        .await;
    assert_eq!(
        actions.ok(),
        Some(["user.create", "user.update", "user.block"].map(str::to_owned).to_vec())
    );
}
