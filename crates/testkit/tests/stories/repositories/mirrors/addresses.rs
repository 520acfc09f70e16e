//! Where mirrors may be.

use super::{Pair, allow_local, failure, shown};
use serde_json::json;
use std::io::{Read, Write};
use testkit::{Git, TestServer};

#[testkit::story(noon)]
async fn nothing_is_pushed_into_the_own_network_by_default(t: TestServer) {
    let pair = Pair::begin(&t).await;
    allow_local(&t, false).await;
    let all = pair.project.at("/remote_mirrors");
    for host in ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "192.168.1.1", "169.254.169.254"] {
        for url in [format!("http://{host}:8080/x.git"), format!("ssh://git@{host}:8022/x.git")] {
            let body = json!({"url": url, "enabled": true});
            let refused = t.admin().post(&all).json(&body).await.is(400).json();
            let said = refused["message"]["url"][0].as_str().unwrap_or_default();
            assert!(said.starts_with("is blocked: "), "{url}: {refused}");
        }
    }
    // What was allowed once is asked again each time.
    allow_local(&t, true).await;
    let mirror = pair.mirror(&t, json!({})).await;
    allow_local(&t, false).await;
    pair.push(&["main"]).await;
    t.settle().await;
    let said = failure(&t, &mirror).await;
    assert!(said.starts_with("Requests to 127.0.0.1 are not allowed"), "{said}");
    let told = shown(&t, &mirror).await;
    assert!(told["last_update_at"].is_string() && told["last_successful_update_at"].is_null());
    allow_local(&t, true).await;
    assert!(pair.there().await.is_empty());
}

#[testkit::story(noon)]
async fn a_name_is_held_to_what_it_was_resolved_to(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let url = pair.url().replace("127.0.0.1", "localhost");
    let mirror = pair.mirror(&t, json!({"url": url})).await;
    pair.push(&["main"]).await;
    t.settle().await;
    assert_eq!(shown(&t, &mirror).await["update_status"], "finished");
    assert_eq!(pair.names_there().await, ["refs/heads/main"]);
    let gone = json!({"url": "http://nowhere.invalid/x.git"});
    t.admin().put(&mirror).json(&gone).await.is(200);
    t.advance(60);
    t.admin().post(format!("{mirror}/sync")).await.is(204);
    t.settle().await;
    assert_eq!(failure(&t, &mirror).await, "The host nowhere.invalid cannot be resolved.");
}

/// A server that leads everybody elsewhere; its port.
pub fn leading_to(url: String) -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        while let Ok((mut socket, _)) = listener.accept() {
            let mut asked = [0; 4096];
            let length = socket.read(&mut asked).unwrap_or_default();
            let line = String::from_utf8_lossy(&asked[..length]).into_owned();
            let path = line.split(' ').nth(1).unwrap_or_default().replace("/x.git", "");
            let answer = format!(
                "HTTP/1.1 302 Found\r\nLocation: {url}{path}\r\nContent-Length: 0\r\n\
                 Connection: close\r\n\r\n"
            );
            let _ = socket.write_all(answer.as_bytes());
        }
    });
    port
}

#[testkit::story(noon)]
async fn a_server_leads_nowhere_else(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let port = leading_to(pair.url());
    let url = format!("http://127.0.0.1:{port}/x.git");
    let mirror = pair.mirror(&t, json!({"url": url})).await;
    assert_eq!(shown(&t, &mirror).await["url"], url, "there is nothing to mask");
    pair.push(&["main"]).await;
    t.settle().await;
    let said = failure(&t, &mirror).await;
    assert_eq!(said, "The server redirects; give the address it leads to.");
    assert!(pair.there().await.is_empty());
}

#[testkit::story(noon)]
async fn what_proves_who_pushes_is_seen_nowhere(t: TestServer) {
    let pair = Pair::begin(&t).await;
    let url = Git::of(&pair.robot).url_with("ada", "glpat-s3cr3t%2Fx", "acme/copy");
    let mirror = pair.mirror(&t, json!({"url": url})).await;
    let told = shown(&t, &mirror).await;
    let masked = url.replace("ada:glpat-s3cr3t%2Fx", "*****:*****");
    assert_eq!(told["url"], masked);
    pair.push(&["main"]).await;
    t.settle().await;
    let said = failure(&t, &mirror).await;
    assert!(
        said.contains("user name and a password") || said.contains("this user"),
        "{said}"
    );
    let kept = t.app().read(|tx| {
        let mirrors: Vec<(String, String, Option<String>, Option<String>)> = tx.all(
            store::sql!(
                "select url, shown_url, sealed_credentials, last_error from remote_mirrors"
            ),
            (),
        )?;
        let audited: Vec<(String,)> =
            tx.all(store::sql!("select cast(details as text) from audit_records"), ())?;
        Ok(format!("{mirrors:?} {audited:?}"))
    });
    let kept = kept.await.unwrap();
    assert!(kept.contains(&masked), "{kept}");
    for secret in ["s3cr3t", "YWRh"] {
        assert!(!kept.contains(secret), "{kept}");
    }
    // What was shown comes back and means what there is, for the same server alone.
    let change = json!({"url": masked, "keep_divergent_refs": true});
    assert_eq!(t.admin().put(&mirror).json(&change).await.is(200).json()["url"], masked);
    for elsewhere in [masked.replace("127.0.0.1", "localhost"), masked.replace("http:", "https:")] {
        let refused = t.admin().put(&mirror).json(&json!({"url": elsewhere})).await.is(400).json();
        assert_eq!(refused["message"]["url"][0], "needs its user name and password again");
    }
    let right = json!({"url": pair.url()});
    t.admin().put(&mirror).json(&right).await.is(200);
    t.admin().put(&mirror).json(&json!({"enabled": true})).await.is(200);
    t.advance(60);
    t.admin().post(format!("{mirror}/sync")).await.is(204);
    t.settle().await;
    let told = shown(&t, &mirror).await;
    assert_eq!(
        (&told["update_status"], &told["last_error"]),
        (&json!("finished"), &json!(null))
    );
}
