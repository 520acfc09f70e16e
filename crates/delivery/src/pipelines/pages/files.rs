//! The files that a job left: all of them, one, or what a folder of them has. By the job,
//! or by the latest job of a name that succeeded on a ref.

use super::job::One;
use super::{Here, below};
use crate::pipelines::model::Job;
use crate::runners::artifacts::browsing::{self, Folder};
use crate::runners::left::{archive_of, latest_job, out_of, send};
use crate::runners::store::artifacts::Artifact;
use ::store::Tx;
use askama::Template;
use code::entity::in_address;
use http::Method;
use identity::pages::page;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::html::ui;
use kernel::html::{Html, Page};
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use spaces::pages::{Address, Section};
use std::sync::Arc;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &below("jobs/{job_id}/artifacts/download"), download);
    r.page(Method::GET, &below("jobs/{job_id}/artifacts/browse"), browse_root);
    r.page(Method::GET, &below("jobs/{job_id}/artifacts/browse/{*path}"), browse);
    r.page(Method::GET, &below("jobs/{job_id}/artifacts/file/{*path}"), file);
    r.page(Method::GET, &below("jobs/{job_id}/artifacts/raw/{*path}"), file);
    r.page(Method::GET, &below("jobs/artifacts/{ref_name}/download"), latest_download);
    r.page(Method::GET, &below("jobs/artifacts/{ref_name}/browse"), latest_browse);
    r.page(Method::GET, &below("jobs/artifacts/{ref_name}/browse/{*path}"), latest_browse);
    r.page(Method::GET, &below("jobs/artifacts/{ref_name}/file/{*path}"), latest_file);
    r.page(Method::GET, &below("jobs/artifacts/{ref_name}/raw/{*path}"), latest_file);
}

kernel::params! {
    pub struct OfJob {
        pub job_id: i64,
        /// In the archive.
        pub path: String,
    }
}

kernel::params! {
    pub struct OfRef {
        /// A branch or tag.
        pub ref_name: String,
        /// Name of the job.
        pub job: String,
        /// In the archive.
        pub path: Option<String>,
    }
}

type Asker = (Viewer, Address);

fn archive(tx: &mut Tx<'_>, (viewer, address): &Asker, id: i64) -> Result<(Here, Job, Artifact)> {
    let here = Here::find(tx, viewer, address)?;
    let (_, job) = here.job(tx, id)?;
    let file = archive_of(tx, viewer, (&here.project, &job))?;
    Ok((here, job, file))
}

async fn download(
    app: App, request: Arc<RequestContext>, viewer: Viewer, address: Address, one: Params<One>,
) -> Result<Response> {
    let by = (viewer, address);
    let found = app.read(move |tx| archive(tx, &by, one.job_id)).await?;
    send(&app, &request, &found.2).await
}

async fn file(app: App, viewer: Viewer, address: Address, of: Params<OfJob>) -> Result<Response> {
    let (by, Params(of)) = ((viewer, address), of);
    let found = app.read(move |tx| archive(tx, &by, of.job_id)).await?;
    out_of(&app, &found.2, of.path).await
}

async fn browse_root(
    app: App, viewer: Viewer, address: Address, one: Params<One>,
) -> Result<Response> {
    browsed(&app, (viewer, address), one.job_id, "").await
}

async fn browse(app: App, viewer: Viewer, address: Address, of: Params<OfJob>) -> Result<Response> {
    browsed(&app, (viewer, address), of.job_id, &of.path).await
}

async fn browsed(app: &App, by: Asker, id: i64, path: &str) -> Result<Response> {
    let page = page(app, &by.0, "Files");
    let (here, job, file) = app.read(move |tx| archive(tx, &by, id)).await?;
    let path = match path.trim_matches('/') {
        "" => String::new(),
        path => format!("{path}/"),
    };
    let all = browsing::listed(app, &file).await?;
    let folder = match all {
        Some(all) => browsing::folder(&all, &path).found("Folder")?,
        // An archive without a file, or one whose list is not to be read.
        None => Folder::default(),
    };
    let job_url = here.url(&format!("jobs/{}", job.id));
    let page = here.head.page_below(page, Section::Jobs).crumb(&job.name, &job_url);
    let view = View::new(page, format!("{job_url}/artifacts"), &path, folder);
    Ok(Html::new(&view)?.response())
}

/// A step of the path of a folder.
struct Step {
    name: String,
    url: String,
}

/// A folder of an archive.
#[derive(Template)]
#[template(path = "artifacts.html")]
pub struct View {
    page: Page,
    url: String,
    steps: Vec<Step>,
    folders: Vec<Step>,
    files: Vec<(Step, String)>,
    is_cut: bool,
}

impl View {
    fn new(page: Page, url: String, path: &str, folder: Folder) -> View {
        let at = |kind: &str, path: &str| format!("{url}/{kind}/{}", in_address(path));
        let below = |name: &str| format!("{path}{name}");
        let mut above = String::new();
        let steps = path.split_terminator('/').map(|name| {
            above = format!("{above}{name}/");
            Step { name: name.to_owned(), url: at("browse", &above) }
        });
        let steps = steps.collect();
        let folders = folder
            .folders
            .into_iter()
            .map(|name| Step { url: at("browse", &below(&name)), name });
        let files = folder.files.into_iter().map(|(name, size)| {
            let url = at("file", &below(&name));
            (Step { name, url }, ui::bytes(size))
        });
        View {
            steps,
            folders: folders.collect(),
            files: files.collect(),
            is_cut: folder.is_cut,
            page,
            url: url.clone(),
        }
    }

    fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.files.is_empty()
    }
}

fn latest(tx: &mut Tx<'_>, (viewer, address): &Asker, of: &OfRef) -> Result<(Here, Job)> {
    let here = Here::find(tx, viewer, address)?;
    let job = latest_job(tx, viewer, &here.project, (&of.ref_name, &of.job))?;
    Ok((here, job))
}

async fn latest_archive(app: &App, by: Asker, of: OfRef) -> Result<Artifact> {
    app.read(move |tx| {
        let (here, job) = latest(tx, &by, &of)?;
        archive_of(tx, &by.0, (&here.project, &job))
    })
    .await
}

async fn latest_download(
    app: App, request: Arc<RequestContext>, viewer: Viewer, address: Address, of: Params<OfRef>,
) -> Result<Response> {
    let file = latest_archive(&app, (viewer, address), of.0).await?;
    send(&app, &request, &file).await
}

async fn latest_file(
    app: App, viewer: Viewer, address: Address, of: Params<OfRef>,
) -> Result<Response> {
    let (by, Params(of)) = ((viewer, address), of);
    let path = of.path.clone().found("File")?;
    let file = latest_archive(&app, by, of).await?;
    out_of(&app, &file, path).await
}

/// Leads to the files of the job that it is now.
async fn latest_browse(
    app: App, viewer: Viewer, address: Address, of: Params<OfRef>,
) -> Result<Response> {
    let (by, Params(of)) = ((viewer, address), of);
    let path = of.path.clone().unwrap_or_default();
    let (here, job) = app.read(move |tx| latest(tx, &by, &of)).await?;
    let url = here.url(&format!("jobs/{}/artifacts/browse", job.id));
    match path.is_empty() {
        true => reply::see_other(&url),
        false => reply::see_other(&format!("{url}/{}", in_address(&path))),
    }
}
