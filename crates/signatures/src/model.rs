//! GPG keys, and what is said of signatures.

use ::store::FromRow;
use kernel::time::Timestamp;

/// Most GPG keys of a user.
pub const MOST: usize = 50;

kernel::choices! {
    /// What a signature is worth.
    pub enum VerificationStatus {
        Unverified = "unverified",
        Verified = "verified",
        SameUserDifferentEmail = "same_user_different_email",
        OtherUser = "other_user",
        UnverifiedKey = "unverified_key",
        UnknownKey = "unknown_key",
        MultipleSignatures = "multiple_signatures",
        RevokedKey = "revoked_key",
        VerifiedSystem = "verified_system",
        UnverifiedAuthorEmail = "unverified_author_email",
        ExpiredKey = "expired_key",
        VerifiedCa = "verified_ca",
    }
}

kernel::choices! {
    /// By what a commit or tag was signed.
    pub enum SignatureType {
        Pgp = "PGP",
        X509 = "X509",
        Ssh = "SSH",
    }
}

impl VerificationStatus {
    /// The signature proves that it is of whom it names.
    pub fn is_verified(self) -> bool {
        matches!(
            self,
            VerificationStatus::Verified
                | VerificationStatus::VerifiedSystem
                | VerificationStatus::VerifiedCa
        )
    }

    /// What it means, as a sentence for people.
    pub fn sentence(self) -> &'static str {
        match self {
            VerificationStatus::Verified => {
                "It was signed by who committed it, with a verified key."
            }
            VerificationStatus::VerifiedSystem => "It was made here and signed by this server.",
            VerificationStatus::VerifiedCa => "It was signed with a certificate that is trusted.",
            VerificationStatus::SameUserDifferentEmail => {
                "The key is of who committed it, and does not name the address they used."
            }
            VerificationStatus::OtherUser => "The key is of somebody other than who committed it.",
            VerificationStatus::UnverifiedKey => {
                "The key names no address that its owner has confirmed."
            }
            VerificationStatus::UnknownKey => "The key it was signed with is of nobody here.",
            VerificationStatus::MultipleSignatures => "It carries more than one signature.",
            VerificationStatus::RevokedKey => "The key it was signed with is revoked.",
            VerificationStatus::UnverifiedAuthorEmail => {
                "It was signed by who committed it, and its author's address is not theirs."
            }
            VerificationStatus::ExpiredKey => "The key had expired when it was signed.",
            VerificationStatus::Unverified => "The signature could not be verified.",
        }
    }
}

/// A GPG key of a user.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("gpg_keys")]
pub struct GpgKey {
    pub id: i64,
    pub user_id: i64,
    /// As it was pasted.
    pub key: String,
    /// Of its primary key, in capital hexadecimal digits, as all of them.
    pub fingerprint: String,
    /// Its owner says so; nobody's list has it any more.
    pub revoked_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

/// The primary key or a subkey of a GPG key.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("gpg_key_parts")]
pub struct KeyPart {
    pub id: i64,
    pub gpg_key_id: i64,
    /// The end of its fingerprint, which signatures name it by.
    pub keyid: String,
    pub is_primary: bool,
}

/// Whom a GPG key names.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("gpg_key_addresses")]
pub struct KeyAddress {
    pub id: i64,
    pub gpg_key_id: i64,
    pub name: String,
    pub email: String,
    pub email_folded: String,
}
