//! Why a report from an SDK is refused, as the parsers say it.

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
