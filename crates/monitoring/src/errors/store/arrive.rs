//! Writing events of a project and counting them. All statements but two are
//! one for each error or person, not for each event.

use crate::errors::event::Event;
use crate::errors::ingest::Arrived;
use crate::errors::model::Status;
use crate::errors::store::counts::Changes;
use crate::hours::hour;
use crate::search::ERRORS;
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use kernel::ids::fold;
use kernel::search::index;
use std::collections::{BTreeMap, HashMap, HashSet};
use store::{Fragment, FromRow, Tx, sql};

/// Bytes of a digest that are kept: 128 bits tell errors and people apart.
const DIGEST: usize = 16;
/// How far back a client's clock is believed, in days.
const MAX_AGE_DAYS: i64 = 30;

struct Added<'e> {
    newest: (Timestamp, &'e Event),
    oldest: Timestamp,
    events: i64,
    by_hour: BTreeMap<Timestamp, i64>,
    people: HashSet<String>,
}

#[derive(FromRow)]
#[columns("error_tracking_errors")]
struct Known {
    fingerprint: String,
    id: i64,
    status: Status,
    description: String,
    first_seen_at: Timestamp,
    last_seen_at: Timestamp,
}

/// Writes those of the events that the project has not had before.
pub fn events(tx: &mut Tx<'_>, project_id: i64, arrived: &[&Arrived]) -> Result<()> {
    let mut seen = had_before(tx, project_id, arrived)?;
    let fresh: Vec<&Arrived> = arrived
        .iter()
        .copied()
        .filter(|one| seen.insert(one.event_id.clone()))
        .collect();
    if fresh.is_empty() {
        return Ok(());
    }
    let mut known = known(tx, project_id, &fresh)?;
    let mut added: BTreeMap<String, Added<'_>> = BTreeMap::new();
    let mut changes = Changes::default();
    for one in fresh {
        let fingerprint = short(&one.event.fingerprint);
        let at = believed(one.event.occurred_at, tx.now());
        let error = match known.get(&fingerprint) {
            Some(error) => error,
            None => {
                let error = insert(tx, project_id, &fingerprint, &one.event, at)?;
                changes.add(project_id, error.status, 1);
                known.entry(fingerprint.clone()).or_insert(error)
            }
        };
        if keep(tx, project_id, error.id, one, at)? {
            added
                .entry(fingerprint)
                .or_insert_with(|| Added::new(at, &one.event))
                .add(at, &one.event);
        }
    }
    for (fingerprint, added) in &added {
        if let Some(error) = known.get(fingerprint) {
            count(tx, error, added)?;
            if error.status == Status::Resolved {
                reopen(tx, error.id, &added.newest.1.release)?;
                changes.moved(project_id, Status::Resolved, Status::Unresolved);
            }
        }
    }
    changes.write(tx)
}

impl<'e> Added<'e> {
    fn new(at: Timestamp, event: &'e Event) -> Added<'e> {
        Added {
            newest: (at, event),
            oldest: at,
            events: 0,
            by_hour: BTreeMap::new(),
            people: HashSet::new(),
        }
    }

    fn add(&mut self, at: Timestamp, event: &'e Event) {
        if at >= self.newest.0 {
            self.newest = (at, event);
        }
        self.oldest = self.oldest.min(at);
        self.events += 1;
        *self.by_hour.entry(hour(at)).or_default() += 1;
        self.people.extend(event.user.as_deref().map(short));
    }
}

fn short(digest: &[u8]) -> String {
    hex::encode(&digest[..digest.len().min(DIGEST)])
}

/// A time a client tells, unless it is ahead of ours or long ago.
fn believed(sent: Option<Timestamp>, now: Timestamp) -> Timestamp {
    let oldest = now.checked_sub(SignedDuration::from_hours(24 * MAX_AGE_DAYS)).unwrap_or(now);
    sent.filter(|at| (oldest..=now).contains(at)).unwrap_or(now)
}

fn had_before(tx: &mut Tx<'_>, project_id: i64, arrived: &[&Arrived]) -> Result<HashSet<String>> {
    if arrived.is_empty() {
        return Ok(HashSet::new());
    }
    let ids: Vec<String> = arrived.iter().map(|one| one.event_id.clone()).collect();
    let mut query = Fragment::new("select event_id from error_tracking_events where project_id = ");
    query.bind(project_id).raw(" and").in_list("event_id", ids);
    Ok(tx.query::<String>(query)?.into_iter().collect())
}

fn known(tx: &mut Tx<'_>, project_id: i64, events: &[&Arrived]) -> Result<HashMap<String, Known>> {
    let wanted: HashSet<String> = events.iter().map(|one| short(&one.event.fingerprint)).collect();
    let wanted: Vec<String> = wanted.into_iter().collect();
    let mut query = Fragment::new(store::concat!(
        "select ",
        Known::COLUMNS,
        " from error_tracking_errors where project_id = "
    ));
    query.bind(project_id).raw(" and").in_list("fingerprint", wanted);
    let rows: Vec<Known> = tx.query(query)?;
    let by_fingerprint = |row: Known| (row.fingerprint.clone(), row);
    Ok(rows.into_iter().map(by_fingerprint).collect())
}

fn insert(
    tx: &mut Tx<'_>, project_id: i64, fingerprint: &str, event: &Event, at: Timestamp,
) -> Result<Known> {
    let made: Known = tx.one(
        sql!(
            "insert into error_tracking_errors (project_id, fingerprint, name, description, actor,
                platform, level, logger, folded, status, events_count, users_count,
                first_release, last_release, first_seen_at, last_seen_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, $11, $11, $12, $12)
             returning ",
            Known::COLUMNS
        ),
        (
            project_id,
            fingerprint,
            event.name.as_str(),
            event.description.as_str(),
            event.actor.as_str(),
            event.platform.as_str(),
            event.level,
            event.logger.as_str(),
            folded(event),
            Status::Unresolved,
            event.release.as_str(),
            at,
        ),
    )?;
    index(tx, &ERRORS, &[made.id])?;
    Ok(made)
}

