//! Protects branches and tags, and ends it.

use super::model::{
    Deed, Level, MAX_LEVELS, MAX_NAME, MAX_RULES, NO_ONE, ProtectedRef, RefKind, Standing,
    groups_named,
};
use super::store as rows;
use crate::hooks;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use serde_json::json;
use spaces::Holder;
use spaces::access::{self, ADMINISTRATOR, DEVELOPER, MAINTAINER};
use spaces::branch_protection::ROLES;
use spaces::model::Project;

kernel::params! {
    /// Who may do something: one of a role, a user, a group and a deploy key.
    pub struct LevelInput {
        /// The level that is meant; a new one without it.
        pub id: Option<i64>,
        /// 0 for nobody, 30 for Developers, 40 for Maintainers, 60 for administrators.
        pub access_level: Option<i64>,
        /// A member.
        pub user_id: Option<i64>,
        /// A group that the project is in or shared with.
        pub group_id: Option<i64>,
        /// A key of the project that may push.
        pub deploy_key_id: Option<i64>,
        /// Takes the level away.
        pub destroy as "_destroy": Option<bool>,
    }
}

/// What is asked of who may do one thing.
#[derive(Debug, Clone)]
pub struct Wish {
    pub deed: Deed,
    pub role: Option<i64>,
    pub items: Option<Vec<LevelInput>>,
}

/// What may be set of a rule.
#[derive(Debug, Clone, Default)]
pub struct RuleInput {
    pub allow_force_push: Option<bool>,
    pub code_owner_approval_required: Option<bool>,
    pub wishes: Vec<Wish>,
}

/// All rules that show there, those of the group above among them.
pub fn all(tx: &mut Tx<'_>, holder: &Holder) -> Result<Vec<ProtectedRef>> {
    match holder {
        Holder::Project(project) => {
            rows::of_project(tx, project.id, project.ancestors().first().copied())
        }
        Holder::Group(group) => rows::of_group(tx, group.id),
    }
}

/// A rule of its own.
fn own(tx: &mut Tx<'_>, holder: &Holder, kind: RefKind, name: &str) -> Result<ProtectedRef> {
    let of = holder.id().columns();
    let is_own = |rule: &ProtectedRef| (rule.project_id, rule.group_id) == of;
    let found = all(tx, holder)?
        .into_iter()
        .find(|rule| rule.kind == kind && rule.name == name && is_own(rule));
    found.found("")
}

/// Refuses in sentences.
fn refused(sentences: &[String]) -> Error {
    Error::Exact(422, json!({"message": sentences}))
}

fn refuse<T>(sentence: &str) -> Result<T> {
    Err(refused(&[sentence.to_owned()]))
}

/// Protects what has this name, or names like it.
pub fn create(
    tx: &mut Tx<'_>, viewer: &Viewer, holder: &Holder, kind: RefKind, name: &str, input: &RuleInput,
) -> Result<ProtectedRef> {
    check_name(name)?;
    if let Holder::Group(group) = holder
        && group.parent_id.is_some()
    {
        return refuse("Group cannot be associated with a subgroup");
    }
    if rows::count(tx, holder.id())? >= MAX_RULES {
        return refuse("There are too many protected branches and tags");
    }
    let mut rule = ProtectedRef {
        id: 0,
        kind,
        project_id: None,
        group_id: None,
        name: name.to_owned(),
        allow_force_push: input.allow_force_push.unwrap_or(false),
        code_owner_approval_required: input.code_owner_approval_required.unwrap_or(false),
    };
    let exists = || Error::Conflict(format!("Protected {kind} '{name}' already exists"));
    rule.id = rows::insert(tx, holder.id(), kind, &rule)?.ok_or_else(exists)?;
    for wish in &input.wishes {
        let levels = first_levels(tx, holder, wish)?;
        for level in &levels {
            rows::insert_level(tx, rule.id, level)?;
        }
    }
    record(tx, viewer, holder, "protected_ref.create", &rule)?;
    own(tx, holder, kind, name)
}

fn check_name(name: &str) -> Result<()> {
    let length = name.chars().count();
    match name.trim().is_empty() || length > MAX_NAME || name.contains('\0') {
        true => refuse("Name is invalid"),
        false => Ok(()),
    }
}

