//! Terraform's module registry protocol: modules found by the namespace they
//! are below.

use super::module::{self, ModuleVersion};
use super::{file_of, package_name, told};
use crate::download;
use crate::model::PackageType;
use crate::rest::READ;
use crate::scope::{self, Prefix};
use crate::store::index;
use http::{Method, StatusCode};
use identity::registry_session;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
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
    r.get(&format!("{module}/versions"), versions)
        .scopes(READ)
        .registry()
        .summary("Lists the versions of a Terraform module");
    r.get(&module, show_latest)
        .scopes(READ)
        .registry()
        .summary("Shows the latest version of a Terraform module");
    r.get(&format!("{module}/download"), download_latest)
        .scopes(READ)
        .registry()
        .answers(302, "The address of the latest version")
        .summary("Leads to the latest version of a Terraform module");
    r.get(&version, show)
        .scopes(READ)
        .registry()
        .summary("Shows a version of a Terraform module");
    r.get(&format!("{version}/download"), locate)
        .scopes(READ)
        .registry()
        .answers(204, "The address is in X-Terraform-Get")
        .summary("Tells where the archive of a Terraform module is");
    r.get(&format!("{version}/file"), fetch)
        .scopes(READ)
        .registry()
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
        /// The module.
        pub module_name: String,
        /// What it is made for.
        pub module_system: String,
    }
}

kernel::params! {
    /// A version of a module by its namespace.
    pub struct OfVersion {
        /// Path of the group or person above its project.
        pub module_namespace: String,
        /// The module.
        pub module_name: String,
        /// What it is made for.
        pub module_system: String,
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
async fn find(
    app: &App,
    viewer: &Viewer,
    namespace: &str,
    (name, system): (&str, &str),
) -> Result<Module> {
    let name = package_name(name, system).map_err(|_| Error::NotFound("Package"))?;
    let (viewer, prefix) = (viewer.clone(), Prefix::Namespace(namespace.to_owned()));
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
    let of = (&*params.module_name, &*params.module_system);
    let found = find(&app, &viewer, &params.module_namespace, of).await?;
    let document = module::versions_document(of.1, &found.versions, found.source);
    reply::json(StatusCode::OK, &document)
}

async fn show_latest(app: App, viewer: Viewer, params: Params<OfModule>) -> Result<Response> {
    let of = (&*params.module_name, &*params.module_system);
    let found = find(&app, &viewer, &params.module_namespace, of).await?;
    shown(of, &found, found.latest()?)
}

async fn show(app: App, viewer: Viewer, params: Params<OfVersion>) -> Result<Response> {
    let of = (&*params.module_name, &*params.module_system);
    let found = find(&app, &viewer, &params.module_namespace, of).await?;
    shown(of, &found, found.version(&params.module_version)?)
}

fn shown((name, system): (&str, &str), found: &Module, one: &ModuleVersion) -> Result<Response> {
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
    let of = (&*params.module_name, &*params.module_system);
    let found = find(&app, &viewer, &params.module_namespace, of).await;
    let found = found.map_err(|error| match error {
        Error::NotFound("Package") => none(of.0),
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
    let of = (&*params.module_name, &*params.module_system);
    let found = find(&app, &viewer, &params.module_namespace, of).await?;
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
    let name = package_name(&params.module_name, &params.module_system)
        .map_err(|_| Error::NotFound("Package"))?;
    let prefix = Prefix::Namespace(params.module_namespace);
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
