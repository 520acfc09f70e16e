//! Who deploys to environments: the rules that cover them, and what somebody is by these.

use super::model::{Deed, Level, Rule, Standing, may_deploy};
use super::store;
use crate::environments::model::{Environment, Tier};
use ::store::{Fragment, Tx};
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use pipeline_file::environments::Tier as PlannedTier;
use spaces::access::{self, DEVELOPER, GUEST, MAINTAINER};
use spaces::model::Project;
use std::collections::HashSet;

/// What an environment is to rules: its name, and what it is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub name: String,
    pub tier: Tier,
}

impl Place {
    pub fn of(environment: &Environment) -> Place {
        Place { name: environment.name.clone(), tier: environment.tier }
    }

    /// One that is not there, or not yet.
    pub fn named(name: &str) -> Place {
        Place {
            name: name.to_owned(),
            tier: PlannedTier::of_name(name).into(),
        }
    }
}

/// The rules over some environments of a project, its own and those of the groups above.
#[derive(Debug, Clone, Default)]
pub struct Guards(Vec<Rule>);

impl Guards {
    pub fn read(tx: &mut Tx<'_>, project: &Project, places: &[Place]) -> Result<Guards> {
        let distinct = |all: Vec<String>| -> Vec<String> {
            let all: HashSet<String> = all.into_iter().collect();
            all.into_iter().collect()
        };
        let names = distinct(places.iter().map(|one| one.name.clone()).collect());
        let tiers = distinct(places.iter().map(|one| one.tier.to_string()).collect());
        Ok(Guards(store::covering(tx, (project.id, names), (project.ancestors(), tiers))?))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rules over one.
    pub fn over(&self, place: &Place) -> Vec<&Rule> {
        self.0
            .iter()
            .filter(|rule| rule.covers(&place.name, place.tier.as_str()))
            .collect()
    }

    pub fn rules(&self) -> &[Rule] {
        &self.0
    }

    /// What somebody is by these rules.
    pub fn standing(
        &self, tx: &mut Tx<'_>, viewer: &Viewer, project: &Project,
    ) -> Result<Standing> {
        let mut standing = Standing {
            user_id: viewer.user_id(),
            is_admin: viewer.is_admin(),
            level: access::level_in_project(tx, viewer, project)?,
            ..Standing::default()
        };
        let Some(user) = viewer.user_id().filter(|_| !self.is_empty()) else {
            return Ok(standing);
        };
        let owners: Vec<i64> = self.0.iter().filter_map(|rule| rule.protected.group_id).collect();
        for role in [DEVELOPER, MAINTAINER] {
            let reached = access::groups_of(tx, user, role);
            let groups = among(tx, &owners, reached)?;
            standing.group_roles.extend(groups.into_iter().map(|group| (group, role)));
        }
        let levels = self.0.iter().flat_map(|rule| &rule.levels);
        let named: Vec<i64> = levels.filter_map(|level| level.group_id).collect();
        let (direct, joined) =
            (access::groups_direct(tx, user), access::groups_of(tx, user, GUEST));
        standing.direct = among(tx, &named, direct)?;
        standing.joined = among(tx, &named, joined)?;
        Ok(standing)
    }
}

/// Those of some groups that a condition on `namespaces` holds for.
fn among(tx: &mut Tx<'_>, groups: &[i64], condition: Fragment) -> Result<HashSet<i64>> {
    if groups.is_empty() {
        return Ok(HashSet::new());
    }
    let mut query = Fragment::new("select namespaces.id from namespaces where ");
    query.in_list("namespaces.id", groups).raw(" and ").append(condition);
    Ok(tx.query::<i64>(query)?.into_iter().collect())
}

/// Refuses who may not deploy to an environment.
///
/// # Errors
///
/// 403.
pub fn check(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, place: &Place) -> Result<()> {
    match may(tx, viewer, project, place)? {
        true => Ok(()),
        false => Err(Error::forbidden("")),
    }
}

/// Whether somebody deploys to an environment, as far as rules say so.
pub fn may(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project, place: &Place) -> Result<bool> {
    let guards = Guards::read(tx, project, std::slice::from_ref(place))?;
    if guards.is_empty() {
        return Ok(true);
    }
    let who = guards.standing(tx, viewer, project)?;
    Ok(may_deploy(guards.rules(), &who))
}

/// The levels that somebody approves by, with their rules.
pub fn approving<'r>(rules: &[&'r Rule], who: &Standing) -> Vec<&'r Level> {
    let all = rules
        .iter()
        .flat_map(|rule| rule.of(Deed::Approve).map(move |level| (*rule, level)));
    let meant = all.filter(|(rule, level)| who.is_admin || rule.means(level, who));
    meant.map(|(_, level)| level).collect()
}
