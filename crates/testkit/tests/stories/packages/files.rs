//! Files by id: list, download, delete, and what deletion leaves.

use crate::packages::registry::Registry;
use serde_json::json;
use store::sql;

#[testkit::story]
async fn files_are_listed_with_their_digests(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/b.txt", "b").await;
    r.publish(&t, "hammer/1.0/a.txt", "abc").await;
    let id = r.id_of(&t, "hammer").await;
    let files = r.at(&format!("/{id}/package_files"));

    let reply = t.admin().get(&files).await.is(200);
    assert_eq!(reply.each("file_name"), ["b.txt", "a.txt"]);
    let second = &reply.json()[1];
    assert_eq!(second["size"], 3);
    assert_eq!(second["file_md5"], "900150983cd24fb0d6963f7d28e17f72");
    assert_eq!(second["file_sha1"], "a9993e364706816aba3e25717850c26c9cd0d89d");
    assert_eq!(second["file_sha256"], testkit::sha256("abc"));
    let sorted = t.admin().get(format!("{files}?order_by=file_name")).await.is(200);
    assert_eq!(sorted.each("file_name"), ["a.txt", "b.txt"]);
    t.admin().get(format!("{files}?order_by=size")).await.is(400);
    let page = t.admin().get(format!("{files}?per_page=1&page=2")).await.is(200);
    assert_eq!(page.each("file_name"), ["a.txt"]);
    assert_eq!(page.header("x-total-pages"), "2");

    let file = second["id"].as_i64().expect("an id");
    let bytes = t.admin().get(format!("{files}/{file}/download")).await.is(200);
    assert_eq!(bytes.text(), "abc");
}

#[testkit::story]
async fn ids_of_other_projects_are_not_found(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let other = Registry::new(&t, "acme/forge", 0).await;
    r.publish(&t, "hammer/1.0/a.txt", "a").await;
    r.publish(&t, "nail/1.0/a.txt", "a").await;
    let (hammer, nail) = (r.id_of(&t, "hammer").await, r.id_of(&t, "nail").await);
    let files = t.admin().get(r.at(&format!("/{hammer}/package_files"))).await.is(200);
    let file = files.json()[0]["id"].clone();
    for path in [
        other.at(&format!("/{hammer}")),
        other.at(&format!("/{hammer}/package_files")),
        other.at(&format!("/{hammer}/pipelines")),
        other.at(&format!("/{hammer}/package_files/{file}/download")),
        r.at(&format!("/{nail}/package_files/{file}/download")),
    ] {
        t.admin().get(path).await.is(404);
    }
    for path in [
        other.at(&format!("/{hammer}")),
        other.at(&format!("/{hammer}/package_files/{file}")),
        r.at(&format!("/{nail}/package_files/{file}")),
    ] {
        t.admin().delete(path).await.is(404);
    }
    t.admin().get(r.generic("hammer/1.0/a.txt")).await.is(200);
    let reply = t.admin().get(r.at("/999999")).await.is(404);
    assert_eq!(reply.json(), json!({"message": "Package not found"}));
    t.admin().get(r.at("/x")).await.is(400);
    let huge = t.admin().get(r.at("/99999999999999999999999")).await;
    assert!(matches!(huge.status, 400 | 404));
}

#[testkit::story]
async fn a_deleted_package_is_gone_at_once_and_its_name_is_free(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a.txt", "first").await;
    let id = r.id_of(&t, "hammer").await;
    let path = r.at(&format!("/{id}"));

    t.admin().delete(&path).await.is(204);
    t.admin().delete(&path).await.is(404);
    t.admin().get(&path).await.is(404);
    t.admin().get(r.generic("hammer/1.0/a.txt")).await.is(404);
    assert_eq!(t.admin().get(r.at("?status=pending_destruction")).await.json(), json!([]));
    r.publish(&t, "hammer/1.0/a.txt", "second").await;
    assert_ne!(r.id_of(&t, "hammer").await, id);

    t.settle().await;
    let left: (i64, i64, i64) = t
        .app()
        .read(|tx| {
            Ok(tx.one(
                sql!(
                    "select (select count(*) from packages),
                            (select count(*) from package_files), (select count(*) from blobs)"
                ),
                (),
            )?)
        })
        .await
        .expect("rows can be counted");
    assert_eq!(left, (1, 1, 1));
    let report = packages::check::run(t.app(), true, |_, _| {}).await.expect("checked");
    assert_eq!((report.problems, report.young_orphans), (vec![], 1));
}

#[testkit::story]
async fn a_deleted_file_leaves_its_package(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a.txt", "a").await;
    let id = r.id_of(&t, "hammer").await;
    let files = r.at(&format!("/{id}/package_files"));
    let file = t.admin().get(&files).await.is(200).json()[0]["id"].clone();

    t.admin().delete(format!("{files}/{file}")).await.is(204);
    t.admin().delete(format!("{files}/{file}")).await.is(404);
    assert_eq!(t.admin().get(&files).await.is(200).json(), json!([]));
    t.admin().get(format!("{files}/{file}/download")).await.is(404);
    t.admin().get(r.at(&format!("/{id}"))).await.is(200);
    t.settle().await;
}

#[testkit::story]
async fn what_changed_since_is_not_deleted(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a.txt", "a").await;
    let path = r.at(&format!("/{}", r.id_of(&t, "hammer").await));
    let old = "Mon, 01 Jan 2024 00:00:00 GMT";

    let refused = t.admin().delete(&path).header("if-unmodified-since", old).await.is(412);
    assert_eq!(refused.json(), json!({"message": "412 Precondition Failed"}));
    t.admin().delete(&path).header("if-unmodified-since", "yesterday").await.is(204);
}

#[testkit::story]
async fn a_download_under_way_survives_deletion(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let big = "0123456789abcdef".repeat(512 * 1024);
    r.publish(&t, "hammer/1.0/big", &big).await;
    let path = r.at(&format!("/{}", r.id_of(&t, "hammer").await));
    kernel::outbound::install_crypto();
    let url = format!("{}/api/v4{}", t.url(), r.generic("hammer/1.0/big"));
    let token = t.admin().token().expect("a token").to_owned();
    let began = reqwest::Client::new().get(url).header("PRIVATE-TOKEN", token).send().await;
    let began = began.expect("the download begins");

    t.admin().delete(&path).await.is(204);
    t.settle().await;

    let bytes = began.bytes().await.expect("the download finishes");
    assert_eq!(testkit::sha256(bytes), testkit::sha256(big));
}

#[testkit::story]
async fn downloads_are_counted(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a.txt", "a").await;
    let path = r.at(&format!("/{}", r.id_of(&t, "hammer").await));
    assert_eq!(t.admin().get(&path).await.json()["last_downloaded_at"], json!(null));

    t.admin().get(r.generic("hammer/1.0/a.txt")).await.is(200);

    for _ in 0..100 {
        if t.admin().get(&path).await.json()["last_downloaded_at"].is_string() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("the download was not counted");
}
