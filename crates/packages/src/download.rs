//! The one path of a file out of the registry, for every format: ranges,
//! validators, safe headers, and counters that cost at most one write a
//! minute per package (contract 1.4, 2.1).

use crate::model::PackageFile;
use crate::store::{files, packages};
use axum::body::Body;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::http::Asked;
use kernel::http::reply::{self, Response};
use kernel::http::serve::matches_etag;
use kernel::time::{Timestamp, date_of};
use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

/// Shortest time between two writes of a package's counters.
const COUNT_EVERY: Duration = Duration::from_secs(60);

/// Answers with the bytes of a file, or the part asked for.
pub async fn serve(app: &App, asked: &Asked, file: &PackageFile) -> Result<Response> {
    let size = u64::try_from(file.size).map_err(Error::internal)?;
    let tag = HeaderValue::from_str(&format!("\"{}\"", file.sha256)).map_err(Error::internal)?;
    if matches_etag(asked, Some(&tag)) {
        let mut response = reply::empty(StatusCode::NOT_MODIFIED);
        response.headers_mut().insert(header::ETAG, tag);
        return Ok(response);
    }
    if asked.method == Method::HEAD {
        let mut response = reply::empty(StatusCode::OK);
        describe(response.headers_mut(), file, tag, size)?;
        return Ok(response);
    }
    let part = asked_range(asked, &file.sha256, size)?;
    let (_, bytes) = app
        .blobs()
        .get(&file.blob_key, part.clone())
        .await
        .map_err(missing)?;
    let mut response = http::Response::new(Body::from_stream(bytes));
    let length = part.as_ref().map_or(size, |range| range.end - range.start);
    describe(response.headers_mut(), file, tag, length)?;
    if let Some(range) = part {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let shown = format!("bytes {}-{}/{size}", range.start, range.end - 1);
        let shown = HeaderValue::from_str(&shown).map_err(Error::internal)?;
        response.headers_mut().insert(header::CONTENT_RANGE, shown);
    }
    count(app, file);
    Ok(response)
}

/// A row without its bytes is our failure, not an unknown address.
fn missing(error: Error) -> Error {
    match error {
        Error::NotFound(_) => Error::internal("the bytes of a package file are missing"),
        other => other,
    }
}

fn describe(
    headers: &mut HeaderMap,
    file: &PackageFile,
    tag: HeaderValue,
    length: u64,
) -> Result<()> {
    let text = |text: &str| HeaderValue::from_str(text).map_err(Error::internal);
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/octet-stream"),
    );
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(
        header::CONTENT_DISPOSITION,
        text(&disposition(&file.file_name))?,
    );
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::ETAG, tag);
    headers.insert(
        HeaderName::from_static("x-checksum-sha256"),
        text(&file.sha256)?,
    );
    Ok(())
}

/// `attachment` with the last part of a stored name, quoted for old clients
/// and exact for others (RFC 6266).
fn disposition(stored: &str) -> String {
    let decoded = percent_encoding::percent_decode_str(stored).decode_utf8_lossy();
    let name = decoded.rsplit('/').next().unwrap_or_default();
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%') {
                c
            } else {
                '_'
            }
        })
        .collect();
    if plain == name {
        return format!("attachment; filename=\"{plain}\"");
    }
    let exact = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}

/// The one range a GET asks for. Several ranges, other units and malformed
/// ones mean the whole file (RFC 9110 section 14.2), as does an `If-Range`
/// that names another content.
fn asked_range(asked: &Asked, sha256: &str, size: u64) -> Result<Option<Range<u64>>> {
    let Some(text) = asked.header(header::RANGE) else {
        return Ok(None);
    };
    if asked
        .header(header::IF_RANGE)
        .is_some_and(|tag| tag.trim() != format!("\"{sha256}\""))
    {
        return Ok(None);
    }
    parse_range(text, size)
}

