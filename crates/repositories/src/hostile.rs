//! What holds of everything that reads bytes of git, whatever they are. Each function
//! panics where a promise is broken; the fuzz targets and the tests below feed them.

use crate::diffs::{Limits, Parser};
use crate::formats::commands::PushReader;
use crate::formats::object_id::ObjectId;
use crate::formats::packet::{self, Packet};
use crate::formats::ref_name::RefName;
use crate::formats::requests;
use crate::objects::{self, Commit, Entry, RawEntry, Tag};
use bytes::{Bytes, BytesMut};

/// Packets, and the pushes and questions in them: read alike in whatever pieces they
/// come, and written again as they were.
pub fn packets(bytes: &[u8]) {
    let whole = packet::all(Bytes::copy_from_slice(bytes));
    let pieces = in_pieces(bytes);
    let Ok(packets) = whole else {
        return;
    };
    assert_eq!(pieces, packets, "packets come in any pieces");
    let mut again = Vec::new();
    packets.iter().for_each(|packet| write(&mut again, packet));
    assert!(again.eq_ignore_ascii_case(bytes), "packets are written as they were read");
    let _ = requests::read(&packets);
    let mut reader = PushReader::default();
    for packet in &packets {
        match reader.take(packet) {
            Ok(None) => {}
            Ok(Some(push)) => return push.commands.iter().for_each(|one| name(&one.sent_name)),
            Err(_) => return,
        }
    }
}

fn in_pieces(bytes: &[u8]) -> Vec<Packet> {
    let (mut buffer, mut packets) = (BytesMut::new(), Vec::new());
    for piece in bytes.chunks(3) {
        buffer.extend_from_slice(piece);
        while let Ok(Some(packet)) = packet::take(&mut buffer) {
            packets.push(packet);
        }
    }
    packets
}

fn write(out: &mut Vec<u8>, packet: &Packet) {
    match packet {
        Packet::Flush => out.extend_from_slice(packet::FLUSH),
        Packet::Delimiter => out.extend_from_slice(packet::DELIMITER),
        Packet::End => out.extend_from_slice(b"0002"),
        Packet::Data(bytes) => packet::put(out, &[bytes]),
    }
}

/// A name of a ref that is taken is one for another reader of git, too.
pub fn name(text: &str) {
    let Ok(name) = text.parse::<RefName>() else {
        return;
    };
    assert_eq!(name.as_str(), text);
    assert!(gix::validate::reference::name(text.into()).is_ok(), "git knows no ref {text:?}");
    assert!(name.above().all(|above| text.starts_with(&format!("{above}/"))));
}

/// Commits, tags, folders and what git tells of differences, any bytes taken for them.
pub fn objects(bytes: &[u8]) {
    let id = ObjectId::ZERO;
    if let Some(commit) = Commit::of(id, bytes) {
        let _ = (commit.author.local_time(), commit.committer.local_time());
        assert!(commit.message.starts_with(commit.title()));
    }
    if let Some(tagger) = Tag::of(id, bytes).and_then(|tag| tag.tagger) {
        let _ = tagger.local_time();
    }
    if let Ok(entries) = objects::read_tree(bytes, RawEntry::of) {
        let names = objects::read_tree(bytes, Entry::of).map(|entries| entries.len());
        assert_eq!(names.ok(), Some(entries.len()), "both read the same entries");
    }
    differences(bytes);
}

fn differences(bytes: &[u8]) {
    let limits = Limits {
        files: 5,
        lines: 50,
        bytes: 2000,
        file_bytes: 500,
        ..Limits::default()
    };
    let read = |step: usize| {
        let mut parser = Parser::new(limits, true);
        let _ = bytes.chunks(step).all(|piece| parser.take(piece));
        parser.end()
    };
    let found = read(7);
    assert_eq!(found, read(bytes.len().max(1)), "differences come in any pieces");
    // A change of kind is told as two files, and what is no UTF-8 grows to three times.
    assert!(found.files.len() <= limits.files + 1);
    let text: usize = found.files.iter().map(|file| file.text.len()).sum();
    assert!(text <= 3 * limits.bytes, "{text} bytes are kept");
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const COMMIT: &str = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\
                          author A <a@x.example> 1700000000 +0100\n\
                          committer B <b@x.example> 1700000000 -0930\n\nTitle\n\nMore.\n";
    const DIFF: &str = ":100644 100644 1111111111111111111111111111111111111111 \
                        2222222222222222222222222222222222222222 T\ta\n\n\
                        diff --git a/a b/a\n@@ -1 +0,0 @@\n-x\ndiff --git a/a b/a\n@@ -0,0 +1 @@\n+y\n";
    const PUSH: &str = "006c1111111111111111111111111111111111111111 \
                        2222222222222222222222222222222222222222 refs/heads/main\0atomic0000";

    /// A text with a part of it replaced.
    fn spoiled(text: &str, at: usize, by: &[u8]) -> Vec<u8> {
        let at = at % text.len();
        let mut bytes = text.as_bytes()[..at].to_vec();
        bytes.extend_from_slice(by);
        bytes.extend_from_slice(&text.as_bytes()[(at + by.len()).min(text.len())..]);
        bytes
    }

    #[test]
    fn what_is_whole_is_read() {
        assert!(Commit::of(ObjectId::ZERO, COMMIT.as_bytes()).is_some());
        assert_eq!(packet::all(Bytes::from_static(PUSH.as_bytes())).map(|all| all.len()), Ok(2));
        packets(PUSH.as_bytes());
        objects(DIFF.as_bytes());
    }

    proptest! {
        #[test]
        fn what_is_spoiled_breaks_nothing(at in any::<usize>(), by in any::<[u8; 3]>()) {
            packets(&spoiled(PUSH, at, &by));
            objects(&spoiled(COMMIT, at, &by));
            objects(&spoiled(DIFF, at, &by));
        }

        #[test]
        fn any_bytes_break_nothing(bytes in any::<Vec<u8>>()) {
            packets(&bytes);
            objects(&bytes);
        }

        #[test]
        fn names_are_git_s(text in "refs/(heads|tags|x)/[ -~]{0,12}(/.{0,9})?") {
            name(&text);
        }
    }
}
