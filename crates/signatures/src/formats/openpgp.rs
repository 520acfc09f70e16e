//! Signatures as GnuPG and its like make them.

use super::Signature;
use crate::model::SignatureType;
use pgp::composed::{Deserializable, DetachedSignature};
use pgp::crypto::hash::HashAlgorithm;
use pgp::packet::{self, SignatureType as Made};
use pgp::types::{Fingerprint, KeyId};

/// Keys that a signature may name.
const MOST_ISSUERS: usize = 4;

/// A signature, and which keys it names.
#[derive(Debug, Clone)]
pub struct PgpSignature {
    pub(super) packet: packet::Signature,
    /// Ends of fingerprints in capital hexadecimal digits.
    pub issuers: Vec<String>,
}

/// Reads a signature in its armour.
pub(super) fn read(text: &str) -> Signature {
    let unreadable = Signature::Other(SignatureType::Pgp);
    let Ok((mut all, _)) = DetachedSignature::from_string_many(text) else {
        return unreadable;
    };
    match (all.next(), all.next()) {
        (Some(Ok(one)), None) => Signature::Pgp(PgpSignature::of(one.signature)),
        (Some(Ok(_)), Some(_)) => Signature::Several(SignatureType::Pgp),
        _ => unreadable,
    }
}

/// The name of a key as it is stored.
pub(super) fn keyid(id: &KeyId) -> String {
    hex::encode_upper(id.as_ref())
}

/// The same of a key whose fingerprint is known.
fn end_of(fingerprint: &Fingerprint) -> Option<String> {
    let bytes = fingerprint.as_bytes();
    let end = match fingerprint {
        Fingerprint::V4(_) => bytes.get(12..20),
        Fingerprint::V6(_) => bytes.get(..8),
        _ => None,
    };
    end.map(hex::encode_upper)
}

impl PgpSignature {
    fn of(packet: packet::Signature) -> PgpSignature {
        let named = packet.issuer_key_id().into_iter().map(keyid);
        let by_fingerprint = packet.issuer_fingerprint().into_iter().filter_map(end_of);
        let mut issuers: Vec<String> = named.chain(by_fingerprint).collect();
        issuers.sort_unstable();
        issuers.dedup();
        issuers.truncate(MOST_ISSUERS);
        PgpSignature { packet, issuers }
    }

    /// When it was made, in seconds since 1970.
    pub(super) fn made_at(&self) -> Option<u32> {
        self.packet.created().map(|at| at.as_secs())
    }

    /// It is over a document, and by a digest that nobody can forge.
    pub(super) fn is_sound(&self) -> bool {
        let is_of_document = matches!(self.packet.typ(), Some(Made::Binary | Made::Text));
        let is_strong = matches!(
            self.packet.hash_alg(),
            Some(
                HashAlgorithm::Sha256
                    | HashAlgorithm::Sha384
                    | HashAlgorithm::Sha512
                    | HashAlgorithm::Sha224
                    | HashAlgorithm::Sha3_256
                    | HashAlgorithm::Sha3_512
            )
        );
        is_of_document && is_strong
    }
}
