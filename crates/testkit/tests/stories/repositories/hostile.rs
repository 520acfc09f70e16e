//! What is no git, or means no good.

use std::io::Write;
use testkit::{Client, Git, TestServer};

const ZERO: &str = "0000000000000000000000000000000000000000";

async fn begun(t: &TestServer) -> (Git, Client) {
    t.project("acme/anvil").await;
    let git = Git::of(&t.admin());
    git.begin("one", "acme/anvil").await;
    git.run_in("one", &["push", "--quiet", "origin", "main"]).await.done();
    (git, t.admin())
}

fn packet(text: &str) -> String {
    format!("{:04x}{text}", text.len() + 4)
}

async fn push(client: &Client, body: impl Into<bytes::Bytes>) -> testkit::Reply {
    post(client, "git-receive-pack", body).await
}

async fn post(client: &Client, service: &str, body: impl Into<bytes::Bytes>) -> testkit::Reply {
    client
        .request(http::Method::POST, format!("/acme/anvil.git/{service}"))
        .header("content-type", &format!("application/x-{service}-request"))
        .bytes(body)
        .await
}

/// The folder of pushes under way is empty.
fn assert_no_leftovers(t: &TestServer) {
    let folder = t.app().config().cache_dir.join("pushes");
    for _ in 0..100 {
        if std::fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_none()) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("something of a push is left in {folder:?}");
}

#[testkit::story]
async fn packets_that_are_none_are_refused(t: testkit::TestServer) {
    let (_git, admin) = begun(&t).await;
    for body in ["", "0003", "zzzz", "ffff", "00", "0009hello0000", "0001"] {
        assert_eq!(push(&admin, body.to_owned()).await.status, 400, "{body}");
    }
    for body in ["0003", "zzzz", "0010command=push0000", "0000"] {
        let asked = admin
            .request(http::Method::POST, "/acme/anvil.git/git-upload-pack")
            .header("content-type", "application/x-git-upload-pack-request")
            .header("git-protocol", "version=2")
            .bytes(body.to_owned());
        assert_eq!(asked.await.status, 400, "{body}");
    }
    let other = admin
        .request(http::Method::POST, "/acme/anvil.git/git-receive-pack")
        .header("content-type", "text/plain")
        .bytes("0000");
    assert_eq!(other.await.status, 415);
    assert_eq!(push(&admin, "0000").await.is(200).text(), "");
    assert_eq!(admin.at("/acme/anvil.git/info/refs").await.status, 403);
    assert_eq!(admin.at("/acme/anvil.git/info/refs?service=git-x").await.status, 403);
    let head =
        admin.request(http::Method::HEAD, "/acme/anvil.git/info/refs?service=git-upload-pack");
    assert_eq!(head.await.status, 403);
}

#[testkit::story]
async fn objects_that_are_no_good_change_nothing(t: testkit::TestServer) {
    let (git, admin) = begun(&t).await;
    let head = git.id("one", "HEAD").await;
    let line = format!("{ZERO} {head} refs/heads/x\0report-status");
    let command = format!("{}0000", packet(&line));
    // No pack, a cut one, and one that says it has more.
    let empty_pack: &[u8] =
        b"PACK\0\0\0\x02\0\0\0\0\x02\x9d\x08\x82;\xd8\xa8\xea\xb5\x10\xadj\xc7\\\x82<\xfd>\xd3\x1e";
    let mut claims = empty_pack.to_vec();
    claims[11] = 9;
    for pack in [&b""[..], b"PACK", &empty_pack[..20], &claims] {
        let body = [command.as_bytes(), pack].concat();
        let said = push(&admin, body).await.is(200).text();
        assert!(said.contains("ng refs/heads/x unpacker error"), "{said}");
        assert!(!said.contains('/') || !said.contains("data"), "{said}");
    }
    // An object that is not there.
    let absent = format!("{ZERO} {} refs/heads/x\0report-status", "1".repeat(40));
    let body = [format!("{}0000", packet(&absent)).as_bytes(), empty_pack].concat();
    let said = push(&admin, body).await.is(200).text();
    assert!(said.contains("ng refs/heads/x missing necessary objects"), "{said}");
    // With the objects it has, it works.
    let said = push(&admin, [command.as_bytes(), empty_pack].concat()).await.is(200).text();
    assert!(said.contains("ok refs/heads/x"), "{said}");
    // The ref does not stand where the client says.
    let made_up = format!("{} {head} refs/heads/x\0report-status", "1".repeat(40));
    let body = [format!("{}0000", packet(&made_up)).as_bytes(), empty_pack].concat();
    let said = push(&admin, body).await.is(200).text();
    assert!(said.contains("ng refs/heads/x failed to update ref"), "{said}");
    assert_no_leftovers(&t);
}

#[testkit::story]
async fn trees_that_would_write_outside_are_refused(t: testkit::TestServer) {
    let (git, _) = begun(&t).await;
    let blob = git.id("one", "HEAD:README.md").await;
    let entry = |name: &str| format!("100644 blob {blob}\t{name}\n");
    for name in [".git", ".GIT", "git~1", "..", "a/b"] {
        let file = git.at("one").join("tree.txt");
        std::fs::write(&file, entry(name)).unwrap();
        let script = "git mktree --missing < tree.txt";
        let made = git.run_in("one", &["-c", &format!("alias.make=!{script}"), "make"]).await;
        // Git itself refuses to make one of them.
        let Some(tree) = made.succeeded.then(|| made.last_line().to_owned()) else {
            continue;
        };
        let commit = git.run_in("one", &["commit-tree", "-m", "bad", &tree]).await.done();
        let refspec = format!("{}:refs/heads/bad", commit.last_line());
        git.run_in("one", &["push", "origin", &refspec]).await.refused("unpacker error");
    }
    assert_no_leftovers(&t);
}

#[testkit::story]
async fn what_is_packed_too_well_is_refused(t: testkit::TestServer) {
    let (_git, admin) = begun(&t).await;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(&vec![b'0'; 64 * 1024 * 1024]).unwrap();
    let bomb = packed.finish().unwrap();
    let asked = admin
        .request(http::Method::POST, "/acme/anvil.git/git-upload-pack")
        .header("content-type", "application/x-git-upload-pack-request")
        .header("content-encoding", "gzip")
        .bytes(bomb);
    assert_eq!(asked.await.status, 413);
    for (encoding, status) in [("br", 415), ("gzip", 400)] {
        let asked = admin
            .request(http::Method::POST, "/acme/anvil.git/git-upload-pack")
            .header("content-type", "application/x-git-upload-pack-request")
            .header("content-encoding", encoding)
            .bytes("0000");
        assert_eq!(asked.await.status, status, "{encoding}");
    }
}