fn folded(event: &Event) -> String {
    fold(&format!("{}\n{}\n{}", event.name, event.description, event.actor))
}

/// Writes one event; false if another node was faster.
fn keep(
    tx: &mut Tx<'_>, project_id: i64, error_id: i64, one: &Arrived, at: Timestamp,
) -> Result<bool> {
    let now = tx.now();
    let written = tx.execute(
        sql!(
            "insert into error_tracking_events (project_id, error_id, event_id, level, environment,
                release, occurred_at, received_at, payload)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
             on conflict (project_id, event_id) do nothing"
        ),
        (
            project_id,
            error_id,
            one.event_id.as_str(),
            one.event.level,
            one.event.environment.as_str(),
            one.event.release.as_str(),
            at,
            now,
            one.payload.as_slice(),
        ),
    )?;
    Ok(written == 1)
}

fn count(tx: &mut Tx<'_>, error: &Known, added: &Added<'_>) -> Result<()> {
    let mut people = 0;
    for person in &added.people {
        people += tx.execute(
            sql!(
                "insert into error_tracking_users (error_id, identity) values ($1, $2)
                 on conflict (error_id, identity) do nothing"
            ),
            (error.id, person.as_str()),
        )? as i64;
    }
    for (began_at, events) in &added.by_hour {
        tx.execute(
            sql!(
                "insert into error_tracking_hours (error_id, began_at, events_count)
                 values ($1, $2, $3)
                 on conflict (error_id, began_at) do update
                 set events_count = error_tracking_hours.events_count + excluded.events_count"
            ),
            (error.id, *began_at, *events),
        )?;
    }
    tx.execute(
        sql!(
            "update error_tracking_errors
             set events_count = events_count + $2, users_count = users_count + $3,
                first_seen_at = $4
             where id = $1"
        ),
        (error.id, added.events, people, error.first_seen_at.min(added.oldest)),
    )?;
    if added.newest.0 >= error.last_seen_at {
        follow(tx, error.id, added.newest)?;
        if added.newest.1.description != error.description {
            index(tx, &ERRORS, &[error.id])?;
        }
    }
    Ok(())
}

/// An error that was resolved is open again: it came back, in this release
/// (docs/interface/monitoring.md «Beyond the reference» 5).
fn reopen(tx: &mut Tx<'_>, id: i64, release: &str) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "update error_tracking_errors
             set status = 'unresolved', regressed_at = $2, regressed_release = $3
             where id = $1"
        ),
        (id, now, (!release.is_empty()).then_some(release)),
    )?;
    Ok(())
}

/// The error tells what its newest event tells.
fn follow(tx: &mut Tx<'_>, id: i64, (at, event): (Timestamp, &Event)) -> Result<()> {
    tx.execute(
        sql!(
            "update error_tracking_errors
             set description = $2, level = $3, logger = $4, folded = $5, last_release = $6,
                last_seen_at = $7
             where id = $1"
        ),
        (
            id,
            event.description.as_str(),
            event.level,
            event.logger.as_str(),
            folded(event),
            event.release.as_str(),
            at,
        ),
    )?;
    Ok(())
}
