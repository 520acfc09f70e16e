//! One program of a job: in a process group of its own, its output in the log, and gone
//! with all that it started when its time is over.

use crate::client::Standing;
use crate::log::Log;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

/// How long a process group has to end by itself.
const GRACE: Duration = Duration::from_secs(10);
/// How long is read on when a program has ended, for what it wrote last.
const REST: Duration = Duration::from_secs(2);

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Code(i32),
    /// Its time was over.
    TooLong,
    /// The server wants no more of the job, or the runner stops.
    Canceled,
}

impl Ended {
    pub fn is_good(self) -> bool {
        self == Ended::Code(0)
    }
}

/// What ends a program before it does.
#[derive(Clone)]
pub struct Bounds {
    pub until: Instant,
    /// How the job stands for the server; programs that clean up go on while it cancels.
    pub standing: watch::Receiver<Standing>,
    pub cleans_up: bool,
}

impl Bounds {
    async fn canceled(&mut self) {
        let cleans_up = self.cleans_up;
        let ends = |standing: &Standing| match standing {
            Standing::Over | Standing::Halted => true,
            Standing::Canceling => !cleans_up,
            Standing::Running => false,
        };
        if self.standing.wait_for(ends).await.is_err() {
            std::future::pending().await
        }
    }
}

/// Runs a program to its end.
///
/// # Errors
///
/// Where it cannot be started.
pub async fn run(mut command: Command, log: &Log, mut bounds: Bounds) -> io::Result<Ended> {
    let (reader, writer) = io::pipe()?;
    command
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .kill_on_drop(true);
    let mut child = command.spawn()?;
    // Its ends of the pipe are the program's alone now: where it ends, reading ends.
    drop(command);
    let reading = tokio::spawn(copy(OwnedFd::from(reader), log.clone()));
    let group = child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    let ended = tokio::select! {
        status = child.wait() => Ended::Code(code(&status?)),
        () = tokio::time::sleep_until(bounds.until) => Ended::TooLong,
        () = bounds.canceled() => Ended::Canceled,
    };
    end(&mut child, group, ended).await;
    if timeout(REST, reading).await.is_err() {
        log.wrong("What the job left running holds its output open; it is not waited for.")
            .await;
    }
    Ok(ended)
}

/// Ends what is left of a process group.
async fn end(child: &mut Child, group: Option<Pid>, ended: Ended) {
    let Some(group) = group else {
        return;
    };
    let by_itself = matches!(ended, Ended::Code(_));
    if !by_itself {
        // One that is gone already needs no signal.
        let _ = kill_process_group(group, Signal::TERM);
        let _ = timeout(GRACE, child.wait()).await;
    }
    let _ = kill_process_group(group, Signal::KILL);
    let _ = timeout(GRACE, child.wait()).await;
}

/// The code a program ended with; as shells say it where a signal ended it.
fn code(status: &std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default())
}

async fn copy(from: OwnedFd, log: Log) -> io::Result<()> {
    let mut from = pipe::Receiver::from_owned_fd(from)?;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = from.read(&mut buffer).await?;
        if read == 0 {
            return Ok(());
        }
        log.write(&buffer[..read]).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(until: Duration) -> (watch::Sender<Standing>, Bounds) {
        let (sender, standing) = watch::channel(Standing::Running);
        (sender, Bounds { until: Instant::now() + until, standing, cleans_up: false })
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    fn is_alive(file: &std::path::Path) -> bool {
        let text = std::fs::read_to_string(file).expect("it wrote its number");
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", text.trim()));
        // One that nobody waits for is dead all the same.
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    }

    /// A signal that was sent takes a moment where the machine has much to do.
    async fn dies(file: &std::path::Path) -> bool {
        let gone = async {
            while is_alive(file) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(Duration::from_secs(20), gone).await.is_ok()
    }

    #[tokio::test]
    async fn the_code_of_a_program_is_told() {
        for (script, code) in [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137)] {
            let (_sender, bounds) = bounds(Duration::from_secs(20));
            let ended = run(shell(script), &Log::default(), bounds).await.expect("it runs");
            assert_eq!(ended, Ended::Code(code), "{script}");
        }
    }

    #[tokio::test]
    async fn what_a_job_started_ends_with_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("number");
        let script = format!("sleep 600 & echo $! > {}; exit 0", file.display());
        let (_sender, bounds) = bounds(Duration::from_secs(20));
        let ended = run(shell(&script), &Log::default(), bounds).await.expect("it runs");
        assert_eq!(ended, Ended::Code(0));
        assert!(dies(&file).await);
    }

    #[tokio::test]
    async fn time_and_the_server_end_a_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("number");
        let script = format!("trap '' TERM; echo $$ > {}; sleep 600 & wait", file.display());
        let (_sender, short) = bounds(Duration::from_millis(300));
        let ended = run(shell("sleep 600"), &Log::default(), short).await.expect("it runs");
        assert_eq!(ended, Ended::TooLong);
        let (sender, bounds) = bounds(Duration::from_secs(60));
        let running =
            tokio::spawn(async move { run(shell(&script), &Log::default(), bounds).await });
        while !file.exists() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        sender.send_replace(Standing::Canceling);
        let ended = running.await.expect("it ends").expect("it ran");
        assert_eq!(ended, Ended::Canceled);
        assert!(dies(&file).await, "it ignored the signal");
    }
}
