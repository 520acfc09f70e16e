//! Who may fetch and push, by which credentials, and what others are told.

use serde_json::json;
use testkit::{Client, Git, PASSWORD, TestServer};

/// A repository with one commit.
async fn pushed(t: &TestServer, path: &str, visibility: &str) -> testkit::TestProject {
    let project = t.project_with(path, visibility).await;
    let git = Git::of(&t.admin());
    git.begin("one", path).await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    project
}

fn refs(path: &str, service: &str) -> String {
    format!("/{path}.git/info/refs?service={service}")
}

/// What somebody is answered who sends this by Basic.
async fn asked(
    t: &TestServer, path: &str, service: &str, name: &str, password: &str,
) -> (u16, String) {
    use base64::Engine;
    let sent = base64::engine::general_purpose::STANDARD.encode(format!("{name}:{password}"));
    let request = t.anonymous().at(refs(path, service));
    let reply = request.header("authorization", &format!("Basic {sent}")).await;
    (reply.status, reply.text().trim().to_owned())
}

fn token(client: &Client) -> &str {
    client.token().unwrap_or_default()
}

const FETCH: &str = "git-upload-pack";
const PUSH: &str = "git-receive-pack";

#[testkit::story]
async fn every_kind_of_credential_does_what_it_may(t: testkit::TestServer) {
    let project = pushed(&t, "acme/anvil", "private").await;
    let developer = t.user("developer").await;
    project.add(&developer, 30).await;
    let reads = t.token_of(developer.id, &["read_repository"]).await;
    let writes = t.token_of(developer.id, &["write_repository"]).await;
    let no_code = t.token_of(developer.id, &["read_api"]).await;
    let bot = json!({"name": "bot", "scopes": ["write_repository"], "access_level": 30});
    let bot = t.admin().post(project.at("/access_tokens")).json(&bot).await.is(201).json();
    let deploy = json!({"name": "d", "scopes": ["read_repository"], "username": "ship"});
    let deploy = t.admin().post(project.at("/deploy_tokens")).json(&deploy).await.is(201).json();
    let packages = ["read_package_registry", "write_package_registry"];
    let packages = json!({"name": "p", "scopes": packages, "username": "pack"});
    let packages = t.admin().post(project.at("/deploy_tokens")).json(&packages).await;
    let packages = packages.is(201).json();
    let text = |value: &serde_json::Value| value["token"].as_str().unwrap_or_default().to_owned();

    for (name, password, fetch, push) in [
        ("whoever", token(&writes), 200, 200),
        ("", token(&writes), 200, 200),
        ("oauth2", token(&reads), 200, 403),
        ("developer", token(&no_code), 401, 401),
        ("x", &text(&bot), 200, 200),
        ("ship", &text(&deploy), 200, 403),
        ("other", &text(&deploy), 401, 401),
        ("pack", &text(&packages), 403, 403),
        ("developer", PASSWORD, 200, 200),
        ("developer", "wrong", 401, 401),
        ("nobody", PASSWORD, 401, 401),
    ] {
        assert_eq!(asked(&t, "acme/anvil", FETCH, name, password).await.0, fetch, "{name}");
        assert_eq!(asked(&t, "acme/anvil", PUSH, name, password).await.0, push, "{name}");
    }
    let (_, said) = asked(&t, "acme/anvil", PUSH, "oauth2", token(&reads)).await;
    assert_eq!(said, "You are not allowed to upload code.");

    let git = Git::of(&writes);
    let url = git.url_with("developer", &PASSWORD.replace(' ', "%20"), "acme/anvil");
    // Git asks twice each time, and a password is verified once.
    for name in ["two", "three", "four", "five", "six"] {
        git.run(&["clone", "--quiet", &url, name]).await.done();
    }
    let changed = json!({"password": "another horse battery", "skip_reconfirmation": true});
    t.admin().put(format!("/users/{}", developer.id)).json(&changed).await.is(200);
    git.run(&["clone", "--quiet", &url, "seven"])
        .await
        .refused("Authentication failed");
}

