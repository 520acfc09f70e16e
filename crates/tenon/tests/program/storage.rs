//! Files in object storage.

use crate::bucket::Bucket;
use crate::place::{Place, project, until};
use store::sql;
use testkit::run;

/// More than one part of an upload.
const LARGE: usize = 20 << 20;

#[test]
fn object_storage_holds_the_files() {
    run(async {
        for place in Place::both() {
            let place = place.over(Bucket::open().await);
            let server = place.serve();
            let client = server.client(&place.token());
            let packages = format!("{}/packages", project(&client).await);
            let at = |rest: &str| format!("{packages}/generic/hammer/{rest}");
            let large = "0123456789abcdef".repeat(LARGE / 16);
            client.put(at("1.0/large")).bytes(large.clone()).await.is(201);
            client.put(at("1.0/small")).bytes("small").await.is(201);
            client.put(at("2.0/other")).bytes("other").await.is(201);

            assert!(client.get(at("1.0/large")).await.is(200).text() == large);
            assert_eq!(client.get(at("1.0/small")).await.is(200).text(), "small");
            let part = client.get(at("1.0/large")).header("range", "bytes=8388600-8388623");
            assert_eq!(part.await.is(206).text(), "89abcdef0123456789abcdef");
            assert_eq!(client.head(at("1.0/small")).await.is(200).header("content-length"), "5");
            let files = testkit::files_below(place.bucket().path());
            assert_eq!(files.len(), 3, "{files:?}");
            place.succeeds(&["check", "--contents"]);

            place.bucket().age("other");
            let list = client.get(format!("{packages}?package_version=2.0")).await.is(200);
            client.delete(format!("{packages}/{}", list.json()[0]["id"])).await.is(204);
            until("the deleted file is gone", async || !place.bucket().blob("other").exists())
                .await;
            client.get(at("2.0/other")).await.is(404);
            client.get(at("1.0/small")).await.is(200);
        }
    });
}

/// Of what no row names the sweep takes the old, and nothing else.
#[test]
fn object_storage_is_swept() {
    run(async {
        let place = Place::sqlite().over(Bucket::open().await);
        let bucket = place.bucket();
        bucket.put("old orphan");
        bucket.put("young orphan");
        let server = place.serve();
        let token = place.token();
        let client = server.client(&token);
        let path = format!("{}/packages/generic/hammer/1.0/a", project(&client).await);
        client.put(&path).bytes("named").await.is(201);
        bucket.age("named");
        bucket.age("old orphan");
        drop(server);

        // A day later.
        let due = sql!("update settings set updated_at = $1 where key = 'period.blobs.sweep'");
        place.within(move |tx| tx.execute(due, (jiff::Timestamp::UNIX_EPOCH,))).await;
        let server = place.serve();
        until("the old orphan is gone", async || !bucket.blob("old orphan").exists()).await;

        assert!(bucket.blob("young orphan").exists());
        assert_eq!(server.client(&token).get(&path).await.is(200).text(), "named");
        place.succeeds(&["check", "--contents"]);
    });
}

/// What a damaged or lost file looks like to whoever checks.
#[test]
fn a_check_finds_what_storage_lost() {
    run(async {
        let place = Place::sqlite().over(Bucket::open().await);
        let server = place.serve();
        let client = server.client(&place.token());
        let packages = format!("{}/packages/generic/hammer/1.0", project(&client).await);
        for bytes in ["lost", "short", "damaged"] {
            client.put(format!("{packages}/{bytes}")).bytes(bytes).await.is(201);
        }
        std::fs::remove_file(place.bucket().blob("lost")).expect("it was there");
        std::fs::write(place.bucket().blob("short"), "shor").expect("written");
        std::fs::write(place.bucket().blob("damaged"), "DAMAGED").expect("written");

        let found = place.finds(&["check", "--contents"]);

        assert_eq!(found.lines().count(), 3, "{found}");
        for said in ["is missing", "has 4 bytes, its row says 5", "is damaged"] {
            assert!(found.contains(said), "{said} not in {found}");
        }
        client.get(format!("{packages}/lost")).await.is(500);
        let archive = place.path().join("backup.tar");
        let said = place.fails(&["backup", archive.to_str().expect("a plain path")]);
        assert!(said.contains("2 files are missing or damaged"), "{said}");
        assert!(!archive.exists());
    });
}
