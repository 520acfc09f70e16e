//! What attackers send (docs/interface/monitoring.md «Bad input and abuse»).

use crate::error_tracking::encodings::{gzip, zlib};
use crate::error_tracking::{Tracker, envelope, event, statements};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sha2::{Digest, Sha256};

/// An attachment of 5 MiB of spaces as Brotli, for which Rust has no small
/// encoder.
const BROTLI: &str = "9b18005000041c727ea176c1585bb90a36a725a29d76e6ee126bedb9f74f9e00";

#[testkit::story]
async fn bombs_are_stopped_at_the_limit(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    t.admin()
        .put("/application/settings")
        .json(&json!({"error_tracking_max_decompressed_size": 4}))
        .await
        .is(200);
    let zeros = vec![b' '; 5 << 20];
    let bomb = [b"{}\n{\"type\":\"attachment\"}\n".as_slice(), &zeros].concat();
    for (encoding, bytes) in [
        ("gzip", gzip(&bomb)),
        ("deflate", zlib(&bomb)),
        ("zstd", zstd::encode_all(bomb.as_slice(), 3).unwrap()),
        ("br", hex::decode(BROTLI).unwrap()),
        ("identity", bomb.clone()),
    ] {
        let stopped =
            tracker.to("envelope").header("content-encoding", encoding).bytes(bytes).await;
        assert!(stopped.is(413).json()["detail"].is_string(), "{encoding}");
    }
    let packed = zlib(&[b"{\"message\":\"".as_slice(), &zeros, b"\"}"].concat());
    tracker.to("store").bytes(STANDARD.encode(&packed)).await.is(413);
    tracker
        .to("store")
        .header("content-encoding", "deflate")
        .bytes(packed)
        .await
        .is(413);
    // What hardly compresses is stopped as it is sent, in either form.
    let mut dense = Vec::new();
    for n in 0..20_000_u32 {
        dense.extend_from_slice(hex::encode(Sha256::digest(n.to_le_bytes())).as_bytes());
    }
    let packed = zlib(&[b"{\"message\":\"".as_slice(), &dense[..600 << 10], b"\"}"].concat());
    assert!(packed.len() > 200 << 10);
    tracker.to("store").bytes(STANDARD.encode(&packed)).await.is(413);
    tracker
        .to("store")
        .header("content-encoding", "deflate")
        .bytes(packed)
        .await
        .is(413);
    assert!(tracker.errors().await.is_empty());
}

#[testkit::story]
async fn envelopes_that_lie_are_refused(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let long = "x".repeat(1 << 20);
    for (body, status) in [
        ("{}\n{\"type\":\"event\",\"length\":99}\n{}\n".to_owned(), 400),
        ("{}\n{\"type\":\"event\",\"length\":-1}\n{}\n".into(), 400),
        ("{}\n{\"type\":\"span\",\"length\":9223372036854775808}\n{}\n".into(), 400),
        ("{}\n{\"type\":\"event\",\"length\":9223372036854775808}\n{}\n".into(), 413),
        ("{}\n{\"type\":\"event\",\"length\":1}\n{}\n".into(), 400),
        (format!("{{}}\n{}", "{\"type\":\"span\"}\n\n".repeat(5_000)), 413),
        (format!("{{}}\n{}", "{\"type\":\"session\"}\n\n".repeat(101)), 413),
        (format!("{{\"x\":\"{long}\"}}\n"), 413),
        (format!("{{}}\n{{\"type\":\"{long}\"}}\n"), 413),
        (envelope(&json!({"message": long})), 413),
        (String::new(), 400),
    ] {
        let asked = tracker.to("envelope").bytes(body.clone()).await;
        assert_eq!(asked.status, status, "{:.60} {asked:?}", body);
    }
    assert!(tracker.errors().await.is_empty());
}

#[testkit::story]
async fn nested_and_wide_events_are_read_or_refused(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let body = format!("{{}}\n{{\"type\":\"event\"}}\n{{\"message\":\"m\",\"extra\":{deep}}}\n");
    let asked = tracker.to("envelope").bytes(body).await;
    assert!(matches!(asked.status, 200 | 400), "{asked:?}");
    let wide = vec![json!({}); 200_000];
    let frames = json!({"exception": [{"type": "E", "stacktrace": {"frames": wide}}]});
    tracker.report(frames).await.is(200);
    let mut binary = b"{}\n{\"type\":\"event\"}\n{\"message\":\"".to_vec();
    binary.extend_from_slice(&[0xff, 0xfe, b'"', b'}']);
    tracker.to("envelope").bytes(binary).await.is(400);
}

#[testkit::story]
async fn random_keys_never_write(t: testkit::TestServer) {
    let tracker = Tracker::new(&t, "acme/anvil").await;
    let body = envelope(&event("E", "v"));
    for n in 0..50 {
        let path = format!("{}?sentry_key=svet_{n:032}", tracker.endpoint("envelope"));
        t.anonymous().post(path).bytes(body.clone()).await.is(404);
    }
    assert_eq!(statements(&t), 50, "one look each");
}
