//! Throw-away databases: a SQLite file, and a PostgreSQL cluster per process.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use store::{Config, Migration, Store};
use tempfile::TempDir;

/// A database of one test, removed with it.
pub struct Database {
    pub store: Store,
    pub config: Config,
    _directory: Option<TempDir>,
}

impl Database {
    pub fn sqlite(migrations: &[Migration]) -> Database {
        Database::sqlite_with(migrations, |_| {})
    }

    pub fn sqlite_with(migrations: &[Migration], change: impl FnOnce(&mut Config)) -> Database {
        let directory = tempfile::tempdir().unwrap();
        let mut config = Config::sqlite(&directory.path().join("test.db"));
        change(&mut config);
        Database::open(config, migrations, Some(directory))
    }

    pub fn postgres_with(
        migrations: &[Migration],
        change: impl FnOnce(&mut Config),
    ) -> Option<Database> {
        let mut config = Config::postgres(&new_postgres_database()?);
        change(&mut config);
        Some(Database::open(config, migrations, None))
    }

    fn open(config: Config, migrations: &[Migration], directory: Option<TempDir>) -> Database {
        let store = Store::open(config.clone(), migrations).unwrap();
        Database {
            store,
            config,
            _directory: directory,
        }
    }
}

/// Runs a test on every engine that is there.
pub fn on_both(migrations: &[Migration], test: impl Fn(Database)) {
    on_both_with(migrations, |_| {}, test);
}

pub fn on_both_with(migrations: &[Migration], change: fn(&mut Config), test: impl Fn(Database)) {
    test(Database::sqlite_with(migrations, change));
    if let Some(database) = Database::postgres_with(migrations, change) {
        test(database);
    }
}

/// The URL of an empty database, or nothing where PostgreSQL is not installed.
pub fn new_postgres_database() -> Option<String> {
    static CLUSTER: OnceLock<Option<Cluster>> = OnceLock::new();
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let cluster = CLUSTER.get_or_init(Cluster::start).as_ref()?;
    let name = format!("test{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let mut client = postgres::Client::connect(&cluster.url("postgres"), postgres::NoTls).unwrap();
    client
        .batch_execute(&format!("create database {name}"))
        .unwrap();
    Some(cluster.url(&name))
}

struct Cluster {
    port: u16,
    _directory: TempDir,
    _watchdog: Child,
}

impl Cluster {
    fn start() -> Option<Cluster> {
        let Some(programs) = programs() else {
            let required = std::env::var("TENON_REQUIRE_POSTGRES").is_ok_and(|v| v == "1");
            assert!(!required, "PostgreSQL is required and was not found");
            eprintln!("skipped: PostgreSQL was not found");
            return None;
        };
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data");
        let account = account();
        if let Some((uid, gid)) = account {
            std::os::unix::fs::chown(directory.path(), Some(uid), Some(gid)).unwrap();
        }
        let run = |program: &str| {
            let mut command = Command::new(programs.join(program));
            if let Some((uid, gid)) = account {
                command.uid(uid).gid(gid);
            }
            command
                .current_dir(directory.path())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            command
        };
        let initdb = run("initdb")
            .args([
                "--no-sync",
                "-A",
                "trust",
                "-U",
                "test",
                "-E",
                "UTF8",
                "--locale=C.UTF-8",
                "-D",
            ])
            .arg(&data)
            .status()
            .unwrap();
        assert!(initdb.success(), "initdb failed");
        let port = std::net::TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut server = run("postgres");
        server.arg("-D").arg(&data).args(["-p", &port.to_string()]);
        for setting in [
            "unix_socket_directories=",
            "listen_addresses=127.0.0.1",
            "fsync=off",
        ] {
            server.args(["-c", setting]);
        }
        server.args(["-c", "max_connections=200"]);
        let server = server.spawn().unwrap();
        // Statics are not dropped: the watchdog ends the server with us.
        let watchdog = Command::new("sh")
            .arg("-c")
            .arg(format!(
                "cat >/dev/null; kill -QUIT {}; sleep 1; rm -rf '{}'",
                server.id(),
                directory.path().display()
            ))
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let cluster = Cluster {
            port,
            _directory: directory,
            _watchdog: watchdog,
        };
        for _ in 0..200 {
            if postgres::Client::connect(&cluster.url("postgres"), postgres::NoTls).is_ok() {
                return Some(cluster);
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("PostgreSQL did not start");
    }

    fn url(&self, database: &str) -> String {
        format!(
            "postgres://test@127.0.0.1:{}/{database}?sslmode=disable",
            self.port
        )
    }
}

fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    for version in std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
    {
        folders.push(version.path().join("bin"));
    }
    folders.into_iter().find(|folder| {
        ["initdb", "postgres"]
            .iter()
            .all(|p| folder.join(p).exists())
    })
}

/// The account to run as: PostgreSQL refuses root.
fn account() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    if std::fs::metadata("/proc/self").unwrap().uid() != 0 {
        return None;
    }
    let accounts = std::fs::read_to_string(Path::new("/etc/passwd")).unwrap();
    let find = |name: &str| {
        let line = accounts
            .lines()
            .find(|line| line.starts_with(&format!("{name}:")))?;
        let mut fields = line.split(':').skip(2);
        Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
    };
    find("postgres").or_else(|| find("nobody"))
}
