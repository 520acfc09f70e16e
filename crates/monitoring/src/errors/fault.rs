//! Why a report from an SDK is refused, as the parsers say it.

use kernel::error::Error;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It cannot be read; what of it.
    Malformed(&'static str),
    /// It is past a limit; which part of it.
    TooLarge(&'static str),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Malformed(what) => f.write_str(what),
            Fault::TooLarge(what) => write!(f, "{what} is past its limit"),
        }
    }
}

impl std::error::Error for Fault {}

/// Why a report is not kept.
pub enum Refusal {
    Fault(Fault),
    /// The key, whatever is wrong with it.
    Key,
    /// How much it sent; seconds until it may go on.
    Full(i64),
    Failed(Error),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Refusal {
        Refusal::Fault(fault)
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Failed(error)
    }
}
