//! Types of work items. Their IDs never change.

use super::super::{Pages, caller};
use crate::access::epics::groups_with_epics;
use crate::graph::enums::chosen;
use crate::model::IssueKind;
use kernel::graph::{
    Args, Ask, Context, GlobalId, Graph, HasTypeRef, Key, Order, STRING, argument, named, object,
};
use spaces::graph::NamespaceView;
use std::sync::Arc;

pub const TYPE_ID: GlobalId = GlobalId::new("WorkItemsTypeID", "WorkItems::Type");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemType {
    Issue = 1,
    Incident = 2,
    Task = 5,
    Epic = 8,
}

const ALL: [ItemType; 4] = [ItemType::Issue, ItemType::Incident, ItemType::Task, ItemType::Epic];

impl ItemType {
    pub fn of(kind: IssueKind) -> ItemType {
        match kind {
            IssueKind::Issue => ItemType::Issue,
            IssueKind::Incident => ItemType::Incident,
            IssueKind::Task => ItemType::Task,
        }
    }

    /// The type of this number.
    pub fn numbered(id: i64) -> Option<ItemType> {
        ALL.into_iter().find(|one| one.id() == id)
    }

    /// As issues know it; nothing of epics.
    pub fn issue(self) -> Option<IssueKind> {
        match self {
            ItemType::Issue => Some(IssueKind::Issue),
            ItemType::Incident => Some(IssueKind::Incident),
            ItemType::Task => Some(IssueKind::Task),
            ItemType::Epic => None,
        }
    }

    pub fn id(self) -> i64 {
        self as i64
    }

    pub fn name(self) -> &'static str {
        match self {
            ItemType::Issue => "Issue",
            ItemType::Incident => "Incident",
            ItemType::Task => "Task",
            ItemType::Epic => "Epic",
        }
    }
}

pub fn graph(g: &mut Graph) {
    TYPE_ID.register(g);
    g.object::<ItemType>("WorkItemType", "What a work item is.")
        .field("id", TYPE_ID.required(), |it| it.id())
        .describe("Global ID; the same on every server.")
        .field("name", STRING.required(), |it| it.name().to_owned())
        .describe("Its name.");
    g.on::<NamespaceView>("Namespace")
        .connections("workItemTypes", object::<ItemType>("WorkItemType"), of_namespaces)
        .describe("Types of the work items that there may be in it and its projects.")
        .arg(argument("name", named("IssueType")).describe("Only this one."));
}

async fn of_namespaces(
    namespaces: Vec<Arc<NamespaceView>>, ask: Ask, args: Args, context: Context,
) -> Pages<ItemType> {
    let window = ask.window(&context, "work item types", &[Key::int("id", Order::Asc)])?;
    let name: Option<String> = args.get("name")?;
    let wanted = |one: &ItemType| match &name {
        Some(name) => chosen(Some(name.clone()), |name| {
            (one.name().to_ascii_lowercase() == name).then_some(())
        })
        .is_some(),
        None => true,
    };
    let groups = namespaces.iter().filter(|it| it.namespace.kind == "group");
    let groups: Vec<i64> = groups.map(|it| it.namespace.id).collect();
    let (app, _) = caller(&context)?;
    let with_epics = match groups.is_empty() {
        true => Vec::new(),
        false => app.read(move |tx| groups_with_epics(tx, &groups)).await?,
    };
    let page = |it: &Arc<NamespaceView>| {
        let epics = with_epics.contains(&it.namespace.id);
        let there = ALL.into_iter().filter(|one| epics || *one != ItemType::Epic);
        let whole: Vec<Arc<ItemType>> = there.filter(wanted).map(Arc::new).collect();
        Some(window.page_of_whole(&whole, |one| one.id()))
    };
    Ok(namespaces.iter().map(page).collect())
}
