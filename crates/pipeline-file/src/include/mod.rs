//! Files that a file includes, fetched by whoever calls (contract 2).
//!
//! [`Loader::next`] says which files are needed; they are handed in with
//! [`Loader::answer`], in any order, until the configuration is there.

mod answers;
mod file;
mod items;
mod loader;

use std::sync::Arc;

use indexmap::IndexMap;

pub use loader::{Loader, Start, Step};

use crate::rules::Paths;

/// A file that is needed.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Names the request in its answer.
    pub id: usize,
    pub source: Source,
    /// The file that includes it.
    pub from: Origin,
}

/// Where a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// In the project and commit of the file that includes it.
    Local {
        path: String,
    },
    /// All paths of that commit: a pattern picks among them.
    Listing,
    /// In another project; `HEAD` where no ref is given.
    Project {
        project: String,
        reference: Option<String>,
        path: String,
    },
    Remote {
        url: String,
    },
    /// `host/path/name@version`.
    Component {
        address: String,
    },
    /// In the artifacts of a job of the parent pipeline.
    Artifact {
        job: String,
        path: String,
    },
}

/// Where a file came from, for the files it includes in turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    Project {
        path: String,
        sha: String,
    },
    /// The network or nowhere: it sees public files only, and no variables.
    Public,
}

/// What came of a request.
#[derive(Clone, Debug)]
pub enum Answer {
    File {
        text: String,
        origin: Origin,
        /// `name`, `sha`, `version` and `reference` of a component.
        component: IndexMap<String, String>,
    },
    /// To [`Source::Listing`].
    Paths(Arc<Paths>),
    /// The project is there, the file is not.
    Missing,
    /// The project is not there for who asks.
    NoProject,
    NoReference,
    /// A remote server did not hand it out.
    HttpStatus {
        attempts: u32,
        code: u16,
    },
    /// It failed for another reason, which is told as it is.
    Failed(String),
}

impl Answer {
    /// A file of a project.
    pub fn file(text: impl Into<String>, origin: Origin) -> Self {
        Self::File { text: text.into(), origin, component: IndexMap::new() }
    }
}
