//! The server in process.

use crate::client::Client;
use crate::postgres::Database;
use crate::scratch;
use kernel::app::App;
use kernel::incoming_mail::IncomingMail;
use kernel::time::{Clock, Timestamp};
use sha2::{Digest, Sha256};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;
use store::{Store, sql};
use tempfile::TempDir;
use tenon::options::Options;
use tenon::wiring;
use tokio::sync::watch;

/// The token of the administrator `root`, user 1, in every test server.
pub(crate) const ROOT_TOKEN: &str = "token-of-root-for-tests-only";

/// How a server calls itself.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Host {
    /// By its number.
    Number,
    /// By a name, which security keys need.
    Name,
}

impl Host {
    fn text(self) -> &'static str {
        match self {
            Host::Number => "127.0.0.1",
            Host::Name => "localhost",
        }
    }
}

/// The whole program with its own database, files and mail, on a free port.
pub struct TestServer {
    app: App,
    address: SocketAddr,
    clock: Clock,
    stop: watch::Sender<bool>,
    _database: Option<Database>,
    _directory: TempDir,
}

impl TestServer {
    /// A server on a fresh SQLite file.
    pub async fn sqlite() -> TestServer {
        TestServer::sqlite_at(Clock::default()).await
    }

    /// Like [`TestServer::sqlite`], with a clock moved by hand
    /// ([`TestServer::advance`]) if it is a fixed one.
    pub async fn sqlite_at(clock: Clock) -> TestServer {
        TestServer::on_sqlite(clock, Host::Number).await
    }

    /// A server on a fresh PostgreSQL database; none where PostgreSQL is not
    /// installed.
    pub async fn postgres() -> Option<TestServer> {
        TestServer::postgres_at(Clock::default()).await
    }

    /// Like [`TestServer::postgres`], with a clock.
    pub async fn postgres_at(clock: Clock) -> Option<TestServer> {
        TestServer::on_postgres(clock, Host::Number).await
    }

    pub(crate) async fn on_sqlite(clock: Clock, host: Host) -> TestServer {
        let (directory, options) = directory();
        let file = options.data.join("tenon.db");
        let copied = tokio::task::spawn_blocking(move || std::fs::write(file, image()));
        copied.await.expect("it does not panic").expect("the database can be written");
        TestServer::start(directory, options, clock, None, host).await
    }

    pub(crate) async fn on_postgres(clock: Clock, host: Host) -> Option<TestServer> {
        let database = Database::create(&template(), prepare)?;
        let (directory, mut options) = directory();
        options.database_url = database.url().to_owned();
        Some(TestServer::start(directory, options, clock, Some(database), host).await)
    }

    async fn start(
        directory: TempDir, mut options: Options, clock: Clock, database: Option<Database>,
        host: Host,
    ) -> TestServer {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        options.external_url = Some(format!("http://{}:{}", host.text(), address.port()));
        options.clock = clock.clone();
        let (app, server) = wiring::assemble(options).await.expect("the server starts");
        let (stop, stopped) = watch::channel(false);
        tokio::spawn(server.serve(listener, until(stopped.clone())));
        tokio::spawn(kernel::jobs::work(app.clone(), 1, until(stopped)));
        TestServer {
            app,
            address,
            clock,
            stop,
            _database: database,
            _directory: directory,
        }
    }

    /// The application itself, for what has no address.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Begins to serve git over SSH, until the server ends; on which port.
    pub async fn ssh(&self) -> u16 {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let server = ssh::server::Server::new(self.app.clone()).await.expect("it has host keys");
        tokio::spawn(server.serve(listener, until(self.stop.subscribe())));
        port
    }

    /// The address without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Moves a fixed clock on.
    pub fn advance(&self, seconds: i64) {
        self.clock.advance(seconds);
    }

    /// Now, by the server's clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A client without credentials.
    pub fn anonymous(&self) -> Client {
        Client::new(self.url(), None)
    }

    /// A client with this token.
    pub fn with_token(&self, token: impl Into<String>) -> Client {
        Client::new(self.url(), Some(token.into()))
    }

    /// The administrator `root`.
    pub fn admin(&self) -> Client {
        self.with_token(ROOT_TOKEN)
    }

