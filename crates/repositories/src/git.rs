//! The program git: what we start of it, and with what.
//!
//! No library serves fetches or checks packs (decision 16), so git does, always with
//! fixed arguments, none of our environment and bounds on time, memory and number.

use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::programs::{Invocation, Program};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// The oldest git that does all we ask of it.
const OLDEST: (u32, u32) = (2, 39);
/// What is said where there is none.
pub const MISSING: &str = "Repositories need the program git, 2.39 or newer, on the server.";
/// How long a request waits for others' work to end.
const WAIT: Duration = Duration::from_secs(30);
/// How long git may take to answer a question.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The git of this server, and who uses it.
#[derive(Default)]
pub struct Git {
    found: OnceCell<Option<Program>>,
    seats: Seats,
}

/// How many run at once: each takes a core for a while.
struct Seats(std::sync::Arc<Semaphore>);

impl Default for Seats {
    fn default() -> Seats {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Seats(std::sync::Arc::new(Semaphore::new((cores * 4).max(8))))
    }
}

impl Git {
    /// The right to start one, once others have ended.
    pub async fn seat(&self) -> Result<OwnedSemaphorePermit> {
        match timeout(WAIT, self.seats.0.clone().acquire_owned()).await {
            Ok(seat) => seat.map_err(Error::internal),
            Err(_) => Err(Error::Unavailable("Too many are busy with repositories.".into())),
        }
    }

    async fn program(&self) -> Result<&Program> {
        let found = self.found.get_or_init(find).await;
        found.as_ref().ok_or_else(|| Error::Unavailable(MISSING.into()))
    }

    /// Whether there is a git that is new enough.
    pub async fn is_there(&self) -> bool {
        self.check().await.is_ok()
    }

    /// Refuses where there is none, in words for who runs the server.
    pub async fn check(&self) -> Result<()> {
        self.program().await.map(drop)
    }

    /// Begins to say how it is started on the repository in this folder.
    pub async fn at(&self, app: &App, folder: &Path) -> Result<Invocation> {
        let program = self.program().await?;
        let invocation = program
            .within(folder)
            .env("GIT_DIR", folder)
            .env("HOME", home(app))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_TERMINAL_PROMPT", "0");
        // Folders of ours are ours, whoever runs us.
        Ok(invocation.args(["-c", "safe.directory=*"]))
    }
}

/// The contents that `git cat-file --batch` answered, none where it answered something else.
pub fn objects_of(answer: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    let mut rest = Some(answer).filter(|bytes| !bytes.is_empty());
    std::iter::from_fn(move || {
        let next = next_object(rest.take()?);
        rest = next.map(|(_, after)| after).filter(|after| !after.is_empty());
        Some(next.map(|(content, _)| content))
    })
}

/// `ID KIND SIZE`, the content, and the end of the line.
fn next_object(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(&bytes[..end]).ok()?;
    let size: usize = line.rsplit(' ').next()?.parse().ok()?;
    let content = bytes.get(end + 1..end + 1 + size)?;
    Some((content, bytes.get(end + 2 + size..)?))
}

/// A folder without any settings: the one that holds the copies.
fn home(app: &App) -> PathBuf {
    crate::cache::root(app)
}

async fn find() -> Option<Program> {
    let program = Program::find("git")?;
    let asked = program.within(Path::new("/")).args(["version"]);
    let answered = asked.ask(Vec::new(), 1024, PATIENCE).await.ok()?;
    let version = version(&String::from_utf8_lossy(&answered.output))?;
    (version >= OLDEST).then_some(program)
}

/// `git version 2.47.3`, with whatever follows.
fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix("git version ")?.split(['.', '-', ' ']);
    let mut next = || numbers.next()?.trim().parse().ok();
    Some((next()?, next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_one_by_one() {
        let read = |said: &'static [u8]| objects_of(said).collect::<Vec<_>>();
        let two = read(b"aa blob 3\nx\ny\nbb blob 0\n\n");
        assert_eq!(two, [Some(&b"x\ny"[..]), Some(&b""[..])]);
        assert_eq!(read(b"aa blob 30\nx"), [None]);
        assert_eq!(read(b"aa missing\n"), [None]);
        assert!(read(b"").is_empty());
    }

    #[test]
    fn versions_are_read() {
        assert_eq!(version("git version 2.47.3\n"), Some((2, 47)));
        assert_eq!(version("git version 2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(version("git version 3.0.rc1"), Some((3, 0)));
        assert_eq!(version("no git"), None);
    }
}
