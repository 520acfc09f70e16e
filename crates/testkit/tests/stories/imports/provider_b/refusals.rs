//! What is refused before an import begins, and how that is said.

use super::double::{Thing, Upstream};
use super::{cloud_is, of_cloud, of_server};
use serde_json::{Value, json};
use testkit::{Client, TestServer, service};

const SERVER: &str = "/import/provider_b_server";
const CLOUD: &str = "/import/provider_b_cloud";

/// Refused with this status; what is said.
async fn refused(by: &Client, path: &str, wish: &Value, status: u16) -> String {
    let told = by.post(path).json(wish).await.is(status).json();
    let text = told["message"]["error"].as_str();
    text.unwrap_or_else(|| panic!("no text: {told}")).to_owned()
}

#[testkit::story]
async fn addresses_of_the_own_network_are_no_servers(t: TestServer) {
    let upstream = Upstream::start(&t, false).await;
    service::set(&t, json!({"outbound_local_requests_allowlist": []})).await;
    let root = t.admin();
    for url in [
        "http://127.0.0.1:7990",
        "http://localhost:7990",
        "http://169.254.169.254",
        "http://2130706433",
        "http://[::ffff:127.0.0.1]",
        "http://10.0.0.1",
        "http://code.example@127.0.0.1",
        "https://ada:secret@code.example",
        "file:///etc/passwd",
        "gopher://code.example",
        "code.example",
        "",
    ] {
        let wish = of_server(&t, &upstream, json!({"provider_b_server_url": url}));
        let said = refused(&root, SERVER, &wish, 400).await;
        assert_eq!(said, format!("Invalid URL: {url}"));
    }
    assert!(upstream.asked().is_empty(), "nothing was sent");
}

#[testkit::story]
async fn a_server_refuses_as_it_says(t: TestServer) {
    let upstream = Upstream::start(&t, false).await;
    let root = t.admin();
    let wish = |more: Value| of_server(&t, &upstream, more);
    let said = refused(&root, SERVER, &wish(json!({})), 422).await;
    assert_eq!(said, "Project KEY/tool could not be found");
    for bad in ["..", "a/b", ""] {
        let wish = wish(json!({"provider_b_server_repo": bad}));
        let said = refused(&root, SERVER, &wish, 422).await;
        assert!(said.ends_with("could not be found"), "{said}");
    }
    let said = refused(&root, SERVER, &wish(json!({"personal_access_token": "wrong"})), 401).await;
    assert_eq!(said, "Error 401: Authentication failed. Please check your credentials.");
    for (thing, text) in [
        (Thing::Says(200, "<html>Welcome</html>"), "Response is not valid JSON"),
        (Thing::Says(500, "{\"errors\": [{\"message\": \"Down\"}]}"), "Error 500: Down"),
        (Thing::One(json!({"slug": 7})), "The response has another form than expected"),
    ] {
        upstream.has("/projects/KEY/repos/tool", thing);
        let said = refused(&root, SERVER, &wish(json!({})), 400).await;
        let expected = format!("Import failed due to a Provider B Server error: {text}");
        assert!(said.starts_with(&expected), "{said}");
    }
}

#[testkit::story]
async fn the_cloud_refuses_as_it_says(t: TestServer) {
    let upstream = Upstream::start(&t, true).await;
    cloud_is(&t, &upstream).await;
    let root = t.admin();
    let wish = of_cloud(&t, json!({"provider_b_cloud_app_password": "wrong"}));
    let said = refused(&root, CLOUD, &wish, 401).await;
    assert_eq!(said, "Unable to authorize with Provider B Cloud. Check your credentials");
    upstream.has("/user", Thing::Says(403, "{}"));
    let said = refused(&root, CLOUD, &of_cloud(&t, json!({})), 422).await;
    assert_eq!(said, "Project ws/tool could not be found", "who asks need not be readable");
    for bad in ["ws", "ws/", "../tool", "ws/tool/x", "___"] {
        let said = refused(&root, CLOUD, &of_cloud(&t, json!({"repo_path": bad})), 422).await;
        assert!(said.ends_with("could not be found"), "{said}");
    }
    upstream.has("/user", Thing::Says(500, "down"));
    let said = refused(&root, CLOUD, &of_cloud(&t, json!({})), 400).await;
    assert_eq!(said, "Import failed due to an error: Error 500");
    let blank = of_cloud(&t, json!({"target_namespace": "/"}));
    let told = root.post(CLOUD).json(&blank).await.is(400).json();
    assert_eq!(told["error"], "target_namespace is empty");
    t.anonymous().post(CLOUD).json(&of_cloud(&t, json!({}))).await.is(401);
    let told = root.post(CLOUD).json(&json!({})).await.is(400).text();
    for field in ["provider_b_cloud_username", "repo_path", "target_namespace"] {
        assert!(told.contains(&format!("{field} is missing")), "{told}");
    }
    let wish = of_cloud(&t, json!({"timeout_strategy": "hopeful"}));
    let told = root.post(CLOUD).json(&wish).await.is(400).json();
    assert_eq!(told["error"], "timeout_strategy does not have a valid value");
}

#[testkit::story]
async fn namespaces_are_for_who_maintains_them(t: TestServer) {
    let upstream = Upstream::start(&t, false).await;
    let (jane, kim) = (t.user("jane").await, t.user("kim").await);
    let (group, hidden) = (t.group("makers").await, t.group("hidden").await);
    group.add(&jane, 30).await;
    let to = |target: &str| of_server(&t, &upstream, json!({"target_namespace": target}));
    let said = refused(&jane, SERVER, &to("makers"), 401).await;
    assert_eq!(said, "You don't have permissions to import this project");
    let said = refused(&jane, SERVER, &to(&hidden.path), 422).await;
    assert_eq!(said, "Namespace or group to import repository into does not exist.");
    let said = refused(&jane, SERVER, &to("kim"), 401).await;
    assert_eq!(said, "You don't have permissions to import this project");
    let said = refused(&jane, SERVER, &to("jane/deep"), 422).await;
    assert_eq!(said, "The group deep cannot be made: users have no groups.");
    let said = refused(&jane, SERVER, &to("makers/deep"), 422).await;
    assert_eq!(said, "You are not allowed to make the group deep.");
    let said = refused(&jane, SERVER, &to("-bad-/x"), 422).await;
    assert!(
        said.starts_with("The group -bad- cannot be made: Path can contain only"),
        "{said}"
    );
    let strange = of_server(&t, &upstream, json!({"new_name": "a--b"}));
    let said = refused(&kim, SERVER, &strange, 422).await;
    assert_eq!(said, "Project KEY/tool could not be found");
    assert!(upstream.asked().iter().all(|asked| asked.ends_with("/projects/KEY/repos/tool")));
    upstream.has("/projects/KEY/repos/tool", Thing::One(json!({"slug": "tool", "name": "Tool"})));
    let said = refused(&kim, SERVER, &strange, 422).await;
    assert!(said.starts_with("New name must not start or end"), "{said}");
    let wish = of_server(&t, &upstream, json!({"user_map": {"ada": "jane"}}));
    kim.post(SERVER).json(&wish).await.is(403);
    service::set(&t, json!({"import_sources": ["provider_a"]})).await;
    let told = jane.post(SERVER).json(&to("jane")).await.is(403).text();
    assert!(told.contains("provider_b_server import source is disabled"), "{told}");
}
