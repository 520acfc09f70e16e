//! What clients with revisions publish, list, fetch and delete.

use super::{INFO, OTHER, PREF, PREV, RREV, archive, hammer, listed, manifest, recipe_at, text};
use crate::packages_formats::archives::tar_gz;
use crate::packages_formats::registry::rows;
use serde_json::{Value, json};
use testkit::hostile::Packing;

/// The same archive as another machine may pack it.
fn tar_gz_loosely(entries: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = Vec::new();
    let packed = tar_gz(entries);
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut tar)
        .expect("an archive");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut packed, &tar).expect("packed");
    packed.finish().expect("a gzip file")
}

#[testkit::story]
async fn what_is_published_is_read_back_whole(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let at = hammer(&project.at(""));
    at.recipe(&jane, RREV).await;
    at.binary(&jane, PREV, INFO).await;

    let latest = jane.get(at.v2("latest")).await.is(200).json();
    assert_eq!(latest["revision"], RREV);
    let time = text(&latest["time"]);
    assert!(time.len() == 28 && time.ends_with("+0000") && &time[19..20] == ".", "{time}");
    let revisions = jane.get(at.v2("revisions")).await.is(200).json();
    assert_eq!(revisions, json!({"revisions": [{"revision": RREV, "time": time}]}));
    let files = jane.get(at.in_recipe(RREV, "/files")).await.is(200).json();
    assert_eq!(
        files,
        json!({"files": {
        "conan_export.tgz": {}, "conanfile.py": {}, "conanmanifest.txt": {}}})
    );
    let packages = format!("/packages/{PREF}");
    let latest = jane.get(at.in_recipe(RREV, &format!("{packages}/latest"))).await.is(200).json();
    assert_eq!(latest["revision"], PREV);
    let found = jane
        .get(at.in_recipe(RREV, &format!("{packages}/revisions")))
        .await
        .is(200)
        .json();
    assert_eq!(
        found,
        json!({
        "package_reference": format!("hammer/1.0@acme/stable#{RREV}:{PREF}"),
        "revisions": [{"revision": PREV, "time": latest["time"]}]})
    );
    let files = jane.get(at.in_binary(PREV, "/files")).await.is(200).json();
    assert_eq!(
        files,
        json!({"files": {
        "conan_package.tgz": {}, "conaninfo.txt": {}, "conanmanifest.txt": {}}})
    );
    let file = jane.get(at.in_binary(PREV, "/files/conan_package.tgz")).await.is(200);
    assert_eq!(file.body, archive());
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"conan_package.tgz\"");
    assert_eq!(file.header("x-content-type-options"), "nosniff");
    let part = jane.get(at.in_recipe(RREV, "/files/conanfile.py")).header("range", "bytes=0-4");
    assert_eq!(part.await.is(206).text(), "class");
    jane.head(at.in_recipe(RREV, "/files/conanfile.py")).await.is(200);

    let shown = jane.get(project.at("/packages?package_type=conan&package_name=hammer")).await;
    let shown = shown.is(200).json();
    assert_eq!(
        (&shown[0]["name"], &shown[0]["conan_package_name"], &shown[0]["version"]),
        (&json!("hammer/1.0@acme/stable"), &json!("hammer"), &json!("1.0"))
    );
    let audit = t.admin().get("/audit_events").await.is(200).text();
    assert!(audit.contains("conan_package.tgz"));
    for missing in ["revisions/dddddddddddddddddddddddddddddddd/files", "revisions/0/files"] {
        jane.get(at.v2(missing)).await.is(404);
    }
    jane.get(at.in_recipe(RREV, "/packages/abc/latest")).await.is(404);
    jane.get(recipe_at(&project.at(""), "nail/1.0/acme/stable").v2("latest"))
        .await
        .is(404);
}

