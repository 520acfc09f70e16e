//! The terraform_module format: modules are published to a project and found
//! by the registry protocol below the top of its namespace (docs/interface/packages.md 2.12).
//!
//! Terraform asks for versions and downloads with the credential it knows for
//! the host, then fetches the archive without any: the address it is told
//! carries a pass for this one file.

mod module;
mod registry;

pub use module::{ModuleMetadata, check_version, package_name, submodule};

use crate::access::RegistryAccess;
use crate::archive;
use crate::client::Client;
use crate::declare::{reads, writes};
use crate::model::PackageType;
use crate::rules::publish::{Destination, Repeat};
use crate::scope::Scope;
use crate::settings;
use crate::store::index::{self, IndexedFile};
use crate::upload::{self, Uploaded};
use http::{HeaderName, HeaderValue, StatusCode};
use kernel::blobs::Received;
use kernel::error::{Error, Found, Result};
use kernel::http::params::Flat;
use kernel::http::{Params, Response, Routes, Upload, reply};
use kernel::ids::Reference;
use spaces::access::Purpose;
use std::cell::RefCell;
use std::io::{BufReader, Read, Seek};
use store::Tx;

const MODULE: &str = "/projects/{id}/packages/terraform/modules/{module_name}/{module_system}";
/// Where Terraform is told that an archive is.
const GET: HeaderName = HeaderName::from_static("x-terraform-get");
/// What gzip begins with (RFC 1952).
const GZIP: [u8; 2] = [0x1f, 0x8b];

pub fn routes(r: &mut Routes) {
    let version = format!("{MODULE}/{{module_version}}");
    writes(r.put(&format!("{version}/file"), publish))
        .streams()
        .answers(201, "Published")
        .summary("Publishes a version of a Terraform module");
    reads(r, MODULE, fetch_latest).summary("Downloads the latest version of a Terraform module");
    reads(r, &version, fetch).summary("Downloads a version of a Terraform module");
    registry::routes(r);
}

kernel::params! {
    pub struct OneModule {
        /// The project.
        pub id: Reference,
        pub module: Flat<ModuleName>,
    }
}

kernel::params! {
    pub struct OneVersion {
        pub of: Flat<OneModule>,
        /// Its version.
        pub module_version: String,
    }
}

kernel::params! {
    pub struct ModuleName {
        /// The module.
        pub module_name: String,
        /// What it is made for.
        pub module_system: String,
    }
}

impl ModuleName {
    /// What its package is called.
    fn package(&self) -> Result<String> {
        package_name(&self.module_name, &self.module_system)
    }

    /// The same where a name that cannot be is not found.
    fn known(&self) -> Result<String> {
        self.package().map_err(|_| Error::NotFound("Package"))
    }
}

async fn publish(params: Params<OneVersion>, client: Client, body: Upload) -> Result<Uploaded> {
    let (project, name) = (&params.of.id, params.of.module.package()?);
    let version = params.module_version.as_str();
    check_version(version)?;
    let file_name = module::file_name(&name, version);
    let mut to = Destination {
        repeat: Repeat::Version,
        refusal: || Error::forbidden("Package version already exists."),
        ..Destination::new(PackageType::TerraformModule, &name, Some(version), file_name)
    };
    upload::admit(&client, project, &to).await?;
    check_early(&client, &params, &name).await?;
    let received = upload::receive_bytes(&client, PackageType::TerraformModule, body).await?;
    let kept = look_into(&received).await?;
    to.metadata = Some(serde_json::to_string(&kept).map_err(Error::internal)?);
    let stored = upload::keep(&client.app, received).await?;
    upload::publish_then(&client, project, to, stored, |tx, entered, package, _| {
        check_elsewhere(tx, entered, &package.name, package.version.as_deref())
    })
    .await?;
    Ok(Uploaded)
}

/// Refuses before the bytes arrive what would be refused after.
async fn check_early(client: &Client, params: &OneVersion, name: &str) -> Result<()> {
    let (name, version) = (name.to_owned(), params.module_version.clone());
    let check = move |tx: &mut Tx<'_>, entered: RegistryAccess| {
        check_elsewhere(tx, &entered, &name, Some(&version))
    };
    let purpose = Purpose::PublishPackage;
    client.enter(&params.of.id, purpose, check).await
}

/// Refuses a module that another project of the namespace has: the registry
/// protocol tells them apart by the namespace only.
fn check_elsewhere(
    tx: &mut Tx<'_>, entered: &RegistryAccess, name: &str, version: Option<&str>,
) -> Result<()> {
    let project = &entered.project;
    if !index::is_elsewhere(tx, project.id, PackageType::TerraformModule, name)?
        || settings::effective(tx, project.namespace_id)?.allows_elsewhere(name, version)
    {
        return Ok(());
    }
    Err(Error::forbidden("A package with the same name already exists in the namespace"))
}

/// What the archive holds. Clients may be given archives of other kinds, which
/// are stored as they are.
async fn look_into(received: &Received) -> Result<ModuleMetadata> {
    let size = received.stored().size;
    upload::inspect(received, move |mut file| {
        let mut magic = [0; 2];
        if file.read_exact(&mut magic).is_err() || magic != GZIP {
            return Ok(ModuleMetadata::default());
        }
        file.rewind()?;
        let paths = RefCell::new(Vec::new());
        archive::tar_gz(BufReader::new(file), size, |path| {
            if submodule(path).is_some() {
                paths.borrow_mut().push(path.to_owned());
            }
            false
        })?;
        Ok(ModuleMetadata::of(paths.borrow().iter().map(String::as_str)))
    })
    .await
}

async fn fetch(params: Params<OneVersion>, client: Client) -> Result<Response> {
    let Params(OneVersion { of, module_version }) = params;
    send(&client, &of, Some(module_version)).await
}

async fn fetch_latest(params: Params<OneModule>, client: Client) -> Result<Response> {
    send(&client, &params, None).await
}

/// Sends the archive, or says that it is here to who asks where it is.
async fn send(client: &Client, of: &OneModule, version: Option<String>) -> Result<Response> {
    let name = of.module.known()?;
    let file = client.enter(&of.id, Purpose::ReadPackages, move |tx, entered| {
        let scope = Scope::of_project(entered.project.id);
        let version = match version {
            Some(version) => version,
            None => {
                let modules = scope.of_format(PackageType::TerraformModule);
                let sorted = module::sorted(modules.versions(tx, &name)?);
                module::latest(&sorted).found("Package")?.version.clone()
            }
        };
        file_of(tx, &scope, &name, &version)
    });
    let file = file.await?;
    let request = &client.request;
    let wants_address = request
        .uri
        .query()
        .is_some_and(|query| query.split('&').any(|pair| pair == "terraform-get=1"));
    if wants_address {
        // A plain download, unlike the registry protocol's, is not led to an
        // address without a host.
        return told(&client.app.url(&format!("{}?archive=tgz", request.uri.path())));
    }
    client.send(&file.file).await
}

fn file_of(tx: &mut Tx<'_>, scope: &Scope, name: &str, version: &str) -> Result<IndexedFile> {
    let modules = scope.of_format(PackageType::TerraformModule);
    let file_name = module::file_name(name, version);
    let mut found = modules.newest_files(tx, (name, Some(version)), &file_name, 1)?;
    found.pop().found("Package")
}

/// The answer that tells Terraform where an archive is.
fn told(address: &str) -> Result<Response> {
    let mut response = reply::empty(StatusCode::NO_CONTENT);
    let value = HeaderValue::from_str(address).map_err(Error::internal)?;
    response.headers_mut().insert(GET, value);
    Ok(response)
}
