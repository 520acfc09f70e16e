//! Uploads that are refused, each with its reason and without a trace.

use super::{Package, described, holding, nuspec, package};
use crate::packages_formats::forms::multipart;
use crate::packages_formats::registry::rows;
use serde_json::json;
use testkit::{TestProject, TestServer};

async fn refused(t: &TestServer, project: &TestProject, package: &Package, reason: &str) {
    let reply = package.to(&t.admin(), project).await.is(400);
    let message = reply.json()["message"].as_str().unwrap_or_default().to_owned();
    assert!(message.starts_with(&format!("400 Bad request - {reason}")), "{message}");
}

async fn nothing_is_kept(t: &TestServer) {
    assert_eq!(rows(t).await, (0, 0, 0));
}

#[testkit::story]
async fn a_package_has_to_say_what_it_is(t: TestServer) {
    let project = t.project("acme/anvil").await;
    for (own, reason) in [
        (nuspec("../hammer", "1.0.0", ""), "id in the .nuspec is invalid"),
        (nuspec("", "1.0.0", ""), "id in the .nuspec is invalid"),
        (nuspec("ham%2fmer", "1.0.0", ""), "id in the .nuspec is invalid"),
        (nuspec(&"h".repeat(256), "1.0.0", ""), "id in the .nuspec is invalid"),
        (nuspec("hammer", "one", ""), "version in the .nuspec is invalid"),
        (nuspec("hammer", "1.0.0/..", ""), "version in the .nuspec is invalid"),
        (nuspec("hammer", "", ""), "version in the .nuspec is invalid"),
        (String::new(), "the .nuspec is not well-formed XML"),
        ("<package><metadata>".into(), "the .nuspec is not well-formed XML"),
        ("<project/>".into(), "the .nuspec is not that of a package"),
        (
            nuspec("hammer", "1.0.0", &format!("<tags>{}</tags>", "x".repeat(4001))),
            "tags in the .nuspec is too long",
        ),
    ] {
        refused(&t, &project, &described(&own), reason).await;
    }
    refused(
        &t,
        &project,
        &holding(&[("lib/a.dll", b"MZ")]),
        "the archive has no .nuspec at its top",
    )
    .await;
    let own = nuspec("hammer", "1.0.0", "");
    let two = holding(&[("a.nuspec", own.as_bytes()), ("B.NUSPEC", own.as_bytes())]);
    refused(&t, &project, &two, "the archive has more than one .nuspec at its top").await;
    nothing_is_kept(&t).await;
}

