//! Uploads that are refused, each with its reason and without a trace.

use super::{Upload, metadata, sources, wheel};
use crate::packages_formats::archives::{tar_gz, zip};
use serde_json::json;
use testkit::{TestProject, TestServer};

const TAKEN: &str = "400 Bad request - Validation failed: File name has already been taken \
                     (file already exists)";

async fn refused(t: &TestServer, project: &TestProject, upload: &Upload, reason: &str) {
    let reply = upload.to(&t.admin(), project).await.is(400);
    let text = format!("400 Bad request - Validation failed: {reason}");
    assert_eq!(reply.json(), json!({"message": text}), "{}", upload.file);
}

async fn nothing_is_kept(t: &TestServer, project: &TestProject) {
    let listed = t.admin().get(project.at("/packages")).await.is(200);
    assert_eq!(listed.json(), json!([]));
}

fn changed(mut upload: Upload, change: impl FnOnce(&mut Upload)) -> Upload {
    change(&mut upload);
    upload
}

#[testkit::story]
async fn a_file_is_published_once(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let first = wheel("hammer", "1.0");
    first.to(&t.admin(), &project).await.is(201);

    let reply = first.to(&t.admin(), &project).await.is(400);
    assert_eq!(reply.json(), json!({"message": TAKEN}));
    let other = changed(wheel("hammer", "1.0"), |it| {
        it.bytes = zip(&[("hammer-1.0.dist-info/METADATA", metadata("hammer", "1.0"))]);
    });
    let reply = other.to(&t.admin(), &project).await.is(400);
    assert_eq!(reply.json(), json!({"message": TAKEN}));
    assert_eq!(t.admin().get(project.at(&first.address())).await.is(200).body, first.bytes);
    sources("hammer", "1.0").to(&t.admin(), &project).await.is(201);
}

#[testkit::story]
async fn names_versions_and_files_are_checked(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let named = |name: &'static str| changed(wheel("hammer", "1.0"), |it| it.name = name);
    for name in ["-hammer", "ham/mer", "../hammer", "ham mer", "häm"] {
        refused(&t, &project, &named(name), "Name is invalid").await;
    }
    refused(&t, &project, &named("anvil"), "File name is invalid").await;
    for version in ["new", "1..0", "1.0/..", "1.0 beta x"] {
        let upload = changed(wheel("hammer", "1.0"), |it| it.version = version.into());
        refused(&t, &project, &upload, "Version is invalid").await;
    }
    for file in [
        "hammer-2.0-py3-none-any.whl",
        "hammer.whl",
        "../hammer-1.0.tar.gz",
        "hammer-1.0.exe",
    ] {
        let upload = changed(wheel("hammer", "1.0"), |it| it.file = file.into());
        refused(&t, &project, &upload, "File name is invalid").await;
    }
    nothing_is_kept(&t, &project).await;
}

#[testkit::story]
async fn parts_that_are_missing_are_named(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let upload = wheel("hammer", "1.0");
    for (texts, missing) in [
        (vec![("version", "1.0")], "name"),
        (vec![("name", "hammer")], "version"),
        (vec![("name", " "), ("version", "1.0")], "name"),
    ] {
        let reply = upload.with(&t.admin(), &project, &texts).await.is(400);
        assert_eq!(reply.json()["error"], format!("{missing} is missing"));
    }
    let request = t.admin().post(project.at("/packages/pypi"));
    let texts = [("name", "hammer"), ("version", "1.0")];
    let reply = crate::packages_formats::forms::multipart(request, &texts, &[]).await.is(400);
    assert_eq!(reply.json()["error"], "content is missing");
    t.admin()
        .post(project.at("/packages/pypi"))
        .json(&json!({"name": "hammer"}))
        .await
        .is(400);
    t.admin().post(project.at("/packages/pypi")).await.is(400);
    nothing_is_kept(&t, &project).await;
}

#[testkit::story]
async fn digests_that_are_declared_must_be_right(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let upload = wheel("hammer", "1.0");
    for field in ["sha256_digest", "md5_digest"] {
        let texts = [("name", "hammer"), ("version", "1.0"), (field, "00")];
        let reply = upload.with(&t.admin(), &project, &texts).await.is(400);
        assert!(reply.text().contains(field));
    }
    nothing_is_kept(&t, &project).await;
    let texts = [("name", "hammer"), ("version", "1.0"), ("sha256_digest", &upload.digest())];
    upload.with(&t.admin(), &project, &texts).await.is(201);
}

