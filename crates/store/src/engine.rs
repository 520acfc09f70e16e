//! Which database it is.

/// A database engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// The embedded one, a file.
    Sqlite,
    /// A PostgreSQL server.
    Postgres,
}
