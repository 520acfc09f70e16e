//! The S3 client against a small server that speaks as much of S3 as it needs.

use std::collections::BTreeMap;
use std::sync::Mutex as Lock;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http::{Method, StatusCode, header};

use super::opening::SPOOL;
use super::writing::PART;
use super::*;

#[derive(Default)]
struct Bucket {
    objects: BTreeMap<String, Bytes>,
    /// Parts of unfinished uploads.
    parts: BTreeMap<u32, Bytes>,
    /// Uploads of whole objects and parts.
    writes: usize,
    aborted: usize,
    /// Refuses the parts from this one on.
    broken_from: Option<u32>,
}

type Shared = Arc<Lock<Bucket>>;

fn xml(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/xml")], text).into_response()
}

fn object(bytes: &Bytes, range: Option<&str>, head: bool) -> Response {
    let total = bytes.len();
    let asked = range.and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
    let (from, to) = match asked {
        Some((from, to)) => (from.parse().unwrap(), to.parse::<usize>().unwrap() + 1),
        None => (0, total),
    };
    let status = if asked.is_some() { 206 } else { 200 };
    let answer = Response::builder()
        .status(status)
        .header("etag", "\"e\"")
        .header("last-modified", "Sat, 21 Nov 2020 10:00:00 GMT")
        .header("content-length", to - from)
        .header("content-range", format!("bytes {from}-{}/{total}", to.saturating_sub(1)));
    let body = if head {
        Body::empty()
    } else {
        Body::from(bytes.slice(from..to))
    };
    answer.body(body).unwrap()
}

fn listing(bucket: &Bucket, prefix: &str) -> Response {
    let found = bucket.objects.iter().filter(|(key, _)| key.starts_with(prefix));
    let rows: String = found
        .map(|(key, bytes)| {
            let size = bytes.len();
            format!(
                "<Contents><Key>{key}</Key><LastModified>2020-11-21T10:00:00.000Z</LastModified>\
                 <ETag>\"e\"</ETag><Size>{size}</Size></Contents>"
            )
        })
        .collect();
    xml(format!(
        "<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>"
    ))
}

async fn s3(State(bucket): State<Shared>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let query: BTreeMap<String, String> =
        url::form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes())
            .into_owned()
            .collect();
    let signed = head.headers.get(header::AUTHORIZATION);
    if !signed.is_some_and(|value| value.to_str().unwrap().contains("Credential=KEY/")) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let Some(key) = head.uri.path().strip_prefix("/bucket") else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let key = key.trim_start_matches('/').to_owned();
    let mut bucket = bucket.lock().unwrap();
    let part = query.get("partNumber").map(|number| number.parse::<u32>().unwrap());
    let range = head.headers.get(header::RANGE).map(|value| value.to_str().unwrap());
    match (head.method, part) {
        (Method::GET, _) if key.is_empty() => listing(&bucket, &query["prefix"]),
        (Method::POST, _) if query.contains_key("uploads") => xml(
            "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>"
                .into(),
        ),
        (Method::PUT, Some(part)) if bucket.broken_from.is_some_and(|from| part >= from) => {
            StatusCode::BAD_REQUEST.into_response()
        }
        (Method::PUT, Some(part)) => {
            bucket.writes += 1;
            bucket.parts.insert(part, body);
            [("etag", format!("\"{part}\""))].into_response()
        }
        (Method::POST, _) => {
            let parts: Vec<Bytes> = std::mem::take(&mut bucket.parts).into_values().collect();
            bucket.objects.insert(key, parts.concat().into());
            xml(
                "<CompleteMultipartUploadResult><ETag>\"e\"</ETag></CompleteMultipartUploadResult>"
                    .into(),
            )
        }
        (Method::PUT, None) => {
            bucket.writes += 1;
            bucket.objects.insert(key, body);
            [("etag", "\"e\"")].into_response()
        }
        (Method::DELETE, _) if query.contains_key("uploadId") => {
            bucket.parts.clear();
            bucket.aborted += 1;
            StatusCode::NO_CONTENT.into_response()
        }
        (Method::DELETE, _) => {
            bucket.objects.remove(&key);
            StatusCode::NO_CONTENT.into_response()
        }
        (method, _) => match bucket.objects.get(&key) {
            Some(bytes) => object(bytes, range, method == Method::HEAD),
            None => StatusCode::NOT_FOUND.into_response(),
        },
    }
}

