//! Protected branches and tags as JSON.

use super::model::{Deed, Level, ProtectedRef, role_text};
use super::store as rows;
use ::store::{Fragment, Tx};
use identity::entities::load_basic;
use kernel::error::Result;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::MAINTAINER;
use std::collections::HashMap;

/// Who may do something.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "RefAccessLevelEntity")]
pub struct LevelEntity {
    pub id: i64,
    pub access_level: Option<i64>,
    pub access_level_description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deploy_key_id: Option<i64>,
    pub user_id: Option<i64>,
    pub group_id: Option<i64>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ProtectedBranchEntity {
    pub id: i64,
    pub name: String,
    pub push_access_levels: Vec<LevelEntity>,
    pub merge_access_levels: Vec<LevelEntity>,
    pub allow_force_push: bool,
    pub unprotect_access_levels: Vec<LevelEntity>,
    pub code_owner_approval_required: bool,
    /// It is of a group.
    pub inherited: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ProtectedTagEntity {
    pub name: String,
    pub create_access_levels: Vec<LevelEntity>,
}

/// What the levels of some rules are, with the names of users and groups.
struct Shown {
    levels: HashMap<i64, Vec<Level>>,
    users: HashMap<i64, String>,
    groups: HashMap<i64, String>,
}

impl Shown {
    /// Reads it in as many statements for any number of rules.
    fn read(tx: &mut Tx<'_>, rules: &[ProtectedRef]) -> Result<Shown> {
        let levels = rows::levels(tx, rules)?;
        let named = |id: fn(&Level) -> Option<i64>| -> Vec<i64> {
            levels.values().flatten().filter_map(id).collect()
        };
        let (users, groups) = (named(|it| it.user_id), named(|it| it.group_id));
        let users = match users.is_empty() {
            true => HashMap::new(),
            false => load_basic(tx, &users)?,
        };
        let mut names =
            Fragment::new("select namespaces.id, namespaces.name from namespaces where ");
        names.in_list("namespaces.id", groups.clone());
        let groups: Vec<(i64, String)> = match groups.is_empty() {
            true => Vec::new(),
            false => tx.query(names)?,
        };
        Ok(Shown {
            levels,
            users: users.into_iter().map(|(id, user)| (id, user.name)).collect(),
            groups: groups.into_iter().collect(),
        })
    }

    fn of(&self, rule: i64, deed: Deed) -> Vec<LevelEntity> {
        let levels = self.levels.get(&rule).into_iter().flatten();
        levels
            .filter(|level| level.purpose == deed)
            .map(|level| self.level(level))
            .collect()
    }

    fn level(&self, level: &Level) -> LevelEntity {
        let user = level.user_id.and_then(|id| self.users.get(&id));
        let group = level.group_id.and_then(|id| self.groups.get(&id));
        let role = || role_text(level.access_level.unwrap_or_default()).to_owned();
        let key = level.deploy_key_id.map(|_| "Deploy key".to_owned());
        LevelEntity {
            id: level.id,
            access_level: level.access_level.or(level.deploy_key_id.map(|_| MAINTAINER)),
            access_level_description: user.or(group).cloned().or(key).unwrap_or_else(role),
            deploy_key_id: level.deploy_key_id,
            user_id: level.user_id,
            group_id: level.group_id,
        }
    }
}

pub fn branches(tx: &mut Tx<'_>, rules: Vec<ProtectedRef>) -> Result<Vec<ProtectedBranchEntity>> {
    let shown = Shown::read(tx, &rules)?;
    let entity = |rule: ProtectedRef| ProtectedBranchEntity {
        id: rule.id,
        push_access_levels: shown.of(rule.id, Deed::Push),
        merge_access_levels: shown.of(rule.id, Deed::Merge),
        allow_force_push: rule.allow_force_push,
        unprotect_access_levels: shown.of(rule.id, Deed::Unprotect),
        code_owner_approval_required: rule.code_owner_approval_required,
        inherited: rule.group_id.is_some(),
        name: rule.name,
    };
    Ok(rules.into_iter().map(entity).collect())
}

pub fn tags(tx: &mut Tx<'_>, rules: Vec<ProtectedRef>) -> Result<Vec<ProtectedTagEntity>> {
    let shown = Shown::read(tx, &rules)?;
    let entity = |rule: ProtectedRef| ProtectedTagEntity {
        create_access_levels: shown.of(rule.id, Deed::Create),
        name: rule.name,
    };
    Ok(rules.into_iter().map(entity).collect())
}
