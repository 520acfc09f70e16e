//! Compressed bodies (docs/interface/monitoring.md 6.2).

use crate::error_tracking::{Tracker, envelope, event};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use std::io::Write;

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::best());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut writer = ZlibEncoder::new(Vec::new(), Compression::best());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

#[testkit::story]
async fn every_encoding_and_transfer_is_taken(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let body = envelope(&event("E", "v"));
    let mut sent = 0;
    for (encoding, bytes) in [
        ("gzip", gzip(body.as_bytes())),
        ("x-gzip", gzip(body.as_bytes())),
        ("deflate", zlib(body.as_bytes())),
        ("zstd", zstd::encode_all(body.as_bytes(), 3).unwrap()),
        ("identity", body.clone().into_bytes()),
    ] {
        tracker
            .to("envelope")
            .header("content-encoding", encoding)
            .bytes(bytes.clone())
            .await
            .is(200);
        // In pieces, with no length told.
        let pieces: Vec<_> =
            bytes.chunks(50).map(|piece| Ok::<_, std::io::Error>(piece.to_vec())).collect();
        let pieces = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
        tracker
            .to("envelope")
            .header("content-encoding", encoding)
            .stream(pieces)
            .await
            .is(200);
        sent += 2;
    }
    assert_eq!(tracker.only_error().await["events_count"], sent);
}

#[testkit::story]
async fn the_old_endpoint_takes_what_old_clients_make(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let body = zlib(event("E", "v").to_string().as_bytes());
    tracker
        .to("store")
        .header("content-encoding", "deflate")
        .bytes(body.clone())
        .await
        .is(200);
    let base64 = STANDARD.encode(body);
    tracker
        .to("store")
        .header("content-type", "application/octet-stream")
        .bytes(base64)
        .await
        .is(200);
    assert_eq!(tracker.only_error().await["events_count"], 2);
}

#[testkit::story]
async fn broken_compression_is_refused(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    for encoding in ["gzip", "deflate", "br", "zstd"] {
        tracker
            .to("envelope")
            .header("content-encoding", encoding)
            .bytes(envelope(&event("E", "v")))
            .await
            .is(400);
    }
    let mut cut = gzip(envelope(&event("E", "v")).as_bytes());
    cut.truncate(cut.len() / 2);
    tracker
        .to("envelope")
        .header("content-encoding", "gzip")
        .bytes(cut)
        .await
        .is(400);
    assert!(tracker.errors().await.is_empty());
}
