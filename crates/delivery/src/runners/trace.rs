//! The log of a job: appended as its runner sends it, and masked here once more.

use super::masks::Masks;
use super::store::jobs::{self, HeldJob};
use super::store::traces::{self, Packed};
use ::store::Tx;
use kernel::error::Result;
use std::sync::Arc;

/// Most bytes of one log.
pub const MOST: i64 = 100 * 1024 * 1024;

/// What came of an append.
#[derive(Debug, PartialEq, Eq)]
pub enum Appended {
    /// So many bytes are stored now.
    Stored(i64),
    /// It begins elsewhere than the log ends, at so many bytes.
    Gap(i64),
    TooLong,
}

/// New bytes of a log: masked by themselves, and packed, before the turn to write has come.
pub struct Piece {
    start: i64,
    sent: Vec<u8>,
    /// With its masks, as it is stored where no value reaches into it from before.
    packed: Vec<Packed>,
    masks: Arc<Masks>,
}

impl Piece {
    pub fn new(start: i64, sent: Vec<u8>, masks: Arc<Masks>) -> Result<Piece> {
        let packed = Packed::of(masks.masked(&sent).as_deref().unwrap_or(&sent))?;
        Ok(Piece { start, sent, packed, masks })
    }
}

/// Adds bytes to the end of a job's log.
pub fn append(tx: &mut Tx<'_>, held: &HeldJob, piece: &Piece) -> Result<Appended> {
    let size = traces::size(tx, held.id)?;
    if piece.start != size {
        return Ok(Appended::Gap(size));
    }
    let longer = size.saturating_add(piece.sent.len() as i64);
    if longer > MOST {
        return Ok(Appended::TooLong);
    }
    jobs::heard(tx, held)?;
    let crossed = masked_over(tx, held.id, size, piece)?;
    match traces::append(tx, held.id, size, crossed.as_deref().unwrap_or(&piece.packed))? {
        true => Ok(Appended::Stored(longer)),
        false => Ok(Appended::Gap(traces::size(tx, held.id)?)),
    }
}

/// The new bytes where a value began before them, in however many pieces it came: what
/// stands of it in the log is masked, too.
fn masked_over(
    tx: &mut Tx<'_>, job_id: i64, size: i64, piece: &Piece,
) -> Result<Option<Vec<Packed>>> {
    let reach = piece.masks.longest.saturating_sub(1);
    if size == 0 || reach == 0 {
        return Ok(None);
    }
    let from = (size - reach as i64).max(0);
    let before = traces::between(tx, job_id, (from, size))?;
    let old = before.iter().map(|(_, old)| old.as_slice()).collect::<Vec<_>>().concat();
    let end = &old[old.len().saturating_sub(reach)..];
    let head = &piece.sent[..piece.sent.len().min(reach)];
    if !piece.masks.crosses(&[end, head].concat(), end.len()) {
        return Ok(None);
    }
    let mut all = [old.as_slice(), &piece.sent].concat();
    piece.masks.apply(&mut all);
    let mut rest = all.as_slice();
    for (begins, old) in &before {
        let (masked, after) = rest.split_at(old.len());
        if masked != old {
            traces::replace(tx, job_id, *begins, masked)?;
        }
        rest = after;
    }
    Packed::of(rest).map(Some)
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
