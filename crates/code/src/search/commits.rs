//! Commits by what their messages say, or by the first digits of their names.

use super::places::Searched;
use super::{Part, in_time};
use crate::history::Asked;
use kernel::app::App;
use kernel::error::Result;
use repositories::objects::{self, Commit, Objects};

/// Fewest digits that are taken for a name.
const FEWEST: usize = 7;

/// A commit and where it is.
#[derive(Debug, Clone)]
pub struct FoundCommit<'s> {
    pub searched: &'s Searched,
    pub commit: Commit,
}

/// A part of the commits whose messages have a text, in some repositories, one after the
/// other. Letters are the same in any case.
///
/// # Errors
///
/// 408 where it takes too long.
pub async fn commits<'s>(
    app: &App, searched: &'s [Searched], text: &str, part: Part,
) -> Result<Vec<FoundCommit<'s>>> {
    let work = async {
        let mut found = Vec::new();
        for one in searched {
            if text.is_empty() || found.len() >= part.end() {
                break;
            }
            let more = of_one(app, one, text, part.end() - found.len()).await?;
            found.extend(more.into_iter().map(|commit| FoundCommit { searched: one, commit }));
        }
        Ok(part.cut(found))
    };
    in_time(work).await
}

async fn of_one(app: &App, searched: &Searched, text: &str, most: usize) -> Result<Vec<Commit>> {
    let Some(tip) = searched.tip(app).await? else {
        return Ok(Vec::new());
    };
    let asked = Asked {
        from: vec![tip.id],
        message: Some(text.to_owned()),
        ignores_case: true,
        ..Asked::default()
    };
    let ids = asked.page(app, searched.repository.id, 0, most).await?;
    let (digits, tip) = (named(text), tip.id);
    let work = move |objects: &Objects| {
        let mut commits = objects.commits(&ids)?;
        let begins = digits.as_deref().map(|digits| objects.beginning(digits)).transpose()?;
        if let Some(id) = begins.flatten().filter(|id| !ids.contains(id))
            && let Some(commit) = objects.commit(id)?
            && objects.is_ancestor(id, tip)?
        {
            commits.insert(0, commit);
        }
        Ok(commits)
    };
    objects::read(app, &searched.repository, work).await
}

/// The text, if it may be the beginning of a commit's name.
fn named(text: &str) -> Option<String> {
    let is_name = (FEWEST..=40).contains(&text.len());
    let is_name = is_name && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_name.then(|| text.to_ascii_lowercase())
}