#[testkit::story]
async fn binary_packages_tell_what_they_are_made_for(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    at.recipe(&admin, RREV).await;
    at.binary(&admin, OTHER, "[settings]\nos=Windows\n[env]\nSECRET=1\n").await;
    at.binary(&admin, PREV, INFO).await;

    let told = json!({PREF: {"settings": {"os": "Linux"}, "options": {"shared": "False"},
        "requires": ["zlib/1.3"]}});
    for path in [at.v2("search"), at.in_recipe(RREV, "/search"), at.v2("search?list_only=False")] {
        assert_eq!(admin.get(path).await.is(200).json(), told);
    }
    let short = admin.get(at.v2("search?list_only=True")).await.is(200).json();
    assert_eq!(short, json!({PREF: {}}));
    admin.get(at.in_recipe(OTHER, "/search")).await.is(404);
    let revisions = listed(&admin, at.in_recipe(RREV, &format!("/packages/{PREF}/revisions")));
    assert_eq!(revisions.await, [PREV, OTHER]);
    // A package without settings has an empty file.
    at.binary(&admin, RREV, "").await;
    assert_eq!(admin.get(at.v2("search")).await.is(200).json(), json!({PREF: {}}));
    assert_eq!(admin.get(at.in_binary(RREV, "/files/conaninfo.txt")).await.is(200).text(), "");
}

#[testkit::story]
async fn a_revision_is_listed_when_it_is_complete(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    at.put_binary(&admin, PREV, "conaninfo.txt", INFO.as_bytes()).await.is(404);
    at.put(&admin, RREV, "conanfile.py", b"class A: pass").await.is(200);
    for path in ["latest", "revisions", "search"] {
        admin.get(at.v2(path)).await.is(404);
    }
    // A client that repeats what was cut off may send other bytes.
    at.put(&admin, RREV, "conanfile.py", b"class B: pass").await.is(200);
    at.put(&admin, RREV, "conanmanifest.txt", &manifest(1)).await.is(200);
    assert_eq!(listed(&admin, at.v2("revisions")).await, [RREV]);
    let file = admin.get(at.in_recipe(RREV, "/files/conanfile.py")).await.is(200);
    assert_eq!(file.text(), "class B: pass");
    at.put_binary(&admin, PREV, "conan_package.tgz", &archive()).await.is(200);
    assert_eq!(admin.get(at.v2("search")).await.is(200).json(), json!({}));
    admin.get(at.in_recipe(RREV, &format!("/packages/{PREF}/latest"))).await.is(404);

    at.recipe(&admin, OTHER).await;
    assert_eq!(listed(&admin, at.v2("revisions")).await, [OTHER, RREV]);
    assert_eq!(admin.get(at.v2("latest")).await.is(200).json()["revision"], OTHER);
}

#[testkit::story]
async fn a_complete_revision_never_changes(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    at.recipe(&admin, RREV).await;
    at.binary(&admin, PREV, INFO).await;
    let before = rows(&t).await;

    // The same again, or made at another time, is taken for the same.
    at.recipe(&admin, RREV).await;
    at.put(&admin, RREV, "conanmanifest.txt", &manifest(2)).await.is(200);
    let repacked = tar_gz_loosely(&[("include/hammer.h", "#pragma once\n")]);
    assert_ne!(repacked, archive());
    at.put(&admin, RREV, "conan_export.tgz", &repacked).await.is(200);
    assert_eq!(rows(&t).await, before);
    assert_eq!(
        admin.get(at.in_recipe(RREV, "/files/conanmanifest.txt")).await.body,
        manifest(1)
    );
    for (file, bytes) in [
        ("conanfile.py", b"import evil".to_vec()),
        ("conanmanifest.txt", b"1\n".to_vec()),
        ("conan_export.tgz", tar_gz(&[("a", "b")])),
        (
            "conan_export.txz",
            Packing::TarXz.packed(&[("include/hammer.h", b'0', b"#pragma once\n")]),
        ),
    ] {
        let refused = at.put(&admin, RREV, file, &bytes).await.is(400).json();
        assert_eq!(
            refused["message"], "400 Bad request - Duplicate package is not allowed",
            "{file}"
        );
    }
    at.put_binary(&admin, PREV, "conaninfo.txt", b"[settings]\nos=Evil\n")
        .await
        .is(400);
    assert_eq!(rows(&t).await.1, before.1);
    assert_eq!(
        admin.get(at.in_recipe(RREV, "/files/conanfile.py")).await.text(),
        "class Hammer: pass\n"
    );
}

