//! The server as a separate process, for clients and measurements.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::costs;
use crate::steps::{self, Outcome, cargo, linting_cargo};
use crate::tree;

/// A server that does not say it listens within this time has failed.
const START_LIMIT: Duration = Duration::from_secs(60);

/// Builds the release binary and answers its path.
pub fn build() -> Result<PathBuf, String> {
    steps::run(&mut cargo(["build", "--release", "--package", "tenon"]))?;
    Ok(tree::target().join("release/tenon"))
}

/// Builds the server that the tests run, with its assertions and its checks of
/// arithmetic, and answers its path. It is built as one of its tests needs it:
/// after the tests nothing is left to build, where a release build would take
/// a third of the time of the whole check.
pub fn checked() -> Result<PathBuf, String> {
    steps::run(&mut linting_cargo([
        "test",
        "--workspace",
        "--no-run",
        "--quiet",
        "--test",
        "program",
    ]))?;
    Ok(tree::target().join("debug/tenon"))
}

/// What a server is started with.
pub struct Settings<'a> {
    /// The data directory.
    pub data: &'a Path,
    /// A PostgreSQL URL; `None` is SQLite in the data directory.
    pub database: Option<&'a str>,
    /// Further environment.
    pub environment: &'a [(&'a str, &'a str)],
    /// The server calls itself `localhost`, not by its number: security keys
    /// need a name.
    pub named: bool,
}

/// A running server. It is killed when dropped; [`Server::stop`] ends it in
/// order.
pub struct Server {
    program: PathBuf,
    data: PathBuf,
    database: Option<String>,
    child: Child,
    url: String,
    root_password: Option<String>,
    ready_after: Duration,
}

/// What a server says while it starts.
#[derive(Default)]
struct Said {
    url: String,
    root_password: Option<String>,
}

impl Server {
    /// Starts the server on a free port and waits until it listens. What it
    /// logs goes to `server.log` in the data directory.
    pub fn start(program: &Path, settings: &Settings<'_>) -> Result<Server, String> {
        let port = free_port()?;
        fs::create_dir_all(settings.data)
            .map_err(|error| format!("{}: {error}", settings.data.display()))?;
        let mut command = command(program, settings.data, settings.database);
        command
            .arg("serve")
            .args(["--listen", &format!("127.0.0.1:{port}")])
            .envs(settings.environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let name = format!("http://localhost:{port}");
        if settings.named {
            command.env("TENON_EXTERNAL_URL", &name);
        }
        let begun = Instant::now();
        let mut child =
            command.spawn().map_err(|error| format!("{}: {error}", program.display()))?;
        let log = settings.data.join("server.log");
        let ready = follow(&mut child, &log)?;
        let said = ready.recv_timeout(START_LIMIT).map_err(|_| {
            let _ = child.kill();
            let _ = child.wait();
            let said = fs::read_to_string(&log).unwrap_or_default();
            format!("the server did not say that it listens\n{said}")
        })?;
        Ok(Server {
            program: program.to_owned(),
            data: settings.data.to_owned(),
            database: settings.database.map(str::to_owned),
            child,
            url: if settings.named { name } else { said.url },
            root_password: said.root_password,
            ready_after: begun.elapsed(),
        })
    }

    /// `http://HOST:PORT`, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The administrator's password, which the first start prints.
    pub fn root_password(&self) -> Result<&str, String> {
        let printed = self.root_password.as_deref();
        printed.ok_or_else(|| "the server printed no password at its first start".to_owned())
    }

    /// From the start of the process to the line that says it listens.
    pub fn ready_after(&self) -> Duration {
        self.ready_after
    }

    /// A token of the administrator with every right of the REST API.
    pub fn root_token(&self) -> Result<String, String> {
        let output = command(&self.program, &self.data, self.database.as_deref())
            .args(["token", "create", "--user", "root", "--name", "xtask"])
            .args(["--scopes", "api,sudo,admin_mode"])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("tenon token create: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("tenon token create: {}", said.trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Resident memory now, in bytes.
    pub fn resident_bytes(&self) -> Result<u64, String> {
        self.memory("VmRSS:")
    }

    /// The most resident memory there was, in bytes, since the server started or this
    /// was forgotten.
    pub fn peak_bytes(&self) -> Result<u64, String> {
        self.memory("VmHWM:")
    }

    /// Makes [`Server::peak_bytes`] begin anew.
    pub fn forget_peak(&self) -> Outcome {
        let path = format!("/proc/{}/clear_refs", self.child.id());
        fs::write(&path, "5").map_err(|error| format!("{path}: {error}"))
    }

    fn memory(&self, figure: &str) -> Result<u64, String> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        status
            .lines()
            .find_map(|line| line.strip_prefix(figure))
            .and_then(|rest| rest.split_whitespace().next())
            .and_then(|kib| kib.parse::<u64>().ok())
            .map(|kib| kib * 1024)
            .ok_or_else(|| format!("{path} names no {figure}"))
    }

    /// Asks the server to end; a status other than 0 is a failure.
    pub fn stop(mut self) -> Outcome {
        costs::add(costs::step(), costs::of_process(self.child.id()));
        let pid = self.child.id().to_string();
        steps::run(Command::new("kill").args(["-TERM", &pid]))?;
        let status = self.wait(Duration::from_secs(30))?;
        if status.success() {
            return Ok(());
        }
        Err(format!("the server ended with {status}"))
    }

    fn wait(&mut self, limit: Duration) -> Result<ExitStatus, String> {
        let begun = Instant::now();
        while begun.elapsed() < limit {
            match self.child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) => std::thread::sleep(Duration::from_millis(20)),
                Err(error) => return Err(format!("the server: {error}")),
            }
        }
        Err(format!("the server did not end within {} s of SIGTERM", limit.as_secs()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program on this data directory and database, with no other
/// configuration from our environment.
fn command(program: &Path, data: &Path, database: Option<&str>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("TENON_") {
            command.env_remove(name);
        }
    }
    command.env("TENON_DATA", data).current_dir(data);
    if let Some(database) = database {
        command.env("TENON_DATABASE_URL", database);
    }
    command
}

/// Copies the server's standard error to `log` and sends what it said once
/// the server names its address.
fn follow(child: &mut Child, log: &Path) -> Result<mpsc::Receiver<Said>, String> {
    let (sender, ready) = mpsc::channel();
    let errors = child.stderr.take().ok_or("the server has no standard error")?;
    let mut copy = fs::File::create(log).map_err(|error| format!("{}: {error}", log.display()))?;
    std::thread::spawn(move || {
        let mut said = Said::default();
        for line in BufReader::new(errors).lines().map_while(Result::ok) {
            let _ = writeln!(copy, "{line}");
            if let Some((_, password)) = line.split_once(" has the password ") {
                said.root_password = Some(password.to_owned());
            }
            if let Some((_, address)) = line.split_once("listening on ") {
                let address = address.split_whitespace().next().unwrap_or_default();
                said.url = address.trim_end_matches('/').to_owned();
                let _ = sender.send(std::mem::take(&mut said));
            }
        }
    });
    Ok(ready)
}

/// A port that nobody listens on now.
pub fn free_port() -> Result<u16, String> {
    TcpListener::bind(("127.0.0.1", 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| format!("no free port on 127.0.0.1: {error}"))
}

/// An empty directory of this name under the target directory.
pub fn fresh_directory(name: &str) -> Result<PathBuf, String> {
    let directory = tree::target().join("xtask").join(name);
    if directory.exists() {
        fs::remove_dir_all(&directory)
            .map_err(|error| format!("{}: {error}", directory.display()))?;
    }
    fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    Ok(directory)
}
