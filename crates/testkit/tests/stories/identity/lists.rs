//! Every filter and order of users and tokens, page by page.

use serde_json::{Value, json};
use testkit::{Client, TestServer};

async fn names(client: &Client, path: String, field: &str) -> Vec<String> {
    let all = client.get(path).await.is(200).each(field);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    all.iter().filter_map(text).collect()
}

/// The same through all pages of a keyset.
async fn walk(client: &Client, path: String, field: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut next = Some(path);
    while let Some(path) = next.take() {
        let page = match path.starts_with("http") {
            true => client.request(http::Method::GET, &path).await.is(200),
            false => client.get(&path).await.is(200),
        };
        assert!(page.each("id").len() <= 2);
        assert_eq!(page.header("x-total"), "");
        all.extend(page.each(field).iter().filter_map(|v| v.as_str().map(str::to_owned)));
        next = page.link("next");
        assert!(all.len() < 100, "the pages never end");
    }
    all
}

/// Moves rows in time: one day apart by id, so that orders differ from ids.
async fn spread(t: &TestServer, sql: &'static str, ids: Vec<i64>) {
    let written = t.app().write(move |tx| {
        for (n, id) in ids.iter().enumerate() {
            let at: jiff::Timestamp = format!("2026-03-{:02}T00:00:00Z", 20 - n).parse().unwrap();
            tx.execute(sql, (*id, at))?;
        }
        Ok(())
    });
    written.await.unwrap();
}

#[testkit::story]
async fn users_pass_every_filter(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (anna, berta) = (t.user("anna").await, t.user("berta").await);
    let clara = t.user("clara").await;
    project.add(&anna, 30).await;
    let token = json!({"name": "robot", "scopes": ["api"]});
    t.admin().post(project.at("/access_tokens")).json(&token).await.is(201);
    t.admin().post(format!("/users/{}/block", berta.id)).await.is(201);
    clara.post("/projects").json(&json!({"name": "own"})).await.is(201);
    let external = json!({"external": true, "public_email": "c@example.net"});
    t.admin().put(format!("/users/{}", clara.id)).json(&external).await.is(200);
    let gone = t.user("gone").await;
    t.admin().delete(format!("/users/{}", gone.id)).await.is(204);
    t.settle().await;
    spread(
        &t,
        "update users set created_at = $2 where id = $1",
        vec![anna.id, berta.id, clara.id],
    )
    .await;
    let of = |query: &str| {
        let path = format!("/users?order_by=id&sort=asc&{query}");
        let admin = t.admin();
        async move {
            let all = names(&admin, path, "username").await;
            all.into_iter()
                .map(|name| match name.starts_with("project_") {
                    true => "bot".to_owned(),
                    false => name,
                })
                .collect::<Vec<_>>()
        }
    };
    let people = ["root", "anna", "berta", "clara"];
    assert_eq!(of("humans=true").await, people);
    assert_eq!(of("exclude_humans=true").await, ["bot", "ghost"]);
    assert_eq!(of("exclude_humans=true&exclude_internal=true").await, ["bot"]);
    assert_eq!(of("exclude_internal=true&without_project_bots=true").await, people);
    assert_eq!(of("active=true&humans=true").await, ["root", "anna", "clara"]);
    assert_eq!(of("exclude_active=true").await, ["berta"]);
    assert_eq!(of("blocked=true").await, ["berta"]);
    assert_eq!(of("external=true").await, ["clara"]);
    assert_eq!(of("exclude_external=true&humans=true").await, ["root", "anna", "berta"]);
    assert_eq!(of("admins=true").await, ["root"]);
    assert_eq!(of("username=ANNA").await, ["anna"]);
    assert_eq!(of("username=ann").await, [""; 0]);
    assert_eq!(of("search=AR").await, ["clara"]);
    assert_eq!(of("search=c%40example.net").await, ["clara"]);
    assert_eq!(of("search=anna%40example.com").await, ["anna"]);
    assert_eq!(of("search=b_rta").await, [""; 0], "a wildcard is a letter");
    assert_eq!(
        of("created_after=2026-03-18T12:00:00Z&created_before=2026-03-19T12:00:00Z").await,
        ["berta"]
    );
    assert_eq!(of("created_before=2026-03-19").await, ["clara"]);
    // Root owns the group of anna's project; clara has one of her own.
    assert_eq!(of("without_projects=true&humans=true").await, ["berta"]);
    assert_eq!(of("two_factor=enabled").await, [""; 0]);
    assert_eq!(of("two_factor=disabled&humans=true").await, people);
    assert_eq!(of("extern_uid=1&provider=ldap").await, [""; 0]);
    t.admin().get("/users?extern_uid=1").await.is(400);
    t.admin().get("/users?two_factor=maybe").await.is(400);
    // What is for administrators moves nobody else's list.
    let plain = names(&clara, "/users?order_by=name&sort=asc&admins=true".into(), "username").await;
    assert_eq!(plain.last().map(String::as_str), Some("root"), "{plain:?}");
    assert!(
        names(&clara, "/users?search=anna%40example.com".into(), "username")
            .await
            .is_empty()
    );
    assert_eq!(
        names(&clara, "/users?search=c%40example.net".into(), "username").await,
        ["clara"]
    );
}

