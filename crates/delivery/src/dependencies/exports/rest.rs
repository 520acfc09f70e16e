//! REST of exports (docs/interface/delivery.md 21).

use super::access::{self, Subject};
use super::compare::{self, Comparison};
use super::entity::{ExportEntity, Polled};
use super::model::{ExportType, Status};
use super::publish::{self, PublishedExport};
use super::rules::{self, Asked};
use super::sending;
use ::store::Tx;
use identity::Caller;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Created, Ok200, Params, RequestContext, Response, Routes};
use kernel::ids::Reference;
use std::sync::Arc;

pub fn routes(r: &mut Routes) {
    r.post("/projects/{id}/dependency_list_exports", of_project)
        .answers(429, "Five of the caller's are being written")
        .summary("Exports the dependencies of a project");
    r.post("/groups/{id}/dependency_list_exports", of_group)
        .answers(429, "Five of the caller's are being written")
        .summary("Exports the dependencies of the projects of a group");
    r.post("/pipelines/{pipeline_id}/dependency_list_exports", of_pipeline)
        .answers(429, "Five of the caller's are being written")
        .summary("Exports the bill of materials of a pipeline");
    r.get("/dependency_list_exports/{export_id}", show)
        .summary("Shows how far an export is");
    r.get("/dependency_list_exports/{export_id}/download", download)
        .answers(404, "It has not finished, or is gone")
        .summary("Downloads the file of an export");
    r.post("/dependency_list_exports/{export_id}/package", publish)
        .summary("Publishes the file of an export as a file of a generic package");
    r.get("/projects/{id}/dependencies/compare", compare)
        .summary("Compares two exports of a project");
}

kernel::params! {
    pub struct ExportProject {
        /// Id or path of the project.
        pub id: Reference,
        /// What the file is.
        pub export_type: ExportType,
        /// Whether the caller is told by mail when it is there.
        pub send_email: Option<bool>,
    }
}

kernel::params! {
    pub struct ExportGroup {
        /// Id or path of the group.
        pub id: Reference,
        /// What the file is.
        pub export_type: ExportType,
        /// Whether the caller is told by mail when it is there.
        pub send_email: Option<bool>,
    }
}

kernel::params! {
    pub struct ExportPipeline {
        /// The pipeline.
        pub pipeline_id: i64,
        /// What the file is.
        pub export_type: ExportType,
        /// Whether the caller is told by mail when it is there.
        pub send_email: Option<bool>,
    }
}

/// Has an export made of what is found.
async fn made(
    app: App, viewer: SignedInViewer, (export_type, send_email): (ExportType, Option<bool>),
    find: impl Fn(&mut Tx<'_>, &Viewer) -> Result<Subject> + Send + 'static,
) -> Result<Created<ExportEntity>> {
    let (handle, viewer) = (app.clone(), viewer.viewer());
    app.write(move |tx| {
        let subject = find(tx, &viewer)?;
        let asked = Asked {
            user_id: viewer.signed_in()?.user.id,
            parent: subject.parent(),
            export_type,
            send_email: send_email == Some(true),
        };
        let export = rules::create(tx, handle.jobs(), asked)?;
        Ok(Created(ExportEntity::of(&handle, &export)))
    })
    .await
}

async fn of_project(
    viewer: SignedInViewer, app: App, asked: Params<ExportProject>,
) -> Result<Created<ExportEntity>> {
    let Params(asked) = asked;
    let wanted = (asked.export_type, asked.send_email);
    made(app, viewer, wanted, move |tx, viewer| access::project(tx, viewer, &asked.id)).await
}

async fn of_group(
    viewer: SignedInViewer, app: App, asked: Params<ExportGroup>,
) -> Result<Created<ExportEntity>> {
    let Params(asked) = asked;
    let wanted = (asked.export_type, asked.send_email);
    made(app, viewer, wanted, move |tx, viewer| access::group(tx, viewer, &asked.id)).await
}

async fn of_pipeline(
    viewer: SignedInViewer, app: App, asked: Params<ExportPipeline>,
) -> Result<Created<ExportEntity>> {
    let Params(asked) = asked;
    let wanted = (asked.export_type, asked.send_email);
    let id = asked.pipeline_id;
    made(app, viewer, wanted, move |tx, viewer| access::pipeline(tx, viewer, id)).await
}

kernel::params! {
    pub struct OneExport {
        /// The export.
        pub export_id: i64,
    }
}

async fn show(viewer: SignedInViewer, app: App, one: Params<OneExport>) -> Result<Polled> {
    let (handle, viewer) = (app.clone(), viewer.viewer());
    app.read(move |tx| {
        let (export, _) = access::own(tx, &viewer, one.export_id)?;
        Ok(Polled(ExportEntity::of(&handle, &export)))
    })
    .await
}

async fn download(
    viewer: SignedInViewer, app: App, request: Arc<RequestContext>, one: Params<OneExport>,
) -> Result<Response> {
    let viewer = viewer.viewer();
    let export = app
        .read(move |tx| access::own(tx, &viewer, one.export_id).map(|(export, _)| export))
        .await?;
    sending::sent(&app, &request, &export).await
}

kernel::params! {
    pub struct CompareExports {
        /// Id or path of the project.
        pub id: Reference,
        /// The export that is looked at as the older one.
        pub from: i64,
        /// The other.
        pub to: i64,
    }
}

async fn compare(
    viewer: SignedInViewer, app: App, asked: Params<CompareExports>,
) -> Result<Ok200<Comparison>> {
    let (viewer, Params(asked)) = (viewer.viewer(), asked);
    let found = app.read(move |tx| {
        let Subject::Project(project) = access::project(tx, &viewer, &asked.id)? else {
            return Err(Error::NotFound("Project"));
        };
        let mut one = |id| compare::of_project(tx, &viewer, &project, id);
        Ok((one(asked.from)?, one(asked.to)?))
    });
    let (from, to) = found.await?;
    compare::compare(&app, from, to).await.map(Ok200)
}

kernel::params! {
    pub struct PublishExport {
        /// The export.
        pub export_id: i64,
        /// The generic package that gets the file.
        pub package_name: String,
        /// Its version.
        pub package_version: String,
        /// The project that has the package, by id or path; unless said that of the export.
        pub project: Option<Reference>,
    }
}

async fn publish(by: Caller, asked: Params<PublishExport>) -> Result<Created<PublishedExport>> {
    by.viewer.signed_in()?;
    let Params(asked) = asked;
    by.write(move |tx, by| {
        let (export, subject) = access::own(tx, &by.viewer, asked.export_id)?;
        if export.status != Status::Finished {
            return Err(Error::NotFound("DependencyListExport"));
        }
        let to = publish::Target {
            project: asked.project.clone(),
            name: asked.package_name.clone(),
            version: asked.package_version.clone(),
        };
        publish::publish(tx, by, (&export, &subject), to).map(Created)
    })
    .await
}
