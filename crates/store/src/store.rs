//! The handle that rooms use.

use crate::config::{Config, Context};
use crate::pool::{Caller, LeaveOnDrop, Pool};
use crate::pulse::Pulse;
use crate::sqlite_engine;
use crate::sqlite_writer::{self, Job};
use crate::tx::{Session, Tx, attempt};
use crate::work::{Access, Run, Work, erased};
use crate::{Engine, Error, Migration, Result, migrate, postgres_engine, registered};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

/// Thousands of SQLite's steps that a glance may take, about a millisecond.
const GLANCE: u32 = 50;

/// How long a transaction waits for a connection.
const WAIT: Duration = Duration::from_secs(5);

enum Backend {
    Sqlite {
        path: PathBuf,
        readers: Pool<sqlite_engine::Connection>,
        queue: mpsc::Sender<Job>,
    },
    Postgres(Arc<Pool<postgres_engine::Connection>>),
}

struct Inner {
    config: Config,
    context: Arc<Context>,
    permits: Arc<Semaphore>,
    backend: Backend,
    /// Of a server that may fall silent.
    pulse: Option<Arc<Pulse>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Backend::Postgres(pool) = &self.backend {
            // Closing waits for the network, which an async worker must not do.
            let pool = pool.clone();
            std::thread::spawn(move || pool.clear());
        }
    }
}

/// A database. Clones share it.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

