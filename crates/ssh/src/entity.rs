//! Keys as JSON, keys of the object in wire order (docs/interface/repositories.md 11).

use crate::model::{KeyProject, SshKey, UsageType};
use crate::store::deploy::{DeployKey, Opened};
use identity::entities::{UserBasic, basic};
use identity::model::User;
use kernel::app::App;
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;

/// A public key.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SshKeyEntity {
    pub id: i64,
    pub title: String,
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    #[serde(serialize_with = "wire::optional::serialize")]
    #[schemars(with = "Option<String>")]
    pub expires_at: Option<Timestamp>,
    /// The whole line. The comment of a user's key says whose it is, lest it show an
    /// address.
    pub key: String,
    pub usage_type: UsageType,
    #[serde(serialize_with = "wire::optional::serialize")]
    #[schemars(with = "Option<String>")]
    pub last_used_at: Option<Timestamp>,
}

impl SshKeyEntity {
    /// A key with this line.
    fn with(key: &SshKey, line: String) -> SshKeyEntity {
        SshKeyEntity {
            id: key.id,
            title: key.title.clone(),
            created_at: key.created_at,
            expires_at: key.expires_at,
            key: line,
            usage_type: key.usage_type,
            last_used_at: key.last_used_at,
        }
    }

    /// A key of a user.
    pub fn of(app: &App, user: &User, key: &SshKey) -> SshKeyEntity {
        let comment = format!("{} ({})", user.name, app.host());
        SshKeyEntity::with(key, key.line_with(&comment))
    }
}

/// A deploy key.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DeployKeyEntity {
    #[serde(flatten)]
    pub key: SshKeyEntity,
    pub fingerprint: String,
    pub fingerprint_sha256: String,
    /// Whether it may push to the project that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub can_push: Option<bool>,
    /// For administrators: the projects that it opens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects_with_write_access: Option<Vec<OpenedEntity>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projects_with_readonly_access: Option<Vec<OpenedEntity>>,
}

impl DeployKeyEntity {
    fn bare(key: &SshKey) -> DeployKeyEntity {
        DeployKeyEntity {
            key: SshKeyEntity::with(key, key.line()),
            fingerprint: key.fingerprint.clone(),
            fingerprint_sha256: format!("SHA256:{}", key.fingerprint_sha256),
            can_push: None,
            projects_with_write_access: None,
            projects_with_readonly_access: None,
        }
    }

    /// As a project has it.
    pub fn of(key: &DeployKey) -> DeployKeyEntity {
        DeployKeyEntity {
            can_push: Some(key.can_push),
            ..DeployKeyEntity::bare(&key.key)
        }
    }

    /// As administrators see it, with those of these projects that it opens.
    pub fn with_projects(key: &SshKey, opened: &[Opened]) -> DeployKeyEntity {
        let of = |writes: bool| {
            let mine = |one: &&Opened| one.key_id == key.id && one.can_push == writes;
            Some(opened.iter().filter(mine).map(OpenedEntity::of).collect())
        };
        DeployKeyEntity {
            projects_with_write_access: of(true),
            projects_with_readonly_access: of(false),
            ..DeployKeyEntity::bare(key)
        }
    }
}

/// A project that a deploy key opens.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct OpenedEntity {
    pub id: i64,
    pub description: Option<String>,
    pub name: String,
    pub name_with_namespace: String,
    pub path: String,
    pub path_with_namespace: String,
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
}

impl OpenedEntity {
    fn of(one: &Opened) -> OpenedEntity {
        OpenedEntity {
            id: one.id,
            description: one.description.clone(),
            name: one.name.clone(),
            name_with_namespace: format!("{} / {}", one.namespace_name, one.name),
            path: one.path.clone(),
            path_with_namespace: one.full_path.clone(),
            created_at: one.created_at,
        }
    }
}

/// A key of anybody, for administrators.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct AnyKeyEntity {
    #[serde(flatten)]
    pub key: SshKeyEntity,
    /// Whose it is; for a deploy key, who made it.
    pub user: Option<UserBasic>,
    /// Of a deploy key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deploy_keys_projects: Option<Vec<KeyProjectEntity>>,
}

impl AnyKeyEntity {
    /// A key, its user or maker, and the projects of a deploy key.
    pub fn of(
        app: &App, key: &SshKey, user: Option<&User>, projects: &[KeyProject],
    ) -> AnyKeyEntity {
        let is_deploy_key = key.user_id.is_none();
        let shown = match user.filter(|_| !is_deploy_key) {
            Some(user) => SshKeyEntity::of(app, user, key),
            None => SshKeyEntity::with(key, key.line()),
        };
        AnyKeyEntity {
            key: shown,
            user: user.map(|user| basic(app, user)),
            deploy_keys_projects: is_deploy_key
                .then(|| projects.iter().map(KeyProjectEntity::of).collect()),
        }
    }
}

/// That a deploy key opens a project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct KeyProjectEntity {
    pub id: i64,
    pub deploy_key_id: i64,
    pub project_id: i64,
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub updated_at: Timestamp,
    pub can_push: bool,
}

impl KeyProjectEntity {
    fn of(one: &KeyProject) -> KeyProjectEntity {
        KeyProjectEntity {
            id: one.id,
            deploy_key_id: one.key_id,
            project_id: one.project_id,
            created_at: one.created_at,
            updated_at: one.updated_at,
            can_push: one.can_push,
        }
    }
}
