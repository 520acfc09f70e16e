//! What is asked at `/oauth/authorize`, and the answers.

use super::*;

/// Registers an application with these redirect addresses.
async fn sent_back_to(t: &TestServer, redirect_uris: &str) -> TestApplication {
    let new = json!({"name": "Shop", "redirect_uri": redirect_uris, "scopes": "api read_user"});
    let made = t.admin().post("/applications").json(&new).await.is(201);
    let json = made.json();
    TestApplication {
        id: made.id(),
        uid: text(&json, "application_id").to_owned(),
        secret: text(&json, "secret").to_owned(),
    }
}

/// Asks for a code that goes to this address.
async fn ask(browser: &Browser, application: &TestApplication, to: &str, more: &str) -> Reply {
    let query = encoded(&[
        ("client_id", &application.uid),
        ("redirect_uri", to),
        ("response_type", "code"),
        ("scope", "read_user"),
    ]);
    browser.get(&format!("/oauth/authorize?{query}{more}")).await
}

#[testkit::story]
async fn a_no_may_be_sent_as_a_delete(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let page = browser.get(&authorize_path(&shop, "api", &[])).await.is(200);
    let token = page.hidden("authenticity_token").expect("the form's token");
    let carried = carried(&page);
    let mut fields: Vec<(&str, &str)> = carried.iter().map(|(n, v)| (*n, v.as_str())).collect();
    browser
        .send_as(Method::DELETE, "/oauth/authorize", &fields, "text/html")
        .await
        .is(403);
    fields.push(("authenticity_token", &token));
    let reply = browser
        .send_as(Method::DELETE, "/oauth/authorize", &fields, "text/html")
        .await
        .is(302);
    assert_eq!(answered(&reply, "error").as_deref(), Some("access_denied"));
    assert_eq!(answered(&reply, "code"), None);
}

#[testkit::story]
async fn the_answer_keeps_the_query_of_its_address(t: TestServer) {
    t.user("jane").await;
    let uri = "https://app.example/cb?keep=%20x&code=old&state=old";
    let shop = sent_back_to(&t, uri).await;
    let browser = t.browser("jane").await;
    let page = ask(&browser, &shop, uri, "&state=new").await.is(200);
    let reply = approve(&browser, &page).await.is(302);
    let location = reply.header("location");
    assert!(location.starts_with("https://app.example/cb?keep=%20x&code="), "{location}");
    assert!(!location.contains("old"), "{location}");
    assert_eq!(answered(&reply, "state").as_deref(), Some("new"));
    let less = ask(&browser, &shop, "https://app.example/cb", "").await.is(400);
    assert_eq!(less.header("location"), "", "the query belongs to the address");
}

#[testkit::story]
async fn the_state_comes_back_unchanged_and_breaks_nothing(t: TestServer) {
    t.user("jane").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    for state in ["a\r\nSet-Cookie: evil=1", "<b>&\"'", "ä ö", "a&code=b#c"] {
        let page = browser
            .get(
                &authorize_path(&shop, "api", &[("prompt", "consent")])
                    .replace("a+state", &encoded(&[("", state)])[1..]),
            )
            .await
            .is(200);
        assert!(!page.text().contains("<b>&"), "{state}");
        let reply = approve(&browser, &page).await.is(302);
        assert_eq!(answered(&reply, "state").as_deref(), Some(state));
        assert!(
            !reply
                .headers
                .get_all("set-cookie")
                .iter()
                .any(|v| v.to_str().unwrap().contains("evil"))
        );
    }
}

#[testkit::story]
async fn installed_programs_choose_their_port(t: TestServer) {
    t.user("jane").await;
    let tool = sent_back_to(
        &t,
        "http://127.0.0.1/cb\nhttp://[::1]/\nhttp://localhost/cb\ncom.example.tool:/cb",
    )
    .await;
    let browser = t.browser("jane").await;
    for good in [
        "http://127.0.0.1/cb",
        "http://127.0.0.1:49152/cb",
        "http://[::1]:8123/",
        "http://localhost/cb",
        "com.example.tool:/cb",
    ] {
        ask(&browser, &tool, good, "").await.is(200);
    }
    for bad in [
        "http://localhost:49152/cb",
        "http://127.0.0.2/cb",
        "http://127.0.0.1:49152/other",
        "https://127.0.0.1/cb",
        "http://me@127.0.0.1:49152/cb",
        "com.example.tool:/other",
    ] {
        let page = ask(&browser, &tool, bad, "").await.is(400);
        assert_eq!(page.header("location"), "", "{bad}");
    }
}