/// The levels of a new rule: Maintainers, unless others are named.
fn first_levels(tx: &mut Tx<'_>, holder: &Holder, wish: &Wish) -> Result<Vec<Level>> {
    let items = wish.items.as_deref().unwrap_or_default();
    let mut levels = Vec::new();
    for item in items {
        let level = level(tx, holder, wish.deed, item)?;
        add(&mut levels, level)?;
    }
    let role = match (wish.role, items.is_empty()) {
        (None, true) => Some(MAINTAINER),
        (role, _) => role,
    };
    if let Some(role) = role {
        let level = Level::of_role(wish.deed, role);
        check_role(&level)?;
        if !levels.iter().any(|other| is_same(other, &level)) {
            levels.push(level);
        }
    }
    Ok(levels)
}

/// Changes a rule that the viewer may end.
pub fn update(
    tx: &mut Tx<'_>, viewer: &Viewer, holder: &Holder, kind: RefKind, name: &str, input: &RuleInput,
) -> Result<ProtectedRef> {
    let mut rule = own(tx, holder, kind, name)?;
    check_unprotect(tx, viewer, holder, &rule)?;
    rule.allow_force_push = input.allow_force_push.unwrap_or(rule.allow_force_push);
    rule.code_owner_approval_required =
        input.code_owner_approval_required.unwrap_or(rule.code_owner_approval_required);
    rows::update(tx, &rule)?;
    let all = rows::levels(tx, std::slice::from_ref(&rule))?
        .remove(&rule.id)
        .unwrap_or_default();
    for wish in &input.wishes {
        let of_deed = all.iter().filter(|level| level.purpose == wish.deed).cloned().collect();
        change_levels(tx, holder, rule.id, wish, of_deed)?;
    }
    record(tx, viewer, holder, "protected_ref.update", &rule)?;
    Ok(rule)
}

/// Changes who may do one thing: without id is added, with id changed or taken away.
fn change_levels(
    tx: &mut Tx<'_>, holder: &Holder, rule: i64, wish: &Wish, mut levels: Vec<Level>,
) -> Result<()> {
    let unknown = || format!("{} levels id is not one of this rule", title(wish.deed));
    let (mut gone, mut changed, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for item in wish.items.iter().flatten() {
        let Some(id) = item.id else {
            added.push(level(tx, holder, wish.deed, item)?);
            continue;
        };
        let at = levels.iter().position(|level| level.id == id);
        let before = levels.remove(at.ok_or_else(|| refused(&[unknown()]))?);
        match item.destroy.unwrap_or(false) {
            true => gone.push(id),
            false => {
                let new = level(tx, holder, wish.deed, item)?;
                changed.push(Level { id, protected_ref_id: before.protected_ref_id, ..new });
            }
        }
    }
    for level in changed.iter().chain(&added) {
        add(&mut levels, level.clone())?;
    }
    if !gone.is_empty() {
        rows::delete_levels(tx, &gone)?;
    }
    for level in &changed {
        rows::update_level(tx, level)?;
    }
    added.iter().try_for_each(|level| rows::insert_level(tx, rule, level))
}

/// Ends a rule.
pub fn destroy(
    tx: &mut Tx<'_>, viewer: &Viewer, holder: &Holder, kind: RefKind, name: &str,
) -> Result<()> {
    let rule = own(tx, holder, kind, name)?;
    check_unprotect(tx, viewer, holder, &rule)?;
    rows::delete(tx, rule.id)?;
    record(tx, viewer, holder, "protected_ref.destroy", &rule)
}

/// Refuses who may not change or end a rule. Administrators always may.
fn check_unprotect(
    tx: &mut Tx<'_>, viewer: &Viewer, holder: &Holder, rule: &ProtectedRef,
) -> Result<()> {
    let Holder::Project(project) = holder else {
        return Ok(());
    };
    let levels = rows::levels(tx, std::slice::from_ref(rule))?;
    let role = access::level_in_project(tx, viewer, project)?;
    let user_id = viewer.user_id();
    let groups = match user_id {
        Some(user_id) => rows::groups_joined(tx, user_id, &groups_named(&levels))?,
        None => Vec::new(),
    };
    let who = Standing { user_id, role, groups, deploy_key_id: None };
    let asked = levels.get(&rule.id).into_iter().flatten();
    let mut asked = asked.filter(|level| level.purpose == Deed::Unprotect).peekable();
    let is_open = asked.peek().is_none();
    match role >= ADMINISTRATOR || is_open || asked.any(|level| level.lets(&who)) {
        true => Ok(()),
        false => Err(Error::forbidden("")),
    }
}

fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, holder: &Holder, action: &'static str, rule: &ProtectedRef,
) -> Result<()> {
    let details = json!({
        "kind": rule.kind,
        "name": rule.name,
        "allow_force_push": rule.allow_force_push,
    });
    audit::record(tx, viewer, action, holder.target(), details)
}

