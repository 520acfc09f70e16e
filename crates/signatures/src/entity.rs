//! GPG keys and signatures as JSON, keys of the object in wire order
//! (docs/interface/repositories.md 14).

use crate::checking::{KeyUsed, Verified};
use crate::model::{GpgKey, SignatureType, VerificationStatus};
use kernel::app::App;
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;
use ssh::entity::SshKeyEntity;

/// From where signatures of commits are read.
const SOURCE: &str = "git";

/// A GPG key.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GpgKeyEntity {
    pub id: i64,
    /// The block as it was added.
    pub key: String,
    #[serde(serialize_with = "wire::serialize")]
    #[schemars(with = "String")]
    pub created_at: Timestamp,
}

impl GpgKeyEntity {
    pub fn of(key: &GpgKey) -> GpgKeyEntity {
        GpgKeyEntity { id: key.id, key: key.key.clone(), created_at: key.created_at }
    }
}

/// Who signed a commit or tag, and what that is worth.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "CodeSignature")]
pub struct SignatureEntity {
    pub signature_type: SignatureType,
    pub verification_status: VerificationStatus,
    #[serde(flatten)]
    pub by: SignedBy,
    /// From where it was read; of commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_source: Option<&'static str>,
}

/// The key that made it, as far as it is known.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum SignedBy {
    Gpg {
        gpg_key_id: Option<i64>,
        gpg_key_primary_keyid: Option<String>,
        gpg_key_user_name: Option<String>,
        gpg_key_user_email: Option<String>,
        gpg_key_subkey_id: Option<i64>,
    },
    Ssh {
        key: Option<SshKeyEntity>,
    },
    Certificate {
        /// Certificates are not read.
        x509_certificate: Option<String>,
    },
}

impl SignatureEntity {
    /// The signature of a tag.
    pub fn of_tag(app: &App, verified: &Verified) -> SignatureEntity {
        SignatureEntity {
            signature_type: verified.kind,
            verification_status: verified.status,
            by: SignedBy::of(app, verified),
            commit_source: None,
        }
    }

    /// The signature of a commit.
    pub fn of_commit(app: &App, verified: &Verified) -> SignatureEntity {
        SignatureEntity {
            commit_source: Some(SOURCE),
            ..SignatureEntity::of_tag(app, verified)
        }
    }
}

impl SignedBy {
    fn of(app: &App, verified: &Verified) -> SignedBy {
        match (verified.kind, &verified.key) {
            (SignatureType::X509, _) => SignedBy::Certificate { x509_certificate: None },
            (SignatureType::Ssh, Some(KeyUsed::Ssh(key))) => SignedBy::Ssh {
                key: verified.user.as_ref().map(|user| SshKeyEntity::of(app, user, key)),
            },
            (SignatureType::Ssh, _) => SignedBy::Ssh { key: None },
            (SignatureType::Pgp, Some(KeyUsed::Gpg(used))) => SignedBy::Gpg {
                gpg_key_id: Some(used.key.id),
                gpg_key_primary_keyid: Some(used.primary_keyid()),
                gpg_key_user_name: used.named.as_ref().map(|one| one.name.clone()),
                gpg_key_user_email: used.named.as_ref().map(|one| one.email.clone()),
                gpg_key_subkey_id: (!used.part.is_primary).then_some(used.part.id),
            },
            (SignatureType::Pgp, _) => SignedBy::Gpg {
                gpg_key_id: None,
                gpg_key_primary_keyid: verified.keyid.clone(),
                gpg_key_user_name: None,
                gpg_key_user_email: None,
                gpg_key_subkey_id: None,
            },
        }
    }
}
