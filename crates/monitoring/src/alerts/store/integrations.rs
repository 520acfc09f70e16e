//! Integrations of projects.

use crate::alerts::model::{Integration, Kind};
use crate::alerts::payload::mapping::{Mapping, Path};
use crate::rows::rows_below;
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use kernel::ids::fold;
use store::{FromRow, Json, Tx, sql};

/// When it will have been silent too long, if it is from now on.
fn due_at(one: &Integration, now: Timestamp) -> Option<Timestamp> {
    let seconds = one.heartbeat_seconds.filter(|_| one.active)?;
    now.checked_add(SignedDuration::from_secs(seconds)).ok()
}

rows_below!(Integration, "alert_integrations", "project_id", number "id");

pub fn by_id(tx: &mut Tx<'_>, id: i64) -> Result<Option<Integration>> {
    Ok(tx.optional(sql!("select * from alert_integrations where id = $1"), (id,))?)
}

pub fn has_active(tx: &mut Tx<'_>, project_id: i64) -> Result<bool> {
    let one: Option<i64> = tx.optional(
        sql!("select id from alert_integrations where project_id = $1 and active limit 1"),
        (project_id,),
    )?;
    Ok(one.is_some())
}

pub fn has_other(tx: &mut Tx<'_>, project_id: i64, kind: Kind, id: i64) -> Result<bool> {
    let other: Option<i64> = tx.optional(
        sql!(
            "select id from alert_integrations
             where project_id = $1 and kind = $2 and id <> $3 limit 1"
        ),
        (project_id, kind, id),
    )?;
    Ok(other.is_some())
}

/// Whether an address of a project is taken by another integration, or only
/// by one that is active.
pub fn is_taken(
    tx: &mut Tx<'_>, project_id: i64, identifier: &str, id: i64, active_only: bool,
) -> Result<bool> {
    let other: Option<i64> = tx.optional(
        sql!(
            "select id from alert_integrations
             where project_id = $1 and endpoint_identifier = $2 and id <> $3
                and (active or not $4) limit 1"
        ),
        (project_id, identifier, id, active_only),
    )?;
    Ok(other.is_some())
}

/// Writes what was not yet stored.
pub fn insert(tx: &mut Tx<'_>, new: &Integration) -> Result<Integration> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "insert into alert_integrations (project_id, kind, name, active, endpoint_identifier,
                sealed_token, payload_example, payload_mapping, identity_fields, ignored_fields,
                heartbeat_seconds, due_at, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13) returning *"
        ),
        (
            new.project_id,
            new.kind,
            &new.name,
            new.active,
            &new.endpoint_identifier,
            &new.sealed_token,
            &new.payload_example,
            &new.payload_mapping,
            &new.identity_fields,
            &new.ignored_fields,
            new.heartbeat_seconds,
            due_at(new, now),
            now,
        ),
    )?)
}

/// Stores what may be set of one.
pub fn update(tx: &mut Tx<'_>, one: &Integration) -> Result<Integration> {
    let now = tx.now();
    Ok(tx.one(
        sql!(
            "update alert_integrations set name = $2, active = $3, payload_example = $4,
                payload_mapping = $5, identity_fields = $6, ignored_fields = $7,
                heartbeat_seconds = $8, due_at = $9, updated_at = $10, kind = $11
             where id = $1 returning *"
        ),
        (
            one.id,
            &one.name,
            one.active,
            &one.payload_example,
            &one.payload_mapping,
            &one.identity_fields,
            &one.ignored_fields,
            one.heartbeat_seconds,
            due_at(one, now),
            now,
            one.kind,
        ),
    )?)
}

/// Stores another key, and the one before for a while.
pub fn set_token(
    tx: &mut Tx<'_>, id: i64, sealed_token: &str, previous: Option<(&str, Timestamp)>,
) -> Result<Integration> {
    let now = tx.now();
    let (token, until) = previous.unzip();
    Ok(tx.one(
        sql!(
            "update alert_integrations set sealed_token = $2, previous_token = $3,
                previous_until = $4, updated_at = $5
             where id = $1 returning *"
        ),
        (id, sealed_token, token, until, now),
    )?)
}