/// `Push access`, as sentences begin.
fn title(deed: Deed) -> &'static str {
    match deed {
        Deed::Push => "Push access",
        Deed::Merge => "Merge access",
        Deed::Unprotect => "Unprotect access",
        Deed::Create => "Create access",
    }
}

fn check_role(level: &Level) -> Result<()> {
    let role = level.access_level.unwrap_or(NO_ONE);
    let is_good = ROLES.contains(&role) && (role != NO_ONE || level.purpose != Deed::Unprotect);
    match is_good {
        true => Ok(()),
        false => {
            let title = title(level.purpose);
            refuse(&format!("{title} levels access level is not included in the list"))
        }
    }
}

fn is_same(one: &Level, other: &Level) -> bool {
    let key = |it: &Level| (it.purpose, it.access_level, it.user_id, it.group_id, it.deploy_key_id);
    key(one) == key(other)
}

/// Adds a level to others of its rule, unless they have it.
fn add(levels: &mut Vec<Level>, level: Level) -> Result<()> {
    let title = title(level.purpose);
    if levels.len() >= MAX_LEVELS {
        return refuse(&format!("{title} levels are too many"));
    }
    if levels.iter().any(|other| is_same(other, &level)) {
        let what = match (level.user_id, level.group_id, level.deploy_key_id) {
            (Some(_), ..) => "user",
            (_, Some(_), _) => "group",
            (_, _, Some(_)) => "deploy key",
            _ => "access level",
        };
        return refuse(&format!("{title} levels {what} has already been taken"));
    }
    levels.push(level);
    Ok(())
}

/// The level that is asked for, of somebody who may have it.
fn level(tx: &mut Tx<'_>, holder: &Holder, deed: Deed, item: &LevelInput) -> Result<Level> {
    let title = title(deed);
    let named = (item.user_id, item.group_id, item.deploy_key_id, item.access_level);
    let bare = Level { access_level: None, ..Level::of_role(deed, NO_ONE) };
    let made = match (named, holder) {
        ((None, None, None, Some(role)), _) => {
            let level = Level::of_role(deed, role);
            check_role(&level)?;
            return Ok(level);
        }
        ((Some(id), None, None, _), Holder::Project(project)) => {
            let pushes = access::role_in_project(tx, id, project)? >= DEVELOPER;
            pushes
                .then_some(Level { user_id: Some(id), ..bare })
                .ok_or("user is not a member who may push")
        }
        ((None, Some(id), None, _), Holder::Project(project)) => {
            let invited = is_invited(tx, id, project)?;
            invited
                .then_some(Level { group_id: Some(id), ..bare })
                .ok_or("group is not one of the project")
        }
        ((None, None, Some(id), _), Holder::Project(project)) if deed != Deed::Merge => {
            let pushes = hooks::may_deploy_key_push(tx, project.id, id)?;
            pushes
                .then_some(Level { deploy_key_id: Some(id), ..bare })
                .ok_or("deploy key is not one of the project that may push")
        }
        ((None, None, None, None), _) => Err("access level can't be blank"),
        _ => Err("must be of one role, user, group or deploy key"),
    };
    made.or_else(|what| refuse(&format!("{title} levels {what}")))
}

/// Whether a project is in a group, or shared with it.
fn is_invited(tx: &mut Tx<'_>, group_id: i64, project: &Project) -> Result<bool> {
    let above = project.ancestors();
    Ok(above.contains(&group_id) || rows::is_shared_with(tx, project.id, &above, group_id)?)
}
