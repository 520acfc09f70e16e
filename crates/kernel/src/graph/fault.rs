//! How resolvers refuse.

use crate::error::Error;
use serde_json::{Map, Value as Json};
use std::sync::Arc;

/// The text of a refused or missing object of a mutation (docs/interface/graphql.md 2).
pub const NOT_AVAILABLE: &str = "The resource that you are attempting to access does not exist \
    or you don't have permission to perform this action";

/// Why a field has no answer.
#[derive(Debug, Clone)]
pub enum Fault {
    /// A refusal of the rules below. Missing and forbidden things read as
    /// null; changing them is «not available».
    Refused(Arc<Error>),
    /// A text for the caller with a stable code.
    Said {
        /// What was wrong.
        message: String,
        /// Never changes once released.
        code: &'static str,
        /// Further extensions.
        extensions: Map<String, Json>,
    },
    /// A mutation did nothing and says so beside a payload of nulls; elsewhere
    /// like [`Said`](Fault::Said).
    Denied(Box<Denied>),
    /// The request's time is over.
    Timeout,
}

/// A refusal of a mutation that has a payload all the same, as with spam
/// (docs/interface/graphql.md 8).
#[derive(Debug, Clone)]
pub struct Denied {
    /// The payload's only error, a full sentence.
    pub sentence: String,
    /// The error told beside it.
    pub message: String,
    /// Never changes once released.
    pub code: &'static str,
    /// Further extensions of that error.
    pub extensions: Map<String, Json>,
}

impl Denied {
    /// What is told beside the payload.
    pub fn told(self) -> Fault {
        Fault::Said {
            message: self.message,
            code: self.code,
            extensions: self.extensions,
        }
    }
}

impl Fault {
    /// A text for the caller.
    pub fn said(code: &'static str, message: impl Into<String>) -> Fault {
        Fault::Said { message: message.into(), code, extensions: Map::new() }
    }

    /// A misused argument.
    pub fn argument(message: impl Into<String>) -> Fault {
        Fault::said("argumentError", message)
    }

    /// The object of a mutation is missing, hidden or forbidden.
    pub fn not_available() -> Fault {
        Fault::said("notAvailable", NOT_AVAILABLE)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Refused(Arc::new(error))
    }
}
