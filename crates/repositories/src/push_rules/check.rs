//! What is asked of a push before its refs move.

use super::commits::{self, Judge};
use super::files;
use super::model::{PushRule, pattern};
use super::store;
use crate::access::Pushing;
use crate::cache::{self, Having};
use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::git::PATIENCE;
use crate::model::Repository;
use crate::protection::Way;
use crate::receive::Quarantine;
use crate::rules::moves::RefMove;
use crate::rules::push::PushRefused;
use kernel::app::App;
use kernel::error::{Error, Result};

/// Commits of a push that are looked at.
const MOST_COMMITS: usize = 1_000_000;
/// Letters of an address or a path that are told.
const TOLD: usize = 1_000;

/// A refusal in words for who pushes.
pub(super) type Judged = Result<(), PushRefused>;

/// What somebody wrote, for a line on a terminal.
pub(super) fn cut(text: &str) -> String {
    text.chars().take(TOLD).filter(|c| !c.is_control()).collect()
}

/// Refuses a push that is not as the project's rule has it.
pub(crate) async fn check(
    app: &App, (to, project): (&Pushing, i64), repository: &Repository, quarantine: &Quarantine,
    moves: &[RefMove],
) -> Result<Judged> {
    let Some(rule) = app.read(move |tx| store::effective(tx, project)).await? else {
        return Ok(Ok(()));
    };
    if let Err(text) = check_refs(&rule, to.way, &repository.head, moves) {
        return Ok(Err(PushRefused(text)));
    }
    let tips: Vec<ObjectId> = moves.iter().filter_map(|one| one.new.present()).collect();
    if tips.is_empty() || !quarantine.has_objects() {
        return Ok(Ok(()));
    }
    let judge = match Judge::of(&rule, to) {
        Ok(judge) => judge,
        Err(text) => return Ok(Err(PushRefused(text))),
    };
    let wanted = match files::Wanted::of(&rule) {
        Ok(wanted) => wanted,
        Err(text) => return Ok(Err(PushRefused(text))),
    };
    if judge.asks_nothing() && wanted.asks_nothing() {
        return Ok(Ok(()));
    }
    // With its refs, so that what they lead to is not new.
    let copy = cache::copy(app, repository.id, Having::ObjectsAndRefs).await?;
    let Some(new) = new_commits(app, quarantine, &tips).await? else {
        let text = format!("A push has at most {MOST_COMMITS} commits where they are looked at");
        return Ok(Err(PushRefused(text)));
    };
    let judged = match commits::check(app, quarantine, &judge, &new).await? {
        Ok(()) => files::check(app, quarantine, &wanted, (&tips, &new)).await?,
        refused => refused,
    };
    drop(copy);
    Ok(judged)
}

fn check_refs(
    rule: &PushRule, way: Way, default_branch: &RefName, moves: &[RefMove],
) -> Result<(), String> {
    let named = pattern(&rule.branch_name_regex)?;
    for one in moves {
        let is_deleted = one.new.is_zero();
        if rule.deny_delete_tag && way == Way::Git && is_deleted && one.name.as_tag().is_some() {
            return Err("You cannot delete a tag".into());
        }
        let branch = one.name.as_branch().filter(|_| !is_deleted && one.name != *default_branch);
        if let (Some(regex), Some(branch)) = (&named, branch)
            && !regex.is_match(branch)
        {
            let text = &rule.branch_name_regex;
            return Err(format!("Branch name does not follow the pattern '{text}'"));
        }
    }
    Ok(())
}

/// The commits that lead to these and that no ref leads to yet, the newest first; none if
/// they are too many.
async fn new_commits(
    app: &App, quarantine: &Quarantine, tips: &[ObjectId],
) -> Result<Option<Vec<ObjectId>>> {
    let asked: String = tips.iter().map(|id| format!("{id}\n")).collect();
    let walking = quarantine.git(app).await?.args(["rev-list", "--stdin", "--not", "--all"]);
    let walked = match walking.ask(asked.into_bytes(), MOST_COMMITS * 41, PATIENCE).await {
        Err(Error::TooLarge) => return Ok(None),
        walked => walked?,
    };
    walked.ended.check("git rev-list")?;
    let text = String::from_utf8_lossy(&walked.output).into_owned();
    Ok(Some(text.lines().filter_map(|line| line.parse().ok()).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(name: &str, old: &str, new: &str) -> RefMove {
        let id = |digit: &str| digit.repeat(40).parse().expect("an object");
        RefMove {
            name: name.parse().expect("a name"),
            old: id(old),
            new: id(new),
            peeled: None,
        }
    }

    #[test]
    fn names_of_branches_are_asked_for() {
        let main = RefName::branch("main").expect("a name");
        let rule = PushRule {
            branch_name_regex: "^fix/".into(),
            deny_delete_tag: true,
            ..PushRule::default()
        };
        for (name, old, new, way, is_good) in [
            ("refs/heads/fix/a", "0", "1", Way::Git, true),
            ("refs/heads/main", "1", "2", Way::Git, true),
            ("refs/heads/other", "1", "0", Way::Git, true),
            ("refs/heads/other", "0", "1", Way::Git, false),
            ("refs/heads/other", "1", "2", Way::Api, false),
            ("refs/tags/v1", "0", "1", Way::Git, true),
            ("refs/tags/v1", "1", "0", Way::Git, false),
            ("refs/tags/v1", "1", "0", Way::Api, true),
        ] {
            let judged = check_refs(&rule, way, &main, &[moved(name, old, new)]);
            assert_eq!(judged.is_ok(), is_good, "{name} {old} {new}: {judged:?}");
        }
    }
}
