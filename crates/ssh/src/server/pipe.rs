//! The two directions of a session, each with what a client may take of time.

use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt};
use kernel::error::{Error, Result};
use repositories::fetch::MAX_REQUEST;
use repositories::formats::packet;
use russh::server::Msg;
use russh::{Channel, ChannelMsg, ChannelReadHalf, ChannelWriteHalf};
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// In this time a client must say so much, unless it has said all. Git counts and packs
/// before it sends, which takes its time.
const PATIENCE: Duration = Duration::from_secs(300);
const PROGRESS: usize = 16 * 1024;
/// How long a client may take to take a piece of an answer.
const TAKING: Duration = Duration::from_secs(60);
/// The stream of what people read.
const STDERR: u32 = 1;

/// Both directions.
pub(super) fn split(channel: Channel<Msg>) -> (Input, Output) {
    let (read, write) = channel.split();
    let input = Input { read, since: Instant::now(), came: 0, rest: BytesMut::new() };
    (input, Output(write))
}

/// What a client says.
pub(super) struct Input {
    read: ChannelReadHalf,
    /// Since when it has to say more, and what came since then.
    since: Instant,
    came: usize,
    /// What came and nobody took yet.
    rest: BytesMut,
}

impl Input {
    /// What comes next; nothing at the end, or where it takes too long, which is an end,
    /// too.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        if !self.rest.is_empty() {
            return Some(self.rest.split().freeze());
        }
        loop {
            let left = PATIENCE.checked_sub(self.since.elapsed())?;
            match timeout(left, self.read.wait()).await.ok()?? {
                ChannelMsg::Data { data } => {
                    self.came += data.len();
                    if self.came >= PROGRESS {
                        self.begin();
                    }
                    return Some(data);
                }
                ChannelMsg::Eof | ChannelMsg::Close => return None,
                _ => {}
            }
        }
    }

    /// From now on the client has its time again.
    pub(super) fn begin(&mut self) {
        (self.since, self.came) = (Instant::now(), 0);
    }

    /// A whole message of git's protocol, with its flush; nothing at the end.
    pub(super) async fn message(&mut self) -> Result<Option<Bytes>> {
        let wrong = |text: &str| Error::BadRequest(text.to_owned());
        let (mut all, mut at) = (BytesMut::new(), 0);
        self.begin();
        loop {
            let end = packet::end(&all, &mut at);
            if let Some(end) = end.map_err(|_| wrong("the request is not made of packets"))? {
                let message = all.split_to(end);
                self.rest = all;
                return Ok(Some(message.freeze()));
            }
            match self.next().await {
                Some(bytes) => all.extend_from_slice(&bytes),
                None if all.is_empty() => return Ok(None),
                None => return Err(wrong("the request was cut off")),
            }
            if all.len() > MAX_REQUEST {
                return Err(Error::TooLarge);
            }
        }
    }

    /// All that comes, as it comes.
    pub(super) fn stream(mut self) -> BoxStream<'static, Result<Bytes>> {
        self.begin();
        let next = |mut input: Input| async move {
            let bytes = input.next().await?;
            Some((Ok(bytes), input))
        };
        stream::unfold(self, next).boxed()
    }
}

/// What a client gets.
pub(super) struct Output(ChannelWriteHalf<Msg>);

impl Output {
    async fn put(&self, stream: Option<u32>, bytes: Bytes) -> Result<()> {
        let put = async {
            match stream {
                None => self.0.data_bytes(bytes).await,
                Some(stream) => self.0.extended_data_bytes(stream, bytes).await,
            }
        };
        let gone = || Error::Unavailable("The client is gone.".into());
        match timeout(TAKING, put).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(gone()),
        }
    }

    /// What a program takes.
    pub(super) async fn send(&self, bytes: Bytes) -> Result<()> {
        self.put(None, bytes).await
    }

    /// What a person reads.
    pub(super) async fn say(&self, text: String) -> Result<()> {
        self.put(Some(STDERR), text.into()).await
    }

    /// All of a stream.
    pub(super) async fn send_all(
        &self, stream: impl Stream<Item = Result<Bytes>> + Send,
    ) -> Result<()> {
        let mut stream = std::pin::pin!(stream);
        while let Some(bytes) = stream.next().await {
            self.send(bytes?).await?;
        }
        Ok(())
    }

    /// Ends the session with the status of a program.
    pub(super) async fn end(self, status: u32) {
        let end = async {
            self.0.exit_status(status).await?;
            self.0.eof().await?;
            self.0.close().await
        };
        // Who went away is told nothing.
        let _ = timeout(TAKING, end).await;
    }
}
