//! Projects and packages to measure on.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, params};
use serde_json::Value;

use super::load::{self, Request};

/// Makes a private project of the administrator and answers its id.
pub fn project(url: &str, token: &str, name: &str) -> Result<i64, String> {
    let body = format!(r#"{{"name":"{name}","visibility":"private"}}"#);
    let project = post(url, token, "/projects", body)?;
    id_of(&project)
}

/// Makes a user and answers a token of theirs.
pub fn user_token(url: &str, token: &str, name: &str) -> Result<String, String> {
    let body = format!(
        r#"{{"username":"{name}","name":"{name}","email":"{name}@example.org","force_random_password":true,"skip_confirmation":true}}"#
    );
    let user = id_of(&post(url, token, "/users", body)?)?;
    let path = format!("/users/{user}/personal_access_tokens");
    let body = r#"{"name":"bench","scopes":["api"]}"#.to_owned();
    let made = post(url, token, &path, body)?;
    let text = made["token"].as_str();
    text.map(str::to_owned).ok_or_else(|| format!("no token in {made}"))
}

pub(super) fn post(url: &str, token: &str, path: &str, body: String) -> Result<Value, String> {
    let target = format!("/api/v4{path}");
    let request = Request::json("POST", target, &[token.to_owned()], body);
    let answer = load::once(url, &request)?;
    serde_json::from_str(&answer).map_err(|error| format!("{answer}: {error}"))
}

pub(super) fn id_of(made: &Value) -> Result<i64, String> {
    made["id"].as_i64().ok_or_else(|| format!("no id in {made}"))
}

/// Uploads the package that [`packages`] copies.
pub fn package(url: &str, token: &str, project: i64) -> Result<(), String> {
    let target = format!("/api/v4/projects/{project}/packages/generic/package/1.0.0/file.json");
    let request = Request::json("PUT", target, &[token.to_owned()], "{}");
    load::once(url, &request).map(|_| ())
}

/// Fills the project up to `count` packages, straight into the database of a
/// stopped server: copies of the project's one package with their own name,
/// version and time. They have no files.
pub fn packages(data: &Path, project: i64, count: i64) -> Result<(), String> {
    fill(data, |transaction| {
        transaction.execute(
            "with recursive numbers (n) as
                (select 1 union all select n + 1 from numbers where n < ?2)
             insert into packages (project_id, package_type, type_order, name, name_folded,
                name_key, version, status, creator_id, live, version_key, created_at, updated_at)
             select project_id, package_type, type_order,
                printf('package-%07d', n), printf('package-%07d', n), printf('package-%07d', n),
                '1.0.' || n, status, creator_id, live, '1.0.' || n,
                created_at + n, updated_at + n
             from packages, numbers
             where project_id = ?1 and id = (select min(id) from packages where project_id = ?1)",
            params![project, count - 1],
        )?;
        transaction.execute(
            "insert into package_counts (project_id, displayable) values (?1, ?2)
             on conflict (project_id) do update set displayable = excluded.displayable",
            params![project, count],
        )?;
        Ok(())
    })
}

/// Fills the project up to `count` events of `errors` errors, straight into
/// the database of a stopped server: copies of the project's one event, in the
/// hours of the last day.
pub fn events(data: &Path, project: i64, errors: i64, count: i64) -> Result<(), String> {
    fill(data, |transaction| {
        let first: i64 = transaction.query_row(
            "select min(id) from error_tracking_errors where project_id = ?1",
            params![project],
            |row| row.get(0),
        )?;
        transaction.execute(
            "with recursive numbers (n) as
                (select 1 union all select n + 1 from numbers where n < ?2)
             insert into error_tracking_errors (project_id, fingerprint, name, description, actor,
                platform, level, logger, folded, status, events_count, users_count,
                first_release, last_release, first_seen_at, last_seen_at)
             select project_id, printf('%032x', n), name || n, description, actor, platform, level,
                logger, folded, status, 1 + n % 100, users_count, first_release, last_release,
                first_seen_at - n * 1000, last_seen_at - n * 1000
             from error_tracking_errors, numbers where id = ?1",
            params![first, errors - 1],
        )?;
        transaction.execute(
            "with recursive numbers (n) as
                (select 1 union all select n + 1 from numbers where n < ?2)
             insert into error_tracking_events (project_id, error_id, event_id, level, environment,
                release, occurred_at, received_at, payload)
             select project_id, error_id + n % ?3, printf('%032x', n), level, environment, release,
                occurred_at - n * 1000, received_at - n * 1000, payload
             from error_tracking_events, numbers where error_id = ?1",
            params![first, count - 1, errors],
        )?;
        transaction.execute(
            "update error_tracking_counts set errors_count = errors_count + ?2
             where project_id = ?1",
            params![project, errors - 1],
        )?;
        transaction.execute(
            "with recursive numbers (n) as
                (select 1 union all select n + 1 from numbers where n < 23)
             insert into error_tracking_hours (error_id, began_at, events_count)
             select id, last_seen_at / 3600000000 * 3600000000 - n * 3600000000, n
             from error_tracking_errors, numbers where project_id = ?1",
            params![project],
        )?;
        Ok(())
    })
}

/// Writes straight into the database of a stopped server.
pub fn fill(
    data: &Path, write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>,
) -> Result<(), String> {
    let path = database(data)?;
    let fill = || -> rusqlite::Result<()> {
        let mut connection = Connection::open(&path)?;
        let transaction = connection.transaction()?;
        write(&transaction)?;
        transaction.commit()
    };
    fill().map_err(|error| format!("{}: {error}", path.display()))
}

/// The SQLite file in a data directory.
pub(super) fn database(data: &Path) -> Result<PathBuf, String> {
    let entries = fs::read_dir(data).map_err(|error| format!("{}: {error}", data.display()))?;
    entries
        .flatten()
        .map(|entry| entry.path())
        .find(|path| is_database(path))
        .ok_or_else(|| format!("{} holds no SQLite database", data.display()))
}

fn is_database(path: &Path) -> bool {
    let mut start = [0_u8; 15];
    path.is_file()
        && fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut start).is_ok())
        && &start == b"SQLite format 3"
}
