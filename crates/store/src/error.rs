//! What can go wrong in the store, in terms both engines share.

/// The result of a store operation.
pub type Result<T> = std::result::Result<T, Error>;

/// A failure of the store. Engine texts are for logs and never for users.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A statement that must give a row gave none.
    #[error("no such row")]
    NoRow,
    /// A unique index refused the row.
    #[error("unique violation: {constraint}")]
    Unique {
        /// The index or constraint name on PostgreSQL; `table.column, …` or
        /// the index name on SQLite.
        constraint: String,
    },
    /// A foreign key refused the change.
    #[error("foreign key violation")]
    Foreign,
    /// A check constraint refused the row.
    #[error("check violation")]
    Check,
    /// A statement ran longer than the statement timeout.
    #[error("the statement took too long")]
    Timeout,
    /// The caller went away, so its statement was stopped.
    #[error("the statement was cancelled")]
    Cancelled,
    /// Another server holds the same SQLite file.
    #[error("another server uses this database")]
    InUse,
    /// The database was migrated by a newer program.
    #[error(
        "the database has migration {found}, this program knows up to {known}: use a newer program"
    )]
    NewerSchema {
        /// The unknown migration's number.
        found: i64,
        /// The newest number this program knows.
        known: i64,
    },
    /// A migration that was already applied has another text now.
    #[error("migration {number} was changed after it was applied")]
    ChangedMigration {
        /// The migration's number.
        number: i64,
    },
    /// A write kept colliding with others until its retries ran out.
    #[error("too many concurrent changes to the same rows")]
    Conflict,
    /// A value does not fit: a column of another type, a missing column, a
    /// parameter neither engine can store.
    #[error("value mismatch: {what}")]
    Type {
        /// What did not fit.
        what: String,
    },
    /// A room did not plug in what another one asks for.
    #[error("nothing is plugged in as {what}")]
    NotPlugged {
        /// The type that is missing.
        what: &'static str,
    },
    /// Two rooms plugged in the same.
    #[error("{what} is plugged in twice")]
    PluggedTwice {
        /// The type.
        what: &'static str,
    },
    /// The database cannot be reached or cannot take writes now.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// Any other engine failure, with its source text.
    #[error("database failure: {0}")]
    Engine(String),
}

impl Error {
    pub(crate) fn mismatch(what: impl Into<String>) -> Error {
        Error::Type { what: what.into() }
    }
}
