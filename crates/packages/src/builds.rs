//! Which pipelines built packages. Pipelines are of a room above, which plugs [`Hooks`] in;
//! here is written which file came from which.

use crate::entity::PipelineEntity;
use crate::model::PackageFile;
use crate::store::builds as rows;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::Result;
use spaces::access::{Levels, Purpose, find_projects};
use spaces::model::Project;
use std::collections::{HashMap, HashSet};
use store::Tx;

/// Most pipelines that a package shows.
pub const MOST: i64 = 20;

/// The pipeline of a job.
pub type PipelineOfJob = fn(&mut Tx<'_>, i64) -> Result<Option<i64>>;
/// Those of these pipelines that are there, by their ids.
pub type Pipelines = fn(&App, &mut Tx<'_>, Vec<i64>) -> Result<HashMap<i64, PipelineEntity>>;

/// Functions of the room above; they must be among the store's plugs.
#[derive(Default)]
pub struct Hooks {
    pub pipeline_of_job: Option<PipelineOfJob>,
    pub pipelines: Option<Pipelines>,
}

/// Writes down which pipeline a file comes from, if a job published it.
pub fn record(tx: &mut Tx<'_>, viewer: &Viewer, file: &PackageFile) -> Result<()> {
    let Some((job, _)) = viewer.job() else {
        return Ok(());
    };
    let Some(find) = tx.plugged::<Hooks>()?.pipeline_of_job else {
        return Ok(());
    };
    match find(tx, job)? {
        Some(pipeline) => rows::insert(tx, file, pipeline),
        None => Ok(()),
    }
}

/// The newest pipelines of some packages, by package, for who sees pipelines.
pub fn of_packages(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, packages: Vec<i64>,
) -> Result<HashMap<i64, Vec<PipelineEntity>>> {
    let pairs = rows::newest_of_packages(tx, packages, MOST)?;
    shown(app, tx, viewer, pairs)
}

/// The pipelines of some files, by file, for who sees pipelines.
pub fn of_files(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, files: &[PackageFile],
) -> Result<HashMap<i64, Vec<PipelineEntity>>> {
    let pairs = rows::of_files(tx, files.iter().map(|file| file.id).collect())?;
    shown(app, tx, viewer, pairs)
}

/// A page of the pipelines of a package, the newest first, after one of this id.
pub fn page(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, package: i64, (after, most): (Option<i64>, i64),
) -> Result<Vec<PipelineEntity>> {
    let ids = rows::of_package(tx, package, after, most)?;
    let pairs = ids.into_iter().map(|id| (package, id)).collect();
    Ok(shown(app, tx, viewer, pairs)?.remove(&package).unwrap_or_default())
}

/// What things were built by, each with the id of a pipeline.
fn shown(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, pairs: Vec<(i64, i64)>,
) -> Result<HashMap<i64, Vec<PipelineEntity>>> {
    let mut by_thing: HashMap<i64, Vec<PipelineEntity>> = HashMap::new();
    let Some(read) = tx.plugged::<Hooks>()?.pipelines.filter(|_| !pairs.is_empty()) else {
        return Ok(by_thing);
    };
    let ids: HashSet<i64> = pairs.iter().map(|(_, id)| *id).collect();
    let mut found = read(app, tx, ids.into_iter().collect())?;
    let open = open_projects(tx, viewer, found.values().map(|one| one.project_id).collect())?;
    found.retain(|_, one| open.contains(&one.project_id));
    for (thing, id) in pairs {
        if let Some(pipeline) = found.get(&id) {
            by_thing.entry(thing).or_default().push(pipeline.clone());
        }
    }
    Ok(by_thing)
}

/// Those of these projects whose pipelines the viewer sees.
fn open_projects(tx: &mut Tx<'_>, viewer: &Viewer, ids: HashSet<i64>) -> Result<HashSet<i64>> {
    let ids: Vec<i64> = ids.into_iter().collect();
    let projects = find_projects(tx, &ids)?;
    let all: Vec<&Project> = projects.iter().collect();
    let levels = Levels::in_projects(tx, viewer, &all)?;
    let sees = |one: &&Project| levels.may(one, Purpose::ReadPipelines);
    Ok(projects.iter().filter(sees).map(|one| one.id).collect())
}
