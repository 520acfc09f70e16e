//! Publishing, and what is refused.

use super::{at, publish, refusal, send, versions};
use crate::packages_formats::registry::{Registry, rows};
use serde_json::{Value, json};
use testkit::npm;

#[testkit::story]
async fn what_is_published_is_what_is_installed(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let developer = r.person(&t, "developer", 30).await;
    let manifest = json!({"name": "@acme/hammer", "version": "1.0.0",
        "description": "Hits \"nails\"", "bin": "./cli.js", "license": "MIT",
        "dependencies": {"nail": "^1.0.0"}, "scripts": {"postinstall": "node x"},
        "readme": "never kept", "exports": {".": "./x"}});
    let archive = npm::archive_of(&manifest);

    let missing = developer.get(at(&r, "@acme/hammer")).await.is(404);
    assert_eq!(
        missing.json(),
        json!({"message": "404 Package Not Found", "error": "Package not found"})
    );
    send(&developer, &r, "@acme/hammer", &npm::publication(&manifest, &archive, "next"))
        .await
        .is(200);

    let file = format!("/projects/{}/packages/npm/@acme/hammer/-/@acme/hammer-1.0.0.tgz", r.id);
    let packument = developer.get(at(&r, "@acme/hammer")).await.is(200);
    assert!(packument.header("content-type").starts_with("application/json"));
    let packument = packument.json();
    let created = &packument["time"]["created"];
    assert_eq!(
        packument,
        json!({
            "_id": "@acme/hammer",
            "_rev": packument["_rev"],
            "name": "@acme/hammer",
            "dist-tags": {"latest": "1.0.0", "next": "1.0.0"},
            "versions": {"1.0.0": {
                "name": "@acme/hammer",
                "version": "1.0.0",
                "description": "Hits \"nails\"",
                "bin": {"hammer": "./cli.js"},
                "license": "MIT",
                "dependencies": {"nail": "^1.0.0"},
                "scripts": {"postinstall": "node x"},
                "_id": "@acme/hammer@1.0.0",
                "_hasShrinkwrap": false,
                "hasInstallScript": true,
                "dist": {
                    "shasum": packument["versions"]["1.0.0"]["dist"]["shasum"],
                    "integrity": npm::integrity(&archive),
                    "fileCount": 2,
                    "unpackedSize": manifest.to_string().len() + 19,
                    "tarball": format!("{}/api/v4{file}", t.url()),
                },
            }},
            "time": {"created": created, "1.0.0": created, "modified": packument["time"]["modified"]},
        })
    );
    for path in [&file, &file.replace("-/@acme/", "-/")] {
        let sent = developer.get(path).await.is(200);
        assert_eq!(sent.body.as_ref(), archive.as_slice());
        assert_eq!(sent.header("content-disposition"), "attachment; filename=\"hammer-1.0.0.tgz\"");
    }
    for plain in [r.at("/npm/@acme/hammer"), r.at("/npm/@acme%2Fhammer")] {
        assert_eq!(developer.get(plain).await.is(200).json(), packument);
    }
    let listed = developer.get(r.at("")).await.is(200).json();
    assert_eq!(listed[0]["name"], "@acme/hammer");
    assert_eq!(listed[0]["package_type"], "npm");
    assert_eq!(listed[0]["tags"][0]["name"], "next");
}

#[testkit::story]
async fn a_version_is_published_once(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    publish(&t.admin(), &r, "hammer", "1.0.0").await.is(200);
    let again = publish(&t.admin(), &r, "hammer", "1.0.0").await.is(403);
    assert_eq!(again.json(), refusal(403, "Forbidden", "Package already exists."));
    publish(&t.admin(), &r, "hammer", "1.1.0").await.is(200);
    let packument = t.admin().get(at(&r, "hammer")).await.is(200).json();
    assert_eq!(versions(&packument), ["1.0.0", "1.1.0"]);
    assert_eq!(packument["dist-tags"], json!({"latest": "1.1.0"}));
    let (packages, files, _) = rows(&t).await;
    assert_eq!((packages, files), (2, 2));
}

