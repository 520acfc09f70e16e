//! Protected environments in GraphQL: for who changes them, null for others.

use super::model::{Deed, Level, Rule};
use super::store;
use crate::environments::graph::EnvironmentView;
use ::store::Tx;
use identity::graph::{People, Person, caller};
use identity::viewer::Viewer;
use kernel::error::Result as Outcome;
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, Graph, INT, Key, ObjectBuilder, Order, STRING, object,
};
use spaces::access::{Levels, Purpose, find_projects};
use spaces::graph::{Access, Groups, NamespaceView, ProjectView, Projects};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

const TYPE: &str = "ProtectedEnvironment";
const DEPLOYS: &str = "ProtectedEnvironmentDeployAccessLevel";
const APPROVES: &str = "ProtectedEnvironmentApprovalRule";

/// A protected environment, for who changes it.
pub struct ProtectedView(Rule);

/// Who deploys or approves.
pub struct LevelView(Level);

pub fn graph(g: &mut Graph) {
    level(g.object::<LevelView>(DEPLOYS, "Who deploys to a protected environment."));
    level(g.object::<LevelView>(APPROVES, "Who has to approve what is deployed."))
        .field("requiredApprovals", INT, |it| Some(it.0.required_approvals))
        .describe("How many of them have to.");
    g.object::<ProtectedView>(TYPE, "An environment or tier that not everybody deploys to.")
        .field("name", STRING, |it| Some(it.0.protected.name.clone()))
        .describe("The name of the environment, or the tier.")
        .load::<Projects, _>("project", object::<ProjectView>("Project"), |it| {
            it.0.protected.project_id
        })
        .describe("The project it is of.")
        .load::<Groups, _>("group", object::<NamespaceView>("Group"), |it| it.0.protected.group_id)
        .describe("The group it is of.")
        .field("requiredApprovalCount", INT, |it| Some(it.0.protected.required_approval_count))
        .describe("How many of those who deploy have to approve, where no rules say who.")
        .connections(
            "deployAccessLevels",
            object::<LevelView>(DEPLOYS),
            |of, ask, args, context| levels(of, Deed::Deploy, ask, args, context),
        )
        .describe("Who deploys.")
        .connections("approvalRules", object::<LevelView>(APPROVES), |of, ask, args, context| {
            levels(of, Deed::Approve, ask, args, context)
        })
        .describe("Who has to approve.");
    g.on::<EnvironmentView>("Environment")
        .connections("protectedEnvironments", object::<ProtectedView>(TYPE), of_environments)
        .describe("The rule of its project over it, for who maintains that.");
    g.on::<NamespaceView>("Group")
        .connections("protectedEnvironments", object::<ProtectedView>(TYPE), of_groups)
        .describe("The tiers that it protects, for who owns it.");
}

fn level(it: ObjectBuilder<'_, LevelView>) -> ObjectBuilder<'_, LevelView> {
    it.field("accessLevel", object::<Access>("AccessLevel"), |it| {
        it.0.access_level.map(|role| Arc::new(Access(role)))
    })
    .describe("Those of this role.")
    .load::<People, _>("user", object::<Person>("UserCore"), |it| it.0.user_id)
    .describe("This user.")
    .load::<Groups, _>("group", object::<NamespaceView>("Group"), |it| it.0.group_id)
    .describe("The members of this group.")
    .field("groupInheritanceType", INT, |it| Some(it.0.group_inheritance_type))
    .describe("0: members of the group itself; 1: those of groups above it, too.")
}

async fn levels(
    of: Vec<Arc<ProtectedView>>, deed: Deed, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<LevelView>>>, Fault> {
    let window = ask.window(&context, "levels", &[Key::int("id", Order::Asc)])?;
    let page = |it: &Arc<ProtectedView>| {
        let all = it.0.of(deed).map(|level| Arc::new(LevelView(level.clone())));
        let whole: Vec<Arc<LevelView>> = all.collect();
        Some(window.page_of_whole(&whole, |level| level.0.id))
    };
    Ok(of.iter().map(page).collect())
}

/// A page of the rules of each owner, where the viewer may see them at all.
fn pages(
    ask: Ask, context: &Context, of: Vec<Option<Vec<Rule>>>,
) -> Result<Vec<Option<Connection<ProtectedView>>>, Fault> {
    let keys = [Key::int("id", Order::Asc)];
    let window = ask.window(context, "protected environments", &keys)?;
    let page = |mut rules: Vec<Rule>| {
        rules.sort_by_key(|rule| rule.protected.id);
        let whole: Vec<Arc<ProtectedView>> =
            rules.into_iter().map(|rule| Arc::new(ProtectedView(rule))).collect();
        window.page_of_whole(&whole, |it| it.0.protected.id)
    };
    Ok(of.into_iter().map(|rules| rules.map(page)).collect())
}

/// The projects among these that the viewer maintains.
fn maintained(tx: &mut Tx<'_>, viewer: &Viewer, ids: &[i64]) -> Outcome<HashSet<i64>> {
    let projects = find_projects(tx, ids)?;
    let levels = Levels::in_projects(tx, viewer, &projects.iter().collect::<Vec<_>>())?;
    let maintains = projects.iter().filter(|project| levels.may(project, Purpose::Update));
    Ok(maintains.map(|project| project.id).collect())
}

async fn of_environments(
    of: Vec<Arc<EnvironmentView>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<ProtectedView>>>, Fault> {
    let (app, viewer) = caller(&context)?;
    let places: Vec<(i64, String)> = of
        .iter()
        .map(|it| (it.environment.project_id, it.environment.name.clone()))
        .collect();
    let asked = places.clone();
    let read = app.read(move |tx| {
        let mut ids: Vec<i64> = asked.iter().map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        let seen = maintained(tx, &viewer, &ids)?;
        let rules = store::of_many(tx, seen.iter().copied().collect(), Vec::new())?;
        Ok((seen, rules))
    });
    let (seen, rules) = read.await?;
    let found = places.into_iter().map(|(id, name)| {
        let over =
            |rule: &&Rule| rule.protected.project_id == Some(id) && rule.protected.name == name;
        seen.contains(&id).then(|| rules.iter().filter(over).cloned().collect())
    });
    pages(ask, &context, found.collect())
}

async fn of_groups(
    of: Vec<Arc<NamespaceView>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<ProtectedView>>>, Fault> {
    let (app, viewer) = caller(&context)?;
    let ids: Vec<i64> = of.iter().map(|it| it.namespace.id).collect();
    let read = app.read(move |tx| {
        let groups: Vec<_> = of.iter().map(|it| &it.namespace).collect();
        let levels = Levels::in_groups(tx, &viewer, &groups)?;
        let owned = groups.iter().filter(|group| levels.may_in_group(group, Purpose::Update));
        let owned: Vec<i64> = owned.map(|group| group.id).collect();
        let rules = store::of_many(tx, Vec::new(), owned.clone())?;
        Ok((owned, rules))
    });
    let (owned, rules) = read.await?;
    let mut by_group: HashMap<i64, Vec<Rule>> = HashMap::new();
    for rule in rules {
        let id = rule.protected.group_id.unwrap_or_default();
        by_group.entry(id).or_default().push(rule);
    }
    let found = ids
        .iter()
        .map(|id| owned.contains(id).then(|| by_group.get(id).cloned().unwrap_or_default()));
    pages(ask, &context, found.collect())
}