#[testkit::story]
async fn strangers_are_told_the_same_of_what_is_hidden_and_absent(t: testkit::TestServer) {
    pushed(&t, "acme/anvil", "private").await;
    pushed(&t, "open/anvil", "public").await;
    let ask = async |path: &str, service: &str| {
        let reply = t.anonymous().at(refs(path, service)).await;
        let challenge = reply.headers.get("www-authenticate").cloned();
        (reply.status, reply.text(), challenge)
    };
    let hidden = ask("acme/anvil", FETCH).await;
    assert_eq!(hidden.0, 401);
    assert!(hidden.1.starts_with("HTTP Basic: Access denied."), "{}", hidden.1);
    assert_eq!(
        hidden.2.as_ref().map(|value| value.as_bytes()),
        Some(&b"Basic realm=\"Service\""[..])
    );
    assert_eq!(ask("acme/absent", FETCH).await, hidden);
    assert_eq!(ask("acme/anvil", PUSH).await, hidden);
    assert_eq!(ask("open/anvil", PUSH).await, hidden);
    assert_eq!(ask("open/anvil", FETCH).await.0, 200);
    // A bad token is not nobody.
    assert_eq!(asked(&t, "open/anvil", FETCH, "x", "bad").await.0, 401);

    let stranger = t.user("stranger").await;
    let (status, said) = asked(&t, "acme/anvil", FETCH, "x", token(&stranger)).await;
    assert_eq!(
        (status, said.as_str()),
        (404, "The project you were looking for could not be found.")
    );
    assert_eq!(asked(&t, "acme/absent", FETCH, "x", token(&stranger)).await, (status, said));
}

#[testkit::story]
async fn roles_features_and_states_decide(t: testkit::TestServer) {
    let project = pushed(&t, "acme/anvil", "private").await;
    let (guest, reporter) = (t.user("guest").await, t.user("reporter").await);
    project.add(&guest, 10).await;
    project.add(&reporter, 20).await;
    let no_download = "You are not allowed to download code from this project.";
    let no_push = "You are not allowed to push code to this project.";
    let ask =
        async |service: &str, who: &Client| asked(&t, "acme/anvil", service, "x", token(who)).await;
    assert_eq!(ask(FETCH, &guest).await, (403, no_download.into()));
    assert_eq!(ask(FETCH, &reporter).await.0, 200);
    assert_eq!(ask(PUSH, &reporter).await, (403, no_push.into()));

    let set = async |body: serde_json::Value| {
        t.admin().put(project.at("")).json(&body).await.is(200);
    };
    set(json!({"repository_access_level": "disabled"})).await;
    assert_eq!(ask(FETCH, &reporter).await, (403, no_download.into()));
    assert_eq!(ask(PUSH, &t.admin()).await, (403, no_push.into()));
    set(json!({"repository_access_level": "enabled"})).await;
    t.admin().post(project.at("/archive")).await.is(201);
    assert_eq!(ask(FETCH, &reporter).await.0, 200);
    assert_eq!(ask(PUSH, &t.admin()).await, (403, no_push.into()));

    let open = pushed(&t, "open/anvil", "public").await;
    t.admin()
        .put(open.at(""))
        .json(&json!({"repository_access_level": "private"}))
        .await
        .is(200);
    assert_eq!(t.anonymous().at(refs("open/anvil", FETCH)).await.status, 401);
    let member = asked(&t, "open/anvil", FETCH, "x", token(&reporter)).await;
    assert_eq!(member, (403, no_download.into()));

    t.admin().post(format!("/users/{}/block", reporter.id)).await.is(201);
    let (status, said) = ask(FETCH, &reporter).await;
    assert_eq!(status, 403, "{said}");
}

#[testkit::story]
async fn a_read_only_instance_takes_no_push(t: testkit::TestServer) {
    pushed(&t, "acme/anvil", "private").await;
    let on = json!({"maintenance_mode": true});
    t.admin().put("/application/settings").json(&on).await.is(200);
    let git = Git::of(&t.admin());
    git.run(&["clone", "--quiet", &git.url("acme/anvil"), "two"]).await.done();
    git.commit("two", "horn.txt", "curved\n").await;
    git.run_in("two", &["push", "origin", "main"])
        .await
        .refused("You can't push code to a read-only Service instance.");
}
