//! The log of a job: appended as its runner sends it, and masked here once more.

use super::store::jobs::{self, HeldJob};
use ::store::Tx;
use kernel::error::Result;

/// Most bytes of a log.
pub const MOST: i64 = 100 * 1024 * 1024;
/// What stands in the place of a masked value; the rest of its length is stars, so that
/// runner and server count the same bytes.
const MASK: &[u8] = b"[MASKED]";

/// What came of an append.
#[derive(Debug, PartialEq, Eq)]
pub enum Appended {
    /// So many bytes are stored now.
    Stored(i64),
    /// It begins elsewhere than the log ends, at so many bytes.
    Gap(i64),
    TooLong,
}

/// Adds bytes that begin at an offset of a job's log.
pub fn append(
    tx: &mut Tx<'_>, held: &HeldJob, masks: &[String], start: i64, bytes: &[u8],
) -> Result<Appended> {
    let size = held.trace_size;
    if start != size {
        return Ok(Appended::Gap(size));
    }
    let longer = size.saturating_add(bytes.len() as i64);
    if longer > MOST {
        return Ok(Appended::TooLong);
    }
    let mut bytes = bytes.to_vec();
    if !masks.is_empty() {
        mask_over(tx, held.job.id, size, masks, &mut bytes)?;
    }
    match jobs::append(tx, held.job.id, size, &bytes)? {
        true => Ok(Appended::Stored(longer)),
        false => Ok(Appended::Gap(size)),
    }
}

/// Masks new bytes, and what of a value stands at the end of the log before them, in
/// however many pieces it came.
fn mask_over(
    tx: &mut Tx<'_>, job_id: i64, size: i64, masks: &[String], bytes: &mut [u8],
) -> Result<()> {
    let longest = masks.iter().map(String::len).max().unwrap_or(0) as i64;
    let before = match size {
        0 => Vec::new(),
        size => jobs::chunks_between(tx, job_id, ((size - longest).max(0), size))?,
    };
    let mut all: Vec<u8> = before.iter().flat_map(|(_, old)| old).copied().collect();
    all.extend_from_slice(bytes);
    mask(&mut all, masks);
    let mut rest = all.as_slice();
    for (begins, old) in &before {
        let (masked, after) = rest.split_at(old.len());
        if masked != old {
            jobs::replace_chunk(tx, job_id, *begins, masked)?;
        }
        rest = after;
    }
    bytes.copy_from_slice(rest);
    Ok(())
}

/// Blacks out every value.
fn mask(bytes: &mut [u8], masks: &[String]) {
    for value in masks.iter().map(String::as_bytes).filter(|it| it.len() >= MASK.len()) {
        let mut from = 0;
        while let Some(at) = find(&bytes[from..], value) {
            let place = &mut bytes[from + at..from + at + value.len()];
            place.fill(b'*');
            place[..MASK.len()].copy_from_slice(MASK);
            from += at + value.len();
        }
    }
}

fn find(bytes: &[u8], value: &[u8]) -> Option<usize> {
    let first = *value.first()?;
    let mut from = 0;
    while let Some(at) = bytes.get(from..)?.iter().position(|byte| *byte == first) {
        if bytes[from + at..].starts_with(value) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// `start-end` of a `Content-Range` as runners write it; the end belongs to it.
pub fn start_of(range: &str) -> Option<i64> {
    let (start, end) = range.trim().split_once('-')?;
    let (start, end): (i64, i64) = (start.parse().ok()?, end.parse().ok()?);
    (start >= 0 && end >= start - 1).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_masked_in_their_length() {
        let masks = ["supersecret-longer", "supersecret"].map(str::to_owned);
        for (text, wanted) in [
            ("a supersecret b", "a [MASKED]*** b"),
            ("supersecret-longer", "[MASKED]**********"),
            ("supersecretsupersecret", "[MASKED]***[MASKED]***"),
            ("supersecre", "supersecre"),
        ] {
            let mut bytes = text.as_bytes().to_vec();
            mask(&mut bytes, &masks);
            assert_eq!(String::from_utf8(bytes).unwrap(), wanted);
        }
    }

    #[test]
    fn ranges_are_two_numbers() {
        for (text, wanted) in [
            ("0-9", Some(0)),
            ("10-10", Some(10)),
            ("10-9", Some(10)),
            ("10-5", None),
            ("bytes 0-9/10", None),
            ("-5", None),
            ("a-b", None),
            ("", None),
        ] {
            assert_eq!(start_of(text), wanted, "{text}");
        }
    }
}
