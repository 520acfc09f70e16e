//! Bodies of requests: how slowly they may come, and how much of them the
//! whole server keeps in memory at the same time.

use crate::error::{Error, Result};
use axum::body::{Body, HttpBody};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http_body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};

/// Largest body of a caller without credentials, in bytes.
pub const MAX_ANONYMOUS: usize = 64 * 1024;
/// Bytes of bodies, and of what is read out of them, kept at the same time.
const KEPT: usize = 64 * 1024 * 1024;
/// Of them, those of callers without credentials.
const KEPT_ANONYMOUS: usize = KEPT / 4;
/// Bytes that must come within the time a body has for progress.
const PROGRESS: usize = 16 * 1024;
/// Bytes that a value of JSON takes once it is read, beside its text.
const JSON_VALUE: usize = 64;

/// What all requests of a server keep of their bodies.
pub(super) struct Budget {
    all: Arc<Semaphore>,
    anonymous: Arc<Semaphore>,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget {
            all: Arc::new(Semaphore::new(KEPT)),
            anonymous: Arc::new(Semaphore::new(KEPT_ANONYMOUS)),
        }
    }
}

/// What one request keeps, given back with its answer.
struct Held {
    budget: Arc<Budget>,
    permits: Mutex<Vec<OwnedSemaphorePermit>>,
}

tokio::task_local! {
    static HELD: Held;
}

impl Budget {
    /// Works on one request, whose bodies count towards this.
    pub(super) async fn over<T>(self: &Arc<Self>, work: impl Future<Output = T>) -> T {
        let held = Held { budget: self.clone(), permits: Mutex::default() };
        HELD.scope(held, work).await
    }
}

/// Why a body is not read to its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum Fault {
    #[error("the body comes too slowly")]
    TooSlow,
    #[error("too many bodies are kept at the same time")]
    Spent,
    #[error("the body is too large")]
    TooLarge,
}

impl From<&Fault> for Error {
    fn from(fault: &Fault) -> Error {
        match fault {
            Fault::TooSlow => Error::TooSlow,
            Fault::Spent => Error::Unavailable("The server is busy.".into()),
            Fault::TooLarge => Error::TooLarge,
        }
    }
}

/// The refusal for a body that could not be read, if it was not cut off.
pub(super) fn refusal(error: &(dyn std::error::Error + 'static)) -> Option<Error> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(fault) = error.downcast_ref::<Fault>() {
            return Some(fault.into());
        }
        cause = error.source();
    }
    None
}

/// Counts bytes that this request keeps until it is answered.
fn keep(bytes: usize, is_anonymous: bool) -> Result<(), Fault> {
    let taken = HELD.try_with(|held| {
        let Held { budget, permits } = held;
        let count = u32::try_from(bytes).map_err(|_| Fault::TooLarge)?;
        if bytes > KEPT {
            return Err(Fault::TooLarge);
        }
        let take = |from: &Arc<Semaphore>| {
            let taken = from.clone().try_acquire_many_owned(count);
            taken.map_err(|_| Fault::Spent)
        };
        let share = is_anonymous.then(|| take(&budget.anonymous)).transpose()?;
        let mut permits = permits.lock().unwrap_or_else(PoisonError::into_inner);
        permits.extend([Some(take(&budget.all)?), share].into_iter().flatten());
        Ok(())
    });
    // Outside of a request, as in tests, nothing is counted.
    taken.unwrap_or(Ok(()))
}

/// Counts bytes that this request keeps until it is answered, as of a body that is
/// unpacked; more than all requests together may keep are refused.
pub fn hold(bytes: usize, is_anonymous: bool) -> Result<()> {
    keep(bytes, is_anonymous).map_err(|fault| (&fault).into())
}

/// Counts what JSON will take once it is read, before it is.
pub(super) fn keep_json(text: &[u8]) -> Result<()> {
    let is_mark = |byte: &&u8| matches!(byte, b',' | b'[' | b'{' | b':');
    let values = text.iter().filter(is_mark).count();
    keep(values * JSON_VALUE, text.len() <= MAX_ANONYMOUS).map_err(|fault| (&fault).into())
}

/// The bytes of a body as they come, of at most `limit`, each counted.
pub(super) fn counted(
    body: Body, limit: usize,
) -> impl Stream<Item = Result<Bytes, axum::Error>> + Send + 'static {
    let mut length = 0;
    body.into_data_stream().map(move |bytes| {
        let bytes = bytes?;
        length += bytes.len();
        if length > limit {
            return Err(axum::Error::new(Fault::TooLarge));
        }
        keep(bytes.len(), limit <= MAX_ANONYMOUS).map_err(axum::Error::new)?;
        Ok(bytes)
    })
}

/// Reads a whole body of at most `limit` bytes.
pub async fn read_capped(body: Body, limit: usize) -> Result<Bytes> {
    let announced = body.size_hint().exact().unwrap_or(0);
    if announced > limit as u64 {
        return Err(Error::TooLarge);
    }
    let (mut bytes, mut all) = (Box::pin(counted(body, limit)), Vec::new());
    while let Some(more) = bytes.next().await {
        // Copied: a piece may hold on to a buffer much larger than itself.
        all.extend_from_slice(&more.map_err(unreadable)?);
    }
    Ok(all.into())
}

