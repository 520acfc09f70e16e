//! GPG keys as people paste them: a primary key, whom it names, its subkeys, and what it
//! says of all of them by its own signatures. What others say of it is not looked at.

use super::Judged;
use super::openpgp::{PgpSignature, keyid};
use pgp::composed::{Deserializable, SignedPublicKey, SignedPublicSubKey};
use pgp::packet::{KeyFlags, RevocationCode, Signature, SignatureType};
use pgp::ser::Serialize;
use pgp::types::{KeyDetails, KeyVersion, SignedUser, Tag, VerifyingKey};

/// Longest text that is looked at, in bytes.
pub const MAX_TEXT: usize = 128 * 1024;
/// Subkeys and names that a key may have.
const MOST_PARTS: usize = 32;
/// Signatures of its own that are looked at for each of them.
const MOST_SIGNATURES: usize = 8;
/// How the block of a public key begins and ends: half of one is none.
const BEGINNING: &str = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
const ENDING: &str = "-----END PGP PUBLIC KEY BLOCK-----";

/// A GPG key.
#[derive(Debug, Clone)]
pub struct Certificate(SignedPublicKey);

/// The primary key or a subkey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub keyid: String,
    pub is_primary: bool,
}

/// Somebody whom a key names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub email: String,
}

/// How long a key may be used.
#[derive(Debug, Clone, Copy, Default)]
struct Life {
    /// Seconds since 1970.
    ends_at: Option<u64>,
    /// For all that it ever signed, or for what it signs from then on.
    revoked_from: Option<u32>,
}

impl Life {
    fn judge(self, made_at: u32) -> Judged {
        match self {
            Life { revoked_from: Some(from), .. } if made_at >= from => Judged::Revoked,
            Life { ends_at: Some(end), .. } if u64::from(made_at) >= end => Judged::Expired,
            _ => Judged::Good,
        }
    }
}

/// Reads the first key of a block; none if it is no public key that can be used here.
pub fn read(text: &str) -> Option<Certificate> {
    let text = text.trim();
    if text.len() > MAX_TEXT || !text.starts_with(BEGINNING) || !text.contains(ENDING) {
        return None;
    }
    let (key, _) = SignedPublicKey::from_string(text).ok()?;
    let is_known = matches!(key.primary_key.version(), KeyVersion::V4 | KeyVersion::V6);
    let is_bounded =
        key.public_subkeys.len() <= MOST_PARTS && key.details.users.len() <= MOST_PARTS;
    (is_known && is_bounded).then_some(Certificate(key))
}

