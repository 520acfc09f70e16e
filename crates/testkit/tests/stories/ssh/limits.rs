//! What bad clients get: no room that others need.

use super::git_of;
use testkit::TestServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Connections that one address may have: a quarter of those over HTTP.
const MOST: usize = 64;

#[testkit::story]
async fn an_address_has_so_many_connections_and_no_more(t: TestServer) {
    let port = t.ssh().await;
    let git = git_of(port, &t.admin()).await;
    let mut silent = Vec::new();
    for n in 0..200 {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let mut greeting = [0; 4];
        let length = stream.read(&mut greeting).await.unwrap_or(0);
        assert_eq!(length > 0, n < MOST, "connection {n}");
        if length > 0 {
            silent.push(stream);
        }
    }
    let refused = git.ssh(&[], &[]).await;
    assert!(!refused.succeeded, "{}", refused.said);
    // What is no SSH ends at once, and makes room.
    for stream in &mut silent {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    }
    for stream in &mut silent {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest).await;
    }
    drop(silent);
    for _ in 0..100 {
        let ran = git.ssh(&[], &[]).await;
        if ran.succeeded {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("there is no room still");
}

#[testkit::story]
async fn many_keys_in_vain_end_a_connection(t: TestServer) {
    let port = t.ssh().await;
    let git = git_of(port, &t.admin()).await;
    let mut options = Vec::new();
    for n in 0..31 {
        let name = git.at(&format!("wrong{n}")).display().to_string();
        let made = std::process::Command::new("ssh-keygen")
            .args(["-q", "-N", "", "-t", "ed25519", "-f", &name])
            .status();
        assert!(made.is_ok_and(|status| status.success()));
        options.extend(["-i".to_owned(), name]);
    }
    // The good key is offered first and lets them in; without it nothing does.
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    git.ssh(&options, &[]).await.done();
    std::fs::remove_file(git.at("key")).unwrap();
    std::fs::remove_file(git.at("key.pub")).unwrap();
    let ran = git.ssh(&options, &[]).await;
    assert!(!ran.succeeded, "{}", ran.said);
}
