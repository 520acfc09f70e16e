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

use crate::declare::{self, Place, writes};
use crate::keys::nuget as version;
use crate::model::PackageType;
use kernel::http::Routes;
use kernel::http::params::Flat;
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
    for place in [Place::new("", "", "project"), Place::new("/v2", " from older clients", "feed")] {
        let feed = format!("{PROJECT}{}", place.path);
        let publishes = writes(r.put(&feed, publish::package)).names_user();
        place.of(publishes.streams(), "Publishes a NuGet package{whose}");
        let version = format!("{feed}/{{nuget_name}}/{{nuget_version}}");
        let deletes = writes(r.delete(&version, publish::destroy)).names_user();
        place.of(deletes, "Deletes a version of a NuGet package{whose}");
    }
    let symbols = format!("{PROJECT}/symbolpackage");
    writes(r.put(&symbols, publish::symbols))
        .names_user()
        .streams()
        .summary("Publishes the symbols of a NuGet package");
}

/// What projects and groups have in common.
fn reading(r: &mut Routes) {
    for place in [
        Place::new(PROJECT, "a project", "project"),
        Place::new(GROUP, "a group", "group"),
    ] {
        let query = reads(r, &place.at("/query"), read::search);
        place.of(query, "Finds NuGet packages in {whose}");
        let name = place.at("/metadata/{nuget_name}/index.json");
        let tells = "Tells of all versions of a NuGet package in {whose}";
        place.of(reads(r, &name, read::registration), tells);
        let leaf = place.at("/metadata/{nuget_name}/{nuget_leaf}");
        let tells = "Tells of a version of a NuGet package in {whose}";
        place.of(reads(r, &leaf, read::leaf), tells);
        let versions = place.at("/download/{nuget_name}/index.json");
        let lists = "Lists the versions of a NuGet package in {whose}";
        place.of(reads(r, &versions, read::versions), lists);
        let file = place.at("/download/{nuget_name}/{nuget_version}/{nuget_file}");
        let downloads = "Downloads a file of a NuGet package in {whose}";
        place.of(reads(r, &file, read::file), downloads);
    }
}

/// A GET of clients, which name the user whose token they send.
fn reads<'r, A, H: Handler<A>>(r: &'r mut Routes, path: &str, handler: H) -> Declared<'r> {
    declare::reads(r, path, handler).names_user()
}

kernel::params! {
    pub struct Named {
        /// The package, in any case.
        pub nuget_name: String,
    }
}

kernel::params! {
    pub struct At {
        /// The project.
        pub id: Reference,
        pub of: Flat<NamedVersion>,
    }
}

kernel::params! {
    pub struct NamedVersion {
        /// The package, in any case.
        pub nuget_name: String,
        /// Its version, as published or normalised.
        pub nuget_version: String,
    }
}

kernel::params! {
    pub struct Leaf {
        /// The package, in any case.
        pub nuget_name: String,
        /// Its version and `.json`.
        pub nuget_leaf: String,
    }
}

kernel::params! {
    pub struct FilePath {
        pub of: Flat<NamedVersion>,
        /// Name, version and `.nupkg` or `.snupkg`, or name and `.nuspec`.
        pub nuget_file: String,
    }
}

kernel::params! {
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
