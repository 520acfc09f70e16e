//! A branch that comes from elsewhere with rules of its own is protected here at least as
//! much: where both say something of it, the stricter holds.

use super::model::{Deed, Level, MAX_LEVELS, MAX_NAME, MAX_RULES, NO_ONE, ProtectedRef, RefKind};
use super::store as rows;
use ::store::Tx;
use kernel::error::{Error, Result};
use spaces::SpaceId;
use spaces::access::{self, DEVELOPER, MAINTAINER};
use spaces::branch_protection::ROLES;
use spaces::model::Project;

/// Users who may push whatever their role is.
const MOST_PUSHERS: usize = MAX_LEVELS / 2;

/// What is said of a branch elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elsewhere {
    /// The branch, or a pattern of names.
    pub name: String,
    pub allow_force_push: bool,
    pub code_owner_approval_required: bool,
    /// The least role that pushes, and that merges; [`NO_ONE`] for none.
    pub push: i64,
    pub merge: i64,
    /// Users who push all the same, as far as they push here.
    pub pushers: Vec<i64>,
}

/// Protects a branch of a project at least so much; the id of its rule.
///
/// # Errors
///
/// `Unprocessable` where there can be no such rule.
pub fn protect(tx: &mut Tx<'_>, project: &Project, said: &Elsewhere) -> Result<i64> {
    let own = rows::of_project(tx, project.id, None)?;
    let is_it = |rule: &ProtectedRef| rule.kind == RefKind::Branch && rule.name == said.name;
    match own.into_iter().find(is_it) {
        Some(rule) => tighten(tx, project, rule, said),
        None => add(tx, project, said),
    }
}

fn add(tx: &mut Tx<'_>, project: &Project, said: &Elsewhere) -> Result<i64> {
    let length = said.name.chars().count();
    if said.name.trim().is_empty() || length > MAX_NAME || said.name.contains('\0') {
        return Err(Error::Unprocessable("Name is invalid".into()));
    }
    let owner = SpaceId::Project(project.id);
    if rows::count(tx, owner)? >= MAX_RULES {
        let text = "There are too many protected branches and tags";
        return Err(Error::Unprocessable(text.into()));
    }
    let rule = ProtectedRef {
        id: 0,
        kind: RefKind::Branch,
        project_id: Some(project.id),
        group_id: None,
        name: said.name.clone(),
        allow_force_push: said.allow_force_push,
        code_owner_approval_required: said.code_owner_approval_required,
    };
    let id = rows::insert(tx, owner, RefKind::Branch, &rule)?;
    let id = id.ok_or_else(|| Error::Unavailable("It was protected meanwhile.".into()))?;
    let roles = [
        (Deed::Push, known(said.push)),
        (Deed::Merge, known(said.merge)),
        (Deed::Unprotect, MAINTAINER),
    ];
    for (deed, role) in roles {
        rows::insert_level(tx, id, &Level::of_role(deed, role))?;
    }
    for user in pushers(tx, project, said, DEVELOPER)? {
        rows::insert_level(tx, id, &of_user(user))?;
    }
    Ok(id)
}

fn tighten(
    tx: &mut Tx<'_>, project: &Project, mut rule: ProtectedRef, said: &Elsewhere,
) -> Result<i64> {
    let levels = rows::levels(tx, std::slice::from_ref(&rule))?;
    let levels = levels.get(&rule.id).map(Vec::as_slice).unwrap_or_default();
    rule.allow_force_push &= said.allow_force_push;
    rule.code_owner_approval_required |= said.code_owner_approval_required;
    rows::update(tx, &rule)?;
    for (deed, role) in [(Deed::Push, said.push), (Deed::Merge, said.merge)] {
        let of_roles = levels.iter().filter(|level| level.purpose == deed);
        let gone: Vec<i64> =
            of_roles.filter(|it| it.access_level.is_some()).map(|it| it.id).collect();
        if !gone.is_empty() {
            rows::delete_levels(tx, &gone)?;
        }
        let both = stricter(least(levels, deed), known(role));
        rows::insert_level(tx, rule.id, &Level::of_role(deed, both))?;
    }
    let least = least(levels, Deed::Push);
    if least != NO_ONE {
        let is_named = |user: &i64| levels.iter().any(|level| level.user_id == Some(*user));
        let mut new = pushers(tx, project, said, least.max(DEVELOPER))?;
        new.retain(|user| !is_named(user));
        for user in new {
            rows::insert_level(tx, rule.id, &of_user(user))?;
        }
    }
    Ok(rule.id)
}

/// Those who are named elsewhere and have at least this role.
fn pushers(tx: &mut Tx<'_>, project: &Project, said: &Elsewhere, least: i64) -> Result<Vec<i64>> {
    let mut named = said.pushers.clone();
    named.sort_unstable();
    named.dedup();
    named.truncate(MOST_PUSHERS);
    let mut found = Vec::new();
    for user in named {
        if access::role_in_project(tx, user, project)? >= least {
            found.push(user);
        }
    }
    Ok(found)
}

fn of_user(user: i64) -> Level {
    Level {
        access_level: None,
        user_id: Some(user),
        ..Level::of_role(Deed::Push, NO_ONE)
    }
}

/// A role that rules may name.
fn known(role: i64) -> i64 {
    if ROLES.contains(&role) { role } else { MAINTAINER }
}

/// The least role that some levels let.
fn least(levels: &[Level], deed: Deed) -> i64 {
    let roles = levels.iter().filter(|level| level.purpose == deed);
    let roles = roles.filter_map(|level| level.access_level).filter(|role| *role != NO_ONE);
    roles.min().unwrap_or(NO_ONE)
}

/// What fewer may do.
fn stricter(one: i64, other: i64) -> i64 {
    match (one, other) {
        (NO_ONE, _) | (_, NO_ONE) => NO_ONE,
        (one, other) => one.max(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_of_two_roles_holds() {
        assert_eq!(stricter(30, 40), 40);
        assert_eq!(stricter(40, NO_ONE), NO_ONE);
        assert_eq!(stricter(NO_ONE, 60), NO_ONE);
        assert_eq!((known(30), known(35), known(50)), (30, MAINTAINER, MAINTAINER));
    }

    #[test]
    fn of_many_levels_the_least_role_counts() {
        let levels = [
            Level::of_role(Deed::Push, 40),
            Level::of_role(Deed::Push, 30),
            Level::of_role(Deed::Merge, NO_ONE),
            of_user(7),
        ];
        assert_eq!(least(&levels, Deed::Push), 30);
        assert_eq!(least(&levels, Deed::Merge), NO_ONE);
        assert_eq!(least(&levels, Deed::Unprotect), NO_ONE);
    }
}
