//! The maven format: a repository of files below a project, read also below
//! groups and the instance (docs/interface/packages.md 2.6).
//!
//! Clients keep the list of versions themselves: they read
//! `maven-metadata.xml`, add to it and write it again. Each is stored whole
//! and the newest is served as it was sent. Only where a version is deleted
//! the server takes it off that list ([`jobs`]).

mod address;
pub mod jobs;
pub mod metadata;

pub use address::{Address, METADATA, Sum};

use crate::access::authorize;
use crate::client::Client;
use crate::declare::{Place, writes};
use crate::model::PackageType;
use crate::rules::names::ENCODED;
use crate::rules::publish::{Destination, Repeat};
use crate::scope::{Prefix, Scope, scope};
use crate::store::index::IndexedFile;
use crate::{forwarding, upload};
use http::{HeaderValue, StatusCode};
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result};
use kernel::http::params::Flat;
use kernel::http::{Params, Response, Routes, Upload, reply};
use kernel::ids::Reference;
use percent_encoding::{AsciiSet, utf8_percent_encode};
use spaces::access::Purpose;
use std::io::BufReader;
use store::Tx;

const IN_PROJECT: &str = "/projects/{id}/packages/maven/{*artifact_path}";
const READ_AT: [Place; 3] = [
    Place::new(IN_PROJECT, "a Maven package", "project"),
    Place::new(
        "/groups/{id}/-/packages/maven/{*artifact_path}",
        "a Maven package of a group",
        "group",
    ),
    Place::new(
        "/packages/maven/{*artifact_path}",
        "the Maven package named like its project",
        "instance",
    ),
];

/// What is escaped of a path that clients are sent to elsewhere.
const ESCAPED: &AsciiSet = &ENCODED.remove(b'/');
/// Most bytes of a digest that a client sends.
const MAX_SUM: usize = 1024;
/// How many of the newest files the digest of a file that several write at
/// once may be of.
const OVERTAKEN: i64 = 100;

pub fn routes(r: &mut Routes) {
    writes(r.put(IN_PROJECT, publish))
        .streams()
        .summary("Publishes a file of a Maven package, or compares its digest");
    for place in READ_AT {
        place.reads(r, "", fetch, "Downloads a file of {whose}, or its digest");
    }
}

kernel::params! {
    pub struct FileBelow {
        /// The project.
        pub id: Reference,
        pub file: Flat<OneFile>,
    }
}

kernel::params! {
    pub struct OneFile {
        /// Group and artifact as folders, the version and the file.
        pub artifact_path: String,
    }
}

/// Stores one file, or compares a digest with what was stored.
async fn publish(params: Params<FileBelow>, client: Client, body: Upload) -> Result<Response> {
    let address = Address::parse(&params.file.artifact_path)?;
    match address.sum {
        Some(sum) => verify(&client, &params.id, address, sum, body).await,
        None => store(&client, &params.id, &address, body).await,
    }
}

async fn store(
    client: &Client, project: &Reference, address: &Address, body: Upload,
) -> Result<Response> {
    let to = destination(address);
    upload::admit(client, project, &to).await?;
    let received = upload::receive_bytes(client, PackageType::Maven, body).await?;
    if address.is_metadata() || address.file_name.ends_with(".pom") {
        let name = address.file_name.clone();
        let read = move |file| metadata::refuse_dtd(&name, BufReader::new(file));
        upload::inspect(&received, read).await?;
    }
    let stored = upload::keep(&client.app, received).await?;
    upload::publish(client, project, to, stored).await?;
    Ok(reply::empty(StatusCode::OK))
}

fn destination(address: &Address) -> Destination {
    let version = address.version.as_deref();
    let file_name = address.file_name.clone();
    Destination {
        repeat: match version {
            Some(_) => {
                Repeat::Kind(|to, file| address::kind(&to.name, to.version.as_deref(), file))
            }
            None => Repeat::Nothing,
        },
        ..Destination::new(PackageType::Maven, &address.name, version, file_name)
    }
}

