//! A throw-away PostgreSQL cluster.
//!
//! The server refuses to run as root, so root starts it as another user. A
//! small shell process stands between this process and the server: it reads a
//! pipe from us and stops the server when the pipe closes, so the server also
//! goes when we are killed. Only the standard library is used here, because
//! `xtask` compiles this file too.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// The server programs a cluster needs.
pub const PROGRAMS: [&str; 3] = ["initdb", "pg_ctl", "postgres"];

/// Clusters live in one of [`places`] under this name and the number of the
/// process that owns them.
const DIRECTORY_PREFIX: &str = "tenon-test-postgres-";

/// Nothing in a throw-away cluster has to survive a power cut, so no write
/// waits for the disk.
const SETTINGS: &str = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off \
    -c jit=off -c max_connections=300 -c shared_buffers=64MB -c max_wal_size=512MB \
    -c listen_addresses=127.0.0.1 -c unix_socket_directories=";

/// Where memory serves as a file system.
const IN_MEMORY: &str = "/dev/shm";
/// How much of it must be free for a cluster, in KiB. A database of a test has
/// hundreds of files: in memory they are made in a tenth of the time.
const IN_MEMORY_ROOM: u64 = 4 * 1024 * 1024;

/// Started with the cluster's directory, the programs' directory and the
/// server's options. Answers one line when the server takes connections,
/// and ends the server when its standard input closes.
const KEEPER: &str = r#"
"$2/pg_ctl" -D "$1/rows" -l "$1/log" -w -t 60 -o "$3" start >>"$1/log" 2>&1 || exit 1
echo ready
cat >/dev/null
"$2/pg_ctl" -D "$1/rows" -m immediate -w stop >>"$1/log" 2>&1
rm -rf "$1"
"#;

/// A running cluster, on loopback TCP with a random password. It stops when
/// this value is dropped or its process ends, however that comes about.
#[derive(Debug)]
pub struct Cluster {
    url: String,
    directory: PathBuf,
    bin: PathBuf,
    keeper: Child,
}

impl Cluster {
    /// Makes a cluster and starts it.
    ///
    /// # Errors
    /// A sentence for the person at the terminal: no server programs, no
    /// unprivileged user, or what PostgreSQL said.
    pub fn start() -> Result<Cluster, String> {
        let bin = programs().ok_or_else(|| {
            format!("none of {} found on PATH or under /usr/lib/postgresql", PROGRAMS.join(", "))
        })?;
        let user = unprivileged_user()?;
        remove_stale_clusters(&bin, user.as_ref());
        let directory = new_directory(user.as_ref())?;
        let password = random_password()?;
        initialise(&bin, &directory, user.as_ref(), &password)?;

        // The port is free when we look and may be taken when the server
        // binds it; then another one is tried.
        let mut failure = String::new();
        for _ in 0..5 {
            let port = free_port()?;
            match keep(&bin, &directory, user.as_ref(), port) {
                Ok(keeper) => {
                    let url = format!("postgres://tenon:{password}@127.0.0.1:{port}/postgres");
                    return Ok(Cluster { url, directory, bin, keeper });
                }
                Err(error) => failure = error,
            }
        }
        let log = fs::read_to_string(directory.join("log")).unwrap_or_default();
        let _ = fs::remove_dir_all(&directory);
        Err(format!("the server did not start: {failure}\n{log}"))
    }

    /// Where a superuser finds the cluster's database `postgres`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Makes an empty database of this name; where it is found.
    ///
    /// # Errors
    /// What PostgreSQL's terminal said.
    pub fn database(&self, name: &str) -> Result<String, String> {
        let output = Command::new(self.bin.join("psql"))
            .args(["--no-psqlrc", "--quiet", "--command"])
            .arg(format!("create database {name}"))
            .arg(&self.url)
            .output()
            .map_err(|error| format!("psql: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("psql: {}", said.trim()));
        }
        let address = self.url.trim_end_matches("postgres");
        Ok(format!("{address}{name}"))
    }

    /// The number of the server's first process.
    pub fn process(&self) -> Option<u32> {
        let told = fs::read_to_string(self.directory.join("rows/postmaster.pid")).ok()?;
        told.lines().next()?.trim().parse().ok()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// The directory of the server programs: beside `initdb` on PATH, or the
/// newest version under `/usr/lib/postgresql`.
pub fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path)
        .filter_map(|directory| fs::canonicalize(directory.join("initdb")).ok())
        .filter_map(|program| program.parent().map(Path::to_path_buf))
        .find(|bin| has_programs(bin));
    on_path.or_else(|| {
        let mut versions: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
            .ok()?
            .flatten()
            .filter_map(|entry| {
                let version = entry.file_name().to_str()?.parse().ok()?;
                Some((version, entry.path().join("bin")))
            })
            .filter(|(_, bin)| has_programs(bin))
            .collect();
        versions.sort();
        versions.pop().map(|(_, bin)| bin)
    })
}

fn has_programs(bin: &Path) -> bool {
    PROGRAMS.iter().all(|name| bin.join(name).is_file())
}

/// Whom the server runs as when we are root.
struct User {
    uid: u32,
    gid: u32,
}

/// `None` when we are not root and need no other user.
fn unprivileged_user() -> Result<Option<User>, String> {
    let own = fs::metadata("/proc/self").map_err(|error| format!("/proc/self: {error}"))?;
    if std::os::unix::fs::MetadataExt::uid(&own) != 0 {
        return Ok(None);
    }
    let users =
        fs::read_to_string("/etc/passwd").map_err(|error| format!("/etc/passwd: {error}"))?;
    ["postgres", "nobody"]
        .iter()
        .find_map(|name| user_called(&users, name))
        .map(Some)
        .ok_or_else(|| "root may not run PostgreSQL and there is no user postgres or nobody".into())
}

fn user_called(users: &str, name: &str) -> Option<User> {
    let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut fields = line.split(':').skip(2);
    Some(User {
        uid: fields.next()?.parse().ok()?,
        gid: fields.next()?.parse().ok()?,
    })
}

/// A command that runs as `user` in `directory` with nothing of ours open.
fn command(program: impl AsRef<OsStr>, directory: &Path, user: Option<&User>) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(directory)
        .env("LC_ALL", "C")
        .env_remove("PGDATA")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if let Some(user) = user {
        command.uid(user.uid).gid(user.gid);
    }
    command
}

