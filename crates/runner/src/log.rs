//! The log of a job on its way to the server: nothing of it is let go before the server
//! has said that it has it.

use crate::client::{Client, Standing, State};
use crate::wire::Job;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, watch};

/// Most bytes that wait here: who writes more waits, too.
const MOST: usize = 4 << 20;
/// Most bytes of one request.
const PIECE: usize = 1 << 20;
/// Between two pieces, unless the server says another time.
const INTERVAL: Duration = Duration::from_secs(3);
/// After how long of silence the server is told that the job runs.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// How long the end of a log is tried to be sent to a server that does not answer.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// Where a job writes.
#[derive(Clone, Default)]
pub struct Log(Arc<Inner>);

#[derive(Default)]
struct Inner {
    waiting: Mutex<Waiting>,
    /// There is room again, or something new.
    changed: Notify,
}

#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// Where they begin in the log.
    from: u64,
    is_closed: bool,
}

impl Log {
    fn locked<T>(&self, what: impl FnOnce(&mut Waiting) -> T) -> T {
        what(&mut self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds to it, when there is room.
    pub async fn write(&self, bytes: &[u8]) {
        loop {
            let changed = self.0.changed.notified();
            let is_full = self.locked(|it| {
                let is_full = it.bytes.len() >= MOST && !it.is_closed;
                if !is_full && !it.is_closed {
                    it.bytes.extend_from_slice(bytes);
                }
                is_full
            });
            if !is_full {
                return;
            }
            changed.await;
        }
    }

    pub async fn line(&self, text: &str) {
        self.write(format!("{text}\n").as_bytes()).await;
    }

    /// A line of the runner itself, in colour.
    pub async fn say(&self, text: &str) {
        self.line(&format!("\u{1b}[36;1m{text}\u{1b}[0;m")).await;
    }

    /// The same of what went wrong.
    pub async fn wrong(&self, text: &str) {
        self.line(&format!("\u{1b}[31;1m{text}\u{1b}[0;m")).await;
    }

    /// What is to be sent next, and where it begins.
    fn piece(&self) -> (u64, Vec<u8>) {
        self.locked(|it| {
            let end = it.bytes.len().min(PIECE);
            (it.from, it.bytes[..end].to_vec())
        })
    }

    /// The server has so much of it.
    fn stored(&self, until: u64) {
        self.locked(|it| {
            let known = until.saturating_sub(it.from).min(it.bytes.len() as u64);
            it.bytes.drain(..known as usize);
            it.from += known;
        });
        self.0.changed.notify_waiters();
    }

    fn is_empty(&self) -> bool {
        self.locked(|it| it.bytes.is_empty())
    }

    /// Nobody reads it any more: it is let go of.
    fn close(&self) {
        self.locked(|it| {
            it.is_closed = true;
            it.bytes.clear();
        });
        self.0.changed.notify_waiters();
    }
}

/// Sends the log of a job, and hears how it stands.
pub struct Sending {
    client: Client,
    job: Arc<Job>,
    log: Log,
    standing: watch::Sender<Standing>,
    interval: Duration,
    heard: Instant,
}

impl Sending {
    pub fn new(client: Client, job: Arc<Job>, log: Log) -> (Sending, watch::Receiver<Standing>) {
        let (standing, hears) = watch::channel(Standing::Running);
        let (interval, heard) = (INTERVAL, Instant::now());
        (Sending { client, job, log, standing, interval, heard }, hears)
    }

    /// Says how the job stands, whatever the server says.
    pub fn stopper(&self) -> watch::Sender<Standing> {
        self.standing.clone()
    }

    /// How the job stands for the server; what is over does not begin again.
    fn heard(&mut self, standing: Standing) {
        self.heard = Instant::now();
        self.standing.send_if_modified(|known| {
            let is_new = match *known {
                Standing::Over => false,
                Standing::Halted => standing == Standing::Over,
                Standing::Running | Standing::Canceling => {
                    standing != Standing::Running && standing != *known
                }
            };
            if is_new {
                *known = standing;
            }
            is_new
        });
    }

    /// Sends from time to time, until the server wants no more.
    pub async fn run(&mut self) {
        loop {
            tokio::time::sleep(self.interval).await;
            self.all().await;
            if self.heard.elapsed() >= KEEP_ALIVE {
                self.keep_alive().await;
            }
            if *self.standing.borrow() == Standing::Over {
                self.log.close();
                return std::future::pending().await;
            }
        }
    }

    /// Sends what is there; what fails is sent again at the next time.
    async fn all(&mut self) {
        while !self.log.is_empty() {
            let (from, piece) = self.log.piece();
            match self.client.append(&self.job, from, piece).await {
                Ok(answer) => {
                    self.heard(answer.standing);
                    self.interval = answer.interval.unwrap_or(self.interval);
                    if answer.standing == Standing::Over {
                        return;
                    }
                    match answer.stored {
                        Some(stored) if stored > from => self.log.stored(stored),
                        _ => return,
                    }
                }
                Err(error) => {
                    tracing::warn!(job = self.job.id, %error, "the log is not sent");
                    return;
                }
            }
        }
    }

    async fn keep_alive(&mut self) {
        match self.client.update(&self.job, &State::Running).await {
            Ok(standing) => self.heard(standing),
            Err(error) => tracing::warn!(job = self.job.id, %error, "the server is not reached"),
        }
    }

    /// Sends the rest of the log, and then what the job came to. Tries for some time.
    pub async fn finish(mut self, state: &State) {
        let until = Instant::now() + PATIENCE;
        let mut pause = Duration::from_millis(250);
        while Instant::now() < until && *self.standing.borrow() != Standing::Over {
            self.all().await;
            if *self.standing.borrow() == Standing::Over {
                return;
            }
            if self.log.is_empty() && self.told(state).await {
                return;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(15));
        }
    }

    async fn told(&self, state: &State) -> bool {
        let answer = self.client.update(&self.job, state).await;
        if let Err(error) = &answer {
            tracing::warn!(job = self.job.id, %error, "the server is not told of the end");
        }
        answer.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nothing_is_let_go_before_it_is_stored() {
        let log = Log::default();
        log.write(b"iron").await;
        log.write(b" and coal").await;
        assert_eq!(log.piece(), (0, b"iron and coal".to_vec()));
        assert_eq!(log.piece(), (0, b"iron and coal".to_vec()), "it is still there");
        log.stored(5);
        assert_eq!(log.piece(), (5, b"and coal".to_vec()));
        log.stored(3);
        assert_eq!(log.piece(), (5, b"and coal".to_vec()), "the server has more already");
        log.stored(100);
        assert!(log.is_empty());
    }

    #[tokio::test]
    async fn who_writes_too_much_waits_for_room() {
        let log = Log::default();
        log.write(&vec![b'x'; MOST]).await;
        let slow = log.clone();
        let writing = tokio::spawn(async move { slow.write(b"more").await });
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!writing.is_finished());
        log.stored(1);
        writing.await.expect("it goes on");
        assert_eq!(log.locked(|it| it.bytes.len()), MOST + 3);
    }
}
