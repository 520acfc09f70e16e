use super::*;
use flate2::Compression;
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::io::{Cursor, Write};

fn packed(fill: impl FnOnce(&mut tar::Builder<GzEncoder<Vec<u8>>>)) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    fill(&mut builder);
    builder.into_inner().unwrap().finish().unwrap()
}

/// A header whose name is not looked at.
fn header(name: &[u8], size: u64, kind: tar::EntryType) -> tar::Header {
    let mut header = tar::Header::new_old();
    header.as_old_mut().name[..name.len()].copy_from_slice(name);
    header.set_size(size);
    header.set_entry_type(kind);
    header.set_cksum();
    header
}

fn read(bytes: &[u8]) -> Result<Contents> {
    tar_gz(bytes, bytes.len() as u64, |path| path.ends_with("package.json"))
}

fn reason(result: Result<Contents>) -> String {
    match result {
        Err(Error::BadRequest(reason)) => reason,
        other => panic!("not refused as it should be: {other:?}"),
    }
}

#[test]
fn a_tarball_gives_the_members_asked_for() {
    let bytes = packed(|tar| {
        tar.append(&header(b"./package/package.json", 2, tar::EntryType::Regular), &b"{}"[..])
            .unwrap();
        tar.append(&header(b"package/index.js", 3, tar::EntryType::Regular), &b"abc"[..])
            .unwrap();
        tar.append(&header(b"package/link", 0, tar::EntryType::Symlink), &b""[..])
            .unwrap();
    });
    let contents = read(&bytes).unwrap();
    assert_eq!(contents.member("package/package.json").unwrap().bytes, b"{}");
    assert_eq!((contents.files, contents.unpacked), (2, 5));
    assert_eq!(contents.members.len(), 1);
}

#[test]
fn long_names_are_joined_to_their_entry() {
    let folder = "a".repeat(120);
    let bytes = packed(|tar| {
        let mut header = tar::Header::new_gnu();
        header.set_size(2);
        header.set_cksum();
        tar.append_data(&mut header, format!("{folder}/package.json"), &b"{}"[..])
            .unwrap();
    });
    let contents = read(&bytes).unwrap();
    assert_eq!(contents.members[0].path, format!("{folder}/package.json"));
}

#[test]
fn names_that_lead_outside_are_refused() {
    for name in [&b"../x"[..], b"/etc/passwd", b"a/../../x", b"..\\x", b"C:\\x", b"a\xff"] {
        let bytes = packed(|tar| {
            tar.append(&header(name, 0, tar::EntryType::Regular), &b""[..]).unwrap();
        });
        assert!(reason(read(&bytes)).contains("unsafe name"), "{name:?}");
    }
    let deep = "a/".repeat(65);
    assert!(plain_path(deep.as_bytes()).is_err());
    assert!(plain_path(b"a\0b").is_err());
    assert_eq!(plain_path(b"./a//b/./c").unwrap(), "a/b/c");
}

#[test]
fn what_is_no_archive_is_refused() {
    let whole = packed(|tar| {
        tar.append(&header(b"package.json", 2, tar::EntryType::Regular), &b"{}"[..])
            .unwrap();
    });
    for bytes in [&b""[..], b"hello", &whole[..whole.len() / 2], &packed(|_| {})] {
        reason(read(bytes));
        reason(zip(Cursor::new(bytes), |_| true));
    }
    let mut plain = GzEncoder::new(Vec::new(), Compression::fast());
    plain.write_all(&[b'x'; 4000]).unwrap();
    reason(read(&plain.finish().unwrap()));
}

#[test]
fn a_bomb_is_left_when_it_grows_too_large() {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    let size = 300 * 1024 * 1024;
    let zeros = std::io::repeat(0).take(size);
    tar.append(&header(b"zeros", size, tar::EntryType::Regular), zeros).unwrap();
    let bytes = tar.into_inner().unwrap().finish().unwrap();
    assert!(bytes.len() < 2 * 1024 * 1024);
    assert!(reason(read(&bytes)).contains("expands to too many bytes"));
}

#[test]
fn a_member_asked_for_has_a_cap() {
    let size = MAX_MEMBER + 1;
    let bytes = packed(|tar| {
        let random: Vec<u8> = (0..size).map(|at| (at * 31 % 251) as u8).collect();
        tar.append(&header(b"package.json", size, tar::EntryType::Regular), &random[..])
            .unwrap();
    });
    assert!(reason(read(&bytes)).contains("too large"));
}

