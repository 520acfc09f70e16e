//! A program that does the jobs of pipelines: it asks a server for them, runs them in a
//! shell or in containers, and brings back their logs and files.
//!
//! [`run`] asks until it is stopped; [`job`] does one job. It speaks to any server that
//! speaks to runners so (docs/interface/delivery.md 7), and knows nothing of this one.
//! Why it is written here: docs/decisions/0017-a-runner-of-our-own.md.

mod cache;
mod client;
mod executor;
mod files;
mod job;
mod log;
mod process;
mod script;
mod source;
mod wire;

pub use executor::Executor;

use client::Client;
use job::Shared;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, watch};
use url::Url;

/// How long is waited before the next question, where a server does not hold one.
const PAUSE: Duration = Duration::from_secs(3);
/// The same after failures, at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Who asks whom for jobs, and how they run.
pub struct Options {
    pub url: Url,
    /// Of the runner; it begins with `glrt-`.
    pub token: String,
    pub executor: Executor,
    /// Where jobs and caches are: others must not read it.
    pub folder: PathBuf,
    /// Jobs at a time.
    pub jobs: usize,
    /// Where whoever started it is told how far it is.
    pub say: fn(&str),
}

/// Why something went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Failed {
    /// The server knows no such token, or it may not.
    #[error("the server refuses: {0}")]
    Refused(String),
    #[error("the server answered {0}: {1}")]
    Answer(u16, String),
    /// An earlier job left nothing, or it is gone.
    #[error("the files of {0} are gone")]
    Missing(String),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    #[error("an archive: {0}")]
    Archive(#[from] zip::result::ZipError),
    #[error("{0}")]
    Text(String),
}

impl Failed {
    fn of(text: impl Into<String>) -> Failed {
        Failed::Text(text.into())
    }

    /// As the server is told.
    fn reason(&self) -> &'static str {
        match self {
            Failed::Missing(_) => "missing_dependency_failure",
            _ => "runner_system_failure",
        }
    }
}

/// How a runner is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    Not,
    /// It asks for no more jobs, and does what it has.
    Drain,
    /// Its jobs end, too.
    Now,
}

/// Does jobs until it is stopped.
///
/// # Errors
///
/// Where the token is not good, or the folder cannot be used.
pub async fn run(options: Options, stop: watch::Receiver<Stop>) -> Result<(), Failed> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(&options.folder)?;
    let folder = fs::canonicalize(&options.folder)?;
    let client = Client::new(&options, system_id(&folder)?)?;
    client.verify().await?;
    let (executor, url) = (options.executor.name(), &options.url);
    (options.say)(&format!("ready for jobs of {url}, executor {executor}"));
    let say = options.say;
    let shared = Shared { client, executor: options.executor, folder };
    Asking { shared, stop, say, state: None, pause: PAUSE }
        .run(options.jobs.max(1))
        .await
}

/// Which machine this is, for the server: the same after every start.
fn system_id(folder: &Path) -> Result<String, Failed> {
    let file = folder.join("system-id");
    if let Ok(text) = fs::read_to_string(&file)
        && !text.trim().is_empty()
    {
        return Ok(text.trim().to_owned());
    }
    let id = format!("r_{}", &random_word()?[..12]);
    fs::write(file, &id)?;
    Ok(id)
}

/// Letters and digits that nobody guesses.
fn random_word() -> Result<String, Failed> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Failed::of(error.to_string()))?;
    Ok(hex::encode(bytes))
}

/// Asks for one job after the other.
struct Asking {
    shared: Shared,
    stop: watch::Receiver<Stop>,
    /// To whoever started the runner.
    say: fn(&str),
    /// Of the queue, as the server said it last.
    state: Option<String>,
    pause: Duration,
}

impl Asking {
    async fn run(mut self, jobs: usize) -> Result<(), Failed> {
        let room = Arc::new(Semaphore::new(jobs));
        let (halt, halts) = watch::channel(false);
        let asked = self.ask(&room, &halts).await;
        // Jobs that run end first.
        let all = u32::try_from(jobs).unwrap_or(u32::MAX);
        tokio::select! {
            done = room.acquire_many(all) => drop(done),
            _ = self.stop.wait_for(|stop| *stop == Stop::Now) => {
                halt.send_replace(true);
                drop(room.acquire_many(all).await);
            }
        }
        asked
    }

    async fn ask(
        &mut self, room: &Arc<Semaphore>, halts: &watch::Receiver<bool>,
    ) -> Result<(), Failed> {
        let mut stop = self.stop.clone();
        while *stop.borrow() == Stop::Not {
            let Ok(seat) = room.clone().acquire_owned().await else {
                return Ok(());
            };
            let asked = tokio::select! {
                asked = self.once() => asked?,
                // The server takes no job for a question that is given up.
                _ = stop.wait_for(|stop| *stop != Stop::Not) => return Ok(()),
            };
            if let Some(job) = asked {
                let about = format!("job {} ({})", job.id, job.job_info.name.escape_debug());
                (self.say)(&format!("{about} begins"));
                let (shared, halts, say) = (self.shared.clone(), halts.clone(), self.say);
                tokio::spawn(async move {
                    job::perform(shared, job, halts).await;
                    say(&format!("{about} is over"));
                    drop(seat);
                });
            }
        }
        Ok(())
    }

    /// Asks once. What fails is asked again later, unless the token is no longer good.
    async fn once(&mut self) -> Result<Option<wire::Job>, Failed> {
        let began = Instant::now();
        match self.shared.client.request(&mut self.state).await {
            Ok(Some(job)) => {
                self.pause = PAUSE;
                Ok(Some(job))
            }
            Ok(None) => {
                self.pause = PAUSE;
                // A server that holds requests has waited already.
                if began.elapsed() < Duration::from_secs(1) && self.state.is_none() {
                    tokio::time::sleep(PAUSE).await;
                }
                Ok(None)
            }
            Err(Failed::Refused(text)) => Err(Failed::Refused(text)),
            Err(error) => {
                tracing::warn!(%error, "no job is asked for");
                tokio::time::sleep(self.pause).await;
                self.pause = (self.pause * 2).min(LONGEST_PAUSE);
                Ok(None)
            }
        }
    }
}