#[testkit::story]
async fn files_about_a_revision_may_change(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    at.recipe(&admin, RREV).await;
    for text in ["one", "two"] {
        at.put(&admin, RREV, "metadata/logs/a%20b.txt", text.as_bytes()).await.is(200);
    }
    let log = admin.get(at.in_recipe(RREV, "/files/metadata/logs/a%20b.txt")).await.is(200);
    assert_eq!(log.text(), "two");
    let files = admin.get(at.in_recipe(RREV, "/files")).await.is(200).json();
    let names: Vec<&String> = files["files"].as_object().expect("files").keys().collect();
    assert!(names.contains(&&"metadata/logs/a b.txt".to_owned()), "{names:?}");
    assert_eq!(names.len(), 4);
}

#[testkit::story]
async fn archives_are_packed_in_one_way_of_three(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    at.recipe(&admin, RREV).await;
    let zstd = Packing::TarZstd.packed(&[("a", b'0', b"x")]);
    at.put_binary(&admin, PREV, "conan_package.tzst", &zstd).await.is(200);
    let xz = Packing::TarXz.packed(&[("a", b'0', b"x")]);
    at.put_binary(&admin, OTHER, "conan_package.txz", &xz).await.is(200);
    // An archive that holds nothing is one, too.
    at.put_binary(&admin, RREV, "conan_package.tgz", &tar_gz::<&str>(&[]))
        .await
        .is(200);
    let file = admin.get(at.in_binary(PREV, "/files/conan_package.tzst")).await.is(200);
    assert_eq!(file.body, zstd);
}

#[testkit::story]
async fn what_is_deleted_is_gone(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    for revision in [RREV, OTHER] {
        at.recipe(&admin, revision).await;
    }
    for revision in [PREV, OTHER] {
        at.binary(&admin, revision, INFO).await;
    }
    let binaries = at.in_recipe(RREV, &format!("/packages/{PREF}/revisions"));

    admin.delete(at.in_binary(PREV, "")).await.is(200);
    assert_eq!(listed(&admin, binaries.clone()).await, [OTHER]);
    admin.get(at.in_binary(PREV, "/files")).await.is(404);
    admin.delete(at.in_binary(PREV, "")).await.is(404);
    admin.delete(at.in_recipe(RREV, "/packages")).await.is(200);
    admin.get(binaries).await.is(404);
    admin.delete(at.in_recipe(RREV, "/packages")).await.is(200);
    assert_eq!(listed(&admin, at.v2("revisions")).await, [OTHER, RREV]);

    admin.delete(at.in_recipe(OTHER, "")).await.is(200);
    assert_eq!(listed(&admin, at.v2("revisions")).await, [RREV]);
    admin.delete(at.in_recipe(RREV, "")).await.is(200);
    admin.get(at.v2("revisions")).await.is(404);
    assert_eq!(admin.get(project.at("/packages")).await.is(200).json(), json!([]));
    t.settle().await;
    assert_eq!(rows(&t).await, (0, 0, 0));
    at.recipe(&admin, RREV).await;
    assert_eq!(listed(&admin, at.v2("revisions")).await, [RREV]);
}