#[testkit::story]
async fn users_come_in_every_order_page_by_page(t: TestServer) {
    let mut ids = Vec::new();
    for name in ["dora", "anna", "Emil", "berta", "clara"] {
        let body = json!({"username": name, "name": format!("{}x", name.chars().last().unwrap()),
            "email": format!("{name}@example.com"), "force_random_password": true,
            "skip_confirmation": true});
        ids.push(t.admin().post("/users").json(&body).await.is(201).id());
    }
    spread(&t, "update users set created_at = $2 where id = $1", ids.clone()).await;
    ids.reverse();
    spread(&t, "update users set updated_at = $2 where id = $1", ids).await;
    for (order, ascending) in [
        ("id", ["root", "dora", "anna", "Emil", "berta", "clara"]),
        // By name (Administrator, ax ×4, lx), then by id.
        ("name", ["root", "dora", "anna", "berta", "clara", "Emil"]),
        ("username", ["anna", "berta", "clara", "dora", "Emil", "root"]),
        ("created_at", ["clara", "berta", "Emil", "anna", "dora", "root"]),
        ("updated_at", ["dora", "anna", "Emil", "berta", "clara", "root"]),
    ] {
        let mut descending = ascending.to_vec();
        descending.reverse();
        for (sort, expected) in [("asc", ascending.to_vec()), ("desc", descending)] {
            let path = format!("/users?order_by={order}&sort={sort}");
            assert_eq!(names(&t.admin(), path.clone(), "username").await, expected, "{path}");
            let keyset = format!("{path}&pagination=keyset&per_page=2");
            assert_eq!(walk(&t.admin(), keyset, "username").await, expected, "{path}");
        }
    }
    let plain = t.user("plain").await;
    let expected = ["plain", "clara", "berta", "Emil", "anna", "dora", "root"];
    let path = "/users?pagination=keyset&per_page=2&order_by=id".to_owned();
    assert_eq!(walk(&plain, path, "username").await, expected);
    // A cursor of one order is no place in another.
    let first = t.admin().get("/users?pagination=keyset&per_page=2&order_by=name").await.is(200);
    let moved = first.link("next").unwrap().replace("order_by=name", "order_by=created_at");
    t.admin().request(http::Method::GET, &moved).await.is(400);
}

