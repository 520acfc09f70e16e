//! What holds of everything that reads keys and signatures, whatever they are. The fuzz
//! target and the tests below feed it.

use crate::formats::{Judged, Signature, certificate};

/// Some bytes as a key, and others behind the first blank line but one as a signature: who
/// did not sign is never said to have.
pub fn keys_and_signatures(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (key, signature) = text.split_once("\n\n\n").unwrap_or((&text, &text));
    let signature = Signature::read(signature.as_bytes());
    let certificate = certificate::read(key);
    if let Some(certificate) = &certificate {
        let _ = certificate.fingerprint();
        assert!(certificate.parts().iter().all(|part| part.keyid.len() == 16));
        assert!(certificate.names().iter().all(|one| one.email.contains('@')));
    }
    match (&signature, certificate) {
        (Signature::Pgp(signature), Some(certificate)) => {
            let judged = certificate.judge(signature, b"nobody signed this");
            assert_eq!(judged, Judged::Bad);
        }
        (Signature::Ssh(signature), _) => {
            assert_eq!(signature.judge(b"nobody signed this"), Judged::Bad);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEY: &str = include_str!("../../testkit/tests/stories/signatures/fixtures/ada.asc");
    const TAG: &str = include_str!("../../testkit/tests/stories/signatures/fixtures/v1.tag");

    proptest! {
        #[test]
        fn anything_is_read(bytes in any::<Vec<u8>>(), text in "[A-Za-z0-9+/=\n]{0,400}") {
            keys_and_signatures(&bytes);
            for kind in ["PGP SIGNATURE", "SSH SIGNATURE", "PGP PUBLIC KEY BLOCK"] {
                let block = format!("-----BEGIN {kind}-----\n\n{text}\n-----END {kind}-----\n");
                keys_and_signatures(block.as_bytes());
            }
        }
    }

    proptest! {
        // Each case checks some signatures, which takes a while without optimisation.
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]

        #[test]
        fn a_key_may_be_damaged_anywhere(at in 0..2000_usize, byte in any::<u8>()) {
            let signature = TAG.find("-----BEGIN").map_or("", |at| &TAG[at..]);
            let mut bytes = format!("{KEY}\n\n{signature}").into_bytes();
            bytes[at] = byte;
            keys_and_signatures(&bytes);
        }
    }
}
