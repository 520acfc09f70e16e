//! The body of a report, read within limits of bytes, time and memory.
//!
//! Decompression takes a window and a core, so only few bodies are
//! decompressed at once. What is small is first received, then decompressed,
//! so that slow senders hold none of these places; what is larger has few
//! places of its own.

use super::decode::{Decoder, Encoding, Form, Sink};
use super::fault::{Fault, Refusal};
use axum::body::Body;
use bytes::Bytes;
use futures_util::StreamExt;
use kernel::error::{Error, Result};
use kernel::http::openapi::Operation;
use kernel::http::{Call, FromCall};
use std::sync::LazyLock;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

/// Compressed bytes received before any is decompressed.
const GATHERED: usize = 256 * 1024;
const PATIENCE: Duration = Duration::from_secs(60);
/// Large bodies decompressed at once.
const LARGE: usize = 2;

/// Places for work that takes a core.
pub static WORKING: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    Semaphore::new(cores.clamp(2, 4))
});
static RECEIVING: Semaphore = Semaphore::const_new(LARGE);

/// The body just as it is sent, whatever type it says it has.
pub struct Raw(pub Body);

impl FromCall for Raw {
    async fn from_call(call: &mut Call) -> Result<Raw> {
        Ok(Raw(call.take_body()))
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.binary_body();
    }
}

pub struct Reading {
    pub encoding: Encoding,
    pub form: Form,
    /// Most bytes as it is sent.
    pub sent: u64,
    /// Most bytes once decompressed.
    pub decoded: u64,
}

struct Arriving {
    stream: axum::body::BodyDataStream,
    until: Instant,
    left: u64,
}

impl Arriving {
    fn new(body: Body, most: u64) -> Arriving {
        Arriving {
            stream: body.into_data_stream(),
            until: Instant::now() + PATIENCE,
            left: most,
        }
    }

    async fn next(&mut self) -> Result<Option<Bytes>, Fault> {
        let next = timeout_at(self.until, self.stream.next()).await;
        match next {
            Err(_) => Err(Fault::Malformed("the body took too long")),
            Ok(Some(Err(_))) => Err(Fault::Malformed("the body was cut off")),
            Ok(None) => Ok(None),
            Ok(Some(Ok(bytes))) => {
                let size = bytes.len() as u64;
                self.left = self.left.checked_sub(size).ok_or(Fault::TooLarge("the body"))?;
                Ok(Some(bytes))
            }
        }
    }
}

pub async fn read(body: Body, reading: Reading) -> Result<Form, Refusal> {
    let mut arriving = Arriving::new(body, reading.sent);
    let sink = Sink::new(reading.form, reading.decoded);
    let decoder = Decoder::new(reading.encoding, sink)?;
    match reading.encoding {
        Encoding::Identity => Ok(plain(&mut arriving, decoder).await?),
        _ => compressed(&mut arriving, decoder).await,
    }
}

/// Reads a body of at most so many bytes as it is sent.
pub async fn whole(body: Body, most: u64) -> Result<Vec<u8>, Fault> {
    let mut arriving = Arriving::new(body, most);
    let mut all = Vec::new();
    while let Some(bytes) = arriving.next().await? {
        all.extend_from_slice(&bytes);
    }
    Ok(all)
}

async fn plain(arriving: &mut Arriving, mut decoder: Decoder) -> Result<Form, Fault> {
    while let Some(bytes) = arriving.next().await? {
        decoder.feed(&bytes)?;
    }
    decoder.finish()
}

async fn compressed(arriving: &mut Arriving, decoder: Decoder) -> Result<Form, Refusal> {
    let mut gathered = Vec::new();
    while let Some(bytes) = arriving.next().await? {
        gathered.extend_from_slice(&bytes);
        if gathered.len() > GATHERED {
            return large(arriving, decoder, gathered).await;
        }
    }
    Ok(feed(decoder, gathered).await?.finish()?)
}

async fn large(
    arriving: &mut Arriving, mut decoder: Decoder, mut bytes: Vec<u8>,
) -> Result<Form, Refusal> {
    let place = timeout_at(arriving.until, RECEIVING.acquire()).await;
    let Ok(_place) = place else {
        return Err(Error::Unavailable("too many large reports at once".into()).into());
    };
    loop {
        decoder = feed(decoder, bytes).await?;
        bytes = match arriving.next().await? {
            Some(bytes) => bytes.into(),
            None => return Ok(decoder.finish()?),
        };
    }
}

/// Decodes on a thread that may be busy for a while.
async fn feed(mut decoder: Decoder, bytes: Vec<u8>) -> Result<Decoder, Refusal> {
    Ok(busy(move || decoder.feed(&bytes).map(|()| decoder)).await??)
}

/// Does work that takes a core for a while, few at once.
pub async fn busy<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let _place = WORKING.acquire().await.map_err(Error::internal)?;
    tokio::task::spawn_blocking(work).await.map_err(Error::internal)
}
