//! Signatures as `ssh-keygen -Y sign` makes them.

use super::Judged;
use russh::keys::ssh_key::SshSig;
use russh::keys::{Algorithm, PublicKey};
use ssh::formats::public_key::Fingerprints;

/// For what git has things signed.
const NAMESPACE: &str = "git";

/// A signature, and which key it names.
#[derive(Debug, Clone)]
pub struct SshSignature {
    signature: SshSig,
    key: PublicKey,
    /// SHA256 of the key, as keys are stored.
    pub fingerprint: String,
}

/// Reads a signature in its armour.
pub fn read(text: &str) -> Option<SshSignature> {
    let signature = SshSig::from_pem(text).ok()?;
    let key = PublicKey::from(signature.public_key().clone());
    let fingerprint = Fingerprints::of(&key.to_bytes().ok()?).sha256;
    Some(SshSignature { signature, key, fingerprint })
}

impl SshSignature {
    /// Whether the key that it names made it over these bytes, for git.
    pub fn judge(&self, payload: &[u8]) -> Judged {
        let is_weak = matches!(self.signature.algorithm(), Algorithm::Rsa { hash: None });
        match self.key.verify(NAMESPACE, payload, &self.signature) {
            Ok(()) if !is_weak => Judged::Good,
            _ => Judged::Bad,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Both made of PAYLOAD by `ssh-keygen -Y sign -f key payload`, with `-n git` and
    // `-n file`.
    const PAYLOAD: &[u8] = b"tree 1\n";
    const FOR_GIT: &str = "-----BEGIN SSH SIGNATURE-----\n\
        U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgdM47EU4nV1ckDBdG3uExoCLZeU\n\
        NriY8KsY55bNa7gEcAAAADZ2l0AAAAAAAAAAZzaGE1MTIAAABTAAAAC3NzaC1lZDI1NTE5\n\
        AAAAQDA/LqHzedPx01IColLu7llF9j59g5E2ccgqzpozU0dXYDw2O65J+HcFqYILU/IFcC\n\
        tj0+PUwq1/VVI3jmQVvAQ=\n\
        -----END SSH SIGNATURE-----";
    const FOR_FILES: &str = "-----BEGIN SSH SIGNATURE-----\n\
        U1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgdM47EU4nV1ckDBdG3uExoCLZeU\n\
        NriY8KsY55bNa7gEcAAAAEZmlsZQAAAAAAAAAGc2hhNTEyAAAAUwAAAAtzc2gtZWQyNTUx\n\
        OQAAAEDlFF7WfyozYwGYq/ZqbiihRJqvITrd8H/eirQLiC1yIiFQE9jH8cPhLzlwtJgHuF\n\
        83cdAikhDsAbJjrO0bUucD\n\
        -----END SSH SIGNATURE-----";

    #[test]
    fn what_was_signed_for_git_is_good() {
        let signature = read(FOR_GIT).expect("a signature");
        assert_eq!(signature.fingerprint, "xljm2sgOKUxZ+dUW3bz3zlmH9btVLSslz2B7KxHuIlk");
        assert_eq!(signature.judge(PAYLOAD), Judged::Good);
        assert_eq!(signature.judge(b"tree 2\n"), Judged::Bad);
        let other = read(FOR_FILES).expect("a signature");
        assert_eq!(other.judge(PAYLOAD), Judged::Bad);
    }
}
