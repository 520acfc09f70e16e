//! Writing a list: row by row where nobody sees it, then in one step in the place of the
//! one before it.

use crate::dependencies::advisories;
use crate::dependencies::model::{Ancestor, List, Needed, UNKNOWN, name_key};
use crate::pipelines::store::inserts;
use ::store::{Fragment, IntoValue, Json, Tx, Value, sql};
use jiff::{SignedDuration, Timestamp};
use kernel::error::Result;
use sbom::model::{Component, License};
use std::collections::{BTreeSet, HashMap};

/// How long a list may take to be written.
const WRITTEN_WITHIN: SignedDuration = SignedDuration::from_hours(24);
/// How long one stays that another took the place of, for those who still read it.
const READ_WITHIN: SignedDuration = SignedDuration::from_mins(10);

/// Where a list comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    pub project_id: i64,
    pub pipeline_id: Option<i64>,
    pub upload_id: Option<i64>,
    pub sha: Option<String>,
    pub said_at: Timestamp,
}

impl Origin {
    /// Whether a list says something newer: pipelines count by their numbers, and beside
    /// them what was sent by its time.
    fn is_older_than(&self, current: &List) -> bool {
        match (current.pipeline_id, self.pipeline_id) {
            (Some(theirs), Some(own)) => theirs > own,
            _ => match (current.upload_id, self.upload_id) {
                (Some(theirs), Some(own)) => theirs > own,
                _ => current.said_at > self.said_at,
            },
        }
    }
}

fn after(tx: &Tx<'_>, time: SignedDuration) -> Timestamp {
    tx.now().saturating_add(time).unwrap_or(Timestamp::MAX)
}

/// Begins a list that nobody sees yet.
pub fn begin(tx: &mut Tx<'_>, origin: &Origin) -> Result<i64> {
    let (now, ends_at) = (tx.now(), after(tx, WRITTEN_WITHIN));
    Ok(tx.one(
        sql!(
            "insert into dependency_lists (project_id, pipeline_id, upload_id, sha,
                is_current, said_at, created_at, ends_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8) returning id"
        ),
        (
            origin.project_id,
            origin.pipeline_id,
            origin.upload_id,
            origin.sha.clone(),
            false,
            origin.said_at,
            now,
            ends_at,
        ),
    )?)
}

/// A component with its place in its report.
#[derive(Debug, Clone)]
pub struct Row {
    pub component: Component,
    pub depends_on: Vec<String>,
    pub top_level: bool,
    pub ancestors: Vec<Ancestor>,
}

/// Adds components of one report, whose references are each other's and no other's.
pub fn add(
    tx: &mut Tx<'_>, (list_id, project_id): (i64, i64), document: i64, rows: &[Row],
) -> Result<()> {
    let place = (list_id, project_id, document);
    let values: Vec<Vec<Value>> = rows.iter().map(|row| values(place, row)).collect();
    let before = "insert into dependencies (list_id, project_id, document, reference, depends_on,
        kind, group_name, name, name_key, version, purl, packager, language, category,
        input_file, source_file, image, operating_system, reachability, hashes, licenses,
        top_level, ancestors) values";
    let mut ids: HashMap<String, i64> = HashMap::new();
    for statement in inserts(before, &values, " returning reference, id") {
        let made: Vec<(String, i64)> = tx.query(statement)?;
        ids.extend(made);
    }
    add_licenses(tx, list_id, rows, &ids)
}

fn values((list_id, project_id, document): (i64, i64, i64), row: &Row) -> Vec<Value> {
    let it = &row.component;
    let text = |text: &Option<String>| text.as_deref().map(storable).into_value();
    vec![
        list_id.into_value(),
        project_id.into_value(),
        document.into_value(),
        storable(&it.reference).into_value(),
        Json(row.depends_on.iter().map(|to| storable(to)).collect::<Vec<_>>()).into_value(),
        storable(&it.kind).into_value(),
        text(&it.group),
        storable(&it.name).into_value(),
        name_key(it.group.as_deref().map(storable).as_deref(), &storable(&it.name)).into_value(),
        text(&it.version),
        text(&it.purl),
        text(&it.packager),
        text(&it.language),
        Needed::from(it.category).into_value(),
        text(&it.input_file),
        text(&it.source_file),
        text(&it.image),
        text(&it.operating_system),
        text(&it.reachability),
        Json(&it.hashes).into_value(),
        Json(&it.licenses).into_value(),
        row.top_level.into_value(),
        Json(&row.ancestors).into_value(),
    ]
}

/// A text as both engines keep it.
fn storable(text: &str) -> String {
    text.replace('\0', "")
}

