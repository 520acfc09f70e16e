//! Uploads that are refused, each without a trace.

use super::{PREF, PREV, RREV, archive, hammer, recipe_at};
use crate::packages_formats::archives::tar_gz;
use crate::packages_formats::registry::rows;
use serde_json::json;
use std::io::Write;

/// A gzip file of this many zeros.
fn bomb(bytes: usize) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..bytes / 65_536 {
        packed.write_all(&[0; 65_536]).expect("packed");
    }
    packed.finish().expect("a gzip file")
}

#[testkit::story]
async fn hostile_archives_are_refused(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    let whole = archive();
    for (file, bytes) in [
        ("conan_export.tgz", b"no archive".to_vec()),
        ("conan_export.tgz", Vec::new()),
        ("conan_export.tgz", whole[..whole.len() / 2].to_vec()),
        ("conan_sources.tgz", tar_gz(&[("../evil", "x")])),
        ("conan_sources.tgz", tar_gz(&[("/etc/passwd", "x")])),
        ("conan_sources.tgz", tar_gz(&[("a\\..\\..\\b", "x")])),
        ("conan_sources.tgz", bomb(256 * 1024 * 1024)),
        ("conan_sources.txz", whole.clone()),
        ("conan_sources.txz", b"\xfd7zXZ\0...".to_vec()),
        ("conan_sources.tzst", whole.clone()),
        ("conan_sources.tzst", b"\x28\xb5\x2f\xfd...".to_vec()),
    ] {
        at.put(&admin, RREV, file, &bytes).await.is(400);
    }
    assert_eq!(rows(&t).await, (0, 0, 0));
    at.recipe(&admin, RREV).await;
    let before = rows(&t).await;
    at.put_binary(&admin, PREV, "conan_package.tgz", &bomb(256 * 1024 * 1024))
        .await
        .is(400);
    for info in ["os=Linux", "[settings]\n[settings]\n", "[SET]\n", "\u{0}"] {
        at.put_binary(&admin, PREV, "conaninfo.txt", info.as_bytes()).await.is(400);
    }
    at.put_binary(&admin, PREV, "conaninfo.txt", &[0xff; 20]).await.is(400);
    at.put_binary(&admin, PREV, "conaninfo.txt", &vec![b'#'; 300_000]).await.is(400);
    for manifest in ["", "now", "1\nfile", "1\n../a: 0123456789abcdef0123456789abcdef\n"] {
        at.put_binary(&admin, PREV, "conanmanifest.txt", manifest.as_bytes())
            .await
            .is(400);
    }
    assert_eq!(rows(&t).await, before);
}

#[testkit::story]
async fn what_is_cut_off_leaves_nothing(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    at.recipe(&admin, RREV).await;
    let before = rows(&t).await;
    let chunks = vec![Ok("half of"), Err(std::io::Error::other("gone"))];
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(chunks));
    let path = at.in_recipe(RREV, "/files/metadata/log.txt");
    assert!(admin.put(&path).stream(body).try_send().await.is_err());
    admin.get(&path).await.is(404);
    assert_eq!(rows(&t).await, before);
}

#[testkit::story]
async fn addresses_that_lead_elsewhere_are_refused(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    at.recipe(&admin, RREV).await;
    let before = rows(&t).await;
    let long = "a".repeat(300);
    for file in [
        "evil.sh",
        "conaninfo.txt",
        "conan_package.tgz",
        "metadata",
        "metadata/%2e%2e/x",
        "metadata/..%2fx",
        "metadata/a%5cb",
        "metadata/a%00b",
        "metadata/a%0d%0ab",
        "metadata//a",
        "..%2fconanfile.py",
        "%252e%252e%252fx",
        &format!("metadata/{long}"),
        &format!("metadata{}", "/a".repeat(40)),
    ] {
        let status = at.put(&admin, RREV, file, b"x").await.status;
        assert!([400, 404].contains(&status), "{file}: {status}");
    }
    for recipe in [
        "h/1.0/acme/stable",
        "hammer/1/acme/stable",
        "..%2f/1.0/acme/stable",
        "ham mer/1.0/_/_",
        "hammer/1.0/acme/_",
        "hammer/1.0/_/stable",
        "hammer/1.0%00/_/_",
        "hammer%252f/1.0/_/_",
    ] {
        let at = recipe_at(&project.at(""), recipe);
        at.put(&admin, RREV, "conanfile.py", b"x").await.is(400);
        admin.get(at.v2("latest")).await.is(400);
        admin.get(at.v1("/digest")).await.is(400);
    }
    for revision in ["1", "abc", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", &"a".repeat(33)] {
        at.put(&admin, revision, "conanfile.py", b"x").await.is(400);
        admin.get(at.in_recipe(revision, "/files")).await.is(400);
    }
    admin.get(at.in_recipe(RREV, "/packages/a-b/latest")).await.is(400);
    admin.get(at.v2("nothing")).await.is(404);
    admin.delete(at.v2("latest")).await.is(404);
    admin.put(at.v2("latest")).bytes("x").await.is(404);
    assert_eq!(rows(&t).await, before);
}

#[testkit::story]
async fn bytes_have_to_be_those_declared(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    let path = at.in_recipe(RREV, "/files/conanfile.py");
    let sha1 = "11f6ad8ec52a2984abaafd7c3b516503785c2072";
    let put = || admin.put(&path).bytes("x");
    let wrong = sha1.replace('1', "2");
    put().header("x-checksum-sha1", &wrong).await.is(400);
    // Nobody is told that the bytes are here already.
    put().header("x-checksum-sha1", sha1).await.is(200);
    let deploy = admin.put(&path).bytes("").header("x-checksum-sha1", sha1);
    deploy.header("x-checksum-deploy", "true").await.is(404);

    let small = json!({"conan_max_file_size": 10});
    admin
        .put("/application/plan_limits?plan_name=default")
        .json(&small)
        .await
        .is(200);
    let refused = at.put(&admin, RREV, "conanmanifest.txt", &[b'1'; 11]).await.is(400);
    assert_eq!(refused.json()["message"], "400 Bad request - File is too large");
    assert_eq!(rows(&t).await, (1, 1, 1));
}

#[testkit::story]
async fn files_of_others_are_out_of_reach(t: testkit::TestServer) {
    let (project, other) = (t.project("acme/anvil").await, t.project("apex/anvil").await);
    let admin = t.admin();
    hammer(&project.at("")).recipe(&admin, RREV).await;
    let there = hammer(&other.at(""));
    admin.get(there.v2("latest")).await.is(404);
    admin.get(there.in_recipe(RREV, "/files/conanfile.py")).await.is(404);
    admin.delete(there.in_recipe(RREV, "")).await.is(404);
    admin
        .delete(there.in_recipe(RREV, &format!("/packages/{PREF}/revisions/{PREV}")))
        .await
        .is(404);
}
