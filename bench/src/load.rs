//! A small load generator: keep-alive HTTP/1.1 connections that each send
//! the next request when the answer to the last is complete.

use std::future::Future;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One request to send again and again.
#[derive(Clone)]
pub struct Request {
    /// `GET`, `PUT`, …
    pub method: &'static str,
    /// Path and query. `{n}` becomes a number that no other request of the
    /// run has, `{id}` 32 hexadecimal digits that no other request has at all.
    pub target: String,
    /// Header lines, of the connections in turn; may be empty.
    pub headers: Vec<String>,
    /// The body, with the same placeholders and `{value}`; empty for none.
    pub body: String,
    /// What the body is.
    pub content_type: &'static str,
    /// What `{value}` stands for.
    pub values: Values,
}

/// Texts that each request uses up.
#[derive(Clone)]
pub enum Values {
    /// None.
    None,
    /// Each request takes the next; a run that takes more fails.
    Each(Arc<(Vec<String>, AtomicUsize)>),
    /// Each request takes the next name for `{value}`, and its body whole; a
    /// run that takes more fails.
    Bodies(Arc<(Vec<(String, String)>, AtomicUsize)>),
    /// Each connection has its own, which the answer to a request replaces by
    /// what it holds under this JSON key.
    Chain(Arc<Vec<Mutex<String>>>, &'static str),
}

impl Values {
    /// Texts that are taken one by one.
    pub fn each(texts: Vec<String>) -> Values {
        Values::Each(Arc::new((texts, AtomicUsize::new(0))))
    }

    /// One text for each connection, replaced from answers.
    pub fn chain(texts: Vec<String>, key: &'static str) -> Values {
        Values::Chain(Arc::new(texts.into_iter().map(Mutex::new).collect()), key)
    }

    /// Names with a body each, that are taken one by one.
    pub fn bodies(pairs: Vec<(String, String)>) -> Values {
        Values::Bodies(Arc::new((pairs, AtomicUsize::new(0))))
    }

    /// The next value, and the body that goes with it.
    fn take(&self, connection: usize) -> Result<(String, Option<&str>), String> {
        match self {
            Values::None => Ok((String::new(), None)),
            Values::Each(each) => Ok((next_of(&each.0, &each.1)?.clone(), None)),
            Values::Bodies(each) => {
                let (name, body) = next_of(&each.0, &each.1)?;
                Ok((name.clone(), Some(body)))
            }
            Values::Chain(links, _) => {
                let link = links
                    .get(connection)
                    .ok_or_else(|| format!("no value for connection {connection}"))?;
                let text = link.lock().map_err(|error| error.to_string())?;
                Ok((text.clone(), None))
            }
        }
    }

    fn answered(&self, connection: usize, body: &[u8]) -> Result<(), String> {
        let Values::Chain(links, key) = self else {
            return Ok(());
        };
        let body = &*String::from_utf8_lossy(body);
        let text = text_of(body, key).ok_or_else(|| format!("no {key} in {body}"))?;
        let link = links
            .get(connection)
            .ok_or_else(|| format!("no value for connection {connection}"))?;
        *link.lock().map_err(|error| error.to_string())? = text.to_owned();
        Ok(())
    }
}

fn next_of<'v, T>(values: &'v [T], next: &AtomicUsize) -> Result<&'v T, String> {
    let taken = values.get(next.fetch_add(1, Ordering::Relaxed));
    taken.ok_or_else(|| format!("all {} values are used up", values.len()))
}

/// The text under a key of flat JSON, without reading the rest.
fn text_of<'a>(body: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = body.split_once(&format!("\"{key}\":"))?;
    let (_, rest) = rest.split_once('"')?;
    rest.split_once('"').map(|(text, _)| text)
}

impl Request {
    /// A GET without a body; an empty token is not sent.
    pub fn get(target: &str, token: &str) -> Request {
        let headers = match token {
            "" => Vec::new(),
            token => vec![format!("private-token: {token}")],
        };
        Request {
            method: "GET",
            target: target.to_owned(),
            headers,
            body: String::new(),
            content_type: "",
            values: Values::None,
        }
    }