fn add_licenses(
    tx: &mut Tx<'_>, list_id: i64, rows: &[Row], ids: &HashMap<String, i64>,
) -> Result<()> {
    let mut all: Vec<Vec<Value>> = Vec::new();
    for row in rows {
        let Some(id) = ids.get(&storable(&row.component.reference)) else {
            continue;
        };
        for license in keys(&row.component.licenses) {
            all.push(vec![id.into_value(), list_id.into_value(), license.into_value()]);
        }
    }
    let before = "insert into dependency_licenses (dependency_id, list_id, license) values";
    for statement in inserts(before, &all, "") {
        tx.change_by(statement)?;
    }
    Ok(())
}

/// What a dependency of these licences is found and counted by.
fn keys(licenses: &[License]) -> BTreeSet<String> {
    match licenses.is_empty() {
        true => BTreeSet::from([UNKNOWN.to_owned()]),
        false => licenses.iter().map(|license| storable(license.text())).collect(),
    }
}

/// Puts a list in the place of the current one, unless that is newer; whether it did.
pub fn make_current(tx: &mut Tx<'_>, id: i64, origin: &Origin) -> Result<bool> {
    let current = super::current(tx, origin.project_id)?;
    let is_late = current.as_ref().is_some_and(|current| origin.is_older_than(current));
    if is_late {
        end(tx, id, READ_WITHIN)?;
        return Ok(false);
    }
    if let Some(current) = current {
        end(tx, current.id, READ_WITHIN)?;
    }
    let (is_current, none) = (true, None::<Timestamp>);
    tx.execute(
        sql!("update dependency_lists set is_current = $2, ends_at = $3 where id = $1"),
        (id, is_current, none),
    )?;
    advisories::list_changed(tx, id)?;
    Ok(true)
}

/// Has a list go that nobody is to see any more.
fn end(tx: &mut Tx<'_>, id: i64, within: SignedDuration) -> Result<()> {
    let at = after(tx, within);
    tx.run(
        sql!("update dependency_lists set is_current = $2, ends_at = $3 where id = $1"),
        (id, false, at),
    )
}

/// Whether what a pipeline or upload says would be current.
pub fn would_be_current(tx: &mut Tx<'_>, origin: &Origin) -> Result<bool> {
    let current = super::current(tx, origin.project_id)?;
    Ok(current.is_none_or(|current| !origin.is_older_than(&current)))
}

/// A list whose time is over.
pub fn ended(tx: &mut Tx<'_>) -> Result<Option<i64>> {
    let now = tx.now();
    Ok(tx.optional(
        sql!("select id from dependency_lists where ends_at <= $1 order by ends_at limit 1"),
        (now,),
    )?)
}

/// Takes some rows of a list away, and it with the last of them; whether it is gone.
pub fn take_away(tx: &mut Tx<'_>, id: i64, most: i64) -> Result<bool> {
    let gone = tx.execute(
        sql!(
            "delete from dependencies where id in (select d.id from dependencies d
                where d.list_id = $1 order by d.id limit $2)"
        ),
        (id, most),
    )?;
    if gone >= most.unsigned_abs() {
        return Ok(false);
    }
    let mut list = Fragment::new("delete from dependency_lists where id = ");
    list.bind(id);
    tx.change_by(list)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn current(pipeline_id: Option<i64>, upload_id: Option<i64>, second: i64) -> List {
        List {
            id: 1,
            project_id: 1,
            pipeline_id,
            upload_id,
            sha: None,
            is_current: true,
            said_at: at(second),
            created_at: at(second),
        }
    }

    #[test]
    fn what_is_older_takes_no_place() {
        let origin = |pipeline_id, upload_id, second| Origin {
            project_id: 1,
            pipeline_id,
            upload_id,
            sha: None,
            said_at: at(second),
        };
        for (new, old, is_older) in [
            (origin(Some(7), None, 10), current(Some(8), None, 10), true),
            (origin(Some(8), None, 10), current(Some(8), None, 10), false),
            (origin(Some(9), None, 10), current(Some(8), None, 10), false),
            (origin(Some(9), None, 10), current(None, Some(1), 20), true),
            (origin(Some(9), None, 30), current(None, Some(1), 20), false),
            (origin(None, Some(1), 20), current(Some(9), None, 30), true),
            (origin(None, Some(2), 20), current(None, Some(3), 20), true),
            (origin(None, Some(4), 20), current(None, Some(3), 20), false),
        ] {
            assert_eq!(new.is_older_than(&old), is_older, "{new:?} {old:?}");
        }
    }

    #[test]
    fn what_has_no_licence_is_counted_as_unknown() {
        assert_eq!(keys(&[]), BTreeSet::from(["unknown".to_owned()]));
        let both = [License::Id("MIT".into()), License::Id("MIT".into())];
        assert_eq!(keys(&both), BTreeSet::from(["MIT".to_owned()]));
    }
}
