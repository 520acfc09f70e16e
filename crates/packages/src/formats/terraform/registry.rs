//! Terraform's module registry protocol: modules found by the namespace they
//! are below.

use super::module::{self, ModuleVersion};
use super::{ModuleName, file_of, told};
use crate::declare::reads;
use crate::download;
use crate::model::PackageType;
use crate::scope::{self, Prefix};
use crate::store::index;
use http::{Method, StatusCode};
use identity::registry_session;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::params::Flat;
use kernel::http::{Params, RequestContext, Response, Routes, reply};
use kernel::ids::Reference;
use serde_json::json;
use std::sync::Arc;

const PROTOCOL: &str = "/packages/terraform/modules/v1/";
/// How long a pass for an archive is good, in seconds.
const PASS_SECONDS: i64 = 5 * 60;

/// The protocol's routes, and where clients find them.
pub fn routes(r: &mut Routes) {
    let module = format!("{PROTOCOL}{{module_namespace}}/{{module_name}}/{{module_system}}");
    let version = format!("{module}/{{module_version}}");
    reads(r, &format!("{module}/versions"), versions)
        .summary("Lists the versions of a Terraform module");
    reads(r, &module, show_latest).summary("Shows the latest version of a Terraform module");
    reads(r, &format!("{module}/download"), download_latest)
        .answers(302, "The address of the latest version")
        .summary("Leads to the latest version of a Terraform module");
    reads(r, &version, show).summary("Shows a version of a Terraform module");
    reads(r, &format!("{version}/download"), locate)
        .answers(204, "The address is in X-Terraform-Get")
        .summary("Tells where the archive of a Terraform module is");
    reads(r, &format!("{version}/file"), fetch)
        .summary("Downloads the archive of a Terraform module");
    r.plain(Method::GET, "/.well-known/terraform.json", discover)
        .unchecked()
        .summary("Tells Terraform where the module registry is");
}

kernel::params! {
    /// A module by its namespace.
    pub struct OfModule {
        /// Path of the group or person above its project.
        pub module_namespace: String,
        pub module: Flat<ModuleName>,
    }
}

kernel::params! {
    pub struct OfVersion {
        pub of: Flat<OfModule>,
        /// Its version.
        pub module_version: String,
    }
}

/// A module with at least one version.
struct Module {
    versions: Vec<ModuleVersion>,
    /// Where people see the project that holds its latest version.
    source: String,
}

impl Module {
    fn latest(&self) -> Result<&ModuleVersion> {
        module::latest(&self.versions).found("Package")
    }

    fn version(&self, version: &str) -> Result<&ModuleVersion> {
        let mut versions = self.versions.iter();
        versions.find(|one| one.version == version).found("Package")
    }
}

/// The versions of a module that the viewer may read.
async fn find(app: &App, viewer: &Viewer, of: &OfModule) -> Result<Module> {
    let (viewer, name) = (viewer.clone(), of.module.known()?);
    let prefix = Prefix::Namespace(of.module_namespace.clone());
    let (versions, path) = app
        .read(move |tx| {
            let scope = scope::scope(tx, &viewer, &prefix)?;
            let versions = index::versions(tx, &scope, PackageType::TerraformModule, &name)?;
            let versions = module::sorted(versions);
            let Some(latest) = module::latest(&versions) else {
                return Err(scope::missing(tx, &viewer, &prefix)?);
            };
            let project = Reference::Id(latest.project_id);
            let project = spaces::access::find_project(tx, &project)?.found("Package")?;
            Ok((versions, project.full_path))
        })
        .await?;
    Ok(Module {
        versions,
        source: app.url(&format!("/{path}")),
    })
}

async fn versions(app: App, viewer: Viewer, params: Params<OfModule>) -> Result<Response> {
    let found = find(&app, &viewer, &params).await?;
    let system = &params.module.module_system;
    let document = module::versions_document(system, &found.versions, found.source);
    reply::json(StatusCode::OK, &document)
}

async fn show_latest(app: App, viewer: Viewer, params: Params<OfModule>) -> Result<Response> {
    let found = find(&app, &viewer, &params).await?;
    shown(&params.module, &found, found.latest()?)
}

async fn show(app: App, viewer: Viewer, params: Params<OfVersion>) -> Result<Response> {
    let found = find(&app, &viewer, &params.of).await?;
    let one = found.version(&params.module_version)?;
    shown(&params.of.module, &found, one)
}

fn shown(of: &ModuleName, found: &Module, one: &ModuleVersion) -> Result<Response> {
    let (name, system) = (&of.module_name, &of.module_system);
    let source = found.source.clone();
    let document = module::module_document(name, system, &found.versions, one, source);
    reply::json(StatusCode::OK, &document)
}

/// Leads to the download of the latest version.
async fn download_latest(
    app: App,
    viewer: Viewer,
    params: Params<OfModule>,
    asked: Arc<RequestContext>,
) -> Result<Response> {
    let found = find(&app, &viewer, &params).await;
    let found = found.map_err(|error| match error {
        Error::NotFound("Package") => none(&params.module.module_name),
        other => other,
    })?;
    let above = asked.uri.path().trim_end_matches("download");
    reply::redirect(&format!("{above}{}/download", found.latest()?.version))
}

fn none(name: &str) -> Error {
    let text = format!("No version found for {name} module");
    Error::Exact(404, json!({"message": {"error": text}}))
}

/// Tells where the archive is, with a pass for it: Terraform fetches it
/// without the credential it has for this host.
async fn locate(
    app: App,
    viewer: Viewer,
    params: Params<OfVersion>,
    asked: Arc<RequestContext>,
) -> Result<Response> {
    let found = find(&app, &viewer, &params.of).await?;
    found.version(&params.module_version)?;
    let above = asked.uri.path().trim_end_matches("download");
    let path = format!("{above}file");
    let token = registry_session::issue(&app, &viewer, &path, PASS_SECONDS)?;
    told(&format!("{path}?token={token}&archive=tgz"))
}

async fn fetch(
    app: App,
    viewer: Viewer,
    params: Params<OfVersion>,
    asked: Arc<RequestContext>,
) -> Result<Response> {
    let Params(params) = params;
    let name = params.of.module.known()?;
    let prefix = Prefix::Namespace(params.of.0.module_namespace);
    let file = app
        .read(move |tx| {
            let scope = scope::scope(tx, &viewer, &prefix)?;
            match file_of(tx, &scope, &name, &params.module_version) {
                Err(Error::NotFound(_)) => Err(scope::missing(tx, &viewer, &prefix)?),
                other => other,
            }
        })
        .await?;
    download::serve(&app, &asked, &file.file).await
}

async fn discover() -> Result<Response> {
    let services = json!({"modules.v1": format!("/api/v4{PROTOCOL}")});
    reply::json(StatusCode::OK, &services)
}
