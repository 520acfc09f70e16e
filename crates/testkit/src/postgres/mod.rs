//! A PostgreSQL database for every test.
//!
//! [`Database::create`] copies a migrated template in a throw-away cluster.
//! The cluster is the one named by `TENON_TEST_POSTGRES` (`cargo xtask test`
//! starts one for its whole run), or else one of this process, started at the
//! first need. Where the server programs are missing there is no database and
//! the test says so, unless `TENON_REQUIRE_POSTGRES=1` makes that a failure.

mod cluster;

pub use cluster::{Cluster, PROGRAMS, in_memory, programs};

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ::postgres::{Client, NoTls};

/// Names a running cluster to use instead of starting one: a URL whose path
/// is a database that may create others.
pub const CLUSTER_VARIABLE: &str = "TENON_TEST_POSTGRES";

/// Set to `1`, it turns a missing PostgreSQL from a skip into a failure.
pub const REQUIRE_VARIABLE: &str = "TENON_REQUIRE_POSTGRES";

/// The cluster's URL, or `None` when PostgreSQL is not installed and not
/// required. Starts this process's cluster at the first call.
pub fn cluster_url() -> Option<&'static str> {
    static URL: OnceLock<Option<String>> = OnceLock::new();
    URL.get_or_init(find_cluster).as_deref()
}

fn find_cluster() -> Option<String> {
    static OWN: OnceLock<Cluster> = OnceLock::new();
    if let Ok(url) = std::env::var(CLUSTER_VARIABLE) {
        return Some(url);
    }
    if programs().is_none() {
        let required = std::env::var(REQUIRE_VARIABLE).is_ok_and(|value| value == "1");
        assert!(
            !required,
            "PostgreSQL's server programs ({}) are neither on PATH nor under \
             /usr/lib/postgresql, and {REQUIRE_VARIABLE}=1 requires them",
            PROGRAMS.join(", ")
        );
        return None;
    }
    let cluster = Cluster::start().unwrap_or_else(|error| panic!("PostgreSQL: {error}"));
    Some(OWN.get_or_init(|| cluster).url().to_owned())
}

/// One database of one test, dropped with this value.
#[derive(Debug)]
pub struct Database {
    url: String,
    name: String,
}

impl Database {
    /// A fresh copy of the template called `template`, or `None` when
    /// PostgreSQL is not installed and not required.
    ///
    /// `migrate` gets the URL of an empty database and fills it; it runs once
    /// per cluster and template name, so the name must change with what
    /// `migrate` does: use a digest of the migrations. Safe to call on an
    /// async worker: the work happens on a thread of its own.
    pub fn create(
        template: &str, migrate: impl FnOnce(&str) -> Result<(), String> + Send,
    ) -> Option<Database> {
        let cluster = cluster_url()?;
        let name = unique_name();
        let template = format!("tenon_template_{template}");
        with_client(cluster, |client| {
            build_template(client, cluster, &template, migrate)?;
            copy(client, &template, &name).map_err(|error| describe(&error))
        })
        .unwrap_or_else(|error| panic!("no database for the test: {error}"));
        Some(Database { url: with_database(cluster, &name), name })
    }

    /// The URL of the database, for the store or any client.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Database {
    /// Removes the database with whatever is still connected to it. A failure
    /// costs disk space until the cluster goes, so it is not reported.
    fn drop(&mut self) {
        let Some(cluster) = cluster_url() else { return };
        let statement = format!("drop database if exists {} with (force)", self.name);
        let _ = with_client(cluster, |client| {
            let dropped = client.batch_execute(&statement);
            dropped.map_err(|error| describe(&error))
        });
    }
}

/// Copies the template's files: by way of the log, as PostgreSQL does since it
/// has the choice, a copy takes more than twice the time of a processor.
fn copy(client: &mut Client, template: &str, name: &str) -> Result<(), ::postgres::Error> {
    let version = "select current_setting('server_version_num')::int4";
    let version: i32 = client.query_one(version, &[])?.get(0);
    let strategy = match version {
        150_000.. => "strategy file_copy",
        _ => "",
    };
    client.batch_execute(&format!("create database {name} template {template} {strategy}"))
}