fn new_directory(user: Option<&User>) -> Result<PathBuf, String> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = format!(
        "{DIRECTORY_PREFIX}{}-{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    );
    let parent = in_memory(IN_MEMORY_ROOM).unwrap_or_else(std::env::temp_dir);
    let directory = parent.join(name);
    let prepare = || -> std::io::Result<()> {
        fs::create_dir(&directory)?;
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o700))?;
        if let Some(user) = user {
            chown(&directory, Some(user.uid), Some(user.gid))?;
        }
        Ok(())
    };
    prepare().map_err(|error| format!("{}: {error}", directory.display()))?;
    Ok(directory)
}

/// Where clusters may be.
fn places() -> [PathBuf; 2] {
    [IN_MEMORY.into(), std::env::temp_dir()]
}

/// Where files are kept in memory, if so many KiB are free there.
pub fn in_memory(wanted: u64) -> Option<PathBuf> {
    has_room(IN_MEMORY, wanted).then(|| IN_MEMORY.into())
}

/// Whether a directory has so many KiB free, as `df` tells it.
fn has_room(directory: &str, wanted: u64) -> bool {
    let told = Command::new("df").args(["-Pk", directory]).output();
    let Ok(told) = told.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()) else {
        return false;
    };
    let line = told.lines().nth(1).unwrap_or_default();
    let free = line.split_whitespace().nth(3).and_then(|kib| kib.parse().ok());
    free.is_some_and(|free: u64| free >= wanted)
}

fn random_password() -> Result<String, String> {
    use std::io::Read;
    let mut bytes = [0_u8; 16];
    fs::File::open("/dev/urandom")
        .and_then(|mut source| source.read_exact(&mut bytes))
        .map_err(|error| format!("/dev/urandom: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn initialise(
    bin: &Path, directory: &Path, user: Option<&User>, password: &str,
) -> Result<(), String> {
    let password_file = directory.join("password");
    fs::write(&password_file, password)
        .and_then(|()| match user {
            Some(user) => chown(&password_file, Some(user.uid), Some(user.gid)),
            None => Ok(()),
        })
        .map_err(|error| format!("{}: {error}", password_file.display()))?;
    let output = command(bin.join("initdb"), directory, user)
        .args(["-D", "rows", "-U", "tenon", "-A", "md5", "-E", "UTF8"])
        .args(["--no-sync", "--no-locale", "--pwfile", "password"])
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| format!("initdb: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let _ = fs::remove_dir_all(directory);
    Err(format!("initdb: {}", String::from_utf8_lossy(&output.stderr)))
}

fn free_port() -> Result<u16, String> {
    TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| format!("no free port on 127.0.0.1: {error}"))
}

/// Starts the keeper and waits for its word that the server is up. It has a
/// process group of its own, so that an interrupt at the terminal reaches us
/// first and the server is stopped in order.
fn keep(bin: &Path, directory: &Path, user: Option<&User>, port: u16) -> Result<Child, String> {
    let mut keeper = command("/bin/sh", directory, user)
        .args(["-c", KEEPER, "keeper"])
        .arg(directory)
        .arg(bin)
        .arg(format!("{SETTINGS} -p {port}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|error| format!("/bin/sh: {error}"))?;
    let mut word = String::new();
    if let Some(answers) = keeper.stdout.take() {
        let _ = BufReader::new(answers).read_line(&mut word);
    }
    if word.trim() == "ready" {
        return Ok(keeper);
    }
    let _ = keeper.wait();
    Err(format!("port {port}"))
}

/// Removes clusters whose owner ended without its keeper (the machine was
/// switched off, or the keeper was killed), with the server where it goes on.
fn remove_stale_clusters(bin: &Path, user: Option<&User>) {
    let entries = places().into_iter().flat_map(fs::read_dir).flatten();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(owner) = name.to_str().and_then(owner_of) else {
            continue;
        };
        if Path::new("/proc").join(owner.to_string()).exists() {
            continue;
        }
        let directory = entry.path();
        if directory.join("rows/postmaster.pid").exists() {
            let _ = command(bin.join("pg_ctl"), &directory, user)
                .args(["-D", "rows", "-m", "immediate", "-w", "stop"])
                .status();
        }
        let _ = fs::remove_dir_all(directory);
    }
}

fn owner_of(directory_name: &str) -> Option<u32> {
    let rest = directory_name.strip_prefix(DIRECTORY_PREFIX)?;
    rest.split('-').next()?.parse().ok()
}
