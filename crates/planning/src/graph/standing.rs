//! What depends on who asks: rights, subscriptions, and what is counted.

use super::ISSUE_TYPES;
use crate::model::Issue;
use crate::store::subscriptions::Target;
use crate::store::{issues as rows, subscriptions as asked};
use identity::graph::{caller, viewer};
use kernel::graph::context::Loader;
use kernel::graph::{BOOLEAN, Context, Fault, Graph, HasTypeRef, INT, ObjectBuilder, object};
use spaces::access::{GUEST, Levels, NONE, REPORTER};
use spaces::graph::{Groups, Projects};
use std::collections::HashMap;
use std::sync::Arc;

/// The viewer's level in projects they see, by project: a role, 60 for
/// administrators.
pub struct Standing;

#[derive(Debug, Clone, Copy)]
pub struct In {
    pub level: i64,
    pub archived: bool,
}

impl Default for In {
    fn default() -> In {
        In { level: NONE, archived: true }
    }
}

impl Loader for Standing {
    type Key = i64;
    type Value = In;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, In>, Fault> {
        let projects = context.load::<Projects>(ids).await?;
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| {
            let seen: Vec<_> = projects.values().map(|it| &it.project).collect();
            let levels = Levels::in_projects(tx, &viewer, &seen)?;
            let standing = projects.iter().map(|(id, it)| {
                let level = levels.of_project(&it.project);
                let archived = it.project.archived;
                (*id, In { level, archived })
            });
            Ok(standing.collect())
        });
        Ok(found.await?)
    }
}

pub async fn standing(issues: &[Arc<Issue>], context: &Context) -> Result<Vec<In>, Fault> {
    let ids: Vec<i64> = issues.iter().map(|it| it.project_id).collect();
    let found = context.load::<Standing>(ids.clone()).await?;
    let of = |id| found.get(id).copied().unwrap_or_default();
    Ok(ids.iter().map(of).collect())
}

struct Permissions {
    signed_in: bool,
    own: bool,
    locked: bool,
    standing: In,
}

impl Permissions {
    fn writes(&self) -> bool {
        self.signed_in && !self.standing.archived
    }

    fn edits(&self) -> bool {
        self.writes() && (self.own || self.standing.level >= REPORTER)
    }
}

pub fn graph(g: &mut Graph) {
    g.object::<Permissions>("IssuePermissions", "What the caller may do with an issue.")
        .field("readIssue", BOOLEAN.required(), |_| true)
        .describe("See it.")
        .field("adminIssue", BOOLEAN.required(), |it| {
            it.writes() && it.standing.level >= REPORTER
        })
        .describe("Set labels, assignees, milestone and dates.")
        .field("updateIssue", BOOLEAN.required(), Permissions::edits)
        .describe("Change its texts.")
        .field("reopenIssue", BOOLEAN.required(), Permissions::edits)
        .describe("Open it again.")
        .field("createNote", BOOLEAN.required(), |it| {
            it.writes() && (!it.locked || it.standing.level >= GUEST)
        })
        .describe("Write notes about it.");
    for name in ISSUE_TYPES {
        of_issue(g.on::<Issue>(name));
    }
}

fn of_issue(it: ObjectBuilder<'_, Issue>) {
    it.level(
        "userPermissions",
        object::<Permissions>("IssuePermissions").required(),
        |issues, _, context| permissions(issues, context),
    )
    .describe("What the caller may do with it.")
    .level(
        "userNotesCount",
        INT.required(),
        |issues: Vec<Arc<Issue>>, _, context| async move {
            let standing = standing(&issues, &context).await?;
            let of = |(it, at): (&Arc<Issue>, In)| match at.level >= REPORTER {
                true => it.notes_count + it.internal_notes_count,
                false => it.notes_count,
            };
            Ok(issues.iter().zip(standing).map(of).collect())
        },
    )
    .describe("How many notes people wrote about it, of those the caller sees.")
    .level("subscribed", BOOLEAN.required(), |issues, _, context| {
        subscribed(issues, context)
    })
    .describe("Whether the caller is told of it.");
}

/// The viewer's level in groups they see.
pub struct InGroups;

impl Loader for InGroups {
    type Key = i64;
    type Value = In;

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, In>, Fault> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let groups = context.load::<Groups>(ids).await?;
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| {
            let seen: Vec<_> = groups.values().map(|it| &it.namespace).collect();
            let levels = Levels::in_groups(tx, &viewer, &seen)?;
            let standing = groups.iter().map(|(id, it)| {
                let level = levels.of_group(&it.namespace);
                (*id, In { level, archived: false })
            });
            Ok(standing.collect())
        });
        Ok(found.await?)
    }
}

async fn permissions(
    issues: Vec<Arc<Issue>>, context: Context,
) -> Result<Vec<Arc<Permissions>>, Fault> {
    let standing = standing(&issues, &context).await?;
    let user = viewer(&context).user_id();
    let of = |(it, standing): (&Arc<Issue>, In)| {
        Arc::new(Permissions {
            signed_in: user.is_some(),
            own: user.is_some() && it.author_id == user,
            locked: it.is_locked(),
            standing,
        })
    };
    Ok(issues.iter().zip(standing).map(of).collect())
}

/// As the caller asked, or else as author or assignee.
pub async fn subscribed(issues: Vec<Arc<Issue>>, context: Context) -> Result<Vec<bool>, Fault> {
    let (app, viewer) = caller(&context)?;
    let Some(user_id) = viewer.user_id() else {
        return Ok(vec![false; issues.len()]);
    };
    let ids: Vec<i64> = issues.iter().map(|it| it.id).collect();
    let read = app.read(move |tx| {
        let asked = asked::of_user(tx, user_id, Target::Issue, &ids)?;
        Ok((asked, rows::assignees_of(tx, &ids)?))
    });
    let (asked, assigned) = read.await?;
    let of = |it: &Arc<Issue>| {
        let id = it.id;
        let concerned = it.author_id == Some(user_id)
            || assigned.get(&id).is_some_and(|ids| ids.contains(&user_id));
        asked.get(&id).copied().unwrap_or(concerned)
    };
    Ok(issues.iter().map(of).collect())
}
