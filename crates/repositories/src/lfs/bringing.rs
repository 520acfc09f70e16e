//! Large files that objects lead to which come from another server: they are asked for
//! there, as a client of git LFS does it.

use super::access::KIND;
use super::missing;
use super::pointer::Pointer;
use super::settings::LfsSettings;
use super::store;
use crate::cache::{self, Having};
use crate::mirrors::address::is_same_server;
use crate::mirrors::failure::may_pass;
use crate::receive::Quarantine;
use crate::receive::limits::PushLimits;
use crate::size_limit;
use futures_util::TryStreamExt;
use http::{HeaderName, HeaderValue, Method, header};
use jiff::{SignedDuration, Timestamp};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::outbound::Call;
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use url::Url;

/// Most that one run brings, and that are asked for at once.
const MOST: usize = 10_000;
const BATCH: usize = 100;
/// Large files of one part.
const PART: usize = 20;
/// Bytes of what is told of a batch.
const TOLD: u64 = 4 * 1024 * 1024;
/// How long one may take, and all.
const ONE: Duration = Duration::from_secs(1800);
const ALL: SignedDuration = SignedDuration::from_hours(1);

const MISMATCH: &str = "what the server sent is something else";

/// Where they come from.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'o> {
    /// The address of the repository there.
    pub url: &'o Url,
    /// What proves there who asks.
    pub authorization: Option<&'o str>,
}

/// Those that could not be brought.
#[derive(Debug, Default)]
pub struct Left {
    pub count: usize,
    /// Why the first of them could not.
    pub why: Option<String>,
}

impl Left {
    fn note(&mut self, count: usize, why: String) {
        self.count += count;
        self.why.get_or_insert(why);
    }
}

/// What becomes of one: a reason in words where it could not be brought.
type Brought<T = ()> = Result<Result<T, String>>;

#[derive(Deserialize)]
struct Answer {
    objects: Vec<Object>,
}

#[derive(Deserialize)]
struct Object {
    oid: String,
    actions: Option<Actions>,
}

#[derive(Deserialize)]
struct Actions {
    download: Option<Way>,
}

/// How one is got.
#[derive(Deserialize)]
struct Way {
    href: String,
    #[serde(default)]
    header: HashMap<String, String>,
}

/// Brings what new objects lead to and the project lacks.
pub async fn bring(
    app: &App, project: i64, quarantine: &Quarantine, from: Origin<'_>,
) -> Result<Left> {
    let absent = missing::absent(app, project, quarantine, MOST).await?;
    let (mut left, until) = (Left::default(), app.now() + ALL);
    for some in absent.chunks(BATCH) {
        match bring_some(app, (project, until), from, some).await? {
            Ok(lost) => lost.into_iter().for_each(|(_, why)| left.note(1, why)),
            Err(why) => left.note(some.len(), why),
        }
    }
    Ok(left)
}

/// Brings these, at most [`BATCH`]; those that could not be, each with the reason. A reason
/// alone where the server tells of none.
async fn bring_some(
    app: &App, (project, until): (i64, Timestamp), from: Origin<'_>, some: &[Pointer],
) -> Brought<Vec<(String, String)>> {
    let ways = match ask(app, from, some).await? {
        Ok(ways) => ways,
        Err(why) => return Ok(Err(why)),
    };
    let mut lost = Vec::new();
    for pointer in some {
        let brought = match ways.get(&pointer.oid) {
            _ if app.now() > until => Err("there are too many".to_owned()),
            Some(way) => load(app, project, (from, way), pointer).await?,
            None => Err("the server does not have it".to_owned()),
        };
        lost.extend(brought.err().map(|why| (pointer.oid.clone(), why)));
    }
    Ok(Ok(lost))
}

/// A part of the large files that a repository leads to.
#[derive(Debug, Default)]
pub struct Part {
    /// How many came.
    pub brought: i64,
    /// The digests of those that did not, and why.
    pub lost: Vec<(String, String)>,
    /// Where the next part begins; none at the end.
    pub next: Option<String>,
}

/// Brings a part of the large files that the code of a project leads to and it lacks, from
/// where it came from; a text for people while the server is away.
///
/// # Errors
///
/// `NotFound` without such a repository.
pub async fn bring_part(
    app: &App, project: i64, repository: i64, from: Origin<'_>, after: Option<&str>,
) -> Result<Result<Part, String>> {
    let settings: LfsSettings = app.settings().get(app).await?;
    if !settings.enabled {
        return Ok(Ok(Part::default()));
    }
    let copy = cache::copy(app, repository, Having::Objects).await?;
    let lacked = missing::after(app, project, &copy, (after, PART)).await?;
    if lacked.pointers.is_empty() {
        return Ok(Ok(Part { next: lacked.next, ..Part::default() }));
    }
    let bounds = (project, app.now() + ALL);
    let lost = match bring_some(app, bounds, from, &lacked.pointers).await? {
        Ok(lost) => lost,
        Err(why) if may_pass(&why) => return Ok(Err(why)),
        Err(why) => {
            let each = lacked.pointers.iter();
            each.map(|pointer| (pointer.oid.clone(), why.clone())).collect()
        }
    };
    let brought = lacked.pointers.len().saturating_sub(lost.len()) as i64;
    Ok(Ok(Part { brought, lost, next: lacked.next }))
}

