//! A file is fetched: by the outbound guard, within the limit of files in texts, as it comes,
//! and with what proves who asks only from where that is for.

use super::Files;
use futures_util::TryStreamExt;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use jiff::SignedDuration;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::outbound::{Call, Opened};
use kernel::time::Timestamp;
use percent_encoding::percent_decode_str;
use spaces::uploads::limits::UploadLimits;
use spaces::uploads::{self, Sent};
use std::time::Duration;
use url::Url;

/// How long one may take.
const PATIENCE: Duration = Duration::from_secs(900);
/// How long is waited before it is tried again.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(5)];
/// How long a server may have us wait that is asked too often.
const USUAL_WAIT: i64 = 60;
const LONGEST_WAIT: i64 = 3600;

const EMPTY: &str = "it is empty";
const PAGE: &str = "the server sends a page in its place";

/// Types of what has no ending in its name, and its ending.
const ENDINGS: &[(&str, &str)] = &[
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/gif", "gif"),
    ("image/webp", "webp"),
    ("image/svg+xml", "svg"),
    ("video/mp4", "mp4"),
    ("video/quicktime", "mov"),
    ("video/webm", "webm"),
    ("application/pdf", "pdf"),
    ("application/zip", "zip"),
    ("application/gzip", "gz"),
    ("text/plain", "txt"),
];

/// What came of it.
pub enum Fetched {
    /// It is stored, and has no row yet.
    Here(Sent),
    /// It does not come, for this reason.
    Lost(String),
    /// The server wants to be asked again then.
    Later(Timestamp),
}

enum Attempt {
    Ended(Fetched),
    /// It may go well another time.
    Again(String),
}

/// Fetches the file at an address; it bears this name, or that which it has there.
pub async fn fetch(app: &App, files: &Files, url: &Url, name: Option<&str>) -> Result<Fetched> {
    let mut pauses = PAUSES.into_iter();
    loop {
        match attempt(app, files, url, name).await? {
            Attempt::Ended(fetched) => return Ok(fetched),
            Attempt::Again(why) => match pauses.next() {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Ok(Fetched::Lost(why)),
            },
        }
    }
}

async fn attempt(app: &App, files: &Files, url: &Url, name: Option<&str>) -> Result<Attempt> {
    let limits: UploadLimits = app.settings().get(app).await?;
    let lost = |why: &str| Ok(Attempt::Ended(Fetched::Lost(why.to_owned())));
    let opened = match app.outbound().await?.open(call(files, url, limits.bytes())).await {
        Ok(opened) => opened,
        Err(fault) if fault.may_pass() => return Ok(Attempt::Again(fault.to_string())),
        Err(fault) => return lost(&fault.to_string()),
    };
    if let Some(until) = wait(app, &opened) {
        return Ok(Attempt::Ended(Fetched::Later(until)));
    }
    let status = opened.status.as_u16();
    if opened.status.is_server_error() {
        return Ok(Attempt::Again(format!("the server answered {status}")));
    }
    if !opened.status.is_success() {
        return lost(&format!("the server answered {status}"));
    }
    if is_page(&opened.headers) {
        return lost(PAGE);
    }
    let name = match name {
        Some(name) => name.to_owned(),
        None => name_of(&opened.headers, url, &opened.url),
    };
    let body = opened.body.map_err(Error::from);
    match uploads::receive_stream(app, &name, body).await {
        Ok(sent) => Ok(Attempt::Ended(Fetched::Here(sent))),
        Err(Error::TooLarge) => lost(&format!("it is larger than {} MiB", limits.megabytes)),
        Err(Error::Parameters(_)) => lost(EMPTY),
        Err(Error::BadRequest(why)) => lost(&why),
        Err(Error::Unavailable(why)) => Ok(Attempt::Again(why)),
        Err(error) => Err(error),
    }
}

fn call(files: &Files, url: &Url, most: u64) -> Call {
    let accept = match files.is_of_api(url) {
        true => "application/octet-stream",
        false => "*/*",
    };
    let call = Call::get(url.as_str())
        .header(header::ACCEPT, HeaderValue::from_static(accept))
        .timeout(PATIENCE)
        .max_answer(most);
    let own = files.authorization.as_deref().filter(|_| files.is_trusted(url));
    match own.and_then(|text| HeaderValue::from_str(text).ok()) {
        Some(mut value) => {
            value.set_sensitive(true);
            call.header(header::AUTHORIZATION, value)
        }
        None => call,
    }
}

