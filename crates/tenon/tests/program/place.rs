//! Where an instance lives, and the server that runs there.

use crate::bucket::Bucket;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use store::{FromRow, Tx};
use tempfile::TempDir;
use testkit::Client;
use testkit::postgres::Database;

/// Everybody's password.
pub const PASSWORD: &str = "correct horse battery";

/// A place for one instance: its directory and, where it is not SQLite, its
/// database.
pub struct Place {
    directory: TempDir,
    pub database: Option<Database>,
    bucket: Option<Bucket>,
    environment: Vec<(String, String)>,
    /// A command of the shell before the program.
    before: Option<&'static str>,
    /// Where its database is, if it is not this place's own.
    elsewhere: Option<String>,
}

/// A running server, killed when dropped.
pub struct Server {
    child: Child,
    pub url: String,
    said: Arc<Mutex<Vec<String>>>,
    reader: Option<JoinHandle<()>>,
}

/// The program of this build, or another one: sieges of a full check besiege
/// the release.
pub fn program() -> PathBuf {
    match std::env::var_os("TENON_TEST_PROGRAM") {
        Some(other) => other.into(),
        None => env!("CARGO_BIN_EXE_tenon").into(),
    }
}

impl Place {
    pub fn sqlite() -> Place {
        let directory = tempfile::tempdir().expect("a temporary directory");
        Place {
            directory,
            database: None,
            bucket: None,
            environment: vec![("TENON_ROOT_PASSWORD".into(), PASSWORD.into())],
            before: None,
            elsewhere: None,
        }
    }

    /// None where PostgreSQL is not installed.
    pub fn postgres() -> Option<Place> {
        let database = Database::create("program_empty", |_| Ok(()))?;
        Some(Place { database: Some(database), ..Place::sqlite() })
    }

    /// Both engines, or the one there is.
    pub fn both() -> Vec<Place> {
        [Some(Place::sqlite()), Place::postgres()].into_iter().flatten().collect()
    }

    /// The same place with a variable set for its programs.
    pub fn with(mut self, name: &str, value: &str) -> Place {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// The same place with its programs under limits that a shell sets.
    pub fn limited(mut self, before: &'static str) -> Place {
        self.before = Some(before);
        self
    }

    /// The same place with its database on another's server.
    pub fn at(mut self, url: &str) -> Place {
        self.elsewhere = Some(url.into());
        self.with("TENON_DATABASE_URL", url)
    }

    /// The same place with its files in object storage.
    pub fn over(mut self, bucket: Bucket) -> Place {
        let settings = bucket.environment().map(|(name, value)| (name.into(), value));
        self.environment.extend(settings);
        self.bucket = Some(bucket);
        self
    }

    /// The place of another node of the same instance: in a directory of its own, with the
    /// same database, object storage and settings.
    pub fn beside(&self) -> Place {
        let beside = Place { environment: self.environment.clone(), ..Place::sqlite() };
        beside.at(&self.database_url())
    }

    pub fn bucket(&self) -> &Bucket {
        self.bucket.as_ref().expect("the place is over a bucket")
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Files of the instance's blob store, unfinished uploads among them.
    pub fn blob_files(&self) -> Vec<PathBuf> {
        let mut files = testkit::files_below(&self.path().join("data/blobs"));
        files.extend(testkit::files_below(&self.path().join("data/tmp")));
        if let Some(bucket) = &self.bucket {
            files.extend(testkit::files_below(bucket.path()));
        }
        files.sort();
        files
    }

    /// What the key file holds.
    pub fn key_file(&self) -> String {
        std::fs::read_to_string(self.path().join("data/keys")).expect("a key file")
    }

    /// One row of the database, read beside the server.
    pub async fn row<R: FromRow + Send + 'static>(&self, statement: &'static str) -> R {
        self.within(move |tx| tx.one(statement, ())).await
    }

    /// Works on the database beside the server.
    pub async fn within<R: Send + 'static>(
        &self, work: impl Fn(&mut Tx<'_>) -> store::Result<R> + Send + 'static,
    ) -> R {
        let config = store::Config::from_url(&self.database_url()).expect("a known scheme");
        let done = tokio::task::spawn_blocking(move || {
            let store = store::Store::open(config, tenon::wiring::migrations())?;
            store.write_blocking(work)
        });
        done.await.expect("no panic").expect("the database answers")
    }

    pub fn database_url(&self) -> String {
        match (&self.database, &self.elsewhere) {
            (Some(database), _) => database.url().to_owned(),
            (None, Some(url)) => url.clone(),
            (None, None) => format!("sqlite:{}", self.path().join("data/tenon.db").display()),
        }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = match self.before {
            None => Command::new(program()),
            Some(before) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", &format!("{before} && exec \"$0\" \"$@\"")]);
                shell.arg(program());
                shell
            }
        };
        command.args(arguments);
        self.at_home(command)
    }

    /// A shell with this build's `tenon` first in its path.
    pub fn shell(&self, script: &str) -> Command {
        let mut path = program().parent().expect("a folder").as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut command = Command::new("bash");
        command.args(["-c", script]).env("PATH", path).env("HOME", self.path());
        self.at_home(command)
    }

    fn at_home(&self, mut command: Command) -> Command {
        command.current_dir(self.path()).stdin(Stdio::null());
        command.envs(self.environment.iter().cloned());
        if let Some(database) = &self.database {
            command.env("TENON_DATABASE_URL", database.url());
        }
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program can be started")
    }

    /// What it writes to standard output, then to standard error.
    #[track_caller]
    pub fn tells(&self, arguments: &[&str]) -> (String, String) {
        let output = self.run(arguments);
        let told = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {told}\n{said}");
        (told, said)
    }

    #[track_caller]
    pub fn succeeds(&self, arguments: &[&str]) -> String {
        self.tells(arguments).0
    }

    /// What it writes to standard output when it fails.
    #[track_caller]
    pub fn finds(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?} succeeded");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    #[track_caller]
    pub fn fails(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?} succeeded");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    pub fn serve(&self) -> Server {
        let mut child = self
            .command(&["serve", "--listen", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started");
        let errors = child.stderr.take().expect("standard error is piped");
        let mut lines = BufReader::new(errors).lines();
        let mut before = String::new();
        let url = loop {
            let line = lines.next().unwrap_or_else(|| panic!("it ended: {before}")).expect("text");
            match line.strip_prefix("listening on ") {
                Some(url) => break url.to_owned(),
                None => before.push_str(&line),
            }
        };
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = said.clone();
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                heard.lock().expect("no panic").push(line);
            }
        });
        Server { child, url, said, reader: Some(reader) }
    }

    pub fn token(&self) -> String {
        self.succeeds(&["token", "create", "--user", "root", "--name", "t", "--scopes", "api"])
    }
}