async fn open() -> (tempfile::TempDir, Shared, Blobs) {
    let bucket = Shared::default();
    let router = axum::Router::new().fallback(s3).with_state(bucket.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let spool = tempfile::tempdir().unwrap();
    let settings = [
        ("AWS_ACCESS_KEY_ID", "KEY"),
        ("AWS_SECRET_ACCESS_KEY", "hidden"),
        ("AWS_ENDPOINT_URL", &endpoint),
        ("AWS_UNKNOWN", "x"),
        ("HOME", "/nowhere"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let blobs = Blobs::open_s3("bucket/some/prefix", spool.path(), settings.into_iter()).unwrap();
    (spool, bucket, blobs)
}

fn chunks(bytes: &[u8]) -> impl Stream<Item = Result<Bytes>> + Unpin + Send + use<> {
    let parts: Vec<_> = bytes.chunks(900_001).map(|c| Ok(Bytes::copy_from_slice(c))).collect();
    stream::iter(parts)
}

#[tokio::test(flavor = "multi_thread")]
async fn small_objects_go_in_one_request() {
    let (spool, bucket, blobs) = open().await;
    let key = blobs.put(chunks(b"0123456789"), None).await.unwrap().key;
    let kept = bucket.lock().unwrap().objects.keys().cloned().collect::<Vec<_>>();
    assert_eq!(kept, [format!("some/prefix/{key}")]);
    assert_eq!(std::fs::read_dir(spool.path().join(SPOOL)).unwrap().count(), 0);

    assert_eq!(blobs.read_small(&key, 10).await.unwrap(), "0123456789");
    let (total, bytes) = blobs.get(&key, Some(2..99)).await.unwrap();
    let bytes: Vec<Bytes> = bytes.try_collect().await.unwrap();
    assert_eq!((total, bytes.concat()), (10, b"23456789".to_vec()));
    let listed: Vec<_> = blobs.list().try_collect().await.unwrap();
    let modified: Timestamp = "2020-11-21T10:00:00Z".parse().unwrap();
    assert_eq!(listed, [(key.clone(), 10, modified)]);

    assert!(!blobs.delete_older(&key, modified).await.unwrap());
    blobs.delete(&key).await.unwrap();
    blobs.delete(&key).await.unwrap();
    assert!(!blobs.exists(&key).await.unwrap());
    assert!(matches!(blobs.get(&key, None).await.err(), Some(Error::NotFound("File"))));
}

#[tokio::test(flavor = "multi_thread")]
async fn large_objects_go_in_parts_of_eight_mebibytes() {
    let (_spool, bucket, blobs) = open().await;
    let large: Vec<u8> = (0..PART * 2 + 3).map(|n| (n % 253) as u8).collect();
    let key = blobs.put(chunks(&large), None).await.unwrap().key;
    assert_eq!(bucket.lock().unwrap().writes, 3);
    assert!(blobs.verify(&key).await.unwrap());

    // The fake's objects are old, so the same bytes are sent again and become young.
    blobs.put(chunks(&large), None).await.unwrap();
    assert_eq!(bucket.lock().unwrap().writes, 6);
    let exact = vec![1; PART];
    assert_eq!(blobs.put(chunks(&exact), None).await.unwrap().size, PART as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_part_leaves_nothing_behind() {
    let (spool, bucket, blobs) = open().await;
    bucket.lock().unwrap().broken_from = Some(2);
    let failed = blobs.put(chunks(&vec![1; PART * 2]), None).await;
    assert!(matches!(failed, Err(Error::Internal(_))), "{failed:?}");
    let bucket = bucket.lock().unwrap();
    assert_eq!((bucket.aborted, bucket.parts.len(), bucket.objects.len()), (1, 0, 0));
    assert_eq!(std::fs::read_dir(spool.path().join(SPOOL)).unwrap().count(), 0);
}
