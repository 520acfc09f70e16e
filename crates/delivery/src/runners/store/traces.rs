//! `ci_trace_pieces`: the log of a job in the pieces that it came in, packed.
//!
//! A piece of 4 KiB as it is takes a page of the file for itself; packed, it shares one
//! with others, and a page is what a write costs.

use ::store::{Tx, sql};
use kernel::error::{Error, Result};
use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, PoisonError};
use zstd::bulk::{Compressor, Decompressor};

/// Most bytes of a log in one row. What is asked of a log is part of a piece, and each is
/// unpacked whole.
const LONGEST: usize = 64 * 1024;
/// Below this packing saves less than its own head takes.
const SHORTEST_PACKED: usize = 128;
const LEVEL: i32 = 1;

static PACKERS: Pool<Compressor<'static>> = Pool(Mutex::new(Vec::new()));
static UNPACKERS: Pool<Decompressor<'static>> = Pool(Mutex::new(Vec::new()));

/// Things that take longer to make than to use, some of which are kept.
struct Pool<T>(Mutex<Vec<T>>);

impl<T> Pool<T> {
    const MOST: usize = 8;

    fn with<R>(
        &self, make: impl FnOnce() -> io::Result<T>, work: impl FnOnce(&mut T) -> io::Result<R>,
    ) -> io::Result<R> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().pop();
        let mut one = known.map_or_else(make, Ok)?;
        let made = work(&mut one);
        let mut kept = kept();
        if kept.len() < Self::MOST {
            kept.push(one);
        }
        made
    }
}

/// Bytes of a log as a row has them.
pub struct Packed {
    size: i64,
    bytes: Vec<u8>,
    is_packed: bool,
    lines: i64,
}

impl Packed {
    /// The rows of some bytes, in their order.
    pub fn of(bytes: &[u8]) -> Result<Vec<Packed>> {
        let rows = bytes.chunks(LONGEST).map(Packed::row).collect::<io::Result<_>>();
        rows.map_err(Error::internal)
    }

    fn row(plain: &[u8]) -> io::Result<Packed> {
        let packed = match plain.len() {
            0..SHORTEST_PACKED => None,
            _ => Some(PACKERS.with(|| Compressor::new(LEVEL), |it| it.compress(plain))?),
        };
        let packed = packed.filter(|packed| packed.len() < plain.len());
        let is_packed = packed.is_some();
        let bytes = packed.unwrap_or_else(|| plain.to_vec());
        let lines = plain.iter().filter(|byte| **byte == b'\n').count() as i64;
        Ok(Packed { size: plain.len() as i64, bytes, is_packed, lines })
    }
}

/// The bytes of a log that a row has.
fn plain(bytes: Vec<u8>, size: i64, is_packed: bool) -> Result<Vec<u8>> {
    match is_packed {
        false => Ok(bytes),
        true => {
            let size = usize::try_from(size).map_err(Error::internal)?;
            let unpacked = UNPACKERS.with(Decompressor::new, |it| it.decompress(&bytes, size));
            unpacked.map_err(Error::internal)
        }
    }
}

/// Where a piece begins, its bytes as they are stored, how many it is and whether packed.
type Row = (i64, Vec<u8>, i64, bool);

/// Where pieces begin, and what they are.
fn pieces(rows: Vec<Row>) -> Result<Vec<(i64, Vec<u8>)>> {
    let piece = |(begins, bytes, size, is_packed)| Ok((begins, plain(bytes, size, is_packed)?));
    rows.into_iter().map(piece).collect()
}

/// Bytes of a log.
pub fn size(tx: &mut Tx<'_>, job_id: i64) -> Result<i64> {
    let size: Option<i64> = tx.optional(
        sql!(
            "select begins + size from ci_trace_pieces
             where job_id = $1 order by begins desc limit 1"
        ),
        (job_id,),
    )?;
    Ok(size.unwrap_or_default())
}

/// Adds to the end of a log that has this size; false where another piece begins there.
pub fn append(tx: &mut Tx<'_>, job_id: i64, size: i64, rows: &[Packed]) -> Result<bool> {
    let mut begins = size;
    for row in rows {
        let added = tx.execute(
            sql!(
                "insert into ci_trace_pieces (job_id, begins, size, bytes, is_packed, lines)
                 values ($1, $2, $3, $4, $5, $6) on conflict do nothing"
            ),
            (job_id, begins, row.size, row.bytes.as_slice(), row.is_packed, row.lines),
        )?;
        if added == 0 {
            return Ok(false);
        }
        begins += row.size;
    }
    Ok(true)
}

