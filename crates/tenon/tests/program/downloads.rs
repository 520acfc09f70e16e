//! Counters of downloads over the end of a server, and over several of them.

use crate::place::{Place, Server, project};
use store::sql;
use testkit::run;

/// Downloads from each server.
const EACH: usize = 20;

#[test]
fn downloads_are_counted_though_the_server_ends() {
    run(async {
        let place = Place::sqlite();
        let server = place.serve();
        let token = place.token();
        let file = publish(&server, &token).await;
        download(&[&server], &token, &file).await;

        assert_eq!(server.terminate().0, Some(0));

        is_counted(&place, EACH as i64).await;
    });
}

#[test]
fn two_nodes_count_every_download() {
    run(async {
        let Some(place) = Place::postgres() else {
            return;
        };
        let (one, two) = (place.serve(), place.serve());
        let token = place.token();
        let file = publish(&one, &token).await;
        download(&[&one, &two], &token, &file).await;

        assert_eq!(one.terminate().0, Some(0));
        assert_eq!(two.terminate().0, Some(0));

        is_counted(&place, 2 * EACH as i64).await;
    });
}

async fn publish(server: &Server, token: &str) -> String {
    let client = server.client(token);
    let path = format!("{}/packages/generic/hammer/1.0/a", project(&client).await);
    client.put(&path).bytes("0123456789").await.is(201);
    path
}

/// Downloads from all servers at once. What is no whole download does not
/// count: a head, a later part, what the client has already.
async fn download(servers: &[&Server], token: &str, path: &str) {
    let mut under_way = Vec::new();
    for server in servers {
        for _ in 0..EACH {
            let (client, path) = (server.client(token), path.to_owned());
            under_way.push(tokio::spawn(async move {
                let reply = client.get(&path).await.is(200);
                client.head(&path).await.is(200);
                client.get(&path).header("range", "bytes=5-").await.is(206);
                let tag = reply.header("etag").to_owned();
                client.get(&path).header("if-none-match", &tag).await.is(304);
            }));
        }
    }
    for one in under_way {
        one.await.expect("no panic");
    }
}

/// By package, by file and by day alike.
async fn is_counted(place: &Place, wanted: i64) {
    let counted: (i64, i64, i64) = place
        .row(sql!(
            "select p.download_count, f.download_count,
                (select cast(sum(d.count) as bigint) from package_downloads d)
             from packages p join package_files f on f.package_id = p.id
             where p.last_downloaded_at = f.last_downloaded_at"
        ))
        .await;
    assert_eq!(counted, (wanted, wanted, wanted));
}
