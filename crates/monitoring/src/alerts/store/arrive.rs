//! Writing alerts as they arrive: new ones and repeats by few statements,
//! however many they are.

use crate::alerts::model::{Alert, MAX_TITLE, Severity, Status};
use crate::alerts::payload::{Incoming, text};
use crate::hours::hour;
use crate::search::ALERTS;
use jiff::{SignedDuration, Timestamp};
use kernel::error::{CONFLICT, Error, Result};
use kernel::ids::fold;
use kernel::search::index;
use std::collections::{BTreeMap, HashMap, HashSet};
use store::{Fragment, Json, Tx, sql};

/// Rows of one statement. A few sizes, so that few statements are prepared.
const CHUNKS: [usize; 3] = [50, 10, 1];
/// How long ago an alert ended that comes back too soon, in seconds.
const FLAPPING: i64 = 1_800;

/// What a new alert is besides what was sent.
#[derive(Debug, Clone)]
pub struct New<'i> {
    pub sent: &'i Incoming,
    pub integration_id: Option<i64>,
    pub iid: i64,
    /// Triggered, ignored, or resolved already.
    pub status: Status,
    pub ended_at: Option<Timestamp>,
    pub events: i64,
    /// It came back soon after it was resolved.
    pub flapping: bool,
}

/// An alert that is not resolved, as far as deliveries concern it.
#[derive(Debug, Clone)]
pub struct Open {
    pub id: i64,
    pub iid: i64,
    pub title: String,
    pub status: Status,
    pub issue_id: Option<i64>,
}

pub fn open(
    tx: &mut Tx<'_>, project_id: i64, fingerprints: &HashSet<&str>,
) -> Result<HashMap<String, Open>> {
    if fingerprints.is_empty() {
        return Ok(HashMap::new());
    }
    let wanted: Vec<String> = fingerprints.iter().map(|one| (*one).to_owned()).collect();
    let mut query = Fragment::new(
        "select id, iid, title, status, fingerprint, issue_id from alerts
         where status <> 2 and project_id = ",
    );
    query.bind(project_id).raw(" and").in_list("fingerprint", wanted);
    type Columns = (i64, i64, String, i64, String, Option<i64>);
    let open = |(id, iid, title, status, fingerprint, issue_id): Columns| {
        let status = Status::of_code(status);
        let open = Open { id, iid, title, status, issue_id };
        (fingerprint, open)
    };
    Ok(tx.query(query)?.into_iter().map(open).collect())
}

/// Those of these fingerprints whose alert was resolved a short while ago.
pub fn ended_lately(
    tx: &mut Tx<'_>, project_id: i64, fingerprints: Vec<String>,
) -> Result<HashSet<String>> {
    if fingerprints.is_empty() {
        return Ok(HashSet::new());
    }
    let since = tx.now().checked_sub(SignedDuration::from_secs(FLAPPING));
    let mut query =
        Fragment::new("select distinct fingerprint from alerts where status = 2 and project_id = ");
    query
        .bind(project_id)
        .push(" and ended_at > ", since.unwrap_or(Timestamp::UNIX_EPOCH))
        .raw(" and")
        .in_list("fingerprint", fingerprints);
    Ok(tx.query::<String>(query)?.into_iter().collect())
}

/// Counts further events of alerts, by one statement for each number of events
/// that some of them had: alerts that one delivery repeats are counted at once.
pub fn count(tx: &mut Tx<'_>, added: &[(i64, i64)]) -> Result<()> {
    let now = tx.now();
    for (events, ids) in by_number(added) {
        tx.execute(
            sql!(
                "update alerts set events = events + $1, last_received_at = $2, updated_at = $2
                 where id in_list($3)"
            ),
            (events, now, ids),
        )?;
    }
    Ok(())
}

/// Counts events of alerts, old and new ones, in the hour that it is.
pub fn count_hour(tx: &mut Tx<'_>, added: &[(i64, i64)]) -> Result<()> {
    let began_at = hour(tx.now());
    for (events, ids) in by_number(added) {
        if events == 0 {
            continue;
        }
        tx.execute(
            sql!(
                "insert into alert_hours (alert_id, began_at, project_id, events)
                 select id, $1, project_id, $2 from alerts where id in_list($3)
                 on conflict (alert_id, began_at) do update
                 set events = alert_hours.events + excluded.events"
            ),
            (began_at, events, ids),
        )?;
    }
    Ok(())
}

fn by_number(added: &[(i64, i64)]) -> BTreeMap<i64, Vec<i64>> {
    let mut numbers: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for (id, events) in added {
        numbers.entry(*events).or_default().push(*id);
    }
    numbers
}

/// The rows in chunks of the sizes there are.
fn chunks<T>(all: &[T]) -> impl Iterator<Item = &[T]> {
    let mut rest = all;
    std::iter::from_fn(move || {
        let size = CHUNKS.into_iter().find(|size| *size <= rest.len())?;
        let (some, others) = rest.split_at(size);
        rest = others;
        Some(some)
    })
}

