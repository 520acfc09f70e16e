//! NuGet packages (contract 2.8): version 3 of the protocol as today's clients
//! speak it, and the feed of version 2 for older ones.

mod documents;
mod entries;
pub mod hostile;
pub mod nuspec;
mod odata;
pub mod pdb;
mod publish;
mod read;
mod symbols;

use crate::keys::nuget as version;
use crate::model::PackageType;
use crate::rest::{READ, WRITE};
use kernel::app::App;
use kernel::error::Result;
use kernel::http::openapi::Operation;
use kernel::http::{Answer, Asked, Response, Routes};
use kernel::ids::Reference;

const NUGET: PackageType = PackageType::Nuget;
const PROJECT: &str = "/projects/{id}/packages/nuget";
const GROUP: &str = "/groups/{id}/-/packages/nuget";

/// The format's routes.
pub fn routes(r: &mut Routes) {
    r.get(&format!("{PROJECT}/index.json"), read::project_service)
        .unchecked()
        .summary("Says where a project's NuGet packages are found and published");
    r.get(&format!("{GROUP}/index.json"), read::group_service)
        .unchecked()
        .summary("Says where a group's NuGet packages are found");
    reading(r);
    odata::routes(r);
    writing(r);
    r.get(
        &format!("{PROJECT}/symbolfiles/{{symbol_file}}/{{signature}}/{{same_file}}"),
        symbols::show,
    )
    .scopes(READ)
    .registry()
    .names_user()
    .summary("Downloads the symbol file that the header `Symbolchecksum` tells of");
}

/// Publishing and deleting, which older clients do below `v2`.
fn writing(r: &mut Routes) {
    r.put(PROJECT, publish::package)
        .scopes(WRITE)
        .registry()
        .names_user()
        .streams()
        .summary("Publishes a NuGet package");
    r.put(&format!("{PROJECT}/v2"), publish::package_in_feed)
        .scopes(WRITE)
        .registry()
        .names_user()
        .streams()
        .summary("Publishes a NuGet package from older clients");
    r.delete(
        &format!("{PROJECT}/{{nuget_name}}/{{nuget_version}}"),
        publish::destroy,
    )
    .scopes(WRITE)
    .registry()
    .names_user()
    .summary("Deletes a version of a NuGet package");
    r.delete(
        &format!("{PROJECT}/v2/{{nuget_name}}/{{nuget_version}}"),
        publish::destroy_in_feed,
    )
    .scopes(WRITE)
    .registry()
    .names_user()
    .summary("Deletes a version of a NuGet package for older clients");
    r.put(&format!("{PROJECT}/symbolpackage"), publish::symbols)
        .scopes(WRITE)
        .registry()
        .names_user()
        .streams()
        .summary("Publishes the symbols of a NuGet package");
}

/// What projects and groups have in common.
fn reading(r: &mut Routes) {
    macro_rules! both {
        ($path:literal, $project:ident, $group:ident, $summary:literal) => {
            r.get(&format!(concat!("{}", $path), PROJECT), read::$project)
                .scopes(READ)
                .registry()
                .names_user()
                .summary(concat!($summary, " in a project"));
            r.get(&format!(concat!("{}", $path), GROUP), read::$group)
                .scopes(READ)
                .registry()
                .names_user()
                .summary(concat!($summary, " in a group"));
        };
    }
    both!(
        "/query",
        project_search,
        group_search,
        "Finds NuGet packages"
    );
    both!(
        "/metadata/{{nuget_name}}/index.json",
        project_registration,
        group_registration,
        "Tells of all versions of a NuGet package"
    );
    both!(
        "/metadata/{{nuget_name}}/{{nuget_leaf}}",
        project_leaf,
        group_leaf,
        "Tells of a version of a NuGet package"
    );
    both!(
        "/download/{{nuget_name}}/index.json",
        project_versions,
        group_versions,
        "Lists the versions of a NuGet package"
    );
    both!(
        "/download/{{nuget_name}}/{{nuget_version}}/{{nuget_file}}",
        project_file,
        group_file,
        "Downloads a file of a NuGet package"
    );
}

kernel::params! {
    /// A project or group.
    pub struct Place {
        /// The project or group.
        pub id: Reference,
    }
}

kernel::params! {
    /// A name in a project or group.
    pub struct Named {
        /// The project or group.
        pub id: Reference,
        /// The package, in any case.
        pub nuget_name: String,
    }
}

kernel::params! {
    /// A version in a project.
    pub struct At {
        /// The project.
        pub id: Reference,
        /// The package, in any case.
        pub nuget_name: String,
        /// Its version, as published or normalised.
        pub nuget_version: String,
    }
}

kernel::params! {
    /// What is told of a version in a project or group.
    pub struct Leaf {
        /// The project or group.
        pub id: Reference,
        /// The package, in any case.
        pub nuget_name: String,
        /// Its version and `.json`.
        pub nuget_leaf: String,
    }
}

kernel::params! {
    /// A file in a project or group.
    pub struct FilePath {
        /// The project or group.
        pub id: Reference,
        /// The package, in any case.
        pub nuget_name: String,
        /// Its version, as published or normalised.
        pub nuget_version: String,
        /// Name, version and `.nupkg` or `.snupkg`, or name and `.nuspec`.
        pub nuget_file: String,
    }
}

kernel::params! {
    /// What to search for in a project or group.
    pub struct Query {
        /// The project or group.
        pub id: Reference,
        /// Words that names have to hold.
        pub q: Option<String>,
        /// Results left out at the beginning.
        pub skip: Option<i64>,
        /// Most results, up to 1000; 20 unless given.
        pub take: Option<i64>,
        /// Versions before a release count, too; they do unless this is false.
        pub prerelease: Option<bool>,
        /// `2.0.0` finds versions of SemVer 2, too.
        pub sem_ver_level as "semVerLevel": Option<String>,
    }
}

kernel::params! {
    /// A symbol file in a project.
    pub struct SymbolPath {
        /// The project.
        pub id: Reference,
        /// Its name.
        pub symbol_file: String,
        /// Its signature.
        pub signature: String,
        /// Its name again.
        pub same_file: String,
    }
}

/// The stored name of a version's archive.
fn file_name(name: &str, version: &str, kind: &str) -> String {
    format!("{}.{}.{kind}", name.to_lowercase(), version::key(version))
}

/// The answer to a deletion.
struct Deleted(Response);

impl Answer for Deleted {
    fn reply(self, _: &App, _: &Asked) -> Result<Response> {
        Ok(self.0)
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.status(204, "Deleted");
    }
}
