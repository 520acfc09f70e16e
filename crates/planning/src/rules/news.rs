//! What people are told of: to-dos for those named in a text, and mail.

use crate::access::{Desk, user_sees};
use crate::formats::mentions::{self, Mention};
use crate::model::Issue;
use crate::rules::crossings::{self, Change};
use crate::rules::todos::{self, Action, NewTodo};
use crate::rules::topic::Topic;
use crate::store::issues;
use crate::store::people as rows;
use crate::store::subscriptions;
use crate::tasks::{Event, News, Notify, Reason};
use identity::model::User;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::ids::fold;
use kernel::jobs::enqueue_at;
use kernel::secrets::random_bytes;
use spaces::access::{REPORTER, role_in_project};
use spaces::model::Project;
use std::collections::HashSet;
use store::Tx;

/// Whether a user may see an issue, and notes about it that only reporters
/// see.
pub fn may_know(
    tx: &mut Tx<'_>, user: &User, project: &Project, issue: &Issue, internal: bool,
) -> Result<bool> {
    if !user_sees(tx, user, project)? {
        return Ok(false);
    }
    if !(internal || issue.confidential) || user.is_admin {
        return Ok(true);
    }
    let assigned = issues::assignees_of_one(tx, issue.id)?;
    let concerned = issue.author_id == Some(user.id) || assigned.contains(&user.id);
    Ok((concerned && !internal) || role_in_project(tx, user.id, project)? >= REPORTER)
}

#[derive(Debug, Clone, Copy)]
pub struct Text<'t> {
    pub text: &'t str,
    /// What it was before; who was named there is not told again.
    pub before: &'t str,
    /// The note it is, unless it is the description.
    pub note_id: Option<i64>,
    pub internal: bool,
}

/// Gives those whom a text names something to do; they. Programs name nobody. What else
/// it names is told of it.
pub fn mention<'t>(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: impl Into<Desk<'t>>, about: impl Into<Topic<'t>>,
    said: Text<'_>,
) -> Result<Vec<i64>> {
    let (desk, topic) = (desk.into(), about.into());
    let author = &viewer.signed_in()?.user;
    // What few may read is told nowhere else.
    if !said.internal {
        let change = Change { text: said.text, before: said.before };
        crossings::tell(tx, viewer, desk, topic, change)?;
    }
    if author.kind.is_bot() {
        return Ok(Vec::new());
    }
    let known = mentions::find(said.before);
    let named: Vec<_> = mentions::find(said.text)
        .into_iter()
        .filter(|one| !known.iter().any(|old| old.name.eq_ignore_ascii_case(&one.name)))
        .collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let users = people(tx, viewer, desk, &named)?;
    let mut told = Vec::new();
    for user in users {
        if !topic.may_know(tx, &user, desk.project(), said.internal)? {
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
            target: topic.noteable(desk),
            note_id: said.note_id,
        };
        todos::create(tx, &todo)?;
        told.push(user.id);
    }
    Ok(told)
}

/// The same; those it gives something to do, and why they are told.
pub fn mentioned<'t>(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: impl Into<Desk<'t>>, about: impl Into<Topic<'t>>,
    said: Text<'_>,
) -> Result<Vec<(i64, Reason)>> {
    let told = mention(tx, viewer, desk, about, said)?;
    Ok(told.into_iter().map(|user| (user, Reason::Mentioned)).collect())
}

/// Who asked to be told of the labels that something has beside those it had.
pub fn label_subscribers(
    tx: &mut Tx<'_>, mut labels: Vec<i64>, before: &[i64],
) -> Result<Vec<(i64, Reason)>> {
    labels.retain(|id| !before.contains(id));
    if labels.is_empty() {
        return Ok(Vec::new());
    }
    let users = subscriptions::of_labels(tx, &labels)?;
    Ok(users.into_iter().map(|user| (user, Reason::Subscribed)).collect())
}

/// The people that names stand for, the first [`mentions::MOST`] of them: users,
/// direct members of groups that the viewer sees, and for `@all` the members of
/// the project or group, inherited ones too.
fn people(
    tx: &mut Tx<'_>, viewer: &Viewer, desk: Desk<'_>, named: &[Mention],
) -> Result<Vec<User>> {
    let names: Vec<String> = named.iter().map(|one| fold(&one.name)).collect();
    let mut users = rows::named(tx, &names)?;
    let groups = rows::named_groups(tx, viewer, &names)?;
    let mut places: Vec<(i64, Vec<i64>)> = groups.iter().map(|one| (0, vec![one.id])).collect();
    if names.iter().any(|name| name == "all") {
        places.push((desk.project().map_or(0, |project| project.id), desk.groups()));
    }
    for (project, groups) in places {
        if users.len() >= mentions::MOST {
            break;
        }
        let members = rows::members(tx, project, groups)?;
        let known: HashSet<i64> = users.iter().map(|user| user.id).collect();
        users.extend(members.into_iter().filter(|user| !known.contains(&user.id)));
    }
    users.truncate(mentions::MOST);
    Ok(users)
}

pub fn notify<'t>(
    tx: &mut Tx<'_>, actor: Option<i64>, about: impl Into<Topic<'t>>, event: Event,
    note_id: Option<i64>, direct: Vec<(i64, Reason)>,
) -> Result<()> {
    let now = tx.now();
    let news = News {
        event,
        about: about.into().about(),
        note: note_id,
        actor,
        mark: hex::encode(random_bytes::<12>()),
    };
    let job = Notify { news, direct };
    enqueue_at(tx, &job, now)
}
