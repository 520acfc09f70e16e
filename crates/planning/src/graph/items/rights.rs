//! What the caller may do with a work item.

use super::super::{epics, standing};
use super::{WorkItem, each};
use crate::graph::epics::EpicView;
use crate::model::Issue;
use identity::graph::viewer;
use kernel::graph::{BOOLEAN, Context, Fault, Graph, HasTypeRef, object};
use spaces::access::{GUEST, OWNER, REPORTER};
use std::sync::Arc;

struct Rights {
    /// Change its texts, close it.
    updates: bool,
    /// Set labels, dates and what is around it.
    administers: bool,
    destroys: bool,
    comments: bool,
    /// Link it to others.
    links: bool,
}

pub fn graph(g: &mut Graph) {
    g.object::<Rights>("WorkItemPermissions", "What the caller may do with a work item.")
        .field("readWorkItem", BOOLEAN.required(), |_| true)
        .describe("See it.")
        .field("updateWorkItem", BOOLEAN.required(), |it| it.updates)
        .describe("Change its texts, close it and open it again.")
        .field("adminWorkItem", BOOLEAN.required(), |it| it.administers)
        .describe("Change all of it.")
        .field("setWorkItemMetadata", BOOLEAN.required(), |it| it.administers)
        .describe("Set labels, dates and who is assigned.")
        .field("adminParentLink", BOOLEAN.required(), |it| it.administers)
        .describe("Put it below another, or take it out.")
        .field("adminWorkItemLink", BOOLEAN.required(), |it| it.links)
        .describe("Link it to others.")
        .field("deleteWorkItem", BOOLEAN.required(), |it| it.destroys)
        .describe("Delete it.")
        .field("createNote", BOOLEAN.required(), |it| it.comments)
        .describe("Write notes about it.");
    g.on::<WorkItem>("WorkItem")
        .level(
            "userPermissions",
            object::<Rights>("WorkItemPermissions").required(),
            |items: Vec<Arc<WorkItem>>, _, context| async move {
                let items: Vec<WorkItem> = items.iter().map(|it| (**it).clone()).collect();
                let issues = |all| of_issues(all, context.clone());
                let epics = |all| of_epics(all, context.clone());
                let found = each(items, issues, epics).await?;
                Ok(found.into_iter().map(Arc::new).collect())
            },
        )
        .describe("What the caller may do with it.");
}

async fn of_issues(issues: Vec<Arc<Issue>>, context: Context) -> Result<Vec<Rights>, Fault> {
    let found = standing::standing(&issues, &context).await?;
    let user = viewer(&context).user_id();
    let of = |(it, at): (&Arc<Issue>, standing::In)| {
        let writes = user.is_some() && !at.archived;
        let own = user.is_some() && it.author_id == user;
        Rights {
            updates: writes && (own || at.level >= REPORTER),
            administers: writes && at.level >= REPORTER,
            destroys: writes && at.level >= OWNER,
            comments: writes && (!it.is_locked() || at.level >= GUEST),
            links: writes && at.level >= GUEST,
        }
    };
    Ok(issues.iter().zip(found).map(of).collect())
}

async fn of_epics(all: Vec<Arc<EpicView>>, context: Context) -> Result<Vec<Rights>, Fault> {
    let found = epics::rights(&all, &context).await?;
    let of = |it: &epics::Rights| Rights {
        updates: it.plans(),
        administers: it.plans(),
        destroys: it.destroys(),
        comments: it.signed_in,
        links: it.signed_in && it.level >= GUEST,
    };
    Ok(found.iter().map(of).collect())
}
