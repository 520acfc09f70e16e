//! Proof Key for Code Exchange (RFC 7636), method S256 only.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::secrets;
use sha2::{Digest, Sha256};

pub const METHOD: &str = "S256";

/// Whether a text has the shape of a challenge: SHA-256 in base64url.
pub fn is_challenge(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.len() == 43 && text.bytes().all(allowed)
}

/// Whether a text has the shape of a verifier (RFC 7636 section 4.1). The
/// last three characters are not in the RFC: git-credential-oauth before 0.5,
/// which distributions still ship, writes its verifier in plain base64.
pub fn is_verifier(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    (43..=128).contains(&text.len()) && text.bytes().all(allowed)
}

/// Whether the verifier is what the challenge was made of.
pub fn fits(challenge: &str, verifier: &str) -> bool {
    is_verifier(verifier) && secrets::same(challenge_of(verifier), challenge)
}

fn challenge_of(verifier: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contracts_vector_fits() {
        let verifier = "ks02i3jdikdo2k0dkfodf3m39rjfjsdk0wk349rj3jrhf";
        let challenge = "2i0WFA-0AerkjQm4X4oDEhqA17QIAKNjXpagHBXmO_U";
        assert!(is_challenge(challenge));
        assert!(fits(challenge, verifier));
        assert!(!fits(challenge, &verifier.replace('k', "l")));
        assert!(!fits(challenge, challenge));
    }

    #[test]
    fn shapes_are_exact() {
        for bad in [
            "",
            &"a".repeat(42),
            &"a".repeat(129),
            &format!("{}!", "a".repeat(50)),
            &format!("{} ", "a".repeat(50)),
        ] {
            assert!(!is_verifier(bad), "{bad}");
        }
        assert!(is_verifier(&"~".repeat(128)));
        assert!(is_verifier("pVnfJEhstLgPmKkzg6o91YX4oHkQH/kwXowdottjGz+="));
        for bad in ["a".repeat(42), "a".repeat(44), format!("{}=", "a".repeat(42))] {
            assert!(!is_challenge(&bad), "{bad}");
        }
    }
}
