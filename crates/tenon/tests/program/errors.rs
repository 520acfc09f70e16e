//! Errors that programs report, met by the built program: killed in a storm,
//! on two nodes, and under bombs.

use crate::large::growth;
use crate::place::{Place, Server, project};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use futures_util::stream;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use store::sql;
use testkit::{Client, run};

/// Most bytes by which the server's memory may grow under attack.
const MAX_GROWTH: u64 = 96 << 20;
/// Chunks of an endless body, each of a mebibyte.
const CHUNKS: usize = 160;
/// An attachment of 120 MiB of spaces as Brotli, for which Rust has no small
/// encoder.
const BROTLI: &str = "cbffff3fe08dd3653474acbc5600d1d953227d0d882ad03c266f218767de59c293b183deff19ffffffe0\
    970088c32200ddfb3ffeffffc12f0110870500baf77ffcffff835f02200e0b0074effff8ffff07bf0440\
    1c1600e8defff1ffff0f7e0980382c00d0bdffe3ffff1ffc1200715800a07bffc7ffff3ff82500e2b000\
    40f7fe8fffff7ff04b00c4610180eefd1fffffffe0970088c30200ddfb3ffeffffc12f0110870500baf7\
    7ffcffff835f02200e0b0074effff8ffff07bf04401c1600e8defff1ffff0f7e0980382c00d0bdffe3ff\
    ff1ffc1200715800a07bff171800f8250082880060";

/// Switches error tracking on; where reports go, below `/api/v4`.
async fn endpoint(client: &Client) -> String {
    let project = project(client).await;
    let on = json!({"active": true, "integrated": true});
    let settings = format!("{project}/error_tracking/settings");
    client.put(settings).json(&on).await.is(200);
    let limits = json!({"error_tracking_events_per_five_minutes": 1_000_000,
        "error_tracking_events_per_hour": 1_000_000});
    client.put("/application/settings").json(&limits).await.is(200);
    let key = client.post(format!("{project}/error_tracking/client_keys")).await.is(201);
    let key = key.json()["public_key"].as_str().unwrap_or_default().to_owned();
    let id = project.rsplit('/').next().unwrap_or_default();
    format!("/error_tracking/collector/api/{id}/envelope/?sentry_key={key}")
}

fn envelope(n: u64) -> String {
    let event = json!({"event_id": format!("{n:032x}"), "platform": "rust",
        "exception": [{"type": "E", "value": n.to_string()}]});
    format!("{{}}\n{{\"type\":\"event\"}}\n{event}\n")
}

/// Sends events until the server is gone or there are `most`; how many were
/// acknowledged.
async fn storm(
    server: &Server, path: &str, programs: u64, first: u64, most: u64,
) -> Arc<AtomicU64> {
    let acknowledged: Arc<AtomicU64> = Arc::default();
    for program in 0..programs {
        let (client, path) = (Client::nobody(&server.url), path.to_owned());
        let acknowledged = acknowledged.clone();
        tokio::spawn(async move {
            for n in (0..most).skip(program as usize).step_by(programs as usize) {
                match client.post(&path).bytes(envelope(first + n)).try_send().await {
                    Ok(reply) if reply.status == 200 => acknowledged.fetch_add(1, Ordering::SeqCst),
                    _ => return,
                };
            }
        });
    }
    acknowledged
}

async fn at_least(count: &AtomicU64, wanted: u64) {
    crate::place::until("events are acknowledged", async || count.load(Ordering::SeqCst) >= wanted)
        .await;
}

/// What the database has: events, and what is counted in three places.
async fn counted(place: &Place) -> (i64, i64, i64) {
    place
        .row(sql!(
            "select (select count(*) from error_tracking_events),
                (select cast(sum(events_count) as bigint) from error_tracking_errors),
                (select cast(sum(events_count) as bigint) from error_tracking_hours)"
        ))
        .await
}

#[test]
fn a_killed_server_loses_no_acknowledged_event() {
    run(async {
        for place in Place::both() {
            let server = place.serve();
            let path = endpoint(&server.client(&place.token())).await;
            let acknowledged = storm(&server, &path, 8, 0, 100_000).await;
            at_least(&acknowledged, 200).await;
            server.kill();
            let promised = acknowledged.load(Ordering::SeqCst) as i64;

            let again = place.serve();
            let (events, of_errors, of_hours) = counted(&place).await;
            assert!(events >= promised, "{events} of {promised}");
            assert_eq!((of_errors, of_hours), (events, events));
            let more = storm(&again, &path, 2, 1 << 40, 10).await;
            at_least(&more, 10).await;
        }
    });
}

