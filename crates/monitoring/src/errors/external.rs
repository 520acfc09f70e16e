//! Errors of a tracker elsewhere (docs/interface/monitoring.md 5 and 6.6): asked for through the
//! guard of outbound calls, and remembered for a moment so that a page that
//! many people look at is one question.

use super::model::{Setting, Status, Tracked};
use super::rules::settings::TOKEN;
use super::store::errors::{Filter, Sort};
use http::{HeaderValue, Method, header};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::outbound::{Answer, Call};
use moka::sync::Cache;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// How long an answer is believed.
const FRESH: Duration = Duration::from_secs(30);
const MAX_REMEMBERED: u64 = 500;
const PATIENCE: Duration = Duration::from_secs(10);
/// Largest answer that is read, in bytes.
const MAX_ANSWER: u64 = 2 << 20;
pub const PER_PAGE: usize = 20;
/// Longest text that is taken over, in characters.
const MAX_TEXT: usize = 1_024;

#[derive(Debug, Clone, Default)]
pub struct ExternalError {
    /// As an error of this project: what is not told of it is blank.
    pub error: Tracked,
    /// These as the tracker writes them.
    pub id: String,
    pub status: String,
    pub kind: String,
    pub short_id: String,
    pub first_seen: String,
    pub last_seen: String,
    /// Its page there; blank unless it is one.
    pub url: String,
    /// The number, name and short name of its project there.
    pub project: [String; 3],
}

#[derive(Debug, Default)]
pub struct Listed {
    pub errors: Vec<ExternalError>,
    pub previous: Option<String>,
    pub next: Option<String>,
}

struct Remembered(Cache<(i64, String), Arc<Listed>>);

impl Default for Remembered {
    fn default() -> Remembered {
        let cache = Cache::builder().max_capacity(MAX_REMEMBERED).time_to_live(FRESH).build();
        Remembered(cache)
    }
}

/// A page of the errors of a project elsewhere, from where a cursor of the
/// tracker says.
pub async fn list(
    app: &App, setting: &Setting, filter: &Filter, cursor: Option<&str>,
) -> Result<Arc<Listed>> {
    let url = address(setting, filter, cursor)?;
    let remembered = app.kept::<Remembered>();
    let key = (setting.project_id, url);
    if let Some(known) = remembered.0.get(&key) {
        return Ok(known);
    }
    let answer = call(app, setting, Call::get(&key.1)).await?;
    let issues: Vec<Value> = serde_json::from_slice(&answer.body).map_err(|_| unusable())?;
    let (previous, next) = cursors(answer.headers.get(header::LINK));
    let listed = Arc::new(Listed {
        errors: issues
            .iter()
            .take(PER_PAGE)
            .map(|issue| ExternalError::read(setting.project_id, issue))
            .collect(),
        previous,
        next,
    });
    remembered.0.insert(key, listed.clone());
    Ok(listed)
}

/// Says at the tracker what becomes of an error. The project stands in the
/// address: the token may open others, whose errors are not ours to change.
pub async fn set_status(app: &App, setting: &Setting, id: i64, status: Status) -> Result<()> {
    let mut url = issues(setting)?;
    url.query_pairs_mut().append_pair("id", &id.to_string());
    let body = json!({"status": status}).to_string();
    let kind = HeaderValue::from_static("application/json");
    let put = Call::new(Method::PUT, url).header(header::CONTENT_TYPE, kind).body(body);
    call(app, setting, put).await?;
    app.kept::<Remembered>().0.invalidate_all();
    Ok(())
}

async fn call(app: &App, setting: &Setting, call: Call) -> Result<Answer> {
    let sealed = setting.sealed_token.as_deref().ok_or_else(unusable)?;
    let token = app.secrets().unseal(TOKEN, sealed)?;
    let bearer = format!("Bearer {}", String::from_utf8_lossy(&token));
    let bearer = HeaderValue::from_str(&bearer).map_err(|_| unusable())?;
    let call = call
        .header(header::AUTHORIZATION, bearer)
        .timeout(PATIENCE)
        .max_answer(MAX_ANSWER);
    let answer = app.outbound().await?.call(call).await;
    let answer = answer.map_err(|fault| said(fault.to_string()))?;
    match answer.status.as_u16() {
        200..=299 => Ok(answer),
        401 | 403 => Err(said("The tracker does not accept the token.".into())),
        404 => Err(said("The tracker does not know the project.".into())),
        status => Err(said(format!("The tracker answered {status}."))),
    }
}