    /// A request with a JSON body, by the holders of these tokens in turn.
    pub fn json(
        method: &'static str, target: String, tokens: &[String], body: impl Into<String>,
    ) -> Request {
        Request {
            method,
            target,
            headers: tokens.iter().map(|token| format!("private-token: {token}")).collect(),
            body: body.into(),
            content_type: "application/json",
            values: Values::None,
        }
    }

    /// A form, with one header line.
    pub fn form(target: &str, header: String, body: &str, values: Values) -> Request {
        Request {
            method: "POST",
            target: target.to_owned(),
            headers: vec![header],
            body: body.to_owned(),
            content_type: "application/x-www-form-urlencoded",
            values,
        }
    }

    fn bytes(&self, host: &str, connection: usize, number: u64) -> Result<Vec<u8>, String> {
        let (value, whole) = self.values.take(connection)?;
        let fill = |text: &str| {
            let text = text.replace("{n}", &number.to_string());
            match text.contains("{id}") {
                true => text.replace("{id}", &fresh_id()),
                false => text,
            }
            .replace("{value}", &value)
        };
        let mut head =
            format!("{} {} HTTP/1.1\r\nhost: {host}\r\n", self.method, fill(&self.target));
        if let Some(line) = self.headers.iter().cycle().nth(connection) {
            head.push_str(&format!("{line}\r\n"));
        }
        let body = match whole {
            Some(body) => body.to_owned(),
            None => fill(&self.body),
        };
        if !body.is_empty() {
            head.push_str(&format!("content-type: {}\r\n", self.content_type));
            head.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        Ok(format!("{head}\r\n{body}").into_bytes())
    }
}

/// 32 hexadecimal digits that were not used before.
fn fresh_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.unwrap_or_default().as_nanos() as u64;
    format!("{now:016x}{:016x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

fn block_on<T>(future: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("tokio: {error}"))?
        .block_on(future)
}

/// What an address says after its scheme.
pub fn host_of(url: &str) -> String {
    url.strip_prefix("http://").unwrap_or(url).to_owned()
}

/// Answers per second that `connections` connections got within `time`.
///
/// # Errors
/// Any answer that is not 2xx ends the run: a fast refusal is not speed.
pub fn rate(
    url: &str, request: &Request, connections: usize, time: Duration,
) -> Result<f64, String> {
    let host = host_of(url);
    let numbers = AtomicU64::new(0);
    let (request, answered) = (request.clone(), request.values.clone());
    rate_of(
        url,
        connections,
        time,
        Exchange {
            bytes: move |connection| {
                request.bytes(&host, connection, numbers.fetch_add(1, Ordering::Relaxed))
            },
            answered: move |connection, body: &[u8]| answered.answered(connection, body),
        },
    )
}

/// What a connection sends next, and what is done with the answer.
pub struct Exchange<B, A> {
    /// The whole request.
    pub bytes: B,
    /// What becomes of the body of its answer.
    pub answered: A,
}

/// As [`rate`], where each connection may say something else each time.
///
/// # Errors
/// Any answer that is not 2xx.
pub fn rate_of<B, A>(
    url: &str, connections: usize, time: Duration, exchange: Exchange<B, A>,
) -> Result<f64, String>
where
    B: Fn(usize) -> Result<Vec<u8>, String> + Send + Sync + 'static,
    A: Fn(usize, &[u8]) -> Result<(), String> + Send + Sync + 'static,
{
    let (host, exchange) = (host_of(url), Arc::new(exchange));
    block_on(async {
        let begun = Instant::now();
        let workers: Vec<_> = (0..connections)
            .map(|connection| {
                let (host, exchange) = (host.clone(), Arc::clone(&exchange));
                tokio::spawn(async move { drive(&host, &exchange, connection, begun + time).await })
            })
            .collect();
        let mut answers = 0;
        for worker in workers {
            answers += worker.await.map_err(|error| error.to_string())??;
        }
        Ok(answers as f64 / begun.elapsed().as_secs_f64())
    })
}

async fn drive<B, A>(
    host: &str, exchange: &Exchange<B, A>, number: usize, until: Instant,
) -> Result<u64, String>
where
    B: Fn(usize) -> Result<Vec<u8>, String>,
    A: Fn(usize, &[u8]) -> Result<(), String>,
{
    let mut connection = Connection::open(host).await?;
    let mut answers = 0;
    while Instant::now() < until {
        let body = connection.send(&(exchange.bytes)(number)?).await?;
        (exchange.answered)(number, body)?;
        answers += 1;
    }
    Ok(answers)
}

/// A steady stream of one request.
pub struct Stream<'r> {
    /// What is sent.
    pub request: &'r Request,
    /// By so many connections.
    pub connections: usize,
    /// So often a second, by all of them together.
    pub per_second: f64,
}

