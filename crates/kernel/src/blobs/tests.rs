use futures_util::stream;
use std::path::Path;
use std::time::Duration;

use super::writing::PART;
use super::*;

fn body(parts: &[&[u8]]) -> impl Stream<Item = Result<Bytes>> + Unpin + Send + use<> {
    let parts: Vec<_> = parts.iter().map(|part| Ok(Bytes::copy_from_slice(part))).collect();
    stream::iter(parts)
}

fn disk() -> (tempfile::TempDir, Blobs) {
    let directory = tempfile::tempdir().unwrap();
    let url = url::Url::from_directory_path(directory.path().join("deep/er")).unwrap();
    let blobs = Blobs::open(url.as_str()).unwrap();
    (directory, blobs)
}

/// The path of S3 over a store in memory.
fn remote() -> (tempfile::TempDir, Blobs) {
    let directory = tempfile::tempdir().unwrap();
    let store = Arc::new(object_store::memory::InMemory::new());
    let blobs = Blobs::over(store, directory.path().to_owned(), None);
    (directory, blobs)
}

fn both() -> [(tempfile::TempDir, Blobs); 2] {
    [disk(), remote()]
}

fn leftovers(blobs: &Blobs) -> usize {
    std::fs::read_dir(blobs.spool.as_path()).unwrap().count()
}

async fn read(blobs: &Blobs, key: &str, range: Option<Range<u64>>) -> (u64, Vec<u8>) {
    let (total, bytes) = blobs.get(key, range).await.unwrap();
    let parts: Vec<Bytes> = bytes.try_collect().await.unwrap();
    (total, parts.concat())
}

async fn keys(blobs: &Blobs) -> Vec<String> {
    blobs.list().map_ok(|(key, _, _)| key).try_collect().await.unwrap()
}

