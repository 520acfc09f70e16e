//! The key pair of a mirror, and the keys that its server is known by.

use kernel::error::{Error, Result};
use kernel::secrets::random_bytes;
use russh::keys::ssh_key::LineEnding;
use russh::keys::ssh_key::private::{Ed25519Keypair, KeypairData};
use russh::keys::{HashAlg, PrivateKey, PublicKey};

/// Keys of one server.
const MOST_HOST_KEYS: usize = 20;

/// A new key: its file as ssh reads it, and its public half as one line.
pub fn make() -> Result<(String, String)> {
    let pair = KeypairData::Ed25519(Ed25519Keypair::from_seed(&random_bytes()));
    let key = PrivateKey::new(pair, "mirror").map_err(Error::internal)?;
    let public = key.public_key().to_openssh().map_err(Error::internal)?;
    let file = key.to_openssh(LineEnding::LF).map_err(Error::internal)?;
    Ok((file.to_string(), public))
}

/// Reads lines of a file of known hosts, with names or without.
pub fn host_keys(lines: &[String]) -> Result<Vec<String>> {
    let wrong = |problem: &str| Error::invalid("host_keys", problem);
    let lines: Vec<&str> = lines.iter().flat_map(|text| text.lines()).collect();
    if lines.len() > MOST_HOST_KEYS {
        return Err(wrong("is too long (maximum is 20 keys)"));
    }
    let lines = lines.into_iter().map(str::trim).filter(|line| !line.is_empty());
    let keys: Option<Vec<String>> = lines.map(host_key).collect();
    keys.ok_or_else(|| wrong("is invalid"))
}

/// Type and key of a line.
pub fn host_key(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let keys = words.windows(2).map(|two| two.join(" "));
    keys.into_iter().find(|text| PublicKey::from_openssh(text).is_ok())
}

/// What people compare a key by.
pub fn fingerprint(key: &str) -> Option<String> {
    let key = PublicKey::from_openssh(key).ok()?;
    Some(key.fingerprint(HashAlg::Sha256).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_known_hosts_are_read() {
        let (file, public) = make().expect("a key");
        assert!(file.starts_with("-----BEGIN OPENSSH PRIVATE KEY-----"));
        let key = public.rsplit_once(' ').expect("a comment").0.to_owned();
        for line in [key.clone(), format!("host.example,10.0.0.1 {key} ada"), public.clone()] {
            assert_eq!(host_keys(&[line]).expect("a key").concat(), key);
        }
        assert!(fingerprint(&key).is_some_and(|text| text.starts_with("SHA256:")));
        for bad in ["x", "ssh-ed25519 AAAA", "host ssh-ed25519"] {
            assert!(host_keys(&[bad.to_owned()]).is_err(), "{bad}");
        }
        assert!(host_keys(&vec![key; 21]).is_err());
    }
}