#[testkit::story]
async fn an_archive_has_to_be_what_it_is_sent_as(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let with = |bytes: Vec<u8>| changed(wheel("hammer", "1.0"), |it| it.bytes = bytes);
    let own = "hammer-1.0.dist-info/METADATA";
    refused(
        &t,
        &project,
        &with(zip(&[(own, metadata("anvil", "1.0"))])),
        "Name is not that of the archive",
    )
    .await;
    refused(
        &t,
        &project,
        &with(zip(&[(own, metadata("hammer", "1.1"))])),
        "Version is not that of the archive",
    )
    .await;
    refused(&t, &project, &with(zip(&[("hammer.py", "")])), "the archive has no METADATA").await;
    refused(
        &t,
        &project,
        &with(zip(&[
            (own, metadata("hammer", "1.0")),
            ("anvil-1.0.dist-info/METADATA", metadata("anvil", "1.0")),
        ])),
        "the archive has more than one METADATA",
    )
    .await;
    let bare = changed(sources("hammer", "1.0"), |it| it.bytes = tar_gz(&[("setup.py", "")]));
    refused(&t, &project, &bare, "the archive has no PKG-INFO").await;
    nothing_is_kept(&t, &project).await;
}

#[testkit::story]
async fn hostile_archives_are_refused(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let own = ("hammer-1.0.dist-info/METADATA", metadata("hammer", "1.0"));
    let long = format!("{}METADATA", "a/".repeat(80));
    let huge = ("hammer-1.0.dist-info/METADATA", "a".repeat(5 << 20));
    for bytes in [
        b"not an archive".to_vec(),
        Vec::new(),
        zip(&[own.clone(), ("../../etc/passwd", String::new())]),
        zip(&[own.clone(), ("/etc/passwd", String::new())]),
        zip(&[own.clone(), (&long, String::new())]),
        zip(&[huge]),
        zip(std::slice::from_ref(&own))[..100].to_vec(),
        sources("hammer", "1.0").bytes,
    ] {
        let upload = changed(wheel("hammer", "1.0"), |it| it.bytes = bytes);
        upload.to(&t.admin(), &project).await.is(400);
    }
    let source = sources("hammer", "1.0");
    for bytes in [
        wheel("hammer", "1.0").bytes,
        source.bytes[..source.bytes.len() / 2].to_vec(),
        tar_gz(&[("hammer-1.0/../../x", "")]),
    ] {
        let upload = changed(sources("hammer", "1.0"), |it| it.bytes = bytes);
        upload.to(&t.admin(), &project).await.is(400);
    }
    nothing_is_kept(&t, &project).await;
}

#[testkit::story]
async fn the_limit_of_the_format_holds(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let limit = json!({"pypi_max_file_size": 100});
    t.admin().put("/application/plan_limits").json(&limit).await.is(200);
    let reply = wheel("hammer", "1.0").to(&t.admin(), &project).await.is(400);
    assert_eq!(reply.json(), json!({"message": "400 Bad request - File is too large"}));
    nothing_is_kept(&t, &project).await;
}

#[testkit::story]
async fn long_texts_are_cut_and_markup_stays_text(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let own =
        format!("Name: hammer\nVersion: 1.0\nRequires-Python: \"><script>{}\n", "x".repeat(300));
    let upload = changed(wheel("hammer", "1.0"), |it| {
        it.bytes = zip(&[("hammer-1.0.dist-info/METADATA", own)]);
    });
    let texts = [("name", "hammer"), ("version", "1.0"), ("description", &"y".repeat(100_000))];
    upload.with(&t.admin(), &project, &texts).await.is(201);
    let page = t.admin().get(project.at("/packages/pypi/simple/hammer")).await.is(200).text();
    assert!(!page.contains("<script>"));
    assert!(
        page.contains(&format!("&quot;&gt;&lt;script&gt;{}\"", "x".repeat(245))),
        "{page}"
    );
}
