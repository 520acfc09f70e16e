//! Which commits a rebase makes again.

use super::merge_tree::Merger;
use crate::formats::object_id::ObjectId;
use crate::git::PATIENCE;
use kernel::app::App;
use kernel::error::{Error, Result};

/// Bytes of a line that names a commit.
const LINE: usize = 41;

impl Merger {
    /// The commits that lead to one and not to another, in the order they are made again:
    /// no merges, and none whose change the other has already, as git compares changes.
    /// None if they are more than so many.
    ///
    /// # Errors
    ///
    /// `Unavailable` if git takes longer than a minute.
    pub async fn replayed(
        &self, app: &App, head: ObjectId, onto: ObjectId, most: usize,
    ) -> Result<Option<Vec<ObjectId>>> {
        let asking = self
            .quarantine
            .git(app)
            .await?
            .args(["rev-list", "--topo-order", "--reverse", "--no-merges", "--cherry-pick"])
            .args(["--right-only".to_owned(), format!("{onto}...{head}"), "--".to_owned()]);
        let walked = match asking.ask(Vec::new(), most.saturating_mul(LINE), PATIENCE).await {
            Err(Error::TooLarge) => return Ok(None),
            walked => walked?,
        };
        walked.ended.check("git rev-list")?;
        let text = String::from_utf8_lossy(&walked.output).into_owned();
        Ok(Some(text.lines().filter_map(|line| line.parse().ok()).collect()))
    }
}
