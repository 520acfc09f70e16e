//! How far the import of a project is, on the wire.

use crate::run::{Import, Stage, Stats};
use crate::settings::GIT;
use crate::store::failures::{self, FailedRelation};
use crate::store::of_project;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::{Purpose, may};
use spaces::imports::{self, ImportStatus};
use spaces::model::Project;
use std::collections::BTreeMap;

/// Failures that are shown.
const SHOWN: i64 = 100;
/// What those read who may not know more.
const ASK: &str = "Ask a maintainer to check the import status for more details.";

/// How far the import of a project is.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportEntity {
    id: i64,
    description: Option<String>,
    name: String,
    name_with_namespace: String,
    path: String,
    path_with_namespace: String,
    created_at: String,
    import_status: ImportStatus,
    import_type: Option<&'static str>,
    correlation_id: Option<String>,
    /// The first hundred, for who maintains the project.
    failed_relations: Vec<FailedRelationEntity>,
    import_error: Option<String>,
    stats: Option<StatsEntity>,
    #[serde(flatten)]
    progress: Progress,
}

/// Where an import stands.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "ImportProgress")]
struct Progress {
    /// How many there are of all.
    failed_relations_count: i64,
    /// What it is at.
    stage: Option<Stage>,
    /// It keeps following until it is cut over.
    live: bool,
    /// When it last began to bring everything, and came through.
    last_synced_at: Option<String>,
    /// It goes on then.
    waits_until: Option<String>,
    /// Why it waits.
    last_error: Option<String>,
}

/// How many of each kind were read there, and how many came.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ImportStats")]
struct StatsEntity {
    fetched: BTreeMap<String, i64>,
    imported: BTreeMap<String, i64>,
}

/// A part that could not be brought.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FailedImportRelation")]
struct FailedRelationEntity {
    id: i64,
    created_at: String,
    exception_class: String,
    exception_message: String,
    /// The stage it failed at.
    source: Stage,
    relation_name: crate::model::Kind,
    /// None: things are told apart by their keys.
    line_number: Option<i64>,
    /// Its own there, among those of its kind.
    key: String,
    /// Whether it can be tried again alone.
    may_be_retried: bool,
}

impl From<FailedRelation> for FailedRelationEntity {
    fn from(it: FailedRelation) -> FailedRelationEntity {
        FailedRelationEntity {
            id: it.id,
            created_at: wire::text(it.created_at),
            exception_class: it.exception_class,
            exception_message: it.message,
            source: it.stage,
            relation_name: it.kind,
            line_number: None,
            key: it.key,
            may_be_retried: it.object.is_some(),
        }
    }
}

impl From<Stats> for StatsEntity {
    fn from(it: Stats) -> StatsEntity {
        StatsEntity { fetched: it.fetched, imported: it.imported }
    }
}

/// The import of a project, as far as a viewer may know.
pub fn of(tx: &mut Tx<'_>, viewer: &Viewer, project: &Project) -> Result<ImportEntity> {
    let maintains = may(tx, viewer, project, Purpose::Update)?;
    let import = of_project(tx, project.id)?;
    let failed = match &import {
        Some(import) if maintains && import.failures > 0 => failures::list(tx, import.id, SHOWN)?,
        _ => Vec::new(),
    };
    Ok(ImportEntity {
        id: project.id,
        description: project.description.clone(),
        name: project.name.clone(),
        name_with_namespace: project.name_with_namespace(),
        path: project.path.clone(),
        path_with_namespace: project.full_path.clone(),
        created_at: wire::text(project.created_at),
        import_status: imports::shown(project),
        import_type: import_type(project, import.as_ref()),
        correlation_id: import.as_ref().and_then(|it| it.correlation_id.clone()),
        failed_relations: failed.into_iter().map(FailedRelationEntity::from).collect(),
        import_error: error(viewer, project, maintains),
        stats: import.as_ref().map(|it| it.stats.0.clone().into()),
        progress: import.map(|it| progress(it, maintains)).unwrap_or_default(),
    })
}

/// What a project came from, if it came from somewhere.
fn import_type(project: &Project, import: Option<&Import>) -> Option<&'static str> {
    match import {
        Some(import) => Some(import.source.as_str()),
        None => (project.import_status != ImportStatus::None).then_some(GIT),
    }
}

fn error(viewer: &Viewer, project: &Project, maintains: bool) -> Option<String> {
    let text = project.import_error.clone()?;
    match viewer {
        _ if maintains => Some(text),
        Viewer::Anonymous => None,
        _ => Some(ASK.to_owned()),
    }
}

fn progress(import: Import, maintains: bool) -> Progress {
    Progress {
        failed_relations_count: import.failures,
        stage: import.stage,
        live: import.is_live,
        last_synced_at: import.synced_at.map(wire::text),
        waits_until: import.waits_until.map(wire::text),
        last_error: import.last_error.filter(|_| maintains),
    }
}