impl Certificate {
    /// The fingerprint of its primary key in capital hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        hex::encode_upper(self.0.primary_key.fingerprint().as_bytes())
    }

    /// Its primary key and those of its subkeys that may sign.
    pub fn parts(&self) -> Vec<Part> {
        let primary = Part {
            keyid: keyid(&self.0.primary_key.legacy_key_id()),
            is_primary: true,
        };
        let subkeys = self.0.public_subkeys.iter().filter(|key| self.signs(key));
        let part = |key: &SignedPublicSubKey| Part {
            keyid: keyid(&key.key.legacy_key_id()),
            is_primary: false,
        };
        std::iter::once(primary).chain(subkeys.map(part)).collect()
    }

    /// Whom it names with an address and has not withdrawn.
    pub fn names(&self) -> Vec<Named> {
        let users = self.0.details.users.iter().filter(|user| self.certification(user).is_some());
        users.filter_map(|user| named(user.id.as_str()?)).collect()
    }

    /// What it says of a signature over these bytes.
    pub fn judge(&self, signature: &PgpSignature, payload: &[u8]) -> Judged {
        let Some(made_at) = signature.made_at().filter(|_| signature.is_sound()) else {
            return Judged::Bad;
        };
        let primary = &self.0.primary_key;
        if signature.packet.verify(primary, payload).is_ok() {
            return match self.newest().is_none_or(may_sign) {
                true => self.life().judge(made_at),
                false => Judged::Bad,
            };
        }
        let made = |key: &&SignedPublicSubKey| signature.packet.verify(&key.key, payload).is_ok();
        match self.0.public_subkeys.iter().find(made) {
            Some(subkey) => match self.life().judge(made_at) {
                Judged::Good => self.judge_subkey(subkey, made_at),
                judged => judged,
            },
            None => Judged::Bad,
        }
    }

    fn judge_subkey(&self, subkey: &SignedPublicSubKey, made_at: u32) -> Judged {
        let Some(binding) = self.binding(subkey).filter(|_| self.signs(subkey)) else {
            return Judged::Bad;
        };
        let revocations = self.own(&subkey.signatures).filter(|one| {
            one.typ() == Some(SignatureType::SubkeyRevocation)
                && one.verify_subkey_binding(&self.0.primary_key, &subkey.key).is_ok()
        });
        let life = Life {
            ends_at: end(&subkey.key, binding),
            revoked_from: revocations.map(revoked_from).min(),
        };
        life.judge(made_at)
    }

    /// How long the primary key may be used, and all of the certificate with it.
    fn life(&self) -> Life {
        let primary = &self.0.primary_key;
        let revocations = self.own(&self.0.details.revocation_signatures);
        let revocations = revocations.filter(|one| one.verify_key(primary).is_ok());
        Life {
            ends_at: self.newest().and_then(|own| end(primary, own)),
            revoked_from: revocations.map(revoked_from).min(),
        }
    }

    /// What the key said last of itself.
    fn newest(&self) -> Option<&Signature> {
        let primary = &self.0.primary_key;
        let direct = self.own(&self.0.details.direct_signatures);
        let direct = direct.filter(|one| one.verify_key(primary).is_ok());
        let names = self.0.details.users.iter().filter_map(|user| self.certification(user));
        newest(direct.chain(names))
    }

    /// What the key said last of somebody whom it names, unless it took that back.
    fn certification<'k>(&self, user: &'k SignedUser) -> Option<&'k Signature> {
        let primary = &self.0.primary_key;
        let own = self.own(&user.signatures);
        let last = newest(
            own.filter(|one| one.verify_certification(primary, Tag::UserId, &user.id).is_ok()),
        );
        last.filter(|one| one.typ() != Some(SignatureType::CertRevocation))
    }

    /// What the key said last of a subkey, but for its end.
    fn binding<'k>(&self, subkey: &'k SignedPublicSubKey) -> Option<&'k Signature> {
        let own = self.own(&subkey.signatures);
        newest(own.filter(|one| {
            one.typ() == Some(SignatureType::SubkeyBinding)
                && one.verify_subkey_binding(&self.0.primary_key, &subkey.key).is_ok()
        }))
    }

    /// A subkey may sign, and says itself that it belongs here.
    fn signs(&self, subkey: &SignedPublicSubKey) -> bool {
        let Some(binding) = self.binding(subkey) else {
            return false;
        };
        let is_own = binding.embedded_signature().is_some_and(|back| {
            back.verify_primary_key_binding(&subkey.key, &self.0.primary_key).is_ok()
        });
        may_sign(binding) && is_own
    }

    /// Those of some signatures that the primary key says to have made.
    fn own<'s>(&self, signatures: &'s [Signature]) -> impl Iterator<Item = &'s Signature> {
        let (id, fingerprint) =
            (self.0.primary_key.legacy_key_id(), self.0.primary_key.fingerprint());
        let is_own = move |one: &&Signature| {
            one.issuer_key_id().contains(&&id) || one.issuer_fingerprint().contains(&&fingerprint)
        };
        signatures.iter().filter(is_own).take(MOST_SIGNATURES)
    }
}

fn newest<'s>(signatures: impl Iterator<Item = &'s Signature>) -> Option<&'s Signature> {
    signatures.max_by_key(|one| one.created().map_or(0, |at| at.as_secs()))
}

/// Where it says nothing of what the key is for, the key is for everything.
fn may_sign(own: &Signature) -> bool {
    let flags = own.key_flags();
    flags.sign() || flags == KeyFlags::default()
}

/// When a key ends by what its primary key says, in seconds since 1970.
fn end<K>(key: &K, own: &Signature) -> Option<u64>
where
    K: VerifyingKey + Serialize,
{
    let seconds = own.key_expiration_time()?.as_secs();
    (seconds > 0).then(|| u64::from(key.created_at().as_secs()) + u64::from(seconds))
}

