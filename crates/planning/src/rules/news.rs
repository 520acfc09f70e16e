//! What people are told of: to-dos for those named in a text, and mail.

use crate::access::{Desk, user_sees};
use crate::formats::mentions;
use crate::mail::{Event, Notify, Reason};
use crate::model::Issue;
use crate::rules::issues::noteable;
use crate::rules::todos::{self, Action, NewTodo};
use crate::store::issues as rows;
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::fold;
use kernel::jobs::enqueue_at;
use spaces::access::{REPORTER, role_in_project};
use spaces::model::Project;
use store::{Tx, sql};

/// Whether a user may see an issue, and notes about it that only reporters
/// see.
pub fn may_know(
    tx: &mut Tx<'_>,
    user: &User,
    project: &Project,
    issue: &Issue,
    internal: bool,
) -> Result<bool> {
    if !user_sees(tx, user, project)? {
        return Ok(false);
    }
    if !(internal || issue.confidential) || user.is_admin {
        return Ok(true);
    }
    let assigned = rows::assignees_of(tx, &[issue.id])?;
    let concerned = issue.author_id == Some(user.id)
        || assigned
            .get(&issue.id)
            .is_some_and(|ids| ids.contains(&user.id));
    Ok((concerned && !internal) || role_in_project(tx, user.id, project)? >= REPORTER)
}

/// A text about an issue.
#[derive(Debug, Clone, Copy)]
pub struct Text<'t> {
    /// The text.
    pub text: &'t str,
    /// What it was before; who was named there is not told again.
    pub before: &'t str,
    /// The note it is, unless it is the description.
    pub note_id: Option<i64>,
    /// For reporters only.
    pub internal: bool,
}

/// Gives those whom a text names something to do; they. Programs name nobody.
pub fn mention(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    desk: &Desk,
    issue: &Issue,
    said: Text<'_>,
) -> Result<Vec<i64>> {
    let author = &viewer.signed_in()?.user;
    if author.kind.is_bot() {
        return Ok(Vec::new());
    }
    let known = mentions::find(said.before);
    let named: Vec<_> = mentions::find(said.text)
        .into_iter()
        .filter(|one| {
            !known
                .iter()
                .any(|old| old.name.eq_ignore_ascii_case(&one.name))
        })
        .collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let names: Vec<String> = named.iter().map(|one| fold(&one.name)).collect();
    let users: Vec<User> = tx.all(
        sql!("select * from users where username_folded in_list($1)"),
        (names,),
    )?;
    let mut told = Vec::new();
    for user in users {
        if !may_know(tx, &user, &desk.project, issue, said.internal)? {
            continue;
        }
        let is_addressed = named
            .iter()
            .any(|one| one.is_addressed && fold(&one.name) == fold(&user.username));
        let todo = NewTodo {
            user_id: user.id,
            author_id: Some(author.id),
            action: match is_addressed {
                true => Action::DirectlyAddressed,
                false => Action::Mentioned,
            },
            target: noteable(issue),
            note_id: said.note_id,
        };
        todos::create(tx, &todo)?;
        told.push(user.id);
    }
    Ok(told)
}

/// Has mail sent about an issue, by a job.
pub fn notify(
    tx: &mut Tx<'_>,
    actor: Option<i64>,
    issue: &Issue,
    event: Event,
    note_id: Option<i64>,
    direct: Vec<(i64, Reason)>,
) -> Result<()> {
    let now = tx.now();
    let job = Notify {
        event,
        issue: issue.id,
        note: note_id,
        actor,
        direct,
    };
    enqueue_at(tx, &job, now)
}