/// The right to serve this database, until dropped or the process ends.
pub struct ServeLock(#[expect(dead_code, reason = "held for its lock")] Option<File>);

impl Store {
    /// Opens the database and applies the migrations it lacks. Blocks.
    pub fn open(config: Config, migrations: &[Migration]) -> Result<Store> {
        let context = Arc::new(Context::of(&config));
        let backend = on_own_thread(|| match config.path() {
            Some(path) => open_sqlite(path, &config, &context, migrations),
            None => open_postgres(&config, &context, migrations),
        })?;
        let permits = Arc::new(Semaphore::new(config.connections.max(1)));
        let pulse = matches!(backend, Backend::Postgres(_)).then(|| {
            let config = config.clone();
            Pulse::of(move || postgres_engine::Connection::probe(&config))
        });
        Ok(Store {
            inner: Arc::new(Inner { config, context, permits, backend, pulse }),
        })
    }

    /// Whether there is a database that a program has migrated; makes none.
    /// Blocks.
    pub fn is_migrated(config: &Config) -> Result<bool> {
        let context = Context::of(config);
        let look = || match config.path() {
            Some(path) if !path.is_file() => Ok(false),
            Some(path) => migrate::has_run(
                &mut sqlite_engine::Connection::open(&path, config, true)?,
                &context,
            ),
            None => migrate::has_run(&mut postgres_engine::Connection::open(config)?, &context),
        };
        on_own_thread(look)
    }

    /// Takes the right to serve. A second server on the same SQLite file is
    /// refused with [`Error::InUse`]; on PostgreSQL any number may serve.
    pub fn serve_lock(&self) -> Result<ServeLock> {
        let Backend::Sqlite { path, .. } = &self.inner.backend else {
            return Ok(ServeLock(None));
        };
        let mut name = path.clone().into_os_string();
        name.push(".lock");
        let unusable = |error: std::io::Error| Error::Unavailable(format!("lock file: {error}"));
        let file = File::options().create(true).append(true).open(name).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => Ok(ServeLock(Some(file))),
            Err(TryLockError::WouldBlock) => Err(Error::InUse),
            Err(TryLockError::Error(error)) => Err(unusable(error)),
        }
    }

    /// Runs a closure in one read-only snapshot. Dropping the future stops
    /// its running statement.
    pub async fn read<T, E, F>(&self, f: F) -> std::result::Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (work, outcome) = Work::once(f);
        self.run(Access::Read, work).await?;
        outcome.take()
    }

    /// [`read`](Store::read) for a few rows by their keys. Where the engine
    /// runs in this process the closure runs at once on the caller's thread:
    /// waking another thread and being woken costs several times as much as
    /// the lookup. A closure that turns out to read more than that is stopped
    /// and runs again on a thread that may take its time.
    pub async fn read_inline<T, E, F>(&self, f: F) -> std::result::Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (work, outcome) = Work::new(f);
        self.run(Access::Glance, work).await?;
        outcome.take()
    }

    /// Runs a closure in one serialisable transaction that is durable when
    /// this returns. The closure may run more than once; only the last run
    /// counts.
    pub async fn write<T, E, F>(&self, f: F) -> std::result::Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (work, outcome) = Work::new(f);
        self.run(Access::Write, work).await?;
        outcome.take()
    }

    /// Runs work in a transaction of its own. What fails here is not the
    /// work: whether that succeeded is told by its outcome.
    pub async fn run(&self, access: Access, mut work: Work) -> Result<()> {
        match access {
            Access::Read => self.read_apart(work).await,
            Access::Glance => match self.inner.read_inline(&mut |tx| work.run(tx)) {
                Some(ended) => ended,
                None => self.read_apart(work).await,
            },
            Access::Write => self.write_apart(work).await,
        }
    }

    /// Waits for the right to a connection.
    async fn permit(&self) -> Result<OwnedSemaphorePermit> {
        match timeout(WAIT, self.inner.permits.clone().acquire_owned()).await {
            Ok(permit) => permit.map_err(|_| stopping()),
            Err(_) => Err(Error::Unavailable("all connections are taken".to_owned())),
        }
    }

    /// Waits for what a server does, unless it has fallen silent. What it was
    /// told may still come about.
    async fn answered(&self, work: impl Future<Output = Result<()>>) -> Result<()> {
        match &self.inner.pulse {
            Some(pulse) => pulse.guard(work).await?,
            None => work.await,
        }
    }

    async fn read_apart(&self, mut work: Work) -> Result<()> {
        self.answered(async {
            let permit = self.permit().await?;
            let (inner, caller) = (self.inner.clone(), Arc::new(Caller::default()));
            let leave = LeaveOnDrop(caller.clone());
            let task = tokio::task::spawn_blocking(move || {
                let ended = inner.read(Some(caller), &mut |tx| work.run(tx));
                drop((work, inner, permit));
                ended
            });
            let ended = task.await.unwrap_or_else(|_| Err(stopping()));
            drop(leave);
            ended
        })
        .await
    }

    async fn write_apart(&self, mut work: Work) -> Result<()> {
        let Backend::Postgres(pool) = &self.inner.backend else {
            let answer = self.inner.enqueue(work);
            return answer.await.unwrap_or_else(|_| Err(stopping()));
        };
        self.answered(async {
            let permit = self.permit().await?;
            let (pool, context) = (pool.clone(), self.inner.context.clone());
            let (reply, answer) = oneshot::channel();
            tokio::task::spawn_blocking(move || {
                if !reply.is_closed() {
                    let ended = postgres_engine::write(&pool, &context, &mut |tx| work.run(tx));
                    reply.send(ended).ok();
                }
                drop(permit);
            });
            answer.await.unwrap_or_else(|_| Err(stopping()))
        })
        .await
    }

    /// [`read`](Store::read) for threads that may block.
    pub fn read_blocking<T, E, F>(&self, f: F) -> std::result::Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>) -> std::result::Result<T, E>,
        E: From<Error>,
    {
        erased(f, |run| self.inner.read(None, run))
    }

    /// [`write`](Store::write) for threads that may block.
    pub fn write_blocking<T, E, F>(&self, f: F) -> std::result::Result<T, E>
    where
        F: Fn(&mut Tx<'_>) -> std::result::Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        let (work, outcome) = Work::new(f);
        self.inner.write_blocking(work)?;
        outcome.take()
    }

    /// What was plugged in under this type.
    pub fn plugged<T: std::any::Any + Send + Sync>(&self) -> Result<&T> {
        self.inner.context.plugs.get()
    }

    /// The engine in use, for diagnostics and backup only.
    pub fn engine(&self) -> Engine {
        match self.inner.backend {
            Backend::Sqlite { .. } => Engine::Sqlite,
            Backend::Postgres(_) => Engine::Postgres,
        }
    }

    /// Copies a SQLite database into a new file while it is in use; `progress`
    /// gets pages done and pages in all.
    pub fn backup_sqlite(&self, to: &Path, progress: impl FnMut(u64, u64)) -> Result<()> {
        match &self.inner.backend {
            Backend::Sqlite { path, .. } => {
                sqlite_engine::Connection::open(path, &self.inner.config, true)?
                    .backup(to, progress)
            }
            Backend::Postgres(_) => {
                Err(Error::Engine("this database is not a SQLite file".to_owned()))
            }
        }
    }

    /// Prepares every registered statement and names those that fail. Blocks;
    /// meant for a test per engine.
    pub fn check_statements(&self) -> Result<()> {
        let check = |session: &mut dyn Session| {
            let failed = registered().filter_map(|statement| {
                let error = session.check(statement.text).err()?;
                Some(format!("{}:{}: {error}\n", statement.file, statement.line))
            });
            let failed: String = failed.collect();
            if failed.is_empty() {
                Ok(())
            } else {
                Err(Error::Engine(failed))
            }
        };
        match &self.inner.backend {
            Backend::Sqlite { readers, .. } => check(&mut readers.take()?),
            Backend::Postgres(pool) => check(&mut pool.take()?),
        }
    }
}

