//! How a story is run: on a runtime of its own, within a time, and with what
//! it took written down for `cargo xtask test`.

use crate::server::{Host, TestServer};
use kernel::time::Clock;
use std::fs::{File, OpenOptions};
use std::future::Future;
use std::io::Write;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Longest time of a story: many are run at once, on machines that have other
/// work as well.
const LIMIT: Duration = Duration::from_secs(300);

/// Names a file that gets a line for each story: its name, and the
/// milliseconds it took on the clock and of processors.
pub const TIMES_VARIABLE: &str = "TENON_TEST_TIMES";

/// Noon of a day in a server whose clock is moved by hand.
pub fn noon() -> Clock {
    Clock::fixed("2031-05-06T12:00:00Z".parse().expect("a time"))
}

/// What a story wants of its server.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wants {
    /// The clock stands at [`noon`] until the story moves it.
    pub noon: bool,
    /// The server calls itself `localhost`, which security keys need.
    pub localhost: bool,
}

impl Wants {
    fn clock(self) -> Clock {
        match self.noon {
            true => noon(),
            false => Clock::default(),
        }
    }

    fn host(self) -> Host {
        match self.localhost {
            true => Host::Name,
            false => Host::Number,
        }
    }
}

/// A story that is being told. One type for all of them, so that what runs
/// them is compiled once.
pub type Telling = Pin<Box<dyn Future<Output = ()>>>;

/// Tells a story to a server on SQLite.
pub fn on_sqlite(wants: Wants, story: fn(TestServer) -> Telling) {
    run(async move {
        let server = TestServer::on_sqlite(wants.clock(), wants.host()).await;
        story(server).await;
    });
}

/// Tells a story to a server on PostgreSQL, where that is installed.
pub fn on_postgres(wants: Wants, story: fn(TestServer) -> Telling) {
    run(async move {
        let server = TestServer::on_postgres(wants.clock(), wants.host()).await;
        if let Some(server) = server {
            story(server).await;
        }
    });
}

/// Runs a story on a runtime of its own.
pub fn run(story: impl Future<Output = ()>) {
    run_boxed(Box::pin(story));
}

fn run_boxed(story: Pin<Box<dyn Future<Output = ()> + '_>>) {
    let (began, taken) = (Instant::now(), Arc::new(AtomicU64::new(0)));
    let before = processor_time();
    let ended = taken.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .on_thread_stop(move || {
            ended.fetch_add(processor_time(), Ordering::Relaxed);
        })
        .build()
        .expect("a runtime can be built");
    runtime.block_on(async {
        let told = tokio::time::timeout(LIMIT, story).await;
        assert!(told.is_ok(), "the story took longer than {LIMIT:?}");
    });
    runtime.shutdown_timeout(Duration::from_secs(5));
    taken.fetch_add(processor_time() - before, Ordering::Relaxed);
    write_down(began.elapsed(), Duration::from_nanos(taken.load(Ordering::Relaxed)));
}

/// Nanoseconds this thread has run; none where the system does not tell.
fn processor_time() -> u64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = told.split(' ').next();
    first.and_then(|first| first.parse().ok()).unwrap_or(0)
}

/// Adds a line about the story of this thread to the file of times.
fn write_down(took: Duration, of_processors: Duration) {
    let Some(path) = std::env::var_os(TIMES_VARIABLE) else {
        return;
    };
    let thread = std::thread::current();
    let line = format!(
        "{} {} {}\n",
        thread.name().unwrap_or("?"),
        took.as_millis(),
        of_processors.as_millis()
    );
    // A line that is missing in a list of slow stories is no failure.
    let _ = append(Path::new(&path)).and_then(|mut file| file.write_all(line.as_bytes()));
}

fn append(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}
