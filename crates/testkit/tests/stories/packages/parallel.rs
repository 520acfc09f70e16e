//! Publishers that race.

use crate::packages::registry::{Registry, put, rows};
use serde_json::json;
use testkit::{Client, TestServer};

/// Statuses of so many uploads of one file at once, each with other bytes.
async fn race(client: &Client, path: &str, times: usize) -> Vec<u16> {
    let under_way: Vec<_> = (0..times)
        .map(|number| {
            let (client, path) = (client.clone(), path.to_owned());
            tokio::spawn(async move { put(&client, &path, &format!("{number}")).await.status })
        })
        .collect();
    let mut statuses = Vec::new();
    for upload in under_way {
        statuses.push(upload.await.expect("no panic"));
    }
    statuses.sort_unstable();
    statuses
}

async fn forbid_duplicates(t: &TestServer, r: &Registry) {
    let change = json!({"generic_duplicates_allowed": false});
    let settings = format!("/groups/{}/package_settings", r.namespace);
    t.admin().put(settings).json(&change).await.is(200);
}

#[testkit::story]
async fn of_ten_publishers_of_one_file_one_wins(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    forbid_duplicates(&t, &r).await;
    let path = r.generic("hammer/1.0/a");

    let statuses = race(&t.admin(), &path, 10).await;

    assert_eq!(statuses, [[201].as_slice(), &[400; 9]].concat());
    let (packages, files, _) = rows(&t).await;
    assert_eq!((packages, files), (1, 1));
    t.admin().get(&path).await.is(200);
}

#[testkit::story]
async fn where_duplicates_are_allowed_all_are_kept(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let statuses = race(&t.admin(), &r.generic("hammer/1.0/a"), 10).await;
    assert_eq!(statuses, [201; 10]);
    assert_eq!(rows(&t).await, (1, 10, 10));
}

#[testkit::story]
async fn what_is_protected_meanwhile_is_refused(t: TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let developer = r.person(&t, "developer", 30).await;
    let path = r.generic("hammer/1.0/a");
    let (send, receive) = tokio::sync::mpsc::unbounded_channel::<&str>();
    let body = futures_util::stream::unfold(receive, |mut receive| async {
        let bytes = receive.recv().await?;
        Some((Ok::<_, std::io::Error>(bytes), receive))
    });
    let upload = developer.put(&path).stream(reqwest::Body::wrap_stream(body));
    let upload = tokio::spawn(async move { upload.await });
    send.send("first half").expect("the upload goes on");
    let spool = t.app().config().data_dir.join("blobs/tmp");
    while testkit::files_below(&spool).is_empty() {
        tokio::task::yield_now().await;
    }

    let rule = json!({"package_name_pattern": "*", "package_type": "generic",
        "minimum_access_level_for_push": "maintainer"});
    t.admin().post(r.at("/protection/rules")).json(&rule).await.is(201);
    drop(send);

    upload.await.expect("no panic").is(403);
    assert_eq!(rows(&t).await, (0, 0, 0));
}
