//! Whether a database server answers at all. One that was stopped, or whose
//! host is gone, keeps its connections open and says nothing: no statement on
//! them ever ends. When something takes long, the server is asked on a
//! connection of its own; once it is known to be silent, nobody waits for it
//! until it answers again.

use crate::{Error, Result};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// How long anything may take before the server is asked, and how long its
/// answer may take then.
const PATIENCE: Patience = Patience {
    slow: Duration::from_secs(1),
    silence: Duration::from_secs(2),
};
/// The pause between two questions to a server that cannot be reached.
const PAUSE: Duration = Duration::from_millis(500);

type Probe = Box<dyn Fn() -> Result<()> + Send + Sync>;

struct Patience {
    slow: Duration,
    silence: Duration,
}

/// What is known about a server.
pub(crate) struct Pulse {
    patience: Patience,
    probe: Probe,
    /// A thread is asking.
    asking: AtomicBool,
    known: watch::Sender<Known>,
}

#[derive(Clone, Copy, Default)]
struct Known {
    is_silent: bool,
    /// How often it answered.
    answers: u64,
}

impl Pulse {
    /// Of a server that this asks.
    pub(crate) fn of(probe: impl Fn() -> Result<()> + Send + Sync + 'static) -> Arc<Pulse> {
        Arc::new(Pulse::with(PATIENCE, Box::new(probe)))
    }

    fn with(patience: Patience, probe: Probe) -> Pulse {
        Pulse {
            patience,
            probe,
            asking: AtomicBool::new(false),
            known: watch::Sender::default(),
        }
    }

    /// Waits for the server's work, and for no silent one's.
    pub(crate) async fn guard<T>(self: &Arc<Self>, work: impl Future<Output = T>) -> Result<T> {
        let mut work = pin!(work);
        while !self.known.borrow().is_silent {
            tokio::select! {
                biased;
                done = timeout(self.patience.slow, &mut work) => if let Ok(done) = done {
                    return Ok(done);
                },
                () = self.falls_silent() => break,
            }
            tokio::select! {
                biased;
                done = &mut work => return Ok(done),
                () = self.ask() => {}
            }
        }
        Err(Error::Unavailable("the server does not answer".to_owned()))
    }

    async fn falls_silent(&self) {
        let mut known = self.known.subscribe();
        known.wait_for(|known| known.is_silent).await.ok();
    }

    /// Asks once, or waits for the answer that somebody else asked for.
    async fn ask(self: &Arc<Self>) {
        let mut known = self.known.subscribe();
        let before = known.borrow_and_update().answers;
        if !self.asking.swap(true, Ordering::SeqCst) {
            let pulse = Arc::downgrade(self);
            let asked = std::thread::Builder::new()
                .name("store pulse".to_owned())
                .spawn(move || until_it_answers(&pulse));
            if let Err(error) = asked {
                tracing::warn!(%error, "the database server cannot be asked");
                self.asking.store(false, Ordering::SeqCst);
            }
        }
        let told = known.wait_for(|known| known.is_silent || known.answers != before);
        if timeout(self.patience.silence, told).await.is_err() {
            // Unless it answers at this very moment.
            let is_asked = || self.asking.load(Ordering::SeqCst);
            self.known.send_modify(|known| known.is_silent = is_asked());
        }
    }
}

/// Asks until the server answers or nobody wants to know any more. While it is
/// silent this waits as well: one thread for all.
fn until_it_answers(pulse: &Weak<Pulse>) {
    while let Some(pulse) = pulse.upgrade() {
        match (pulse.probe)() {
            Ok(()) => {
                pulse.asking.store(false, Ordering::SeqCst);
                pulse.known.send_modify(|known| {
                    known.is_silent = false;
                    known.answers += 1;
                });
                return;
            }
            Err(error) => {
                tracing::warn!(%error, "the database server does not answer");
                pulse.known.send_modify(|known| known.is_silent = true);
            }
        }
        drop(pulse);
        std::thread::sleep(PAUSE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::pending;
    use std::sync::Mutex;
    use std::sync::mpsc::{Sender, channel};

    const BRIEF: Duration = Duration::from_millis(10);
    const LONG: Duration = Duration::from_secs(60);

    /// A server that answers when it is told to.
    fn server(silence: Duration) -> (Arc<Pulse>, Sender<Result<()>>) {
        let (tell, told) = channel();
        let told = Mutex::new(told);
        let gone = |_| Error::Unavailable("gone".to_owned());
        let probe = move || told.lock().unwrap().recv().map_err(gone)?;
        let patience = Patience { slow: BRIEF, silence };
        (Arc::new(Pulse::with(patience, Box::new(probe))), tell)
    }

    #[tokio::test]
    async fn slow_work_is_waited_for_while_the_server_answers() {
        let (pulse, tell) = server(LONG);
        for _ in 0..5 {
            tell.send(Ok(())).unwrap();
        }
        let mut known = pulse.known.subscribe();
        let slow = async { known.wait_for(|known| known.answers == 5).await.is_ok() };
        assert!(matches!(pulse.guard(slow).await, Ok(true)));
    }

    #[tokio::test]
    async fn nobody_waits_for_a_silent_server_until_it_answers_again() {
        let (pulse, tell) = server(BRIEF);
        for _ in 0..3 {
            assert!(pulse.guard(pending::<()>()).await.is_err());
        }
        assert!(pulse.guard(async {}).await.is_err(), "it is not even tried");

        let mut known = pulse.known.subscribe();
        tell.send(Ok(())).unwrap();
        known.wait_for(|known| !known.is_silent).await.unwrap();
        assert!(pulse.guard(async {}).await.is_ok());
    }

    #[tokio::test]
    async fn a_server_that_refuses_is_not_waited_for() {
        let (pulse, tell) = server(LONG);
        let refused = Error::Unavailable("refused".to_owned());
        tell.send(Err(refused)).unwrap();
        assert!(pulse.guard(pending::<()>()).await.is_err());
    }
}