#[test]
fn two_nodes_count_exactly() {
    run(async {
        let Some(place) = Place::postgres() else {
            return;
        };
        let (one, two) = (place.serve(), place.serve());
        let path = endpoint(&one.client(&place.token())).await;
        let first = storm(&one, &path, 16, 0, 500).await;
        let second = storm(&two, &path, 16, 1 << 40, 500).await;
        at_least(&first, 500).await;
        at_least(&second, 500).await;
        assert_eq!(counted(&place).await, (1_000, 1_000, 1_000));
        let errors: i64 = place.row(sql!("select count(*) from error_tracking_errors")).await;
        assert_eq!(errors, 1);
    });
}

#[test]
fn bombs_and_endless_bodies_take_little_memory() {
    run(async {
        let place = Place::sqlite();
        let server = place.serve();
        let path = endpoint(&server.client(&place.token())).await;
        let client = Client::nobody(&server.url);
        client.post(&path).bytes(envelope(1)).await.is(200);

        for (encoding, bomb) in bombs() {
            let attack = storm_of(&client, &path, encoding, &bomb);
            let (statuses, grown) = growth(&server, attack).await;
            assert!(are_stopped(&statuses), "{encoding}: {statuses:?}");
            assert!(grown <= MAX_GROWTH, "{encoding} took {grown} bytes");
        }
        let store = path.replace("/envelope/", "/store/");
        let packed = zlib(b"{\"message\":\"", &vec![b' '; 120 << 20]);
        let packed = Bytes::from(STANDARD.encode(packed));
        let attack = storm_of(&client, &store, "identity", &packed);
        let (statuses, grown) = growth(&server, attack).await;
        assert!(are_stopped(&statuses), "base64: {statuses:?}");
        assert!(grown <= MAX_GROWTH, "base64 took {grown} bytes");
        for begin in ["", "{}\n", "{}\n{\"type\":\"event\"}\n", "{}\n{\"type\":\"attachment\"}\n"] {
            let (status, grown) = growth(&server, endless(&client, &path, begin)).await;
            assert!(is_stopped(&status), "{begin:?}: {status:?}");
            assert!(grown <= MAX_GROWTH, "{begin:?} took {grown} bytes");
        }
        client.post(&path).bytes(envelope(2)).await.is(200);
    });
}

/// 120 MiB of spaces in every encoding.
fn bombs() -> Vec<(&'static str, Bytes)> {
    let begin = b"{}\n{\"type\":\"attachment\"}\n";
    let spaces = vec![b' '; 120 << 20];
    let zstd = zstd::encode_all([begin.as_slice(), &spaces].concat().as_slice(), 3);
    vec![
        ("gzip", gzip(begin, &spaces)),
        ("deflate", zlib(begin, &spaces)),
        ("br", hex::decode(BROTLI).expect("it is hex").into()),
        ("zstd", zstd.expect("memory takes it").into()),
    ]
}

/// Sends the same body many times at once; the statuses of the answers.
async fn storm_of(client: &Client, path: &str, encoding: &str, body: &Bytes) -> Vec<Option<u16>> {
    let sent = (0..16).map(|_| {
        let request = client.post(path).header("content-encoding", encoding);
        let body = body.clone();
        async move {
            let reply = request.bytes(body).try_send().await;
            reply.ok().map(|reply| reply.status)
        }
    });
    futures_util::future::join_all(sent).await
}

/// Refused as too large, or cut off.
fn is_stopped(status: &Option<u16>) -> bool {
    status.is_none_or(|status| status == 413)
}

/// The same of all, though not all cut off.
fn are_stopped(statuses: &[Option<u16>]) -> bool {
    statuses.iter().all(is_stopped) && statuses.contains(&Some(413))
}

async fn endless(client: &Client, path: &str, begin: &str) -> Option<u16> {
    let begin = std::iter::once(Bytes::from(begin.to_owned()));
    let middle = std::iter::repeat_n(Bytes::from("x".repeat(1 << 20)), CHUNKS);
    let all = begin.chain(middle).map(Ok::<_, std::io::Error>);
    let body = reqwest::Body::wrap_stream(stream::iter(all));
    let reply = client.post(path).stream(body).try_send().await;
    reply.ok().map(|reply| reply.status)
}

fn gzip(begin: &[u8], rest: &[u8]) -> Bytes {
    use std::io::Write;
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(begin).expect("memory takes it");
    writer.write_all(rest).expect("memory takes it");
    writer.finish().expect("memory takes it").into()
}

fn zlib(begin: &[u8], rest: &[u8]) -> Bytes {
    use std::io::Write;
    let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(begin).expect("memory takes it");
    writer.write_all(rest).expect("memory takes it");
    writer.finish().expect("memory takes it").into()
}
