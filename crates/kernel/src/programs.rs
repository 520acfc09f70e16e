//! Other programs of the machine that do a part of our work, such as git.
//!
//! They are started with fixed arguments and nothing of our environment, and end
//! with who started them: dropping a [`Running`] kills it and what it started.

use crate::error::{Error, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

/// Bytes kept of what a program says about its errors.
const SAID: usize = 16 * 1024;
/// What a shell does that bounds the memory of a program, in KiB, before it becomes that.
const BOUNDED: &str = "ulimit -d \"$1\" 2>/dev/null; shift; exec \"$@\"";

/// A program that is there.
#[derive(Debug, Clone)]
pub struct Program {
    path: PathBuf,
}

impl Program {
    /// Looks a program up by its name, as shells do.
    pub fn find(name: &str) -> Option<Program> {
        let folders = std::env::var_os("PATH")?;
        let mut paths = std::env::split_paths(&folders).map(|folder| folder.join(name));
        paths.find(|path| path.is_file()).map(|path| Program { path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins to say how it is started, in this folder.
    pub fn within(&self, folder: &Path) -> Invocation {
        let mut command = alone(&self.path, folder);
        command
            .env("PATH", self.path.parent().unwrap_or(Path::new("/usr/bin")))
            .env("LC_ALL", "C");
        Invocation { command, path: self.path.clone() }
    }
}

/// A program with nothing of our environment, whose channels we hold.
fn alone(path: &Path, folder: &Path) -> Command {
    let mut command = Command::new(path);
    command
        .env_clear()
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    command
}

/// How a program is started.
pub struct Invocation {
    command: Command,
    path: PathBuf,
}

impl Invocation {
    /// Adds arguments; none of them may be what somebody outside wrote, unless it stands
    /// behind `--` or cannot begin with a dash.
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Invocation {
        self.command.args(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of its environment.
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Invocation {
        self.command.env(name, value.into());
        self
    }

    /// Bounds the memory that it takes, and each program that it starts: for what reads as
    /// much as somebody outside sends. Said last; where there is no shell nothing is bounded.
    pub fn within_memory(self, bytes: u64) -> Invocation {
        let Some(shell) = Program::find("sh") else {
            return self;
        };
        let said = self.command.as_std();
        let mut command = alone(&shell.path, said.get_current_dir().unwrap_or(Path::new("/")));
        command.args(["-c", BOUNDED, "sh"]).arg((bytes / 1024).to_string());
        command.arg(&self.path).args(said.get_args());
        let set = said.get_envs().filter_map(|(name, value)| Some((name, value?)));
        command.envs(set);
        Invocation { command, path: self.path }
    }

    /// Starts it.
    pub fn start(mut self) -> Result<Running> {
        let cannot = |error| Error::internal(format!("{}: {error}", self.path.display()));
        let mut child = self.command.spawn().map_err(cannot)?;
        let said = child.stderr.take().map(|stderr| tokio::spawn(beginning(stderr)));
        Ok(Running { child, said })
    }

    /// Starts it, gives it these bytes, and waits for what it answers, of at most `most`
    /// bytes, and for so long.
    pub async fn ask(self, input: Vec<u8>, most: usize, patience: Duration) -> Result<Answered> {
        let asked = async {
            let mut running = self.start()?;
            let stdin = running.stdin();
            let fed = tokio::spawn(async move {
                use tokio::io::AsyncWriteExt;
                let mut stdin = stdin?;
                // A program that has heard enough does not read on.
                let _ = stdin.write_all(&input).await;
                drop(stdin);
                Some(())
            });
            let mut output = Vec::new();
            if let Some(stdout) = running.stdout() {
                stdout.take(most as u64 + 1).read_to_end(&mut output).await?;
            }
            if output.len() > most {
                return Err(Error::TooLarge);
            }
            fed.await.map_err(Error::internal)?;
            Ok(Answered { output, ended: running.end().await? })
        };
        match tokio::time::timeout(patience, asked).await {
            Ok(answered) => answered,
            Err(_) => Err(Error::Unavailable("This takes too long.".into())),
        }
    }
}

/// What a program answered, and how it ended.
#[derive(Debug)]
pub struct Answered {
    /// All that it answered.
    pub output: Vec<u8>,
    /// How it ended.
    pub ended: Ended,
}

/// How a program ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// Without an error.
    pub succeeded: bool,
    /// What it said beside its answer, its beginning.
    pub said: String,
}

impl Ended {
    /// An error of ours, unless it succeeded.
    pub fn check(self, what: &str) -> Result<()> {
        match self.succeeded {
            true => Ok(()),
            false => Err(Error::internal(format!("{what}: {}", self.said.trim()))),
        }
    }
}

/// A program that runs.
pub struct Running {
    child: Child,
    said: Option<JoinHandle<String>>,
}

impl Running {
    /// Where it reads, once.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// Where it writes, once.
    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// Waits for its end.
    pub async fn end(mut self) -> Result<Ended> {
        drop(self.child.stdin.take());
        let status = self.child.wait().await?;
        let said = match self.said.take() {
            Some(said) => said.await.unwrap_or_default(),
            None => String::new(),
        };
        Ok(Ended { succeeded: status.success(), said })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Without a number it has ended and was waited for.
        let number = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = number.and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// The beginning of what is written there; the rest is read and dropped.
async fn beginning(mut from: impl AsyncRead + Unpin) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        let room = SAID.saturating_sub(kept.len()).min(length);
        kept.extend_from_slice(&buffer[..room]);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell() -> Invocation {
        Program::find("sh").expect("a shell").within(Path::new("/"))
    }

    const PATIENCE: Duration = Duration::from_secs(20);

    #[tokio::test]
    async fn a_program_answers_what_it_is_told() {
        let asked = shell().args(["-c", "cat; echo said >&2; echo $HOME$USER"]);
        let answered = asked.ask(b"told ".to_vec(), 100, PATIENCE).await.unwrap();
        assert_eq!(String::from_utf8_lossy(&answered.output), "told \n");
        assert!(answered.ended.succeeded && answered.ended.said == "said\n");
    }

    #[tokio::test]
    async fn its_memory_is_bounded_and_nothing_else_changes() {
        let asked = shell().args(["-c", "ulimit -d; cat; echo $1", "sh", "a b"]).env("X", "y");
        let answered = asked.within_memory(64 << 20).ask(b"told ".to_vec(), 100, PATIENCE);
        let answered = answered.await.unwrap();
        assert_eq!(String::from_utf8_lossy(&answered.output), "65536\ntold a b\n");
        let much = shell().args(["-c", "x=$(head -c 99000000 /dev/zero | tr '\\0' x); echo $x"]);
        let ended = much.within_memory(16 << 20).ask(Vec::new(), 100, PATIENCE).await.unwrap();
        assert!(!ended.ended.succeeded && ended.output.is_empty());
    }

    #[tokio::test]
    async fn its_answer_and_its_time_are_bounded() {
        let much = shell().args(["-c", "while :; do echo much; done"]);
        assert!(matches!(much.ask(Vec::new(), 100, PATIENCE).await, Err(Error::TooLarge)));
        let slow = shell().args(["-c", "sleep 60"]);
        let ended = slow.ask(Vec::new(), 100, Duration::from_millis(100)).await;
        assert!(matches!(ended, Err(Error::Unavailable(_))));
    }

    #[tokio::test]
    async fn it_ends_with_who_started_it_and_so_does_what_it_started() {
        let mut running = shell().args(["-c", "sleep 61 & echo $!; wait"]).start().unwrap();
        let mut stdout = running.stdout().unwrap();
        let mut line = [0; 16];
        let length = stdout.read(&mut line).await.unwrap();
        let below: i32 = String::from_utf8_lossy(&line[..length]).trim().parse().unwrap();
        drop(running);
        let below = Pid::from_raw(below).unwrap();
        for _ in 0..100 {
            if rustix::process::test_kill_process(below).is_err() || is_dead(below) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("it goes on");
    }

    /// Nobody may wait for it any more, and then it is remembered.
    fn is_dead(pid: Pid) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        status.is_ok_and(|status| status.contains(") Z "))
    }
}