/// Ends alerts, each at its time.
pub fn end(tx: &mut Tx<'_>, ended: &[(i64, Timestamp)]) -> Result<()> {
    chunks(ended).try_for_each(|some| end_some(tx, some))
}

fn end_some(tx: &mut Tx<'_>, some: &[(i64, Timestamp)]) -> Result<()> {
    let mut query = Fragment::new(
        "update alerts set status = 2, ended_at = ending.ending_at, shelved_until = null from (",
    );
    for (at, (id, ended_at)) in some.iter().enumerate() {
        let begin = match at {
            0 => "select ",
            _ => " union all select ",
        };
        query
            .push(begin, *id)
            .raw(" as ending_id")
            .push(", ", *ended_at)
            .raw(" as ending_at");
    }
    query.raw(") as ending where alerts.id = ending.ending_id returning alerts.id");
    tx.query::<i64>(query)?;
    Ok(())
}

/// Writes new alerts; their numbers in the database, in their order.
pub fn insert(tx: &mut Tx<'_>, project_id: i64, all: &[New<'_>]) -> Result<Vec<i64>> {
    let mut ids: HashMap<i64, i64> = HashMap::new();
    for some in chunks(all) {
        ids.extend(insert_some(tx, project_id, some)?);
    }
    // Another node was faster; this transaction begins again.
    let missing = || Error::Unavailable(CONFLICT.into());
    let made = all.iter().map(|new| ids.get(&new.iid).copied().ok_or_else(missing));
    let made: Vec<i64> = made.collect::<Result<_>>()?;
    index(tx, &ALERTS, &made)?;
    Ok(made)
}

fn insert_some(tx: &mut Tx<'_>, project_id: i64, some: &[New<'_>]) -> Result<Vec<(i64, i64)>> {
    let now = tx.now();
    let mut query = Fragment::new(
        "insert into alerts (project_id, iid, integration_id, title, description, service,
            monitoring_tool, hosts, severity, status, started_at, ended_at, events, fingerprint,
            payload, environment_name, folded, flapping, last_received_at, created_at, updated_at)
         values",
    );
    for (at, new) in some.iter().enumerate() {
        let sent = new.sent;
        query
            .push(if at == 0 { " (" } else { ", (" }, project_id)
            .push(", ", new.iid)
            .push(", ", new.integration_id)
            .push(", ", sent.title.as_str())
            .push(", ", sent.description.as_deref())
            .push(", ", sent.service.as_deref())
            .push(", ", sent.monitoring_tool.as_deref())
            .push(", ", Json(&sent.hosts))
            .push(", ", sent.severity.code())
            .push(", ", new.status.code())
            .push(", ", sent.started_at.unwrap_or(now))
            .push(", ", new.ended_at)
            .push(", ", new.events)
            .push(", ", sent.fingerprint.as_deref())
            .push(", ", Json(&sent.payload))
            .push(", ", sent.environment.as_deref())
            .push(", ", folded(sent))
            .push(", ", new.flapping)
            .push(", ", now)
            .push(", ", now)
            .push(", ", now)
            .raw(")");
    }
    query.raw(
        " on conflict (project_id, fingerprint) where status <> 2 do nothing returning iid, id",
    );
    Ok(tx.query(query)?)
}

fn folded(sent: &Incoming) -> String {
    let parts = [
        Some(sent.title.as_str()),
        sent.description.as_deref(),
        sent.monitoring_tool.as_deref(),
        sent.service.as_deref(),
    ];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    fold(&parts.join("\n"))
}

/// An alert that nobody sent: an integration was silent too long.
pub fn silence(integration_id: i64, name: &str) -> Incoming {
    Incoming {
        title: text::line(&format!("Nothing received from {name}"), MAX_TITLE),
        description: Some("The integration has received nothing for longer than it should.".into()),
        service: None,
        monitoring_tool: None,
        hosts: Vec::new(),
        severity: Severity::High,
        environment: None,
        started_at: None,
        over: None,
        fingerprint: Some(fingerprint_of_silence(integration_id)),
        source: "Heartbeat".into(),
        payload: serde_json::json!({"integration": name}),
    }
}

/// What tells the silence of an integration from other alerts: no digest, so
/// no sender can make it up.
pub fn fingerprint_of_silence(integration_id: i64) -> String {
    format!("silence/{integration_id}")
}

/// The kind of alerts, as notes and to-dos name it.
pub const ALERT: &str = "AlertManagement::Alert";

pub fn noteable(alert: &Alert) -> planning::Noteable {
    noteable_of(alert.project_id, alert.id)
}

pub fn noteable_of(project_id: i64, id: i64) -> planning::Noteable {
    planning::Noteable { kind: ALERT, id, project_id: Some(project_id) }
}
