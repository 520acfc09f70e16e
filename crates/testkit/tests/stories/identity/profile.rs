//! Pictures, further addresses, rendered text, states told again.

use http::Method;
use serde_json::{Value, json};
use testkit::{Client, Request};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and pixels";

/// A multipart body with one file, and a field beside it.
fn upload(client: &Client, method: Method, path: &str, name: &str, bytes: &[u8]) -> Request {
    let mut body =
        b"--edge\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nkept\r\n".to_vec();
    let head = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\"{name}\"\r\n\
         Content-Type: text/html\r\n\r\n"
    );
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(bytes);
    body.extend_from_slice(b"\r\n--edge--\r\n");
    client
        .api(method, path)
        .header("content-type", "multipart/form-data; boundary=edge")
        .bytes(body)
}

#[testkit::story]
async fn a_picture_is_kept_and_served_as_what_it_is(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    assert_eq!(jane.get("/user").await.json()["avatar_url"], Value::Null);
    let set = upload(&jane, Method::PUT, "/user/avatar", "evil.html", PNG).await.is(200);
    let url = set.json()["avatar_url"].as_str().unwrap().to_owned();
    assert!(url.starts_with(&t.url()) && url.ends_with(".png"), "{url}");
    let picture = t.anonymous().request(Method::GET, &url).await.is(200);
    assert_eq!(picture.body, PNG);
    assert_eq!(picture.header("content-type"), "image/png");
    assert_eq!(picture.header("x-content-type-options"), "nosniff");
    assert!(picture.header("content-security-policy").contains("sandbox"));
    for seen in [jane.get("/user").await, t.admin().get(format!("/users/{}", jane.id)).await] {
        assert_eq!(seen.json()["avatar_url"], json!(url));
    }
    let listed = t.anonymous().get("/users?username=jane").await.is(200);
    assert_eq!(listed.each("avatar_url"), [json!(url)]);
    // Another picture has another address, and the old one is gone.
    let gif = upload(&jane, Method::PUT, "/user/avatar", "a.gif", b"GIF89a and pixels");
    let next = gif.await.is(200).json()["avatar_url"].as_str().unwrap().to_owned();
    t.anonymous().request(Method::GET, &url).await.is(404);
    t.anonymous().request(Method::GET, &next).await.is(200);
    let none = jane.put("/user/avatar").json(&json!({"avatar": ""})).await.is(200);
    assert_eq!(none.json(), json!({"avatar_url": null}));
    t.anonymous().request(Method::GET, &next).await.is(404);
}

#[testkit::story]
async fn only_small_pictures_are_taken(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let mut large = PNG.to_vec();
    large.resize(200 * 1024, 0);
    upload(&jane, Method::PUT, "/user/avatar", "a.png", &large).await.is(200);
    large.push(0);
    for bytes in [&large[..], b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"<script>", b""] {
        let refused = upload(&jane, Method::PUT, "/user/avatar", "a.png", bytes).await.is(400);
        assert!(refused.json()["message"]["avatar"].is_array(), "{refused:?}");
    }
    jane.put("/user/avatar").await.is(400);
    jane.put("/user/avatar")
        .json(&json!({"avatar": "http://example.com/a.png"}))
        .await
        .is(400);
    let huge = vec![0; 9 << 20];
    if let Ok(reply) = upload(&jane, Method::PUT, "/user/avatar", "a.png", &huge).try_send().await {
        reply.is(413);
    }
    for path in ["1/none.png", "0/x", "x/y", "1/..%2f..%2fkeys"] {
        let reply = t.anonymous().at(format!("/uploads/-/system/user/avatar/{path}")).await;
        assert!(matches!(reply.status, 400 | 404), "{reply:?}");
    }
}

#[testkit::story]
async fn administrators_set_pictures_with_the_rest_of_a_form(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let path = format!("/users/{}", jane.id);
    let put = upload(&t.admin(), Method::PUT, &path, "a.png", PNG).await.is(200);
    assert_eq!(put.json()["note"], "kept");
    assert!(put.json()["avatar_url"].is_string());
    upload(&jane, Method::PUT, &path, "a.png", PNG).await.is(403);
    let cleared = t.admin().put(&path).json(&json!({"avatar": null})).await.is(200);
    assert_eq!(cleared.json()["avatar_url"], Value::Null);
    let query = "username=john&name=J&email=j%40example.com&force_random_password=true";
    let made = upload(&t.admin(), Method::POST, &format!("/users?{query}"), "a.png", PNG);
    assert!(made.await.is(201).json()["avatar_url"].is_string());
}

