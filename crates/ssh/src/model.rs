//! Keys and what they open.

use ::store::FromRow;
use kernel::time::Timestamp;

kernel::choices! {
    /// What a key is for.
    pub enum UsageType {
        AuthAndSigning = "auth_and_signing",
        Auth = "auth",
        Signing = "signing",
    }
}

/// Longest title of a key, in characters.
pub const MAX_TITLE: usize = 255;
/// Most keys of a user, and of a project.
pub const MOST: i64 = 200;

/// A public key: of a user, or a deploy key.
#[derive(Debug, Clone, FromRow)]
#[columns("ssh_keys")]
pub struct SshKey {
    pub id: i64,
    /// Nobody's if it is a deploy key.
    pub user_id: Option<i64>,
    pub created_by_id: Option<i64>,
    /// A deploy key that every project may take.
    pub is_public: bool,
    pub title: String,
    /// Type and base64.
    pub key: String,
    pub comment: String,
    /// MD5.
    pub fingerprint: String,
    pub fingerprint_sha256: String,
    pub usage_type: UsageType,
    pub expires_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

impl SshKey {
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    /// Whether it lets anybody in.
    pub fn opens(&self) -> bool {
        self.usage_type != UsageType::Signing
    }

    /// The whole line, with its own comment.
    pub fn line(&self) -> String {
        self.line_with(&self.comment)
    }

    /// The whole line, with this comment.
    pub fn line_with(&self, comment: &str) -> String {
        format!("{} {comment}", self.key).trim_end().to_owned()
    }
}

/// A project that a deploy key opens.
#[derive(Debug, Clone, FromRow)]
#[columns("deploy_key_projects")]
pub struct KeyProject {
    pub id: i64,
    pub key_id: i64,
    pub project_id: i64,
    pub can_push: bool,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}
