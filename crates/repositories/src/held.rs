//! Repositories that are read-only for a moment, while they come to lie elsewhere. Who
//! begins to write to one is refused; what was under way before waits here until it ends.

use crate::model::{READ_ONLY, Repository};
use crate::protection::Way;
use crate::store;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// How often it is looked for.
const OFTEN: Duration = Duration::from_millis(100);
/// How long a push or fetch by git waits, and how long anybody else.
const OF_GIT: Duration = Duration::from_secs(10 * 60);
const OF_OTHERS: Duration = Duration::from_secs(30);

/// The repository, once it may be written to again.
///
/// # Errors
///
/// `Forbidden` if that takes too long.
pub async fn wait(app: &App, repository: i64, way: Way) -> Result<Repository> {
    let patience = match way {
        Way::Git | Way::Mirror | Way::Import => OF_GIT,
        Way::Api | Way::Merge => OF_OTHERS,
    };
    let limit = Instant::now() + patience;
    loop {
        let now = app.read(move |tx| store::by_id(tx, repository)?.found("Repository")).await?;
        if !now.is_read_only() {
            return Ok(now);
        }
        if Instant::now() > limit {
            return Err(Error::forbidden(READ_ONLY));
        }
        sleep(OFTEN).await;
    }
}