/// How long each answer to the first stream took, while the second runs
/// beside it. Counted from the time the request was due, so that a server
/// that stalls is not spared the requests it kept from being sent.
pub fn times(
    url: &str, measured: &Stream<'_>, beside: Option<&Stream<'_>>, time: Duration,
) -> Result<Vec<Duration>, String> {
    let host = host_of(url);
    block_on(async {
        let begun = Instant::now();
        let others = beside.map_or(Vec::new(), |stream| pace(&host, stream, begun, time));
        let workers = pace(&host, measured, begun, time);
        let mut all = Vec::new();
        for worker in workers {
            all.extend(worker.await.map_err(|error| error.to_string())??);
        }
        for other in others {
            other.await.map_err(|error| error.to_string())??;
        }
        Ok(all)
    })
}

type Worker = tokio::task::JoinHandle<Result<Vec<Duration>, String>>;

fn pace(host: &str, stream: &Stream<'_>, begun: Instant, time: Duration) -> Vec<Worker> {
    let step = Duration::from_secs_f64(stream.connections as f64 / stream.per_second);
    (0..stream.connections)
        .map(|number| {
            let (host, request) = (host.to_owned(), stream.request.clone());
            let first = begun + step.mul_f64(number as f64 / stream.connections as f64);
            tokio::spawn(async move {
                let mut connection = Connection::open(&host).await?;
                let mut due = first;
                let mut took = Vec::new();
                while due < begun + time {
                    tokio::time::sleep_until(due.into()).await;
                    let bytes = request.bytes(&host, number, took.len() as u64)?;
                    connection.send(&bytes).await?;
                    took.push(due.elapsed());
                    due += step;
                }
                Ok(took)
            })
        })
        .collect()
}

/// The body of one answer to `request`.
pub fn once(url: &str, request: &Request) -> Result<String, String> {
    let host = host_of(url);
    block_on(async {
        let mut connection = Connection::open(&host).await?;
        let body = connection.send(&request.bytes(&host, 0, 0)?).await?;
        Ok(String::from_utf8_lossy(body).into_owned())
    })
}

/// Sends a body of any bytes once, with a token.
pub fn post_bytes(
    url: &str, target: &str, token: &str, kind: &str, body: &[u8],
) -> Result<(), String> {
    let host = host_of(url);
    let head = format!(
        "POST {target} HTTP/1.1\r\nhost: {host}\r\nprivate-token: {token}\r\n\
         content-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let request = [head.as_bytes(), body].concat();
    block_on(async {
        let mut connection = Connection::open(&host).await?;
        connection.send(&request).await.map(|_| ())
    })
}

struct Connection {
    host: String,
    stream: TcpStream,
    received: Vec<u8>,
    /// The server said that it closes.
    ended: bool,
}

impl Connection {
    async fn open(host: &str) -> Result<Connection, String> {
        Ok(Connection {
            host: host.to_owned(),
            stream: Connection::connect(host).await?,
            received: Vec::with_capacity(64 * 1024),
            ended: false,
        })
    }

    async fn connect(host: &str) -> Result<TcpStream, String> {
        let stream = TcpStream::connect(host).await.map_err(|error| format!("{host}: {error}"))?;
        stream.set_nodelay(true).map_err(|error| error.to_string())?;
        Ok(stream)
    }

    /// Sends a request and reads its whole answer; answers the body.
    async fn send(&mut self, request: &[u8]) -> Result<&[u8], String> {
        if self.ended {
            self.stream = Connection::connect(&self.host).await?;
        }
        self.stream.write_all(request).await.map_err(|error| error.to_string())?;
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
        let stays = header(&head, "connection").map(|text| text == "keep-alive");
        self.ended = !stays.unwrap_or(head.starts_with("http/1.1"));
        let status = head.split(' ').nth(1).unwrap_or_default();
        if status.starts_with('2') {
            return Ok(&self.received[head_end..]);
        }
        let body = String::from_utf8_lossy(&self.received[head_end..]);
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
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.trim())
}