#[test]
fn too_many_entries_and_huge_headers_are_refused() {
    let bytes = packed(|tar| {
        for _ in 0..=MAX_ENTRIES {
            tar.append(&header(b"a", 0, tar::EntryType::Regular), &b""[..]).unwrap();
        }
    });
    assert!(reason(read(&bytes)).contains("too many entries"));
    for kind in [tar::EntryType::GNULongName, tar::EntryType::XHeader] {
        let size = 20 * 1024 * 1024;
        let bytes = packed(|tar| {
            let many = std::io::repeat(b'a').take(size);
            tar.append(&header(b"x", size, kind), many).unwrap();
        });
        assert!(reason(read(&bytes)).contains("header that is too large"));
    }
}

#[test]
fn a_digest_tells_what_is_held_and_not_when_it_was_packed() {
    use tar::EntryType::{Regular, Symlink};
    let digest = |name: &[u8], content: &[u8], kind, mtime, mode, link: &[u8]| {
        let bytes = packed(|tar| {
            let mut header = header(name, content.len() as u64, kind);
            header.set_mtime(mtime);
            header.set_mode(mode);
            header.as_old_mut().linkname[..link.len()].copy_from_slice(link);
            header.set_cksum();
            tar.append(&header, content).unwrap();
        });
        tar_digest(&bytes[..], bytes.len() as u64, Packing::Gzip).unwrap()
    };
    let first = digest(b"a", b"x", Regular, 1, 0o644, b"");
    assert_eq!(first, digest(b"./a", b"x", Regular, 2, 0o600, b""));
    let others = [
        digest(b"b", b"x", Regular, 1, 0o644, b""),
        digest(b"a", b"y", Regular, 1, 0o644, b""),
        digest(b"a", b"", Regular, 1, 0o644, b""),
        digest(b"a", b"x", Regular, 1, 0o755, b""),
        digest(b"a", b"", Symlink, 1, 0o644, b"b"),
        digest(b"a", b"", Symlink, 1, 0o644, b"c"),
        tar_digest(&packed(|_| {})[..], 100, Packing::Gzip).unwrap(),
    ];
    for (at, other) in others.iter().enumerate() {
        assert!(*other != first && !others[..at].contains(other), "{at}");
    }
}

#[test]
fn zeros_are_an_empty_archive_only_if_they_are_few() {
    let digest = |bytes: &[u8]| {
        tar_digest(bytes, bytes.len() as u64, Packing::Gzip).map(|_| Contents::default())
    };
    assert!(digest(&packed(|_| {})).is_ok());
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..64 {
        bomb.write_all(&vec![0; 1024 * 1024]).unwrap();
    }
    assert!(reason(digest(&bomb.finish().unwrap())).contains("too many bytes"));
}

fn packed_with(packing: Packing, bytes: &[u8]) -> Vec<u8> {
    match packing {
        Packing::Gzip => {
            let mut packed = GzEncoder::new(Vec::new(), Compression::best());
            packed.write_all(bytes).unwrap();
            packed.finish().unwrap()
        }
        Packing::Xz => xz(bytes, 1),
        Packing::Zstd => compress_to_vec(bytes, CompressionLevel::Fastest),
    }
}

