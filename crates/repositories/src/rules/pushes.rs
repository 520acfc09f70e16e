//! What is told of refs that somebody moved: events of activity, and what rooms above
//! make of new commits. Imports tell nothing.

use crate::formats::object_id::ObjectId;
use crate::formats::ref_name::RefName;
use crate::hooks::{self, Arrived};
use crate::mirrors;
use crate::model::{Holder, Repository};
use crate::rules::moves::RefMove;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use serde_json::Value;
use spaces::activity::{PushAction, PushData, record_push};
use spaces::rules::note_activity;
use std::collections::HashMap;

/// Refs of a push up to which each is told by itself.
pub const FEW: usize = 3;
/// Most commits that are counted, and most whose messages are read.
pub const MOST_COUNTED: i64 = 1_000;
pub const MOST_READ: usize = 100;
/// Letters of the title of a commit.
const TITLE: usize = 70;

/// Who moves refs, and what there is to tell of it, as was found out before.
#[derive(Debug, Clone)]
pub struct Push {
    pub viewer: Viewer,
    pub news: News,
    /// What was said to the server with it, `git push -o`.
    pub options: Vec<String>,
}

/// What there is to tell of a push.
#[derive(Debug, Clone)]
pub enum News {
    /// Of code, by the refs that move.
    Code(HashMap<RefName, Told>),
    /// Of what something begins with: nothing.
    Imported,
    /// What a room above noted of its own.
    Content(Value),
}

/// What there is to tell of a ref that moves.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// How many commits are new to it: of a made branch, to the default branch; of
    /// tags none.
    pub commit_count: i64,
    /// The first line of the newest.
    pub title: Option<String>,
    /// The newest of them, the newest first.
    pub commits: Vec<PushedCommit>,
}

/// A commit that is new to a ref.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushedCommit {
    pub id: ObjectId,
    pub message: String,
}

/// A push of code as rooms above are told of it.
pub struct Pushed<'p> {
    pub viewer: &'p Viewer,
    pub project_id: i64,
    /// The branch that HEAD stands for now.
    pub default_branch: &'p RefName,
    /// The refs that moved, each with what there is to tell of it.
    pub refs: Vec<(&'p RefMove, Option<&'p Told>)>,
    /// What was said to the server with it, `git push -o`.
    pub options: &'p [String],
}

/// Whether what is new to a ref is found out: of pushes of few refs, and of the default
/// branch always.
pub fn is_told(name: &RefName, refs: usize, default_branch: &RefName) -> bool {
    let is_thing = name.as_branch().is_some() || name.as_tag().is_some();
    is_thing && (refs <= FEW || name == default_branch)
}

/// Tells of refs that have just moved.
pub fn tell(
    tx: &mut Tx<'_>, push: &Push, repository: &Repository, default_branch: &RefName,
    moved: &[&RefMove],
) -> Result<()> {
    match (&push.news, repository.holder()) {
        (News::Code(told), Some(Holder::Code(project_id))) => {
            tell_of_code(tx, (push, told), project_id, default_branch, moved)
        }
        (News::Imported, Some(Holder::Code(project_id))) => note_activity(tx, project_id),
        (News::Content(noted), Some(holder)) => {
            let (viewer, repository_id) = (&push.viewer, repository.id);
            hooks::arrived(tx, &Arrived { viewer, holder, repository_id, noted })
        }
        _ => Ok(()),
    }
}

fn tell_of_code(
    tx: &mut Tx<'_>, (push, told): (&Push, &HashMap<RefName, Told>), project_id: i64,
    default_branch: &RefName, moved: &[&RefMove],
) -> Result<()> {
    let (viewer, options) = (&push.viewer, push.options.as_slice());
    note_activity(tx, project_id)?;
    let is_thing = |one: &&&RefMove| one.name.as_branch().or(one.name.as_tag()).is_some();
    let things: Vec<&RefMove> = moved.iter().filter(is_thing).copied().collect();
    let author = viewer.user_id();
    match things.len() {
        0 => {}
        1..=FEW => {
            for one in &things {
                record_push(tx, author, project_id, &of_one(one, told.get(&one.name)))?;
            }
        }
        _ => record_push(tx, author, project_id, &of_many(&things))?,
    }
    let refs = moved.iter().map(|one| (*one, told.get(&one.name))).collect();
    mirrors::push::rules::pushed(tx, project_id)?;
    hooks::pushed(tx, &Pushed { viewer, project_id, default_branch, refs, options })
}

fn action(one: &RefMove) -> PushAction {
    match (one.old.is_zero(), one.new.is_zero()) {
        (_, true) => PushAction::Removed,
        (true, false) => PushAction::Created,
        (false, false) => PushAction::Pushed,
    }
}

fn ref_type(one: &RefMove) -> &'static str {
    if one.name.as_tag().is_some() { "tag" } else { "branch" }
}

fn of_one(one: &RefMove, told: Option<&Told>) -> PushData {
    let id = |id: ObjectId| id.present().map(|id| id.to_string());
    let name = one.name.as_branch().or(one.name.as_tag());
    PushData {
        commit_count: told.map_or(0, |told| told.commit_count),
        action: action(one),
        ref_type: ref_type(one).to_owned(),
        commit_from: id(one.old),
        commit_to: id(one.new),
        name: name.map(str::to_owned),
        commit_title: told.and_then(|told| told.title.as_deref()).map(cut),
        ref_count: None,
    }
}

/// One event stands for many refs.
fn of_many(things: &[&RefMove]) -> PushData {
    let all = |wanted| things.iter().all(|one| action(one) == wanted);
    let same = [PushAction::Created, PushAction::Removed].into_iter().find(|one| all(*one));
    let is_of_tags = things.iter().all(|one| one.name.as_tag().is_some());
    PushData {
        commit_count: 0,
        action: same.unwrap_or(PushAction::Pushed),
        ref_type: if is_of_tags { "tag" } else { "branch" }.to_owned(),
        commit_from: None,
        commit_to: None,
        name: None,
        commit_title: None,
        ref_count: Some(things.len() as i64),
    }
}

/// A title as lists have it.
fn cut(title: &str) -> String {
    match title.char_indices().nth(TITLE) {
        Some(_) => {
            let beginning: String = title.chars().take(TITLE - 3).collect();
            format!("{beginning}...")
        }
        None => title.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_cut() {
        assert_eq!(cut("Forge an anvil"), "Forge an anvil");
        assert_eq!(cut(&"ä".repeat(70)), "ä".repeat(70));
        assert_eq!(cut(&"ä".repeat(71)), format!("{}...", "ä".repeat(67)));
    }
}
