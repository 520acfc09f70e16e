//! Names that are not here, and audits.

use super::{at, publish};
use crate::packages_formats::elsewhere::forward;
use crate::packages_formats::registry::Registry;
use serde_json::{Value, json};

#[testkit::story]
async fn unknown_names_lead_elsewhere_where_that_is_wanted(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let hidden = Registry::new(&t, "acme/vault", 0).await;
    let foreign = Registry::new(&t, "other/thing", 0).await;
    publish(&t.admin(), &hidden, "secret", "1.0.0").await.is(200);
    publish(&t.admin(), &foreign, "lodash", "1.0.0").await.is(200);
    let reporter = r.person(&t, "reporter", 20).await;
    let outsider = r.person(&t, "outsider", 0).await;
    let group = format!("/groups/{}/-/packages/npm", r.namespace);
    reporter.get(at(&r, "@types/node")).await.is(404);

    forward(&t, "npm", "https://registry.example/npm/").await;

    for path in [
        at(&r, "@types/node"),
        format!("{group}/@types%2Fnode"),
        "/packages/npm/@types%2fnode".to_owned(),
    ] {
        let sent = reporter.get(&path).await.is(302);
        assert_eq!(sent.header("location"), "https://registry.example/npm/@types%2fnode");
    }
    reporter.get(at(&r, "lodash")).await.is(302);
    for path in [at(&r, "secret"), format!("{group}/secret"), "/packages/npm/secret".to_owned()] {
        let refused = reporter.get(&path).await.is(404);
        assert_eq!(refused.json()["error"], "Package not found");
    }
    outsider.get(at(&r, "lodash")).await.is(404);
    t.anonymous().get(at(&r, "lodash")).await.is(401);
    forward(&t, "npm", "").await;
    reporter.get(at(&r, "lodash")).await.is(404);
}

#[testkit::story]
async fn an_address_has_to_be_a_plain_one(t: testkit::TestServer) {
    for bad in ["registry.example", "file:///etc/passwd", "https://me:pw@registry.example"] {
        let change = json!({"npm_package_forwarding_url": bad});
        let refused = t.admin().put("/application/settings").json(&change).await.is(400);
        assert!(refused.text().contains("npm_package_forwarding_url"));
    }
    let all = t.admin().get("/application/settings").await.is(200).json();
    for format in ["npm", "pypi", "maven"] {
        assert_eq!(all[format!("{format}_package_forwarding_url")], "");
    }
    let described = t.admin().get("/openapi.json").await.is(200);
    assert!(described.text().contains("maven_package_forwarding_url"));
}

#[testkit::story]
async fn audits_find_nothing_or_are_sent_on(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 20).await;
    let bulk = "/npm/-/npm/v1/security/advisories/bulk";
    let tree = || json!({"lodash": ["1.0.0"]});
    let bases = [r.at(""), format!("/groups/{}/-/packages", r.namespace), "/packages".to_owned()];
    for base in &bases {
        let found = t.anonymous().post(format!("{base}{bulk}")).json(&tree()).await.is(200);
        assert_eq!(found.json(), json!([]));
        let quick = format!("{base}/npm/-/npm/v1/security/audits/quick");
        // What npm sends is packed.
        let packed = t
            .anonymous()
            .post(quick)
            .header("content-encoding", "gzip")
            .header("content-type", "application/json")
            .bytes(vec![0x1f, 0x8b, 8, 0]);
        assert_eq!(packed.await.is(200).json()["advisories"], json!({}));
        let full = t.anonymous().post(format!("{base}/npm/-/npm/v1/security/audits"));
        let full: Value = full.json(&tree()).await.is(200).json();
        assert_eq!(full["metadata"]["vulnerabilities"]["high"], 0);
    }
    forward(&t, "npm", "https://registry.example").await;
    let sent = t.anonymous().post(r.at(bulk)).json(&tree()).await.is(307);
    let to = "https://registry.example/-/npm/v1/security/advisories/bulk";
    assert_eq!(sent.header("location"), to);
}