fn unreadable(error: axum::Error) -> Error {
    refusal(&error).unwrap_or_else(|| Error::BadRequest("the body could not be read".into()))
}

/// A body that must go on coming while it is waited for.
pub(super) struct Timed {
    body: Body,
    patience: Duration,
    /// Bytes since progress was last made.
    came: usize,
    /// Time waited since then, and the wait under way.
    waited: Duration,
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Timed {
    /// Fails the body when 16 KiB, or its end, take longer.
    pub(super) fn body(body: Body, patience: Duration) -> Body {
        if body.is_end_stream() {
            return body;
        }
        Body::new(Timed {
            body,
            patience,
            came: 0,
            waited: Duration::ZERO,
            waiting: None,
        })
    }

    fn arrived(&mut self, bytes: usize) {
        if let Some((since, _)) = self.waiting.take() {
            self.waited += since.elapsed();
        }
        self.came += bytes;
        if self.came >= PROGRESS {
            (self.came, self.waited) = (0, Duration::ZERO);
        }
    }
}

impl HttpBody for Timed {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>, context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            if let Some(Ok(frame)) = &frame {
                self.arrived(frame.data_ref().map_or(0, Bytes::len));
            }
            return Poll::Ready(frame);
        }
        let left = self.patience.saturating_sub(self.waited);
        let (_, sleep) =
            self.waiting.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        ready!(sleep.as_mut().poll(context));
        Poll::Ready(Some(Err(axum::Error::new(Fault::TooSlow))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;

    fn pieces(count: usize, bytes: usize) -> Body {
        let piece = move |_| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; bytes]));
        Body::from_stream(stream::iter((0..count).map(piece)))
    }

    #[tokio::test]
    async fn a_body_is_read_to_its_limit() {
        assert_eq!(read_capped(pieces(2, 50), 100).await.unwrap().len(), 100);
        let refused = read_capped(pieces(2, 51), 100).await;
        assert!(matches!(refused, Err(Error::TooLarge)));
        let refused = read_capped(Body::from(vec![0; 101]), 100).await;
        assert!(matches!(refused, Err(Error::TooLarge)));
    }

    #[tokio::test]
    async fn bodies_share_one_budget_until_they_are_answered() {
        let budget = Arc::new(Budget::default());
        let large = KEPT - MAX_ANONYMOUS;
        let read = |count, limit| read_capped(pieces(count, MAX_ANONYMOUS), limit);
        budget
            .over(async {
                read(large / MAX_ANONYMOUS, KEPT).await.unwrap();
                budget.over(async { read(1, KEPT).await.unwrap() }).await;
                read(1, KEPT).await.unwrap();
                let refused = budget.over(read(1, KEPT)).await;
                assert!(matches!(refused, Err(Error::Unavailable(_))));
            })
            .await;
        budget.over(async { read(1, KEPT).await.unwrap() }).await;
    }

    #[tokio::test]
    async fn who_is_unknown_has_a_share_of_it() {
        let budget = Arc::new(Budget::default());
        let read = |limit| read_capped(pieces(1, MAX_ANONYMOUS), limit);
        budget
            .over(async {
                for _ in 0..KEPT_ANONYMOUS / MAX_ANONYMOUS {
                    read(MAX_ANONYMOUS).await.unwrap();
                }
                let refused = read(MAX_ANONYMOUS).await;
                assert!(matches!(refused, Err(Error::Unavailable(_))));
                read(KEPT).await.unwrap();
            })
            .await;
    }

    #[tokio::test]
    async fn json_counts_by_its_values() {
        let budget = Arc::new(Budget::default());
        let bomb = b"[],".repeat(KEPT / JSON_VALUE / 2 + 1);
        let refused = budget.over(async { keep_json(&bomb) }).await;
        assert!(matches!(refused, Err(Error::TooLarge)));
        budget.over(async { keep_json(b"[1,2,3]").unwrap() }).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_must_go_on_coming() {
        let patience = Duration::from_secs(30);
        // A kilobyte a second goes on, and so does a slow reader.
        let slow = |bytes: usize, seconds: u64| {
            let pieces = stream::iter(0..40).then(move |_| async move {
                sleep(Duration::from_secs(seconds)).await;
                Ok::<_, std::io::Error>(Bytes::from(vec![0; bytes]))
            });
            Timed::body(Body::from_stream(pieces), patience)
        };
        assert!(read_capped(slow(1024, 1), KEPT).await.is_ok());
        assert!(read_capped(slow(PROGRESS, 29), KEPT).await.is_ok());
        for (bytes, seconds) in [(1, 1), (1024, 31), (PROGRESS, 31)] {
            let refused = read_capped(slow(bytes, seconds), KEPT).await;
            assert!(matches!(refused, Err(Error::TooSlow)), "{bytes} {seconds}");
        }
    }
}