/// Writes a piece of a log anew, of the same length and with as many lines.
pub fn replace(tx: &mut Tx<'_>, job_id: i64, begins: i64, plain: &[u8]) -> Result<()> {
    let row = Packed::row(plain).map_err(Error::internal)?;
    tx.run(
        sql!(
            "update ci_trace_pieces set bytes = $3, is_packed = $4
             where job_id = $1 and begins = $2"
        ),
        (job_id, begins, row.bytes, row.is_packed),
    )
}

/// The pieces of a log that have bytes between two places.
pub fn between(
    tx: &mut Tx<'_>, job_id: i64, (from, to): (i64, i64),
) -> Result<Vec<(i64, Vec<u8>)>> {
    let rows = tx.all(
        sql!(
            "select begins, bytes, size, is_packed from ci_trace_pieces
             where job_id = $1 and begins < $3 and begins >= coalesce((select max(c.begins)
                from ci_trace_pieces c where c.job_id = $1 and c.begins <= $2), 0)
             order by begins"
        ),
        (job_id, from, to),
    )?;
    pieces(rows)
}

/// Some pieces of a log, from the one that has the byte at `from`.
pub fn some(tx: &mut Tx<'_>, job_id: i64, from: i64, most: i64) -> Result<Vec<(i64, Vec<u8>)>> {
    let rows = tx.all(
        sql!(
            "select begins, bytes, size, is_packed from ci_trace_pieces
             where job_id = $1 and begins >= coalesce((select max(c.begins)
                from ci_trace_pieces c where c.job_id = $1 and c.begins <= $2), 0)
             order by begins limit $3"
        ),
        (job_id, from, most),
    )?;
    pieces(rows)
}

/// How many lines end before the piece that begins there.
pub fn lines_before(tx: &mut Tx<'_>, job_id: i64, begins: i64) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "select cast(coalesce(sum(lines), 0) as bigint) from ci_trace_pieces
             where job_id = $1 and begins < $2"
        ),
        (job_id, begins),
    )?)
}

/// Pieces of each log that are looked at for its end, and bytes of it.
const LAST_PIECES: i64 = 8;
const LAST_BYTES: usize = 16_384;

/// The ends of some logs, by the ids of their jobs.
pub fn ends(tx: &mut Tx<'_>, job_ids: Vec<i64>) -> Result<HashMap<i64, Vec<u8>>> {
    if job_ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<Row> = tx.all(
        sql!(
            "select p.job_id, p.bytes, p.size, p.is_packed
             from (select c.job_id, c.begins,
                    row_number() over (partition by c.job_id order by c.begins desc) as place,
                    cast(sum(c.size) over (partition by c.job_id order by c.begins desc)
                        as bigint) - c.size as after
                from ci_trace_pieces c where c.job_id in_list($1)) t
             join ci_trace_pieces p on p.job_id = t.job_id and p.begins = t.begins
             where t.place <= $2 and t.after < $3 order by p.job_id, p.begins"
        ),
        (job_ids, LAST_PIECES, LAST_BYTES as i64),
    )?;
    let mut found = HashMap::<i64, Vec<u8>>::new();
    for (job_id, bytes, size, is_packed) in rows {
        found.entry(job_id).or_default().extend(plain(bytes, size, is_packed)?);
    }
    for end in found.values_mut() {
        let over = end.len().saturating_sub(LAST_BYTES);
        end.drain(..over);
    }
    Ok(found)
}

/// Takes the log of a job away.
pub fn erase(tx: &mut Tx<'_>, job_id: i64) -> Result<()> {
    tx.execute(sql!("delete from ci_trace_pieces where job_id = $1"), (job_id,))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unpacked(rows: Vec<Packed>) -> Vec<u8> {
        let parts = rows.into_iter().map(|row| {
            assert!(row.size as usize <= LONGEST);
            plain(row.bytes, row.size, row.is_packed).unwrap()
        });
        parts.collect::<Vec<_>>().concat()
    }

    #[test]
    fn what_is_packed_is_shorter() {
        let text = "a line of a log\n".repeat(10_000).into_bytes();
        let rows = Packed::of(&text).unwrap();
        assert_eq!(rows.len(), 3);
        assert_eq!(rows.iter().map(|row| row.lines).sum::<i64>(), 10_000);
        assert!(rows.iter().all(|row| row.is_packed && row.bytes.len() < 200));
        assert_eq!(unpacked(rows), text);
        assert!(!Packed::of(b"short\n").unwrap()[0].is_packed);
        assert!(Packed::of(b"").unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn bytes_come_back_as_they_were(
            bytes in prop::collection::vec(any::<u8>(), 0..1_000), times in 1_usize..300
        ) {
            let bytes = bytes.repeat(times);
            prop_assert_eq!(unpacked(Packed::of(&bytes).unwrap()), bytes);
        }
    }
}
