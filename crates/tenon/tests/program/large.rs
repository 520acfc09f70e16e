//! A file of a gibibyte on its way in and out, and one cut off.

use crate::bucket::Bucket;
use crate::place::{Place, Server, project, until};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex};
use store::sql;
use testkit::{Client, run};

/// Bytes of the file.
const SIZE: u64 = 1 << 30;
/// Bytes of one chunk of it.
const CHUNK: usize = 1 << 20;
/// Most bytes by which the server's memory may grow.
const MAX_GROWTH: u64 = 32 << 20;

#[test]
fn a_gibibyte_passes_in_little_memory_on_sqlite() {
    run(pass(Place::sqlite()));
}

#[test]
fn a_gibibyte_passes_in_little_memory_on_postgres() {
    if let Some(place) = Place::postgres() {
        run(pass(place));
    }
}

#[test]
fn a_gibibyte_passes_in_little_memory_to_object_storage() {
    run(async { pass(Place::sqlite().over(Bucket::open().await)).await });
}

async fn pass(place: Place) {
    let server = place.serve();
    let client = server.client(&place.token());
    let packages = format!("{}/packages/generic", project(&client).await);
    // What a server takes once, with its first upload, is not growth.
    let small = format!("{packages}/small/1.0/a");
    client.put(&small).bytes("small").await.is(201);
    client.get(&small).await.is(200);

    let large = format!("{packages}/large/1.0/a");
    let (sent, grown) = growth(&server, upload(&client, &large)).await;
    assert!(grown <= MAX_GROWTH, "the upload took {grown} bytes");
    let ((received, size), grown) = growth(&server, download(&client, &large)).await;
    assert!(grown <= MAX_GROWTH, "the download took {grown} bytes");

    assert_eq!(size, SIZE);
    assert_eq!(received, sent);
    let head = client.head(&large).await.is(200);
    assert_eq!(head.header("x-checksum-sha256"), sent);
    cut_off(&place, &client, &packages).await;
}

/// Breaks an upload in its middle: no row, no blob, no temporary file stays.
async fn cut_off(place: &Place, client: &Client, packages: &str) {
    let before = (place.blob_files(), rows(place).await);
    let path = format!("{packages}/broken/1.0/a");
    let half = file(Arc::default()).take(SIZE as usize / CHUNK / 16);
    let gone = stream::once(async { Err(std::io::Error::other("the cable is out")) });
    let body = reqwest::Body::wrap_stream(half.chain(gone));
    let length = SIZE.to_string();
    let sent = client.put(&path).header("content-length", &length);
    assert!(sent.stream(body).try_send().await.is_err());

    until("nothing is left of the upload", async || place.blob_files() == before.0).await;
    client.get(&path).await.is(404);
    assert_eq!(rows(place).await, before.1);
}

/// How many packages, files and blobs the database knows.
async fn rows(place: &Place) -> (i64, i64, i64) {
    place
        .row(sql!(
            "select (select count(*) from packages), (select count(*) from package_files),
                (select count(*) from blobs)"
        ))
        .await
}

/// What the work gives, and by how much the server's memory grew meanwhile.
pub async fn growth<T>(server: &Server, work: impl Future<Output = T>) -> (T, u64) {
    server.forget_peak();
    let before = server.memory("VmRSS");
    let done = work.await;
    (done, server.memory("VmHWM").saturating_sub(before))
}

/// Sends the file; its digest, taken on the way.
async fn upload(client: &Client, path: &str) -> String {
    let digest: Arc<Mutex<Sha256>> = Arc::default();
    let body = reqwest::Body::wrap_stream(file(digest.clone()));
    client.put(path).stream(body).await.is(201);
    let digest = digest.lock().expect("no panic").clone();
    hex::encode(digest.finalize())
}

/// Receives a file; its digest and size, taken on the way.
async fn download(client: &Client, path: &str) -> (String, u64) {
    let reply = client.get(path).begin().await;
    assert_eq!(reply.status(), 200);
    let (mut digest, mut size) = (Sha256::new(), 0);
    let mut bytes = reply.bytes_stream();
    while let Some(chunk) = bytes.next().await {
        let chunk = chunk.expect("the download goes on");
        size += chunk.len() as u64;
        digest.update(&chunk);
    }
    (hex::encode(digest.finalize()), size)
}

/// The file: chunks that differ, made as they are sent.
fn file(digest: Arc<Mutex<Sha256>>) -> impl Stream<Item = std::io::Result<Bytes>> + Unpin + Send {
    let plain: Vec<u8> = (0..CHUNK).map(|at| (at * 31 % 251) as u8).collect();
    let chunks = (0..SIZE / CHUNK as u64).map(move |number| {
        let mut chunk = plain.clone();
        chunk[..8].copy_from_slice(&number.to_le_bytes());
        digest.lock().expect("no panic").update(&chunk);
        Ok(Bytes::from(chunk))
    });
    stream::iter(chunks)
}
