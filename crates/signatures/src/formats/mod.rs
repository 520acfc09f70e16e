//! Keys and signatures as their programs write them.

pub mod certificate;
pub mod openpgp;
pub mod sshsig;

use crate::model::SignatureType;

/// What a key says of a signature and the bytes it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// The key made it, and was allowed to then.
    Good,
    /// The key did not make it, or not for this.
    Bad,
    /// The key made it after its own end.
    Expired,
    /// The key is withdrawn.
    Revoked,
}

/// A signature, by who could have made it.
#[derive(Debug, Clone)]
pub enum Signature {
    Pgp(openpgp::PgpSignature),
    Ssh(Box<sshsig::SshSignature>),
    /// One that cannot be read, or that nobody here can have made.
    Other(SignatureType),
    /// More than one.
    Several(SignatureType),
}

impl Signature {
    /// Reads what stands in a commit or tag.
    pub fn read(bytes: &[u8]) -> Signature {
        let text = String::from_utf8_lossy(bytes);
        let kind = match text.trim_start() {
            text if text.starts_with("-----BEGIN SSH SIGNATURE-----") => SignatureType::Ssh,
            text if text.starts_with("-----BEGIN SIGNED MESSAGE-----") => SignatureType::X509,
            _ => SignatureType::Pgp,
        };
        if text.matches("-----BEGIN ").count() > 1 {
            return Signature::Several(kind);
        }
        match kind {
            SignatureType::Pgp => openpgp::read(&text),
            SignatureType::Ssh => match sshsig::read(text.trim()) {
                Some(read) => Signature::Ssh(Box::new(read)),
                None => Signature::Other(kind),
            },
            SignatureType::X509 => Signature::Other(kind),
        }
    }

    pub fn kind(&self) -> SignatureType {
        match self {
            Signature::Pgp(_) => SignatureType::Pgp,
            Signature::Ssh(_) => SignatureType::Ssh,
            Signature::Other(kind) | Signature::Several(kind) => *kind,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_says_what_made_it() {
        let kind = |text: &str| Signature::read(text.as_bytes()).kind();
        assert_eq!(kind("-----BEGIN SSH SIGNATURE-----\nAAAA\n"), SignatureType::Ssh);
        assert_eq!(kind("-----BEGIN SIGNED MESSAGE-----\nAAAA\n"), SignatureType::X509);
        assert_eq!(kind("-----BEGIN PGP SIGNATURE-----\n\nAAAA\n"), SignatureType::Pgp);
        assert_eq!(kind("anything"), SignatureType::Pgp);
        let two = "-----BEGIN PGP SIGNATURE-----\n-----BEGIN PGP SIGNATURE-----\n";
        assert!(matches!(Signature::read(two.as_bytes()), Signature::Several(_)));
    }
}
