//! Files of projects that are fetched over TLS, from a server that may answer what it likes.

use crate::dovecot::Authority;
use crate::place::{Place, project, until};
use crate::smtp::tls;
use rustls::{ServerConnection, StreamOwned};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, PoisonError};
use testkit::{Client, run};

/// Bytes of a file that is too large.
const MUCH: u64 = 20 << 30;

/// A server of files, each an answer as it stands.
#[derive(Clone, Default)]
struct Files {
    port: u16,
    /// The file that is good.
    file: Arc<Mutex<Vec<u8>>>,
}

impl Files {
    fn start(by: &Authority) -> Files {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let files = Files { port, ..Files::default() };
        let (answering, tls) = (files.clone(), tls(by));
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let (files, tls) = (answering.clone(), tls.clone());
                std::thread::spawn(move || {
                    let tls = ServerConnection::new(tls).expect("a session of TLS");
                    // Who only looks goes before the end.
                    let _ = files.answer(StreamOwned::new(tls, connection));
                });
            }
        });
        files
    }

    fn url(&self, name: &str) -> String {
        format!("https://localhost:{}/{name}?signature=very-secret", self.port)
    }

    fn answer(&self, stream: impl Read + Write) -> std::io::Result<()> {
        let mut stream = BufReader::new(stream);
        let mut request = String::new();
        while !request.ends_with("\r\n\r\n") {
            if stream.read_line(&mut request)? == 0 {
                return Ok(());
            }
        }
        let path = request.split_whitespace().nth(1).unwrap_or_default();
        let name = path.trim_start_matches('/').split('?').next().unwrap_or_default();
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (status, kind, length, body) = match name {
            "good" => ("200 OK", "application/gzip", Some(file.len() as u64), file),
            "html" => ("200 OK", "text/html", Some(5), b"<html".to_vec()),
            "endless" => ("200 OK", "application/gzip", None, Vec::new()),
            "large" => ("200 OK", "application/gzip", Some(MUCH), Vec::new()),
            "away" => {
                ("302 Found\r\nlocation: http://127.0.0.1:1/x", "text/html", Some(0), Vec::new())
            }
            _ => ("404 Not Found", "text/html", Some(0), Vec::new()),
        };
        let length = length.map(|length| format!("content-length: {length}\r\n"));
        let length = length.unwrap_or_default();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{length}connection: close\r\n\r\n"
        );
        let stream = stream.get_mut();
        stream.write_all(head.as_bytes())?;
        stream.write_all(&body)?;
        stream.flush()
    }
}

async fn settle(client: &Client, import: i64) -> Value {
    let path = format!("/projects/{import}/import");
    let is_over = async || {
        let shown = client.get(&path).await.is(200).json();
        !matches!(shown["import_status"].as_str(), Some("scheduled" | "started"))
    };
    until("the import ends", is_over).await;
    client.get(&path).await.is(200).json()
}

#[test]
fn a_file_is_fetched_from_whom_the_server_believes() {
    let authority = Authority::new();
    let files = Files::start(&authority);
    run(async {
        let place = Place::sqlite().with("TENON_CA_FILE", &authority.path("authority.pem"));
        let server = place.serve();
        let client = server.client(&place.token());
        let settings = json!({
            "outbound_local_requests_allowlist": ["localhost"],
            "project_import_limit": 0,
        });
        client.put("/application/settings").json(&settings).await.is(200);
        let source = project(&client).await;
        client
            .post(format!("{source}/issues"))
            .json(&json!({"title": "Rings"}))
            .await
            .is(201);
        client.post(format!("{source}/export")).await.is(202);
        let written = async || {
            client.get(format!("{source}/export")).await.json()["export_status"] == "finished"
        };
        until("the file is written", written).await;
        let file = client.get(format!("{source}/export/download")).await.is(200).body;
        *files.file.lock().unwrap() = file.to_vec();

        for (name, told) in [
            ("html", "Content type 'text/html' not allowed"),
            ("endless", "Missing 'ContentLength' header"),
            ("large", "Content length is too big"),
            ("away", "unencrypted"),
            ("none", "answered 404"),
        ] {
            let wanted = json!({"path": name, "url": files.url(name)});
            let refused = client.post("/projects/remote-import").json(&wanted).await.is(400).text();
            assert!(refused.contains(told), "{name}: {refused}");
            assert!(!refused.contains("very-secret"), "{name}: {refused}");
        }

        let wanted = json!({"path": "fetched", "url": files.url("good")});
        let made = client.post("/projects/remote-import").json(&wanted).await.is(201);
        let shown = settle(&client, made.id()).await;
        assert_eq!(shown["import_status"], "finished", "{shown}");
        let issues = client.get(format!("/projects/{}/issues", made.id())).await.is(200);
        assert_eq!(issues.each("title"), [json!("Rings")]);
        let left = "select count(*) from project_files where sealed_origin is not null";
        assert_eq!(place.row::<i64>(left).await, 0, "what lets in is not kept");
        assert_eq!(server.terminate().0, Some(0));
    });
}
