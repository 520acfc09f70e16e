//! What logs must not tell.

use crate::place::{Place, project};
use base64::Engine as _;
use testkit::run;

/// Every way a token can come in by, at the most talkative level an operator
/// may choose.
#[test]
fn no_log_tells_a_token() {
    run(async {
        let place = Place::sqlite().with("TENON_LOG", "debug");
        let server = place.serve();
        let token = place.token();
        let client = server.client(&token);
        let path = format!("{}/packages/generic/hammer/1.0/a", project(&client).await);
        client.put(&path).bytes("x").await.is(201);
        let nobody = testkit::Client::of(&server.url, "wrong-token-of-nobody");
        nobody.get(&path).await.is(401);
        let both = base64::engine::general_purpose::STANDARD.encode(format!("root:{token}"));
        let bare = format!("{}/api/v4{path}", server.url);
        let get = |url: String| client.request(http::Method::GET, url);
        for name in ["private_token", "access_token", "token", "job_token"] {
            get(format!("{bare}?{name}={token}")).await;
            get(format!("{}/api/v4/nowhere?{name}={token}", server.url))
                .await
                .is(404);
        }
        for (name, value) in [
            ("authorization", format!("Basic {both}")),
            ("authorization", format!("Bearer {token}")),
            ("deploy-token", token.clone()),
            ("job-token", token.clone()),
        ] {
            client.get(&path).header(name, &value).await;
        }

        let (_, said) = server.terminate();

        assert!(!said.is_empty(), "debug says something");
        for secret in [token.as_str(), both.as_str(), "wrong-token-of-nobody"] {
            let told: Vec<&String> = said.iter().filter(|line| line.contains(secret)).collect();
            assert!(told.is_empty(), "{told:#?}");
        }
    });
}
