//! `Project.branchRules`: which branches are protected from whom.

use ::store::Tx;
use identity::graph::viewer;
use identity::viewer::Viewer;
use kernel::error::Result as Outcome;
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, GlobalId, Graph, HasTypeRef, ID, Key, Order, object,
};
use repositories::formats::ref_name::RefName;
use repositories::model::{Repository, RepositoryKind};
use repositories::protection::entity::{self, LevelEntity, ProtectedBranchEntity};
use repositories::protection::model::{ProtectedRef, RefKind, fits};
use repositories::protection::store::of_projects;
use repositories::store::{self, refs};
use spaces::access::{Levels, Purpose};
use spaces::graph::ProjectView;
use spaces::model::Project;
use std::collections::HashMap;
use std::sync::Arc;

pub const RULE_ID: GlobalId = GlobalId::new("BranchRuleID", "Projects::BranchRule");
const PLACE: &[Key] = &[Key::int("place", Order::Asc)];

/// A rule, and how many branches it is for.
pub struct Rule {
    place: i64,
    rule: Arc<ProtectedBranchEntity>,
    is_default: bool,
    matching: i64,
}

/// What a rule protects its branches from.
struct Protection(Arc<Rule>);

pub fn graph(g: &mut Graph) {
    for (name, about) in
        [("PushAccessLevel", "Who may push."), ("MergeAccessLevel", "Who may merge.")]
    {
        g.object::<LevelEntity>(name, about)
            .value("accessLevel", "The number of a role; 0 for nobody.", |it| {
                it.access_level.unwrap_or(0)
            })
            .value("accessLevelDescription", "What people read of it.", |it| {
                it.access_level_description.clone()
            });
    }
    let levels = |of: &[LevelEntity]| -> Vec<Arc<LevelEntity>> {
        of.iter().cloned().map(Arc::new).collect()
    };
    g.object::<Protection>("BranchProtection", "What a rule protects branches from.")
        .value("allowForcePush", "Whether their history may be rewritten.", |it| {
            it.0.rule.allow_force_push
        })
        .value("codeOwnerApprovalRequired", "Whether owners of code are to approve.", |it| {
            it.0.rule.code_owner_approval_required
        })
        .connections(
            "pushAccessLevels",
            object::<LevelEntity>("PushAccessLevel"),
            move |of, ask, _, context| async move {
                listed(of.iter().map(|it| levels(&it.0.rule.push_access_levels)), ask, &context)
            },
        )
        .describe("Who may push.")
        .connections(
            "mergeAccessLevels",
            object::<LevelEntity>("MergeAccessLevel"),
            move |of, ask, _, context| async move {
                listed(of.iter().map(|it| levels(&it.0.rule.merge_access_levels)), ask, &context)
            },
        )
        .describe("Who may merge.");
    g.object::<Rule>("BranchRule", "A rule for branches of some names.")
        .field("id", ID.required(), |it| RULE_ID.of(it.rule.id))
        .describe("Global ID.")
        .value("name", "The branch, or a pattern of names.", |it| it.rule.name.clone())
        .value("isDefault", "Whether it is for the default branch.", |it| it.is_default)
        .value("isProtected", "Whether it protects them.", |_| true)
        .value("matchingBranchesCount", "How many branches it is for.", |it| it.matching)
        .level(
            "branchProtection",
            object::<Protection>("BranchProtection"),
            |of, _, _| async move {
                Ok(of.into_iter().map(|rule| Some(Arc::new(Protection(rule)))).collect())
            },
        )
        .describe("What it protects them from.");
    g.on::<ProjectView>("Project")
        .connections("branchRules", object::<Rule>("BranchRule"), rules)
        .describe("The rules for its branches; null for those who may not read code.");
}

fn listed(
    of: impl Iterator<Item = Vec<Arc<LevelEntity>>>, ask: Ask, context: &Context,
) -> Result<Vec<Option<Connection<LevelEntity>>>, Fault> {
    let window = ask.window(context, "access levels", &[Key::int("id", Order::Asc)])?;
    Ok(of.map(|levels| Some(window.page_of_whole(&levels, |level| level.id))).collect())
}

/// What the rules of some projects are made of.
pub struct Read {
    /// Whether the viewer may read the code of each.
    is_open: Vec<bool>,
    rules: Vec<ProtectedRef>,
    entities: HashMap<i64, Arc<ProtectedBranchEntity>>,
    repositories: HashMap<Option<i64>, Repository>,
    names: HashMap<i64, Vec<RefName>>,
}

async fn rules(
    of: Vec<Arc<ProjectView>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<Rule>>>, Fault> {
    let window = ask.window(&context, "rules for branches", PLACE)?;
    let (reader, asked) = (viewer(&context), of.clone());
    let read = context.app()?.read(move |tx| {
        let projects: Vec<&Project> = asked.iter().map(|it| &it.project).collect();
        Read::of_projects(tx, &reader, &projects)
    });
    let read = read.await?;
    let page = |(view, is_open): (&Arc<ProjectView>, &bool)| {
        is_open.then(|| {
            let rules = read.of(&view.project);
            window.page_of_whole(&rules, |rule| rule.place)
        })
    };
    Ok(of.iter().zip(&read.is_open).map(page).collect())
}

/// The group whose rules are for a project, too.
fn root(project: &Project) -> Option<i64> {
    project.ancestors().first().copied()
}

impl Rule {
    pub fn id(&self) -> i64 {
        self.rule.id
    }
}

impl Read {
    /// Reads it, in as many statements for any number of projects.
    pub fn of_projects(tx: &mut Tx<'_>, reader: &Viewer, projects: &[&Project]) -> Outcome<Read> {
        let levels = Levels::in_projects(tx, reader, projects)?;
        let ids: Vec<i64> = projects.iter().map(|project| project.id).collect();
        let roots = projects.iter().filter_map(|project| root(project)).collect();
        let mut rules = of_projects(tx, ids.clone(), roots)?;
        rules.retain(|rule| rule.kind == RefKind::Branch);
        let entities = entity::branches(tx, rules.clone())?.into_iter();
        let repositories = store::of_projects(tx, ids, RepositoryKind::Project)?;
        let there = repositories.iter().map(|one| one.id).collect();
        Ok(Read {
            is_open: projects.iter().map(|it| levels.may(it, Purpose::DownloadCode)).collect(),
            entities: entities.map(|one| (one.id, Arc::new(one))).collect(),
            rules,
            names: refs::branches_of_each(tx, there)?,
            repositories: repositories.into_iter().map(|one| (one.project_id, one)).collect(),
        })
    }

    pub fn of(&self, project: &Project) -> Vec<Arc<Rule>> {
        let repository = self.repositories.get(&Some(project.id));
        let names = repository.and_then(|one| self.names.get(&one.id)).into_iter().flatten();
        let names: Vec<&str> = names.filter_map(|name| name.as_branch()).collect();
        let head = repository.and_then(|one| one.head.as_branch());
        let root = root(project);
        let is_ours = |rule: &&ProtectedRef| {
            rule.project_id == Some(project.id) || (root.is_some() && rule.group_id == root)
        };
        let ours = self.rules.iter().filter(is_ours);
        let ours = ours.filter_map(|rule| self.entities.get(&rule.id)).enumerate();
        let rule = |(at, rule): (usize, &Arc<ProtectedBranchEntity>)| {
            Arc::new(Rule {
                place: at as i64,
                is_default: head == Some(rule.name.as_str()),
                matching: names.iter().filter(|name| fits(&rule.name, name)).count() as i64,
                rule: rule.clone(),
            })
        };
        ours.map(rule).collect()
    }
}