/// Where the batches of a repository are asked for.
fn batches(repository: &Url) -> String {
    let plain = repository.as_str().trim_end_matches('/');
    let ending = if plain.ends_with(".git") { "" } else { ".git" };
    format!("{plain}{ending}/info/lfs/objects/batch")
}

/// How these are got, as far as the server has them.
async fn ask(app: &App, from: Origin<'_>, some: &[Pointer]) -> Brought<HashMap<String, Way>> {
    let objects = some.iter().map(|one| json!({"oid": one.oid, "size": one.size}));
    let objects: Vec<_> = objects.collect();
    let asked = json!({"operation": "download", "transfers": ["basic"], "objects": objects});
    let kind = HeaderValue::from_static(KIND);
    let mut call = Call::new(Method::POST, batches(from.url))
        .header(header::ACCEPT, kind.clone())
        .header(header::CONTENT_TYPE, kind)
        .max_answer(TOLD)
        .body(asked.to_string());
    if let Some(value) = from.authorization.and_then(|text| HeaderValue::from_str(text).ok()) {
        call = call.header(header::AUTHORIZATION, value);
    }
    let answer = match app.outbound().await?.call(call).await {
        Ok(answer) => answer,
        Err(fault) => return Ok(Err(fault.to_string())),
    };
    if !answer.status.is_success() {
        return Ok(Err(format!("the server answered {}", answer.status.as_u16())));
    }
    let read: Result<Answer, _> = serde_json::from_slice(&answer.body);
    let Ok(Answer { objects }) = read else {
        return Ok(Err("the server does not answer as git LFS does".into()));
    };
    let ways = objects.into_iter().filter_map(|one| Some((one.oid, one.actions?.download?)));
    Ok(Ok(ways.collect()))
}

/// Gets one, and makes it the project's.
async fn load(
    app: &App, project: i64, (from, way): (Origin<'_>, &Way), pointer: &Pointer,
) -> Brought {
    let (size, more) = (pointer.size.unsigned_abs(), pointer.size);
    let limits: PushLimits = app.settings().get(app).await?;
    if limits.bytes() > 0 && size > limits.bytes() {
        return Ok(Err("one is larger than this server takes".into()));
    }
    if let Err(refused) = app.read(move |tx| size_limit::check(tx, project, more)).await? {
        return Ok(Err(refused.of_files()));
    }
    let call = call(from, way).timeout(ONE).max_answer(size);
    let opened = match app.outbound().await?.open(call).await {
        Ok(opened) => opened,
        Err(fault) => return Ok(Err(fault.to_string())),
    };
    if !opened.status.is_success() {
        return Ok(Err(format!("the server answered {}", opened.status.as_u16())));
    }
    let body = opened.body.map_err(Error::from);
    let is_it = |sha256: &str, length: u64| sha256 == pointer.oid && length == size;
    let stored =
        app.blobs()
            .put_if(body, Some(size), |stored| match is_it(&stored.sha256, stored.size) {
                true => Ok(()),
                false => Err(Error::BadRequest(MISMATCH.into())),
            });
    let stored = match stored.await {
        Ok(stored) => stored,
        Err(Error::BadRequest(why) | Error::Unavailable(why)) => return Ok(Err(why)),
        Err(Error::TooLarge) => return Ok(Err(MISMATCH.into())),
        Err(error) => return Err(error),
    };
    app.write(move |tx| match size_limit::check(tx, project, more)? {
        Ok(()) => store::insert(tx, project, &stored).map(Ok),
        Err(refused) => Ok(Err(refused.of_files())),
    })
    .await
}

/// What the server said how one is got; what proves who asks goes to that server alone.
fn call(from: Origin<'_>, way: &Way) -> Call {
    let mut call = Call::get(&way.href);
    for (name, value) in &way.header {
        let name = HeaderName::from_bytes(name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_str(value)) {
            call = call.header(name, value);
        }
    }
    let is_told = way.header.keys().any(|name| name.eq_ignore_ascii_case("authorization"));
    let is_same = Url::parse(&way.href).is_ok_and(|url| is_same_server(&url, from.url));
    let own = from.authorization.filter(|_| is_same && !is_told);
    match own.and_then(|text| HeaderValue::from_str(text).ok()) {
        Some(value) => call.header(header::AUTHORIZATION, value),
        None => call,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_asked_for_beside_the_repository() {
        let at = |text: &str| batches(&Url::parse(text).expect("an address"));
        for text in ["https://h/a.git", "https://h/a.git/", "https://h/a", "https://h/a/"] {
            assert_eq!(at(text), "https://h/a.git/info/lfs/objects/batch");
        }
    }
}
