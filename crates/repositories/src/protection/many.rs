//! What the branches of many projects are to many people.

use super::check::{BranchProtection, of_branch};
use super::model::{Level, ProtectedRef, Rules, Standing, groups_named};
use super::store as rows;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use spaces::access::{Purpose, allows};
use spaces::model::Project;
use spaces::store::members::people_of_groups;
use std::collections::{BTreeSet, HashMap};

/// Most members of groups that are read at once.
const MOST_MEMBERS: i64 = 50_000;

/// The rules for branches of some projects, read in as many statements for any number of
/// them. Of projects that nothing was pushed to yet nothing is told.
#[derive(Debug, Clone, Default)]
pub struct RulesOfMany {
    rules: HashMap<i64, Rules>,
    /// Groups that these rules name.
    groups: Vec<i64>,
}

/// Somebody who is asked about.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub viewer: &'a Viewer,
    /// In the project; 60 for administrators.
    pub level: i64,
    /// Those of [`RulesOfMany::joined`] or [`RulesOfMany::members`].
    pub groups: &'a [i64],
}

impl RulesOfMany {
    pub fn read(tx: &mut Tx<'_>, projects: &[&Project]) -> Result<RulesOfMany> {
        let ids: BTreeSet<i64> = projects.iter().map(|project| project.id).collect();
        let roots: BTreeSet<i64> = projects.iter().filter_map(|project| root(project)).collect();
        let refs = rows::of_projects(tx, ids.into_iter().collect(), roots.into_iter().collect())?;
        let levels = rows::levels(tx, &refs)?;
        let rules = projects.iter().map(|project| (project.id, of(project, &refs, &levels)));
        Ok(RulesOfMany { rules: rules.collect(), groups: groups_named(&levels) })
    }

    /// The groups among those that rules name that a user is in.
    pub fn joined(&self, tx: &mut Tx<'_>, user_id: i64) -> Result<Vec<i64>> {
        rows::groups_joined(tx, user_id, &self.groups)
    }

    /// The same of all who are members of any, by user.
    pub fn members(&self, tx: &mut Tx<'_>) -> Result<HashMap<i64, Vec<i64>>> {
        let mut joined: HashMap<i64, Vec<i64>> = HashMap::new();
        if self.groups.is_empty() {
            return Ok(joined);
        }
        for (group, people) in people_of_groups(tx, self.groups.clone(), MOST_MEMBERS)? {
            for user in people {
                joined.entry(user).or_default().push(group);
            }
        }
        Ok(joined)
    }

    /// What a branch of a project of those read is to somebody.
    pub fn of(&self, project: &Project, branch: &str, by: Asked<'_>) -> BranchProtection {
        let who = Standing {
            user_id: by.viewer.user_id(),
            role: by.level,
            groups: by.groups.to_vec(),
            deploy_key_id: None,
        };
        let pushes = allows(by.viewer, project, by.level, Purpose::PushCode);
        match self.rules.get(&project.id) {
            Some(rules) => of_branch(rules, branch, &who, pushes),
            None => of_branch(&Rules::default(), branch, &who, pushes),
        }
    }
}

/// The group above all others, whose rules count for a project.
fn root(project: &Project) -> Option<i64> {
    project.ancestors().first().copied()
}

fn of(project: &Project, refs: &[ProtectedRef], levels: &HashMap<i64, Vec<Level>>) -> Rules {
    let root = root(project);
    let is_its = |one: &&ProtectedRef| {
        one.project_id == Some(project.id) || (one.group_id.is_some() && one.group_id == root)
    };
    let refs: Vec<ProtectedRef> = refs.iter().filter(is_its).cloned().collect();
    let levels = refs.iter().filter_map(|one| Some((one.id, levels.get(&one.id)?.clone())));
    Rules { levels: levels.collect(), refs, beginning: None }
}
