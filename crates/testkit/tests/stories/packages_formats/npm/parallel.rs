//! Many clients at once.

use super::{at, publish, versions};
use crate::packages_formats::registry::{Registry, rows};
use serde_json::json;
use std::collections::BTreeSet;
use testkit::npm;

#[testkit::story]
async fn of_ten_publishers_of_one_version_one_wins(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let path = at(&r, "hammer");
    let under_way: Vec<_> = (0..10)
        .map(|number| {
            let manifest = json!({"name": "hammer", "version": "1.0.0", "number": number});
            let body = npm::publication(&manifest, &npm::archive_of(&manifest), "latest");
            let request = t.admin().put(&path).json(&body);
            tokio::spawn(async move { request.await })
        })
        .collect();
    let mut statuses = Vec::new();
    for upload in under_way {
        let reply = upload.await.expect("no panic");
        if reply.status == 403 {
            assert_eq!(reply.json()["error"], "Package already exists.");
        }
        statuses.push(reply.status);
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [[200].as_slice(), &[403; 9]].concat());
    let (packages, files, _) = rows(&t).await;
    assert_eq!((packages, files), (1, 1));
    let packument = t.admin().get(&path).await.is(200).json();
    let file = t.admin().get(r.at("/npm/hammer/-/hammer-1.0.0.tgz")).await.is(200);
    assert_eq!(packument["versions"]["1.0.0"]["dist"]["integrity"], npm::integrity(&file.body));
}

#[testkit::story]
async fn readers_never_see_a_broken_document(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    publish(&t.admin(), &r, "hammer", "0.0.0").await.is(200);
    let path = at(&r, "hammer");
    let publishers: Vec<_> = (1..=8)
        .map(|number| {
            let body = npm::plain("hammer", &format!("{number}.0.0"));
            let request = t.admin().put(&path).json(&body);
            tokio::spawn(async move { request.await.status })
        })
        .collect();
    let readers: Vec<_> = (0..8)
        .map(|number| {
            let (client, path) = (t.admin(), path.clone());
            tokio::spawn(async move {
                let mut seen = 0;
                for _ in 0..10 {
                    let accept = ["application/json", "application/vnd.npm.install-v1+json"];
                    let reply =
                        client.get(&path).header("accept", accept[number % 2]).await.is(200);
                    let packument = reply.json();
                    let here: BTreeSet<&str> = versions(&packument).into_iter().collect();
                    assert!(here.len() >= seen, "a version is gone again");
                    seen = here.len();
                    for (_, version) in packument["dist-tags"].as_object().into_iter().flatten() {
                        assert!(here.contains(version.as_str().unwrap_or_default()));
                    }
                }
            })
        })
        .collect();
    for publisher in publishers {
        assert_eq!(publisher.await.expect("no panic"), 200);
    }
    for reader in readers {
        reader.await.expect("no broken document");
    }
    let packument = t.admin().get(&path).await.is(200).json();
    assert_eq!(versions(&packument).len(), 9);
}

#[testkit::story]
async fn a_tag_that_two_move_is_on_one_version(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let all: Vec<String> = (0..6).map(|number| format!("{number}.0.0")).collect();
    for version in &all {
        publish(&t.admin(), &r, "hammer", version).await.is(200);
    }
    let path = r.at("/npm/-/package/hammer/dist-tags/next");
    let under_way: Vec<_> = all
        .iter()
        .cycle()
        .take(24)
        .map(|version| {
            let request = t.admin().put(&path).json(&json!(version));
            tokio::spawn(async move { request.await.status })
        })
        .collect();
    for one in under_way {
        assert_eq!(one.await.expect("no panic"), 204);
    }
    let tags = t.admin().get(r.at("/npm/-/package/hammer/dist-tags")).await.is(200).json();
    let next = tags["next"].as_str().unwrap_or_default().to_owned();
    assert!(all.contains(&next));
    assert_eq!(tags.as_object().map(serde_json::Map::len), Some(2));
    let shown = t.admin().get(at(&r, "hammer")).await.is(200).json();
    assert_eq!(shown["dist-tags"]["next"], next);
    let count: i64 = t
        .app()
        .read(|tx| Ok(tx.one("select count(*) from package_tags where name = 'next'", ())?))
        .await
        .unwrap();
    assert_eq!(count, 1);
}
