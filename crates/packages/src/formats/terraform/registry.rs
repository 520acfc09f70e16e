//! Terraform's module registry protocol: modules found by the namespace they
//! are below.

use super::module::{self, ModuleVersion};
use super::{ModuleName, file_of, told};
use crate::client::Client;
use crate::declare::reads;
use crate::model::PackageType;
use crate::scope::Prefix;
use http::{Method, StatusCode};
use identity::registry_session;
use kernel::error::{Error, Found, Result};
use kernel::http::params::Flat;
use kernel::http::{Params, Response, Routes, reply};
use kernel::ids::Reference;
use serde_json::json;

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

impl OfModule {
    /// The client in the namespace of the module.
    fn within(&self, client: &Client) -> Client {
        Client {
            prefix: Prefix::Namespace(self.module_namespace.clone()),
            ..client.clone()
        }
    }
}

/// The versions of a module that the client may read.
async fn find(client: &Client, of: &OfModule) -> Result<Module> {
    let (name, client) = (of.module.known()?, of.within(client));
    let found = client.read(move |tx, scope, client| {
        let modules = scope.of_format(PackageType::TerraformModule);
        let versions = modules.versions(tx, &name)?;
        let versions = module::sorted(versions);
        let Some(latest) = module::latest(&versions) else {
            return Err(client.missing(tx)?);
        };
        let project = Reference::Id(latest.project_id);
        let project = spaces::access::find_project(tx, &project)?.found("Package")?;
        let source = client.app.url(&format!("/{}", project.full_path));
        Ok(Module { versions, source })
    });
    found.await
}

async fn versions(client: Client, params: Params<OfModule>) -> Result<Response> {
    let found = find(&client, &params).await?;
    let system = &params.module.module_system;
    let document = module::versions_document(system, &found.versions, found.source);
    reply::json(StatusCode::OK, &document)
}

async fn show_latest(client: Client, params: Params<OfModule>) -> Result<Response> {
    let found = find(&client, &params).await?;
    shown(&params.module, &found, found.latest()?)
}

async fn show(client: Client, params: Params<OfVersion>) -> Result<Response> {
    let found = find(&client, &params.of).await?;
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
async fn download_latest(client: Client, params: Params<OfModule>) -> Result<Response> {
    let found = find(&client, &params).await.map_err(|error| match error {
        Error::NotFound("Package") => none(&params.module.module_name),
        other => other,
    })?;
    let above = client.request.uri.path().trim_end_matches("download");
    reply::redirect(&format!("{above}{}/download", found.latest()?.version))
}

fn none(name: &str) -> Error {
    let text = format!("No version found for {name} module");
    Error::Exact(404, json!({"message": {"error": text}}))
}

/// Tells where the archive is, with a pass for it: Terraform fetches it
/// without the credential it has for this host.
async fn locate(client: Client, params: Params<OfVersion>) -> Result<Response> {
    let found = find(&client, &params.of).await?;
    found.version(&params.module_version)?;
    let above = client.request.uri.path().trim_end_matches("download");
    let path = format!("{above}file");
    let token = registry_session::issue(&client.app, &client.viewer, &path, PASS_SECONDS)?;
    told(&format!("{path}?token={token}&archive=tgz"))
}

async fn fetch(client: Client, params: Params<OfVersion>) -> Result<Response> {
    let Params(OfVersion { of, module_version }) = params;
    let (name, client) = (of.module.known()?, of.within(&client));
    let file =
        client.read(move |tx, scope, client| match file_of(tx, scope, &name, &module_version) {
            Err(Error::NotFound(_)) => Err(client.missing(tx)?),
            other => other,
        });
    client.send(&file.await?.file).await
}

async fn discover() -> Result<Response> {
    let services = json!({"modules.v1": format!("/api/v4{PROTOCOL}")});
    reply::json(StatusCode::OK, &services)
}