pub(crate) fn stopping() -> Error {
    Error::Unavailable("the server is stopping".to_owned())
}

/// The PostgreSQL client must not block an async worker.
fn on_own_thread<T: Send>(open: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| {
        let opened = scope.spawn(open);
        opened
            .join()
            .unwrap_or_else(|_| Err(Error::Engine("panic while opening".to_owned())))
    })
}

fn open_sqlite(
    path: PathBuf, config: &Config, context: &Context, migrations: &[Migration],
) -> Result<Backend> {
    let mut first = sqlite_engine::Connection::open(&path, &config.patient(), false)?;
    migrate::run(&mut first, context, migrations)?;
    drop(first);
    let writer = sqlite_engine::Connection::open(&path, config, false)?;
    let (queue, jobs) = mpsc::channel();
    let size = config.group_size.max(1);
    std::thread::Builder::new()
        .name("store writer".to_owned())
        .spawn(move || sqlite_writer::write_queue(writer, &jobs, size))
        .map_err(|error| Error::Unavailable(format!("writer thread: {error}")))?;
    let (file, settings) = (path.clone(), config.clone());
    let readers = Pool::new(config.connections.max(1), move || {
        sqlite_engine::Connection::open(&file, &settings, true)
    });
    Ok(Backend::Sqlite { path, readers, queue })
}

fn open_postgres(config: &Config, context: &Context, migrations: &[Migration]) -> Result<Backend> {
    let mut first = postgres_engine::Connection::open(&config.patient())?;
    migrate::run(&mut first, context, migrations)?;
    let settings = config.clone();
    let open = move || postgres_engine::Connection::open(&settings);
    Ok(Backend::Postgres(Arc::new(Pool::new(config.connections.max(1), open))))
}

impl Inner {
    fn read(&self, caller: Option<Arc<Caller>>, run: Run<'_>) -> Result<()> {
        if caller.as_ref().is_some_and(|caller| caller.is_gone()) {
            return Err(Error::Cancelled);
        }
        let readers = match &self.backend {
            Backend::Sqlite { readers, .. } => readers,
            Backend::Postgres(pool) => {
                return postgres_engine::read(pool, caller, &self.context, run);
            }
        };
        let mut connection = readers.take()?;
        connection.serve(caller.clone());
        connection.control("begin")?;
        let ended = attempt(&mut connection, &self.context, run);
        if let Some(caller) = caller {
            caller.finish();
        }
        if connection.rollback() {
            readers.give(connection);
        }
        ended.finish()
    }

    /// Runs a short read here and now; nothing if that is not possible, or
    /// turned out not to be short.
    fn read_inline(&self, run: Run<'_>) -> Option<Result<()>> {
        let Backend::Sqlite { readers, .. } = &self.backend else {
            return None;
        };
        let _permit = self.permits.try_acquire().ok()?;
        let mut connection = readers.idle()?;
        connection.allow(Some(GLANCE));
        connection.control("begin").ok()?;
        let ended = attempt(&mut connection, &self.context, run);
        let spent = connection.is_spent();
        if connection.rollback() {
            readers.give(connection);
        }
        if spent && !ended.is_done() {
            return None;
        }
        Some(ended.finish())
    }

    fn write_blocking(&self, mut work: Work) -> Result<()> {
        match &self.backend {
            Backend::Sqlite { .. } => {
                let answer = self.enqueue(work).blocking_recv();
                answer.unwrap_or_else(|_| Err(stopping()))
            }
            Backend::Postgres(pool) => {
                postgres_engine::write(pool, &self.context, &mut |tx| work.run(tx))
            }
        }
    }

    fn enqueue(&self, work: Work) -> oneshot::Receiver<Result<()>> {
        let (job, answer) = Job::new(work, self.context.clone());
        if let Backend::Sqlite { queue, .. } = &self.backend {
            // A dead writer drops the job, which the caller sees.
            queue.send(job).ok();
        }
        answer
    }
}