/// Removes one; what it was.
pub fn remove(tx: &mut Tx<'_>, project_id: i64, id: i64) -> Result<Option<Integration>> {
    Ok(tx.optional(
        sql!("delete from alert_integrations where project_id = $1 and id = $2 returning *"),
        (project_id, id),
    )?)
}

pub fn received(tx: &mut Tx<'_>, id: i64, due_at: Option<Timestamp>) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!("update alert_integrations set last_received_at = $2, due_at = $3 where id = $1"),
        (id, now, due_at),
    )?;
    Ok(())
}

/// Integrations that have been silent too long: project and number. Nobody
/// sends anything to projects that take no changes.
pub fn silent(tx: &mut Tx<'_>, limit: i64) -> Result<Vec<(i64, i64)>> {
    let now = tx.now();
    Ok(tx.all(
        sql!(
            "select i.project_id, i.id from alert_integrations i
             join projects p on p.id = i.project_id
             where i.due_at is not null and i.due_at <= $1 and i.active
                and not p.archived and p.deletion_scheduled_at is null
             order by i.due_at, i.id limit $2"
        ),
        (now, limit),
    )?)
}

/// Notes that its silence was told; it counts anew when something arrives.
pub fn silence_reported(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.execute(sql!("update alert_integrations set due_at = null where id = $1"), (id,))?;
    Ok(())
}

/// What is asked of an integration when something arrives.
#[derive(Debug, Clone, FromRow)]
#[columns("i")]
pub struct Receiver {
    pub id: i64,
    pub active: bool,
    pub sealed_token: String,
    pub previous_token: Option<String>,
    /// Until when the key before opens it, too.
    pub previous_until: Option<Timestamp>,
    pub heartbeat_seconds: Option<i64>,
}

impl Receiver {
    pub fn is_opened_by(&self, sealed: &str, now: Timestamp) -> bool {
        let overlaps = self.previous_until.is_some_and(|until| until > now);
        self.sealed_token == sealed || (overlaps && self.previous_token.as_deref() == Some(sealed))
    }
}

/// Those of these integrations that the project has; none of one that takes no
/// changes.
pub fn among(tx: &mut Tx<'_>, project_id: i64, ids: Vec<i64>) -> Result<Vec<Receiver>> {
    Ok(tx.all(
        sql!(
            "select ",
            Receiver::COLUMNS,
            " from alert_integrations i where project_id = $1 and id in_list($2)
                and exists (select 1 from projects p where p.id = i.project_id
                    and not p.archived and p.deletion_scheduled_at is null)"
        ),
        (project_id, ids),
    )?)
}

/// What a sender needs to be let in.
#[derive(Debug, Clone, FromRow)]
#[columns("i")]
pub struct IngestEndpoint {
    #[column("p.id")]
    pub project_id: i64,
    /// The integration, if one answers there.
    #[column("i.id")]
    pub integration_id: Option<i64>,
    pub name: Option<String>,
    pub sealed_token: Option<String>,
    pub previous_token: Option<String>,
    pub previous_until: Option<Timestamp>,
    pub payload_mapping: Option<Json<Mapping>>,
    pub identity_fields: Option<Json<Vec<Path>>>,
    pub ignored_fields: Option<Json<Vec<Path>>>,
}

/// Projects whose path is in this column, with their active integration.
macro_rules! endpoint {
    ($projects:literal, $path:literal) => {
        sql!(
            "select ", IngestEndpoint::COLUMNS, " from ", $projects,
            " left join alert_integrations i
                on i.project_id = p.id and i.endpoint_identifier = $2 and i.active and not p.archived
             where ", $path, " = $1 and p.deletion_scheduled_at is null"
        )
    };
}

/// The project of this path with its active integration at this address;
/// archived projects have none. A project that moved is found by its old path,
/// too.
pub fn ingest_endpoint(
    tx: &mut Tx<'_>, path: &str, identifier: &str,
) -> Result<Option<IngestEndpoint>> {
    let folded = fold(path);
    let at = (folded.as_str(), identifier);
    let here = endpoint!("projects p", "p.full_path_folded");
    if let Some(found) = tx.optional(here, at)? {
        return Ok(Some(found));
    }
    let moved = endpoint!(
        "project_redirects r join projects p on p.id = r.project_id",
        "r.full_path_folded"
    );
    Ok(tx.optional(moved, at)?)
}
