//! The stock git, as a client and as what a peer keeps.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::history;

/// git in a folder, without the settings of whoever runs it.
pub fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .args(["-c", "user.name=Bench", "-c", "user.email=bench@example.org"])
        .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"])
        .stdin(Stdio::null());
    command
}

/// Runs git; what it writes.
pub fn run(folder: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = git(folder).args(arguments).output().map_err(|error| format!("git: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => {
            Err(format!("git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr).trim()))
        }
    }
}

/// How long git takes for this.
pub fn timed(folder: &Path, arguments: &[&str]) -> Result<Duration, String> {
    let begun = Instant::now();
    run(folder, arguments).map(|_| begun.elapsed())
}

/// A bare repository of the long history in one pack.
pub fn long_history(folder: &Path) -> Result<PathBuf, String> {
    let bare = folder.join("long.git");
    run(folder, &["init", "--quiet", "--bare", "--initial-branch=main", "long.git"])?;
    let mut import = git(&bare)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|error| format!("git fast-import: {error}"))?;
    let stream = import.stdin.take().ok_or("git fast-import takes no stream")?;
    history::write(std::io::BufWriter::new(stream)).map_err(|error| error.to_string())?;
    let status = import.wait().map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("git fast-import: {status}"));
    }
    let settled = ["repack", "-adfq", "--depth=50", "--window=10", "--write-bitmap-index"];
    run(&bare, &settled)?;
    run(&bare, &["pack-refs", "--all"])?;
    Ok(bare)
}

/// An empty folder, whatever was there.
pub fn empty(folder: &Path) -> Result<(), String> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}
