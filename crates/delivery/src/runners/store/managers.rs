//! `ci_runner_managers`.

use super::super::model::Manager;
use ::store::{Tx, sql};
use kernel::error::Result;
use std::collections::HashMap;

/// Most machines of one runner that are shown.
const MOST: i64 = 1000;
const SELECT: &str = ::store::concat!("select ", Manager::COLUMNS, " from ci_runner_managers ");

/// What a machine says of itself.
#[derive(Debug, Clone, Default)]
pub struct Said {
    pub version: Option<String>,
    pub revision: Option<String>,
    pub platform: Option<String>,
    pub architecture: Option<String>,
    pub executor: Option<String>,
    pub ip_address: Option<String>,
    pub knows_refspecs: Option<bool>,
}

/// Notes that a machine was heard of; what it does not say stays.
pub fn note(tx: &mut Tx<'_>, runner_id: i64, system_id: &str, said: &Said) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into ci_runner_managers (runner_id, system_id, version, revision, platform,
                architecture, executor, ip_address, knows_refspecs, created_at, contacted_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
             on conflict (runner_id, system_id) do update set
                version = coalesce(excluded.version, ci_runner_managers.version),
                revision = coalesce(excluded.revision, ci_runner_managers.revision),
                platform = coalesce(excluded.platform, ci_runner_managers.platform),
                architecture = coalesce(excluded.architecture, ci_runner_managers.architecture),
                executor = coalesce(excluded.executor, ci_runner_managers.executor),
                ip_address = coalesce(excluded.ip_address, ci_runner_managers.ip_address),
                knows_refspecs = coalesce(excluded.knows_refspecs,
                    ci_runner_managers.knows_refspecs),
                contacted_at = excluded.contacted_at"
        ),
        (
            runner_id,
            system_id,
            &said.version,
            &said.revision,
            &said.platform,
            &said.architecture,
            &said.executor,
            &said.ip_address,
            said.knows_refspecs,
            now,
        ),
    )?;
    Ok(())
}

/// The machines of a runner, the newest first.
pub fn list(tx: &mut Tx<'_>, runner_id: i64) -> Result<Vec<Manager>> {
    Ok(tx.all(
        sql!(SELECT, "where ci_runner_managers.runner_id = $1 order by id desc limit $2"),
        (runner_id, MOST),
    )?)
}

/// The machines of some runners, the newest first, at most so many of each.
pub fn of_runners(tx: &mut Tx<'_>, runners: Vec<i64>) -> Result<Vec<Manager>> {
    Ok(tx.all(
        sql!(
            SELECT,
            "where ci_runner_managers.id in (select m.id from (select o.id, row_number() over (
                    partition by o.runner_id order by o.id desc) as place
                from ci_runner_managers o where o.runner_id in_list($1)) m
                where m.place <= $2)
             order by ci_runner_managers.id desc"
        ),
        (runners, MOST),
    )?)
}

/// Of each runner the machine that was heard of last.
pub fn latest(tx: &mut Tx<'_>, runners: Vec<i64>) -> Result<HashMap<i64, Manager>> {
    let rows: Vec<Manager> = tx.all(
        sql!(
            SELECT,
            "where ci_runner_managers.id in (select m.id from (select o.id, row_number() over (
                    partition by o.runner_id order by o.contacted_at desc nulls last, o.id desc)
                    as place from ci_runner_managers o where o.runner_id in_list($1)) m
                where m.place = 1)"
        ),
        (runners,),
    )?;
    Ok(rows.into_iter().map(|row| (row.runner_id, row)).collect())
}

pub fn delete(tx: &mut Tx<'_>, runner_id: i64, system_id: &str) -> Result<bool> {
    let gone = tx.execute(
        sql!("delete from ci_runner_managers where runner_id = $1 and system_id = $2"),
        (runner_id, system_id),
    )?;
    Ok(gone > 0)
}

pub fn count(tx: &mut Tx<'_>, runner_id: i64) -> Result<i64> {
    Ok(tx.one(
        sql!("select count(*) from ci_runner_managers where runner_id = $1"),
        (runner_id,),
    )?)
}
