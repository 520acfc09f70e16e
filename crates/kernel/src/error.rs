//! One list of refusals; each surface (REST, pages, protocols) renders it once.
//!
//! Wire forms: docs/interface/identity.md 8. Rooms have their own error enums
//! and convert them into [`Error`] in one place.

use std::fmt;

/// Result of everything a request or job does.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What is said where the database took too long.
pub const TIMED_OUT: &str = "The request took too long.";
/// What is said when others' changes got in the way too often.
pub const CONFLICT: &str = "Too many changes at once.";

/// Why a request is refused.
#[derive(Debug)]
pub enum Error {
    /// 400: named parameters are missing or have an unusable value. Each text
    /// is complete (`name is missing`, `sort does not have a valid value`).
    Parameters(Vec<String>),
    /// 400: a plain reason, sent as `400 Bad request - <reason>`.
    BadRequest(String),
    /// 400: validation failed; field name to messages.
    Invalid(Vec<(String, Vec<String>)>),
    /// 401 `401 Unauthorized`.
    Unauthenticated,
    /// 401 with an RFC 6750 error code and description.
    Token {
        /// `invalid_token` and the like.
        error: &'static str,
        /// What to do about it.
        description: &'static str,
    },
    /// 403, with a reason unless empty.
    Forbidden(String),
    /// 403: the token's scopes do not suffice; the scopes that would.
    InsufficientScope(String),
    /// 404 `404 <thing> Not Found`; with an empty thing `404 Not found`.
    NotFound(&'static str),
    /// 404 with this exact message.
    NotFoundText(String),
    /// 405; the methods that would do.
    MethodNotAllowed(Vec<&'static str>),
    /// 406 `406 Not Acceptable`.
    NotAcceptable,
    /// 408 `408 Request Timeout`: the body did not come.
    TooSlow,
    /// 409 with this exact message.
    Conflict(String),
    /// 412 `412 Precondition Failed`.
    Precondition,
    /// 413 `413 Request Entity Too Large`.
    TooLarge,
    /// 416: the range asked for lies outside; the whole size in bytes.
    RangeNotSatisfiable(u64),
    /// 422 with this exact message.
    Unprocessable(String),
    /// 429: one action was done too often; seconds until a retry makes sense.
    Limited(u64),
    /// 429: a throttle of all requests refused this one; seconds likewise.
    Throttled(u64),
    /// 301 to this absolute URL: the resource moved.
    Moved(String),
    /// 303 to this path of ours: something has to be done there first.
    SeeOther(String),
    /// This page in place of the one asked for: it asks for something first.
    Shown(Box<crate::html::Html>),
    /// 400 or another status with this exact JSON body; for answers that a
    /// client's code compares literally.
    Exact(u16, serde_json::Value),
    /// 503: try again later.
    Unavailable(String),
    /// 500; the cause goes to the log, never to the caller.
    Internal(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// One field with one message.
    pub fn invalid(field: &str, message: impl Into<String>) -> Error {
        Error::Invalid(vec![(field.to_owned(), vec![message.into()])])
    }

    /// A refusal with a reason the caller may read.
    pub fn forbidden(reason: impl Into<String>) -> Error {
        Error::Forbidden(reason.into())
    }

    /// A failure of ours, described for the log.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Internal(cause.into())
    }

    /// None of these parameters, listed with commas, was sent.
    pub fn none_of(names: &str) -> Error {
        Error::Parameters(vec![format!(
            "{names} are missing, at least one parameter must be provided"
        )])
    }

    /// A failure to keep or find something: our failure, unless there is no
    /// room for it now.
    pub fn of_storage(cause: impl std::error::Error + Send + Sync + 'static) -> Error {
        if !lacks_room(&cause) {
            return Error::internal(cause);
        }
        tracing::error!(%cause, "there is no room");
        Error::Unavailable("There is no room left to store this.".into())
    }

    /// A required parameter that was not sent.
    pub fn missing(name: &str) -> Error {
        Error::Parameters(vec![format!("{name} is missing")])
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Internal(cause) => write!(f, "internal error: {cause}"),
            other => write!(f, "{other:?}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Error {
        match error {
            store::Error::Timeout => Error::Unavailable(TIMED_OUT.into()),
            store::Error::Conflict => Error::Unavailable(CONFLICT.into()),
            store::Error::Unavailable(cause) => {
                tracing::error!(%cause, "the database is unavailable");
                Error::Unavailable("The database is unavailable.".into())
            }
            other => Error::internal(other),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::of_storage(error)
    }
}

/// Whether a failure is that of a full disk, or of a process that may open no
/// more files.
fn lacks_room(error: &(dyn std::error::Error + 'static)) -> bool {
    use rustix::io::Errno;
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let of_io = |error: &std::io::Error| {
        let files = [Errno::MFILE, Errno::NFILE].map(|errno| Some(errno.raw_os_error()));
        [FileTooLarge, QuotaExceeded, ReadOnlyFilesystem, StorageFull].contains(&error.kind())
            || files.contains(&error.raw_os_error())
    };
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(of_io) || error.source().is_some_and(lacks_room)
}

/// Turns an absent row into «not found», naming what was looked for.
pub trait Found<T> {
    /// `404 <thing> Not Found` when there is nothing.
    fn found(self, thing: &'static str) -> Result<T>;
}

impl<T> Found<T> for Option<T> {
    fn found(self, thing: &'static str) -> Result<T> {
        self.ok_or(Error::NotFound(thing))
    }
}

/// A failure that is meant to be ignored says so where it happens.
pub trait BestEffort {
    /// Logs a failure under `what` and goes on.
    fn best_effort(self, what: &str);
}

impl<T, E: fmt::Display> BestEffort for std::result::Result<T, E> {
    fn best_effort(self, what: &str) {
        if let Err(error) = self {
            tracing::warn!(%error, what, "ignored failure");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn a_full_disk_and_a_lost_database_pass() {
        let is_unavailable = |error: Error| matches!(error, Error::Unavailable(_));
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            assert!(is_unavailable(io::Error::from(kind).into()), "{kind}");
            let within = object_store::Error::Generic {
                store: "disk",
                source: Box::new(io::Error::from(kind)),
            };
            assert!(is_unavailable(Error::of_storage(within)), "{kind}");
        }
        let no_files = io::Error::from_raw_os_error(rustix::io::Errno::MFILE.raw_os_error());
        assert!(is_unavailable(no_files.into()));
        assert!(is_unavailable(store::Error::Unavailable("gone".into()).into()));
        assert!(!is_unavailable(io::Error::from(io::ErrorKind::NotFound).into()));
        assert!(!is_unavailable(store::Error::Check.into()));
    }
}
