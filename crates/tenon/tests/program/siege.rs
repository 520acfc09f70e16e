//! Clients that mean no good, each from an address of its own, and the good
//! ones beside them.

use crate::place::{Place, Server, project, until};
use http::StatusCode;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;

/// How many come at once.
pub const BAD: u32 = 200;
const GOOD: usize = 8;
/// Requests of one good client, at least.
const ASKED: usize = 40;
/// How much slower they may become.
const SLOWER: u32 = 10;
/// Within which everybody is answered, if only with «not now».
pub const PROMISE: Duration = Duration::from_secs(5);
/// Bytes by which memory may grow, and what may be left of it a minute later.
const MAX_GROWTH: u64 = 256 << 20;
const MAX_LEFT: u64 = 100 << 20;

/// The status, head and body of an answer.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
    pub took: Duration,
}

impl Answer {
    pub fn says_when(&self) -> bool {
        self.head.contains("retry-after: ")
    }
}

/// The address of the bad client of this number.
pub fn address(number: u32) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(Ipv4Addr::new(127, 1, 0, 1)) + number)
}

/// A connection to the server from an address of this machine.
pub async fn connect(server: &Server, from: Ipv4Addr) -> std::io::Result<TcpStream> {
    let to: SocketAddr = server.url.trim_start_matches("http://").parse().unwrap();
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    socket.connect(to).await
}

/// A request as bytes; `head` are further lines of its head.
pub fn request(method: &str, path: &str, head: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: tenon\r\ncontent-length: {length}\r\n{head}\r\n{body}"
    )
    .into_bytes()
}

/// Reads one answer.
pub async fn answer(stream: &mut (impl AsyncRead + Unpin)) -> std::io::Result<Answer> {
    let began = Instant::now();
    let mut read = Vec::new();
    let end = loop {
        if let Some(end) = read.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut read).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(&read[..end]).to_lowercase();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let told = head.split("content-length: ").nth(1);
    let length = told.and_then(|rest| rest.split("\r\n").next()?.parse().ok());
    let mut body = read.split_off(end);
    while body.len() < length.unwrap_or(0) {
        if stream.read_buf(&mut body).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(Answer {
        status: status.unwrap_or_default(),
        head,
        body,
        took: began.elapsed(),
    })
}

/// Sends a request on a connection of its own; its answer.
pub async fn ask(server: &Server, from: Ipv4Addr, request: &[u8]) -> std::io::Result<Answer> {
    let mut stream = connect(server, from).await?;
    stream.write_all(request).await?;
    answer(&mut stream).await
}

/// What all bad clients come to that do the same at the same time.
pub async fn all<T: Send + 'static, W>(count: u32, bad: impl Fn(u32) -> W) -> Vec<T>
where
    W: Future<Output = T> + Send + 'static,
{
    let mut clients = JoinSet::new();
    for number in 0..count {
        clients.spawn(bad(number));
    }
    clients.join_all().await
}

/// A server with something in it, and how it does without bad clients.
pub struct Besieged {
    /// Its files stay as long as it runs.
    place: Place,
    pub server: std::sync::Arc<Server>,
    pub token: String,
    pub project: String,
    alone: Duration,
    idle: u64,
}

impl Besieged {
    pub async fn begin(place: Place) -> Besieged {
        let server = std::sync::Arc::new(place.serve());
        let token = place.token();
        let project = project(&server.client(&token)).await;
        let mut besieged = Besieged {
            place,
            server,
            token,
            project,
            alone: Duration::ZERO,
            idle: 0,
        };
        // What a server takes once is not growth.
        besieged.good(async {}).await;
        besieged.alone = besieged.good(async {}).await.0;
        besieged.idle = besieged.server.memory("VmRSS");
        besieged
    }

    /// Files of uploads that did not come to an end.
    pub fn unfinished(&self) -> Vec<PathBuf> {
        testkit::files_below(&self.place.path().join("data/tmp"))
    }

    pub fn with_token(&self) -> String {
        format!("private-token: {}\r\n", self.token)
    }

    /// Has bad clients come: the good ones go on, and memory is bounded and
    /// given back.
    #[expect(clippy::print_stdout, reason = "shown beside a failure")]
    pub async fn endures<T>(&self, what: &str, siege: impl Future<Output = T>) -> T {
        self.server.forget_peak();
        let (slowest, done) = self.good(siege).await;
        let peak = self.server.memory("VmHWM").saturating_sub(self.idle);
        println!("{what}: alone {:?}, besieged {slowest:?}, grown {}", self.alone, peak >> 20);
        assert!(peak <= MAX_GROWTH, "{what}: {} MiB", peak >> 20);
        let most = self.alone * SLOWER;
        assert!(slowest <= most, "{what}: {slowest:?} and alone {:?}", self.alone);
        until("memory comes back", async || {
            self.server.memory("VmRSS") <= self.idle + MAX_LEFT
        })
        .await;
        done
    }

    /// Good clients work while something else goes on, and at least for a
    /// while; what is exceeded by one request of a hundred.
    async fn good<T>(&self, meanwhile: impl Future<Output = T>) -> (Duration, T) {
        let (ended, until) = tokio::sync::watch::channel(false);
        let mut clients = JoinSet::new();
        for _ in 0..GOOD {
            let (server, until) = (self.server.clone(), until.clone());
            let (project, head) = (self.project.clone(), self.with_token());
            clients.spawn(async move { work(&server, &project, &head, until).await });
        }
        let done = meanwhile.await;
        ended.send_replace(true);
        let mut took: Vec<Duration> = clients.join_all().await.into_iter().flatten().collect();
        took.sort();
        (took[took.len() * 99 / 100], done)
    }
}

/// A good client's work: how long each request took.
async fn work(
    server: &Server, project: &str, head: &str, ended: tokio::sync::watch::Receiver<bool>,
) -> Vec<Duration> {
    let mut stream = connect(server, Ipv4Addr::LOCALHOST).await.unwrap();
    let requests = [
        ("GET", format!("/api/v4{project}"), 200),
        ("GET", format!("/api/v4{project}/issues?per_page=5"), 200),
        ("POST", format!("/api/v4{project}/issues?title=good"), 201),
    ];
    let mut took = Vec::new();
    for (method, path, status) in requests.iter().cycle() {
        if took.len() >= ASKED && *ended.borrow() {
            break;
        }
        let began = Instant::now();
        stream.write_all(&request(method, path, head, "")).await.unwrap();
        let got = answer(&mut stream).await.unwrap();
        assert_eq!(got.status, *status, "{}", String::from_utf8_lossy(&got.body));
        took.push(began.elapsed());
    }
    took
}

/// Whether an answer is one that says «not now», in time.
#[track_caller]
pub fn is_put_off(got: &Answer) {
    let busy = [StatusCode::SERVICE_UNAVAILABLE, StatusCode::TOO_MANY_REQUESTS];
    assert!(busy.iter().any(|busy| busy.as_u16() == got.status), "{}", got.head);
    assert!(got.says_when(), "{}", got.head);
    assert!(got.took <= PROMISE, "{:?}", got.took);
}
