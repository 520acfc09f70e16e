//! Publishing a version: the zip file that `go mod download` would fetch
//! (golang.org/ref/mod section «Module zip files»).

use super::module::{Module, Version, WantedVersion, What, declared};
use super::{ModuleFile, ModulePath, host_of};
use crate::archive;
use crate::client::Client;
use crate::model::PackageType;
use crate::rules::publish::{Destination, Repeat};
use crate::upload::{self, Uploaded};
use kernel::error::{Error, Result};
use kernel::http::{Params, Upload};
use std::cell::Cell;
use std::fs::File;

/// Largest zip file of a module, in bytes: what the client takes.
const MAX_ZIP: u64 = 500 * 1024 * 1024;

pub async fn publish(params: Params<ModulePath>, client: Client, body: Upload) -> Result<Uploaded> {
    let (module, version) = addressed(&client, &params).await?;
    let name = version.to_string();
    let mut to = Destination {
        repeat: Repeat::Version,
        refusal: || Error::Conflict("409 Conflict - This version is published already".into()),
        ..Destination::new(PackageType::Golang, &module.path, Some(&name), format!("{name}.zip"))
    };
    upload::admit(&client, &params.id, &to).await?;
    upload::check_announced(&client.request, Some(MAX_ZIP))?;
    let received = upload::receive_part(&client.app, Some(MAX_ZIP), body).await?;
    upload::check_declared(&client.request, received.stored())?;
    let read = move |file| go_mod(file, &module, &version);
    let go_mod = upload::inspect(&received, read).await?;
    to.metadata = Some(serde_json::to_string(&ModuleFile { go_mod }).map_err(Error::internal)?);
    let stored = upload::keep(&client.app, received).await?;
    upload::publish(&client, &params.id, to, stored).await?;
    Ok(Uploaded)
}

/// The module and version an address names, for who may publish them there.
async fn addressed(client: &Client, params: &ModulePath) -> Result<(Module, Version)> {
    let entered = upload::admit_publisher(client, &params.id).await?;
    let Some((path, What::Zip(version))) = WantedVersion::parse(&params.module_path) else {
        return Err(refused("send a version to MODULE/@v/VERSION.zip"));
    };
    let host = host_of(&client.app);
    let Some(module) = Module::of_project(&host, &entered, &path) else {
        let own = &entered.project.full_path;
        return Err(refused(&format!("the module must be {host}/{own} or below")));
    };
    if !module.takes(&version) {
        return Err(refused("the major version must be that of the module's path"));
    }
    Ok((module, version))
}

/// The go.mod of a module's zip file, all of which lies in one folder.
fn go_mod(file: File, module: &Module, version: &Version) -> Result<String> {
    let folder = format!("{}@{version}/", module.path);
    let is_whole = Cell::new(true);
    let contents = archive::zip(file, |path| {
        let within = path.strip_prefix(&folder);
        is_whole.set(is_whole.get() && within.is_some());
        within == Some("go.mod")
    })?;
    if !is_whole.get() {
        return Err(refused(&format!("all files must lie in {folder}")));
    }
    let Some(member) = contents.members.first() else {
        return Ok(format!("module {}\n", module.path));
    };
    let text =
        String::from_utf8(member.bytes.clone()).map_err(|_| refused("go.mod is not UTF-8"))?;
    if version.is_incompatible() {
        return Err(refused("a module with a go.mod is not incompatible"));
    }
    match declared(&text) {
        Some(path) if path == module.path => Ok(text),
        Some(path) => Err(refused(&format!("go.mod names the module {path}"))),
        None => Err(refused("go.mod names no module")),
    }
}

fn refused(reason: &str) -> Error {
    Error::BadRequest(reason.to_owned())
}
