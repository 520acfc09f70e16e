//! Protected environments as JSON.

use super::model::{Deed, Level, Rule, role_text};
use ::store::{Fragment, Tx};
use identity::entities::load_basic;
use kernel::error::Result;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashMap;

/// Who deploys.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DeployAccessLevel {
    pub id: i64,
    pub access_level: Option<i64>,
    pub access_level_description: String,
    pub user_id: Option<i64>,
    pub group_id: Option<i64>,
    /// 0: members of the group itself, 1: those of groups above it, too.
    pub group_inheritance_type: i64,
}

/// Who has to approve.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ApprovalRule {
    pub id: i64,
    pub user_id: Option<i64>,
    pub group_id: Option<i64>,
    pub access_level: Option<i64>,
    pub access_level_description: String,
    pub required_approvals: i64,
    pub group_inheritance_type: i64,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ProtectedEnvironment")]
pub struct ProtectedEnvironmentEntity {
    pub name: String,
    pub deploy_access_levels: Vec<DeployAccessLevel>,
    pub required_approval_count: i64,
    pub approval_rules: Vec<ApprovalRule>,
}

/// What people read of levels: the names of users and groups.
#[derive(Debug, Default)]
pub struct Names {
    users: HashMap<i64, String>,
    groups: HashMap<i64, String>,
}

impl Names {
    /// Reads them in as many statements for any number of levels.
    pub fn read<'l>(
        tx: &mut Tx<'_>, levels: impl Iterator<Item = &'l Level> + Clone,
    ) -> Result<Names> {
        let users: Vec<i64> = levels.clone().filter_map(|level| level.user_id).collect();
        let groups: Vec<i64> = levels.filter_map(|level| level.group_id).collect();
        let users = match users.is_empty() {
            true => HashMap::new(),
            false => load_basic(tx, &users)?,
        };
        let groups: Vec<(i64, String)> = match groups.is_empty() {
            true => Vec::new(),
            false => {
                let mut names = Fragment::new("select id, name from namespaces where");
                names.in_list("id", groups);
                tx.query(names)?
            }
        };
        Ok(Names {
            users: users.into_iter().map(|(id, user)| (id, user.name)).collect(),
            groups: groups.into_iter().collect(),
        })
    }

    pub fn of(&self, level: &Level) -> String {
        let user = level.user_id.and_then(|id| self.users.get(&id));
        let group = level.group_id.and_then(|id| self.groups.get(&id));
        let role = || role_text(level.access_level.unwrap_or_default()).to_owned();
        user.or(group).cloned().unwrap_or_else(role)
    }

    fn deploys(&self, level: &Level) -> DeployAccessLevel {
        DeployAccessLevel {
            id: level.id,
            access_level: level.access_level,
            access_level_description: self.of(level),
            user_id: level.user_id,
            group_id: level.group_id,
            group_inheritance_type: level.group_inheritance_type,
        }
    }

    fn approves(&self, level: &Level) -> ApprovalRule {
        ApprovalRule {
            id: level.id,
            user_id: level.user_id,
            group_id: level.group_id,
            access_level: level.access_level,
            access_level_description: self.of(level),
            required_approvals: level.required_approvals,
            group_inheritance_type: level.group_inheritance_type,
        }
    }
}

pub fn entities(tx: &mut Tx<'_>, rules: Vec<Rule>) -> Result<Vec<ProtectedEnvironmentEntity>> {
    let names = Names::read(tx, rules.iter().flat_map(|rule| &rule.levels))?;
    let entity = |rule: Rule| ProtectedEnvironmentEntity {
        deploy_access_levels: rule.of(Deed::Deploy).map(|level| names.deploys(level)).collect(),
        required_approval_count: rule.protected.required_approval_count,
        approval_rules: rule.of(Deed::Approve).map(|level| names.approves(level)).collect(),
        name: rule.protected.name,
    };
    Ok(rules.into_iter().map(entity).collect())
}