fn unusable() -> Error {
    said("The tracker's answer cannot be used.".into())
}

fn said(text: String) -> Error {
    Error::Exact(400, json!({"message": text}))
}

fn issues(setting: &Setting) -> Result<url::Url> {
    let api = setting.api_url.as_deref().ok_or_else(unusable)?;
    let mut url = url::Url::parse(api).map_err(|_| unusable())?;
    let path = format!("{}/issues/", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}

fn address(setting: &Setting, filter: &Filter, cursor: Option<&str>) -> Result<String> {
    let mut url = issues(setting)?;
    let mut words = filter.words().to_owned();
    if let Some(status) = filter.status {
        words = format!("is:{status} {words}").trim().to_owned();
    }
    let sort = match filter.sort {
        Some(Sort::FirstSeen) => "new",
        Some(Sort::Frequency) => "freq",
        Some(Sort::LastSeen) | None => "date",
    };
    let mut pairs = url.query_pairs_mut();
    pairs
        .append_pair("query", &words)
        .append_pair("sort", sort)
        .append_pair("limit", &PER_PAGE.to_string());
    if let Some(cursor) = cursor {
        pairs.append_pair("cursor", cursor);
    }
    drop(pairs);
    Ok(url.into())
}

/// The cursors of the pages before and after, where there are such pages.
fn cursors(links: Option<&HeaderValue>) -> (Option<String>, Option<String>) {
    let links = links.and_then(|links| links.to_str().ok()).unwrap_or("");
    let of = |rel: &str| {
        let wanted = format!("rel=\"{rel}\"");
        let mut all = links.split(',');
        let link = all.find(|link| link.contains(&wanted) && link.contains("results=\"true\""))?;
        let (_, rest) = link.split_once("cursor=\"")?;
        Some(rest.split('"').next()?.to_owned())
    };
    (of("previous"), of("next"))
}

impl ExternalError {
    fn read(project_id: i64, issue: &Value) -> ExternalError {
        let text = |value: &Value| match value {
            Value::String(text) => text.chars().take(MAX_TEXT).collect::<String>(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let number = |value: &Value| match value {
            Value::String(text) => text.parse().unwrap_or(0),
            other => other.as_i64().unwrap_or(0),
        };
        let url = text(&issue["permalink"]);
        let is_page = url.starts_with("https://") || url.starts_with("http://");
        let (id, status) = (text(&issue["id"]), text(&issue["status"]));
        let (first_seen, last_seen) = (text(&issue["firstSeen"]), text(&issue["lastSeen"]));
        let error = Tracked {
            id: id.parse().unwrap_or_default(),
            project_id,
            name: text(&issue["title"]),
            description: text(&issue["metadata"]["value"]),
            actor: text(&issue["culprit"]),
            level: text(&issue["level"]),
            status: Status::from_text(&status).unwrap_or_default(),
            events_count: number(&issue["count"]).max(0),
            users_count: number(&issue["userCount"]).max(0),
            first_seen_at: first_seen.parse().unwrap_or_default(),
            last_seen_at: last_seen.parse().unwrap_or_default(),
            ..Tracked::default()
        };
        ExternalError {
            error,
            id,
            status,
            kind: text(&issue["type"]),
            short_id: text(&issue["shortId"]),
            first_seen,
            last_seen,
            url: if is_page { url } else { String::new() },
            project: ["id", "name", "slug"].map(|name| text(&issue["project"][name])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_from_links() {
        let links = HeaderValue::from_static(
            "<https://t.example/?&cursor=0:0:1>; rel=\"previous\"; results=\"false\"; \
             cursor=\"0:0:1\", <https://t.example/?&cursor=0:20:0>; rel=\"next\"; \
             results=\"true\"; cursor=\"0:20:0\"",
        );
        assert_eq!(cursors(Some(&links)), (None, Some("0:20:0".into())));
        assert_eq!(cursors(None), (None, None));
    }

    #[test]
    fn odd_issues_are_read_as_far_as_they_go() {
        let found = ExternalError::read(
            1,
            &json!({"id": 7, "title": [], "count": "12", "userCount": -3,
            "permalink": "javascript:alert(1)"}),
        );
        assert_eq!((found.id.as_str(), found.error.name.as_str()), ("7", ""));
        let counts = (found.error.events_count, found.error.users_count);
        assert_eq!((counts, found.url.as_str()), ((12, 0), ""));
    }
}