fn xz(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut packed = XzWriter::new(Vec::new(), XzOptions::with_preset(level)).unwrap();
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

fn tar_of(name: &[u8]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    let header = header(name, 1, tar::EntryType::Regular);
    builder.append(&header, &b"x"[..]).unwrap();
    builder.into_inner().unwrap()
}

#[test]
fn every_packing_of_a_tarball_has_caps() {
    let (plain, evil) = (tar_of(b"include/a.h"), tar_of(b"../a.h"));
    let bomb = vec![0; 64 * 1024 * 1024];
    let mut digests = Vec::new();
    for packing in [Packing::Gzip, Packing::Xz, Packing::Zstd] {
        let digest = |bytes: &[u8]| tar_digest(bytes, bytes.len() as u64, packing);
        let refusal = |bytes: &[u8]| reason(digest(bytes).map(|_| Contents::default()));
        let pack = |bytes: &[u8]| packed_with(packing, bytes);
        let whole = pack(&plain);
        digests.push(digest(&whole).unwrap());
        // Streams that follow one another are one archive.
        let (one, two) = plain.split_at(700);
        digests.push(digest(&[pack(one), pack(two)].concat()).unwrap());

        assert!(refusal(&whole[..whole.len() / 2]).contains("cannot be read"));
        assert!(refusal(b"no archive").contains("cannot be read"));
        assert!(refusal(&pack(&evil)).contains("unsafe name"));
        assert!(refusal(&pack(&bomb)).contains("too many bytes"));
    }
    assert!(digests.iter().all(|digest| *digest == digests[0]));
}

#[test]
fn an_archive_that_takes_much_memory_is_refused() {
    let refusal = |bytes: &[u8], packing| {
        let digest = tar_digest(bytes, bytes.len() as u64, packing);
        reason(digest.map(|_| Contents::default()))
    };
    let plain = tar_of(b"a");
    assert!(tar_digest(&xz(&plain, 8)[..], 1_000, Packing::Xz).is_ok());
    assert!(refusal(&xz(&plain, 9), Packing::Xz).contains("too much memory"));
    // A frame without bytes: magic number, window of 64 MiB, last block.
    let frame = |window: u8| [b"\x28\xb5\x2f\xfd\0", &[window, 1, 0, 0][..]].concat();
    assert!(refusal(&frame(16 << 3), Packing::Zstd).contains("too much memory"));
    assert!(tar_digest(&frame(15 << 3)[..], 9, Packing::Zstd).is_ok());
    // What is to be skipped is (RFC 8878, section 3.1.2), if it is there.
    let skipped = b"\x50\x2a\x4d\x18\x02\0\0\0ab";
    let behind = [skipped, &packed_with(Packing::Zstd, &plain)[..]].concat();
    assert!(tar_digest(&behind[..], 1_000, Packing::Zstd).is_ok());
    assert!(refusal(&skipped[..9], Packing::Zstd).contains("cannot be read"));
}

fn zipped(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        let options = ::zip::write::SimpleFileOptions::default();
        writer.start_file(*name, options).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
fn a_zip_gives_the_members_asked_for() {
    let bytes = zipped(&[("a.dist-info/METADATA", b"Name: a"), ("a/__init__.py", b"")]);
    let contents = zip(Cursor::new(&bytes), |path| path.ends_with("METADATA")).unwrap();
    assert_eq!(contents.members[0].bytes, b"Name: a");
    assert_eq!(contents.files, 2);
}

#[test]
fn members_of_a_zip_are_handed_on_within_a_cap() {
    let large = vec![7; 5 * 1024 * 1024];
    let bytes = zipped(&[("a.pdb", &large), ("b.txt", b""), ("lib/b.pdb", b"b")]);
    let visited = |most: u64| {
        let mut seen = Vec::new();
        let all = visit_zip(
            Cursor::new(&bytes),
            |path| path.ends_with(".pdb"),
            most,
            |path, from| {
                let mut read = Vec::new();
                from.read_to_end(&mut read).map_err(unreadable)?;
                seen.push((path.to_owned(), read.len()));
                Ok(())
            },
        );
        all.map(|()| seen)
    };
    let whole = [("a.pdb".to_owned(), large.len()), ("lib/b.pdb".into(), 1)];
    assert_eq!(visited(large.len() as u64 + 1).unwrap(), whole);
    let error = visited(large.len() as u64).unwrap_err();
    assert!(error.to_string().contains("expands to too many bytes"));
}

#[test]
fn hostile_zips_are_refused() {
    for name in ["../x", "/x", "a\\..\\x"] {
        let bytes = zipped(&[(name, b"x")]);
        assert!(reason(zip(Cursor::new(&bytes), |_| true)).contains("unsafe name"));
    }
    let zeros = vec![0; 5 * 1024 * 1024];
    let bytes = zipped(&[("zeros", &zeros)]);
    assert!(reason(zip(Cursor::new(&bytes), |_| true)).contains("too large"));
    let mut many = zipped(&[("a", b"x")]);
    let end = many.len() - 22;
    many[end + 10..end + 12].copy_from_slice(&u16::MAX.to_le_bytes());
    assert!(reason(zip(Cursor::new(&many), |_| true)).contains("too many entries"));
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(0u8..=255, 0..600)) {
        hostile(&bytes);
    }
}
