//! Pages of pipelines and jobs: `…/-/pipelines`, `…/-/jobs`, `…/-/ci/editor` and badges.
//!
//! A page begins with [`Here`], which finds the project for who sees its pipelines and their
//! jobs. Forms go through the rules that REST uses; every page works without a script.

mod badges;
mod charts;
mod editor;
mod files;
mod graph;
mod job;
mod jobs;
mod list;
mod log;
mod new;
pub mod parts;
pub mod rows;
mod show;
mod tests_of;

pub use parts::look;

use crate::pipelines::access::{check_jobs_are_seen, may_run};
use crate::pipelines::model::{Job, Pipeline};
use crate::pipelines::store;
use crate::pipelines::variables::Given;
use crate::variables::model::VariableType;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::Routes;
use kernel::secrets::Secret;
use repositories::formats::object_id::ObjectId;
use repositories::model::Repository;
use repositories::objects::{self, Objects};
use spaces::access::{self, Purpose};
use spaces::model::Project;
use spaces::pages::{Address, PROJECT, SpaceHead};
use std::collections::HashMap;

pub fn routes(r: &mut Routes) {
    list::routes(r);
    new::routes(r);
    charts::routes(r);
    show::routes(r);
    jobs::routes(r);
    job::routes(r);
    log::routes(r);
    files::routes(r);
    badges::routes(r);
    editor::routes(r);
}

/// The address of a page of a project.
fn below(path: &str) -> String {
    format!("{PROJECT}/-/{path}")
}

/// A project whose pipelines the viewer sees, on a page; its jobs, too, but beside badges.
#[derive(Clone)]
struct Here {
    head: SpaceHead,
    project: Project,
    /// The viewer runs pipelines, at least of some branches.
    can_run: bool,
}

impl Here {
    fn find(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address) -> Result<Here> {
        let here = Here::to(tx, viewer, address, Purpose::ReadPipelines)?;
        check_jobs_are_seen(tx, viewer, &here.project)?;
        Ok(here)
    }

    fn to(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address, purpose: Purpose) -> Result<Here> {
        let space = address.authorize(tx, viewer, purpose)?;
        let project = space.project()?.clone();
        // Pipelines show code, and so are for who reads that.
        if !access::may(tx, viewer, &project, Purpose::DownloadCode)? {
            return Err(Error::forbidden(""));
        }
        Ok(Here {
            head: space.head(tx, viewer)?,
            can_run: access::may(tx, viewer, &project, Purpose::RunPipelines)?,
            project,
        })
    }

    fn pipeline(&self, tx: &mut Tx<'_>, id: i64) -> Result<Pipeline> {
        store::pipelines::of_project(tx, self.project.id, id)?.found("Pipeline")
    }

    fn job(&self, tx: &mut Tx<'_>, id: i64) -> Result<(Pipeline, Job)> {
        let job = store::jobs::of_project(tx, self.project.id, id)?.found("Job")?;
        let pipeline = store::pipelines::by_id(tx, job.pipeline_id)?.found("Pipeline")?;
        Ok((pipeline, job))
    }

    /// Whether the viewer runs jobs of this pipeline.
    fn may_run(&self, tx: &mut Tx<'_>, viewer: &Viewer, pipeline: &Pipeline) -> Result<bool> {
        Ok(self.can_run && may_run(tx, viewer, &self.project, pipeline)?)
    }

    /// The same of who does something to them now.
    fn check_run(&self, tx: &mut Tx<'_>, viewer: &Viewer, pipeline: &Pipeline) -> Result<()> {
        match self.may_run(tx, viewer, pipeline)? {
            true => Ok(()),
            false => Err(Error::forbidden("")),
        }
    }

    fn url(&self, path: &str) -> String {
        format!("{}/-/{path}", self.head.url)
    }
}

/// The first lines of the messages of commits, by their names.
async fn titles(
    app: &App, repository: Option<&Repository>, shas: impl Iterator<Item = &str>,
) -> Result<HashMap<String, String>> {
    let mut ids: Vec<ObjectId> = shas.filter_map(|sha| sha.parse().ok()).collect();
    ids.sort_unstable();
    ids.dedup();
    let Some(repository) = repository.filter(|_| !ids.is_empty()) else {
        return Ok(HashMap::new());
    };
    let found = objects::read(app, repository, move |objects: &Objects| objects.commits(&ids));
    let title = |commit: objects::Commit| (commit.id.to_string(), commit.title().to_owned());
    Ok(found.await?.into_iter().map(title).collect())
}

/// Variables as they are typed: one a line, `NAME=value`.
fn typed_variables(text: &str) -> Result<Vec<Given>> {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
    let given = lines.map(|line| {
        let (key, value) = line.split_once('=').ok_or_else(|| {
            Error::invalid("variables", format!("need NAME=value on each line, not \"{line}\""))
        })?;
        Ok(Given {
            key: key.trim().to_owned(),
            value: Secret::new(value),
            variable_type: VariableType::EnvVar,
            raw: false,
        })
    });
    given.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_typed_one_a_line() {
        let given = typed_variables("A=1\r\n\n B = two=2 \nC=").unwrap();
        let shown: Vec<_> =
            given.iter().map(|one| (one.key.as_str(), one.value.expose())).collect();
        assert_eq!(shown, [("A", "1"), ("B", " two=2"), ("C", "")]);
        assert!(typed_variables("A").is_err());
    }
}
