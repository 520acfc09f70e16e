//! What has to do with an epic: its labels, what is below it, and what depends on who
//! asks.

use super::EpicView;
use crate::graph::labels;
use crate::graph::standing::InGroups;
use crate::model::Label;
use crate::store::epics::pages as rows;
use crate::store::labels::WornBy;
use identity::graph::{caller, viewer};
use kernel::graph::context::Loader;
use kernel::graph::{BOOLEAN, Context, Fault, Graph, HasTypeRef, object};
use spaces::access::{OWNER, PLANNER};
use std::collections::HashMap;
use std::sync::Arc;

/// Whether epics and issues are right below an epic, of those the viewer sees.
pub struct Below;

impl Loader for Below {
    type Key = i64;
    type Value = (bool, bool);

    async fn load(context: Context, ids: Vec<i64>) -> Result<HashMap<i64, (bool, bool)>, Fault> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let (app, viewer) = caller(&context)?;
        let found = app.read(move |tx| {
            let (epics, issues) = rows::with_some_below(tx, &viewer, &ids)?;
            let of = |id: i64| (id, (epics.contains(&id), issues.contains(&id)));
            Ok(ids.into_iter().map(of).collect())
        });
        Ok(found.await?)
    }
}

/// What the caller may do with an epic.
pub struct Rights {
    pub signed_in: bool,
    pub level: i64,
}

impl Rights {
    pub fn plans(&self) -> bool {
        self.signed_in && self.level >= PLANNER
    }

    pub fn destroys(&self) -> bool {
        self.signed_in && (self.level >= OWNER || self.level == PLANNER)
    }
}

/// What the caller may do with each of these.
pub async fn rights(epics: &[Arc<EpicView>], context: &Context) -> Result<Vec<Rights>, Fault> {
    let found = context.load::<InGroups>(epics.iter().map(|it| it.group_id)).await?;
    let signed_in = viewer(context).user_id().is_some();
    let of = |it: &Arc<EpicView>| {
        let level = found.get(&it.group_id).copied().unwrap_or_default().level;
        Rights { signed_in, level }
    };
    Ok(epics.iter().map(of).collect())
}

/// Whether the caller is told of each of these.
pub async fn subscribed(epics: Vec<Arc<EpicView>>, context: Context) -> Result<Vec<bool>, Fault> {
    let (app, viewer) = caller(&context)?;
    let Some(user_id) = viewer.user_id() else {
        return Ok(vec![false; epics.len()]);
    };
    let asked = epics.clone();
    let read = app.read(move |tx| {
        let all: Vec<_> = asked.iter().map(|it| &it.epic).collect();
        rows::subscribed(tx, user_id, &all)
    });
    let found = read.await?;
    Ok(epics.iter().map(|it| found.get(&it.id).copied().unwrap_or(false)).collect())
}

async fn below(epics: &[Arc<EpicView>], context: &Context) -> Result<Vec<(bool, bool)>, Fault> {
    let found = context.load::<Below>(epics.iter().map(|it| it.id)).await?;
    Ok(epics.iter().map(|it| found.get(&it.id).copied().unwrap_or_default()).collect())
}

pub fn graph(g: &mut Graph) {
    g.object::<Rights>("EpicPermissions", "What the caller may do with an epic.")
        .field("readEpic", BOOLEAN.required(), |_| true)
        .describe("See it.")
        .field("updateEpic", BOOLEAN.required(), Rights::plans)
        .describe("Change it.")
        .field("adminEpic", BOOLEAN.required(), Rights::plans)
        .describe("Set labels and dates, and what is in it.")
        .field("createEpic", BOOLEAN.required(), Rights::plans)
        .describe("Make more of them in its group.")
        .field("destroyEpic", BOOLEAN.required(), Rights::destroys)
        .describe("Delete it.")
        .field("createNote", BOOLEAN.required(), |it| it.signed_in)
        .describe("Write notes about it.")
        .field("awardEmoji", BOOLEAN.required(), |it| it.signed_in)
        .describe("React to it.");
    g.on::<EpicView>("Epic")
        .connections(
            "labels",
            object::<Label>("Label"),
            |epics: Vec<Arc<EpicView>>, ask, _, context| async move {
                let ids = epics.iter().map(|it| it.id).collect();
                labels::worn(WornBy::EPICS, ids, ask, context).await
            },
        )
        .describe("Its labels, by title.")
        .level("hasChildren", BOOLEAN.required(), |epics, _, context| async move {
            Ok(below(&epics, &context).await?.iter().map(|it| it.0).collect())
        })
        .describe("Whether epics that the caller sees are right below it.")
        .level("hasIssues", BOOLEAN.required(), |epics, _, context| async move {
            Ok(below(&epics, &context).await?.iter().map(|it| it.1).collect())
        })
        .describe("Whether issues that the caller sees are in it.")
        .level("subscribed", BOOLEAN.required(), |epics, _, context| subscribed(epics, context))
        .describe("Whether the caller is told of it.")
        .level(
            "userPermissions",
            object::<Rights>("EpicPermissions").required(),
            |epics: Vec<Arc<EpicView>>, _, context| async move {
                Ok(rights(&epics, &context).await?.into_iter().map(Arc::new).collect())
            },
        )
        .describe("What the caller may do with it.");
}
