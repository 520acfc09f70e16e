//! Pointers: what a commit holds in the place of a large file
//! (git-lfs, docs/spec.md).

use serde::Deserialize;

/// The first line of every pointer.
const VERSION: &str = "version https://git-lfs.github.com/spec/v1";
/// Bytes from which on a text is no pointer.
pub const MAX_POINTER: u64 = 1024;
/// Bytes that the shortest one has.
pub const MIN_POINTER: u64 = 120;

/// A large file, by the digest and the size of its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Pointer {
    /// SHA-256, 64 hexadecimal digits in lower case.
    pub oid: String,
    /// Bytes.
    pub size: i64,
}

/// Whether this may be the name of a large file.
pub fn is_oid(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl Pointer {
    /// Reads the text of a pointer; nothing if it is none.
    pub fn read(bytes: &[u8]) -> Option<Pointer> {
        if bytes.len() as u64 >= MAX_POINTER {
            return None;
        }
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.lines();
        if lines.next()? != VERSION {
            return None;
        }
        let (mut oid, mut size) = (None, None);
        for line in lines {
            match line.split_once(' ')? {
                ("oid", value) => oid = value.strip_prefix("sha256:").filter(|oid| is_oid(oid)),
                ("size", value) => size = value.parse().ok(),
                _ => {}
            }
        }
        let pointer = Pointer { oid: oid?.to_owned(), size: size? };
        pointer.is_good().then_some(pointer)
    }

    /// Whether both parts can be true.
    pub fn is_good(&self) -> bool {
        is_oid(&self.oid) && self.size >= 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(oid: &str, size: &str) -> String {
        format!("{VERSION}\noid sha256:{oid}\nsize {size}\n")
    }

    #[test]
    fn pointers_are_read() {
        let oid = "a1".repeat(32);
        let read = |text: &str| Pointer::read(text.as_bytes());
        let good = Some(Pointer { oid: oid.clone(), size: 12 });
        assert_eq!(read(&text(&oid, "12")), good);
        assert!(text(&oid, "1").len() as u64 >= MIN_POINTER);
        let extended = format!("{VERSION}\next-0-x sha256:{oid}\noid sha256:{oid}\nsize 12\n");
        assert_eq!(read(&extended), good);
        for bad in [
            text(&oid.to_uppercase(), "12"),
            text(&oid, "-1"),
            text(&oid, "99999999999999999999"),
            text(&oid, "12").replace("v1", "v9"),
            format!("{VERSION}\nsize 12\n"),
            format!("{}{}", text(&oid, "12"), "x y\n".repeat(300)),
            String::new(),
        ] {
            assert_eq!(read(&bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_may_be_looked_at(bytes in any::<Vec<u8>>()) {
            let all = [VERSION.as_bytes(), b"\n", &bytes].concat();
            prop_assert!(Pointer::read(&all).is_none_or(|pointer| pointer.is_good()));
        }
    }
}