/// Tells a publisher whether a file arrived as it was sent. Publishers of one
/// `maven-metadata.xml` overtake one another: its digest may be of an earlier
/// one. MD5 is only acknowledged.
async fn verify(
    client: &Client, project: &Reference, address: Address, sum: Sum, body: Upload,
) -> Result<Response> {
    let to = Destination { repeat: Repeat::Nothing, ..destination(&address) };
    upload::admit(client, project, &to).await?;
    let sent = read_sum(body).await?;
    if sum == Sum::Md5 {
        return Ok(reply::empty(StatusCode::OK));
    }
    let most = if address.is_metadata() { OVERTAKEN } else { 1 };
    let known = client.enter(project, Purpose::PublishPackage, move |tx, entered| {
        let scope = Scope::of_project(entered.project.id);
        newest(tx, &scope, &address, most)
    });
    let known = known.await?;
    if known.is_empty() {
        return Err(Error::NotFound("Package File"));
    }
    if known.iter().any(|file| digest(file, sum).eq_ignore_ascii_case(&sent)) {
        return Ok(reply::empty(StatusCode::NO_CONTENT));
    }
    Err(Error::Conflict("409 Conflict".into()))
}

/// The digest in a body, which may be followed by the name of its file.
async fn read_sum(body: Upload) -> Result<String> {
    let refusal = || Error::BadRequest("this is no digest".into());
    let bytes = upload::small_body(body, MAX_SUM, refusal).await?;
    let text = String::from_utf8_lossy(&bytes);
    let sum = text.split_whitespace().next();
    Ok(sum.unwrap_or_default().to_owned())
}

async fn fetch(client: Client, params: Params<OneFile>) -> Result<Response> {
    match send(&client, &params.artifact_path).await {
        Err(Error::NotFound("Package")) => elsewhere(&client, &params.artifact_path).await,
        sent => sent,
    }
}

/// Leads to a file of a package that is not here.
async fn elsewhere(client: &Client, path: &str) -> Result<Response> {
    let address = Address::parse(path).map_err(|_| Error::NotFound("Package"))?;
    let path = utf8_percent_encode(path, ESCAPED).to_string();
    let led = forwarding::elsewhere(client, PackageType::Maven, &address.name, &path).await?;
    led.found("Package")
}

/// Sends the newest file of an address, or a digest of it.
async fn send(client: &Client, path: &str) -> Result<Response> {
    // Where nothing can be, nothing is: clients go on to the next repository.
    let address = Address::parse(path).map_err(|_| Error::NotFound("Package"))?;
    let (sum, of) = (address.sum, client.clone());
    let file = client.app.read(move |tx| look(tx, &of, &address)).await?;
    if let Some(sum) = sum {
        return Ok(reply::text(StatusCode::OK, digest(&file, sum).to_owned()));
    }
    let mut response = client.send(&file.file).await?;
    // Clients that know these ask for no digests, which then are of this file
    // for sure and not of one that came after it.
    for (name, sum) in [("x-checksum-sha1", Sum::Sha1), ("x-checksum-md5", Sum::Md5)] {
        let value = HeaderValue::from_str(digest(&file, sum)).map_err(Error::internal)?;
        response.headers_mut().insert(name, value);
    }
    Ok(response)
}

fn look(tx: &mut Tx<'_>, client: &Client, address: &Address) -> Result<IndexedFile> {
    let scope = match client.prefix {
        Prefix::Instance => of_instance(tx, &client.viewer, address)?,
        _ => scope(tx, &client.viewer, &client.prefix)?,
    };
    match newest(tx, &scope, address, 1)?.pop() {
        Some(file) => Ok(file),
        None => Err(client.missing(tx)?),
    }
}

/// The project whose path is the package's name.
fn of_instance(tx: &mut Tx<'_>, viewer: &Viewer, address: &Address) -> Result<Scope> {
    for path in address.projects() {
        let reference = Reference::Path(path.to_owned());
        match authorize(tx, viewer, &reference, Purpose::ReadPackages) {
            Ok(entered) => return Ok(Scope::of_project(entered.project.id)),
            Err(Error::NotFound(_) | Error::Moved(_)) => {}
            Err(other) => return Err(other),
        }
    }
    Err(Error::forbidden(""))
}

fn newest(
    tx: &mut Tx<'_>, scope: &Scope, address: &Address, most: i64,
) -> Result<Vec<IndexedFile>> {
    let of = (&*address.name, address.version.as_deref());
    let packages = scope.of_format(PackageType::Maven);
    packages.newest_files(tx, of, &address.file_name, most)
}

fn digest(file: &IndexedFile, sum: Sum) -> &str {
    match sum {
        Sum::Md5 => &file.file.md5,
        Sum::Sha1 => &file.file.sha1,
        Sum::Sha256 => &file.file.sha256,
        Sum::Sha512 => &file.sha512,
    }
}
