//! Protects environments, and ends it.

use super::model::{
    DIRECT, Deed, INHERITED, Level, MOST_APPROVALS, MOST_LEVELS, MOST_RULES, ROLES, Rule,
};
use super::store as rows;
use crate::environments::model::{Tier, is_name};
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use repositories::protection::store::is_shared_with;
use serde_json::json;
use spaces::Holder;
use spaces::access::{self, DEVELOPER, MAINTAINER};

kernel::params! {
    /// Who deploys or approves: one of a role, a user and a group.
    #[derive(Default)]
    pub struct EnvironmentLevelInput {
        /// The one that is meant; a new one without it.
        pub id: Option<i64>,
        /// 30 for Developers, 40 for Maintainers, 60 for administrators.
        pub access_level: Option<i64>,
        /// A member.
        pub user_id: Option<i64>,
        /// A group that belongs to it.
        pub group_id: Option<i64>,
        /// 0: members of the group itself; 1: those of groups above it, too.
        pub group_inheritance_type: Option<i64>,
        /// How many have to approve: 1, unless said; of approval rules.
        pub required_approvals: Option<i64>,
        /// Takes it away.
        pub destroy as "_destroy": Option<bool>,
    }
}

kernel::params! {
    /// What may be set of a protected environment.
    #[derive(Default)]
    pub struct RuleInput {
        /// Who deploys.
        pub deploy_access_levels: Option<Vec<EnvironmentLevelInput>>,
        /// How many of those who deploy have to approve, where no rules say who.
        pub required_approval_count: Option<i64>,
        /// Who has to approve.
        pub approval_rules: Option<Vec<EnvironmentLevelInput>>,
    }
}

impl RuleInput {
    fn items(&self) -> [(Deed, &[EnvironmentLevelInput]); 2] {
        [
            (Deed::Deploy, self.deploy_access_levels.as_deref().unwrap_or_default()),
            (Deed::Approve, self.approval_rules.as_deref().unwrap_or_default()),
        ]
    }
}

fn taken(holder: &Holder, name: &str) -> Error {
    Error::Conflict(match holder {
        Holder::Project(_) => format!("Environment '{name}' is already protected"),
        Holder::Group(_) => format!("Protected environment '{name}' already exists"),
    })
}

fn refuse<T>(sentence: impl Into<String>) -> Result<T> {
    let sentence: String = sentence.into();
    Err(Error::Exact(422, json!({"message": [sentence]})))
}

/// Protects an environment.
pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, holder: &Holder, name: &str, input: &RuleInput,
) -> Result<Rule> {
    if input.deploy_access_levels.is_none() {
        return Err(Error::missing("deploy_access_levels"));
    }
    check_name(holder, name)?;
    let count = checked_count(input.required_approval_count.unwrap_or(0))?;
    if rows::count(tx, holder.id())? >= MOST_RULES {
        return refuse("There are too many protected environments");
    }
    let taken = || taken(holder, name);
    let id = rows::insert(tx, holder.id(), name, count)?.ok_or_else(taken)?;
    for (deed, items) in input.items() {
        let mut levels = Vec::new();
        for item in items {
            let level = level(tx, holder, deed, item, None)?;
            add(&mut levels, level)?;
        }
        for level in &levels {
            rows::insert_level(tx, id, level)?;
        }
    }
    record(tx, viewer, holder, "protected_environment.create", name)?;
    rows::named(tx, holder.id(), name)?.found("")
}

fn check_name(holder: &Holder, name: &str) -> Result<()> {
    match holder {
        Holder::Group(_) if Tier::from_text(name).is_none() => {
            let tiers: Vec<&str> = Tier::ALL.iter().map(|tier| tier.as_str()).collect();
            refuse(format!("Name must be one of environment tiers: {}.", tiers.join(", ")))
        }
        Holder::Project(_) if !is_name(name) => refuse("Name is invalid"),
        _ => Ok(()),
    }
}

fn checked_count(count: i64) -> Result<i64> {
    match (0..=MOST_APPROVALS).contains(&count) {
        true => Ok(count),
        false => refuse("Required approval count must be between 0 and 100"),
    }
}

/// Changes who deploys and who approves: without id is added, with id changed or taken away.
pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, holder: &Holder, name: &str, input: &RuleInput,
) -> Result<Rule> {
    let rule = rows::named(tx, holder.id(), name)?.found("")?;
    if let Some(count) = input.required_approval_count {
        rows::set_count(tx, rule.protected.id, checked_count(count)?)?;
    }
    for (deed, items) in input.items() {
        change_levels(tx, holder, &rule, deed, items)?;
    }
    record(tx, viewer, holder, "protected_environment.update", name)?;
    rows::named(tx, holder.id(), name)?.found("")
}

fn change_levels(
    tx: &mut Tx<'_>, holder: &Holder, rule: &Rule, deed: Deed, items: &[EnvironmentLevelInput],
) -> Result<()> {
    let mut levels: Vec<Level> = rule.of(deed).cloned().collect();
    let (mut gone, mut changed, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for item in items {
        let Some(id) = item.id else {
            added.push(level(tx, holder, deed, item, None)?);
            continue;
        };
        let Some(at) = levels.iter().position(|level| level.id == id) else {
            return refuse(format!("{} id is not one of this environment", title(deed)));
        };
        let before = levels.remove(at);
        match item.destroy.unwrap_or(false) {
            true => gone.push(id),
            false => changed.push(level(tx, holder, deed, item, Some(&before))?),
        }
    }
    for level in changed.iter().chain(&added) {
        add(&mut levels, level.clone())?;
    }
    if !gone.is_empty() {
        rows::delete_levels(tx, &gone)?;
    }
    changed.iter().try_for_each(|level| rows::update_level(tx, level))?;
    added
        .iter()
        .try_for_each(|level| rows::insert_level(tx, rule.protected.id, level))
}

/// Protects an environment no longer.
pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, holder: &Holder, name: &str) -> Result<()> {
    let rule = rows::named(tx, holder.id(), name)?.found("")?;
    rows::delete(tx, rule.protected.id)?;
    record(tx, viewer, holder, "protected_environment.destroy", name)
}

fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, holder: &Holder, action: &'static str, name: &str,
) -> Result<()> {
    audit::record(tx, viewer, action, holder.target(), json!({"name": name}))
}

/// As sentences begin.
fn title(deed: Deed) -> &'static str {
    match deed {
        Deed::Deploy => "Deploy access levels",
        Deed::Approve => "Approval rules",
    }
}

/// Adds a level to others of its kind, unless they have it.
fn add(levels: &mut Vec<Level>, level: Level) -> Result<()> {
    let title = title(level.purpose);
    if levels.len() >= MOST_LEVELS {
        return refuse(format!("{title} are too many"));
    }
    let key = |it: &Level| (it.access_level, it.user_id, it.group_id);
    if levels.iter().any(|other| key(other) == key(&level)) {
        let what = match (level.user_id, level.group_id) {
            (Some(_), _) => "user",
            (_, Some(_)) => "group",
            _ => "access level",
        };
        return refuse(format!("{title} {what} has already been taken"));
    }
    levels.push(level);
    Ok(())
}

/// A parameter of an item with a value that there is not.
fn unknown<T>(deed: Deed, field: &str) -> Result<T> {
    let list = match deed {
        Deed::Deploy => "deploy_access_levels",
        Deed::Approve => "approval_rules",
    };
    Err(Error::Parameters(vec![format!("{list}[{field}] does not have a valid value")]))
}

/// The level that is asked for, of somebody who may have it. What an item does not say
/// stays as it was before.
fn level(
    tx: &mut Tx<'_>, holder: &Holder, deed: Deed, item: &EnvironmentLevelInput,
    before: Option<&Level>,
) -> Result<Level> {
    let inheritance = item.group_inheritance_type.or(before.map(|it| it.group_inheritance_type));
    let inheritance = inheritance.unwrap_or(DIRECT);
    if ![DIRECT, INHERITED].contains(&inheritance) {
        return unknown(deed, "group_inheritance_type");
    }
    let named = (item.user_id, item.group_id, item.access_level);
    let named = match (named, before) {
        ((None, None, None), Some(old)) => (old.user_id, old.group_id, old.access_level),
        _ => named,
    };
    check_principal(tx, holder, deed, named)?;
    let (user_id, group_id, access_level) = named;
    Ok(Level {
        id: before.map_or(0, |it| it.id),
        protected_environment_id: before.map_or(0, |it| it.protected_environment_id),
        purpose: deed,
        access_level,
        user_id,
        group_id,
        group_inheritance_type: inheritance,
        required_approvals: required_approvals(deed, item, before)?,
    })
}

fn required_approvals(
    deed: Deed, item: &EnvironmentLevelInput, before: Option<&Level>,
) -> Result<i64> {
    if deed == Deed::Deploy {
        return Ok(0);
    }
    let asked = item.required_approvals.or(before.map(|it| it.required_approvals));
    match asked.unwrap_or(1) {
        count @ 1..=MOST_APPROVALS => Ok(count),
        _ => refuse("Approval rules required approvals must be between 1 and 100"),
    }
}

/// User, group and role, of which one is to be named.
type Principal = (Option<i64>, Option<i64>, Option<i64>);

fn check_principal(tx: &mut Tx<'_>, holder: &Holder, deed: Deed, named: Principal) -> Result<()> {
    let title = title(deed);
    match named {
        (None, None, None) => refuse(format!("{title} access level can't be blank")),
        (None, None, Some(role)) if ROLES.contains(&role) => Ok(()),
        (None, None, Some(_)) => unknown(deed, "access_level"),
        (Some(id), None, None) => match is_member(tx, holder, id)? {
            true => Ok(()),
            false => refuse(format!("{title} user is not a member who may be named")),
        },
        (None, Some(id), None) => match belongs(tx, holder, id)? {
            true => Ok(()),
            false => refuse(format!("{title} group is not one that may be named")),
        },
        _ => refuse(format!("{title} must be of one role, user or group")),
    }
}

/// Whether a user is there with the role that being named takes.
fn is_member(tx: &mut Tx<'_>, holder: &Holder, user_id: i64) -> Result<bool> {
    Ok(match holder {
        Holder::Project(project) => access::role_in_project(tx, user_id, project)? >= DEVELOPER,
        Holder::Group(group) => access::role_in_group(tx, user_id, group)? >= MAINTAINER,
    })
}

/// Whether a project is in a group or shared with it, or a group is above or shared with it.
fn belongs(tx: &mut Tx<'_>, holder: &Holder, group_id: i64) -> Result<bool> {
    match holder {
        Holder::Project(project) => {
            let above = project.ancestors();
            Ok(above.contains(&group_id) || is_shared_with(tx, project.id, &above, group_id)?)
        }
        Holder::Group(group) => {
            let found = access::find_group(tx, &Reference::Id(group_id))?;
            let is_below =
                found.is_some_and(|one| one.id != group.id && one.ids().contains(&group.id));
            // No project has the id 0.
            Ok(is_below || is_shared_with(tx, 0, &group.ids(), group_id)?)
        }
    }
}