#[testkit::story]
async fn a_body_that_lies_is_refused(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let good = npm::plain("hammer", "1.0.0");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut body = good.clone();
        change(&mut body);
        body
    };
    const FILE: &str = "hammer-1.0.0.tgz";
    let other = npm::archive_of(&json!({"name": "anvil", "version": "1.0.0"}));
    let other = npm::publication(&json!({"name": "hammer", "version": "1.0.0"}), &other, "latest");
    for (body, reason) in [
        (
            changed(&|b| b["name"] = json!("anvil")),
            "the name in the body is not the one in the URL",
        ),
        (changed(&|b| b["versions"] = json!({})), "Version is empty."),
        (
            changed(&|b| b["versions"]["2.0.0"] = json!({})),
            "the body describes more than one version",
        ),
        (changed(&|b| b["_attachments"] = json!({})), "Attachment data is empty."),
        (
            changed(&|b| b["_attachments"][FILE]["data"] = json!("")),
            "Attachment data is empty.",
        ),
        (
            changed(&|b| b["_attachments"][FILE]["data"] = json!("%%%%")),
            "the attachment is not base64",
        ),
        (
            changed(&|b| b["_attachments"][FILE]["data"] = json!("QUJ")),
            "the attachment is not base64",
        ),
        (
            changed(&|b| b["_attachments"][FILE]["data"] = json!("QUJD")),
            "length is not the size of the attachment",
        ),
        (
            changed(&|b| b["_attachments"][FILE]["length"] = json!(7)),
            "length is not the size of the attachment",
        ),
        (
            changed(&|b| b["_attachments"]["x.tgz"] = json!({"data": "QUJD"})),
            "the body holds more than one package file",
        ),
        (
            changed(&|b| b["dist-tags"] = json!({"1.x": "1.0.0"})),
            "a dist-tag must not be a valid SemVer range",
        ),
        (
            changed(&|b| b["versions"]["1.0.0"]["dist"]["shasum"] = json!("00")),
            "dist.shasum is not the digest of the attachment",
        ),
        (
            changed(&|b| b["versions"]["1.0.0"]["dist"]["integrity"] = json!("sha512-AAAA")),
            "dist.integrity is not the digest of the attachment",
        ),
        (other, "the name in the archive's package.json is not the one published"),
    ] {
        let reply = send(&t.admin(), &r, "hammer", &body).await.is(400);
        assert_eq!(reply.json(), refusal(400, "Bad request", reason));
    }
    assert_eq!(rows(&t).await, (0, 0, 0));
    send(&t.admin(), &r, "hammer", &good).await.is(200);
}

#[testkit::story]
async fn what_comes_beside_the_package_is_left_out(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let mut body = npm::plain("hammer", "1.0.0");
    let signature = json!({"content_type": "x", "data": "{\"a\": \"b\"}", "length": 10});
    body["_attachments"]["hammer-1.0.0.sigstore"] = signature;
    send(&t.admin(), &r, "hammer", &body).await.is(200);
}

#[testkit::story]
async fn a_file_has_a_largest_size(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    t.admin().put("/application/plan_limits?npm_max_file_size=60").await.is(200);
    let refused = publish(&t.admin(), &r, "hammer", "1.0.0").await.is(400);
    assert_eq!(refused.json(), refusal(400, "Bad request", "File is too large."));
    assert_eq!(rows(&t).await, (0, 0, 0));
    t.admin().put("/application/plan_limits?npm_max_file_size=600").await.is(200);
    publish(&t.admin(), &r, "hammer", "1.0.0").await.is(200);
}

#[testkit::story]
async fn a_protected_name_needs_its_role(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let developer = r.person(&t, "developer", 30).await;
    let rule = json!({"package_name_pattern": "@acme/*", "package_type": "npm",
        "minimum_access_level_for_push": "maintainer", "minimum_access_level_for_delete": "owner"});
    t.admin().post(r.at("/protection/rules")).json(&rule).await.is(201);
    let refused = publish(&developer, &r, "@acme/hammer", "1.0.0").await.is(403);
    assert_eq!(refused.json(), refusal(403, "Forbidden", "Package protected."));
    publish(&developer, &r, "hammer", "1.0.0").await.is(200);
}