fn parse_range(text: &str, size: u64) -> Result<Option<Range<u64>>> {
    let Some((first, last)) = text
        .trim()
        .strip_prefix("bytes=")
        .and_then(|range| range.split_once('-'))
    else {
        return Ok(None);
    };
    let number = |text: &str| -> Option<u64> {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        // Beyond 64 bits is beyond every file.
        digits.then(|| text.parse().unwrap_or(u64::MAX))
    };
    let range = match (first.trim(), last.trim()) {
        ("", suffix) => match number(suffix) {
            Some(0) => return Err(Error::RangeNotSatisfiable(size)),
            Some(length) => size.saturating_sub(length)..size,
            None => return Ok(None),
        },
        (start, "") => match number(start) {
            Some(start) => start..size,
            None => return Ok(None),
        },
        (start, end) => match (number(start), number(end)) {
            (Some(start), Some(end)) if start <= end => start..end.saturating_add(1).min(size),
            _ => return Ok(None),
        },
    };
    if range.start >= size {
        Err(Error::RangeNotSatisfiable(size))
    } else {
        Ok(Some(range))
    }
}

/// Downloads not yet written, by file and day.
#[derive(Default)]
struct Pending {
    counts: HashMap<(i64, String), i64>,
    last_at: Option<Timestamp>,
}

/// Pending downloads by server (several may share a process in tests) and
/// package. An entry exists while a task is about to write it.
static PENDING: LazyLock<Mutex<HashMap<(PathBuf, i64), Pending>>> = LazyLock::new(Mutex::default);

/// Counts one download: the first at once, those within the next minute
/// together at its end.
fn count(app: &App, file: &PackageFile) {
    let now = app.now();
    let day = date_of(now).to_string();
    let key = (app.config().data_dir.clone(), file.package_id);
    let Ok(mut pending) = PENDING.lock() else {
        return;
    };
    let is_new = !pending.contains_key(&key);
    let entry = pending.entry(key.clone()).or_default();
    *entry.counts.entry((file.id, day)).or_default() += 1;
    entry.last_at = Some(now);
    drop(pending);
    if is_new {
        tokio::spawn(write_counts(app.clone(), key));
    }
}

async fn write_counts(app: App, key: (PathBuf, i64)) {
    while let Some((counts, last_at)) = take_counts(&key) {
        let package_id = key.1;
        let written = app
            .write(move |tx| {
                for ((file_id, day), count) in &counts {
                    if packages::record_downloads(tx, package_id, day, *count, last_at)? {
                        files::record_downloads(tx, *file_id, *count, last_at)?;
                    }
                }
                Ok(())
            })
            .await;
        written.best_effort("count package downloads");
        tokio::time::sleep(COUNT_EVERY).await;
    }
}

type Counts = HashMap<(i64, String), i64>;

/// What is to be written; forgets the package when there is nothing.
fn take_counts(key: &(PathBuf, i64)) -> Option<(Counts, Timestamp)> {
    let mut pending = PENDING.lock().ok()?;
    let entry = pending.get_mut(key)?;
    let counts = std::mem::take(&mut entry.counts);
    match entry.last_at {
        Some(last_at) if !counts.is_empty() => Some((counts, last_at)),
        _ => {
            pending.remove(key);
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_understood_and_the_rest_is_the_whole() {
        for (text, wanted) in [
            ("bytes=0-0", Some(0..1)),
            ("bytes=2-", Some(2..10)),
            ("bytes=-3", Some(7..10)),
            ("bytes=-30", Some(0..10)),
            ("bytes=5-99999999999999999999999", Some(5..10)),
            ("bytes=0-1,3-4", None),
            ("items=0-1", None),
            ("bytes=b-a", None),
            ("bytes=3-2", None),
            ("bytes=-", None),
            ("bytes=+1-2", None),
        ] {
            assert_eq!(parse_range(text, 10).unwrap(), wanted, "{text}");
        }
        for text in ["bytes=10-", "bytes=-0", "bytes=10-20"] {
            assert!(parse_range(text, 10).is_err(), "{text}");
        }
        assert!(parse_range("bytes=0-", 0).is_err());
    }

    #[test]
    fn names_never_leave_their_quotes() {
        assert_eq!(disposition("a+b.zip"), "attachment; filename=\"a+b.zip\"");
        assert_eq!(
            disposition("docs%2Fguide.pdf"),
            "attachment; filename=\"guide.pdf\""
        );
        let odd = disposition("x\"\r\nset-cookie: a");
        assert!(!odd.contains(['\r', '\n']));
        assert_eq!(odd.matches('"').count(), 2);
    }
}
