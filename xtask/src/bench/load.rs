//! A small load generator: keep-alive HTTP/1.1 connections that each send
//! the next request when the answer to the last is complete.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One request to send again and again.
#[derive(Clone)]
pub struct Request {
    /// `GET`, `PUT`, …
    pub method: &'static str,
    /// Path and query. `{n}` becomes a number that no other request of the
    /// run has.
    pub target: String,
    /// Sent as `PRIVATE-TOKEN`, by the connections in turn; may be empty.
    pub tokens: Vec<String>,
    /// A JSON body, with the same placeholder; empty for none.
    pub body: String,
}

impl Request {
    /// A GET without a body; an empty token is not sent.
    pub fn get(target: &str, token: &str) -> Request {
        Request {
            method: "GET",
            target: target.to_owned(),
            tokens: Some(token.to_owned())
                .filter(|token| !token.is_empty())
                .into_iter()
                .collect(),
            body: String::new(),
        }
    }

    fn bytes(&self, host: &str, connection: usize, number: u64) -> Vec<u8> {
        let fill = |text: &str| text.replace("{n}", &number.to_string());
        let mut head = format!(
            "{} {} HTTP/1.1\r\nhost: {host}\r\n",
            self.method,
            fill(&self.target)
        );
        if let Some(token) = self.tokens.iter().cycle().nth(connection) {
            head.push_str(&format!("private-token: {token}\r\n"));
        }
        let body = fill(&self.body);
        if !body.is_empty() {
            head.push_str("content-type: application/json\r\n");
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        format!("{head}\r\n{body}").into_bytes()
    }
}

/// Answers per second that `connections` connections got within `time`.
///
/// # Errors
/// Any answer that is not 2xx ends the run: a fast refusal is not speed.
pub fn rate(
    url: &str,
    request: &Request,
    connections: usize,
    time: Duration,
) -> Result<f64, String> {
    let host = url.strip_prefix("http://").unwrap_or(url).to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("tokio: {error}"))?;
    let numbers = Arc::new(AtomicU64::new(0));
    runtime.block_on(async {
        let begun = Instant::now();
        let workers: Vec<_> = (0..connections)
            .map(|connection| {
                let (host, request) = (host.clone(), request.clone());
                let numbers = Arc::clone(&numbers);
                tokio::spawn(async move {
                    drive(&host, &request, connection, &numbers, begun + time).await
                })
            })
            .collect();
        let mut answers = 0;
        for worker in workers {
            answers += worker.await.map_err(|error| error.to_string())??;
        }
        Ok(answers as f64 / begun.elapsed().as_secs_f64())
    })
}

/// The body of one answer to `request`.
pub fn once(url: &str, request: &Request) -> Result<String, String> {
    let host = url.strip_prefix("http://").unwrap_or(url);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("tokio: {error}"))?;
    runtime.block_on(async {
        let mut connection = Connection::open(host).await?;
        connection.send(&request.bytes(host, 0, 0)).await
    })
}

async fn drive(
    host: &str,
    request: &Request,
    number: usize,
    numbers: &AtomicU64,
    until: Instant,
) -> Result<u64, String> {
    let mut connection = Connection::open(host).await?;
    let mut answers = 0;
    while Instant::now() < until {
        let next = numbers.fetch_add(1, Ordering::Relaxed);
        connection.send(&request.bytes(host, number, next)).await?;
        answers += 1;
    }
    Ok(answers)
}

struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

impl Connection {
    async fn open(host: &str) -> Result<Connection, String> {
        let stream = TcpStream::connect(host)
            .await
            .map_err(|error| format!("{host}: {error}"))?;
        stream
            .set_nodelay(true)
            .map_err(|error| error.to_string())?;
        Ok(Connection {
            stream,
            received: Vec::with_capacity(64 * 1024),
        })
    }

    /// Sends a request and reads its whole answer; answers the body.
    async fn send(&mut self, request: &[u8]) -> Result<String, String> {
        self.stream
            .write_all(request)
            .await
            .map_err(|error| error.to_string())?;
        self.received.clear();
        let head_end = loop {
            if let Some(at) = find(&self.received, b"\r\n\r\n") {
                break at + 4;
            }
            self.more().await?;
        };
        let head = String::from_utf8_lossy(&self.received[..head_end]).to_ascii_lowercase();
        let length = match header(&head, "content-length") {
            Some(length) => length.parse::<usize>().ok(),
            None if header(&head, "transfer-encoding").is_some() => None,
            None => Some(0),
        };
        match length {
            Some(length) => {
                while self.received.len() < head_end + length {
                    self.more().await?;
                }
            }
            None => {
                while !self.received.ends_with(b"0\r\n\r\n") {
                    self.more().await?;
                }
            }
        }
        let body = String::from_utf8_lossy(&self.received[head_end..]).into_owned();
        let status = head.split(' ').nth(1).unwrap_or_default();
        if status.starts_with('2') {
            return Ok(body);
        }
        let asked = String::from_utf8_lossy(request);
        let asked = asked.lines().next().unwrap_or_default();
        Err(format!("{asked}: answered {status}: {body}"))
    }

    async fn more(&mut self) -> Result<(), String> {
        let count = self
            .stream
            .read_buf(&mut self.received)
            .await
            .map_err(|error| error.to_string())?;
        if count == 0 {
            return Err("the server closed the connection".to_owned());
        }
        Ok(())
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.trim())
}