impl Server {
    pub fn client(&self, token: &str) -> Client {
        Client::of(&self.url, token)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has written to its log so far.
    pub fn said(&self) -> Vec<String> {
        self.said.lock().expect("no panic").clone()
    }

    /// Ends it at once, as kill -9 does; all it wrote to its log.
    pub fn kill(mut self) -> Vec<String> {
        self.child.kill().expect("it runs");
        self.last_words().1
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        Command::new("kill")
            .args([&format!("-{name}"), &self.pid().to_string()])
            .status()
            .expect("kill runs");
    }

    /// Asks it to end; its exit code and all it wrote to its log.
    pub fn terminate(mut self) -> (Option<i32>, Vec<String>) {
        self.signal("TERM");
        self.last_words()
    }

    fn last_words(&mut self) -> (Option<i32>, Vec<String>) {
        let code = self.child.wait().expect("it ends").code();
        if let Some(reader) = self.reader.take() {
            reader.join().expect("no panic");
        }
        (code, self.said())
    }

    /// A figure of `/proc/PID/status` in bytes, such as `VmRSS`.
    pub fn memory(&self, figure: &str) -> u64 {
        let path = format!("/proc/{}/status", self.pid());
        let status = std::fs::read_to_string(path).expect("it runs, on Linux");
        let line = status.lines().find_map(|line| line.strip_prefix(figure)?.strip_prefix(':'));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        kilobytes.map_or_else(|| panic!("{figure} is not in {status}"), |found: u64| found * 1024)
    }

    /// Makes `VmHWM` begin anew.
    pub fn forget_peak(&self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.pid()), "5").expect("it runs, on Linux");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A project to publish to; its path below `/api/v4`.
pub async fn project(client: &Client) -> String {
    let group = json!({"name": "acme", "path": "acme"});
    let group = client.post("/groups").json(&group).await.is(201).id();
    let body = json!({"name": "anvil", "path": "anvil", "namespace_id": group});
    let id = client.post("/projects").json(&body).await.is(201).id();
    format!("/projects/{id}")
}

/// Waits for something that must come about; `what` says so if it does not.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(60);
    while !holds().await {
        assert!(Instant::now() < limit, "in vain: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
