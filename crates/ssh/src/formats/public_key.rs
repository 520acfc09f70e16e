//! Public keys as people paste them: one line of `authorized_keys`, or what is left of it.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use md5::{Digest as _, Md5};
use russh::keys::PublicKey;
use russh::keys::ssh_key::public::KeyData;
use sha2::Sha256;

/// Longest text that is looked at.
pub const MAX_TEXT: usize = 5000;
/// Fewest bits of an RSA key.
const LEAST_RSA: u32 = 2048;
/// Types that keys may have, and one that none has any more.
const TYPES: &[&str] = &[
    "ssh-ed25519",
    "ssh-rsa",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    DSA,
];
const DSA: &str = "ssh-dss";

/// A public key that may be used here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadKey {
    /// Type and base64.
    pub text: String,
    pub comment: String,
    pub fingerprints: Fingerprints,
}

/// What tells a key from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprints {
    /// Sixteen pairs of hexadecimal digits between colons.
    pub md5: String,
    /// Base64, without a prefix and padding.
    pub sha256: String,
}

/// Why a text is no key that may be used, in words that follow the name of the field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadKey {
    /// It cannot be read.
    Unreadable,
    /// It can, and is refused.
    Refused(String),
}

impl Fingerprints {
    /// Those of a key in the bytes of the protocol.
    pub fn of(bytes: &[u8]) -> Fingerprints {
        let pairs: Vec<String> =
            Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        Fingerprints {
            md5: pairs.join(":"),
            sha256: STANDARD_NO_PAD.encode(Sha256::digest(bytes)),
        }
    }
}

/// Reads a key. Options before its type are dropped, and lines that were broken are
/// joined.
pub fn read(text: &str) -> Result<ReadKey, BadKey> {
    let mut words = text.split_whitespace().skip_while(|word| !TYPES.contains(word));
    let kind = words.next().ok_or(BadKey::Unreadable)?;
    if kind == DSA {
        let text = "type is forbidden. Must be RSA, ECDSA, ED25519, ECDSA_SK, or ED25519_SK";
        return Err(BadKey::Refused(text.to_owned()));
    }
    let mut body = String::new();
    let mut found = None;
    for word in words.by_ref() {
        body.push_str(word);
        found = decoded(kind, &body);
        if found.is_some() {
            break;
        }
    }
    let (key, bytes) = found.ok_or(BadKey::Unreadable)?;
    check_strength(key.key_data())?;
    let comment: Vec<&str> = words.collect();
    Ok(ReadKey {
        text: format!("{kind} {}", STANDARD.encode(&bytes)),
        comment: comment.join(" ").chars().filter(|letter| !letter.is_control()).collect(),
        fingerprints: Fingerprints::of(&bytes),
    })
}

/// The key behind some base64, if it is whole and of this type.
fn decoded(kind: &str, body: &str) -> Option<(PublicKey, Vec<u8>)> {
    let bytes = STANDARD_NO_PAD.decode(body.trim_end_matches('=')).ok()?;
    let key = PublicKey::from_bytes(&bytes).ok()?;
    (key.algorithm().as_str() == kind).then_some((key, bytes))
}

fn check_strength(key: &KeyData) -> Result<(), BadKey> {
    match key {
        KeyData::Rsa(rsa) if bits(rsa.n().as_positive_bytes()) < LEAST_RSA => {
            Err(BadKey::Refused(format!("must be at least {LEAST_RSA} bits")))
        }
        KeyData::Rsa(_)
        | KeyData::Ecdsa(_)
        | KeyData::Ed25519(_)
        | KeyData::SkEcdsaSha2NistP256(_)
        | KeyData::SkEd25519(_) => Ok(()),
        _ => Err(BadKey::Unreadable),
    }
}

fn bits(number: Option<&[u8]>) -> u32 {
    let Some([first, rest @ ..]) = number else {
        return 0;
    };
    let below = u32::try_from(rest.len()).unwrap_or(u32::MAX).saturating_mul(8);
    below.saturating_add(8 - first.leading_zeros())
}

/// A fingerprint that somebody asks for, in either form.
#[derive(Debug, PartialEq, Eq)]
pub enum AnyFingerprint {
    Md5(String),
    Sha256(String),
}

