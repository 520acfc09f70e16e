//! Searching code: in the files of a commit by `git grep`, in messages by
//! `git rev-list`. Nothing is indexed; what a search costs is bounded.
//!
//! ```ignore
//! let query = CodeQuery::parse("lamp extension:rs")?;
//! let repositories = app.read(move |tx| places::read(tx, &viewer, &place, &wanted)).await?;
//! let found = search::files(&app, &repositories, &query, Part { skip: 0, most: 21 }).await?;
//! ```
//!
//! Only repositories that the viewer may read are among [`places`].

mod commits;
pub mod entity;
mod files;
pub mod places;
mod query;
mod store;

pub use commits::{FoundCommit, commits};
pub use files::{FoundLines, files};
pub use places::Searched;
pub use query::{CodeQuery, message};

use kernel::error::{Error, Result};
use kernel::http::Paging;
use serde_json::json;
use std::time::Duration;
use tokio::time::timeout;

/// Repositories that one search goes through, those that were pushed to last.
pub const MOST_REPOSITORIES: i64 = 50;
/// Results past which no page goes.
const MOST: usize = 1000;
/// How long one search may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Which of the results are wanted.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    pub skip: usize,
    pub most: usize,
}

impl Part {
    /// A page, and one more that tells whether others follow.
    pub fn of(paging: &Paging) -> Part {
        let size = |number: i64| usize::try_from(number).unwrap_or_default();
        Part { skip: size(paging.offset()), most: size(paging.fetch()) }
    }

    /// How many results are looked for from the first on; none past the last page.
    fn end(self) -> usize {
        match self.skip < MOST {
            true => (self.skip + self.most).min(MOST),
            false => 0,
        }
    }

    fn cut<T>(self, found: Vec<T>) -> Vec<T> {
        found.into_iter().skip(self.skip).take(self.most).collect()
    }
}

/// What was found, if it did not take too long.
async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    let late = || Error::Exact(408, json!({"message": "Request timed out"}));
    timeout(PATIENCE, work).await.unwrap_or_else(|_| Err(late()))
}
