//! What the program tells in notes about merge requests.

use crate::model::{MergeRequest, Version};
use crate::noteable::noteable;
use ::store::Tx;
use kernel::error::Result;
use planning::rules::notes;
use planning::store::issues::events::By;
use planning::store::notes::name_request;
use repositories::objects::Commit;

/// Commits that a remark about a push lists.
const MOST_LISTED: usize = 100;
/// Letters of the title of a commit in it.
const TITLE: usize = 100;

/// Tells what was done to a merge request, under the name of who did it.
pub fn remark(
    tx: &mut Tx<'_>, request: &MergeRequest, actor: Option<i64>, text: &str,
) -> Result<()> {
    notes::system(tx, noteable(request), actor, text)?;
    Ok(())
}

/// The same, in words that name another one: only who sees that sees the note.
pub fn remark_naming(
    tx: &mut Tx<'_>, request: &MergeRequest, actor: Option<i64>, text: &str, named: &MergeRequest,
) -> Result<()> {
    let note = notes::system(tx, noteable(request), actor, text)?;
    name_request(tx, note.id, named.id)
}

/// A remark of what happened at some time.
pub fn remark_at(tx: &mut Tx<'_>, request: &MergeRequest, by: By, text: &str) -> Result<()> {
    notes::system_at(tx, noteable(request), by.user_id, by.at, text)?;
    Ok(())
}

/// What there is to tell of a change of its own texts and marks.
pub fn of_change(before: &MergeRequest, after: &MergeRequest) -> Vec<String> {
    let mut told = Vec::new();
    if before.draft != after.draft {
        let now = if after.draft { "draft" } else { "ready" };
        told.push(format!("marked this merge request as **{now}**"));
    }
    if before.title != after.title && before.draft == after.draft {
        told.push(format!("changed title from **{}** to **{}**", before.title, after.title));
    }
    if before.description != after.description {
        told.push("changed the description".to_owned());
    }
    if before.target_branch != after.target_branch {
        told.push(format!(
            "changed target branch from `{}` to `{}`",
            before.target_branch, after.target_branch
        ));
    }
    if before.is_locked() != after.is_locked() {
        let verb = if after.is_locked() { "locked" } else { "unlocked" };
        told.push(format!("{verb} the discussion in this merge request"));
    }
    if before.merge_after != after.merge_after {
        told.push(match after.merge_after {
            Some(at) => {
                format!("set the merge to be no earlier than {}", at.strftime("%F %H:%M UTC"))
            }
            None => "removed the time before which it is not merged".to_owned(),
        });
    }
    if before.auto_merge && !after.auto_merge && after.is_pending() {
        told.push("canceled the automatic merge".to_owned());
    }
    told
}

/// What there is to tell of a push, whose new commits are these, the newest first: which
/// they are, and where it is seen what differs since the version before.
pub fn of_push(
    request: &MergeRequest, (before, after): (&Version, &Version), new: &[Commit],
) -> String {
    let said = match new.is_empty() {
        true => "changed the branches of this merge request".to_owned(),
        false => {
            let count = new.len();
            format!("added {count} {}\n\n{}", noun(count), listed(request, new))
        }
    };
    // Between equal heads there is nothing to see.
    match before.head_id == after.head_id {
        true => said,
        false => {
            let at = format!("{}/diffs?diff_id={}", request.path(), after.id);
            let start = before.head_id;
            format!("{said}\n\n[Compare with previous version]({at}&start_sha={start})")
        }
    }
}

fn noun(count: usize) -> &'static str {
    if count == 1 { "commit" } else { "commits" }
}

/// The commits with their addresses, the oldest first.
fn listed(request: &MergeRequest, new: &[Commit]) -> String {
    let line = |commit: &Commit| {
        let title: String = commit.title().chars().take(TITLE).collect();
        let (short, at) = (commit.short_id(), &request.project_path);
        format!("* [{short}](/{at}/-/commit/{}) - {title}", commit.id)
    };
    shortened(new.iter().rev().map(line).collect()).join("\n")
}

/// Of too many lines the first and the last, and how many stand between.
fn shortened(mut lines: Vec<String>) -> Vec<String> {
    let over = lines.len().saturating_sub(MOST_LISTED);
    if over > 0 {
        let first = MOST_LISTED / 2;
        let last = lines.split_off(first + over);
        lines.truncate(first);
        lines.push(format!("* … and {over} more {} …", noun(over)));
        lines.extend(last);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_lack_their_middle() {
        let lines = |count: usize| -> Vec<String> { (1..=count).map(|n| n.to_string()).collect() };
        assert_eq!(shortened(lines(100)), lines(100));
        let cut = shortened(lines(137));
        assert_eq!(cut.len(), 101);
        assert_eq!(cut[49..52], ["50", "* … and 37 more commits …", "88"]);
        assert_eq!(shortened(lines(101))[50], "* … and 1 more commit …");
    }
}