/// Reads `SHA256:…`, or pairs with colons and with or without `MD5:`.
pub fn fingerprint(text: &str) -> Option<AnyFingerprint> {
    let text = text.trim();
    // A plus in a query that nobody escaped is a space by now.
    let text = text.replace(' ', "+");
    if let Some(digest) = text.strip_prefix("SHA256:") {
        let digest = digest.trim_end_matches('=');
        let is_whole = STANDARD_NO_PAD.decode(digest).is_ok_and(|bytes| bytes.len() == 32);
        return is_whole.then(|| AnyFingerprint::Sha256(digest.to_owned()));
    }
    let pairs = text.strip_prefix("MD5:").unwrap_or(&text);
    let is_pair = |pair: &str| pair.len() == 2 && pair.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_whole = pairs.split(':').count() == 16 && pairs.split(':').all(is_pair);
    is_whole.then(|| AnyFingerprint::Md5(pairs.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ED25519: &str =
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti";
    const ECDSA: &str = "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBHwf2HMM5TRXvo2SQJjsNkiDD5KqiiNjrGVv3UUh+mMT5RHxiRtOnlqvjhQtBq0VpmpCV/PwUdhOig4vkbqAcEc=";
    const SK: &str = "sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAICFo/k5LU8863u66YC9eUO2170QduohPURkQnbLa/dczAAAABHNzaDo=";

    #[test]
    fn keys_are_read_as_they_are_pasted() {
        for key in [ED25519, ECDSA, SK] {
            let plain = read(key).unwrap();
            assert_eq!((plain.text.as_str(), plain.comment.as_str()), (key, ""));
            let (kind, body) = key.split_once(' ').unwrap();
            let (one, other) = body.split_at(20);
            for pasted in [
                format!("  {key} ada@example.com work \n"),
                format!("restrict,command=\"a b\" {key} ada@example.com work"),
                format!("{kind}\n{one}\r\n{other} ada@example.com work"),
            ] {
                let read = read(&pasted).unwrap();
                let comment = "ada@example.com work".to_owned();
                assert_eq!(read, ReadKey { comment, ..plain.clone() }, "{pasted}");
            }
        }
        let prints = read(ED25519).unwrap().fingerprints;
        assert_eq!(prints.sha256, "UCUiLr7Pjs9wFFJMDByLgc3NrtdU344OgUM45wZPcIQ");
        assert_eq!(prints.md5.len(), 47);
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let (kind, body) = ED25519.split_once(' ').unwrap();
        for text in [
            "",
            "ssh-ed25519",
            kind,
            body,
            &format!("ssh-rsa {body}"),
            &format!("{kind} {}", &body[..40]),
            "ssh-ed25519 AAAA",
            "-----BEGIN OPENSSH PRIVATE KEY-----",
        ] {
            assert_eq!(read(text), Err(BadKey::Unreadable), "{text}");
        }
        let old = read("ssh-dss AAAA");
        assert!(matches!(old, Err(BadKey::Refused(text)) if text.starts_with("type is forbidden")));
    }

    /// An RSA key whose modulus has so many bytes, the first of them this.
    fn rsa(bytes: usize, first: u8) -> String {
        let mut modulus = vec![0xff; bytes];
        modulus[0] = first;
        if first >= 0x80 {
            modulus.insert(0, 0);
        }
        let mut key = Vec::new();
        for part in [&b"ssh-rsa"[..], &[1, 0, 1], &modulus] {
            key.extend_from_slice(&u32::try_from(part.len()).unwrap().to_be_bytes());
            key.extend_from_slice(part);
        }
        format!("ssh-rsa {}", STANDARD.encode(key))
    }

    #[test]
    fn short_keys_are_refused() {
        assert!(read(&rsa(256, 0x80)).is_ok() && read(&rsa(512, 0xff)).is_ok());
        let short = Err(BadKey::Refused("must be at least 2048 bits".into()));
        assert_eq!(read(&rsa(256, 0x7f)), short);
        assert_eq!(read(&rsa(128, 0xff)), short);
    }

    #[test]
    fn fingerprints_are_asked_for_in_either_form() {
        let pairs = ["ab"; 16].join(":");
        let md5 = Some(AnyFingerprint::Md5(pairs.clone()));
        assert_eq!(fingerprint(&pairs), md5);
        assert_eq!(fingerprint(&format!("MD5:{}", pairs.to_uppercase())), md5);
        let digest = "UCUiLr7Pjs9wFFJMDByLgc3NrtdU344OgUM45wZPcIQ";
        let sha = Some(AnyFingerprint::Sha256(digest.into()));
        assert_eq!(fingerprint(&format!("SHA256:{digest}")), sha);
        for wrong in ["", "x", digest, "SHA256:abc", "ab:ab", &["zz"; 16].join(":")] {
            assert_eq!(fingerprint(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken_or_refused(text in ".{0,300}", after in any::<Vec<u8>>()) {
            let _ = read(&text);
            let _ = read(&format!("ssh-rsa {}", STANDARD.encode(after)));
            let _ = fingerprint(&text);
        }
    }
}
