//! `/projects/:id/export`: the project as a file.

use crate::archive::exports::model::{ExportStatus, Exports};
use crate::archive::exports::target::{SendMethod, Target};
use crate::archive::exports::{rules, sending};
use crate::archive::settings::{Deed, count};
use identity::Caller;
use kernel::app::App;
use kernel::error::{Found, Result};
use kernel::http::{Accepted, Ok200, Params, RequestContext, Response, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::access::{self, Purpose};
use spaces::model::Project;
use std::sync::Arc;

const PATH: &str = "/projects/{id}/export";

pub(super) fn routes(r: &mut Routes) {
    r.post(PATH, create)
        .answers(429, "The caller began too many of late")
        .summary("Has a project written into a file");
    r.get(PATH, show).summary("Shows how far the file of a project is");
    r.get(&format!("{PATH}/download"), download)
        .answers(429, "The caller downloaded it too often of late")
        .summary("Downloads the file of a project");
}

kernel::params! {
    /// Where the file is sent once it is written.
    struct SendTo {
        /// The address.
        pub url: String,
        /// How it is sent there: `PUT` unless said.
        pub http_method: Option<SendMethod>,
    }
}

kernel::params! {
    /// A file that is to be written.
    struct ExportProject {
        /// Id or path of the project.
        pub id: Reference,
        /// The description of the project that is made of it, in place of that of this one.
        pub description: Option<String>,
        /// Where it is sent once it is written.
        pub upload: Option<SendTo>,
    }
}

kernel::params! {
    /// A project.
    struct ExportedProject {
        /// Id or path of the project.
        pub id: Reference,
    }
}

/// How far the file of a project is.
#[derive(Debug, Serialize, JsonSchema)]
struct ProjectExportEntity {
    id: i64,
    description: Option<String>,
    name: String,
    name_with_namespace: String,
    path: String,
    path_with_namespace: String,
    created_at: String,
    export_status: ExportStatus,
    /// Why the last one failed, or was not sent.
    export_error: Option<String>,
    /// How many objects of the one that is being written are there.
    exported_objects: Option<i64>,
    /// Until when the file is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
    /// Where the file is downloaded.
    #[serde(rename = "_links", skip_serializing_if = "Option::is_none")]
    links: Option<ExportLinks>,
}

/// Where the file is downloaded.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProjectExportLinks")]
struct ExportLinks {
    api_url: String,
    web_url: String,
}

fn entity(app: &App, project: &Project, exports: &Exports) -> ProjectExportEntity {
    let finished = exports.finished.as_ref();
    let running = exports.latest.as_ref().filter(|export| !export.status.has_ended());
    ProjectExportEntity {
        id: project.id,
        description: project.description.clone(),
        name: project.name.clone(),
        name_with_namespace: project.name_with_namespace(),
        path: project.path.clone(),
        path_with_namespace: project.full_path.clone(),
        created_at: wire::text(project.created_at),
        export_status: exports.status(),
        export_error: exports.problem().map(str::to_owned),
        exported_objects: running.map(|export| export.objects),
        expires_at: finished.map(|export| wire::text(export.expires_at)),
        links: finished.map(|_| ExportLinks {
            api_url: app.url(&format!("/api/v4/projects/{}/export/download", project.id)),
            web_url: app.url(&format!("/{}/-/export/download", project.full_path)),
        }),
    }
}

/// The project, for who maintains it, and what there is of it.
async fn find(by: Caller, id: Reference) -> Result<(Project, Exports)> {
    by.read(move |tx, by| {
        let project = access::project(tx, &by.viewer, &id, Purpose::Update)?;
        let exports = rules::of_project(tx, project.id)?;
        Ok((project, exports))
    })
    .await
}

async fn create(by: Caller, asked: Params<ExportProject>) -> Result<Accepted> {
    let user_id = by.viewer.signed_in()?.user.id;
    let Params(ExportProject { id, description, upload }) = asked;
    find(by.clone(), id.clone()).await?;
    count(&by.app, user_id, Deed::Export).await?;
    let target = match upload {
        Some(SendTo { url, http_method }) => {
            let method = http_method.unwrap_or(SendMethod::Put);
            Some(Target::checked(&by.app, &url, method).await?)
        }
        None => None,
    };
    by.write(move |tx, by| {
        let project = access::project(tx, &by.viewer, &id, Purpose::Update)?;
        rules::create(tx, by, &project, description.as_deref(), target.as_ref())?;
        Ok(Accepted)
    })
    .await
}

async fn show(by: Caller, of: Params<ExportedProject>) -> Result<Ok200<ProjectExportEntity>> {
    let app = by.app.clone();
    by.viewer.signed_in()?;
    let (project, exports) = find(by, of.id.clone()).await?;
    Ok(Ok200(entity(&app, &project, &exports)))
}

async fn download(
    by: Caller, of: Params<ExportedProject>, request: Arc<RequestContext>,
) -> Result<Response> {
    let (app, user_id) = (by.app.clone(), by.viewer.signed_in()?.user.id);
    let (project, exports) = find(by, of.id.clone()).await?;
    let export = exports.finished.found("")?;
    count(&app, user_id, Deed::Download(project.id)).await?;
    sending::sent(&app, &request, &export).await
}
