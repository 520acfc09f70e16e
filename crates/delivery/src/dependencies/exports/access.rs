//! Whose exports there are: of who reads the dependencies, and each for its maker alone.

use super::model::{Export, Parent, ParentKind};
use super::store;
use crate::dependencies::access;
use crate::pipelines::model::Pipeline;
use crate::pipelines::store::pipelines;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::ids::Reference;
use spaces::model::{Namespace, Project};

/// What is exported.
#[derive(Debug, Clone)]
pub enum Subject {
    Project(Box<Project>),
    Group(Box<Namespace>),
    Pipeline(Box<Project>, Box<Pipeline>),
}

impl Subject {
    pub fn parent(&self) -> Parent {
        let of = |kind, id| Parent { kind, id };
        match self {
            Subject::Project(project) => of(ParentKind::Project, project.id),
            Subject::Group(group) => of(ParentKind::Group, group.id),
            Subject::Pipeline(_, pipeline) => of(ParentKind::Pipeline, pipeline.id),
        }
    }

    /// As people call it.
    pub fn name(&self) -> String {
        match self {
            Subject::Project(project) => project.full_path.clone(),
            Subject::Group(group) => group.full_path.clone(),
            Subject::Pipeline(project, pipeline) => {
                format!("pipeline #{} of {}", pipeline.id, project.full_path)
            }
        }
    }

    /// The last part of its path, for names of files.
    pub fn slug(&self) -> &str {
        match self {
            Subject::Project(project) | Subject::Pipeline(project, _) => &project.path,
            Subject::Group(group) => &group.path,
        }
    }

    /// Where its exports are in the browser.
    pub fn url(&self) -> String {
        match self {
            Subject::Project(project) | Subject::Pipeline(project, _) => {
                format!("/{}/-/dependencies/exports", project.full_path)
            }
            Subject::Group(group) => {
                format!("/groups/{}/-/dependencies/exports", group.full_path)
            }
        }
    }
}

/// A project, for who reads its dependencies.
pub fn project(tx: &mut Tx<'_>, viewer: &Viewer, id: &Reference) -> Result<Subject> {
    Ok(Subject::Project(Box::new(access::project(tx, viewer, id)?)))
}

/// A group, for who reads the dependencies of its projects.
pub fn group(tx: &mut Tx<'_>, viewer: &Viewer, id: &Reference) -> Result<Subject> {
    Ok(Subject::Group(Box::new(access::group(tx, viewer, id)?)))
}

/// A pipeline, for who reads the dependencies of its project.
pub fn pipeline(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<Subject> {
    let pipeline = pipelines::by_id(tx, id)?.found("Pipeline")?;
    let project = access::project(tx, viewer, &Reference::Id(pipeline.project_id));
    match project {
        Ok(project) => Ok(Subject::Pipeline(Box::new(project), Box::new(pipeline))),
        Err(Error::NotFound(_)) => Err(Error::NotFound("Pipeline")),
        Err(other) => Err(other),
    }
}

/// What an export is of, for who may still read that.
pub fn subject(tx: &mut Tx<'_>, viewer: &Viewer, parent: Parent) -> Result<Subject> {
    let id = Reference::Id(parent.id);
    let found = match parent.kind {
        ParentKind::Project => project(tx, viewer, &id),
        ParentKind::Group => group(tx, viewer, &id),
        ParentKind::Pipeline => pipeline(tx, viewer, parent.id),
    };
    match found {
        // Who made the export knows that there is something.
        Err(Error::NotFound(_) | Error::Unauthenticated) => Err(Error::forbidden("")),
        other => other,
    }
}

/// An export of the viewer's, with what it is of.
///
/// # Errors
///
/// 404 for those that are gone, 403 for others' and where the right is lost.
pub fn own(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Result<(Export, Subject)> {
    let now = tx.now();
    let found = store::by_id(tx, id)?.filter(|export| !export.is_expired(now));
    let export = found.found("DependencyListExport")?;
    if viewer.user_id() != Some(export.user_id) {
        return Err(Error::forbidden(""));
    }
    let subject = subject(tx, viewer, export.parent())?;
    Ok((export, subject))
}
