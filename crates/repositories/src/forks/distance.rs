//! How far a commit of a fork is from one of its source, though neither repository has
//! the commits of both.

use crate::cache::{self, Having};
use crate::formats::object_id::ObjectId;
use crate::git::Git;
use crate::model::Repository;
use crate::objects::Divergence;
use kernel::app::App;
use kernel::error::{Error, Result};
use std::time::Duration;

/// How long git may count.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of two numbers.
const ANSWER: usize = 100;

/// Commits that the first has and the second has not, and the other way round; none where
/// that takes too long to be counted.
pub async fn distance(
    app: &App, (fork, ours): (&Repository, ObjectId), (source, theirs): (&Repository, ObjectId),
) -> Result<Option<Divergence>> {
    if ours == theirs {
        return Ok(Some(Divergence::default()));
    }
    let _seat = app.kept::<Git>().seat().await?;
    let own = cache::copy(app, fork.id, Having::Objects).await?;
    let other = cache::copy(app, source.id, Having::Objects).await?;
    let asking = app
        .kept::<Git>()
        .at(app, own.folder())
        .await?
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", other.folder().join("objects"))
        .args(["rev-list".to_owned(), "--left-right".to_owned(), "--count".to_owned()])
        .args([format!("{ours}...{theirs}")]);
    match asking.ask(Vec::new(), ANSWER, PATIENCE).await {
        Ok(answered) if answered.ended.succeeded => {
            Ok(counted(&String::from_utf8_lossy(&answered.output)))
        }
        Ok(_) | Err(Error::Unavailable(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn counted(text: &str) -> Option<Divergence> {
    let (ahead, behind) = text.trim().split_once('\t')?;
    Some(Divergence { ahead: ahead.parse().ok()?, behind: behind.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_numbers_are_read() {
        assert_eq!(counted("3\t12\n"), Some(Divergence { ahead: 3, behind: 12 }));
        assert_eq!(counted("3\n"), None);
    }
}
