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

/// How long git may look.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of two numbers, or of names of commits.
const ANSWER: usize = 100;

/// Commits that the first has and the second has not, and the other way round; none where
/// that takes too long to be counted.
pub async fn distance(
    app: &App, (fork, ours): (&Repository, ObjectId), (source, theirs): (&Repository, ObjectId),
) -> Result<Option<Divergence>> {
    if ours == theirs {
        return Ok(Some(Divergence::default()));
    }
    let asked = ["rev-list", "--left-right", "--count"].map(str::to_owned);
    let asked = asked.into_iter().chain([format!("{ours}...{theirs}")]).collect();
    let told = ask(app, fork, source, asked).await?;
    Ok(told.as_deref().and_then(counted))
}

/// The last commit that leads to both; none where there is none, or where that takes too
/// long to be found.
pub async fn common(
    app: &App, (fork, ours): (&Repository, ObjectId), (source, theirs): (&Repository, ObjectId),
) -> Result<Option<ObjectId>> {
    if ours == theirs {
        return Ok(Some(ours));
    }
    let asked = vec!["merge-base".to_owned(), ours.to_string(), theirs.to_string()];
    let told = ask(app, fork, source, asked).await?;
    Ok(told.and_then(|id| id.trim().parse().ok()))
}

/// What git says of the commits of both; nothing where it fails, or takes too long.
async fn ask(
    app: &App, fork: &Repository, source: &Repository, asked: Vec<String>,
) -> Result<Option<String>> {
    let _seat = app.kept::<Git>().seat().await?;
    let own = cache::copy(app, fork.id, Having::Objects).await?;
    let other = cache::copy(app, source.id, Having::Objects).await?;
    let asking = app
        .kept::<Git>()
        .at(app, own.folder())
        .await?
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", other.folder().join("objects"))
        .args(asked);
    match asking.ask(Vec::new(), ANSWER, PATIENCE).await {
        Ok(answered) if answered.ended.succeeded => {
            Ok(Some(String::from_utf8_lossy(&answered.output).into_owned()))
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