    /// Waits until no job is due or running; a dead letter fails the test.
    pub async fn settle(&self) {
        for _ in 0..600 {
            let open = self.app.read(|tx| {
                // A clock that is set back a little meanwhile makes none of them late.
                let now = tx.now() + Duration::from_millis(250);
                Ok(tx.all::<(String, String, Option<String>)>(
                    sql!(
                        "select name, state, last_error from jobs
                         where state <> 'queued' or run_at <= $1 or attempts > 0"
                    ),
                    (now,),
                )?)
            });
            let open = open.await.expect("jobs can be read");
            let failed = open.iter().find(|(_, _, error)| error.is_some());
            assert!(failed.is_none(), "a job failed: {failed:?}");
            if open.is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("jobs did not settle in half a minute");
    }
}

async fn until(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// What a mail server shows that hands mails over.
pub const INCOMING_TOKEN: &str = "a-token-of-a-mail-server";

fn directory() -> (TempDir, Options) {
    let directory = scratch::directory();
    let mut options = Options::in_directory(directory.path().join("data"));
    options.mail_url = "memory:".into();
    options.incoming_mail = IncomingMail {
        address: Some("reply+KEY@in.example".parse().expect("an address")),
        token: Some(INCOMING_TOKEN.into()),
        mailbox: None,
    };
    // Nothing outside this machine is asked, whatever a story imports.
    let nowhere = || "http://127.0.0.1:9".to_owned();
    options.providers.provider_a_api = nowhere();
    options.providers.provider_a_git = nowhere();
    options.providers.provider_b_cloud_api = nowhere();
    options.providers.provider_b_cloud_git = nowhere();
    let second = directory.path().join("second").display().to_string();
    options.storages = vec![("second".into(), second)];
    std::fs::create_dir_all(&options.data).expect("a directory for the data");
    (directory, options)
}

/// Names the template database after all it is made of.
fn template() -> String {
    let mut digest = Sha256::new();
    for migration in wiring::migrations() {
        digest.update(migration.sql);
    }
    digest.update(include_str!("server.rs"));
    hex::encode(&digest.finalize()[..8])
}

/// A migrated SQLite database as a file, made once for all servers of this
/// process.
fn image() -> &'static [u8] {
    static IMAGE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let directory = scratch::directory();
        let (made, copy) = (directory.path().join("made"), directory.path().join("copy"));
        let store = open_prepared(&format!("sqlite:{}", made.display()))
            .expect("the database can be prepared");
        // What is written lies in several files while the store is open.
        store.backup_sqlite(&copy, |_, _| ()).expect("the database can be copied");
        std::fs::read(copy).expect("the copy can be read")
    });
    &IMAGE
}

/// Migrates an empty database and puts the administrator in.
fn prepare(url: &str) -> Result<(), String> {
    open_prepared(url).map(drop)
}

fn open_prepared(url: &str) -> Result<Store, String> {
    let say = |error: store::Error| error.to_string();
    let mut config = store::Config::from_url(url).map_err(say)?;
    config.plugs = wiring::plugs().map_err(say)?;
    let store = Store::open(config, wiring::migrations()).map_err(say)?;
    store.write_blocking(add_root).map_err(|error| error.to_string())?;
    Ok(store)
}

fn add_root(tx: &mut store::Tx<'_>) -> kernel::error::Result<()> {
    // No password: hashing one would cost every test its time.
    let root = identity::bootstrap::bootstrap(tx, "no password")?.expect("the database is empty");
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into access_tokens (kind, user_id, name, digest, scopes, created_at, updated_at)
             values ('personal', $1, 'tests', $2, 'api read_api sudo admin_mode', $3, $3)"
        ),
        (root.id, kernel::secrets::digest(ROOT_TOKEN), now),
    )?;
    put_off_periodic_jobs(tx)
}

/// Has no server run them all when it starts, which would be half of what a
/// story costs: stories run those that they are about.
fn put_off_periodic_jobs(tx: &mut store::Tx<'_>) -> kernel::error::Result<()> {
    let never: Timestamp = "2100-01-01T00:00:00Z".parse().expect("a time");
    for period in wiring::jobs().periods() {
        tx.execute(
            sql!("insert into settings (key, value, updated_at) values ($1, $2, $3)"),
            (period, store::Json(serde_json::json!(null)), never),
        )?;
    }
    Ok(())
}

/// Whether two files or blobs are the same is asked by their digests.
pub fn sha256(bytes: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// A folder's files, for tests that look for leftovers.
pub fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return found;
    };
    for entry in entries.flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(files_below(&path)),
            path => found.push(path),
        }
    }
    found
}
