//! What a refusal leaves unread of a body. A server that closes a connection
//! while its client still writes breaks off the client's writing, and many
//! clients then report that instead of the answer. So a part of the rest is
//! taken before the refusal goes out; the connection stays of use, too.

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{Instant, timeout_at};

/// Most bytes taken: more than any form that is sent in good faith.
const MOST: usize = 10 << 20;
/// How long they are waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// Rests that are taken at the same time; others are left.
static TURNS: Semaphore = Semaphore::const_new(8);

/// The way back of a body from whoever was to read it.
pub struct Unread(Option<oneshot::Receiver<Body>>);

/// A body that comes back when it is dropped before its end.
pub fn lend(body: Body) -> (Body, Unread) {
    if body.is_end_stream() {
        return (body, Unread(None));
    }
    let (back, returned) = oneshot::channel();
    let lent = Lent { body: Some(body), back: Some(back) };
    (Body::new(lent), Unread(Some(returned)))
}

impl Unread {
    /// Takes some of the rest, if there is one.
    pub async fn take_some(self) {
        let returned = self.0.and_then(|mut returned| returned.try_recv().ok());
        let Some(mut body) = returned else {
            return;
        };
        let Ok(_turn) = TURNS.try_acquire() else {
            return;
        };
        let (until, mut taken) = (Instant::now() + PATIENCE, 0);
        while let Ok(Some(Ok(frame))) = timeout_at(until, body.frame()).await {
            taken += frame.data_ref().map_or(0, Bytes::len);
            if taken > MOST {
                return;
            }
        }
    }
}

struct Lent {
    /// Nothing once it ended or failed.
    body: Option<Body>,
    back: Option<oneshot::Sender<Body>>,
}

impl HttpBody for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>, context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let polled = Pin::new(body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.body = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let hint = self.body.as_ref().map(HttpBody::size_hint);
        hint.unwrap_or_else(|| SizeHint::with_exact(0))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let rest = self.body.take().filter(|body| !body.is_end_stream());
        if let Some((rest, back)) = rest.zip(self.back.take()) {
            back.send(rest).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;

    fn sent(pieces: usize) -> Body {
        let pieces = (0..pieces).map(|_| Ok::<_, std::io::Error>(Bytes::from_static(&[0; 1024])));
        Body::from_stream(stream::iter(pieces))
    }

    #[tokio::test]
    async fn what_is_dropped_comes_back_and_what_is_read_does_not() {
        let (body, unread) = lend(sent(3));
        drop(body);
        let mut back = unread.0.unwrap();
        let rest = back.try_recv().unwrap().collect().await.unwrap();
        assert_eq!(rest.to_bytes().len(), 3 * 1024);

        let (mut body, unread) = lend(sent(3));
        body.frame().await.unwrap().unwrap();
        drop(body);
        let rest = unread.0.unwrap().try_recv().unwrap();
        assert_eq!(rest.collect().await.unwrap().to_bytes().len(), 2 * 1024);

        let (body, unread) = lend(sent(3));
        assert_eq!(body.collect().await.unwrap().to_bytes().len(), 3 * 1024);
        assert!(unread.0.unwrap().try_recv().is_err());
    }

    #[tokio::test]
    async fn an_endless_rest_is_left() {
        let endless = stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from(vec![0; 65_536])));
        let (body, unread) = lend(Body::from_stream(endless));
        drop(body);
        unread.take_some().await;
    }
}
