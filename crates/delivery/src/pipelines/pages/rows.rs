//! Pipelines as rows of a table, on pages of this room and of others.

use super::parts::{StageDots, StatusMark, short, took, who};
use super::titles;
use crate::pipelines::access::repository;
use crate::pipelines::hooks::{self, RequestLink};
use crate::pipelines::model::Pipeline;
use crate::pipelines::store::lists;
use askama::Template;
use askama::filters::HtmlSafe;
use identity::User;
use identity::entities::load_basic;
use identity::viewer::Viewer;
use jiff::Timestamp;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui;
use spaces::model::Project;
use std::collections::HashMap;

/// A pipeline in the table.
struct Row {
    pipeline: Pipeline,
    /// Address of the project that it is in.
    project_url: String,
    title: Option<String>,
    user: Option<User>,
    stages: StageDots,
    /// What it is of, if the viewer sees that.
    request: Option<RequestLink>,
}

impl Row {
    fn mark(&self) -> StatusMark {
        StatusMark::of(self.pipeline.status).at(self.url())
    }

    fn url(&self) -> String {
        address(&self.project_url, self.pipeline.id)
    }

    fn name(&self) -> String {
        let named = self.pipeline.name.clone().filter(|name| !name.is_empty());
        let fallback = || format!("Pipeline #{}", self.pipeline.id);
        named.or(self.title.clone()).unwrap_or_else(fallback)
    }

    fn sha(&self) -> &str {
        short(&self.pipeline.sha)
    }

    fn took(&self, now: &Timestamp) -> Option<String> {
        took(&self.pipeline, *now)
    }

    fn who(&self) -> Option<ui::PersonLink> {
        self.user.as_ref().map(who)
    }

    fn source(&self) -> String {
        self.pipeline.source.to_string().replace('_', " ")
    }

    fn request(&self) -> Option<(String, &RequestLink)> {
        self.request.as_ref().map(|one| (one.text(self.pipeline.project_id), one))
    }
}

fn address(project_url: &str, id: i64) -> String {
    format!("{project_url}/-/pipelines/{id}")
}

/// Pipelines of some projects.
#[derive(Template)]
#[template(path = "ui/pipeline_rows.html")]
pub struct PipelineRows {
    rows: Vec<Row>,
    now: Timestamp,
}

impl HtmlSafe for PipelineRows {}

impl PipelineRows {
    /// Reads what is shown beside pipelines of these projects, in as many statements for any
    /// number of them; the first project has the commits.
    pub async fn read(
        app: &App, viewer: &Viewer, projects: &[&Project], pipelines: Vec<Pipeline>,
    ) -> Result<PipelineRows> {
        let paths = projects.iter().map(|one| (one.id, format!("/{}", one.full_path)));
        let paths: HashMap<i64, String> = paths.collect();
        let url = |id: i64| paths.get(&id).cloned().unwrap_or_default();
        let ids: Vec<i64> = pipelines.iter().map(|one| one.id).collect();
        let people: Vec<i64> = pipelines.iter().filter_map(|one| one.user_id).collect();
        let (first, by, of) =
            (projects.first().copied().cloned(), viewer.clone(), pipelines.clone());
        let found = app.read(move |tx| {
            let people = load_basic(tx, &people)?;
            let stages = lists::stages(tx, ids)?;
            let links = hooks::links(tx, &by, &of)?;
            let repository = match &first {
                Some(project) => repository(tx, project)?,
                None => None,
            };
            Ok((people, stages, links, repository, tx.now()))
        });
        let (people, stages, links, repository, now) = found.await?;
        let shas = pipelines.iter().map(|one| one.sha.as_str());
        let titles = titles(app, repository.as_ref(), shas).await?;
        let places: HashMap<i64, String> =
            pipelines.iter().map(|one| (one.id, url(one.project_id))).collect();
        let place = |id: i64| places.get(&id).cloned().unwrap_or_default();
        let mut stages = StageDots::of(stages, |id| address(&place(id), id));
        let row = |pipeline: Pipeline| Row {
            project_url: url(pipeline.project_id),
            title: titles.get(&pipeline.sha).cloned(),
            user: pipeline.user_id.and_then(|id| people.get(&id).cloned()),
            stages: stages.remove(&pipeline.id).unwrap_or_default(),
            request: pipeline.merge_request_id.and_then(|id| links.get(&id).cloned()),
            pipeline,
        };
        Ok(PipelineRows { rows: pipelines.into_iter().map(row).collect(), now })
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
