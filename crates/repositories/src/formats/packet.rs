//! The packets that git's programs speak in (gitprotocol-common): four hexadecimal
//! digits, which count themselves, then as many bytes less four.

use bytes::{Buf, Bytes, BytesMut};

/// Most bytes of a packet, with its four digits.
pub const MAX: usize = 65_520;
/// Most bytes of a message in a packet of a side band.
const BAND: usize = MAX - 5;

/// The end of a message.
pub const FLUSH: &[u8] = b"0000";
/// What separates the parts of a message in version 2.
pub const DELIMITER: &[u8] = b"0001";

/// One packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Packet {
    Flush,
    Delimiter,
    End,
    Data(Bytes),
}

impl Packet {
    /// Its text, without the line feed that may end it.
    pub fn text(&self) -> Option<&[u8]> {
        match self {
            Packet::Data(bytes) => Some(bytes.strip_suffix(b"\n").unwrap_or(bytes)),
            _ => None,
        }
    }
}

/// The bytes are no packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadPacket;

/// Takes the first packet off what has come; none where more must come first.
pub fn take(buffer: &mut BytesMut) -> Result<Option<Packet>, BadPacket> {
    let Some(digits) = buffer.first_chunk::<4>() else {
        return Ok(None);
    };
    let length = length(digits).ok_or(BadPacket)?;
    let special = match length {
        0 => Packet::Flush,
        1 => Packet::Delimiter,
        2 => Packet::End,
        3 | MAX.. if length != MAX => return Err(BadPacket),
        _ if buffer.len() < length => return Ok(None),
        _ => {
            let mut packet = buffer.split_to(length);
            packet.advance(4);
            return Ok(Some(Packet::Data(packet.freeze())));
        }
    };
    buffer.advance(4);
    Ok(Some(special))
}

fn length(digits: &[u8; 4]) -> Option<usize> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    digits.iter().try_fold(0, |sum, byte| Some(sum * 16 + digit(*byte)? as usize))
}

/// Where the first message ends that has come, with its flush; `at` is where a packet
/// begins up to which none was, and goes on to where more must come first.
pub fn end(buffer: &[u8], at: &mut usize) -> Result<Option<usize>, BadPacket> {
    while let Some(digits) = buffer.get(*at..).and_then(<[u8]>::first_chunk::<4>) {
        match length(digits).ok_or(BadPacket)? {
            0 => return Ok(Some(*at + 4)),
            1 | 2 => *at += 4,
            length @ 4..=MAX if *at + length <= buffer.len() => *at += length,
            4..=MAX => break,
            _ => return Err(BadPacket),
        }
    }
    Ok(None)
}

/// All packets of a message that is there whole.
pub fn all(message: Bytes) -> Result<Vec<Packet>, BadPacket> {
    let (mut buffer, mut packets) = (BytesMut::from(message), Vec::new());
    while let Some(packet) = take(&mut buffer)? {
        packets.push(packet);
    }
    match buffer.is_empty() {
        true => Ok(packets),
        false => Err(BadPacket),
    }
}

/// Writes a packet; no more than [`MAX`] less four bytes.
pub fn put(out: &mut Vec<u8>, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    debug_assert!(length + 4 <= MAX, "packets are bounded");
    out.extend_from_slice(format!("{:04x}", length + 4).as_bytes());
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

/// The channels of an answer that has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Band {
    /// What was asked for.
    Answer = 1,
    /// What the user reads.
    Message = 2,
}

/// Writes bytes into a channel, in as many packets as they take.
pub fn put_in_band(out: &mut Vec<u8>, band: Band, bytes: &[u8]) {
    for part in bytes.chunks(BAND) {
        put(out, &[&[band as u8], part]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn packets_are_told_apart() {
        let message = Bytes::from_static(b"0006a\n0005b000100020004");
        let data = |bytes| Packet::Data(Bytes::from_static(bytes));
        let wanted = vec![data(b"a\n"), data(b"b"), Packet::Delimiter, Packet::End, data(b"")];
        assert_eq!(all(message), Ok(wanted));
        assert_eq!(data(b"a\n").text(), Some(&b"a"[..]));
        for wrong in ["0003", "fff1", "ffff", "00zz", "-001", "+004", "000", "0009a"] {
            assert_eq!(all(Bytes::from(wrong)), Err(BadPacket), "{wrong}");
        }
    }

    #[test]
    fn what_is_not_there_yet_is_waited_for() {
        let mut buffer = BytesMut::new();
        for byte in b"0006a" {
            buffer.extend_from_slice(&[*byte]);
            assert_eq!(take(&mut buffer), Ok(None));
        }
        buffer.extend_from_slice(b"\n00");
        assert_eq!(take(&mut buffer), Ok(Some(Packet::Data(Bytes::from_static(b"a\n")))));
        assert_eq!(take(&mut buffer), Ok(None));
    }

    #[test]
    fn messages_end_with_a_flush() {
        let (whole, mut at) = (b"0006a\n00010005b00000006", 0);
        for (length, found) in [(3, None), (9, None), (18, None), (19, Some(19)), (23, Some(19))] {
            assert_eq!(end(&whole[..length], &mut at), Ok(found), "{length}");
        }
        assert_eq!(end(b"0003", &mut 0), Err(BadPacket));
        assert_eq!(end(b"zzzz", &mut 0), Err(BadPacket));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(parts in proptest::collection::vec(any::<Vec<u8>>(), 0..9)) {
            let mut out = Vec::new();
            parts.iter().for_each(|part| put(&mut out, &[part]));
            let read = all(Bytes::from(out)).unwrap_or_default();
            let wanted: Vec<_> = parts.into_iter().map(|part| Packet::Data(part.into())).collect();
            prop_assert_eq!(read, wanted);
        }

        #[test]
        fn any_bytes_are_taken_or_refused(bytes in any::<Vec<u8>>()) {
            let _ = all(Bytes::from(bytes));
        }
    }
}