#[testkit::story]
async fn a_name_that_changes_while_paging_loses_nobody_else(t: TestServer) {
    for n in 0..5 {
        t.user(&format!("user{n}")).await;
    }
    let path =
        "/users?pagination=keyset&per_page=2&order_by=username&sort=asc&exclude_internal=true";
    let first = t.admin().get(path).await.is(200);
    assert_eq!(first.each("username"), ["root", "user0"]);
    let zero = t.admin().get("/users?username=user0").await.each("id")[0].clone();
    t.admin()
        .put(format!("/users/{zero}"))
        .json(&json!({"username": "aaa"}))
        .await
        .is(200);
    let second = t.admin().request(http::Method::GET, first.link("next").unwrap()).await.is(200);
    assert_eq!(second.each("username"), ["user1", "user2"]);
}

#[testkit::story]
async fn tokens_pass_every_filter_in_every_order(t: TestServer) {
    let jane = t.user("jane").await;
    let mut ids = Vec::new();
    for (name, end) in [("cc", "2027-01-03"), ("aa", "2027-01-01"), ("bb", "2027-01-02")] {
        let body = json!({"name": name, "scopes": ["read_api"]});
        let path = format!("/users/{}/personal_access_tokens", jane.id);
        let id = t.admin().post(path).json(&body).await.is(201).id();
        let set = t.app().write(move |tx| {
            Ok(tx.execute("update access_tokens set expires_at = $2 where id = $1", (id, end))?)
        });
        assert_eq!(set.await.unwrap(), 1);
        ids.push(id);
    }
    spread(&t, "update access_tokens set created_at = $2 where id = $1", ids.clone()).await;
    let used = vec![ids[1], ids[0]];
    spread(&t, "update access_tokens set last_used_at = $2 where id = $1", used).await;
    t.admin().delete(format!("/personal_access_tokens/{}", ids[2])).await.is(204);
    let of = |query: &str| {
        let path = format!("/personal_access_tokens?user_id={}&{query}", jane.id);
        let admin = t.admin();
        async move {
            let mut all = names(&admin, path, "name").await;
            all.retain(|name| name.len() == 2);
            all
        }
    };
    for (sort, expected) in [
        ("created_asc", ["bb", "aa", "cc"]),
        ("created_desc", ["cc", "aa", "bb"]),
        ("expires_asc", ["aa", "bb", "cc"]),
        ("expires_desc", ["cc", "bb", "aa"]),
        ("last_used_asc", ["cc", "aa", "bb"]),
        ("last_used_desc", ["aa", "cc", "bb"]),
        ("name_asc", ["aa", "bb", "cc"]),
        ("name_desc", ["cc", "bb", "aa"]),
    ] {
        assert_eq!(of(&format!("sort={sort}")).await, expected, "{sort}");
    }
    for (filter, expected) in [
        ("revoked=true", vec!["bb"]),
        ("revoked=false", vec!["aa", "cc"]),
        ("state=active", vec!["aa", "cc"]),
        ("state=inactive", vec!["bb"]),
        ("search=a", vec!["aa"]),
        ("search=%25", vec![]),
        ("created_after=2026-03-18T12:00:00Z", vec!["aa", "cc"]),
        ("created_before=2026-03-18T12:00:00Z", vec!["bb"]),
        ("last_used_after=2026-03-19T12:00:00Z", vec!["aa"]),
        ("last_used_before=2026-03-19T12:00:00Z", vec!["cc"]),
        ("expires_after=2027-01-01", vec!["bb", "cc"]),
        ("expires_before=2027-01-02", vec!["aa"]),
    ] {
        assert_eq!(of(&format!("sort=name_asc&{filter}")).await, expected, "{filter}");
    }
    t.admin().get("/personal_access_tokens?expires_after=soon").await.is(400);
    t.admin().get("/personal_access_tokens?state=asleep").await.is(400);
    t.admin().get("/personal_access_tokens?revoked=maybe").await.is(400);
    let page = jane.get("/personal_access_tokens?per_page=2&sort=name_asc").await.is(200);
    assert_eq!((page.header("x-total"), page.header("x-next-page")), ("4", "2"));
}
