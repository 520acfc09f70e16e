//! Where the database is, how it is used, and what its transactions are given.

use crate::value::whole_micros;
use crate::{Error, Plugs, Result};
use jiff::Timestamp;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Gives the instant.
type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Where the database is and how it is used.
#[derive(Clone)]
pub struct Config {
    /// `sqlite:PATH` or `postgres://…`.
    pub url: String,
    /// What gives each transaction its instant.
    pub clock: Clock,
    /// The longest a statement may run; 30 s.
    pub statement_timeout: Duration,
    /// Connections for reads (SQLite) or in all (PostgreSQL); 16.
    pub connections: usize,
    /// SQLite: writes that share one commit at most; 256.
    pub group_size: usize,
    /// What transactions find by its type.
    pub plugs: Plugs,
}

impl Config {
    /// A SQLite file.
    pub fn sqlite(path: &Path) -> Config {
        Config::new(format!("sqlite:{}", path.display()))
    }

    /// A PostgreSQL server.
    pub fn postgres(url: &str) -> Config {
        Config::new(url.to_owned())
    }

    /// Either, by the scheme of the URL.
    pub fn from_url(url: &str) -> Result<Config> {
        match ["sqlite:", "postgres:", "postgresql:"]
            .iter()
            .any(|scheme| url.starts_with(scheme))
        {
            true => Ok(Config::new(url.to_owned())),
            false => Err(Error::Unavailable(
                "the database URL must begin with sqlite: or postgres:".to_owned(),
            )),
        }
    }

    fn new(url: String) -> Config {
        Config {
            url,
            clock: Arc::new(Timestamp::now),
            statement_timeout: Duration::from_secs(30),
            connections: 16,
            group_size: 256,
            plugs: Plugs::default(),
        }
    }

    pub(crate) fn path(&self) -> Option<PathBuf> {
        let path = self.url.strip_prefix("sqlite:")?;
        Some(path.strip_prefix("//").unwrap_or(path).into())
    }

    /// For migrations, whose statements may take long.
    pub(crate) fn patient(&self) -> Config {
        let statement_timeout = Duration::from_secs(24 * 60 * 60);
        Config { statement_timeout, ..self.clone() }
    }
}

/// What every transaction of a store is given.
pub(crate) struct Context {
    clock: Clock,
    pub(crate) plugs: Plugs,
}

impl Context {
    pub(crate) fn of(config: &Config) -> Context {
        Context { clock: config.clock.clone(), plugs: config.plugs.clone() }
    }

    pub(crate) fn now(&self) -> Timestamp {
        whole_micros((self.clock)())
    }
}
