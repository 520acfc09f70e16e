//! Who is assigned and who reviews.

use super::input::Input;
use super::remarks::remark_at;
use crate::model::MergeRequest;
use crate::noteable::noteable;
use crate::store::people as rows;
use ::store::Tx;
use kernel::error::Result;
use planning::rules::issues::Assignees;
use planning::rules::people::told;
use planning::rules::todos::{self, Action, NewTodo};
use planning::store::issues::events::By;

/// Who is added, and who goes.
#[derive(Default)]
struct Wanted {
    added: Vec<i64>,
    removed: Vec<i64>,
}

impl Wanted {
    /// These and no others.
    fn exactly(present: Vec<i64>, wanted: &[i64]) -> Wanted {
        let removed = present.into_iter().filter(|id| !wanted.contains(id)).collect();
        Wanted { added: wanted.to_vec(), removed }
    }
}

/// How people of one kind are stored and told of.
struct Kind {
    add: fn(&mut Tx<'_>, i64, i64) -> Result<bool>,
    remove: fn(&mut Tx<'_>, i64, i64) -> Result<bool>,
    todo: Action,
    added: &'static str,
    removed: &'static str,
}

const ASSIGNEES: Kind = Kind {
    add: rows::assign,
    remove: rows::unassign,
    todo: Action::Assigned,
    added: "assigned to",
    removed: "unassigned",
};

const REVIEWERS: Kind = Kind {
    add: rows::ask_review,
    remove: rows::excuse,
    todo: Action::ReviewRequested,
    added: "requested review from",
    removed: "removed review request for",
};

/// Sets who is assigned, as an input says.
pub fn assign(tx: &mut Tx<'_>, by: By, request: &MergeRequest, input: &Input) -> Result<()> {
    let wanted = match &input.assignees {
        Assignees::AsTheyAre => return Ok(()),
        Assignees::Set(ids) => Wanted::exactly(rows::assignees_of_one(tx, request.id)?, ids),
        Assignees::Add(ids) => Wanted { added: ids.clone(), ..Wanted::default() },
        Assignees::Remove(ids) => Wanted { removed: ids.clone(), ..Wanted::default() },
    };
    apply(tx, by, request, &ASSIGNEES, wanted)
}

/// Sets who reviews, as an input says.
pub fn ask_reviews(tx: &mut Tx<'_>, by: By, request: &MergeRequest, input: &Input) -> Result<()> {
    let mut wanted = Wanted {
        added: input.add_reviewer_ids.clone(),
        removed: input.remove_reviewer_ids.clone(),
    };
    if let Some(ids) = &input.reviewer_ids {
        let present = rows::reviewers_of_one(tx, request.id)?;
        let present = present.into_iter().map(|reviewer| reviewer.user_id).collect();
        let exactly = Wanted::exactly(present, ids);
        wanted.added.extend(exactly.added);
        wanted.removed.extend(exactly.removed);
    }
    apply(tx, by, request, &REVIEWERS, wanted)
}

fn apply(
    tx: &mut Tx<'_>, by: By, request: &MergeRequest, kind: &Kind, wanted: Wanted,
) -> Result<()> {
    let (mut came, mut went) = (Vec::new(), Vec::new());
    for user in wanted.added {
        if (kind.add)(tx, request.id, user)? {
            give_todo(tx, by, request, kind.todo, user)?;
            came.push(user);
        }
    }
    for user in wanted.removed {
        if !came.contains(&user) && (kind.remove)(tx, request.id, user)? {
            todos::close_for(tx, Some(user), noteable(request))?;
            went.push(user);
        }
    }
    tell(tx, by, request, kind, (&came, &went))
}

fn give_todo(
    tx: &mut Tx<'_>, by: By, request: &MergeRequest, action: Action, user_id: i64,
) -> Result<()> {
    let todo = NewTodo {
        user_id,
        author_id: by.user_id,
        action,
        target: noteable(request),
        note_id: None,
    };
    todos::create(tx, &todo)?;
    Ok(())
}

fn tell(
    tx: &mut Tx<'_>, by: By, request: &MergeRequest, kind: &Kind, (came, went): (&[i64], &[i64]),
) -> Result<()> {
    match told(tx, (kind.added, came), (kind.removed, went))? {
        Some(text) => remark_at(tx, request, by, &text),
        None => Ok(()),
    }
}
