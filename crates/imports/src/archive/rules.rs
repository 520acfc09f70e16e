//! Projects are made of files.

use super::file::noted;
use super::format::Manifest;
use super::store::{self, Came, NewFile};
use crate::run::{self, NewImport, Options, SourceName};
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Result};
use kernel::http::params::FromParams;
use kernel::ids::Reference;
use serde_json::{Map, Value};
use spaces::access::{self, Purpose};
use spaces::model::{Namespace, Project};
use spaces::rules::{
    ProjectChange, create_own_project, destroy_project, namespace_for_projects, own_namespace,
};
use std::collections::BTreeMap;

pub use super::store::Came as FileCame;

/// A project that is to be made of a file.
#[derive(Debug, Clone)]
pub struct Wanted {
    pub path: String,
    /// The path without one.
    pub name: Option<String>,
    /// Id or path; that of the caller without one.
    pub namespace: Option<Reference>,
    /// A project that has the path already goes.
    pub overwrite: bool,
    /// Settings in place of those in the file.
    pub overrides: Map<String, Value>,
    pub user_map: BTreeMap<String, i64>,
}

impl Wanted {
    /// Refuses settings that there are not.
    ///
    /// # Errors
    ///
    /// 400.
    pub fn check(&self) -> Result<()> {
        let wrong = |problems: Vec<String>| {
            let told = |text: String| format!("override_params[{}", text.replacen(' ', "] ", 1));
            Error::Parameters(problems.into_iter().map(told).collect())
        };
        ProjectChange::from_params(&self.overrides).map(drop).map_err(wrong)
    }
}

/// Where a file comes from, as far as that is known in the beginning.
#[derive(Debug, Clone)]
pub struct Source {
    pub came: Came,
    /// As imports are told apart.
    pub origin: String,
    /// What it says of itself, if it is here.
    pub manifest: Option<Manifest>,
    pub correlation_id: Option<String>,
}

/// The namespace that a project is to stand in, for who may make it there.
///
/// # Errors
///
/// `NotFound` and `Forbidden` as elsewhere.
pub fn namespace(tx: &mut Tx<'_>, by: &Caller, wanted: Option<&Reference>) -> Result<Namespace> {
    let reference = match wanted {
        Some(reference) => reference.clone(),
        None => Reference::Id(own_namespace(tx, by.viewer.signed_in()?.user.id)?),
    };
    namespace_for_projects(tx, &by.viewer, &reference)
}

/// Makes a project and has the file brought into it.
///
/// # Errors
///
/// What making a project refuses; 403 where files are not imported, or who asks may not remove
/// the project that is to be overwritten.
pub fn begin(tx: &mut Tx<'_>, by: &Caller, wanted: &Wanted, source: &Source) -> Result<Project> {
    crate::settings::need(tx, SourceName::ProjectFile)?;
    let home = namespace(tx, by, wanted.namespace.as_ref())?;
    if wanted.overwrite {
        remove_before(tx, by, &home, &wanted.path)?;
    }
    let change = ProjectChange {
        name: Some(wanted.name.clone().unwrap_or_else(|| wanted.path.clone())),
        path: Some(wanted.path.clone()),
        ..ProjectChange::default()
    };
    let project = create_own_project(tx, &by.viewer, Some(home.id), &change)?;
    let file = NewFile {
        project_id: project.id,
        came: source.came.clone(),
        overrides: wanted.overrides.clone(),
    };
    let file = store::insert(tx, &file)?;
    let new = new_import(source, noted(file, None), wanted.user_map.clone());
    run::begin(tx, &by.app, &by.viewer, &project, &new)?;
    access::project(tx, &by.viewer, &Reference::Id(project.id), Purpose::Read)
}

/// An import of a file.
pub(super) fn new_import(
    source: &Source, upstream: Value, user_map: BTreeMap<String, i64>,
) -> NewImport {
    let manifest = source.manifest.as_ref();
    NewImport {
        source: SourceName::ProjectFile,
        host: manifest.map_or("unknown", |manifest| manifest.host()).to_owned(),
        origin: manifest
            .map_or(&source.origin, |manifest| &manifest.project.full_path)
            .chars()
            .take(500)
            .collect(),
        origin_id: manifest.map(|manifest| manifest.project.id),
        base_url: String::new(),
        upstream,
        options: Options::default(),
        user_map,
        is_live: false,
        credentials: None,
        correlation_id: source.correlation_id.clone(),
    }
}

/// Removes the project that stands where another one is to.
fn remove_before(tx: &mut Tx<'_>, by: &Caller, home: &Namespace, path: &str) -> Result<()> {
    let reference = Reference::Path(format!("{}/{path}", home.full_path));
    match access::project(tx, &by.viewer, &reference, Purpose::Destroy) {
        Ok(project) => destroy_project(tx, &by.viewer, &project),
        // What is not there, or not seen, is refused by its name.
        Err(Error::NotFound(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
