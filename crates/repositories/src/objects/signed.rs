//! Signatures in commits and annotated tags, and the bytes that were signed.

use super::{Kind, Objects};
use crate::formats::object_id::ObjectId;
use kernel::error::Result;

/// Longest signature that is looked at, in bytes.
const LONGEST: usize = 64 * 1024;
/// Where a signature begins, whoever made it.
const BEGINNINGS: &[&[u8]] = &[
    b"-----BEGIN PGP SIGNATURE-----",
    b"-----BEGIN PGP MESSAGE-----",
    b"-----BEGIN SIGNED MESSAGE-----",
    b"-----BEGIN SSH SIGNATURE-----",
];
/// The header of a signature, and the one that newer repositories have beside it.
const HEADER: &[u8] = b"gpgsig ";
const OTHER_HEADER: &[u8] = b"gpgsig-sha256 ";

/// What somebody signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    pub id: ObjectId,
    /// As it stands in the object.
    pub signature: Vec<u8>,
    pub payload: Vec<u8>,
}

/// Which lines of a commit somebody is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Signature,
    OtherSignature,
    Payload,
}

/// The signature of a commit and what it is over: all but itself, as git has it.
fn of_commit(data: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut signature, mut payload) = (Vec::new(), Vec::with_capacity(data.len()));
    let mut part = Part::Payload;
    let mut rest = data;
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let (line, after) = rest.split_at(end + 1);
        if line == b"\n" {
            break;
        }
        let text = match line.strip_prefix(b" ") {
            Some(text) => text,
            None => {
                part = part_of(line);
                line.strip_prefix(HEADER).unwrap_or(line)
            }
        };
        match part {
            Part::Signature => signature.extend_from_slice(text),
            Part::OtherSignature => {}
            Part::Payload => payload.extend_from_slice(line),
        }
        rest = after;
    }
    payload.extend_from_slice(rest);
    (signature, payload)
}

fn part_of(line: &[u8]) -> Part {
    match line {
        line if line.starts_with(HEADER) => Part::Signature,
        line if line.starts_with(OTHER_HEADER) => Part::OtherSignature,
        _ => Part::Payload,
    }
}

/// Where the signature of a tag begins: at the last line that could begin one.
pub(super) fn in_tag(data: &[u8]) -> Option<usize> {
    let mut found = None;
    let mut at = 0;
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        if BEGINNINGS.iter().any(|beginning| line.starts_with(beginning)) {
            found = Some(at);
        }
        at += line.len();
    }
    found
}

impl Signed {
    fn read(id: ObjectId, kind: Kind, data: &[u8]) -> Option<Signed> {
        let (signature, payload) = match kind {
            Kind::Tag => {
                let (payload, signature) = data.split_at(in_tag(data)?);
                (signature.to_vec(), payload.to_vec())
            }
            _ => of_commit(data),
        };
        let is_bounded = (1..=LONGEST).contains(&signature.len());
        is_bounded.then_some(Signed { id, signature, payload })
    }
}

impl Objects {
    /// What was signed of a commit or annotated tag; none if nobody signed it, or with
    /// more than a signature takes.
    pub fn signed(&self, id: ObjectId) -> Result<Option<Signed>> {
        let Some((kind @ (Kind::Commit | Kind::Tag), _)) = self.header(id)? else {
            return Ok(None);
        };
        let data = self.data(id, kind)?;
        Ok(data.and_then(|data| Signed::read(id, kind, &data)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAYLOAD: &str = "tree 1\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n";

    fn parts(text: &str) -> (String, String) {
        let (signature, payload) = of_commit(text.as_bytes());
        (String::from_utf8(signature).unwrap(), String::from_utf8(payload).unwrap())
    }

    #[test]
    fn a_commit_is_signed_without_its_signatures() {
        let signed = format!(
            "{PAYLOAD}gpgsig one\n two\n \n three\ngpgsig-sha256 other\n more\nodd x\n\ngpgsig no\n"
        );
        let (signature, payload) = parts(&signed);
        assert_eq!(signature, "one\ntwo\n\nthree\n");
        assert_eq!(payload, format!("{PAYLOAD}odd x\n\ngpgsig no\n"));
        let plain = format!("{PAYLOAD}\ngpgsig no");
        assert_eq!(parts(&plain), (String::new(), plain));
        assert_eq!(parts(""), (String::new(), String::new()));
        assert_eq!(parts("gpgsig x"), (String::new(), "gpgsig x".to_owned()));
    }

    #[test]
    fn the_last_signature_of_a_tag_counts() {
        let begin = "-----BEGIN SSH SIGNATURE-----\n";
        let text = format!("object 1\n\nsaid {begin}{begin}a\n{begin}b\n");
        let at = in_tag(text.as_bytes()).expect("a signature");
        assert_eq!(&text[at..], format!("{begin}b\n"));
        assert_eq!(in_tag(b"object 1\n\nno -----BEGIN PGP SIGNATURE-----\n"), None);
    }
}
