//! NuGet packages, from their clients' side.

mod access;
mod feed;
mod groups;
mod levels;
mod parallel;
mod refusals;
mod symbols;
mod versions;

use crate::packages_formats::archives::zip;
use crate::packages_formats::forms::multipart;
use base64::Engine as _;
use serde_json::Value;
use testkit::{Client, Request, TestProject};

/// The archive of a version.
pub struct Package {
    bytes: Vec<u8>,
}

/// A description with further elements.
fn nuspec(name: &str, version: &str, rest: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <package xmlns=\"http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd\"><metadata>\
         <id>{name}</id><version>{version}</version><authors>Jane</authors>\
         <description>Strikes</description>{rest}</metadata></package>"
    )
}

/// A version with nothing special.
pub fn package(name: &str, version: &str) -> Package {
    described(&nuspec(name, version, ""))
}

/// A version that this describes.
fn described(nuspec: &str) -> Package {
    holding(&[
        ("_rels/.rels", b"<Relationships/>".as_slice()),
        ("Hammer.nuspec", nuspec.as_bytes()),
        ("lib/net45/Hammer.dll", b"MZ"),
        ("docs/other.nuspec", b"not looked at"),
    ])
}

fn holding(members: &[(&str, &[u8])]) -> Package {
    Package { bytes: zip(members) }
}

impl Package {
    fn sent(&self, client: &Client, project: &TestProject, rest: &str) -> Request {
        let request = client.put(project.at(&format!("/packages/nuget{rest}")));
        multipart(request, &[], &[("package", "package.nupkg", &self.bytes)])
    }

    /// As dotnet and nuget send it.
    pub fn to(&self, client: &Client, project: &TestProject) -> Request {
        self.sent(client, project, "/")
    }

    /// As the symbols of another.
    fn symbols_to(&self, client: &Client, project: &TestProject) -> Request {
        self.sent(client, project, "/symbolpackage/")
    }
}

fn basic(request: Request, name: &str, secret: &str) -> Request {
    let both = base64::engine::general_purpose::STANDARD.encode(format!("{name}:{secret}"));
    request.header("authorization", &format!("Basic {both}"))
}

/// A document of version 3 of the protocol.
async fn told(client: &Client, project: &TestProject, rest: &str) -> Value {
    let path = project.at(&format!("/packages/nuget/{rest}"));
    client.get(path).await.is(200).json()
}

/// The versions of a name as files are addressed.
async fn listed(client: &Client, project: &TestProject, name: &str) -> Vec<String> {
    let found = told(client, project, &format!("download/{name}/index.json")).await;
    let versions = found["versions"].as_array().expect("a list").iter();
    versions.map(|one| one.as_str().expect("a text").to_owned()).collect()
}