#[testkit::story]
async fn hostile_texts_are_refused(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let own = nuspec("hammer", "1.0.0", "<title>&own;</title>");
    let own = own.trim_start_matches("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    refused(&t, &project, &described(own), "the .nuspec has an unknown entity").await;
    for definition in [
        "<!DOCTYPE package [<!ENTITY own \"x\">]>",
        "<!DOCTYPE package [<!ENTITY own SYSTEM \"file:///etc/passwd\">]>",
        "<!DOCTYPE package SYSTEM \"http://127.0.0.1/x.dtd\">",
    ] {
        let text = format!("{definition}{own}");
        refused(&t, &project, &described(&text), "the .nuspec has a document type definition")
            .await;
    }
    let deep =
        nuspec("hammer", "1.0.0", &format!("{}{}", "<a>".repeat(9_000), "</a>".repeat(9_000)));
    refused(&t, &project, &described(&deep), "the .nuspec is nested too deeply").await;
    let large = nuspec("hammer", "1.0.0", &format!("<owners>{}</owners>", "x".repeat(2 << 20)));
    refused(&t, &project, &described(&large), "the .nuspec is too large").await;
    let huge = nuspec("hammer", "1.0.0", &format!("<owners>{}</owners>", "x".repeat(5 << 20)));
    refused(&t, &project, &described(&huge), "Hammer.nuspec in the archive is too large").await;
    nothing_is_kept(&t).await;
}

#[testkit::story]
async fn hostile_archives_are_refused(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let own = nuspec("hammer", "1.0.0", "");
    let member = ("Hammer.nuspec", own.as_bytes());
    for name in ["../x", "/x", "lib/../../x", "lib\\..\\..\\x", "c:/x"] {
        refused(
            &t,
            &project,
            &holding(&[member, (name, b"")]),
            "the archive has an entry with an unsafe name",
        )
        .await;
    }
    let zeros = vec![0; 40 << 20];
    refused(
        &t,
        &project,
        &holding(&[member, ("zeros", &zeros)]),
        "the archive expands to too many bytes",
    )
    .await;
    let whole = package("hammer", "1.0.0").bytes;
    let mut many = whole.clone();
    let end = many.len() - 22;
    many[end + 10..end + 12].copy_from_slice(&u16::MAX.to_le_bytes());
    refused(&t, &project, &Package { bytes: many }, "the archive has too many entries").await;
    let tarball = crate::packages_formats::archives::tar_gz(&[("Hammer.nuspec", own.as_bytes())]);
    for bytes in [b"no archive".to_vec(), Vec::new(), tarball, whole[..whole.len() / 2].to_vec()] {
        refused(&t, &project, &Package { bytes }, "the file is not a zip archive").await;
    }
    let tail = whole[whole.len() / 2..].to_vec();
    Package { bytes: tail }.to(&t.admin(), &project).await.is(400);
    nothing_is_kept(&t).await;
}

#[testkit::story]
async fn forms_and_addresses_are_checked(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let form = |texts: &[(&str, &str)], files: &[(&str, &str, &[u8])]| {
        multipart(t.admin().put(project.at("/packages/nuget")), texts, files)
    };
    let reply = form(&[("a", "b")], &[]).await.is(400);
    assert_eq!(reply.json()["error"], "package is missing");
    let bytes = package("hammer", "1.0.0").bytes;
    form(&[], &[("package", "a", &bytes), ("package", "b", &bytes)]).await.is(400);
    t.admin()
        .put(project.at("/packages/nuget/v2"))
        .bytes(bytes.clone())
        .await
        .is(400);
    t.admin()
        .put(project.at("/packages/nuget"))
        .json(&json!({"package": "x"}))
        .await
        .is(400);
    nothing_is_kept(&t).await;

    package("hammer", "1.0.0").to(&t.admin(), &project).await.is(201);
    for rest in [
        "metadata/..%2fhammer/index.json",
        "metadata/hammer/..%2f1.0.0.json",
        "metadata/hammer/1.0.0",
        "download/hammer/1.0.0/..%2f..%2fhammer.1.0.0.nupkg",
        "download/%252e%252e/1.0.0/x.nupkg",
        "download/hammer%5c/index.json",
        "v2/..%2fPackages()",
    ] {
        t.admin().get(project.at(&format!("/packages/nuget/{rest}"))).await.is(404);
    }
    t.admin()
        .get(project.at("/packages/nuget/metadata/a%00b/index.json"))
        .await
        .is(400);
    t.admin()
        .get(project.at("/packages/nuget/v2/FindPackagesById()?id='a%00b'"))
        .await
        .is(400);
}

#[testkit::story]
async fn the_limit_of_the_format_holds(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let limit = json!({"nuget_max_file_size": 100});
    t.admin().put("/application/plan_limits").json(&limit).await.is(200);
    refused(&t, &project, &package("hammer", "1.0.0"), "File is too large").await;
    nothing_is_kept(&t).await;
}

#[testkit::story]
async fn what_is_cut_off_leaves_nothing(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let kind = "multipart/form-data; boundary=b";
    let begun = "--b\r\nContent-Disposition: form-data; name=\"package\"; filename=\"a\"\r\n\r\nPK";
    let request = t.admin().put(project.at("/packages/nuget")).header("content-type", kind);
    request.bytes(begun).await.is(400);
    nothing_is_kept(&t).await;
}
