//! Go modules by the module proxy protocol (docs/interface/packages.md 2.11, golang.org/ref/mod
//! section «Module proxies»).
//!
//! A version is the zip file of a module that its project's publisher sends;
//! go.mod is taken out of it. A project offers the modules below its own
//! address: `host/acme/anvil`, `host/acme/anvil/cmd`, `host/acme/anvil/v2`.

mod module;
mod upload;

pub use module::hostile;

use crate::access::RegistryAccess;
use crate::client::Client;
use crate::declare::{reads, writes};
use crate::model::PackageType;
use crate::scope::Scope;
use crate::store::{files, index};
use http::StatusCode;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::http::{Params, Response, Routes, reply};
use kernel::ids::Reference;
use module::{Module, Version, WantedVersion};
use serde::{Deserialize, Serialize};
use serde_json::json;
use spaces::access::Purpose;
use store::Tx;

const MODULE: &str = "/projects/{id}/packages/go/{*module_path}";

pub fn routes(r: &mut Routes) {
    reads(r, MODULE, fetch).summary("Answers the module proxy protocol of Go");
    writes(r.put(MODULE, upload::publish))
        .streams()
        .summary("Publishes a version of a Go module");
}

kernel::params! {
    pub struct ModulePath {
        /// The project.
        pub id: Reference,
        /// The module's path and what of it, such as
        /// `example.org/acme/anvil/@v/list`.
        pub module_path: String,
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct ModuleFile {
    #[serde(rename = "mod")]
    go_mod: String,
}

async fn fetch(params: Params<ModulePath>, client: Client) -> Result<Response> {
    let wanted = WantedVersion::parse(&params.module_path);
    let host = host_of(&client.app);
    let found = client.enter(&params.id, Purpose::ReadPackages, move |tx, entered| {
        // The client asks for the parents of a module too: whoever may enter
        // is told that these are none.
        let (module, what) = wanted.found("Module")?;
        let module = Module::of_project(&host, &entered, &module).found("Module")?;
        look_up(tx, &entered, &module, what)
    });
    match found.await? {
        ModuleAnswer::Text(text) => Ok(reply::text(StatusCode::OK, text)),
        ModuleAnswer::Info(version, time) => reply::json(
            StatusCode::OK,
            &json!({"Version": version, "Time": time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()}),
        ),
        ModuleAnswer::Zip(file) => client.send(&file).await,
    }
}

enum ModuleAnswer {
    Text(String),
    Info(String, jiff::Timestamp),
    Zip(Box<crate::model::PackageFile>),
}

fn look_up(
    tx: &mut Tx<'_>, entered: &RegistryAccess, module: &Module, what: module::What,
) -> Result<ModuleAnswer> {
    let scope = Scope::of_project(entered.project.id);
    let version = match &what {
        module::What::List => {
            let mut all = versions(tx, &scope, module)?;
            all.retain(|(version, _)| !version.is_pseudo());
            let lines = all.iter().map(|(version, _)| format!("{version}\n"));
            return Ok(ModuleAnswer::Text(lines.collect()));
        }
        module::What::Latest => {
            let all = versions(tx, &scope, module)?;
            let latest = all.into_iter().max_by_key(|(version, _)| version.rank());
            let (version, row) = latest.found("Version")?;
            return Ok(ModuleAnswer::Info(version.to_string(), row.created_at));
        }
        module::What::Info(version) | module::What::GoMod(version) | module::What::Zip(version) => {
            version.to_string()
        }
    };
    let found = scope.of_format(PackageType::Golang);
    let found = found.version(tx, &module.path, Some(&version))?;
    let row = found.found("Version")?;
    match what {
        module::What::GoMod(_) => {
            let kept = row.metadata.as_deref().unwrap_or_default();
            let kept: ModuleFile = serde_json::from_str(kept).map_err(Error::internal)?;
            Ok(ModuleAnswer::Text(kept.go_mod))
        }
        module::What::Zip(_) => {
            let file = files::newest(tx, row.id, &format!("{version}.zip"))?;
            Ok(ModuleAnswer::Zip(Box::new(file.found("Version")?)))
        }
        _ => Ok(ModuleAnswer::Info(version, row.created_at)),
    }
}

/// The versions of a module, lowest first.
fn versions(
    tx: &mut Tx<'_>, scope: &Scope, module: &Module,
) -> Result<Vec<(Version, index::Version)>> {
    let rows = scope.of_format(PackageType::Golang).versions(tx, &module.path)?;
    let parsed = rows.into_iter().filter_map(|row| {
        let version = Version::parse(row.version.as_deref()?)?;
        Some((version, row))
    });
    let mut all: Vec<_> = parsed.collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(all)
}

/// The host of the instance, which modules begin with: without a port, which
/// no module path can have.
fn host_of(app: &App) -> String {
    url::Url::parse(app.base_url())
        .ok()
        .and_then(|url| url.host_str().map(str::to_owned))
        .unwrap_or_default()
}
