//! What holds of everything that strangers send, for fuzzing and for tests.

use super::scanner::{Scanner, Step};
use super::{address, envelope, names};

/// Reads bytes as everything that comes from outside.
///
/// # Panics
///
/// When a promise is broken.
pub fn check(bytes: &[u8]) {
    let whole = scan(bytes, bytes.len().max(1));
    assert_eq!(whole, scan(bytes, 3), "pieces make a difference");
    if let Ok((body, _)) = &whole {
        let published = envelope::publication(body, "hammer");
        if let Ok(published) = published {
            assert!(names::version(&published.version).is_some());
            assert!(names::is_tag(&published.tag));
        }
        let _ = envelope::deprecations(body, "hammer");
        let _ = envelope::versions(body, "hammer");
    }
    let text = String::from_utf8_lossy(bytes);
    let _ = (names::is_range(&text), address::tags(&text));
    if let Some(address::Address::File(name, file)) = address::package(&text) {
        assert!(names::is_name(&name) && file.starts_with(&name));
    }
}

type Scanned = Result<(Vec<u8>, Vec<u8>), &'static str>;

/// The envelope and what was taken out.
fn scan(bytes: &[u8], piece: usize) -> Scanned {
    let (mut scanner, mut taken) = (Scanner::default(), Vec::new());
    for mut piece in bytes.chunks(piece) {
        loop {
            match scanner.step(&mut piece)? {
                Step::Hungry => break,
                Step::Text(more) => taken.extend_from_slice(more),
                Step::Begins | Step::Ends => {}
            }
        }
    }
    Ok((scanner.finish()?, taken))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn promises_hold(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            super::check(&bytes);
        }

        #[test]
        fn promises_hold_near_what_clients_send(
            name in "[a-z@/]{0,9}", version in "[0-9.x-]{0,8}", tag in "[a-z0-9.x ]{0,6}",
            data in "[A-Za-z+/=\\\\]{0,12}", cut in 0_usize..200,
        ) {
            let body = format!(
                r#"{{"name":"{name}","dist-tags":{{"{tag}":"{version}"}},"versions":{{"{version}":
                {{"dist":{{}},"deprecated":"x"}}}},"_attachments":{{"a.tgz":{{"data":"{data}"}}}}}}"#
            );
            super::check(body.as_bytes());
            super::check(body.get(..cut.min(body.len())).unwrap_or_default().as_bytes());
            super::check(name.as_bytes());
        }
    }
}
