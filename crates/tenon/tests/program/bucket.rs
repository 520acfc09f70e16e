//! Object storage: as much of S3 as the program asks of it, over a folder.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, TryStreamExt, stream};
use http::{HeaderMap, Method, StatusCode, header};
use jiff::Timestamp;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};

/// Folder of unfinished uploads.
const UPLOADS: &str = ".uploads";

/// A bucket that lives as long as this value and its runtime.
pub struct Bucket {
    folder: TempDir,
    endpoint: String,
}

impl Bucket {
    pub async fn open() -> Bucket {
        let folder = tempfile::tempdir().expect("a temporary directory");
        std::fs::create_dir(folder.path().join(UPLOADS)).expect("a folder");
        let root = Arc::new(folder.path().to_owned());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free port");
        let endpoint = listener.local_addr().expect("it is bound");
        let router = axum::Router::new().fallback(answer).with_state(root);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Bucket { folder, endpoint: format!("http://{endpoint}") }
    }

    /// How a program is told of it.
    pub fn environment(&self) -> [(&'static str, String); 4] {
        [
            ("TENON_BLOBS_URL", "s3://bucket/some/prefix".into()),
            ("AWS_ENDPOINT_URL", self.endpoint.clone()),
            ("AWS_ACCESS_KEY_ID", "KEY".into()),
            ("AWS_SECRET_ACCESS_KEY", "hidden".into()),
        ]
    }

    /// Where the blobs are, and unfinished uploads.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The file of a blob, by the bytes in it.
    pub fn blob(&self, bytes: &str) -> PathBuf {
        let key = kernel::blobs::key_of(&testkit::sha256(bytes));
        self.path().join("some/prefix").join(key)
    }

    /// Puts a blob there behind the program's back.
    pub fn put(&self, bytes: &str) {
        let path = self.blob(bytes);
        std::fs::create_dir_all(path.parent().expect("it is below the root")).expect("a folder");
        std::fs::write(path, bytes).expect("written");
    }

    /// Makes a blob as old as one put two days ago.
    pub fn age(&self, bytes: &str) {
        let then = SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
        let file = std::fs::File::open(self.blob(bytes)).expect("the blob is there");
        file.set_modified(then).expect("its time can be set");
    }
}

type Query = HashMap<String, String>;

async fn answer(State(root): State<Arc<PathBuf>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let signed = head.headers.get(header::AUTHORIZATION);
    if !signed.is_some_and(|value| value.to_str().is_ok_and(|it| it.contains("Credential=KEY/"))) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let Some(key) = head.uri.path().strip_prefix("/bucket") else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let object = root.join(key.trim_matches('/'));
    let query: Query = url::form_urlencoded::parse(head.uri.query().unwrap_or("").as_bytes())
        .into_owned()
        .collect();
    let upload = query.get("uploadId").map(|id| root.join(UPLOADS).join(id));
    let done = match (head.method, upload) {
        (Method::GET, _) if query.contains_key("list-type") => listing(&root, &query["prefix"]),
        (Method::GET, _) => read(&object, &head.headers, true).await,
        (Method::HEAD, _) => read(&object, &head.headers, false).await,
        (Method::POST, None) => begin(&root).await,
        (Method::PUT, Some(upload)) => append(&upload, body).await,
        (Method::POST, Some(upload)) => publish(&upload, &object).await,
        (Method::DELETE, Some(upload)) => remove(&upload).await,
        (Method::PUT, None) => put(&root, &object, body).await,
        (Method::DELETE, None) => remove(&object).await,
        _ => Ok(StatusCode::METHOD_NOT_ALLOWED.into_response()),
    };
    done.unwrap_or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => StatusCode::NOT_FOUND.into_response(),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    })
}

type Answer = std::io::Result<Response>;

fn xml(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/xml")], text).into_response()
}

fn modified(path: &Path) -> std::io::Result<Timestamp> {
    let at = std::fs::metadata(path)?.modified()?;
    Timestamp::try_from(at).map_err(std::io::Error::other)
}

fn listing(root: &Path, prefix: &str) -> Answer {
    let mut rows = String::new();
    for path in testkit::files_below(&root.join(prefix.trim_matches('/'))) {
        let key = path.strip_prefix(root).map_err(std::io::Error::other)?;
        let (key, at, size) = (key.display(), modified(&path)?, path.metadata()?.len());
        rows += &format!(
            "<Contents><Key>{key}</Key><LastModified>{at:.3}</LastModified><ETag>\"e\"</ETag>\
             <Size>{size}</Size></Contents>"
        );
    }
    Ok(xml(format!(
        "<ListBucketResult><IsTruncated>false</IsTruncated>{rows}</ListBucketResult>"
    )))
}

async fn read(object: &Path, headers: &HeaderMap, with_body: bool) -> Answer {
    let mut file = File::open(object).await?;
    let total = file.metadata().await?.len();
    let range = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    let range = range.and_then(|range| range.strip_prefix("bytes=")?.split_once('-'));
    let (from, to) = match range {
        Some((from, to)) => (number(from)?, number(to)? + 1),
        None => (0, total),
    };
    file.seek(std::io::SeekFrom::Start(from)).await?;
    let left = file.take(to - from);
    let chunks = stream::try_unfold(left, |mut left| async move {
        let mut chunk = vec![0; 1 << 18];
        let read = left.read(&mut chunk).await?;
        chunk.truncate(read);
        Ok::<_, std::io::Error>((read > 0).then_some((chunk, left)))
    });
    let at = modified(object)?.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
    let answer = Response::builder()
        .status(if range.is_some() { 206 } else { 200 })
        .header("etag", "\"e\"")
        .header("last-modified", at)
        .header("content-length", to - from)
        .header("content-range", format!("bytes {from}-{}/{total}", to.saturating_sub(1)));
    let body = match with_body {
        true => Body::from_stream(chunks),
        false => Body::empty(),
    };
    answer.body(body).map_err(std::io::Error::other)
}

fn number(text: &str) -> std::io::Result<u64> {
    text.parse().map_err(std::io::Error::other)
}

async fn begin(root: &Path) -> Answer {
    let id = hex::encode(kernel::secrets::random_bytes::<8>());
    File::create(root.join(UPLOADS).join(&id)).await?;
    Ok(xml(format!(
        "<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>"
    )))
}

/// Parts come one after another.
async fn append(upload: &Path, body: Body) -> Answer {
    let mut file = File::options().append(true).open(upload).await?;
    let mut bytes = body.into_data_stream().map_err(std::io::Error::other).boxed();
    while let Some(bytes) = bytes.try_next().await? {
        file.write_all(&bytes).await?;
    }
    file.flush().await?;
    Ok([("etag", "\"e\"")].into_response())
}

async fn publish(upload: &Path, object: &Path) -> Answer {
    if let Some(folder) = object.parent() {
        tokio::fs::create_dir_all(folder).await?;
    }
    tokio::fs::rename(upload, object).await?;
    Ok(xml(
        "<CompleteMultipartUploadResult><ETag>\"e\"</ETag></CompleteMultipartUploadResult>".into(),
    ))
}

async fn put(root: &Path, object: &Path, body: Body) -> Answer {
    let upload = root.join(UPLOADS).join(hex::encode(kernel::secrets::random_bytes::<8>()));
    File::create(&upload).await?;
    append(&upload, body).await?;
    publish(&upload, object).await?;
    Ok([("etag", "\"e\"")].into_response())
}

async fn remove(path: &Path) -> Answer {
    tokio::fs::remove_file(path).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
