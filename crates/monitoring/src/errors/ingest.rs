//! Writing what arrived: the reports of one project that come close together
//! go into one transaction ([`kernel::keyed_batcher`]), which counts them exactly.
//! An SDK is answered after the commit.

use super::body;
use super::event::{self, Event};
use super::fault::{Fault, Refusal};
use super::lenient;
use super::limits::ErrorLimits;
use super::store::{arrive, drops, settings};
use super::{envelope::Envelope, quota};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use jiff::Timestamp;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::keyed_batcher::KeyedBatcher;
use kernel::limits::Limiter;
use kernel::secrets::random_bytes;
use moka::sync::Cache;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::time::Duration;
use store::Tx;

/// Most reports written in one transaction.
const MOST: usize = 256;
/// Events up to this size are read where they arrive, in bytes.
const SMALL: usize = 64 * 1024;
/// How long a full quota is believed without asking: a flood costs no write.
const FULL: Duration = Duration::from_secs(2);

/// Envelopes of a project in five minutes that tell only of dropped events and
/// are read; others are passed over. They are no events, so no quota stops
/// them.
const TOLD: u64 = 1_000;

#[derive(Debug)]
pub struct Arrived {
    pub event: Event,
    pub event_id: String,
    pub payload: Vec<u8>,
}

#[derive(Debug)]
pub struct Report {
    event: Option<Arrived>,
    /// Events the client dropped, by reason and category.
    drops: BTreeMap<(&'static str, &'static str), i64>,
    limits: ErrorLimits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is written, or was before.
    Kept,
    /// The project may receive no more for so many seconds.
    Full(i64),
    Closed,
}

/// The queues of reports, and projects whose quota is full.
pub struct Arrivals {
    lanes: KeyedBatcher<i64, Report, Outcome>,
    full: Cache<i64, Timestamp>,
    told: Limiter,
}

impl Default for Arrivals {
    fn default() -> Arrivals {
        Arrivals {
            lanes: KeyedBatcher::new(MOST, write),
            full: Cache::builder().max_capacity(10_000).time_to_live(FULL).build(),
            told: Limiter::new("error_client_reports", TOLD, 5 * 60),
        }
    }
}

impl Report {
    /// What of an envelope is written, and the number of its event; nothing
    /// if it has nothing of interest.
    pub async fn of(
        envelope: Envelope, peer: String, limits: &ErrorLimits,
    ) -> Result<Option<(Report, Option<String>)>, Refusal> {
        let drops = drops(&envelope.reports);
        if envelope.event.is_none() && drops.is_empty() {
            return Ok(None);
        }
        let own = envelope.event_id.as_deref().and_then(event::number);
        let event = match envelope.event {
            None => None,
            Some(payload) => Some(prepared(payload, own, peer).await?),
        };
        let id = event.as_ref().map(|event| event.event_id.clone());
        let report = Report { event, drops, limits: limits.clone() };
        Ok(Some((report, id)))
    }
}

async fn prepared(payload: Vec<u8>, own: Option<String>, peer: String) -> Result<Arrived, Refusal> {
    let is_small = payload.len() <= SMALL;
    let work = move || prepare(payload, own, &peer);
    Ok(match is_small {
        true => work()?,
        false => body::busy(work).await??,
    })
}

fn prepare(mut payload: Vec<u8>, own: Option<String>, peer: &str) -> Result<Arrived, Fault> {
    lenient::mend(&mut payload);
    let event = Event::parse(&payload, peer)?;
    let event_id = own
        .or_else(|| event.event_id.clone())
        .unwrap_or_else(|| hex::encode(random_bytes::<16>()));
    Ok(Arrived { event, event_id, payload: pack(&payload) })
}

pub fn pack(payload: &[u8]) -> Vec<u8> {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    let written = packed.write_all(payload).and_then(|()| packed.finish());
    written.expect("writing to memory does not fail")
}

