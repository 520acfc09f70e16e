//! Parts of files are brought.

use super::super::file::noted;
use super::super::rules::{Source, new_import};
use super::super::store::{self as files, NewFile};
use super::model::{Relation, RelationImport, Status};
use super::store;
use crate::run::rules::{find, find_part};
use crate::run::{self, Import};
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Result};
use serde_json::{Map, Value, json};
use spaces::imports::ImportStatus;
use spaces::model::Project;
use std::collections::BTreeMap;

/// Those of a project that are shown.
const SHOWN: i64 = 100;

/// Has a part of a file brought into a project, for who maintains it.
///
/// # Errors
///
/// 409 while something is imported into the project, 403 where files are not imported.
pub fn begin(
    tx: &mut Tx<'_>, by: &Caller, project: &Project, relation: Relation, source: &Source,
) -> Result<RelationImport> {
    let (whole, before) = (find(tx, project)?, find_part(tx, project)?);
    if whole.iter().chain(&before).any(Import::is_open) {
        let text = "A relation import is already in progress for this project";
        return Err(Error::Exact(409, json!({ "message": text })));
    }
    // The import that they were goes with the next one.
    for row in store::unended(tx, project.id)? {
        store::set_status(tx, row.id, now(&row, before.as_ref()))?;
    }
    let user_id = by.viewer.signed_in()?.user.id;
    let row = store::insert(tx, project.id, user_id, relation)?;
    let file = NewFile {
        project_id: project.id,
        came: source.came.clone(),
        overrides: Map::new(),
    };
    let file = files::insert(tx, &file)?;
    let noted = noted(file, Some((relation, row.id)));
    let new = new_import(source, noted, BTreeMap::new());
    run::begin_part(tx, &by.app, (&by.viewer, project), relation.as_str(), &new)?;
    Ok(row)
}

/// The newest of a project, as they are now.
pub fn list(tx: &mut Tx<'_>, project: &Project) -> Result<Vec<RelationImport>> {
    let import = find_part(tx, project)?;
    let mut rows = store::of_project(tx, project.id, SHOWN)?;
    for row in &mut rows {
        row.status = now(row, import.as_ref());
    }
    Ok(rows)
}

/// How far one is: the import that it is says so.
fn now(row: &RelationImport, import: Option<&Import>) -> Status {
    if row.status.has_ended() {
        return row.status;
    }
    let of = |import: &&Import| {
        import.upstream.0.get("relation_import").and_then(Value::as_i64) == Some(row.id)
    };
    match import.filter(of).map(|import| import.status) {
        Some(ImportStatus::Scheduled) => Status::Created,
        Some(ImportStatus::Started) => Status::Started,
        Some(ImportStatus::Finished) => Status::Finished,
        _ => Status::Failed,
    }
}