#[testkit::story]
async fn without_a_scope_the_default_is_meant(t: TestServer) {
    t.user("jane").await;
    let (wide, narrow) = (
        application(&t, "api read_user", true).await,
        application(&t, "read_user", true).await,
    );
    let browser = t.browser("jane").await;
    let without = |application: &TestApplication| {
        authorize_path(application, "x", &[]).replace("&scope=x", "")
    };
    let code = code(&browser, &without(&wide)).await;
    assert_eq!(exchange(&t, &wide, &code, &[]).await.is(200).json()["scope"], "api");
    for path in [
        without(&narrow),
        authorize_path(&narrow, " ", &[]),
        authorize_path(&narrow, "api", &[]),
    ] {
        let reply = browser.get(&path).await.is(302);
        assert_eq!(answered(&reply, "error").as_deref(), Some("invalid_scope"), "{path}");
    }
}

#[testkit::story]
async fn a_group_without_single_sign_on_changes_nothing(t: TestServer) {
    t.user("jane").await;
    let acme = t.group("acme").await;
    let shop = application(&t, "api", true).await;
    let browser = t.browser("jane").await;
    let id = acme.id.to_string();
    for group in [id.as_str(), "999999", "-1", "acme", "1e9", "99999999999999999999999999999999"] {
        let path = authorize_path(&shop, "api", &[("root_namespace_id", group)]);
        browser.get(&path).await.is(200);
    }
}

#[testkit::story]
async fn administrators_may_be_kept_from_giving_much_away(t: TestServer) {
    let jane = t.user("jane").await;
    t.user("joe").await;
    t.admin()
        .put(format!("/users/{}", jane.id))
        .json(&json!({"admin": true}))
        .await
        .is(200);
    let shop = application(&t, "api read_user openid", true).await;
    let (admin, other) = (t.browser("jane").await, t.browser("joe").await);
    admin.get(&authorize_path(&shop, "api", &[])).await.is(200);
    t.admin()
        .put("/application/settings")
        .json(&json!({"disable_admin_oauth_scopes": true}))
        .await
        .is(200);
    let page = admin.get(&authorize_path(&shop, "api", &[])).await.is(403);
    assert_eq!(page.header("location"), "");
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    admin.get(&authorize_path(&shop, "read_user openid", &[])).await.is(200);
    other.get(&authorize_path(&shop, "api", &[])).await.is(200);
    let id = shop.id;
    let trust = t.app().write(move |tx| {
        tx.execute(store::sql!("update applications set trusted = true where id = $1"), (id,))?;
        Ok(())
    });
    trust.await.unwrap();
    let reply = admin.get(&authorize_path(&shop, "api", &[])).await.is(302);
    assert!(answered(&reply, "code").is_some(), "an administrator trusts it");
}

#[testkit::story]
async fn registration_says_what_is_wrong_with_an_address(t: TestServer) {
    let problem = async |uri: &str| {
        let new = json!({"name": "Shop", "redirect_uri": uri, "scopes": "api"});
        let reply = t.admin().post("/applications").json(&new).await.is(400).json();
        reply["message"]["redirect_uri"][0].as_str().expect("a message").to_owned()
    };
    for (uri, text) in [
        ("https://app.example/cb#x", "cannot contain a fragment."),
        ("/cb", "must be an absolute URI."),
        ("https://", "must be a valid URI."),
        ("javascript:alert(1)", "is forbidden by the server."),
        ("data:text/html,x", "is forbidden by the server."),
        ("vbscript:x", "is forbidden by the server."),
        ("localhost:3000/cb", "must specify a scheme."),
        ("urn:ietf:wg:oauth:2.0:oob", "must specify a scheme."),
        ("http://app.example/cb", "must be an HTTPS/SSL URI."),
        ("https://a.example/\nhttp://b.example/", "must be an HTTPS/SSL URI."),
    ] {
        assert_eq!(problem(uri).await, text, "{uri}");
    }
}