#[testkit::story]
async fn a_thousand_files_are_deleted_at_most(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    at.recipe(&admin, RREV).await;
    at.recipe(&admin, OTHER).await;
    let many = t.app().write(|tx| {
        let (package, last): (i64, i64) = tx.one(store::sql!(
            "select package_id, max(id) from package_files group by package_id"), ())?;
        for number in 0..1_000_i64 {
            let now = tx.now();
            let id: i64 = tx.one(store::sql!(
                "insert into package_files (package_id, file_name, size, md5, sha1, sha256,
                        sha512, blob_key, status, created_at, updated_at)
                     select package_id, 'm', size, md5, sha1, sha256, sha512, blob_key, status, $2, $2
                     from package_files where id = $1 returning id"), (last, now))?;
            tx.execute(store::sql!(
                "insert into conan_files (file_id, package_id, recipe_revision, package_reference,
                        package_revision, file_name) values ($1, $2, $3, '', '', $4)"),
                (id, package, RREV, format!("metadata/{number:04}")))?;
        }
        Ok::<(), kernel::error::Error>(())
    });
    many.await.expect("many files");

    let refused = admin.delete(at.in_recipe(RREV, "")).await.is(422).json();
    assert_eq!(refused["message"], "Cannot delete more than 1000 files");
    let files = admin.get(at.in_recipe(RREV, "/files")).await.is(200).json();
    assert_eq!(files["files"].as_object().map(serde_json::Map::len), Some(1_000));
    admin.delete(at.in_recipe(OTHER, "")).await.is(200);
}

#[testkit::story]
async fn lists_cost_the_same_for_one_binary_and_for_many(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (admin, at) = (t.admin(), hammer(&project.at("")));
    at.recipe(&admin, RREV).await;
    let route = "/projects/{id}/packages/conan/v2/conans/{*recipe_path}";
    let line = format!("http_request_statements_total{{method=\"GET\",route=\"/api/v4{route}\"}} ");
    let sent = || {
        let text = t.app().metrics().render();
        let count = text.lines().find_map(|one| one.strip_prefix(&line)?.parse::<u64>().ok());
        count.unwrap_or(0)
    };
    let mut costs: Vec<Vec<u64>> = Vec::new();
    for upto in [1, 6] {
        for number in 0..upto {
            at.binary(&admin, &format!("{number:032}"), INFO).await;
        }
        let mut cost = Vec::new();
        for path in ["search", "revisions", "latest"] {
            let before = sent();
            admin.get(at.v2(path)).await.is(200);
            cost.push(sent() - before);
        }
        costs.push(cost);
    }
    assert!(costs[0][0] > 0 && costs[0] == costs[1], "{costs:?}");
}

#[testkit::story]
async fn channels_of_one_version_are_packages_of_their_own(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let admin = t.admin();
    for recipe in [
        "hammer/1.0/acme/stable",
        "hammer/1.0/acme/testing",
        "hammer/1.0/_/_",
        "hammer/1.1/_/_",
    ] {
        recipe_at(&project.at(""), recipe).recipe(&admin, RREV).await;
    }
    let order = |by: &str| project.at(&format!("/packages?order_by={by}&sort=asc"));
    let names = admin.get(order("version")).await.is(200).each("name");
    assert_eq!(
        names,
        [
            "hammer/1.0@_/_",
            "hammer/1.0@acme/stable",
            "hammer/1.0@acme/testing",
            "hammer/1.1@_/_"
        ]
    );
    let id = admin.get(order("created_at")).await.is(200).each("id")[0].clone();
    let one = admin.get(project.at(&format!("/packages/{id}"))).await.is(200).json();
    let versions: Vec<&Value> = one["versions"]
        .as_array()
        .expect("versions")
        .iter()
        .map(|version| &version["version"])
        .collect();
    assert_eq!(versions, [&json!("1.1")]);
    let search = project.at("/packages/conan/v2/conans/search");
    let found = async |q: &str| {
        admin.get(format!("{search}?q={q}")).await.is(200).json()["results"].clone()
    };
    assert_eq!(found("HAM*").await.as_array().map(Vec::len), Some(4));
    assert_eq!(found("HAM*&ignorecase=False").await, json!([]));
    assert_eq!(
        found("hammer/1.0@acme/*").await,
        json!(["hammer/1.0@acme/stable", "hammer/1.0@acme/testing"])
    );
    assert_eq!(found("hammer/1.0@").await, json!(["hammer/1.0@_/_"]));
    assert_eq!(found("%25").await, json!([]));
    admin.get(format!("{search}?q={}", "*a".repeat(200))).await.is(400);
}