#[testkit::story]
async fn further_addresses_are_the_owners_and_administrators(t: testkit::TestServer) {
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    let path = format!("/users/{}/emails", jane.id);
    let added = json!({"email": "J@example.org", "skip_confirmation": true});
    let added = t.admin().post(&path).json(&added).await.is(201);
    assert!(added.json()["confirmed_at"].is_string());
    let list = jane.get("/user/emails").await.is(200);
    assert_eq!(list.json(), json!([added.json()]));
    assert_eq!(list.header("x-total"), "1");
    assert_eq!(t.admin().get(&path).await.is(200).json(), list.json());
    for client in [&*jane, &*john] {
        client.get(&path).await.is(403);
        client.post(&path).json(&json!({"email": "x@example.org"})).await.is(403);
        client.delete(format!("{path}/{}", added.id())).await.is(403);
    }
    t.anonymous().get("/user/emails").await.is(401);
    john.get(format!("/user/emails/{}", added.id())).await.is(404);
    john.delete(format!("/user/emails/{}", added.id())).await.is(404);
    for taken in ["j@EXAMPLE.org", "jane@example.com", "nobody", "a@b\r\nBcc: c@d", ""] {
        john.post("/user/emails").json(&json!({"email": taken})).await.is(400);
    }
    let put = json!({"email": "j@example.org"});
    t.admin().put(format!("/users/{}", john.id)).json(&put).await.is(409);
    jane.delete(format!("/user/emails/{}", added.id())).await.is(204);
    jane.delete(format!("/user/emails/{}", added.id())).await.is(404);
    assert_eq!(jane.get("/user/emails").await.json(), json!([]));
}

#[testkit::story]
async fn nobody_has_strangers_mailed_without_end(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let add =
        |n: usize| jane.post("/user/emails").json(&json!({"email": format!("x{n}@example.org")}));
    for n in 0..10 {
        let id = add(n).await.is(201).id();
        jane.delete(format!("/user/emails/{id}")).await.is(204);
    }
    let refused = add(10).await.is(429);
    let text = "This endpoint has been requested too many times. Try again later.";
    assert_eq!(refused.json(), json!({"message": {"error": text}}));
    assert!(refused.header("retry-after").parse::<u64>().unwrap() <= 3600);
}

#[testkit::story]
async fn markdown_is_rendered_harmless(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let text = "# Hi\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) **bold**";
    let body = json!({"text": text, "gfm": true, "project": "acme/anvil"});
    let html = jane.post("/markdown").json(&body).await.is(201).json();
    let html = html["html"].as_str().unwrap();
    assert!(html.contains("<strong>bold</strong>"), "{html}");
    assert!(!html.contains("<script") && !html.contains("javascript:"), "{html}");
    let missing = jane.post("/markdown").await.is(400).json();
    assert_eq!(missing["error"], "text is missing");
    let long = json!({"text": "x".repeat(1_000_001)});
    jane.post("/markdown").json(&long).await.is(413);
    t.anonymous().post("/markdown").json(&body).await.is(401);
}

#[testkit::story]
async fn a_state_told_again_is_told_as_clients_expect(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let post = |verb: &str| t.admin().post(format!("/users/{}/{verb}", jane.id));
    for (verb, answer) in [
        ("block", json!(true)),
        ("block", Value::Null),
        ("unblock", json!(true)),
        ("unblock", json!(false)),
    ] {
        assert_eq!(post(verb).await.is(201).json(), answer, "{verb}");
    }
}

#[testkit::story]
async fn text_of_users_never_becomes_markup_on_pages(t: testkit::TestServer) {
    let jane = t.user("jane").await;
    let name = "<script>alert(1)</script>\"'><img src=x>";
    let change = json!({"name": name, "bio": name, "organization": name});
    t.admin().put(format!("/users/{}", jane.id)).json(&change).await.is(200);
    let browser = crate::identity::browser::Browser::open(&t, "/users/sign_in").await;
    let entered = browser.sign_in("jane", "correct horse battery").await.is(302);
    let session = crate::identity::browser::cookie(&entered, "_service_session").unwrap();
    for path in ["/", "/-/user_settings/profile", "/-/user_settings/tokens"] {
        let page = t.anonymous().at(path).header("cookie", &format!("_service_session={session}"));
        let page = page.await.is(200).text();
        assert!(!page.contains("<script>alert") && !page.contains("<img src=x"), "{path}");
    }
}