/// Until when a server wants us to wait, if it does.
fn wait(app: &App, opened: &Opened) -> Option<Timestamp> {
    let told = opened.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
    let seconds = told.and_then(|text| text.trim().parse::<i64>().ok());
    let wanted = match (opened.status.as_u16(), seconds) {
        (429, seconds) => seconds.unwrap_or(USUAL_WAIT),
        (403 | 503, Some(seconds)) => seconds,
        _ => return None,
    };
    Some(app.now() + SignedDuration::from_secs(wanted.clamp(1, LONGEST_WAIT)))
}

/// Whether it is a page that asks who we are, and no file.
fn is_page(headers: &HeaderMap) -> bool {
    let kind = text_of(headers, header::CONTENT_TYPE);
    kind.starts_with("text/html") && !headers.contains_key(header::CONTENT_DISPOSITION)
}

fn text_of(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// What a file is called there: as the server says, else by one of its addresses.
fn name_of(headers: &HeaderMap, asked: &Url, answered: &Url) -> String {
    if let Some(name) = told_name(text_of(headers, header::CONTENT_DISPOSITION)) {
        return name;
    }
    let (first, last) = (last_part(asked), last_part(answered));
    let has_ending = |name: &str| {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        ending.is_some_and(|ending| !ending.is_empty() && ending.len() <= 10)
    };
    if let Some(name) = [&first, &last].into_iter().find(|name| has_ending(name.as_str())) {
        return name.clone();
    }
    let kind = text_of(headers, header::CONTENT_TYPE).split(';').next().unwrap_or_default();
    let ending = ENDINGS.iter().find(|(known, _)| kind.trim().eq_ignore_ascii_case(known));
    match ending {
        Some((_, ending)) => format!("{first}.{ending}"),
        None => first,
    }
}

/// The name in `attachment; filename="a.txt"`, or in `filename*=UTF-8''a.txt`.
fn told_name(disposition: &str) -> Option<String> {
    let value = |key: &str| {
        let mut parts = disposition.split(';').map(str::trim);
        parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim().eq_ignore_ascii_case(key).then(|| value.trim().trim_matches('"'))
        })
    };
    let encoded = value("filename*").and_then(|text| text.rsplit_once('\''));
    let name = match encoded {
        Some((_, text)) => percent_decode_str(text).decode_utf8_lossy().into_owned(),
        None => value("filename")?.to_owned(),
    };
    (!name.is_empty()).then_some(name)
}

fn last_part(url: &Url) -> String {
    let part = url.path().rsplit('/').find(|part| !part.is_empty()).unwrap_or("file");
    percent_decode_str(part).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(all: &[(HeaderName, &'static str)]) -> HeaderMap {
        let each = all.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        each.collect()
    }

    #[test]
    fn files_have_the_names_that_they_have_there() {
        let url = |text: &str| Url::parse(text).expect("an address");
        let asked = url("https://h.example/user-attachments/assets/0a-1b");
        let stored = url("https://s.example/x/0a-1b.png?sign=1");
        let png = headers(&[(header::CONTENT_TYPE, "image/png; x=1")]);
        assert_eq!(name_of(&png, &asked, &stored), "0a-1b.png");
        assert_eq!(name_of(&png, &asked, &asked), "0a-1b.png");
        assert_eq!(name_of(&headers(&[]), &asked, &asked), "0a-1b");
        let named = url("https://h.example/a/b/files/1/two%20words.zip");
        assert_eq!(name_of(&headers(&[]), &named, &stored), "two words.zip");
        let told = headers(&[(header::CONTENT_DISPOSITION, "attachment; filename=\"log.txt\"")]);
        assert_eq!(name_of(&told, &named, &stored), "log.txt");
        assert_eq!(last_part(&url("https://h.example/")), "file");
    }

    #[test]
    fn names_are_told_in_two_ways() {
        assert_eq!(told_name("inline; filename=a.txt").as_deref(), Some("a.txt"));
        let both = "attachment; filename=\"x\"; filename*=UTF-8''%c3%a4.txt";
        assert_eq!(told_name(both).as_deref(), Some("ä.txt"));
        for none in ["", "inline", "attachment; filename=\"\"", "filename"] {
            assert_eq!(told_name(none), None, "{none}");
        }
    }

    #[test]
    fn a_page_is_no_file_unless_it_is_one() {
        let page = (header::CONTENT_TYPE, "text/html; charset=utf-8");
        assert!(is_page(&headers(std::slice::from_ref(&page))));
        assert!(!is_page(&headers(&[page, (header::CONTENT_DISPOSITION, "attachment")])));
        assert!(!is_page(&headers(&[(header::CONTENT_TYPE, "image/png")])));
    }
}
