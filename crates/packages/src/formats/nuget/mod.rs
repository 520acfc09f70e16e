//! NuGet packages (docs/interface/packages.md 2.8): version 3 of the protocol as today's clients
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
use kernel::http::Routes;
use kernel::http::routes::{Declared, Handler};
use kernel::ids::Reference;

const NUGET: PackageType = PackageType::Nuget;
const PROJECT: &str = "/projects/{id}/packages/nuget";
const GROUP: &str = "/groups/{id}/-/packages/nuget";

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
    let symbols = format!("{PROJECT}/symbolfiles/{{symbol_file}}/{{signature}}/{{same_file}}");
    reads(r, &symbols, symbols::show)
        .summary("Downloads the symbol file that the header `Symbolchecksum` tells of");
}

/// Publishing and deleting, which older clients do below `v2`.
fn writing(r: &mut Routes) {
    for (feed, clients, place) in [("", "", "project"), ("/v2", " from older clients", "feed")] {
        as_user(r.put(&format!("{PROJECT}{feed}"), publish::package), WRITE)
            .streams()
            .under(place)
            .summary(format!("Publishes a NuGet package{clients}"));
        let path = format!("{PROJECT}{feed}/{{nuget_name}}/{{nuget_version}}");
        as_user(r.delete(&path, publish::destroy), WRITE)
            .under(place)
            .summary(format!("Deletes a version of a NuGet package{clients}"));
    }
    as_user(
        r.put(&format!("{PROJECT}/symbolpackage"), publish::symbols),
        WRITE,
    )
    .streams()
    .summary("Publishes the symbols of a NuGet package");
}

/// What projects and groups have in common.
fn reading(r: &mut Routes) {
    for (prefix, whose, place) in [
        (PROJECT, "a project", "project"),
        (GROUP, "a group", "group"),
    ] {
        reads(r, &format!("{prefix}/query"), read::search)
            .under(place)
            .summary(format!("Finds NuGet packages in {whose}"));
        let path = format!("{prefix}/metadata/{{nuget_name}}/index.json");
        reads(r, &path, read::registration)
            .under(place)
            .summary(format!(
                "Tells of all versions of a NuGet package in {whose}"
            ));
        let path = format!("{prefix}/metadata/{{nuget_name}}/{{nuget_leaf}}");
        reads(r, &path, read::leaf)
            .under(place)
            .summary(format!("Tells of a version of a NuGet package in {whose}"));
        let path = format!("{prefix}/download/{{nuget_name}}/index.json");
        reads(r, &path, read::versions)
            .under(place)
            .summary(format!("Lists the versions of a NuGet package in {whose}"));
        let path = format!("{prefix}/download/{{nuget_name}}/{{nuget_version}}/{{nuget_file}}");
        reads(r, &path, read::file)
            .under(place)
            .summary(format!("Downloads a file of a NuGet package in {whose}"));
    }
}

/// A GET of clients.
fn reads<'r, A, H: Handler<A>>(r: &'r mut Routes, path: &str, handler: H) -> Declared<'r> {
    as_user(r.get(path, handler), READ)
}

/// A route of clients, which name the user whose token they send.
fn as_user<'r>(route: Declared<'r>, scopes: &'static [&'static str]) -> Declared<'r> {
    route.scopes(scopes).registry().names_user()
}

kernel::params! {
    /// A project or group.
    pub struct RegistryPath {
        /// The project or group.
        pub id: Reference,
    }
}

kernel::params! {
    /// A name in a project or group.
    pub struct Named {
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
        /// The package, in any case.
        pub nuget_name: String,
        /// Its version and `.json`.
        pub nuget_leaf: String,
    }
}

kernel::params! {
    /// A file in a project or group.
    pub struct FilePath {
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