pub async fn keep(app: &App, project_id: i64, report: Report) -> Result<Outcome> {
    let arrivals = app.kept::<Arrivals>();
    let left = |until: Timestamp| until.as_second() - app.now().as_second();
    if report.event.is_none() {
        let told = arrivals.told.check(&project_id.to_string(), app.now());
        return match told.allowed {
            true => arrivals.lanes.run(app, project_id, report).await,
            false => Ok(Outcome::Kept),
        };
    }
    if let Some(until) = arrivals.full.get(&project_id).filter(|until| left(*until) > 0) {
        return Ok(Outcome::Full(left(until)));
    }
    let outcome = arrivals.lanes.run(app, project_id, report).await?;
    if let Outcome::Full(seconds) = outcome {
        let until = app.now().checked_add(jiff::SignedDuration::from_secs(seconds));
        arrivals.full.insert(project_id, until.map_err(Error::internal)?);
    }
    Ok(outcome)
}

/// Forgets which quotas are full, once this transaction has committed.
pub fn forget_full(app: &App, tx: &mut Tx<'_>) {
    let arrivals = app.kept::<Arrivals>();
    tx.after_commit(move || arrivals.full.invalidate_all());
}

fn write(tx: &mut Tx<'_>, project_id: &i64, reports: &[Report]) -> Result<Vec<Outcome>> {
    let (true, Some(first)) = (settings::receives(tx, *project_id)?, reports.first()) else {
        return Ok(vec![Outcome::Closed; reports.len()]);
    };
    let wanted = reports.iter().filter(|report| report.event.is_some());
    let granted = quota::take(tx, *project_id, &first.limits, wanted.count())?;
    let mut room = granted.count;
    let outcomes: Vec<Outcome> = reports
        .iter()
        .map(|report| match (&report.event, room) {
            (None, _) => Outcome::Kept,
            (Some(_), 0) => Outcome::Full(granted.retry_after),
            (Some(_), _) => {
                room -= 1;
                Outcome::Kept
            }
        })
        .collect();
    let kept = reports.iter().zip(&outcomes);
    let kept = kept.filter_map(|(report, outcome)| (*outcome == Outcome::Kept).then_some(report));
    let kept: Vec<&Report> = kept.collect();
    let events: Vec<&Arrived> = kept.iter().filter_map(|one| one.event.as_ref()).collect();
    arrive::events(tx, *project_id, &events)?;
    let mut drops: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    for (of, quantity) in kept.iter().flat_map(|report| &report.drops) {
        let sum = drops.entry(*of).or_default();
        *sum = sum.saturating_add(*quantity);
    }
    drops::add(tx, *project_id, &drops)?;
    Ok(outcomes)
}

/// Reasons for which clients drop events (the protocol's list).
const REASONS: &[&str] = &[
    "backpressure",
    "before_send",
    "buffer_overflow",
    "cache_overflow",
    "event_processor",
    "insufficient_data",
    "internal_sdk_error",
    "invalid",
    "network_error",
    "queue_overflow",
    "ratelimit_backoff",
    "sample_rate",
    "send_error",
];
const CATEGORIES: &[&str] = &[
    "attachment",
    "default",
    "error",
    "feedback",
    "log_item",
    "metric_bucket",
    "monitor",
    "profile",
    "profile_chunk",
    "replay",
    "security",
    "session",
    "span",
    "transaction",
];
/// What others are counted as: clients must not fill the table with words.
const OTHER: &str = "other";
/// Most events one line of a report is believed to tell of.
const MAX_QUANTITY: i64 = 1_000_000;

fn drops(reports: &[Vec<u8>]) -> BTreeMap<(&'static str, &'static str), i64> {
    #[derive(Deserialize)]
    struct Sent {
        #[serde(default)]
        discarded_events: Vec<Discarded>,
    }
    #[derive(Deserialize)]
    struct Discarded {
        reason: String,
        category: String,
        quantity: i64,
    }
    let known = |list: &[&'static str], word: &str| {
        let mut list = list.iter();
        list.find(|known| **known == word).copied().unwrap_or(OTHER)
    };
    let mut drops: BTreeMap<_, i64> = BTreeMap::new();
    let read = reports.iter().filter_map(|report| serde_json::from_slice(report).ok());
    for one in read.flat_map(|sent: Sent| sent.discarded_events) {
        let of = (known(REASONS, &one.reason), known(CATEGORIES, &one.category));
        let sum = drops.entry(of).or_default();
        *sum = sum.saturating_add(one.quantity.clamp(0, MAX_QUANTITY));
    }
    drops.retain(|_, quantity| *quantity > 0);
    drops
}
