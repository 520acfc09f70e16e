//! What happened on one connection and when, noted as its bytes pass.

use super::ConnectionLimits;
use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The times of a connection.
pub(super) struct Timeline(Mutex<Times>);

struct Times {
    /// Requests whose answers are not sent yet, and those being sent.
    open: usize,
    sending: usize,
    /// Since when there is none.
    quiet_since: Instant,
    /// Since when a part of a head is there.
    head_since: Option<Instant>,
    /// When something of an answer was last taken.
    taken_at: Instant,
    /// No request has begun yet.
    is_fresh: bool,
    /// Bytes between two requests may be other than a head's (HTTP/2).
    is_shared: bool,
}

impl Timeline {
    /// Of a connection that begins now.
    pub(super) fn new() -> Timeline {
        let now = Instant::now();
        Timeline(Mutex::new(Times {
            open: 0,
            sending: 0,
            quiet_since: now,
            head_since: None,
            taken_at: now,
            is_fresh: true,
            is_shared: false,
        }))
    }

    fn times(&self) -> MutexGuard<'_, Times> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) {
        let mut times = self.times();
        if times.open == 0 && !times.is_shared && times.head_since.is_none() {
            times.head_since = Some(Instant::now());
        }
    }

    fn wrote(&self) {
        self.times().taken_at = Instant::now();
    }

    /// A request begins.
    pub(super) fn begin(self: &Arc<Self>) -> Exchange {
        let mut times = self.times();
        times.open += 1;
        times.head_since = None;
        times.is_fresh = false;
        drop(times);
        Exchange { timeline: self.clone(), is_sending: false }
    }

    /// Whether the client took longer over something than it may.
    pub(super) fn is_overdue(&self, limits: &ConnectionLimits, now: Instant) -> bool {
        let times = self.times();
        let since = |at: Instant| now.saturating_duration_since(at);
        if times.open > 0 {
            return times.sending > 0 && since(times.taken_at) > limits.progress;
        }
        let patience = if times.is_fresh { limits.head } else { limits.idle };
        let slow_head = times.head_since.is_some_and(|at| since(at) > limits.head);
        slow_head || since(times.quiet_since) > patience
    }
}

/// A request and its answer, until that is sent.
pub(super) struct Exchange {
    timeline: Arc<Timeline>,
    is_sending: bool,
}

impl Exchange {
    /// Other requests may come between, as in HTTP/2.
    pub(super) fn shares_connection(&self) {
        self.timeline.times().is_shared = true;
    }

    /// The answer's body, which ends this.
    pub(super) fn sending(mut self, body: Body) -> Answer {
        let mut times = self.timeline.times();
        times.sending += 1;
        times.taken_at = Instant::now();
        drop(times);
        self.is_sending = true;
        Answer { body, _exchange: self }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let mut times = self.timeline.times();
        times.open -= 1;
        times.sending -= usize::from(self.is_sending);
        times.quiet_since = Instant::now();
    }
}

/// The body of an answer on its way.
pub(super) struct Answer {
    body: Body,
    _exchange: Exchange,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>, context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A connection's bytes.
pub(super) struct Watched {
    stream: TcpStream,
    timeline: Arc<Timeline>,
}

impl Watched {
    /// Notes what passes.
    pub(super) fn new(stream: TcpStream, timeline: Arc<Timeline>) -> Watched {
        Watched { stream, timeline }
    }

    fn noted(&self, polled: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if matches!(polled, Poll::Ready(Ok(1..))) {
            self.timeline.wrote();
        }
        polled
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.timeline.read();
        }
        polled
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.noted(polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>, context: &mut Context<'_>, parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.noted(polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn after(seconds: u64) -> Instant {
        Instant::now() + Duration::from_secs(seconds)
    }

    #[test]
    fn silence_and_half_a_head_are_overdue() {
        let limits = ConnectionLimits::default();
        let timeline = Arc::new(Timeline::new());
        assert!(!timeline.is_overdue(&limits, after(9)));
        assert!(timeline.is_overdue(&limits, after(11)), "nothing came");

        drop(timeline.begin());
        assert!(!timeline.is_overdue(&limits, after(74)), "kept alive");
        assert!(timeline.is_overdue(&limits, after(76)));
        timeline.read();
        assert!(!timeline.is_overdue(&limits, after(9)));
        assert!(timeline.is_overdue(&limits, after(11)), "half a head");
    }

    #[test]
    fn a_handler_may_take_its_time_and_an_answer_must_be_taken() {
        let limits = ConnectionLimits::default();
        let timeline = Arc::new(Timeline::new());
        let exchange = timeline.begin();
        timeline.read();
        assert!(!timeline.is_overdue(&limits, after(3600)), "it is answered");
        let answer = exchange.sending(Body::empty());
        assert!(!timeline.is_overdue(&limits, after(29)));
        assert!(timeline.is_overdue(&limits, after(31)), "not taken");
        drop(answer);
        assert!(!timeline.is_overdue(&limits, after(31)));
    }

    #[test]
    fn other_frames_between_requests_are_no_head() {
        let limits = ConnectionLimits::default();
        let timeline = Arc::new(Timeline::new());
        let exchange = timeline.begin();
        exchange.shares_connection();
        drop(exchange);
        timeline.read();
        assert!(!timeline.is_overdue(&limits, after(74)));
    }
}
