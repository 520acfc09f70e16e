//! A mail server that keeps what it is sent.

use crate::dovecot::Authority;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a server needs that speaks TLS as `localhost`.
pub fn tls(by: &Authority) -> Arc<ServerConfig> {
    let certificate = CertificateDer::from_pem_file(by.path("server.pem"));
    let key = PrivateKeyDer::from_pem_file(by.path("server.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_no_client_auth()
        .with_single_cert(vec![certificate.expect("a certificate")], key);
    Arc::new(config.expect("they belong together"))
}

/// A mail that was taken: to whom, and its `Message-ID`.
pub type Taken = (String, String);

pub struct MailServer {
    pub url: String,
    taken: Arc<Mutex<Vec<Taken>>>,
}

impl MailServer {
    /// One that takes this long over each mail.
    pub fn start(pause: Duration) -> MailServer {
        MailServer::with(pause, None)
    }

    /// One that speaks TLS from the first byte on, as `localhost`.
    pub fn secured(by: &Authority) -> MailServer {
        MailServer::with(Duration::ZERO, Some(tls(by)))
    }

    fn with(pause: Duration, tls: Option<Arc<ServerConfig>>) -> MailServer {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let url = match tls {
            None => format!("smtp://127.0.0.1:{port}"),
            Some(_) => format!("smtps://localhost:{port}"),
        };
        let taken = Arc::new(Mutex::new(Vec::new()));
        let kept = taken.clone();
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let (kept, tls) = (kept.clone(), tls.clone());
                // A client that is killed ends in the midst of a session.
                std::thread::spawn(move || match tls {
                    None => session(connection, pause, &kept).ok(),
                    Some(tls) => {
                        let tls = ServerConnection::new(tls).expect("a session of TLS");
                        session(StreamOwned::new(tls, connection), pause, &kept).ok()
                    }
                });
            }
        });
        MailServer { url, taken }
    }

    /// What was taken so far, the first first.
    pub fn taken(&self) -> Vec<Taken> {
        self.taken.lock().expect("no panic").clone()
    }
}

fn session(
    connection: impl Read + Write, pause: Duration, taken: &Mutex<Vec<Taken>>,
) -> std::io::Result<()> {
    let mut client = BufReader::new(connection);
    let mut recipient = String::new();
    say(&mut client, "220 ready")?;
    while let Some(line) = heard(&mut client)? {
        match line.get(..4).unwrap_or_default() {
            "RCPT" => {
                recipient = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                say(&mut client, "250 go on")?;
            }
            "DATA" => {
                say(&mut client, "354 go on")?;
                let mut id = String::new();
                loop {
                    let Some(line) = heard(&mut client)? else {
                        return Ok(());
                    };
                    if let Some(named) = line.strip_prefix("Message-ID: ") {
                        id = named.to_owned();
                    }
                    if line == "." {
                        break;
                    }
                }
                std::thread::sleep(pause);
                taken.lock().expect("no panic").push((recipient.clone(), id));
                say(&mut client, "250 taken")?;
            }
            "QUIT" => return say(&mut client, "221 good-bye"),
            _ => say(&mut client, "250 fine")?,
        }
    }
    Ok(())
}

fn say(client: &mut BufReader<impl Read + Write>, text: &str) -> std::io::Result<()> {
    let client = client.get_mut();
    client.write_all(format!("{text}\r\n").as_bytes())?;
    client.flush()
}

/// A line of the client's; none once it is gone.
fn heard(client: &mut BufReader<impl Read + Write>) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    client.read_until(b'\n', &mut line)?;
    let text = String::from_utf8_lossy(&line);
    Ok((!line.is_empty()).then(|| text.trim_end().to_owned()))
}