#[tokio::test]
async fn bytes_come_back_with_all_digests() {
    for (_directory, blobs) in both() {
        let stored = blobs.put(body(&[b"a", b"", b"bc"]), Some(3)).await.unwrap();
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(stored.key, format!("sha256/ba/{}", &sha256[2..]));
        assert_eq!((stored.size, stored.sha256.as_str()), (3, sha256));
        assert_eq!(stored.md5, "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(stored.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert!(stored.sha512.starts_with("ddaf35a193617abacc417349ae204131"));
        assert_eq!(read(&blobs, &stored.key, None).await, (3, b"abc".to_vec()));
        assert!(blobs.exists(&stored.key).await.unwrap());
        assert!(blobs.verify(&stored.key).await.unwrap());
        assert_eq!(leftovers(&blobs), 0);
    }
}

#[tokio::test]
async fn the_empty_blob_and_a_large_one() {
    for (_directory, blobs) in both() {
        let empty = blobs.put(body(&[]), Some(0)).await.unwrap();
        assert_eq!(read(&blobs, &empty.key, None).await, (0, vec![]));

        let large: Vec<u8> = (0..PART * 2 + 17).map(|n| (n % 251) as u8).collect();
        let parts: Vec<&[u8]> = large.chunks(700_001).collect();
        let stored = blobs.put(body(&parts), None).await.unwrap();
        assert_eq!(stored.size, large.len() as u64);
        assert!(read(&blobs, &stored.key, None).await.1 == large);
        let (from, to) = (PART - 5, PART + 7);
        let part = read(&blobs, &stored.key, Some(from as u64..to as u64)).await;
        assert_eq!(part, (stored.size, large[from..to].to_vec()));
        assert!(blobs.verify(&stored.key).await.unwrap());
    }
}

#[tokio::test]
async fn ranges_are_clamped_or_refused() {
    for (_directory, blobs) in both() {
        let key = blobs.put(body(&[b"0123456789"]), None).await.unwrap().key;
        assert_eq!(read(&blobs, &key, Some(2..5)).await, (10, b"234".to_vec()));
        assert_eq!(read(&blobs, &key, Some(8..99)).await, (10, b"89".to_vec()));
        for range in [10..11, 99..100, 3..3] {
            let refused = blobs.get(&key, Some(range)).await.err();
            assert!(matches!(refused, Some(Error::RangeNotSatisfiable(10))), "{refused:?}");
        }
    }
}

#[tokio::test]
async fn a_body_over_the_limit_leaves_nothing() {
    for (_directory, blobs) in both() {
        let refused = blobs.put(body(&[b"abc", b"d"]), Some(3)).await;
        assert!(matches!(refused, Err(Error::TooLarge)), "{refused:?}");
        assert_eq!((leftovers(&blobs), keys(&blobs).await.len()), (0, 0));
    }
}

#[tokio::test]
async fn an_aborted_body_leaves_nothing() {
    for (_directory, blobs) in both() {
        let parts = vec![Ok(Bytes::from(vec![1; BIG])), Err(Error::BadRequest("gone".into()))];
        let refused = blobs.put(stream::iter(parts), None).await;
        assert!(matches!(refused, Err(Error::BadRequest(_))), "{refused:?}");

        let endless = body(&[&[1; BIG]]).chain(stream::pending());
        let dropped = tokio::time::timeout(std::time::Duration::from_millis(300), async {
            blobs.put(endless.boxed(), None).await
        });
        assert!(dropped.await.is_err());
        assert_eq!((leftovers(&blobs), keys(&blobs).await.len()), (0, 0));
    }
}

const BIG: usize = 3 * 1024 * 1024;

#[tokio::test(flavor = "multi_thread")]
async fn parallel_equal_puts_share_one_blob() {
    for (_directory, blobs) in both() {
        let content = vec![7; BIG];
        let puts = (0..16).map(|_| {
            let (blobs, content) = (blobs.clone(), content.clone());
            tokio::spawn(async move { blobs.put(body(&[&content]), None).await.unwrap().key })
        });
        for put in futures_util::future::join_all(puts).await {
            assert_eq!(vec![put.unwrap()], keys(&blobs).await);
        }
        assert_eq!(leftovers(&blobs), 0);
    }
}

#[tokio::test]
async fn clean_up_takes_only_the_old() {
    for (_directory, blobs) in both() {
        let key = blobs.put(body(&[b"abc"]), None).await.unwrap().key;
        let now = Timestamp::now();
        let listed: Vec<_> = blobs.list().try_collect().await.unwrap();
        let (found, size, modified) = &listed[0];
        assert_eq!((found, *size), (&key, 3));
        assert!((modified.as_second() - now.as_second()).abs() < 60);

        let earlier = Timestamp::from_second(now.as_second() - 60).unwrap();
        assert!(!blobs.delete_older(&key, earlier).await.unwrap());
        assert!(blobs.exists(&key).await.unwrap());
        let later = Timestamp::from_second(now.as_second() + 60).unwrap();
        assert!(blobs.delete_older(&key, later).await.unwrap());
        assert!(!blobs.exists(&key).await.unwrap());
        assert!(blobs.delete_older(&key, later).await.unwrap());
        blobs.delete(&key).await.unwrap();
    }
}

#[tokio::test]
async fn putting_again_makes_young_and_heals() {
    let (directory, blobs) = disk();
    let key = blobs.put(body(&[b"abc"]), None).await.unwrap().key;
    let file = directory.path().join("deep/er").join(&key);
    std::fs::write(&file, b"abX").unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(200_000);
    std::fs::File::open(&file).unwrap().set_modified(long_ago).unwrap();
    assert!(!blobs.verify(&key).await.unwrap());

    blobs.put(body(&[b"abc"]), None).await.unwrap();
    let day_ago = Timestamp::from_second(Timestamp::now().as_second() - GRACE_SECONDS).unwrap();
    assert!(!blobs.delete_older(&key, day_ago).await.unwrap());
    assert!(blobs.verify(&key).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn clean_up_racing_a_put_never_loses_it() {
    let (directory, blobs) = disk();
    let content = vec![3; 10_000];
    let key = blobs.put(body(&[&content]), None).await.unwrap().key;
    let file = directory.path().join("deep/er").join(&key);
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(200_000);
    let day_ago = Timestamp::from_second(Timestamp::now().as_second() - GRACE_SECONDS).unwrap();
    // As another process that shares the disk would.
    let other = Blobs::open(directory.path().join("deep/er").to_str().unwrap()).unwrap();
    for _ in 0..50 {
        std::fs::File::open(&file).unwrap().set_modified(long_ago).unwrap();
        let put = tokio::spawn({
            let (blobs, content) = (blobs.clone(), content.clone());
            async move { blobs.put(body(&[&content]), None).await.unwrap() }
        });
        let cleaned = other.delete_older(&key, day_ago);
        let (put, cleaned) = tokio::join!(put, cleaned);
        put.unwrap();
        cleaned.unwrap();
        assert!(blobs.exists(&key).await.unwrap());
    }
}

#[tokio::test]
async fn absent_blobs_and_foreign_keys_are_refused() {
    for (_directory, blobs) in both() {
        let key = key_of(&"ab".repeat(32));
        assert!(matches!(blobs.get(&key, None).await.err(), Some(Error::NotFound("File"))));
        assert!(matches!(blobs.get(&key, Some(0..1)).await.err(), Some(Error::NotFound("File"))));
        assert!(!blobs.exists(&key).await.unwrap());
        let upper = key.to_uppercase();
        for key in ["", "../x", "/etc/passwd", "sha256/../../x", "tmp/x", &key[..50], &upper] {
            assert!(matches!(blobs.get(key, None).await.err(), Some(Error::Internal(_))), "{key}");
            assert!(blobs.delete(key).await.is_err());
        }
    }
}

#[tokio::test]
async fn small_reads_are_capped() {
    for (_directory, blobs) in both() {
        let key = blobs.put(body(&[b"abcd"]), None).await.unwrap().key;
        assert_eq!(blobs.read_small(&key, 4).await.unwrap(), "abcd");
        assert!(matches!(blobs.read_small(&key, 3).await, Err(Error::TooLarge)));
    }
}

fn age(path: &Path, seconds: u64) {
    let then = std::time::SystemTime::now() - Duration::from_secs(seconds);
    File::open(path).unwrap().set_modified(then).unwrap();
}

#[tokio::test]
async fn only_what_nobody_writes_is_swept() {
    let (_directory, blobs) = disk();
    let [left, young, written] = ["left", "young", "written"].map(|name| blobs.spool.join(name));
    for path in [&left, &young, &written] {
        std::fs::write(path, b"x").unwrap();
    }
    age(&left, 120);
    age(&written, 200_000);
    let writer = File::open(&written).unwrap();
    writer.lock().unwrap();

    Blobs::open(blobs.spool.parent().unwrap().to_str().unwrap()).unwrap();
    assert!(!left.exists() && young.exists() && written.exists());

    drop(writer);
    blobs.sweep_spool().await.unwrap();
    assert!(young.exists() && !written.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn sweeps_disturb_neither_uploads_nor_each_other() {
    let (_directory, blobs) = disk();
    let sweeps: Vec<_> = (0..3)
        .map(|_| {
            let blobs = blobs.clone();
            tokio::spawn(async move {
                for _ in 0..50 {
                    blobs.sweep_spool().await.unwrap();
                }
            })
        })
        .collect();
    for number in 0..50 {
        let left = blobs.spool.join(format!("left-{number}"));
        std::fs::write(&left, b"x").unwrap();
        if let Ok(file) = File::open(&left) {
            let then = std::time::SystemTime::now() - Duration::from_secs(120);
            file.set_modified(then).unwrap();
        }
        blobs.put(body(&[b"abc"]), None).await.unwrap();
    }
    for sweep in sweeps {
        sweep.await.unwrap();
    }
    blobs.sweep_spool().await.unwrap();
    assert_eq!(leftovers(&blobs), 0);
}

#[tokio::test]
async fn a_slow_upload_is_not_swept() {
    let (_directory, blobs) = disk();
    let (send, receive) = tokio::sync::mpsc::unbounded_channel::<Bytes>();
    let parts = stream::unfold(receive, |mut receive| async {
        receive.recv().await.map(|bytes| (Ok(bytes), receive))
    });
    let upload = tokio::spawn({
        let blobs = blobs.clone();
        async move { blobs.put(parts.boxed(), None).await }
    });
    send.send(Bytes::from_static(b"slow")).unwrap();
    while leftovers(&blobs) == 0 {
        tokio::task::yield_now().await;
    }
    let entry = std::fs::read_dir(blobs.spool.as_path()).unwrap().next();
    age(&entry.unwrap().unwrap().path(), 200_000);

    blobs.sweep_spool().await.unwrap();
    drop(send);

    assert_eq!(upload.await.unwrap().unwrap().size, 4);
}

#[tokio::test]
async fn refused_bytes_leave_nothing() {
    for (_directory, blobs) in both() {
        let refused = blobs
            .put_if(body(&[b"abc"]), None, |stored| {
                assert_eq!(stored.size, 3);
                Err(Error::BadRequest("not what was said".into()))
            })
            .await;
        assert!(matches!(refused, Err(Error::BadRequest(_))), "{refused:?}");
        assert_eq!((leftovers(&blobs), keys(&blobs).await.len()), (0, 0));
    }
}

#[test]
fn unusable_places_are_refused() {
    for url in ["s3://", "ftp://x/y", "file://host.example/x"] {
        assert!(Blobs::open(url).is_err(), "{url}");
    }
}

#[tokio::test]
async fn moved_bytes_are_counted() {
    for (_directory, blobs) in both() {
        let metrics = Metrics::default();
        let blobs = blobs.counted(metrics.clone());
        let key = blobs.put(body(&[b"0123456789"]), None).await.unwrap().key;
        read(&blobs, &key, Some(0..4)).await;
        let text = metrics.render();
        assert!(text.contains("blob_bytes_total{direction=\"in\"} 10"), "{text}");
        assert!(text.contains("blob_bytes_total{direction=\"out\"} 4"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_read_at_once_keep_to_their_own_bytes() {
    let (_directory, blobs) = disk();
    let mut stored = Vec::new();
    for number in 0..4_u8 {
        let content = vec![number; 700_000 + usize::from(number)];
        stored.push((number, blobs.put(body(&[&content]), None).await.unwrap()));
    }

    let reads = (0..64).map(|turn| {
        let (number, blob) = stored[turn % 4].clone();
        let (blobs, start) = (blobs.clone(), turn as u64 * 9_973);
        tokio::spawn(async move {
            let (_, bytes) = read(&blobs, &blob.key, Some(start..blob.size)).await;
            (number, blob.size - start, bytes)
        })
    });

    for done in futures_util::future::join_all(reads).await {
        let (number, length, bytes) = done.unwrap();
        assert_eq!(bytes.len() as u64, length);
        assert!(bytes.iter().all(|byte| *byte == number), "{number}");
    }
}

#[tokio::test]
async fn what_was_read_lately_is_still_what_is_stored() {
    let (directory, blobs) = disk();
    let content = vec![7; 300_000];
    let key = blobs.put(body(&[&content]), None).await.unwrap().key;
    let file = directory.path().join("deep/er").join(&key);
    assert_eq!(read(&blobs, &key, None).await, (300_000, content.clone()));
    // The second reader needs the file no more, whole or in part.
    std::fs::write(&file, b"damaged").unwrap();
    assert_eq!(read(&blobs, &key, None).await, (300_000, content.clone()));
    let part = read(&blobs, &key, Some(299_990..900_000)).await;
    assert_eq!(part, (300_000, vec![7; 10]));
    for beyond in [300_000..300_001, 5..5] {
        let refused = blobs.get(&key, Some(beyond)).await.err();
        assert!(matches!(refused, Some(Error::RangeNotSatisfiable(300_000))));
    }
    // Who looks for damage sees it.
    assert!(!blobs.verify(&key).await.unwrap());

    blobs.delete(&key).await.unwrap();
    assert!(matches!(blobs.get(&key, None).await.err(), Some(Error::NotFound("File"))));
    blobs.put(body(&[&content]), None).await.unwrap();
    assert_eq!(read(&blobs, &key, None).await, (300_000, content));
}

#[tokio::test]
async fn what_is_large_is_read_where_it_is() {
    let (directory, blobs) = disk();
    let content = vec![7; recent::LARGEST as usize + 1];
    let key = blobs.put(body(&[&content]), None).await.unwrap().key;
    assert_eq!(read(&blobs, &key, None).await.1, content);
    let file = directory.path().join("deep/er").join(&key);
    std::fs::write(&file, b"other").unwrap();
    assert_eq!(read(&blobs, &key, None).await, (5, b"other".to_vec()));
}

#[tokio::test]
async fn a_blob_becomes_a_file() {
    for (directory, blobs) in both() {
        let stored = blobs.put(body(&[b"some ", b"bytes"]), None).await.unwrap();
        let folder = tempfile::tempdir_in(directory.path()).unwrap();
        let path = folder.path().join("file");
        for _ in 0..2 {
            blobs.place(&stored.key, &path).await.unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"some bytes");
        }
        let other = folder.path().join("other");
        let absent = blobs.place(&key_of(&"0".repeat(64)), &other).await;
        assert!(matches!(absent, Err(Error::NotFound(_))));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