/// From when on a revocation counts: a key that is only out of use keeps what it signed.
fn revoked_from(revocation: &Signature) -> u32 {
    match revocation.revocation_reason_code() {
        Some(RevocationCode::KeySuperseded | RevocationCode::KeyRetired) => {
            revocation.created().map_or(0, |at| at.as_secs())
        }
        _ => 0,
    }
}

/// Reads `Name (Comment) <address>`, or an address alone.
fn named(text: &str) -> Option<Named> {
    let (name, email) = match text.rsplit_once('<') {
        Some((name, rest)) => (name, rest.strip_suffix('>')?),
        None => ("", text),
    };
    let is_plain = |c: char| !c.is_control() && !c.is_whitespace();
    let is_address = email.contains('@') && email.len() <= 254 && email.chars().all(is_plain);
    let name: String = name.trim().chars().filter(|c| !c.is_control()).take(255).collect();
    is_address.then(|| Named { name, email: email.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Signature;

    #[test]
    fn names_are_read_with_their_addresses() {
        let of = |text: &str| named(text).map(|one| (one.name, one.email));
        let pair = |name: &str, email: &str| Some((name.to_owned(), email.to_owned()));
        assert_eq!(of("Ada L (work) <ada@example.com>"), pair("Ada L (work)", "ada@example.com"));
        assert_eq!(of("ada@example.com"), pair("", "ada@example.com"));
        for wrong in ["", "Ada", "Ada <ada>", "Ada <a@b", "Ada <a b@c>"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    macro_rules! fixture {
        ($name:literal) => {
            include_str!(concat!("../../../testkit/tests/stories/signatures/fixtures/", $name))
        };
    }

    /// The payload and the signature of a commit.
    fn parts(commit: &str) -> (String, Signature) {
        let (head, body) = commit.split_once("\n\n").expect("a message");
        let (before, signature) = head.split_once("\ngpgsig ").expect("a signature");
        let read = Signature::read(signature.replace("\n ", "\n").as_bytes());
        (format!("{before}\n\n{body}"), read)
    }

    fn judged(key: &str, commit: &str) -> Judged {
        let (payload, signature) = parts(commit);
        let Signature::Pgp(signature) = signature else {
            panic!("{signature:?}");
        };
        read(key).expect("a key").judge(&signature, payload.as_bytes())
    }

    #[test]
    fn a_key_knows_what_it_signed() {
        let (ada, short, gone) = (fixture!("ada.asc"), fixture!("short.asc"), fixture!("gone.asc"));
        for (key, commit, expected) in [
            (ada, fixture!("by-primary.commit"), Judged::Good),
            (ada, fixture!("by-subkey.commit"), Judged::Good),
            (ada, fixture!("broken.commit"), Judged::Bad),
            (ada, fixture!("weak.commit"), Judged::Bad),
            (ada, fixture!("unknown.commit"), Judged::Bad),
            (short, fixture!("in-time.commit"), Judged::Good),
            (short, fixture!("too-late.commit"), Judged::Expired),
            (gone, fixture!("revoked.commit"), Judged::Revoked),
            (short, fixture!("by-primary.commit"), Judged::Bad),
        ] {
            assert_eq!(judged(key, commit), expected, "{commit}");
        }
        let twice = parts(fixture!("twice.commit")).1;
        assert!(matches!(twice, Signature::Several(_)), "{twice:?}");
    }

    #[test]
    fn a_key_says_what_it_is() {
        let ada = read(fixture!("ada.asc")).expect("a key");
        assert_eq!(ada.fingerprint().len(), 40);
        // The subkey that only decrypts is no part.
        let parts = ada.parts();
        assert_eq!(parts.iter().map(|part| part.is_primary).collect::<Vec<_>>(), [true, false]);
        assert!(ada.fingerprint().ends_with(&parts[0].keyid));
        let named = Named { name: "Ada".into(), email: "ada@example.com".into() };
        assert_eq!(ada.names(), [named]);
    }
}
