//! What is known here of the keys and addresses that signatures and commits name.

use super::{GpgKeyUsed, Read};
use crate::formats::Signature;
use crate::formats::openpgp::PgpSignature;
use crate::model::{GpgKey, KeyAddress, KeyPart};
use crate::store as rows;
use ::store::Tx;
use identity::entities::load_basic;
use identity::model::User;
use identity::users;
use kernel::error::Result;
use kernel::ids::fold;
use repositories::store::signing_keys;
use ssh::model::{SshKey, UsageType};
use std::collections::HashMap;

/// Keys, whose they are, and who confirmed which address.
#[derive(Debug, Default)]
pub(super) struct Known {
    parts: Vec<KeyPart>,
    gpg_keys: Vec<GpgKey>,
    addresses: Vec<KeyAddress>,
    ssh_keys: Vec<SshKey>,
    /// The SHA256s of keys of this instance.
    own_keys: Vec<String>,
    users: HashMap<i64, User>,
    /// By the folded address.
    owners: HashMap<String, i64>,
}

impl Known {
    pub fn find<'r>(tx: &mut Tx<'_>, all: impl Iterator<Item = &'r Read>) -> Result<Known> {
        let (mut keyids, mut fingerprints, mut emails) = (Vec::new(), Vec::new(), Vec::new());
        for Read { subject, signature, .. } in all {
            match signature {
                Signature::Pgp(one) => keyids.extend_from_slice(&one.issuers),
                Signature::Ssh(one) => fingerprints.push(one.fingerprint.clone()),
                Signature::Other(_) | Signature::Several(_) => {}
            }
            emails.push(fold(&subject.committer));
            emails.extend(subject.author.as_deref().map(fold));
        }
        let mut known = Known::default();
        if !keyids.is_empty() {
            known.parts = rows::parts_named(tx, &keyids)?;
            let ids: Vec<i64> = known.parts.iter().map(|part| part.gpg_key_id).collect();
            known.gpg_keys = rows::some(tx, &ids)?;
            known.addresses = rows::addresses(tx, &ids)?;
            emails.extend(known.addresses.iter().map(|one| one.email_folded.clone()));
        }
        if !fingerprints.is_empty() {
            known.ssh_keys = ssh::store::keys::by_sha256s(tx, &fingerprints)?;
            known.own_keys = signing_keys::fingerprints(tx)?;
        }
        let of_ssh = known.ssh_keys.iter().filter_map(|key| key.user_id);
        let ids: Vec<i64> = known.gpg_keys.iter().map(|key| key.user_id).chain(of_ssh).collect();
        known.users = load_basic(tx, &ids)?;
        known.owners = users::confirmed_owners(tx, &emails)?;
        Ok(known)
    }

    /// The keys that could have made a signature, those in use first.
    pub fn candidates<'k>(
        &'k self, signature: &'k PgpSignature,
    ) -> impl Iterator<Item = (&'k GpgKey, &'k KeyPart)> {
        self.gpg_keys.iter().filter_map(move |key| {
            let is_named = |part: &&KeyPart| {
                part.gpg_key_id == key.id && signature.issuers.contains(&part.keyid)
            };
            Some((key, self.parts.iter().find(is_named)?))
        })
    }

    /// A user's key that signs, by its SHA256.
    pub fn ssh_key(&self, fingerprint: &str) -> Option<&SshKey> {
        self.ssh_keys.iter().find(|key| {
            key.fingerprint_sha256 == fingerprint
                && key.usage_type != UsageType::Auth
                && key.user_id.is_some()
        })
    }

    /// This instance signed with the key.
    pub fn is_own(&self, fingerprint: &str) -> bool {
        self.own_keys.iter().any(|own| own == fingerprint)
    }

    /// Both addresses are of one person.
    pub fn is_one(&self, email: &str, other: &str) -> bool {
        let (email, other) = (fold(email), fold(other));
        let owner = self.owners.get(&email);
        email == other || owner.is_some() && owner == self.owners.get(&other)
    }

    pub fn user(&self, id: i64) -> Option<&User> {
        self.users.get(&id)
    }

    /// This user confirmed an address to be theirs.
    pub fn is_of(&self, user: i64, email: &str) -> bool {
        self.owners.get(&fold(email)) == Some(&user)
    }

    /// Whom a key names.
    pub fn addresses_of(&self, key: i64) -> impl Iterator<Item = &KeyAddress> {
        self.addresses.iter().filter(move |one| one.gpg_key_id == key)
    }

    pub fn used(&self, key: &GpgKey, part: &KeyPart) -> GpgKeyUsed {
        let confirmed = self.addresses_of(key.id).find(|one| self.is_of(key.user_id, &one.email));
        GpgKeyUsed {
            key: key.clone(),
            part: part.clone(),
            named: confirmed.or_else(|| self.addresses_of(key.id).next()).cloned(),
        }
    }
}