/// Makes the template unless the cluster has it. An advisory lock lets one
/// process build while the others wait; only a finished template carries the
/// final name.
fn build_template(
    client: &mut Client, cluster: &str, template: &str,
    migrate: impl FnOnce(&str) -> Result<(), String>,
) -> Result<(), String> {
    let run = |client: &mut Client, sql: &str| {
        client
            .batch_execute(sql)
            .map_err(|error| format!("{sql}: {}", describe(&error)))
    };
    let exists = |client: &mut Client| {
        client
            .query_opt("select 1 from pg_database where datname = $1", &[&template])
            .map(|row| row.is_some())
            .map_err(|error| describe(&error))
    };
    if exists(client)? {
        return Ok(());
    }
    // Held until the end of the connection, which is this one's alone.
    let client = &mut connect(cluster)?;
    run(client, "select pg_advisory_lock(7265676)")?;
    if exists(client)? {
        return Ok(());
    }
    let building = format!("{template}_building");
    run(client, &format!("drop database if exists {building} with (force)"))?;
    run(client, &format!("create database {building} template template0"))?;
    migrate(&with_database(cluster, &building))?;
    // A connection that is still closing would make the rename fail.
    let mut tries = 0;
    loop {
        run(
            client,
            &format!(
                "select pg_terminate_backend(pid) from pg_stat_activity \
                 where datname = '{building}'"
            ),
        )?;
        match run(client, &format!("alter database {building} rename to {template}")) {
            Err(_) if tries < 100 => tries += 1,
            done => return done,
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Runs `work` on a thread of its own, because the blocking client may not
/// run on an async worker.
fn off_the_runtime<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        scope
            .spawn(work)
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Runs `work` off the runtime, on a connection that the next one uses again:
/// each costs the cluster a process.
fn with_client<T: Send>(
    cluster: &str, work: impl FnOnce(&mut Client) -> Result<T, String> + Send,
) -> Result<T, String> {
    static IDLE: Mutex<Vec<Client>> = Mutex::new(Vec::new());
    let idle = || IDLE.lock().unwrap_or_else(PoisonError::into_inner);
    off_the_runtime(|| {
        let ready = idle().pop().filter(|client| !client.is_closed());
        let mut client = match ready {
            Some(client) => client,
            None => connect(cluster)?,
        };
        let done = work(&mut client)?;
        idle().push(client);
        Ok(done)
    })
}

fn connect(url: &str) -> Result<Client, String> {
    Client::connect(url, NoTls).map_err(|error| describe(&error))
}

fn describe(error: &::postgres::Error) -> String {
    match error.as_db_error() {
        Some(refusal) => refusal.message().to_owned(),
        None => error.to_string(),
    }
}

/// A database name no other test of any process has.
fn unique_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let moment = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    format!("tenon_test_{}_{number}_{moment}", std::process::id())
}

/// `url` with its database replaced by `name`.
fn with_database(url: &str, name: &str) -> String {
    let (address, options) = match url.split_once('?') {
        Some((address, options)) => (address, format!("?{options}")),
        None => (url, String::new()),
    };
    let after_scheme = address.find("://").map_or(0, |at| at + 3);
    let host_end = address[after_scheme..].find('/').map_or(address.len(), |at| after_scheme + at);
    format!("{}/{name}{options}", &address[..host_end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_of_a_url_is_replaced() {
        for (given, expected) in [
            ("postgres://u:p@h:1/postgres", "postgres://u:p@h:1/x"),
            ("postgres://u:p@h:1", "postgres://u:p@h:1/x"),
            ("postgres://h/a?sslmode=disable", "postgres://h/x?sslmode=disable"),
        ] {
            assert_eq!(with_database(given, "x"), expected);
        }
    }

    #[test]
    fn each_test_gets_its_own_copy_of_a_migrated_template() {
        let migrate = |url: &str| {
            connect(url)?
                .batch_execute("create table notes (body text)")
                .map_err(|error| describe(&error))
        };
        let Some(one) = Database::create("testkit_notes", migrate) else {
            return;
        };
        let two = Database::create("testkit_notes", |_| Err("migrated twice".to_owned()))
            .expect("the first call found PostgreSQL");

        connect(one.url())
            .and_then(|mut client| {
                client
                    .batch_execute("insert into notes values ('only here')")
                    .map_err(|error| describe(&error))
            })
            .expect("insert");

        let count = |database: &Database| -> i64 {
            connect(database.url())
                .expect("connect")
                .query_one("select count(*) from notes", &[])
                .expect("count")
                .get(0)
        };
        assert_eq!((count(&one), count(&two)), (1, 0));
    }

    #[test]
    fn a_dropped_database_is_gone() {
        let Some(database) = Database::create("testkit_empty", |_| Ok(())) else {
            return;
        };
        let url = database.url().to_owned();
        assert!(connect(&url).is_ok());
        drop(database);
        assert!(connect(&url).is_err());
    }
}
